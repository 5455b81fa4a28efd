"""A turn: user message → model → tool calls → model … until the model or the user ends it.

Decides nothing about questions; keeps the log valid in every case.
"""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.asking.coordinator import Coordinator, Hooks
from jp_tui.engine.asking.side_questions import SideModel, SideQuestions
from jp_tui.engine.base.call_state import ResumedCalls
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.base.interrupt_request import InterruptRequest
from jp_tui.engine.base.rejected_calls import RejectedCall
from jp_tui.engine.compaction.compactor import Compactor
from jp_tui.engine.context.brief import brief
from jp_tui.engine.file_changes.turn_summary import summed
from jp_tui.engine.model.response_retry import Responses, say_phase
from jp_tui.engine.model.response_stream import StreamedResponse
from jp_tui.engine.record.answer_record import Entry, remembered
from jp_tui.engine.record.costs import counted
from jp_tui.engine.record.errors import stored, turn_error
from jp_tui.engine.record.event_codec import storable, totals
from jp_tui.engine.record.log import SCHEDULE, Log
from jp_tui.engine.recovery.offered_answers import Offers
from jp_tui.engine.recovery.resume_turn import ResumableTurn, earlier
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.turn.call_batch import CallBatch, Stop
from jp_tui.engine.turn.plan import mode_event
from jp_tui.engine.turn.scratch_folder import prepare
from jp_tui.engine.turn.subagent_context import SubagentContext
from jp_tui.engine.turn.subagent_spawner import Runs, SubagentSpawner
from jp_tui.journal.port import JournalError
from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.events import StorageFailed, TurnCompleted, TurnStarted

_WAYS = {"offline": "Wait until the store answers", "newer": "Restart with a newer jp-tui"}
_NEAREST: dict[Interrupt, Stop] = {
    "respond": "respond", "reply": "respond", "restart": "restart", "stop": "stop", "abort": "stop",
}  # fmt: skip
"""Meaning of an interrupt while calls run."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Parts of the conversation that a turn needs: the ledger's callback, what to await before a model request, the
    model for side questions, the runner of sub-agents (None for a sub-agent), and its `child` context while its parent
    waits; `hurry` ends what `ready` waits for."""

    ledger: Callable[[], None]
    ready: Callable[[], Awaitable[None]]
    side_model: SideModel
    agents: Runs | None = None
    child: SubagentContext | None = None
    hurry: Callable[[], None] = lambda: None


Outcome = tuple[ev.Ending, JsonObject | None]
"""End of a turn, and the error in stored form."""
INTERRUPTED: Outcome = ("interrupted", None)


