"""Reading half over one connection. Each call is one indexed query, in no transaction that stays open."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, get_args

import psycopg

from jp_tui.journal import fts_query
from jp_tui.journal.conversation_rows import SHOWN
from jp_tui.journal.port import (
    MAKING,
    TITLED,
    ConversationRow,
    Hits,
    InquiryAct,
    JournalError,
    NewEvent,
    Offer,
    OfferState,
    Partial,
    RoleKind,
    SentPrompt,
    Shown,
    Span,
    Stored,
    StorePerson,
)
from jp_tui.journal.postgres.driver import Connection, StoreSettings, is_lost, trouble, unanswered
from jp_tui.journal.postgres.health import Health
from jp_tui.journal.row_values import parts_of

_MOST = (1 << 63) - 1
_PAGE = 400
_LONGEST_WORD = 2_000
"""Bytes of a word that a full-text query may have; the server's index has no longer ones."""
_EVENT = "e.seq, e.turn, e.kind, e.inquiry, e.at, e.lines, e.characters, e.payload, e.text"
_FROM = (
    f"SELECT {_EVENT} FROM jp_tui.events AS e JOIN jp_tui.conversations AS c ON c.key = e.conversation AND c.id = %s"
)
WAITS = """
FROM (SELECT conversation, seq FROM jp_tui.waiting WHERE missing > 0 AND {own} OFFSET 0) AS w
CROSS JOIN LATERAL (
  SELECT id, outside FROM jp_tui.conversations WHERE key = w.conversation AND hidden = '' LIMIT 1
) AS c
CROSS JOIN LATERAL (
  SELECT * FROM jp_tui.events WHERE conversation = w.conversation AND seq = w.seq LIMIT 1
) AS e
"""
"""Rows for which something waits in `own` conversations, each looked up by its key. Written so that the server has no
other plan: with a join and without statistics it goes through all conversations."""
OWN = "owner = jp_tui.me()"
"""Rows of the acting role, for which there are indexes: a policy alone looks at the rows of all people."""
CARRIED = "EXISTS (SELECT 1 FROM jp_tui.conversations AS c WHERE c.key = conversation)"
"""Rows that a worker carries on, as the policy of `conversations` says."""
_WAITING = f"SELECT c.id, {_EVENT} {WAITS}"
_WAITING_IN = f"{_WAITING} WHERE w.conversation = (SELECT key FROM jp_tui.conversations WHERE id = %s)"
_ADDRESSED = "SELECT id, seq, turn, kind, inquiry, at, lines, characters, payload, text FROM jp_tui.addressed(%s)"
"""Open questions of other people's conversations."""
_OFFERS = "SELECT id, conversation, inquiry, payload, at, state, words, who, machine FROM jp_tui.offers"
_FIELDS = (
    "id, title, workspace, model, created, updated, events, turns, last_seq, parent, archived, hidden, origin,"
    " imported, copied, titled, outside, machine, owner"
)
FAMILY = """
WITH RECURSIVE family (id) AS (
  SELECT %s::text COLLATE "C" UNION SELECT c.id FROM jp_tui.conversations AS c JOIN family AS f ON c.parent = f.id
)
"""
_OTHERS = """
SELECT id, owner, machine, workspace, created, updated, outside FROM jp_tui.conversations_of_others(%s::text[])
"""
_SEARCH = "SELECT conversation, seq FROM jp_tui.search_words(%s::tsquery, %s, %s, %s)"
_PEOPLE = """
SELECT role, kind, jp_tui.groups_of(role),
  coalesce(to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), ''),
  CASE WHEN until IS NULL THEN '' ELSE coalesce(deputy, '') END
FROM (
  SELECT role, kind, deputy, CASE WHEN away_until > clock_timestamp() THEN away_until END AS until FROM jp_tui.roles
) AS r WHERE kind IN ('owner', 'person') ORDER BY role
"""


