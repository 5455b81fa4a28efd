"""Reading half: its own read-only connection, beside the writer or another process.

Each call is one indexed query whose cost depends on the result's size, so the engine's loop may call it directly. No
transaction stays open between calls, no thread is started, and a damaged page raises an error instead of missing rows.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from jp_tui.journal import search
from jp_tui.journal.connect import open_for_one_query, open_reading, trouble
from jp_tui.journal.conversation_rows import FAMILY, FIELDS, INSIDE, ConversationSearch, conversation_row, where
from jp_tui.journal.file_events import open_events, watch
from jp_tui.journal.migrate import check
from jp_tui.journal.port import (
    MAKING,
    MISSING,
    ConversationRow,
    InquiryAct,
    JournalError,
    NewEvent,
    Offer,
    OfferState,
    Partial,
    SentPrompt,
    Shown,
    Span,
    Stored,
    StorePerson,
)
from jp_tui.journal.row_values import MOST, fetched, parts_of, text_or_none, whole
from jp_tui.journal.row_values import text as tame
from jp_tui.journal.schema import LAST, SHIFT, STEPS

_EVENTS = "SELECT seq, turn, kind, inquiry, at, lines, characters, payload, text FROM events "
_WAITING = """
SELECT c.id, e.seq, e.turn, e.kind, e.inquiry, e.at, e.lines, e.characters, e.payload, e.text
FROM waiting AS w CROSS JOIN events AS e ON e.place = w.place CROSS JOIN conversations AS c ON c.key = w.conversation
WHERE w.missing > 0 AND c.hidden = ''
"""
_OFFERS = "SELECT id, conversation, inquiry, payload, at, state, words FROM offers "
_ROWS = f"SELECT {FIELDS} FROM conversations "


def open_reader(path: Path) -> JournalReader:
    """Open a database read-only. Raises JournalError `missing` (none yet), `newer`, `corrupt`, `unusable`."""
    connection = open_reading(path)
    try:
        version = check(connection, path)
        if version < len(STEPS):
            raise JournalError(
                "missing" if version == 0 else "unusable",
                f"{path} has an older format (version {version}). Start jp-tui once to update it",
            )
    except JournalError:
        connection.close()
        raise
    return JournalReader(connection, path)


def account() -> StorePerson:
    """Return the owner of this process: the only person of a file."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a process whose account has no name
        name = str(os.getuid())
    return StorePerson(name, "owner")


def has(path: Path, conversation: str) -> bool:
    """True if a conversation with this id is readable there. Writes nothing."""
    try:
        with contextlib.closing(open_for_one_query(path)) as db:
            check(db, path)
            return bool(fetched(db, "SELECT 1 FROM conversations WHERE id = ? AND hidden = ''", (conversation,)))
    except (JournalError, sqlite3.Error):
        return False


def find_resumable(path: Path, workspace: str, conversation: str | None) -> ConversationRow | None:
    """Return the conversation that resuming would open: the one whose id has this prefix, or with None the latest of
    the workspace.

    Don't call it while this process has the database open: closing the connection would drop its locks. Writes nothing
    and doesn't wait for a busy database. None if there is none, if the file isn't sound or of this version, or if the
    conversation has drafts.
    """
    try:
        with _one_query(path) as reader:
            row = reader.latest(workspace) if conversation is None else reader.conversation(conversation)
            return None if row is None or reader.drafts(row.id) else row
    except (JournalError, sqlite3.Error):
        return None


def latest_conversations(path: Path, workspace: str, limit: int) -> list[ConversationRow] | None:
    """Return the latest conversations of a workspace, without those of sub-agents; None if the file isn't sound or of
    this version. As for `find_resumable`, don't call it while this process has the database open."""
    try:
        with _one_query(path) as reader:
            return reader.conversations(workspace, limit=limit, children=False)
    except (JournalError, sqlite3.Error):
        return None


@contextlib.contextmanager
def _one_query(path: Path) -> Iterator[JournalReader]:
    """Yield a reader that doesn't wait for a busy database. Raises JournalError, also for an older version."""
    with contextlib.closing(open_for_one_query(path)) as db:
        db.execute("PRAGMA busy_timeout = 20")
        if check(db, path) < len(STEPS):
            raise JournalError("unusable", f"{path} has an older format")
        yield JournalReader(db, path)