class Turn:
    """One turn of one conversation; call `run` once. With `cut` it is a resumed one (R207). `error` is set if the log
    couldn't be written."""

    def __init__(
        self,
        log: Log,
        model: ModelSetup,
        checks: Checks,
        text: str,
        *,
        around: TurnContext,
        cut: ResumableTurn | None = None,
    ) -> None:
        self._log, self._model, self._checks, self._text = log, model, checks, text
        self._around, self._cut = around, cut
        self._wish = InterruptRequest()
        agent = around.child.agent if around.child is not None else None
        self.room = Compactor(log, model, self._remembered)
        self._responses = Responses(log, model, self._wish, self.room, agent)
        self._asides = SideQuestions(log, around.side_model, self._finished, cut.asides if cut is not None else ())
        hooks = Hooks(
            end_turn=self._end_turn,
            broken=self._broken,
            ledger=around.ledger,
            waits=self._waits,
            settled=self._asides.drop,
        )
        self._child, self._leaves = around.child, False
        handler = around.child.handler if around.child is not None else None
        self._coordinator = Coordinator(log, checks, hooks, model, self._finished, handler)
        self._agents: SubagentSpawner | None = None
        if around.agents is not None:
            before = cut.agents if cut is not None else {}
            self._agents = SubagentSpawner(log, model, self._coordinator, around.agents, before)
        self._offers = Offers(log, self._coordinator)
        self._batch: CallBatch | None = None
        self._usage = cut.usage if cut is not None else m.Usage()
        self._context = cut.context if cut is not None else 0
        self._unread: dict[str, None] = {}
        self._began = log.setup.monotonic()
        self._failure: Exception | None = None
        self.error: JsonObject | None = None
        self.outcome: ev.Ending | None = None

    @property
    def offers(self) -> Offers:
        """Return the receiver of other processes' answers."""
        return self._offers

    @property
    def resumed(self) -> bool:
        """True if it is a resumed turn."""
        return self._cut is not None

    @property
    def coordinator(self) -> Coordinator:
        """Return the receiver of answers."""
        return self._coordinator

    @property
    def follow_up(self) -> str:
        """Return the user's next message (Reply)."""
        return "\n\n".join(self._wish.words)

    async def run(self) -> None:
        """Run the whole turn. Failures of models, tools and the log are reported and recorded; only bugs are raised."""
        log = self._log
        scratch = log.setup.scratch / f"{log.id}-{log.turn}"
        sample = self._model.provider.sample if self._child is None else None
        try:
            await self._open()
            self.announce()
            try:
                await self._around.ready()
                await self._mode()
                if sample is None:
                    await brief(log, begins=self._cut is None)
                there = log.setup.workspace if self._child is None else self._child.root
                root = prepare(sample, scratch, there, keep=self.resumed)
                outcome = await self._cycles(root)
            except m.ModelError as error:
                outcome = "failed", stored(error)
            await self._complete(*outcome)
        except JournalError as problem:
            self._storage(problem)
        finally:
            if (over := getattr(self._model.provider, "turn_over", None)) is not None:  # an agent goes on by itself
                over(log.id)
            await self._offers.close()
            await self._asides.close()
            await self._coordinator.close()
            if sample is not None and self.outcome != "deferred":
                shutil.rmtree(scratch, ignore_errors=True)

    async def _open(self) -> None:
        """Log the user's message; a resumed turn already has it."""
        if self._cut is not None:
            self._log.resume_turn()
            self._log.asked = {call: [*asked] for call, asked in self._cut.questions.items()}
            self._coordinator.restore_refusals(self._cut.refusals)
            for call in self._cut.over:
                self._coordinator.resume(call, runs=False)
            for call in self._cut.resumed:
                if call.call not in self._cut.stays:
                    self._coordinator.resume(call, runs=True)
            return
        self._log.asked = {}
        whose = self._child.metadata() if self._child is not None else {}
        scheduled, self._log.schedule = self._log.schedule, None
        if scheduled is not None:
            whose = {**whose, SCHEDULE: scheduled}
        start = ev.TurnStart(metadata={"model": self._model.id, **whose})
        attached, self._log.attached = self._log.attached, ()
        extra: JsonObject = {"attachments": list(attached)} if attached else {}
        command, self._log.command = self._log.command, None
        content = self._text
        if command is not None and command.typed == self._text:
            content = command.content
            if command.name:
                extra |= {"command": storable(command.name), "arguments": storable(command.arguments)}
        await self._log.append([start, ev.ChatRequest(content=content, metadata=extra)])

    async def _mode(self) -> None:
        """Plan mode that was wanted before anything was said begins (K41)."""
        planning = (await self._log.facts()).planning
        wanted, self._log.wants_plan = self._log.wants_plan, None
        if wanted is not None and wanted != planning:
            await self._log.append([mode_event(self._log, planning=wanted)])

    def announce(self) -> None:
        """Report the running turn, and open prompts, to a new front end."""
        log = self._log
        started = TurnStarted(conversation=log.id, turn=log.turn, model=self._model.id, resumed=self.resumed)
        log.publish(started)
        self._responses.report_again()
        self._coordinator.ask_again()

    # --- interrupts ---------------------------------------------------------------------------------------

    def interrupt(self, action: Interrupt, text: str = "", *, after_calls: bool = False) -> None:
        """R211-R214. An action that doesn't fit the phase is converted to the nearest one: the phase may have changed
        meanwhile."""
        if after_calls and self._batch is not None:
            self._wish.add("stop")
            return
        if text.strip():
            self._coordinator.clear_rejections()
        if self._batch is not None:
            say_phase(self._log, "tools", "stopping" if action != "restart" else "starting again")
            if not self._batch.stop(_NEAREST[action], text.strip()) and text.strip():
                self._wish.given_back.append(text)
            return
        match action:
            case "restart":
                return  # nothing runs that could restart
            case "respond" | "reply":
                self._wish.add("reply", text)
            case "stop" | "abort":
                self._wish.add(action, text)
        self._hurry()

    def _hurry(self) -> None:
        """Interrupt the model, and the wait for servers before it is asked."""
        self._around.hurry()
        self._responses.interrupt()

    def client_gone(self) -> None:
        """The client left: what waits for the user stays open if the turn is resumable (Z9). Running calls continue,
        and the model isn't asked."""
        self._leaves = True
        self._coordinator.client_gone()
        self._wish.add("stop" if self._child is None else "abort")
        if self._batch is None:
            self._hurry()

    def leave(self, *, cut: bool = False) -> None:
        """Stop cleanly because the program ends; what waits for an answer or a sub-agent stays open (R207, R248), as
        does every sub-agent's turn, which its parent resumes. `cut`: so do running calls that asked something, as after
        a kill (store.md D22)."""
        self._leaves, works = True, self._agents is not None and self._agents.running
        if self._batch is not None:
            stays = self._child is not None or works or self._coordinator.can_suspend_turn
            stays = stays or (cut and self._batch.has_asked)
            self._batch.stop("leave" if stays else "gone")
        self._wish.add("stop" if self._child is None else "abort")
        self._hurry()

    def abort(self) -> None:
        """Stop because no one awaits this turn's result any more."""
        if self._batch is not None:
            self._batch.stop("end_turn")
        self._wish.add("stop")
        self._hurry()

    def _remembered(self) -> list[Entry]:
        """Return what the turn remembers, for the record of a compaction (context.md K25)."""
        ledger = self._coordinator.ledger
        held = (*ledger.answers.values(), *ledger.permissions.values())
        return [remembered(one.tool, one.question, one.text, one.value) for one in held]

    def _waits(self) -> None:
        self._offers.look()

    def _end_turn(self) -> None:
        """End it by the user's choice, with the turn it is part of (R249)."""
        if self._child is not None:
            self._child.handler.end_turn()
        self._stop()

    def _stop(self) -> None:
        if self._batch is not None:
            self._batch.stop("end_turn")

    def _broken(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._stop()

    def _finished(self, call: str) -> tuple[str, bool] | None:
        """Return the result of a finished call of the cycle, logged or not."""
        return self._batch.finished(call) if self._batch is not None else None

    @property
    def asides(self) -> SideQuestions:
        """Return the side questions about what waits for the user."""
        return self._asides

    # --- cycles -------------------------------------------------------------------------------------------

    async def _cycles(self, root: Path) -> Outcome:
        outcome = await self._rerun_interrupted(self._cut, root) if self._cut is not None else None
        first = outcome is None
        while outcome is None:
            if not first and self._log.setup.servers is not None:
                await self._around.ready()  # servers may list other tools by now
            first = False
            reply = await self._responses.next()
            if reply is None:
                return ("deferred", None) if self._leaves and self._child is not None else INTERRUPTED
            if reply.finished is not None:
                self._usage = self._usage + reply.finished.usage
                self._unread.update(dict.fromkeys(reply.finished.unread))
                self._context = reply.finished.usage.input + reply.finished.usage.output
            if not reply.asks:
                return _ended(reply)
            calls, order, refused = reply.calls(), reply.order(), reply.refused()
            outcome = await self._tools(self._calls(root, calls, order, refused))
        return outcome

    def _calls(
        self,
        root: Path,
        calls: Sequence[m.Call],
        order: Sequence[str],
        refused: Sequence[RejectedCall],
        known: ResumedCalls | None = None,
    ) -> CallBatch:
        log, checks = self._log, self._checks
        return CallBatch(log, self._coordinator, checks, root, calls, order, refused, known, self._agents, self._model)

    async def _rerun_interrupted(self, cut: ResumableTurn, root: Path) -> Outcome | None:
        """Run interrupted calls again; those with a result don't (R237)."""
        return await self._tools(self._calls(root, cut.calls, cut.order, cut.refused, earlier(cut)))

    async def _tools(self, batch: CallBatch) -> Outcome | None:
        """Run the calls of a response; return None if the model continues."""
        say_phase(self._log, "tools")
        if self._wish.stops():
            batch.stop("gone" if self._leaves else "stop")  # stopped while the response was recorded: nothing runs
        self._batch = batch
        try:
            ending = await batch.run()
        finally:
            self._batch = None
            self._usage = self._usage + batch.spent
        if self._failure is not None:
            raise self._failure
        if batch.unheard:
            self._wish.add("reply" if ending == "go_on" else "stop", batch.unheard)
        if ending in ("deferred", "leave"):
            return "deferred", None
        if ending != "go_on":
            return INTERRUPTED
        if due := await self._asides.due():
            await self._log.append(due)
        return None

    # --- the end ------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Return the user's message."""
        return self._text

    @property
    def given_back(self) -> str:
        """Return the text for the composer: a prompt without any effect, or unsent messages."""
        return "\n\n".join(self._wish.given_back)

    def _counts(self) -> JsonObject:
        spent = {**counted(self._usage, self._model.prices), **(self._usage + self.room.usage).wire()}
        costs = [one for one in (spent.get("cost_usd"), self.room.cost) if isinstance(one, float)]
        return {**spent, **({"cost_usd": round(sum(costs), 9)} if costs else {}), "context": self._context}

    async def _complete(self, outcome: ev.Ending, error: JsonObject | None) -> None:
        log, ms = self._log, self._milliseconds()
        discarded = self._wish.choice == "abort" and not log.has_output and outcome != "deferred"
        if discarded or (outcome == "failed" and not log.has_output):
            self._wish.given_back.insert(0, self._text)
        await self._coordinator.wait_processed()
        await self._asides.wait_stopped()
        if self._agents is not None and outcome != "deferred":
            await self._agents.end_all()
        if outcome != "deferred":
            total = log.total.plus(totals(self._counts()))
            metadata: JsonObject = {"total": total.counts(), **await summed(log)}
            if discarded:
                metadata["discarded"] = True
            if self._unread:
                metadata["unread"] = list(self._unread)
            end = ev.TurnOutcome(
                outcome=outcome, model=self._model.id, usage=self._counts(), ms=ms, error=error, metadata=metadata
            )
            await log.append([end])
            log.total = total
        self._report(outcome, ms, error)

    def _storage(self, problem: JournalError) -> None:
        """Report that the log can't be written, show nothing as done, and return the prompt if it had no effect."""
        advice = f"{_WAYS.get(problem.kind, 'Free disk space or fix the folder')}, then send the message again."
        self.error = {"kind": "storage", "message": str(problem), "advice": advice}
        self._log.publish(StorageFailed(message=str(problem), advice=advice))
        self._coordinator.withdraw()
        if not self._log.has_output and self._text not in self._wish.given_back:
            self._wish.given_back.insert(0, self._text)
        self._report("failed", self._milliseconds(), self.error)

    def _milliseconds(self) -> int:
        return int((self._log.setup.monotonic() - self._began) * 1000)

    def _report(self, outcome: ev.Ending, ms: int, error: JsonObject | None) -> None:
        log, self.outcome = self._log, outcome
        log.publish(
            TurnCompleted(
                conversation=log.id,
                turn=log.turn,
                outcome=outcome,
                usage=totals(self._counts()),
                ms=ms,
                error=turn_error(error),
                returned=self.given_back,
            )
        )


def _ended(reply: StreamedResponse) -> Outcome:
    """Return the outcome of a turn with this last response."""
    match reply.finished.reason if reply.finished is not None else "end":
        case "length" | "window":
            message = "The answer stops here because it reached the limit of output tokens."
            advice = "Ask the model to continue, or raise assistant.model.parameters.max_tokens."
            return "failed", stored(m.ModelError("too_long", message, advice))
        case "refused":
            return "failed", stored(m.ModelError("refused", "The model declined to answer.", "Rephrase the request."))
        case _:
            return "done", None
