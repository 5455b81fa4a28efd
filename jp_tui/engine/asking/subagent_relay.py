"""Where sub-agents ask (inquiries.md R218, R220): the handler that a child's questions go to, and its parent's side.

The child's machine decides about its questions, the parent's shows them; here is what passes between the two, all on
one loop. It keeps no record and shows nothing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from jp_tui.conversation.events import Event, InquiryResponse
from jp_tui.engine.asking.prompt_builder import PromptContext
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.protocol.values import AgentInfo

Hear = Callable[[v.Input], Awaitable[list[s.Step]]]
Asks = s.AskHuman | s.AskReview


class ParentPort(Protocol):
    """The parent, as a sub-agent's questions see it."""

    def ask(self, ask: Asks, asking: PromptContext, hear: Hear) -> None:
        """Put it to the human; `hear` takes what the human does and says what became of it."""

    def closed(self, asks: str, how: s.How, by: str, response: InquiryResponse | None) -> None:
        """The sub-agent's machine has settled this; what the handler never heard of is nothing to it."""

    def end_turn(self) -> None:
        """The human ends the turn, with all that works for it (R249)."""


class ChildRelay:
    """A sub-agent's side: what it asks at its parent's handler."""

    def __init__(self, handler: ParentPort) -> None:
        self._handler = handler
        self._waiting: dict[str, str] = {}

    def ask(self, ask: Asks, asking: PromptContext, hear: Hear) -> None:
        """As Handler.ask."""
        if ask.open.source == "assistant":
            self._waiting[ask.open.inquiry] = ask.open.call
        self._handler.ask(ask, asking, hear)

    def waits(self, call: str) -> bool:
        """Whether the assistant itself asks there by this call; a tool's call ends as any (R221)."""
        return call in self._waiting.values()

    def tell(self, effects: Sequence[s.Step], facts: Sequence[Event]) -> None:
        """What is settled here waits there no longer; what is on record of it here, is there as well (R222)."""
        for effect in effects:
            if isinstance(effect, s.Settled):
                self._waiting.pop(effect.inquiry, None)
                said = (one for one in facts if isinstance(one, InquiryResponse) and one.id == effect.inquiry)
                self._handler.closed(effect.inquiry, effect.how, effect.by, next(said, None))


class RelayedQuestions:
    """The questions of sub-agents that a turn's machine was told of, by call and the id they have there."""

    def __init__(self, put: Callable[[v.Input], None], refuse: Callable[[str, str, bool, str], None]) -> None:
        self._put, self._refuse = put, refuse
        self._askers: dict[tuple[str, str], tuple[PromptContext, Hear]] = {}
        self._handing: set[asyncio.Task[None]] = set()

    def take(self, wanted: v.RelayWanted, asking: PromptContext, hear: Hear) -> None:
        """A sub-agent asks."""
        self._askers[wanted.call, wanted.ask.inquiry] = asking, hear
        self._put(wanted)

    def closed(self, given: v.RelayClosed) -> None:
        """A sub-agent asks it no more."""
        self._askers.pop((given.call, given.asks), None)
        self._put(given)

    def gone(self, call: str) -> None:
        """The sub-agent of this call is over."""
        for key in [key for key in self._askers if key[0] == call]:
            del self._askers[key]

    def asking(self, opened: v.Waiting) -> PromptContext | None:
        """What is known of the sub-agent's call, when it is a sub-agent's question."""
        if not isinstance(opened, v.OpenQuestion | v.OpenReview) or not opened.asks:
            return None
        found = self._askers.get((opened.call, opened.asks))
        return found[0] if found is not None else None

    def hand(self, step: s.RelayAnswer, told: asyncio.Future[list[s.Step]] | None) -> None:
        """What the human did goes to the sub-agent; `told` gets what became of it, else a refusal is told to the
        faces."""
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
        """Wait for what is being handed on."""
        if self._handing:
            await asyncio.wait(self._handing)


def _here(step: s.Step, relayed: s.RelayAnswer) -> s.Step:
    """A step of the sub-agent's machine under the id that the question has here."""
    if isinstance(step, s.Settled | s.Refuse) and step.inquiry == relayed.open.asks:
        return replace(step, inquiry=relayed.open.inquiry)
    return step


class SubagentRelay:
    """The handler of one sub-agent (`agent`), at the desk of its parent's turn."""

    def __init__(
        self,
        agent: AgentInfo,
        relay: Callable[[v.RelayWanted, PromptContext, Hear], None],
        relayed: Callable[[v.RelayClosed], None],
        end_turn: Callable[[], None],
    ) -> None:
        self._agent, self._relay, self._relayed, self._end_turn = agent, relay, relayed, end_turn

    def ask(self, ask: Asks, asking: PromptContext, hear: Hear) -> None:
        """See Handler."""
        opened, who = ask.open, self._agent
        asked_by = replace(asking, asked_by=who)
        if isinstance(ask, s.AskReview):
            wanted = v.RelayWanted(who.call, who.conversation, opened, asking.tool, back=ask.back)
        else:
            label, why, remember = ask.label, ask.why, ask.remember
            wanted = v.RelayWanted(who.call, who.conversation, opened, asking.tool, label, why, remember=remember)
        self._relay(wanted, asked_by, hear)

    def closed(self, asks: str, how: s.How, by: str, response: InquiryResponse | None) -> None:
        """See Handler."""
        self._relayed(v.RelayClosed(self._agent.call, asks, how, by, response))

    def end_turn(self) -> None:
        """See Handler."""
        self._end_turn()
