"""`jp-tui hook PROGRAM`: decide about one call of another program, and print the decision (intake.md N20-N23).

Whatever goes wrong, nothing is allowed: no decision is printed, and the exit status is 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.hooks.program import BadPayload, Doing, HookProgram, HookVerdict, Payload
from jp_tui.headless.input import Bell
from jp_tui.headless.output import TextOutput
from jp_tui.headless.signals import Ended, Endings
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.outside import (
    Asker,
    AskOutside,
    Claimed,
    OutsideAsked,
    OutsideSettled,
    PermitOutside,
    Waiter,
)

DONE, FAILED, SIGNALLED = 0, 2, 128
SECONDS_TO_CLOSE = 5.0
Fallback = Literal["program", "deny"]
_BY = {"user": "The user said no", "assistant": "A reviewer said no"}


class HookFailed(Exception):
    """No decision; `str(error)` is one line for stderr."""


def refusal(settled: OutsideSettled) -> str:
    """Return the reason of a no, as that program's model reads it; never empty."""
    by, reason = str(settled.responder.get("kind", "")), settled.reason.strip()
    if settled.outcome == "declined":
        return f"The user declined to answer in jp-tui{f': {reason}' if reason else '.'}"
    if settled.outcome == "withdrawn":
        return "The question was withdrawn in jp-tui, so this isn't allowed."
    if by in _BY:
        return f"{_BY[by]} in jp-tui{f': {reason}' if reason else '. No reason was given.'}"
    return reason or "A setting of jp-tui denies this."


def permission(program: HookProgram, payload: Payload, **more: Any) -> PermitOutside:
    """Return the command that asks about a call; `more` are its fields that the payload doesn't say."""
    covers = payload.meaning.covers.items()
    return PermitOutside(
        program=program.name,
        session=payload.session,
        tool=payload.tool,
        arguments=payload.arguments,
        covers={key: list(said) if isinstance(said, tuple) else said for key, said in covers},
        changes=payload.changes,
        paths=payload.paths,
        writes=payload.meaning.writes,
        folder=payload.folder,
        edits=program.edits,
        **more,
    )


def duration(seconds: float) -> str:
    """Return a time limit in words, such as `23 h 59 min`."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{max(seconds, 0):g} s"


class HookRun:
    """One decision on a link. Main thread only. `notes` tells what the program does now (N24)."""

    def __init__(
        self,
        link: Link,
        program: HookProgram,
        payload: Payload,
        asker: Asker,
        waiter: Waiter,
        output: TextOutput,
        *,
        limit: float,
        fallback: Fallback,
        notes: Callable[[Doing], None] = lambda doing: None,
    ) -> None:
        self._link, self._program, self._payload, self._output = link, program, payload, output
        self._asker, self._waiter, self._limit, self._fallback = asker, waiter, limit, fallback
        self._notes = notes
        self._bell = Bell()
        self._open = False

    def run(self) -> int:
        """Decide and print; return the exit status of N22."""
        with Endings(self._bell.rope) as endings:
            self._link.start(self._bell.ring)
            try:
                verdict = self._verdict(endings)
            except Ended as ended:
                return SIGNALLED + ended.number
            except (HookFailed, BadPayload) as problem:
                self._output.tell(f"jp-tui hook: {problem}".splitlines()[0])
                return FAILED
            finally:
                self._withdraw()
                if self._link.close(SECONDS_TO_CLOSE):
                    self._bell.close()
        self._output.line(self._program.render(self._payload.event, self._payload.kind, verdict))
        return DONE

    def _verdict(self, endings: Endings) -> HookVerdict:
        payload = self._payload
        questions = self._program.form(payload.tool, payload.arguments)
        if questions:
            return HookVerdict("open") if payload.kind == "before" else self._answered(questions, endings)
        return self._judged(self._settled(self._permission(), endings))

    def _permission(self) -> PermitOutside:
        payload = self._payload
        return permission(
            self._program,
            payload,
            asker=self._asker,
            waiter=self._waiter,
            named=payload.kind == "before",
            carries=self._program.carries and payload.kind == "request",
            timeout_secs=self._limit,
            claimed=self._claimed,
        )

    @property
    def _claimed(self) -> Claimed:
        said = self._payload
        return Claimed(program=self._program.title, session=said.session[:200], model=said.model[:200])

    def _judged(self, settled: OutsideSettled) -> HookVerdict:
        match settled.outcome:
            case "answered" if settled.answer is True:
                return HookVerdict("allow", settled.reason.strip() or "Allowed in jp-tui.", settled.arguments)
            case "open":
                return HookVerdict("open")
            case "timed_out":
                late = f"Nobody answered in jp-tui within {duration(self._limit)}."
                return HookVerdict("deny" if self._fallback == "deny" else "late", late)
            case "failed":
                raise HookFailed(settled.reason or "the question could not be asked")
            case _:
                return HookVerdict("deny", refusal(settled))

    def _answered(self, questions: tuple[JsonObject, ...], endings: Endings) -> HookVerdict:
        """Ask what a tool asks the user, one question after the other."""
        answers: list[Json] = []
        for question in questions:
            settled = self._settled(
                AskOutside(
                    asker=self._asker,
                    waiter=self._waiter,
                    question=question,
                    timeout_secs=self._limit,
                    claimed=self._claimed,
                ),
                endings,
            )
            if settled.outcome != "answered":
                return self._judged(settled)
            answers.append(settled.answer)
        return HookVerdict(
            "allow", "Answered in jp-tui.", self._program.filled(self._payload.arguments, tuple(answers))
        )

    def _settled(self, command: PermitOutside | AskOutside, endings: Endings) -> OutsideSettled:
        """Send it and wait for its end. Raises HookFailed, and Ended for a signal."""
        self._open = True
        self._link.send(command)
        while True:
            with endings.raised():
                self._bell.wait(None, None)
            for event in self._link.collect():
                match event:
                    case OutsideAsked():
                        self._notes("waits")
                    case OutsideSettled():
                        self._open = False
                        self._notes("works")
                        return event
                    case e.Refused() | e.StorageFailed() | e.EngineFailed():
                        raise HookFailed(event.message)
                    case e.Stopped():
                        raise HookFailed("the engine stopped")
                    case _:
                        pass

    def _withdraw(self) -> None:
        """Withdraw a question that is left open, and wait until that is durable (N6)."""
        if not self._open:
            return
        self._link.send(c.WithdrawOutside())
        while self._link.wait(SECONDS_TO_CLOSE):
            for event in self._link.collect():
                if isinstance(event, OutsideSettled | e.StorageFailed | e.EngineFailed | e.Stopped):
                    return
