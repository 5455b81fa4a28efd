"""`jp-tui query`: one turn on the same engine, for scripts (surface S1-S4).

With `--json` stdout carries only JSON, one object per line; without it only the assistant's text. Messages go to
stderr, questions to the terminal. An unfinished turn that resumes first is part of the run (R207).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jp_tui.conversation.events import Compaction, Unknown
from jp_tui.conversation.neutral import Sanitizer
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless import unanswered
from jp_tui.headless.event_filter import belongs_elsewhere
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.input import Bell
from jp_tui.headless.output import FAILED, OutputEnded, TextOutput
from jp_tui.headless.question_loop import QuestionLoop
from jp_tui.headless.side_output import SideOutput
from jp_tui.headless.signals import Ended, Endings
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import UsageTotals
from jp_tui.view.questions.prompt_line import headline
from jp_tui.view.transcript import compaction
from jp_tui.view.wording import retries
from jp_tui.view.wording.context import context_note
from jp_tui.view.wording.failures import words as failed
from jp_tui.view.wording.server_errors import server_error_lines
from jp_tui.view.wording.store import notice as store_notice

if TYPE_CHECKING:
    from jp_tui.protocol.values import StoredEvent

DONE, USAGE, DEFERRED, SIGNALLED = 0, 2, 3, 128
SIGINT = 2
STOPS = "Ctrl+C"
SECONDS_TO_CLOSE = 5.0
_ENDS = {"done": DONE, "failed": FAILED, "deferred": DEFERRED, "interrupted": DONE}


@dataclass(frozen=True, slots=True)
class Query:
    """The request and the form of the output. Without a `prompt` an unfinished turn is resumed, and nothing is sent
    (Z10). `terminal` is None if no one can be asked. `plain`: tool activity and decisions are also printed as lines, on
    the terminal or else on stderr."""

    open: c.OpenConversation
    prompt: str | None
    output: TextOutput
    terminal: Lines | None
    plain: bool = False


@dataclass(slots=True)
class _Turns:
    """This run's turns: its own from `mine`, and before it an unfinished one that is `resumed`."""

    mine: int = 0
    resumed: int | None = None
    resuming: bool = False
    sent_again: bool = False
    usage: UsageTotals = field(default_factory=UsageTotals)

    def has(self, stored: StoredEvent) -> bool:
        return stored.turn >= self.mine or stored.turn == self.resumed

    def spent(self, usage: UsageTotals) -> None:
        """Return the totals of the run; `context` is the last request's size."""
        self.usage = self.usage.plus(usage)


