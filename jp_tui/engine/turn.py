"""A turn: user message → model → tool calls → model … until the model ends it or somebody stops it.

It decides nothing about questions and draws nothing; it keeps the log valid whatever happens on the way.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.batch import Batch
from jp_tui.engine.coordinator import Coordinator
from jp_tui.engine.history import messages
from jp_tui.engine.log import Log
from jp_tui.engine.reply import Reply
from jp_tui.engine.setup import ModelSetup
from jp_tui.journal.port import JournalError
from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.events import StorageFailed, TurnCompleted, TurnPhase, TurnStarted
from jp_tui.protocol.values import TurnError, UsageTotals

Phase = Literal["waiting_for_model", "streaming", "tools", "retrying"]


class Turn:
    """One turn of one conversation; `run` once. `follow_up` is what the user wants said next (Reply)."""

    def __init__(self, log: Log, model: ModelSetup, text: str) -> None:
        self._log, self._model, self._text = log, model, text
        self._coordinator = Coordinator(log, end_turn=self._end_turn, broken=self._broken)
        self._batch: Batch | None = None
        self._streaming: asyncio.Task[None] | None = None
        self._stopped: Interrupt | None = None
        self._usage = m.Usage()
        self._context = 0
        self._responses = 0
        self._began = log.setup.monotonic()
        self._failure: JournalError | None = None
        self.follow_up = ""

    @property
    def coordinator(self) -> Coordinator:
        """Where answers go."""
        return self._coordinator

    async def run(self) -> None:
        """The whole turn. Never raises but for cancellation: every failure is told and recorded."""
        log = self._log
        scratch = log.setup.scratch / f"{log.id}-{log.turn}"
        try:
            opening: list[ev.Event] = [ev.TurnStart(), ev.ChatRequest(content=self._text)]
            await log.append(opening)
            log.publish(TurnStarted(conversation=log.id, turn=log.turn, model=self._model.id))
            root = _prepare(self._model.provider.sample, scratch, log.setup.workspace)
            outcome, error = await self._cycles(root)
            await self._complete(outcome, error)
        except JournalError as problem:
            self._storage(problem)
        finally:
            await self._coordinator.close()
            if self._model.provider.sample is not None:
                shutil.rmtree(scratch, ignore_errors=True)

    # --- interrupts ---------------------------------------------------------------------------------------

    def interrupt(self, action: Interrupt, text: str) -> None:
        """R211-R214. What does not fit the phase is read as its nearest: the phase may have changed meanwhile."""
        if self._batch is not None:
            match action:
                case "respond" | "reply":
                    self._batch.stop("go_on", text)
                case "restart":
                    self._batch.stop("restart")
                case "stop" | "abort":
                    self._batch.stop("stop")
            return
        if self._stopped is None or action == "abort":
            self._stopped = action
        if action in ("reply", "respond"):
            self.follow_up = text
        if self._streaming is not None:
            self._streaming.cancel()

    def _action(self) -> Interrupt | None:
        return self._stopped

    def _end_turn(self) -> None:
        if self._batch is not None:
            self._batch.stop("end_turn")

    def _broken(self, error: JournalError) -> None:
        self._failure = error
        if self._batch is not None:
            self._batch.stop("end_turn")

    # --- cycles -------------------------------------------------------------------------------------------

    async def _cycles(self, root: Path) -> tuple[ev.Ending, JsonObject | None]:
        while True:
            try:
                reply = await self._response()
            except m.ModelError as error:
                return "failed", _error(error)
            if reply is None:
                return "interrupted", None
            calls, refused = reply.calls(), reply.refused()
            if not calls and not refused:
                return self._ended(reply)
            order = [part.call for part in reply.in_order() if part.kind == "tool"]
            self._say("tools")
            self._batch = Batch(self._log, self._coordinator, root, calls, order, refused)
            try:
                ending = await self._batch.run()
            finally:
                self._batch = None
            if self._failure is not None:
                raise self._failure
            match ending:
                case "deferred":
                    return "deferred", None
                case "stop" | "end_turn":
                    return "interrupted", None
                case "go_on" | "restart":
                    pass

    def _ended(self, reply: Reply) -> tuple[ev.Ending, JsonObject | None]:
        finished = reply.finished
        if finished is not None and finished.reason == "length":
            return "failed", _error(
                m.ModelError(
                    "too_long",
                    "The answer reached the limit of output tokens and stops here.",
                    "Ask it to go on, or raise assistant.model.parameters.max_tokens.",
                )
            )
        if finished is not None and finished.reason == "refused":
            return "failed", _error(
                m.ModelError("refused", "The model declined to answer.", "Put the request differently.")
            )
        return "done", None

    async def _response(self) -> Reply | None:
        """One complete response, tried again while that may help; None when it was interrupted."""
        failures = 0
        while True:
            reply = Reply(self._log, self._responses)
            self._responses += 1
            if self._action():
                return None
            self._say("waiting_for_model")
            try:
                await self._stream(reply)
            except asyncio.CancelledError:
                if not self._action():
                    raise  # the program ends: what came stands in the journal's partials, the next start marks it
                if self._action() == "abort":
                    await reply.drop()
                else:
                    await reply.keep()
                return None
            except m.ModelError as error:
                await reply.keep()
                failures += 1
                wait = self._patience(error, failures, reply.began)
                if wait is None:
                    raise
                if not await self._wait(wait, error):
                    return None
                continue
            await reply.commit(self._model.id)
            if reply.finished is not None:
                self._usage = self._usage + reply.finished.usage
                self._context = reply.finished.usage.input + reply.finished.usage.output
            return reply

    async def _stream(self, reply: Reply) -> None:
        log = self._log
        request = m.ModelRequest(
            model=self._model.name,
            messages=messages(log.events(), self._model.id),
            system=self._model.system,
            tools=tuple(tool.spec for tool in log.setup.tools.values()),
            tool_choice=log.setup.tool_choice,
            max_tokens=self._model.max_tokens,
            temperature=self._model.temperature,
        )
        self._streaming = asyncio.create_task(reply.take(self._model.provider.stream(request), self._first))
        try:
            await self._streaming
        finally:
            self._streaming.cancel()
            self._streaming = None

    def _patience(self, error: m.ModelError, failures: int, began: bool) -> float | None:
        """Seconds until the next try, or None to give up; never after something was already shown."""
        retry = self._model.retry
        if began or not error.transient or failures > retry.most:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= retry.max_backoff_secs else None
        return float(min(retry.base_ms / 1000 * 2.0 ** (failures - 1), retry.max_backoff_secs)) * random.uniform(
            0.75, 1
        )

    async def _wait(self, seconds: float, error: m.ModelError) -> bool:
        """Wait before the next try; false when the user did not want to."""
        self._say("retrying", error.message, seconds)
        self._streaming = asyncio.create_task(asyncio.sleep(seconds))
        try:
            await self._streaming
        except asyncio.CancelledError:
            if not self._action():
                raise
            return False
        finally:
            self._streaming = None
        return True

    def _first(self) -> None:
        self._say("streaming")

    # --- the end ------------------------------------------------------------------------------------------

    def _totals(self) -> UsageTotals:
        usage = self._usage
        return UsageTotals(
            input=usage.input,
            output=usage.output,
            cached=usage.cached,
            reasoning=usage.reasoning,
            context=self._context,
        )

    def _milliseconds(self) -> int:
        return int((self._log.setup.monotonic() - self._began) * 1000)

    async def _complete(self, outcome: ev.Ending, error: JsonObject | None) -> None:
        log, ms = self._log, self._milliseconds()
        discarded = self._stopped == "abort"
        nothing = outcome == "failed" and not any(
            isinstance(event, ev.ChatResponse | ev.ToolCallRequest) for turn, event in log.events() if turn == log.turn
        )
        await self._coordinator.settle()
        end = ev.TurnOutcome(
            outcome=outcome,
            model=self._model.id,
            usage={**self._usage.wire(), "context": self._context},
            ms=ms,
            error=error,
            metadata={"discarded": True} if discarded else {},
        )
        if outcome != "deferred":
            await log.append([end])
        log.publish(
            TurnCompleted(
                conversation=log.id,
                turn=log.turn,
                outcome=outcome,
                usage=self._totals(),
                ms=ms,
                error=turn_error(error),
                returned=self._text if discarded or nothing else "",
            )
        )

    def _storage(self, problem: JournalError) -> None:
        """The log cannot be written: say so, show nothing as done, give the prompt back."""
        log = self._log
        advice = "Make room or fix the folder, then send the message again."
        log.publish(StorageFailed(message=str(problem), advice=advice))
        error = TurnError(kind="storage", message=str(problem), advice=advice)
        log.publish(
            TurnCompleted(
                conversation=log.id,
                turn=log.turn,
                outcome="failed",
                usage=self._totals(),
                ms=self._milliseconds(),
                error=error,
                returned=self._text,
            )
        )

    def _say(self, phase: Phase, detail: str = "", retry_in: float | None = None) -> None:
        log = self._log
        log.publish(TurnPhase(conversation=log.id, turn=log.turn, phase=phase, detail=detail, retry_in=retry_in))


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
    """The folder the tools work in: the workspace, or a fresh scratch copy of a script's sample."""
    if sample is None:
        return workspace
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copytree(sample, scratch)
    return scratch
