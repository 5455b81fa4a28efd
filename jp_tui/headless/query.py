"""`jp-tui query`: one turn on the same engine, for scripts (surface S1-S4).

With `--json` stdout carries only JSON, one object a line; without, only the assistant's text. Everything for people
goes to stderr, questions to the terminal.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.neutral import Sanitizer
from jp_tui.headless.endings import Ended, Endings
from jp_tui.headless.lines import Lines
from jp_tui.headless.output import FAILED, Output, OutputEnded
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Cancelled, PromptRequest, UsageTotals

DONE, USAGE, DEFERRED, SIGNALLED = 0, 2, 3, 128
SIGINT = 2
SECONDS_TO_CLOSE = 5.0
_ENDS = {"done": DONE, "failed": FAILED, "deferred": DEFERRED, "interrupted": DONE}


@dataclass(frozen=True, slots=True)
class Query:
    """What to ask and how to say what comes. `terminal` is None when nobody can be asked."""

    open: c.OpenConversation
    prompt: str
    output: Output
    terminal: Lines | None


class Run:
    """One query over one link; `run` gives the exit status."""

    def __init__(self, link: Link, query: Query) -> None:
        self._link, self._query, self._output = link, query, query.output
        self._conversation = ""
        self._turn = 0
        self._began = self._ended = False
        self._status: int | None = None
        self._waiting: dict[str, PromptRequest] = {}
        self._answering = ""
        self._sanitizer = Sanitizer("conversation")
        self._open_line = False

    def run(self) -> int:
        """To the end of the turn; a signal, or a reader that goes away, ends it in good order."""
        with Endings() as endings:
            self._link.start(lambda: None)
            self._link.send(self._query.open)
            outcome = "failed"
            try:
                status = self._follow(endings)
            except Ended as ended:
                status, outcome = SIGNALLED + ended.number, "interrupted"
                if ended.number == SIGINT and self._conversation:
                    self._link.send(c.InterruptTurn(conversation=self._conversation, action="stop"))
            except OutputEnded as ended:
                if ended.words:
                    self._output.tell(ended.words)
                self._link.close(SECONDS_TO_CLOSE)
                return ended.status
            self._link.close(SECONDS_TO_CLOSE)
            return self._rest(status, outcome)

    def _follow(self, endings: Endings) -> int:
        while self._status is None:
            with endings.heard():
                self._link.wait()
            for event in self._link.collect():
                self._take(event)
            self._ask_next(endings)
        return self._status

    def _rest(self, status: int, outcome: str) -> int:
        """What the engine still said while it ended; with JSON the last line is always how the turn ended (S3)."""
        try:
            for event in self._link.collect():
                if isinstance(event, e.EventAppended | e.TurnCompleted):
                    self._take(event)
            self._end_line()
            if self._began and not self._ended:
                self._end(outcome, UsageTotals())
        except OutputEnded as ended:
            return ended.status
        return status

    def _take(self, event: e.Event) -> None:
        match event:
            case e.ConversationOpened():
                self._opened(event)
            case e.EventAppended(stored=stored) if stored.turn >= self._turn:
                self._began = True
                if self._output.as_json:
                    self._output.line({**stored.event, "seq": stored.seq, "conversation": self._conversation})
                elif stored.event.get("type") == "chat_response":
                    self._write(self._sanitizer.finish())
                    self._end_line()
            case e.PartDelta(kind="message", text=text) if not self._output.as_json:
                self._write(self._sanitizer.feed(text.raw))
            case e.QuestionAsked(prompt=prompt):
                self._waiting[prompt.inquiry] = prompt
            case e.QuestionSettled(inquiry=inquiry):
                self._settled(inquiry)
            case e.AnswerRefused(inquiry=inquiry, reason=reason, gone=gone):
                self._refused(inquiry, reason, gone)
            case e.TurnPhase(phase="retrying", detail=detail, retry_in=wait):
                self._output.tell(f"{detail} Trying again in {wait or 0:.0f} s.")
            case e.TurnCompleted():
                self._completed(event)
            case e.Refused(command=command, message=message, advice=advice):
                self._tell(message, advice)
                self._status = USAGE if command == self._query.open.type else FAILED
            case e.StorageFailed(message=message, advice=advice):
                self._tell(message, advice)
            case e.EngineFailed(message=message):
                self._tell(message)
                self._status = FAILED
            case _:
                pass

    def _opened(self, event: e.ConversationOpened) -> None:
        self._conversation, self._turn = event.conversation, event.turns + 1
        if event.held_by:
            self._tell(f"This conversation is being written by {event.held_by}.", "Wait until it is closed.")
            self._status = FAILED
            return
        self._link.send(c.StartTurn(conversation=event.conversation, text=self._query.prompt))

    # --- questions ----------------------------------------------------------------------------------------

    def _ask_next(self, endings: Endings) -> None:
        """The oldest question that waits, once it is known what became of the one before (R116)."""
        if self._status is not None or self._answering or not self._waiting:
            return
        prompt = next(iter(self._waiting.values()))
        self._end_line()
        response = None
        if (terminal := self._query.terminal) is not None:
            with endings.heard():
                response = terminal.ask(prompt)
        if response is None and "cancel" in prompt.controls:
            response = Cancelled()  # R210: the end of input leaves a tool's question
        if response is None:
            self._status = DEFERRED  # R248: one of the assistant's stays open when its surface vanishes
            return
        self._answering = prompt.inquiry
        self._link.send(
            c.AnswerQuestion(
                conversation=self._conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
            )
        )

    def _settled(self, inquiry: str) -> None:
        self._waiting.pop(inquiry, None)
        if self._answering == inquiry:
            self._answering = ""

    def _refused(self, inquiry: str, reason: str, gone: bool) -> None:
        if gone:
            self._settled(inquiry)
        elif self._answering == inquiry:
            self._answering = ""
            if self._query.terminal is not None:
                self._query.terminal.refused(reason)

    # --- the end ------------------------------------------------------------------------------------------

    def _completed(self, event: e.TurnCompleted) -> None:
        self._end_line()
        if event.error is not None and event.error.kind != "storage":  # that was said when it happened
            said = f"The server said: {event.error.detail.raw}" if event.error.detail else ""
            self._tell(event.error.message, said, event.error.advice)
        self._end(event.outcome, event.usage)
        self._status = _ENDS[event.outcome]

    def _end(self, outcome: str, usage: UsageTotals) -> None:
        self._ended = True
        if self._output.as_json:
            end = {"type": "turn_end", "outcome": outcome, "conversation": self._conversation}
            self._output.line({**end, "usage": usage.model_dump()})

    def _write(self, text: str) -> None:
        if text:
            self._output.write(text)
            self._open_line = not text.endswith("\n")

    def _end_line(self) -> None:
        if not self._output.as_json:
            self._write(self._sanitizer.finish())
        if self._open_line:
            self._output.write("\n")
            self._open_line = False

    def _tell(self, *texts: str) -> None:
        self._end_line()
        for text in texts:
            if text:
                self._output.tell(text)
