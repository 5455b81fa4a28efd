"""Answers that other processes offer for open questions (surface S12), on the owner's side.

The log is polled only while a tool's question waits for the user: an idle engine doesn't wake up. An offer goes through
the same machine as an answer at the sheet; the first one wins, the other gets the name of who answered.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonProblem, parse_object
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError, OfferState

LOOK_SECONDS = 0.2
MAX_PAYLOAD = 4 << 20
GONE = "nothing waits under that id any more"

Settled = tuple[OfferState, str]
"""Result of an offer, and who answered or what is wrong."""


class Offers:
    """Offers for one turn's questions."""

    def __init__(self, log: Log, coordinator: Coordinator) -> None:
        self._log, self._coordinator = log, coordinator
        self._task: asyncio.Task[None] | None = None
        self._closed = asyncio.Event()

    def look(self) -> None:
        """A question waits: poll for offers until none does."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())

    async def close(self) -> None:
        """Stop polling; open offers are withdrawn by their makers."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _poll(self) -> None:
        waits = True
        while waits or self._coordinator.questions_wait:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._closed.wait()
            # offers that arrived before the last answer are refused as too late
            waits = self._coordinator.questions_wait
            with suppress(JournalError):
                for offer in self._log.setup.journal.offers(self._log.id):
                    state, words = await self._payload(offer.inquiry, offer.payload)
                    await self._log.setup.journal.settle_offer(offer.id, state, words)

    async def _payload(self, inquiry: str, payload: str) -> Settled:
        try:
            found = parse_object(payload, max_bytes=MAX_PAYLOAD)
        except JsonProblem as problem:
            return "invalid", problem.message
        value, digest, note = found.get("value"), found.get("digest"), found.get("note")
        if not isinstance(value, str):
            return "invalid", "the offer holds no value"
        words = note if isinstance(note, str) else ""
        return await self.take(inquiry, value, digest if isinstance(digest, str) else "", note=words)

    async def take(self, inquiry: str, text: str, digest: str = "", *, note: str = "") -> Settled:
        """Run an offered answer through the machine; `digest` is what the offerer saw, if given."""
        shown = self._coordinator.showing.get(inquiry)
        if shown is None or shown.kind != "question":
            return self._late(inquiry)
        if digest and digest != shown.digest:
            return "stale", "the question has changed since"
        try:
            value = shown.question.answer_type.typed(text)
        except ValueError as problem:
            return "invalid", str(problem)
        at, ms = timestamp(self._log.setup.now()), self._coordinator.showing.since(inquiry)
        given = v.HumanAnswered(inquiry, shown.digest, value, note=note, via="process", ms=ms, at=at)
        steps = await self._coordinator.hear(await self._coordinator.checked(given, shown))
        for step in steps:
            if isinstance(step, s.Refuse):
                return self._late(inquiry, step.by) if step.gone else ("invalid", step.reason)
        accepted = any(isinstance(step, s.Settled) and step.inquiry == inquiry for step in steps)
        return ("accepted", "") if accepted else ("stale", GONE)

    def _late(self, inquiry: str, by: str = "") -> Settled:
        who = by or self._coordinator.settled_by(inquiry)
        return ("answered", who) if who else ("stale", GONE)