class PostgresReader:
    """Implementation of `port.JournalReading`. One thread at a time reads."""

    def __init__(
        self, settings: StoreSettings, health: Health, connect: Callable[[], Connection], kind: Callable[[], RoleKind]
    ) -> None:
        self._settings, self._health, self._connect, self._kind = settings, health, connect, kind
        self._reading: Connection | None = None
        self._gone = False

    def close(self) -> None:
        """Close the connection; may be called twice."""
        self._gone = True
        self._drop()

    def _drop(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None

    def _all(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows; a lost connection is opened again, once."""
        for again in (True, False):
            db = self._ready()
            try:
                with self._health.watched(db):
                    found: list[tuple[Any, ...]] = db.execute(statement, values).fetchall()
                    return found
            except UnicodeEncodeError:
                return []  # no stored text has a lone surrogate
            except psycopg.Error as error:
                if not is_lost(error, db):
                    raise trouble(error, self._settings.address) from error
                self._drop()
                if not again:
                    self._health.lost(error)
                    raise unanswered(self._settings.address, error) from error
        raise AssertionError

    def _ready(self) -> Connection:
        if self._gone:
            raise JournalError("closed", f"The store at {self._settings.address.where} is closed.")
        if self._reading is None:
            self._health.check()
            try:
                self._reading = self._connect()
            except JournalError as problem:
                self._health.lost(problem)
                raise
        return self._reading

    def people(self) -> list[StorePerson]:
        rows = self._all(_PEOPLE)
        return [StorePerson(name, kind, tuple(groups), until, deputy) for name, kind, groups, until, deputy in rows]

    def read(self, conversation: str, after: int = 0, limit: int = 256) -> list[Stored]:
        rows = self._all(
            f"{_FROM} WHERE e.seq > %s ORDER BY e.seq LIMIT %s", conversation, max(after, 0), max(limit, 0)
        )
        return [_stored(conversation, *row) for row in rows]

    def around(self, conversation: str, seq: int, count: int) -> list[Stored]:
        last = self.last_seq(conversation)
        first = max(1, min(seq - count // 2, last - count + 1))
        return self.read(conversation, first - 1, count)

    def tail(self, conversation: str, count: int) -> list[Stored]:
        rows = self._all(f"{_FROM} ORDER BY e.seq DESC LIMIT %s", conversation, max(count, 0))
        return [_stored(conversation, *row) for row in reversed(rows)]

    def turn_events(self, conversation: str, turn: int) -> list[Stored]:
        rows = self._all(f"{_FROM} WHERE e.turn = %s ORDER BY e.seq", conversation, turn)
        return [_stored(conversation, *row) for row in rows]

    def inquiry_events(self, conversation: str, inquiry: str | None = None) -> list[Stored]:
        if inquiry is None:
            rows = self._all(f"{_FROM} WHERE e.inquiry IS NOT NULL ORDER BY e.seq", conversation)
        else:
            # another's conversation has no row here, and its inquiry may be read
            rows = self._all(
                f"SELECT {_EVENT} FROM jp_tui.events AS e WHERE e.conversation = (SELECT jp_tui.key_of(%s))"
                " AND e.inquiry = %s ORDER BY e.seq",
                conversation, inquiry,
            )  # fmt: skip
        return [_stored(conversation, *row) for row in rows]

    def of_kinds(
        self,
        conversation: str,
        kinds: Sequence[str],
        holding: str = "",
        after: int = 0,
        limit: int = 256,
        before: int = 0,
    ) -> list[Stored]:
        rows = self._all(
            f"{_FROM} WHERE e.seq > %s AND e.seq < %s AND e.kind = ANY (%s::text[])"
            " AND position(%s IN e.payload) > 0 ORDER BY e.seq LIMIT %s",
            conversation, after, before or _MOST, list(kinds), holding, max(0, limit),
        )  # fmt: skip
        return [_stored(conversation, *row) for row in rows]

    def open_inquiries(self, conversation: str | None = None) -> list[Stored]:
        if conversation is None:
            found = [_stored(*row) for row in self._all(f"{self._waiting(_WAITING)} UNION ALL {_ADDRESSED}", None)]
            return sorted(found, key=lambda stored: (stored.entry.at, stored.conversation, stored.seq))
        rows = self._all(f"{self._waiting(_WAITING_IN)} UNION ALL {_ADDRESSED}", conversation, conversation)
        return sorted((_stored(*row) for row in rows), key=lambda stored: stored.seq)

    def _waiting(self, statement: str) -> str:
        return statement.format(own=CARRIED if self._kind() == "worker" else OWN)

    def acts(self) -> list[InquiryAct]:
        if self._kind() == "worker":
            return []
        return [InquiryAct(*row) for row in self._all("SELECT id, inquiry, seq, kind, payload FROM jp_tui.acts()")]

    def offers(self, conversation: str) -> list[Offer]:
        rows = self._all(f"{_OFFERS} WHERE conversation = %s AND state = 'open' ORDER BY id", conversation)
        return [_offer(*row) for row in rows]

    def offer(self, id: int) -> Offer | None:
        rows = self._all(f"{_OFFERS} WHERE id = %s", id)
        return _offer(*rows[0]) if rows else None

    def spans(self, conversation: str) -> list[Span]:
        rows = self._all(
            "SELECT s.first_seq, s.last_seq, s.events, s.characters, s.lines FROM jp_tui.spans AS s"
            " JOIN jp_tui.conversations AS c ON c.key = s.conversation AND c.id = %s ORDER BY s.number",
            conversation,
        )
        return [Span(*row) for row in rows]

    def last_seq(self, conversation: str) -> int:
        rows = self._all("SELECT last_seq FROM jp_tui.conversations WHERE id = %s", conversation)
        return int(rows[0][0]) if rows else 0

    def changed(self) -> bool:
        return self._health.changed()

    def write_events(self) -> int | None:
        return self._health.reports()

    def partials(self, conversation: str) -> list[Partial]:
        rows = self._all(
            "SELECT p.part, p.kind, p.text FROM jp_tui.partials AS p"
            " JOIN jp_tui.conversations AS c ON c.key = p.conversation AND c.id = %s ORDER BY p.number",
            conversation,
        )
        return parts_of(rows)

    def conversations(
        self,
        workspace: str | None = None,
        *,
        limit: int = 50,
        offset: int = 0,
        include_archived: bool = False,
        children: bool = True,
        shown: Shown | None = None,
    ) -> list[ConversationRow]:
        wanted, values = self._where(shown or ("all" if include_archived else "active"), workspace)
        if not children:
            wanted += " AND parent IS NULL"
        return self._rows(
            f"{wanted} ORDER BY updated DESC, key DESC LIMIT %s OFFSET %s", *values, max(0, limit), max(0, offset)
        )

    def conversation(self, prefix: str, *, deleted: bool = False) -> ConversationRow | None:
        shown = f"hidden {'NOT IN' if deleted else 'IN'} ('', '{MAKING if deleted else ''}')"
        exact = self._rows(f"WHERE id = %s AND {shown}", prefix)
        if exact or not prefix:
            return exact[0] if exact else None
        found = self._rows(f"WHERE starts_with(id, %s) AND id >= %s AND {shown} ORDER BY id LIMIT 9", prefix, prefix)
        if len(found) > 1:
            named = ", ".join(row.id for row in found[:8]) + (" and more" if len(found) > 8 else "")
            raise JournalError("ambiguous", f"several conversations begin with {prefix}: {named}")
        return found[0] if found else None

    def rows(self, conversations: Sequence[str]) -> dict[str, ConversationRow]:
        named = list(conversations)
        found = {
            row.id: row for row in self._rows(f"WHERE id = ANY (%s::text[]) AND hidden IN ('', '{MAKING}')", named)
        }
        if others := [id_ for id_ in named if id_ not in found]:
            rows = self._all(_OTHERS, others)
            found |= {row[0]: _another(*row) for row in rows}
        return found

    def newest_of(self, prefix: str) -> ConversationRow | None:
        wanted = "WHERE starts_with(id, %s) AND id >= %s AND hidden <> %s ORDER BY id DESC LIMIT 1"
        found = self._rows(wanted, prefix, prefix, MAKING)
        return found[0] if found else None

    def children(self, conversation: str) -> list[str]:
        return [id_ for (id_,) in self._all(f"{FAMILY} SELECT id FROM family", conversation) if id_ != conversation]

    def imports(self, imported: str) -> list[ConversationRow]:
        return self._rows("WHERE imported = %s AND hidden = ''", imported)

    def everything(self) -> list[str]:
        rows = self._all("SELECT id FROM jp_tui.conversations WHERE hidden <> %s ORDER BY key", MAKING)
        return [id_ for (id_,) in rows]

    def hidden(self) -> list[tuple[str, str]]:
        return [(id_, at) for id_, at in self._all("SELECT id, hidden FROM jp_tui.conversations WHERE hidden <> ''")]

    def can_search(self) -> bool:
        return True

    def unindexed(self) -> int:
        behind = "SELECT coalesce(sum(last_seq - indexed), 0) FROM jp_tui.conversations WHERE indexed < last_seq"
        return int(self._all(behind)[0][0])

    def search(self, text: str, *, limit: int, hits: int, shown: Shown, workspace: str | None) -> PostgresSearch:
        return PostgresSearch(self._all, text, limit, hits, self._where(shown, workspace))

    def latest(self, workspace: str) -> ConversationRow | None:
        found = self.conversations(workspace, limit=1, children=False)
        return found[0] if found else None

    def unfinished(self, workspaces: Sequence[str], among: int = 2000) -> list[ConversationRow]:
        return self._rows(
            "WHERE key IN (SELECT c.key FROM unnest(%s::text[]) AS w (workspace) CROSS JOIN LATERAL (SELECT key FROM"
            " jp_tui.conversations WHERE workspace = w.workspace AND hidden = '' ORDER BY updated DESC, key DESC"
            " LIMIT %s) AS c) AND ended < turns AND NOT outside AND NOT EXISTS (SELECT 1 FROM jp_tui.waiting AS w"
            " WHERE w.conversation = conversations.key AND missing > 0) ORDER BY updated DESC, key DESC",
            [*dict.fromkeys(workspaces)], max(0, among),
        )  # fmt: skip

    def last_requests(self, workspace: str, limit: int = 100) -> list[SentPrompt]:
        rows = self._all(
            "SELECT c.id, e.seq, e.text, e.at FROM (SELECT key, id, updated FROM jp_tui.conversations"
            f" WHERE workspace = %s AND {OWN} AND parent IS NULL AND hidden = ''"
            " ORDER BY updated DESC, key DESC LIMIT 1000) AS c"
            " CROSS JOIN LATERAL (SELECT seq, text, at FROM jp_tui.events"
            " WHERE conversation = c.key AND kind = 'chat_request' ORDER BY seq DESC LIMIT %s) AS e"
            " ORDER BY e.at DESC, c.updated DESC, c.key DESC, e.seq DESC LIMIT %s",
            workspace, max(0, limit), max(0, limit),
        )  # fmt: skip
        return [SentPrompt(*row) for row in rows]

    def drafts(self, conversation: str) -> dict[str, str]:
        rows = self._all(
            "SELECT key, text FROM jp_tui.drafts WHERE owner = jp_tui.me() AND conversation = %s ORDER BY key",
            conversation,
        )
        return dict(rows)

    def _where(self, shown: Shown, workspace: str | None) -> tuple[str, list[object]]:
        here, values = ("workspace = %s AND ", [workspace]) if workspace is not None else ("", [])
        own = "" if self._kind() == "worker" else f"{OWN} AND "
        return f"WHERE {here}{own}{SHOWN[shown]} AND NOT outside", [*values]

    def _rows(self, where: str, *values: object) -> list[ConversationRow]:
        return [_row(row) for row in self._all(f"SELECT {_FIELDS} FROM jp_tui.conversations {where}", *values)]


class PostgresSearch:
    """Implementation of `port.RunningSearch`: pages of matches, newest conversations first."""

    def __init__(
        self,
        asks: Callable[..., list[tuple[Any, ...]]],
        sought: str,
        limit: int,
        hits: int,
        wanted: tuple[str, list[object]],
    ) -> None:
        self._asks, self._limit, self._hits, self._wanted = asks, max(0, limit), max(1, hits), wanted
        found = fts_query.terms(sought)
        long = any(len(word.encode("utf-8", "replace")) > _LONGEST_WORD for term in found for word in term.words)
        self._query = expression(found)
        self._none = not found or limit < 1 or long
        self._below = _MOST, _MOST
        self._places: dict[int, list[int]] = {}
        self._rows: dict[int, ConversationRow | None] = {}
        self._others: set[int] = set()
        self._more = False

    @property
    def more(self) -> bool:
        return self._more

    def run_for(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._none:
            page = self._asks(_SEARCH, self._query, *self._below, _PAGE)
            for key, seq in page:
                if key == self._below[0] and self._below[1] == 0:
                    continue  # it has enough
                self._below = (key, seq) if self._add(key, seq) else (key, 0)
                if self._more:
                    return True
            if len(page) < _PAGE:
                return True
            if time.monotonic() > until:
                return False
        return True

    def _add(self, key: int, seq: int) -> bool:
        """Return False once this conversation needs no more matches."""
        if (held := self._places.get(key)) is not None:
            if len(held) >= self._hits:
                self._others.add(key)
                return False
            held.append(seq)
            return True
        if key not in self._rows:
            where, values = self._wanted
            rows = self._asks(f"SELECT {_FIELDS} FROM jp_tui.conversations {where} AND key = %s", *values, key)
            self._rows[key] = _row(rows[0]) if rows else None
        if self._rows[key] is None:
            return False
        if len(self._places) >= self._limit:
            self._more = True
        else:
            self._places[key] = [seq]
        return True

    def found(self) -> list[Hits]:
        return [
            Hits(row, tuple(places), key in self._others)
            for key, places in self._places.items()
            if (row := self._rows[key]) is not None
        ]


def expression(found: Sequence[fts_query.Term]) -> str:
    """Combine the terms in the syntax of `tsquery`; words are letters and digits only."""
    return " & ".join(
        "("
        + " <-> ".join([*(f"'{word}'" for word in term.words[:-1]), f"'{term.words[-1]}'{':*' * term.prefix}"])
        + ")"
        for term in found
    )


def _row(row: tuple[Any, ...]) -> ConversationRow:
    *plain, titled, outside, machine, owner = row
    fields = (
        "id title workspace model created updated events turns last_seq parent archived deleted origin imported copied"
    )
    found = dict(zip(fields.split(), plain, strict=True))
    if found["deleted"] == MAKING:
        found["deleted"] = ""
    title = TITLED[titled] if 0 <= titled < len(TITLED) else TITLED[0]
    return ConversationRow(**found, titled=title, outside=outside, machine=machine, owner=owner)


def _another(
    id_: str, owner: str, machine: str, workspace: str, created: str, updated: str, outside: bool
) -> ConversationRow:
    return ConversationRow(
        id_, "", workspace, "", created, updated, 0, 0, 0, None, archived=False, outside=outside, machine=machine,
        owner=owner,
    )  # fmt: skip


def _stored(
    conversation: str, seq: int, turn: int, kind: str, inquiry: str | None, at: str, lines: int, characters: int,
    payload: str, text: str,
) -> Stored:  # fmt: skip
    size = None if characters == len(text) else characters
    return Stored(
        conversation,
        seq,
        NewEvent(kind, turn, payload, at=at, inquiry=inquiry, text=text, lines=lines, characters=size),
    )


def _offer(
    id_: int, conversation: str, inquiry: str, payload: str, at: str, state: str, words: str, who: str, machine: str
) -> Offer:
    known: OfferState = state if state in get_args(OfferState) else "invalid"  # type: ignore[assignment]
    return Offer(id_, conversation, inquiry, payload, at, known, words, who, machine)
