"""Drafts of a conversation in a store on a server (store.md D12): while that is out of reach, they are kept on this
machine, and joined with what the store has once it answers again. Loaded only where a store is named.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.base.draft_spool import DraftSpool, Spooled
from jp_tui.engine.record.drafts import COMPOSER, FOLDS, QUEUE, ConversationDrafts
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import Journal, JournalError
from jp_tui.system.paths import PathsError

SENT = "sent"
"""In the spool only: a message that was sent and wasn't in the log when the store was lost."""


class SpooledDrafts(ConversationDrafts):
    """As ConversationDrafts, with a spool for the time without the store."""

    def __init__(self, log: Log, spool: DraftSpool) -> None:
        super().__init__(log)
        self._spool = spool
        self._stored: dict[str, str] | None = None
        """Drafts in the store, as far as is known; None before they were read."""
        self._unconfirmed: dict[str, str] = {}
        self._lost = asyncio.Event()
        self._puts = self._losses = 0
        self._new = "" if log.exists else self._shelf
        """Shelf for what was typed before the conversation was stored: it may never be."""

    @property
    def _kept_on(self) -> str:
        return self._new if self._new and not self._log.exists else self._shelf

    def _kept(self) -> dict[str, Spooled]:
        """Return what this process keeps for the conversation."""
        found = dict(self._spool.held(self._new)) if self._new else {}
        return {**found, **self._spool.held(self._shelf)}

    def all(self) -> dict[str, str]:
        try:
            self._stored = self._log.setup.journal.drafts(self._shelf)
        except JournalError as problem:
            if problem.kind != "offline":
                raise
        self._held = dict(self._stored or {})
        for left in [*self._spool.left(self._shelf), self._kept()]:
            for key, one in left.items():
                self._adopt(key, one)
        if self._stored is not None:
            self._settle(self._stored)
        return dict(self._held)

    def _adopt(self, key: str, one: Spooled) -> None:
        """Take over a draft that was kept on this machine."""
        if self._stored is None:
            self._put(key, one.text, one.before)
            if key != SENT:
                self._held[key] = one.text
        elif key != SENT:
            self._held[key] = merged(key, self._stored.get(key, ""), one)
        elif (text := _unrecorded(self._log.setup.journal, one.text)) is not None:
            self._held[QUEUE] = _joined(QUEUE, self._held.get(QUEUE, ""), dump([{"text": text}]))

    def _settle(self, stored: dict[str, str]) -> None:
        """Store what the store doesn't have yet; then nothing is kept on this machine."""
        for key in {*self._held, *stored}:
            if self._held.get(key, "") != stored.get(key, ""):
                self._write(key, self._held.get(key, ""))
        self._follow(self._forget())

    async def _forget(self) -> None:
        """Forget what is kept, once the store has all of it. After a loss the next settlement does it."""
        losses, puts = self._losses, -1
        with suppress(JournalError):
            while puts != self._puts:
                puts = self._puts
                await self._log.setup.journal.flush()
                if losses != self._losses:
                    return
            for shelf in {self._shelf, self._new} - {""}:
                self._spool.forget(shelf)

    def get(self, key: str) -> str:
        if not self._held and self._stored is None:
            self.all()
        return self._held.get(key, "")

    def save(self, key: str, text: str) -> None:
        text = storable(text)
        if text:
            self._held[key] = text
        else:
            self._held.pop(key, None)
        offline = self._is_offline()
        if offline or key in self._kept():
            self._put(key, text)
        if not offline:
            self._write(key, text)

    async def keep(self, key: str, text: str) -> None:
        """Save it, and return once it is stored, or kept on this machine while the store is out of reach."""
        self.save(key, text)
        if self._is_offline():
            return
        self._lost.clear()
        lost, done = asyncio.ensure_future(self._lost.wait()), asyncio.ensure_future(self._confirmed(key))
        try:
            await asyncio.wait((lost, done), return_when=asyncio.FIRST_COMPLETED)
        finally:
            lost.cancel()
            done.cancel()

    async def _confirmed(self, key: str) -> None:
        while key in self._unconfirmed and self._writing:
            await asyncio.wait(set(self._writing), return_when=asyncio.FIRST_COMPLETED)

    def _write(self, key: str, text: str) -> None:
        journal = self._log.setup.journal
        try:
            made = journal.save_draft(self._shelf, key, text) if text else journal.clear_draft(self._shelf, key)
        except JournalError:  # closed: the program is ending
            return
        self._unconfirmed[key] = text

        async def confirm() -> None:
            try:
                await made
            except JournalError as problem:
                if problem.kind == "newer" and self._held.get(key, "") == text:
                    self._put(key, text)
                self._failed(str(problem), lost=bool(text) and problem.kind != "newer")
            else:
                if self._stored is not None:
                    self._stored[key] = text
                self._told = self._told and not text
            if self._unconfirmed.get(key) == text:
                self._unconfirmed.pop(key)

        self._follow(confirm())

    def begun(self) -> None:
        shelf = self._shelf
        super().begun()
        if shelf != self._shelf and self._stored is not None:
            self._stored = {}

    def _is_offline(self) -> bool:
        found = self._log.setup.journal.connection()
        return found is not None and bool(found.problem)

    def _put(self, key: str, text: str, before: tuple[str, ...] = ()) -> None:
        """Keep a draft on this machine, with all that the store may have of it."""
        self._puts += 1
        known = {self._unconfirmed.get(key), None if self._stored is None else self._stored.get(key, "")}
        before = (*before, *(one for one in known if one is not None and one not in before))
        try:
            self._spool.put(self._kept_on, key, Spooled(text, before))
        except PathsError as problem:
            self._failed(str(problem), lost=True)

    def store_lost(self, sent: str) -> None:
        """Keep on this machine what isn't in the store: drafts, and a message that was sent and isn't recorded."""
        self._lost.set()
        self._losses += 1
        for key, text in [*self._unconfirmed.items()]:
            self._put(key, text)
        if sent:
            self._put(SENT, dump({"text": storable(sent), "turn": self._log.turn, "conversation": self._log.id}))

    async def store_back(self) -> dict[str, str]:
        """Join what was kept here with what the store has. Return drafts of the store that the front end didn't know.
        Raises JournalError."""
        await self._log.setup.journal.flush()
        stored = self._log.setup.journal.drafts(self._shelf)
        unread, self._stored = self._stored is None, stored
        kept = {key: one for key, one in self._kept().items() if key != SENT}
        new: dict[str, str] = {}
        for key in {*kept, *(stored if unread else ())}:
            there = stored.get(key, "")
            self._held[key] = merged(key, there, kept[key]) if key in kept else there
            if there and self._held[key] != (kept[key].text if key in kept else ""):
                new[key] = there
        self._settle(dict(stored))
        return new


def merged(key: str, stored: str, kept: Spooled) -> str:
    """Return a draft from what the store has and what was kept on this machine meanwhile. No text is lost: if both
    changed, texts are joined."""
    if stored in kept.before or not stored:
        return kept.text
    if not kept.text or stored == kept.text:
        return stored
    return _joined(key, stored, kept.text)


def _joined(key: str, first: str, then: str) -> str:
    if not first or (first in then and key != QUEUE):
        return then
    if key == COMPOSER:
        return first if then in first else f"{first}\n\n{then}"
    if key == QUEUE:
        with suppress(ValueError, TypeError):
            one, other = json.loads(first), json.loads(then)
            if isinstance(one, list) and isinstance(other, list):
                return json.dumps([*one, *(item for item in other if item not in one)], ensure_ascii=False)
    return "" if key == FOLDS else then


def _unrecorded(journal: Journal, said: str) -> str | None:
    """Return a message that was on its way when the store was lost, None if it is recorded."""
    with suppress(ValueError, TypeError, KeyError):
        found = json.loads(said)
        row = journal.conversation(str(found["conversation"]))
        if row is None or row.turns < int(found["turn"]):
            return str(found["text"])
    return None
