"""Relay of sub-agents' questions (inquiries.md R218, R220): the child's handler, and its parent's side.

The child's machine decides about its questions, the parent's shows them; this is the exchange between both, on one
loop. It records and shows nothing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from jp_tui.conversation.events import Event, InquiryAssigned, InquiryResponse, InquiryVote
from jp_tui.engine.asking.prompt_builder import PromptContext
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.protocol.values import AgentInfo

Hear = Callable[[v.Input], Awaitable[list[s.Step]]]
Asks = s.AskHuman | s.AskReview


class SubagentRelay:
    """Handler of one sub-agent (`agent`), in its parent's turn."""

    def __init__(
        self,
        agent: AgentInfo,
        relay: Callable[[v.RelayWanted, PromptContext, Hear], None],
        relayed: Callable[[v.RelayClosed | v.RelayPeople], None],
        end_turn: Callable[[], None],
    ) -> None:
        self._agent, self._relay, self._relayed, self._end_turn = agent, relay, relayed, end_turn

    def ask(self, ask: Asks, asking: PromptContext, hear: Hear) -> None:
        """Show a question to the user; `hear` receives the user's input and returns its result."""
        opened, who = ask.open, self._agent
        asked_by = replace(asking, asked_by=who)
        if isinstance(ask, s.AskReview):
            wanted = v.RelayWanted(who.call, who.conversation, opened, asking.tool, back=ask.back)
        else:
            label, why, remember = ask.label, ask.why, ask.remember
            wanted = v.RelayWanted(who.call, who.conversation, opened, asking.tool, label, why, remember=remember)
        self._relay(wanted, asked_by, hear)

    def closed(self, asks: str, how: s.How, by: str, response: InquiryResponse | None) -> None:
        """The sub-agent's machine closed this item; unknown items are ignored."""
        self._relayed(v.RelayClosed(self._agent.call, asks, how, by, response))

    def people_changed(self, change: s.PeopleChanged, event: InquiryVote | InquiryAssigned | None) -> None:
        """An item was approved by one more person, or handed over; `event` is what the sub-agent's machine recorded."""
        opened = change.open
        self._relayed(v.RelayPeople(self._agent.call, opened.inquiry, opened.asked, opened.votes, event, change.why))

    def end_turn(self) -> None:
        """The user ends the turn with all its sub-agents (R249)."""
        self._end_turn()


class ChildRelay:
    """The sub-agent's side: its questions at its parent's handler."""

    def __init__(self, handler: SubagentRelay) -> None:
        self._handler = handler
        self._waiting: dict[str, str] = {}

    def ask(self, ask: Asks, asking: PromptContext, hear: Hear) -> None:
        """As SubagentRelay.ask."""
        if ask.open.source == "assistant":
            self._waiting[ask.open.inquiry] = ask.open.call
        self._handler.ask(ask, asking, hear)

    def waits(self, call: str) -> bool:
        """True if the assistant's own question of this call waits there; a tool's call ends like any other (R221)."""
        return call in self._waiting.values()

    def tell(self, effects: Sequence[s.Step], facts: Sequence[Event]) -> None:
        """Forward closed items, and what people did, to the parent (R222)."""
        for effect in effects:
            if isinstance(effect, s.Settled):
                self._waiting.pop(effect.inquiry, None)
                said = (one for one in facts if isinstance(one, InquiryResponse) and one.id == effect.inquiry)
                self._handler.closed(effect.inquiry, effect.how, effect.by, next(said, None))
            elif isinstance(effect, s.PeopleChanged):
                votes = (one for one in facts if isinstance(one, InquiryVote | InquiryAssigned))
                told = next((one for one in votes if one.id == effect.open.inquiry), None)
                self._handler.people_changed(effect, told)


class RelayedQuestions:
    """Questions of sub-agents at a turn's machine, by call and their id there."""

    def __init__(self, put: Callable[[v.Input], None], refuse: Callable[[str, str, bool, str], None]) -> None:
        self._put, self._refuse = put, refuse
        self._askers: dict[tuple[str, str], tuple[PromptContext, Hear]] = {}
        self._handing: set[asyncio.Task[None]] = set()

    def relay(self, wanted: v.RelayWanted, asking: PromptContext, hear: Hear) -> None:
        """A sub-agent asks."""
        self._askers[wanted.call, wanted.ask.inquiry] = asking, hear
        self._put(wanted)

    def closed(self, given: v.RelayClosed | v.RelayPeople) -> None:
        """The sub-agent's question closed, or people did something about it."""
        if isinstance(given, v.RelayClosed):
            self._askers.pop((given.call, given.asks), None)
        self._put(given)

    def gone(self, call: str) -> None:
        """The sub-agent of this call ended."""
        for key in [key for key in self._askers if key[0] == call]:
            del self._askers[key]

    def asking(self, opened: v.Waiting) -> PromptContext | None:
        """Return the context of the sub-agent's call, if it is a sub-agent's question."""
        if not isinstance(opened, v.OpenQuestion | v.OpenReview) or not opened.asks:
            return None
        found = self._askers.get((opened.call, opened.asks))
        return found[0] if found is not None else None

    def hand(self, step: s.RelayAnswer, told: asyncio.Future[list[s.Step]] | None) -> None:
        """Send the user's input to the sub-agent; `told` receives the result, otherwise a refusal is reported to the
        front ends."""
        task = asyncio.create_task(self._hand(step, told))
        self._handing.add(task)
        task.add_done_callback(self._handing.discard)

    async def _hand(self, step: s.RelayAnswer, told: asyncio.Future[list[s.Step]] | None) -> None:
        inquiry = step.open.inquiry
        found = self._askers.get((step.open.call, step.open.asks))
        steps = await found[1](step.given) if found is not None else []
        here = [_here(one, step) for one in steps] or [s.Refuse(inquiry, "withdrawn: nobody asks it any more", True)]
        if told is not None:
            if not told.done():
                told.set_result(here)
            return
        for one in here:
            if isinstance(one, s.Refuse):
                self._refuse(inquiry, one.reason, one.gone, one.by)

    async def close(self) -> None:
        """Wait for pending forwards."""
        if self._handing:
            await asyncio.wait(self._handing)


def _here(step: s.Step, relayed: s.RelayAnswer) -> s.Step:
    """Convert a step of the sub-agent's machine to the question's id here."""
    if isinstance(step, s.Settled | s.Refuse) and step.inquiry == relayed.open.asks:
        return replace(step, inquiry=relayed.open.inquiry)
    if isinstance(step, s.PeopleChanged) and step.open.inquiry == relayed.open.asks:
        return replace(step, open=replace(step.open, inquiry=relayed.open.inquiry))
    return step
