"""A turn: user message → model → tool calls → model … until the model ends it or somebody stops it.

It decides nothing about questions and draws nothing; it keeps the log valid whatever happens on the way.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.batch import Batch, Stop
from jp_tui.engine.coordinator import Coordinator
from jp_tui.engine.entries import together, totals
from jp_tui.engine.log import Log
from jp_tui.engine.reply import Reply
from jp_tui.engine.response import Responses, say_phase
from jp_tui.engine.setup import ModelSetup
from jp_tui.engine.wish import Wish
from jp_tui.journal.port import JournalError
from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.events import StorageFailed, TurnCompleted, TurnStarted
from jp_tui.protocol.values import TurnError

Outcome = tuple[ev.Ending, JsonObject | None]
INTERRUPTED: Outcome = ("interrupted", None)
_NEAREST: dict[Interrupt, Stop] = {
    "respond": "respond", "reply": "respond", "restart": "restart", "stop": "stop", "abort": "stop",
}  # fmt: skip
"""What an interrupt means while calls run."""


class Turn:
    """One turn of one conversation; `run` once. `error` is set when the log could not be written."""

    def __init__(self, log: Log, model: ModelSetup, text: str) -> None:
        self._log, self._model, self._text = log, model, text
        self._wish = Wish()
        self._responses = Responses(log, model, self._wish)
        self._coordinator = Coordinator(log, end_turn=self._end_turn, broken=self._broken)
        self._batch: Batch | None = None
        self._usage = m.Usage()
        self._context = 0
        self._began = log.setup.monotonic()
        self._failure: Exception | None = None
        self.error: JsonObject | None = None

    @property
    def coordinator(self) -> Coordinator:
        """Where answers go."""
        return self._coordinator

    @property
    def follow_up(self) -> str:
        """What the user wants said next (Reply)."""
        return "\n\n".join(self._wish.words)

    async def run(self) -> None:
        """The whole turn. Failures of models, tools and the log are told and recorded; what is raised is a bug."""
        log = self._log
        scratch = log.setup.scratch / f"{log.id}-{log.turn}"
        sample = self._model.provider.sample
        try:
            opening: list[ev.Event] = [
                ev.TurnStart(metadata={"model": self._model.id}),
                ev.ChatRequest(content=self._text),
            ]
            await log.append(opening)
            self.announce()
            try:
                outcome = await self._cycles(_prepare(sample, scratch, log.setup.workspace))
            except m.ModelError as error:
                outcome = "failed", _error(error)
            await self._complete(*outcome)
        except JournalError as problem:
            self._storage(problem)
        finally:
            await self._coordinator.close()
            if sample is not None:
                shutil.rmtree(scratch, ignore_errors=True)

    def announce(self) -> None:
        """Say that the turn runs, and, to a face that comes later, what waits for the human."""
        self._log.publish(TurnStarted(conversation=self._log.id, turn=self._log.turn, model=self._model.id))
        self._coordinator.ask_again()

    # --- interrupts ---------------------------------------------------------------------------------------

    def interrupt(self, action: Interrupt, text: str = "") -> None:
        """R211-R214. What does not fit the phase is read as its nearest: the phase may have changed meanwhile."""
        if self._batch is not None:
            if not self._batch.stop(_NEAREST[action], text.strip()) and text.strip():
                self._wish.given_back.append(text)
            return
        match action:
            case "restart":
                return  # nothing runs that could begin again
            case "respond" | "reply":
                self._wish.add("reply", text)
            case "stop" | "abort":
                self._wish.add(action, text)
        self._responses.interrupt()

    def leave(self) -> None:
        """The program ends: stop in good order, but what waits for an answer stays open (R207, R248)."""
        if self._batch is not None:
            self._batch.stop("leave" if self._coordinator.waiting else "stop")
        self._wish.add("stop")
        self._responses.interrupt()

    def _end_turn(self) -> None:
        if self._batch is not None:
            self._batch.stop("end_turn")

    def _broken(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._end_turn()

    # --- cycles -------------------------------------------------------------------------------------------

    async def _cycles(self, root: Path) -> Outcome:
        while True:
            reply = await self._responses.next()
            if reply is None:
                return INTERRUPTED
            if reply.finished is not None:
                self._usage = self._usage + reply.finished.usage
                self._context = reply.finished.usage.input + reply.finished.usage.output
            if not reply.asks:
                return _ended(reply)
            outcome = await self._tools(reply, root)
            if outcome is not None:
                return outcome

    async def _tools(self, reply: Reply, root: Path) -> Outcome | None:
        """Run the calls of a response; None when the model goes on."""
        say_phase(self._log, "tools")
        batch = Batch(self._log, self._coordinator, root, reply.calls(), reply.order(), reply.refused())
        if self._wish.stops():
            batch.stop("stop")  # stopped while the response was being recorded: nothing of it runs
        self._batch = batch
        try:
            ending = await batch.run()
        finally:
            self._batch = None
        if self._failure is not None:
            raise self._failure
        if batch.unheard:
            self._wish.add("reply" if ending == "go_on" else "stop", batch.unheard)
        if ending in ("deferred", "leave"):
            return "deferred", None
        return None if ending == "go_on" else INTERRUPTED

    # --- the end ------------------------------------------------------------------------------------------

    @property
    def given_back(self) -> str:
        """The text that goes back to the composer: a prompt that nothing came of, words that were not sent."""
        return "\n\n".join(self._wish.given_back)

    def _counts(self) -> JsonObject:
        return {**self._usage.wire(), "context": self._context}

    async def _complete(self, outcome: ev.Ending, error: JsonObject | None) -> None:
        log, ms = self._log, self._milliseconds()
        discarded = self._wish.choice == "abort" and not log.spoke
        if discarded or (outcome == "failed" and not log.spoke):
            self._wish.given_back.insert(0, self._text)
        await self._coordinator.settle()
        if outcome != "deferred":
            total = together(log.total, totals(self._counts()))
            metadata: JsonObject = {"total": total.model_dump()}
            if discarded:
                metadata["discarded"] = True
            end = ev.TurnOutcome(
                outcome=outcome, model=self._model.id, usage=self._counts(), ms=ms, error=error, metadata=metadata
            )
            await log.append([end])
            log.total = total
        self._report(outcome, ms, error)

    def _storage(self, problem: JournalError) -> None:
        """The log cannot be written: say so, show nothing as done, give the prompt back if nothing came of it."""
        advice = "Make room or fix the folder, then send the message again."
        self.error = {"kind": "storage", "message": str(problem), "advice": advice}
        self._log.publish(StorageFailed(message=str(problem), advice=advice))
        self._coordinator.withdraw()
        if not self._log.spoke and self._text not in self._wish.given_back:
            self._wish.given_back.insert(0, self._text)
        self._report("failed", self._milliseconds(), self.error)

    def _milliseconds(self) -> int:
        return int((self._log.setup.monotonic() - self._began) * 1000)

    def _report(self, outcome: ev.Ending, ms: int, error: JsonObject | None) -> None:
        log = self._log
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


def _ended(reply: Reply) -> Outcome:
    """How a turn ends with a response that asks for nothing."""
    match reply.finished.reason if reply.finished is not None else "end":
        case "length":
            message = "The answer reached the limit of output tokens and stops here."
            advice = "Ask it to go on, or raise assistant.model.parameters.max_tokens."
            return "failed", _error(m.ModelError("too_long", message, advice))
        case "refused":
            return "failed", _error(
                m.ModelError("refused", "The model declined to answer.", "Put the request differently.")
            )
        case _:
            return "done", None


def _error(error: m.ModelError) -> JsonObject:
    found: JsonObject = {"kind": error.kind, "message": error.message, "advice": error.advice}
    if error.detail:
        found["detail"] = error.detail
    return found


def turn_error(raw: JsonObject | None) -> TurnError | None:
    """The stored error in the protocol's words."""
    if raw is None:
        return None
    return TurnError(
        kind=str(raw.get("kind", "other")),
        message=str(raw.get("message", "")),
        advice=str(raw.get("advice", "")),
        detail=Foreign(str(raw.get("detail", ""))),
    )


def _prepare(sample: Path | None, scratch: Path, workspace: Path) -> Path:
    """The folder the tools work in: the workspace, or a fresh scratch copy of a script's sample. Raises ModelError."""
    if sample is None:
        return workspace
    try:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copytree(sample, scratch)
    except (OSError, shutil.Error) as problem:
        raise m.ModelError(
            "other", f"The sample files could not be copied: {problem}", f"Make room for {scratch.parent}, or fix it."
        ) from problem
    return scratch