class JournalReader:
    """Implementation of `port.JournalReading` over one connection. One thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._db: sqlite3.Connection | None = connection
        self._path = path
        self._version = -1
        self._events_of_files: int | None = None

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._events_of_files is not None:
            os.close(self._events_of_files)
            self._events_of_files = None
        if self._db is not None:
            self._db.close()
            self._db = None

    def me(self) -> str:
        return ""

    def people(self) -> list[StorePerson]:
        return [account()]

    def read(self, conversation: str, after: int = 0, limit: int = 256) -> list[Stored]:
        key = self._key(conversation)
        found = self._events(conversation, "WHERE place > ? AND place <= ? ORDER BY place LIMIT ?", (
            _place(key, after), _place(key, LAST), max(0, limit),
        ))  # fmt: skip
        marked, gap = _whole(found, max(after, 0))
        return self.read(conversation, after, limit) if gap and self._doubts(conversation, "gap") else marked

    def around(self, conversation: str, seq: int, count: int) -> list[Stored]:
        last = self.last_seq(conversation)
        first = max(1, min(seq - count // 2, last - count + 1))
        return self.read(conversation, first - 1, count)

    def tail(self, conversation: str, count: int) -> list[Stored]:
        key = self._key(conversation)
        found = self._events(conversation, "WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT ?", (
            _place(key, 0), _place(key, LAST), max(0, count),
        ))[::-1]  # fmt: skip
        marked, gap = _whole(found, found[0].seq - 1 if found else 0)
        return self.tail(conversation, count) if gap and self._doubts(conversation, "gap") else marked

    def turn_events(self, conversation: str, turn: int) -> list[Stored]:
        key = self._key(conversation)
        found = self._events(conversation, "WHERE conversation = ? AND turn = ? ORDER BY place", (key, turn))
        first, last = (max(found[0].seq - 1, 1), found[-1].seq) if found else (1, 0)
        if last - first >= len(found):  # others between them, or none; the one before them is of another turn
            between = _place(key, first), _place(key, last)
            ((there,),) = self._all("SELECT count(*) FROM events WHERE place >= ? AND place <= ?", between)
            if there <= last - first and self._doubts(conversation, "gap"):
                return self.turn_events(conversation, turn)
        return found

    def inquiry_events(self, conversation: str, inquiry: str | None = None) -> list[Stored]:
        key = self._key(conversation)
        if inquiry is None:
            return self._events(conversation, "WHERE conversation = ? AND inquiry IS NOT NULL ORDER BY place", (key,))
        return self._events(conversation, "WHERE conversation = ? AND inquiry = ? ORDER BY place", (key, inquiry))

    def of_kinds(
        self,
        conversation: str,
        kinds: Sequence[str],
        holding: str = "",
        after: int = 0,
        limit: int = 256,
        before: int = 0,
    ) -> list[Stored]:
        key, marks = self._key(conversation), ", ".join("?" for _ in kinds)
        return self._events(
            conversation,
            f"WHERE place > ? AND place <= ? AND kind IN ({marks}) AND instr(payload, ?) > 0 ORDER BY place LIMIT ?",
            (_place(key, after), _place(key, before - 1 if before else LAST), *kinds, holding, max(0, limit)),
        )

    def open_inquiries(self, conversation: str | None = None) -> list[Stored]:
        if conversation is None:
            found = [_stored(*row) for row in self._all(_WAITING, ())]
            return sorted(found, key=lambda stored: (stored.entry.at, stored.conversation, stored.seq))
        rows = self._all(f"{_WAITING} AND w.conversation = ?", (self._key(conversation),))
        return sorted((_stored(*row) for row in rows), key=lambda stored: stored.seq)

    def acts(self) -> list[InquiryAct]:
        return []

    def offers(self, conversation: str) -> list[Offer]:
        rows = self._all(f"{_OFFERS} WHERE conversation = ? AND state = 'open' ORDER BY id", (conversation,))
        return [_offer(row) for row in rows]

    def offer(self, id: int) -> Offer | None:
        rows = self._all(f"{_OFFERS} WHERE id = ?", (id,))
        return _offer(rows[0]) if rows else None

    def spans(self, conversation: str) -> list[Span]:
        rows = self._all(
            "SELECT first_seq, last_seq, events, characters, lines FROM spans WHERE conversation = ? ORDER BY number",
            (self._key(conversation),),
        )
        return [Span(*map(whole, row)) for row in rows]

    def last_seq(self, conversation: str) -> int:
        key = self._key(conversation)
        part = _place(key, 0), _place(key, LAST)
        rows = self._all("SELECT max(place) FROM events WHERE place > ? AND place <= ?", part)
        return (rows[0][0] or 0) & LAST

    def changed(self) -> bool:
        version = int(self._all("PRAGMA data_version", ())[0][0])
        before, self._version = self._version, version
        return version != before

    def write_events(self) -> int | None:
        if self._events_of_files is None and self._db is not None:
            self._events_of_files = open_events(self._path.parent)
        return self._events_of_files

    def _follow_folder(self) -> None:
        """Report writes to the folder that is at the path now; it may be another one than before."""
        if self._events_of_files is not None:
            watch(self._events_of_files, self._path.parent)

    def partials(self, conversation: str) -> list[Partial]:
        rows = self._all(
            "SELECT part, kind, text FROM partials WHERE conversation = ? ORDER BY number",
            (self._key(conversation),),
        )
        return parts_of((tame(part), tame(kind), tame(piece)) for part, kind, piece in rows)

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
        wanted, values = where(shown or ("all" if include_archived else "active"), workspace)
        if not children:
            wanted += " AND parent IS NULL"
        return self._rows(
            f"{wanted} ORDER BY updated DESC, key DESC LIMIT ? OFFSET ?", (*values, max(0, limit), offset)
        )

    def conversation(self, prefix: str, *, deleted: bool = False) -> ConversationRow | None:
        shown = f"hidden {'NOT IN' if deleted else 'IN'} ('', '{MAKING if deleted else ''}')"
        exact = self._rows(f"WHERE id = ? AND {shown}", (prefix,))
        if exact or not prefix:
            return exact[0] if exact else None
        found = self._rows(f"WHERE id >= ? AND id < ? AND {shown} ORDER BY id LIMIT 9", (prefix, prefix + "\U0010ffff"))
        if len(found) > 1:
            named = ", ".join(row.id for row in found[:8]) + (" and more" if len(found) > 8 else "")
            raise JournalError("ambiguous", f"several conversations begin with {prefix}: {named}")
        return found[0] if found else None

    def rows(self, conversations: Sequence[str]) -> dict[str, ConversationRow]:
        shown = f"hidden IN ('', '{MAKING}')"
        return {row.id: row for id_ in conversations for row in self._rows(f"WHERE id = ? AND {shown}", (id_,))}

    def newest_of(self, prefix: str) -> ConversationRow | None:
        values = (prefix, prefix + "\U0010ffff", MAKING)
        found = self._rows("WHERE id >= ? AND id < ? AND hidden <> ? ORDER BY id DESC LIMIT 1", values)
        return found[0] if found else None

    def children(self, conversation: str) -> list[str]:
        return [
            tame(id_) for (id_,) in self._all(f"{FAMILY} SELECT id FROM family", (conversation,)) if id_ != conversation
        ]

    def imports(self, imported: str) -> list[ConversationRow]:
        return self._rows("WHERE imported = ? AND hidden = ''", (imported,))

    def everything(self) -> list[str]:
        rows = self._all("SELECT id FROM conversations WHERE hidden <> ? ORDER BY key", (MAKING,))
        return [tame(id_) for (id_,) in rows]

    def hidden(self) -> list[tuple[str, str]]:
        rows = self._all("SELECT id, hidden FROM conversations WHERE hidden <> ''", ())
        return [(tame(id_), tame(hidden)) for id_, hidden in rows]

    def can_search(self) -> bool:
        return bool(self._all("SELECT 1 FROM pragma_module_list WHERE name = ?", (search.MODULE,)))

    def unindexed(self) -> int:
        behind = "SELECT total(last_seq - indexed) FROM conversations WHERE indexed < last_seq"
        return int(max(0.0, min(MOST, self._all(behind, ())[0][0])))

    def search(self, text: str, *, limit: int, hits: int, shown: Shown, workspace: str | None) -> ConversationSearch:
        return ConversationSearch(self._ready(), self._path, text, limit, hits, where(shown, workspace))

    def latest(self, workspace: str) -> ConversationRow | None:
        found = self.conversations(workspace, limit=1, children=False)
        return found[0] if found else None

    def unfinished(self, workspaces: Sequence[str], among: int = 2000) -> list[ConversationRow]:
        found: list[ConversationRow] = []
        for workspace in dict.fromkeys(workspaces):
            found += self._rows(
                "WHERE key IN (SELECT key FROM conversations WHERE workspace = ? AND hidden = ''"
                f" ORDER BY updated DESC, key DESC LIMIT ?) AND ended < turns AND {INSIDE}"
                " AND NOT EXISTS (SELECT 1 FROM waiting WHERE conversation = conversations.key AND missing > 0)",
                (workspace, max(0, among)),
            )
        return sorted(found, key=lambda row: row.updated, reverse=True)

    def last_requests(self, workspace: str, limit: int = 100) -> list[SentPrompt]:
        found: list[SentPrompt] = []
        limit = max(0, limit)
        talks = self._all(
            "SELECT key, id, updated FROM conversations WHERE workspace = ? AND parent IS NULL AND hidden = ''"
            " ORDER BY updated DESC, key DESC LIMIT 1000",
            (workspace,),
        )
        for key, conversation, updated in talks:
            if len(found) == limit and (not limit or found[-1].at >= tame(updated)):
                break  # no later row of this conversation or the next ones can be newer
            rows = self._all(
                "SELECT seq, text, at FROM events WHERE conversation = ? AND kind = 'chat_request'"
                " ORDER BY place DESC LIMIT ?",
                (key, limit),
            )
            found += [SentPrompt(tame(conversation), whole(seq), tame(text), tame(at)) for seq, text, at in rows]
            found.sort(key=lambda asked: asked.at, reverse=True)  # stable: with equal times the later one comes first
            del found[limit:]
        return found

    def drafts(self, conversation: str) -> dict[str, str]:
        rows = self._all("SELECT key, text FROM drafts WHERE conversation = ? ORDER BY key", (conversation,))
        return {tame(key): tame(text) for key, text in rows}

    def _key(self, conversation: str) -> int:
        rows = self._all("SELECT key FROM conversations WHERE id = ?", (conversation,))
        return int(rows[0][0]) if rows else -1  # no event has this number

    def _events(self, conversation: str, where: str, values: Sequence[object]) -> list[Stored]:
        return [_stored(conversation, *row) for row in self._all(_EVENTS + where, values)]

    def _rows(self, where: str, values: Sequence[object]) -> list[ConversationRow]:
        return [conversation_row(row) for row in self._all(_ROWS + where, values)]

    def _all(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        db = self._ready()
        try:
            return fetched(db, statement, values)
        except sqlite3.Error as error:
            problem = trouble(error, self._path)
            if problem.kind != "corrupt" or not self._was_repaired():
                raise problem from error
        try:
            return fetched(self._ready(), statement, values)
        except sqlite3.Error as error:
            raise trouble(error, self._path) from error

    # -- hooks of a reader that also writes, for an unsound file

    def _ready(self) -> sqlite3.Connection:
        """Return the connection to the file at the path. Raises JournalError."""
        if self._db is None:
            raise JournalError("closed", f"{self._path} is closed")
        return self._db

    def _was_repaired(self) -> bool:
        """True if an unreadable file was repaired."""
        return False

    def _doubts(self, conversation: str, what: str) -> bool:
        """True if a conversation in doubt was examined and must be read again."""
        return False


def _stored(
    conversation: str, seq: object, turn: object, kind: object, inquiry: object, at: object, lines: object,
    characters: object, payload: object, text: object,
) -> Stored:  # fmt: skip
    words = tame(text)
    size = _other(whole(characters), words)
    event = NewEvent(
        tame(kind), whole(turn), tame(payload), at=tame(at), inquiry=text_or_none(inquiry), text=words,
        lines=whole(lines), characters=size,
    )  # fmt: skip
    return Stored(tame(conversation), whole(seq), event)


def _whole(found: list[Stored], after: int) -> tuple[list[Stored], bool]:
    """Return these events, which follow `after`, with one entry for each missing range, and True if the log doesn't
    mark such a range itself."""
    if not found or (found[-1].seq == after + len(found) and not any(one.entry.kind == MISSING for one in found)):
        return found, False
    marked: list[Stored] = []
    gap = False
    for one in found:
        gone = one.seq - after - 1
        if one.entry.kind == MISSING and not one.entry.payload:
            one = replace(one, entry=replace(one.entry, characters=gone + 1))
        elif gone:
            gap = True
            missing = NewEvent(MISSING, one.entry.turn, "", at=one.entry.at, characters=gone)
            marked.append(Stored(one.conversation, after + 1, missing))
        marked.append(one)
        after = one.seq
    return marked, gap


def _offer(row: tuple[Any, ...]) -> Offer:
    id_, (conversation, inquiry, payload, at), state, words = whole(row[0]), map(tame, row[1:5]), row[5], tame(row[6])
    known: OfferState = state if state in get_args(OfferState) else "invalid"
    return Offer(id_, conversation, inquiry, payload, at, known, words)


def _place(key: int, seq: int) -> int:
    """Return the place of a number, clamped to the conversation."""
    return key << SHIFT | min(max(seq, 0), LAST)


def _other(characters: int, text: str) -> int | None:
    """Return the given size, None if it equals the text's."""
    return None if characters == len(text) else characters
