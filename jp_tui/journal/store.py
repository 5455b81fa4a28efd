"""Journal of a writing process: one writer, and a reader beside it. Implements `port.Journal`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from jp_tui.journal import changes, conversation_writes, search
from jp_tui.journal.doubt import Doubt
from jp_tui.journal.following import FollowingReader
from jp_tui.journal.opening import opened
from jp_tui.journal.port import Again, Copied, Journal, JournalError, NewEvent, OfferState, Receipt, StoreNotice, Titled
from jp_tui.journal.writer import WriteJob

T = TypeVar("T")

MANY, LARGE = 20, 64 * 1024
"""Events, and characters, above which a loop doesn't write an append itself: it would block for milliseconds."""


def open_journal(path: Path) -> SqliteJournal:
    """Open the database for writing; create, migrate and repair it as needed.

    Raises JournalError `unusable`, `readonly`, `corrupt`, `foreign`, `newer`, `full`, `busy`, all before the first
    frame (exit 2).
    """
    found, reading = opened(path)
    try:
        return SqliteJournal(path, found, reading)
    except BaseException:
        found.writing.close()
        reading.close()
        raise


class SqliteJournal(FollowingReader):
    """See `port.Journal`. Any thread may write; one thread at a time may read."""

    def create(
        self,
        conversation: str,
        *,
        workspace: str,
        model: str,
        at: str,
        title: str = "",
        parent: str | None = None,
    ) -> Receipt[None]:
        return self._do(lambda db: changes.create(db, conversation, workspace, title, model, at, parent))

    def append(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        durable: bool = True,
        closes_parts: Sequence[str] = (),
        accepts: Sequence[int] = (),
        copied: bool = False,
    ) -> Receipt[list[int]]:
        entries, parts = tuple(entries), tuple(closes_parts)
        large = len(entries) > MANY or sum([len(entry.payload) + len(entry.text) for entry in entries]) > LARGE
        return self._do(self._appending(conversation, entries, parts, tuple(accepts)), durable, large)

    def ask_outside(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        workspace: str,
        at: str,
        title: str,
        admits: Callable[[Sequence[str]], None],
        joins: bool = False,
    ) -> Receipt[None]:
        append, adds = (self._appending(conversation, tuple(found)) for found in (entries, entries[1:]))

        def work(db: sqlite3.Connection) -> None:
            admits(changes.open_outside(db))
            if joins and changes.is_outside(db, conversation):
                adds(db)
                return
            changes.create(db, conversation, workspace, title, "", at, None)
            append(db)

        return self._do(work)

    def settle_outside(
        self, conversation: str, inquiry: str, entries: Sequence[NewEvent], after: int | None = None
    ) -> Receipt[bool]:
        append = self._appending(conversation, tuple(entries))

        def work(db: sqlite3.Connection) -> bool:
            still = changes.is_open(db, conversation, inquiry, after)
            if still:
                append(db)
            return still

        return self._do(work)

    def _appending(
        self,
        conversation: str,
        entries: tuple[NewEvent, ...],
        parts: tuple[str, ...] = (),
        accepts: tuple[int, ...] = (),
    ) -> Callable[[sqlite3.Connection], list[int]]:
        """Return the work of an append inside a transaction."""
        doubt, tending = Doubt(), self._tending

        def work(db: sqlite3.Connection) -> list[int]:
            tending.mine(conversation)
            numbers = changes.append(db, conversation, entries, parts, doubt)
            if accepts:
                changes.accept_offers(db, accepts)
            tending.lately.writes(conversation, numbers, entries)
            tending.lately.named(db, conversation)
            return numbers

        return work

    def partial(self, conversation: str, part: str, kind: str, chunk: str, *, durable: bool = False) -> Receipt[None]:
        pieces = [chunk]
        return self._writer.submit(
            WriteJob(
                lambda db: changes.add_partial(db, conversation, part, kind, "".join(pieces)),
                durable=durable,
                lazy=not durable,
                joins=(conversation, part),
                pieces=pieces,
            )
        )

    def set_title(
        self, conversation: str, title: str, titled: Titled = "user", but: Titled | None = None
    ) -> Receipt[bool]:
        return self._do(lambda db: conversation_writes.set_title(db, conversation, title, titled, but))

    def make(self, copied: Copied) -> Receipt[None]:
        return self._do(lambda db: conversation_writes.make(db, copied), durable=False)

    def reveal(self, conversation: str) -> Receipt[None]:
        return self._do(lambda db: conversation_writes.reveal(db, conversation))

    def hide(self, conversation: str, at: str) -> Receipt[None]:
        return self._do(lambda db: conversation_writes.hide(db, conversation, at))

    def restore(self, conversation: str) -> Receipt[None]:
        return self._do(lambda db: conversation_writes.restore(db, conversation))

    def remove(self, conversation: str) -> Receipt[int]:
        self._tending.lately.forget(conversation)
        return self._do(lambda db: conversation_writes.remove(db, conversation), durable=False)

    def index(self) -> Receipt[int]:
        return self._do(search.index, durable=False)

    def renew_index(self) -> Receipt[None]:
        return self._do(search.renew, durable=False)

    def set_model(self, conversation: str, model: str) -> Receipt[None]:
        return self._do(lambda db: changes.set_model(db, conversation, model))

    def set_archived(self, conversation: str, archived: bool) -> Receipt[None]:
        return self._do(lambda db: conversation_writes.set_archived(db, conversation, archived))

    def save_draft(self, conversation: str, key: str, text: str) -> Receipt[None]:
        return self._do(lambda db: changes.save_draft(db, conversation, key, text), durable=False)

    def clear_draft(self, conversation: str, key: str) -> Receipt[None]:
        return self._do(lambda db: changes.clear_draft(db, conversation, key), durable=False)

    def set_away(self, until: str, deputy: str) -> Receipt[None]:
        raise JournalError("refused", "only you use this store")

    def claim(self, conversation: str, inquiry: str, *, release: bool = False) -> Receipt[str | None]:
        raise JournalError("refused", "only you use this store")

    def make_offer(self, conversation: str, inquiry: str, payload: str, at: str) -> Receipt[int]:
        return self._do(lambda db: changes.make_offer(db, conversation, inquiry, payload, at))

    def settle_offer(self, id: int, state: OfferState, words: str = "") -> Receipt[None]:
        return self._do(lambda db: changes.settle_offer(db, id, state, words))

    def withdraw_offer(self, id: int) -> Receipt[None]:
        return self._do(lambda db: changes.withdraw_offer(db, id))

    def connection(self) -> None:
        """A file has none."""

    def retry(self) -> None:
        """A file is always in reach."""

    def notices(self) -> list[StoreNotice]:
        return self._tending.notices.take()

    def noticed(self) -> Receipt[None]:
        return self._tending.notices.arrived()

    def holds(self, again: Again) -> None:
        self._tending.holds(again)

    def locks(self) -> None:
        return None

    def flush(self) -> Receipt[None]:
        return self._do(lambda db: None, durable=False)

    def close(self) -> None:
        super().close()
        self._writer.close()

    def _do(self, work: Callable[[sqlite3.Connection], T], durable: bool = True, large: bool = False) -> Receipt[T]:
        return self._writer.write(work) if durable and not large else self._writer.submit(WriteJob(work, durable))


_port: type[Journal] = SqliteJournal  # the type checker compares them here
