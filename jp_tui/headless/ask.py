"""`jp-tui ask`: a question of a script, and its answer as output and exit status (intake.md N10-N12)."""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.ask_words import SIGNALLED, USAGE, Ask, AskEnding, BadAsk, report
from jp_tui.headless.input import Bell
from jp_tui.headless.lists.request import heed, status_of
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.headless.signals import Ended, Endings
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.outside import Asker, AskOutside, OutsideAsked, OutsideSettled, Waiter
from jp_tui.protocol.people import Approvals

SECONDS_TO_CLOSE = 5.0


class AskRun:
    """One run of `ask` on a link. Main thread only."""

    def __init__(self, link: Link, asking: Ask, asker: Asker, waiter: Waiter, output: TextOutput) -> None:
        self._link, self._asking, self._asker, self._waiter, self._output = link, asking, asker, waiter, output
        self._bell = Bell()
        self._settled: OutsideSettled | None = None
        self._status: int | None = None

    def run(self) -> int:
        """Ask and wait; return the exit status of N12. Raises OutputEnded; the question is withdrawn then."""
        try:
            command = AskOutside(
                asker=self._asker,
                waiter=self._waiter,
                question=self._asking.question(),
                timeout_secs=self._asking.seconds(),
                to=self._asking.addressee(),
            )
        except BadAsk as problem:
            self._output.tell(f"jp-tui: {problem}")
            self._link.start(lambda: None)
            self._link.close(SECONDS_TO_CLOSE)
            return USAGE
        with Endings(self._bell.rope) as endings:
            self._link.start(self._bell.ring)
            self._link.send(command)
            try:
                self._follow(endings)
            except Ended as ended:
                self._status = SIGNALLED + ended.number
            finally:
                self._withdraw()
                if self._link.close(SECONDS_TO_CLOSE):
                    self._bell.close()
        return FAILED if self._status is None else self._status

    def _follow(self, endings: Endings) -> None:
        while self._status is None:
            with endings.raised():
                self._bell.wait(None, None)
            for event in self._link.collect():
                self._handle(event)

    def _handle(self, event: e.Event) -> None:
        match event:
            case OutsideAsked():
                self._asked(event)
            case OutsideSettled():
                self._settled = event
                said = event.answer, event.reason, event.responder, event.ms, event.approved_by
                ending = AskEnding(event.outcome, *said)
                self._status = report(ending, self._asking, self._output)
            case e.Refused() | e.StorageFailed() | e.EngineFailed():
                self._output.tell(f"jp-tui: {event.message}")
                self._status = FAILED if getattr(event, "code", "") == "limit" else status_of(event)
            case _:
                heed(event, self._output)

    def _asked(self, asked: OutsideAsked) -> None:
        where = f"{asked.conversation}/{asked.inquiry}"
        if asked.why:
            self._output.tell(asked.why)
        whom = f" of {asked.to}" if asked.to else ""
        answer = f"jp-tui answer {where}{' -' if asked.secret else ''}"
        self._output.tell(f"Waiting for {_awaited(asked.approvals)}{whom}: {answer}")
        if self._output.as_json:
            line: JsonObject = {"conversation": asked.conversation, "id": asked.inquiry, "digest": asked.digest}
            line |= {"to": asked.to} if asked.to else {}
            line |= {"approvals": asked.approvals.needed} if asked.approvals is not None else {}
            self._output.line({"type": "asked", **line})

    def _withdraw(self) -> None:
        """Withdraw a question that is left open, and wait until that is durable (N6)."""
        if self._settled is not None:
            return
        self._link.send(c.WithdrawOutside())
        while self._link.wait(SECONDS_TO_CLOSE):
            for event in self._link.collect():
                if isinstance(event, OutsideSettled | e.StorageFailed | e.EngineFailed | e.Stopped):
                    return


def _awaited(approvals: Approvals | None) -> str:
    return "an answer" if approvals is None else f"{approvals.needed} approvals"
