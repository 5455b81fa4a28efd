"""The dull shell around `inquiry.decide`: one input after the other, facts to the log first, then the effects.

It decides nothing. It runs in a task of its own, so that cancelling a tool call never cancels the recording of
the event that closes its question (inquiries.md section 17).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.events import Event as Stored
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.engine.log import Log
from jp_tui.engine.pending import Pending, Verdict
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.protocol.events import AnswerRefused, CallChanged, QuestionAsked, QuestionSettled
from jp_tui.protocol.values import Control, PromptRequest

How = Literal["answered", "redacted", "cancelled", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Asking:
    """What the coordinator needs to know of a call to present its questions."""

    tool: str
    subject: str
    hidden: bool


class Coordinator:
    """The questions of one turn. `end_turn` is called when somebody ends it, `broken` when it cannot go on: with a
    JournalError when the log cannot be written, with anything else when there is a bug."""

    def __init__(self, log: Log, *, end_turn: Callable[[], None], broken: Callable[[Exception], None]) -> None:
        self._log, self._end_turn, self._broken = log, end_turn, broken
        self._state = v.State(client=log.setup.client, most=log.setup.max_attempts)
        self._inputs: asyncio.Queue[v.Input] = asyncio.Queue()
        self._pending = Pending()
        self._calls: dict[str, Asking] = {}
        self._heard_of: set[str] = set()
        self._asked_at: dict[str, float] = {}
        self._shown: dict[str, PromptRequest] = {}
        self._closed = False
        self._worker = asyncio.create_task(self._work())

    def begin(self, call: str, asking: Asking) -> None:
        """A call starts to run, or runs again from the start. The machine hears of it with its first question."""
        self._calls[call] = asking
        self._heard_of.discard(call)

    def raise_question(self, raised: v.QuestionRaised) -> asyncio.Future[Verdict]:
        """A tool needs to know something; how to go on comes back."""
        if raised.call not in self._heard_of:
            self._heard_of.add(raised.call)
            self._inputs.put_nowait(v.CallStarted(raised.call, self._calls[raised.call].tool))
        verdict = self._pending.wait(raised.call)
        self._inputs.put_nowait(raised)
        return verdict

    def gone(self, call: str) -> None:
        """A call is over; what it still asks is withdrawn."""
        if call in self._heard_of:
            self._inputs.put_nowait(v.CallGone(call))

    def human(self, inquiry: str, given: v.Input) -> None:
        """What a face sent about a question."""
        if self._closed:
            self._refuse(inquiry, "the turn is over", True)
        else:
            self._inputs.put_nowait(given)

    def asks(self, inquiry: str) -> bool:
        """Whether this question waits for the human."""
        return inquiry in self._shown

    def ask_again(self) -> None:
        """Put what waits to a face that was not there when it was asked."""
        for prompt in self._shown.values():
            self._log.publish(QuestionAsked(conversation=self._log.id, prompt=prompt))

    def answered_after(self, inquiry: str) -> int | None:
        """Milliseconds since the question was put to the human."""
        began = self._asked_at.get(inquiry)
        return None if began is None else int((self._log.setup.monotonic() - began) * 1000)

    @property
    def waiting(self) -> int:
        """How many questions wait for the human."""
        return len(self._state.waiting)

    async def settle(self) -> None:
        """Wait until every input so far is dealt with."""
        await self._inputs.join()

    def withdraw(self) -> None:
        """The log cannot be written: nothing that waits can be answered now. The record of it stays open."""
        for inquiry in list(self._shown):
            self._settled(inquiry, "withdrawn", "")

    async def close(self) -> None:
        """Deal with what came, then stop."""
        await self.settle()
        self._closed = True
        self._worker.cancel()

    async def _work(self) -> None:
        while True:
            given = await self._inputs.get()
            try:
                await self._take(given)
            except Exception as error:  # whoever waits for an answer must not wait for ever
                self._broken(error)
            finally:
                self._inputs.task_done()

    async def _take(self, given: v.Input) -> None:
        state, steps = decide(self._state, given)
        facts: list[Stored] = []
        effects: list[s.Step] = []
        for step in steps:
            if isinstance(step, s.Record):
                facts.append(step.event)
            else:
                effects.append(step)
        if facts:
            await self._log.append(facts)
        self._state = state
        self._perform(effects)

    def _perform(self, effects: Sequence[s.Step]) -> None:
        for effect in effects:
            match effect:
                case s.AskHuman():
                    self._ask(effect)
                case s.RunAgain() | s.Complete() | s.Defer():
                    self._pending.settle(effect)
                case s.Settled(inquiry, how, by):
                    self._settled(inquiry, how, by)
                case s.Refuse(inquiry, reason, gone):
                    self._refuse(inquiry, reason, gone)
                case s.EndTurn():
                    self._end_turn()
                case s.Record():
                    raise AssertionError("facts are recorded before effects")

    def _settled(self, inquiry: str, how: How, by: str) -> None:
        log = self._log
        self._asked_at.pop(inquiry, None)
        if self._shown.pop(inquiry, None) is not None:
            log.setup.journal.clear_draft(log.id, inquiry)  # ids come again in another turn (R29), drafts must not
        log.publish(QuestionSettled(conversation=log.id, inquiry=inquiry, how=how, by=by))

    def _refuse(self, inquiry: str, reason: str, gone: bool) -> None:
        id_ = self._log.id
        self._log.publish(AnswerRefused(conversation=id_, inquiry=inquiry, reason=reason, gone=gone))

    def _ask(self, ask: s.AskHuman) -> None:
        log, opened = self._log, ask.open
        call = self._calls[opened.call]
        self._asked_at[opened.inquiry] = log.setup.monotonic()
        log.publish(
            CallChanged(
                conversation=log.id,
                turn=log.turn,
                call=opened.call,
                tool=call.tool,
                state="awaiting_input",
                title=Foreign(call.subject),
                hidden=call.hidden,
            )
        )
        prompt = self._shown[opened.inquiry] = self._prompt(ask, call)
        log.publish(QuestionAsked(conversation=log.id, prompt=prompt))

    def _prompt(self, ask: s.AskHuman, call: Asking) -> PromptRequest:
        opened = ask.open
        controls: set[Control] = {"reply", "end_turn"}
        if opened.source != "assistant":
            controls.add("cancel")
        covers = ""
        if ask.remember:
            controls.add("remember")
            covers = f"until this turn ends, every `{opened.question.id}` of {call.tool}, without showing it"
        return PromptRequest(
            conversation=self._log.id,
            inquiry=opened.inquiry,
            call=opened.call,
            tool=call.tool,
            turn=self._log.turn,
            digest=opened.digest,
            source=opened.source,
            label=ask.label,
            question=opened.question,
            subject=Foreign(call.subject),
            human_only=opened.human_only,
            controls=frozenset(controls),
            remember_covers=covers,
            why=ask.why,
            asked_at=timestamp(self._log.setup.now()),
        )