class QueryRun:
    """One query over one link; `run` returns the exit status."""

    def __init__(self, link: Link, query: Query, clock: Callable[[], float] = time.monotonic) -> None:
        self._link, self._query, self._output = link, query, query.output
        self._conversation = ""
        self._turns = _Turns()
        self._began = self._ended = False
        self._status: int | None = None
        self._clock, self._gone = clock, 0.0
        """`_gone`: when to stop waiting for the turn's end after the terminal closed; 0 while it is open"""
        self._beside = SideOutput(link, query.terminal, self._note, clock, asking=lambda: self._interview.asking)
        self._interview = QuestionLoop(link, query.terminal, take_over=self._beside.reviews.take_over)
        self._openings = unanswered.Openings()
        self._bell = Bell()
        self._engine_ended = False
        self._sanitizer = Sanitizer("conversation")
        self._open_line = False

    def run(self) -> int:
        """Run to the end of the turn; a signal, or a reader that ends, closes it cleanly."""
        try:
            return self._run()
        finally:
            if self._engine_ended:
                self._bell.close()

    def _run(self) -> int:
        with Endings(self._bell.rope) as endings:
            self._link.start(self._bell.ring)
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
                self._close()
                return ended.status
            finally:
                self._interview.leave()
            self._close()
            return self._rest(status, "deferred" if status == DEFERRED else outcome)

    def _close(self) -> None:
        self._engine_ended = self._link.close(SECONDS_TO_CLOSE)

    def _follow(self, endings: Endings) -> int:
        while self._status is None:
            listens = self._interview.listens or (self._beside.listens and not self._interview.asking)
            source = self._query.terminal.source if self._query.terminal and listens and not self._gone else None
            with endings.raised():
                typed = self._bell.wait(source, self._timeout)
            if self._gone and self._clock() >= self._gone:
                return DEFERRED
            for event in self._link.collect():
                self._handle(event)
            if self._tells:
                self._beside.reviews.tick()
            if self._status is None:
                self._ask(typed)
        return self._status

    @property
    def _timeout(self) -> float | None:
        """Return the seconds to wait for an event; None for no limit."""
        if self._gone:
            return max(self._gone - self._clock(), 0.0)
        return self._beside.reviews.timeout if self._tells else None

    def _ask(self, typed: bool) -> None:
        """Process the input, then show the oldest waiting question."""
        if self._gone:
            return
        try:
            if typed and not self._interview.asking:
                self._beside.typed()
            elif typed and not self._interview.read_lines():
                self._defer()
                return
            if self._interview.due and self._query.terminal is not None:
                self._end_line()
                self._interview.present()
        except OSError:  # the terminal closed, which isn't an answer (R248)
            self._defer()

    def _defer(self) -> None:
        """Leave questions open because no one can be asked; running calls may finish (Z9)."""
        self._interview.leave()
        self._gone = self._clock() + SECONDS_TO_CLOSE
        prompts = [one for one in self._interview.waiting if one.kind != "question"]
        self._tell(*(f"Not decided: {headline(one)}" for one in prompts))
        self._link.send(c.ClientGone())

    def _rest(self, status: int, outcome: str) -> int:
        """Process the engine's last events; with JSON the last line is always the end of the turn (S3)."""
        try:
            for event in self._link.collect():
                if isinstance(event, e.EventAppended | e.TurnCompleted | e.UserNotice | e.BackgroundFailed):
                    self._handle(event)
            self._end_line()
            if (self._began or status == DEFERRED) and not self._ended:
                self._end(outcome)
        except OutputEnded as ended:
            return ended.status
        return status

    @property
    def _tells(self) -> bool:
        """True if activity besides the text is printed: at a terminal, or on request."""
        return self._query.plain or self._query.terminal is not None

    def _note(self, text: str) -> None:
        """Print a progress line; below an open question, which continues."""
        terminal = self._query.terminal
        self._end_line()
        if terminal is None:
            self._output.tell(text)
        else:
            with contextlib.suppress(OSError):  # it closed: the next question detects that
                (terminal.show_text if self._interview.asking else terminal.tell)(text)

    def _handle(self, event: e.Event) -> None:
        if belongs_elsewhere(event, self._conversation):
            return
        if self._tells:
            self._beside.print_event(event, everything=self._query.plain)
        else:
            self._beside.declined(event)
        match event:
            case e.ConversationOpened():
                self._opened(event)
            case e.TurnStarted(resumed=True, turn=turn):
                self._turns.resumed, self._turns.resuming = turn, True
                first = "" if self._resumes else " before your message is sent"
                self._tell(f"Resuming the unfinished turn{first}.")
            case e.EventAppended(stored=stored):
                self._openings.saw(stored)
                self._interview.aside.fact(stored)
                if self._turns.has(stored):
                    self._appended(stored)
            case e.PartDelta(kind="message", text=text) if not self._output.as_json:
                self._write(self._sanitizer.feed(text.raw))
            case e.QuestionAsked(prompt=prompt):
                self._interview.asked(prompt)
            case e.PromptChanged():
                self._interview.changed(event)
            case e.QuestionSettled():
                self._interview.remove_settled(event)
            case e.AnswerRefused() if not self._beside.reviews.refused(event):
                self._interview.refused(event)
            case e.AnswerChecked() | e.AsideDelta() | e.AsideEnded():
                self._interview.handle(event)
            case e.TurnPhase(phase="retrying", detail=detail, retry_in=wait):
                self._tell(retries.line(detail, wait or 0.0, STOPS))
            case e.Retrying(id=id_, retry_in=float() | int() as wait) if id_ != self._conversation:
                self._note(retries.who(event) + retries.line(event.detail, wait, STOPS))
            case e.TurnCompleted():
                self._completed(event)
            case e.Refused() if not self._interview.aside.refused(event):
                self._refused(event)
            case e.StorageFailed(message=message, advice=advice) | e.UserNotice(message=message, advice=advice):
                self._tell(message, advice)
            case e.StoreState() if (said := store_notice(event))[0]:
                self._tell(*said)
            case e.BackgroundFailed(message=message, file=file):
                self._tell(" ".join(failed(message, file)))
            case e.EngineFailed(message=message):
                self._tell(message)
                self._status = FAILED
            case _:
                pass

    def _opened(self, event: e.ConversationOpened) -> None:
        self._conversation, self._turns.mine = event.conversation, event.turns + 1
        self._openings.conversation = event.conversation
        if event.held_by:
            self._tell(f"This conversation is open in {event.held_by}.", "Wait until it is closed.")
            self._status = FAILED
            return
        for stored in event.page:
            self._openings.saw(stored)
        if self._resumes and event.new:
            self._tell("No conversation to resume.", "Run `jp-tui conversations list` to list them.")
            self._status = USAGE
        elif self._resumes:
            self._link.send(c.CarryOn(conversation=self._conversation))
        else:
            self._start()

    @property
    def _resumes(self) -> bool:
        """True if this run only resumes an unfinished turn (Z10)."""
        return self._query.prompt is None

    def _start(self) -> None:
        if self._query.prompt is not None:
            self._link.send(c.StartTurn(conversation=self._conversation, text=self._query.prompt, command=True))

    def _appended(self, stored: StoredEvent) -> None:
        self._began = True
        if isinstance(event := read_event(stored.event), Unknown) and (noted := context_note(event)):
            self._note(noted)
        elif isinstance(event, Compaction):
            self._note(compaction.headline(event))
            if words := compaction.failed(event):
                self._note(words)
        if self._output.as_json:
            self._output.line({**stored.event, "seq": stored.seq, "conversation": self._conversation})
        elif stored.event.get("type") == "chat_response":
            self._write(self._sanitizer.finish())
            self._end_line()

    # --- failures ---------------------------------------------------------------------------------------------

    def _refused(self, event: e.Refused) -> None:
        """Handle a refusal: this run's turn waits for a resumed one, or an older question waits without a user."""
        if self._status is not None:
            return
        if event.code == "nothing_to_resume":
            self._tell(event.message)
            self._end("done")
            self._status = DONE
            return
        if event.command == "start_turn" and self._turns.resuming:
            self._turns.sent_again = True
            return
        if event.pending or event.code == "waits_for_user":
            opened = self._openings.among(event.pending)
            self._tell(event.message, *unanswered.waiting_lines(opened), event.advice.partition("\n")[0])
            self._status = DEFERRED
            return
        self._tell(event.message, event.advice)
        usage = event.command == self._query.open.type or event.code == "command_refused"
        self._status = USAGE if usage and not event.storage else FAILED

    # --- the end ------------------------------------------------------------------------------------------

    def _completed(self, event: e.TurnCompleted) -> None:
        self._end_line()
        self._interview.over()
        self._turns.spent(event.usage)
        if event.error is not None and event.error.kind != "storage":  # already printed when it happened
            said = server_error_lines(event.error.detail, self._conversation)
            self._tell(event.error.message, *said, event.error.advice)
        if event.turn == self._turns.resumed and event.outcome != "deferred" and not (self._gone or self._resumes):
            self._turns.resuming = False
            if self._turns.sent_again:
                self._turns.sent_again = False
                self._start()
            return
        if event.outcome == "deferred":
            self._tell(*unanswered.waiting_lines(self._openings.open))
        self._end(event.outcome)
        self._status = DEFERRED if self._gone else _ENDS[event.outcome]

    def _end(self, outcome: str) -> None:
        self._ended = True
        if self._output.as_json:
            end: JsonObject = {"type": "turn_end", "outcome": outcome, "conversation": self._conversation}
            more: JsonObject = {"resumed": self._turns.resumed is not None} if self._resumes else {}
            self._output.line({**end, "usage": self._turns.usage.counts(), **more})

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
