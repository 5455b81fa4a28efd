"""Answers that other processes offer for open questions (surface S12), on the owner's side.

The log is read after a commit, and only while a tool's question waits for the user. An offer goes through the same
machine as an answer at the sheet; the first one wins, the other gets the name of who answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonProblem, dump, parse_object, text_of
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.input_queue import OfferedInput
from jp_tui.engine.base.people import answerer, is_shared
from jp_tui.engine.record.asked_people import claims
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.people import Addressed, Answerer, Vote
from jp_tui.journal.port import JournalError, Offer, OfferState
from jp_tui.protocol.values import PromptRequest

LOOK_SECONDS = 2.0
"""Longest time between two looks for offers, in case that a commit wasn't noticed."""
MAX_PAYLOAD = 4 << 20
GONE = "no question with this ID is open"

ALONE = "only you use this store"
Settled = tuple[OfferState, str]
"""Result of an offer, and who answered, what is wrong, or the approvals so far (`counted`)."""


def counted(asked: Addressed, votes: Sequence[Vote]) -> str:
    """Return the approvals so far as JSON, `{"needed": n, "by": [names]}` (store.md D15)."""
    return dump({"needed": asked.needed, "by": [one.who for one in votes]})


class Offers:
    """Offers for one turn's questions."""

    def __init__(self, log: Log, coordinator: Coordinator) -> None:
        self._log, self._coordinator = log, coordinator
        self._task: asyncio.Task[None] | None = None

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
        waits, news, commits = True, asyncio.Event(), self._log.setup.commits
        commits.follow(news)
        try:
            while waits or self._coordinator.questions_wait:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await news.wait()
                news.clear()
                # offers that arrived before the last answer are refused as too late
                waits = self._coordinator.questions_wait
                await self._settle()
                self._look_at_claims()
        finally:
            commits.leave(news)

    async def _settle(self) -> None:
        with suppress(JournalError):
            for offer in self._log.setup.journal.offers(self._log.id):
                offered = OfferedInput(offer.id)
                state, words = await self._payload(offer, offered)
                if not offered.recorded:
                    await self._log.setup.journal.settle_offer(offer.id, state, words)

    def _look_at_claims(self) -> None:
        """Find out who looks at the open questions, in a shared store (store.md D16)."""
        setup, showing = self._log.setup, self._coordinator.showing
        if not is_shared(setup) or all(shown.kind != "question" for shown in showing):
            return
        with suppress(JournalError):
            showing.look(claims(setup.journal.acts(), self._log.id, setup.journal.me()))

    async def _payload(self, offer: Offer, offered: OfferedInput) -> Settled:
        try:
            found = parse_object(offer.payload, max_bytes=MAX_PAYLOAD)
        except JsonProblem as problem:
            return "invalid", problem.message
        by = self._by(offer)
        digest = text_of(found.get("digest"))
        if isinstance(to := found.get("to"), str):
            return await self.assign(offer.inquiry, to, digest, by=by, offered=offered)
        value = found.get("value")
        if not isinstance(value, str):
            return "invalid", "the offer holds no value"
        decline, note = found.get("decline") is True, text_of(found.get("note"))
        return await self.apply(offer.inquiry, value, digest, note=note, decline=decline, by=by, offered=offered)

    def _by(self, offer: Offer) -> Answerer | None:
        """Return who made an offer, None for this process's own user. Raises JournalError."""
        setup = self._log.setup
        if not offer.who or offer.who == setup.journal.me():
            return None
        return answerer(setup, self._log.owner(), offer.who, offer.machine, offer.id)

    async def apply(
        self,
        inquiry: str,
        text: str,
        digest: str = "",
        *,
        note: str = "",
        decline: bool = False,
        by: Answerer | None = None,
        offered: OfferedInput | None = None,
    ) -> Settled:
        """Run an offered answer through the machine; `digest` is what the offerer saw, if given; `decline`: its server
        reads a no; `by`: it is another person's; `offered`: where the offer is recorded. Raises JournalError."""
        shown = self._coordinator.showing.get(inquiry)
        if shown is None or shown.kind != "question":
            return self._late(inquiry)
        if digest and digest != shown.digest:
            return "stale", "the question has changed"
        by = by or self._me(shown)
        if decline:
            given: v.HumanAnswered | v.HumanCancelled = v.HumanCancelled(inquiry, shown.digest, declined=True, by=by)
        else:
            try:
                value = shown.question.answer_type.typed(text)
            except ValueError as problem:
                return "invalid", str(problem)
            at, ms = timestamp(self._log.setup.now()), self._coordinator.showing.since(inquiry)
            answer = v.HumanAnswered(inquiry, shown.digest, value, note=note, via="process", ms=ms, at=at, by=by)
            given = await self._coordinator.checked(answer, shown)
        return self._outcome(inquiry, await self._coordinator.process(given, offered))

    async def assign(
        self,
        inquiry: str,
        to: str,
        digest: str = "",
        *,
        by: Answerer | None = None,
        offered: OfferedInput | None = None,
    ) -> Settled:
        """Hand an open question over to `to` (store.md D16). Raises JournalError."""
        shown = self._coordinator.showing.get(inquiry)
        if shown is None or shown.kind != "question":
            return self._late(inquiry)
        if digest and digest != shown.digest:
            return "stale", "the question has changed"
        by = by or answerer(self._log.setup, self._log.owner())
        if by is None:
            return "invalid", ALONE
        given = v.HumanAssigned(inquiry, shown.digest, to, by, "process")
        return self._outcome(inquiry, await self._coordinator.process(given, offered))

    def _me(self, shown: PromptRequest) -> Answerer | None:
        """Return this process's user, where other people are asked."""
        if not shown.to and shown.approvals is None:
            return None
        return answerer(self._log.setup, self._log.owner())

    def _outcome(self, inquiry: str, steps: list[s.Step]) -> Settled:
        for step in steps:
            if isinstance(step, s.Refuse):
                if step.not_yours:
                    return "not_yours", step.reason
                return self._late(inquiry, step.by) if step.gone else ("invalid", step.reason)
            if isinstance(step, s.PeopleChanged) and step.open.inquiry == inquiry:
                return "counted", counted(step.open.asked, step.open.votes)
        accepted = any(isinstance(step, s.Settled) and step.inquiry == inquiry for step in steps)
        return ("accepted", "") if accepted else ("stale", GONE)

    def _late(self, inquiry: str, by: str = "") -> Settled:
        who = by or self._coordinator.settled_by(inquiry)
        return ("answered", who) if who else ("stale", GONE)
