"""`jp-tui --plain`: a conversation in lines, for screen readers and simple terminals (S4, E60).

Each typed line is a prompt, a word that begins with `/`, or an answer to the question shown; from a pipe they are read
in the same order, and its end ends the program. The cursor is never moved. Ctrl+C is a key here.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from jp_tui.headless import unanswered
from jp_tui.headless.composer import COMMANDS, LineComposer, helped
from jp_tui.headless.event_filter import shown_events
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Words, line
from jp_tui.headless.input import Bell
from jp_tui.headless.interrupt import InterruptHandler
from jp_tui.headless.output import FAILED, READER_GONE, OutputEnded, TextOutput
from jp_tui.headless.query import DEFERRED, DONE, SECONDS_TO_CLOSE, SIGINT, SIGNALLED, STOPS, USAGE
from jp_tui.headless.question_loop import QuestionLoop
from jp_tui.headless.review_progress import ReviewProgress, soonest
from jp_tui.headless.signals import Ended, Endings
from jp_tui.headless.slash import SlashCommands
from jp_tui.headless.transcript_printer import Printer
from jp_tui.headless.turn_state import Turns, TypedPrompt, words
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.composer import commands
from jp_tui.view.questions.interrupt_menu import InterruptWishes
from jp_tui.view.wording import retries
from jp_tui.view.wording.context import PLAN_ENDED, PLAN_MODE
from jp_tui.view.wording.failures import words as failed
from jp_tui.view.wording.modes import mode_text
from jp_tui.view.wording.store import notice as store_notice

TURNS_SHOWN = 3


def _standard() -> TextOutput:
    return TextOutput(False, sys.stdout, sys.stderr, wraps=True)


@dataclass(frozen=True, slots=True)
class Plain:
    """Settings of a run: what to open, the first prompt, the source of lines; `interrupts` is R233's action without a
    menu; `can_open` tells, after everything is closed, whether a conversation can be opened again."""

    open: c.OpenConversation
    first_prompt: str
    lines: Lines
    output: TextOutput = field(default_factory=_standard)
    interrupts: InterruptWishes = field(default_factory=InterruptWishes)
    can_open: Callable[[str], bool] = bool


class PlainRun:
    """One conversation over one link; `run` returns the exit status. `clock` counts seconds."""

    def __init__(self, link: Link, plain: Plain, clock: Callable[[], float] = time.monotonic) -> None:
        self._link, self._plain, self._output = link, plain, plain.output
        self._lines, self._source = plain.lines, plain.lines.source
        self._bell = Bell()
        self._engine_ended = False
        self._reviews = ReviewProgress(
            link, self._beside, clock, typed=self._source.typed, asking=lambda: self._interview.asking
        )
        self._interview = QuestionLoop(link, plain.lines, take_over=self._reviews.take_over)
        self._interrupting = InterruptHandler(link, self._interview, plain.lines, self._print, plain.interrupts, clock)
        self._openings = unanswered.Openings()
        self._printer = Printer(self._beside, self._reviews.took)
        self._slash = SlashCommands(link, self._print)
        self._composer = LineComposer()
        self._turns = Turns(link, clock)
        self._commands: tuple[commands.SlashCommand, ...] = COMMANDS
        self._conversation = self._held = ""
        self._marked = self._unsaved = False
        self._clock, self._gone = clock, False
        """`_gone`: the input ended while a question waited, or the terminal closed"""
        self._status: int | None = None

    def run(self) -> int:
        """Run until the user leaves; a signal, or a reader that ends, closes it cleanly. Return 1 if the end couldn't
        be saved."""
        try:
            return self._run() or (FAILED if self._unsaved else DONE)
        finally:
            if self._engine_ended:
                self._bell.close()

    def _run(self) -> int:
        with Endings(self._bell.rope, self.interrupt) as endings:
            self._link.start(self._bell.ring)
            self._link.send(self._plain.open)
            try:
                status = self._follow(endings)
            except Ended as ended:
                status = SIGNALLED + ended.number
            except OutputEnded as ended:
                status = ended.status
                if ended.words:
                    self._output.tell(ended.words)
            except BrokenPipeError:
                status = READER_GONE
            except OSError:  # the terminal closed; a question stays open (R248, Z9)
                status = DEFERRED if self._interview.waiting else DONE
                self._gone = True
            finally:
                self._interview.leave()
            endings.final()
            if self._gone:
                self._finish()
            self._engine_ended = self._link.close(SECONDS_TO_CLOSE)
            self._print_ending()
            return status

    def interrupt(self) -> None:
        """Handle Ctrl+C in a signal handler."""
        self._interrupting.note()
        self._bell.ring()

    def _finish(self) -> None:
        """Let running calls finish after the end of input, without a client (Z9)."""
        end = self._clock() + SECONDS_TO_CLOSE
        self._link.send(c.ClientGone())
        with contextlib.suppress(OutputEnded, OSError):
            while self._turns.running and (left := end - self._clock()) > 0:
                self._bell.wait(None, left)
                for event in shown_events(self._link.collect(), lambda: self._slash.conversation):
                    self._handle(event)

    def _print_ending(self) -> None:
        """Print how to continue later, if there is something to continue."""
        with contextlib.suppress(OutputEnded, OSError):
            for event in self._link.collect():
                if isinstance(event, e.BackgroundFailed):
                    self._handle(event)
            if self._marked:
                self._output.write("\n")
        if self._plain.can_open(self._conversation):
            for text in unanswered.closing_lines(self._conversation, self._openings.open):
                self._output.tell(text)

    # --- the loop -----------------------------------------------------------------------------------------

    def _follow(self, endings: Endings) -> int:
        while self._status is None:
            with endings.raised():
                typed = self._bell.wait(self._source if self._reads else None, soonest(self._turns, self._reviews))
            if self._interrupting.came(self._conversation if self._turns.running else ""):
                self._leave(DONE if self._source.typed else SIGNALLED + SIGINT)
            for event in shown_events(self._link.collect(), lambda: self._slash.conversation):
                self._handle(event)
            self._reviews.tick()
            if typed and self._status is None:
                self._typed()
            if self._status is None:
                self._continue()
        return self._status

    @property
    def _idle(self) -> bool:
        return bool(self._slash.conversation) and not (self._turns.busy or self._slash.waits)

    @property
    def _reads(self) -> bool:
        """True if input is read now: always of a terminal, of a pipe only when a line is expected, since the rest is
        for later."""
        if not self._slash.conversation:
            return False
        wanted = self._interview.listens or self._interrupting.menu or (self._idle and not self._interview.waiting)
        return wanted or (self._source.typed and not self._interview.waiting)

    def _typed(self) -> None:
        """Process the received lines by their purpose."""
        while self._status is None:
            if self._interview.asking:
                if not self._interview.read_lines():
                    self._gone = not self._source.typed or self._source.gone
                    self._leave(DEFERRED if self._gone else DONE)
                return
            if not self._source.typed and not self._reads:
                return
            burst = self._lines.burst()
            if burst is None:
                break
            self._marked = False
            self._interrupting.typed()
            if isinstance(burst, Words):
                self._print(burst.text)
            elif self._interrupting.menu:
                self._interrupting.feed(burst, self._conversation)
            elif len(burst) > 1 or not self._reviews.handle_line(burst[0]):
                self._print_burst(burst)
        if self._status is None and self._source.over:
            self._leave(DONE if self._source.typed else self._turns.last)

    def _continue(self) -> None:
        """Do what is due now: ask a question, send a waiting prompt, or show the sign for input."""
        if self._interrupting.menu:
            return
        if self._interview.due:
            self._marked = False
            self._interview.present()
        elif self._idle and not self._interview.waiting:
            if self._turns.queue:
                self._send(self._turns.queue.pop(0))
            elif not self._marked:
                self._lines.wanted(self._composer.mark)
                self._marked = True

    def _leave(self, status: int) -> None:
        self._status = status

    # --- input ------------------------------------------------------------------------------------------------

    def _print_burst(self, burst: list[str]) -> None:
        found = self._composer.feed(burst)
        if isinstance(found, Words):
            self._print(found.text)
        elif found is not None and found.strip():
            self._entered(found)

    def _entered(self, text: str) -> None:
        match commands.parse(text, self._commands):
            case commands.SendText(text=words):
                self._prompted(TypedPrompt(words))
            case commands.RunAction(command=commands.OwnSlash(name=name), argument=argument):
                self._prompted(TypedPrompt(f"/{name} {argument}".rstrip(), command=True))
            case commands.UnknownCommand(name=name, advice=advice, known=known):
                self._print(advice if known else f"No command /{line(name)}. {advice}")
            case commands.RunAction(command=command, argument=argument):
                self._word(command.name, argument)

    def _prompted(self, prompt: TypedPrompt) -> None:
        if self._turns.running:
            self._turns.queue.append(prompt)
            self._print("Queued: sent when this turn ends. /drop discards it.")
        else:
            self._send(prompt)

    def _word(self, name: str, argument: str) -> None:
        match name:
            case "help":
                for text in helped(self._commands):
                    self._print(text)
            case "quit":
                self._leave(DONE)
            case "why":
                self._print(self._printer.why())
            case "drop":
                self._turns.queue.clear()
                self._print("Forgotten.")
            case _:
                self._slash.run(name, argument)

    def _send(self, prompt: TypedPrompt) -> None:
        if self._held:
            self._print(f"Not sent: this conversation is open in {line(self._held)}. Read-only here.")
            return
        self._turns.send(self._slash.conversation, prompt)

    # --- events of the engine ---------------------------------------------------------------------------------

    def _handle(self, event: e.Event) -> None:
        match event:
            case e.ConversationOpened():
                self._opened(event)
            case e.TurnStarted():
                self._started(event)
            case e.TurnPhase(phase=phase, detail=detail, retry_in=wait):
                self._turned(phase, detail, wait)
            case e.Retrying(id=id_, retry_in=float() | int() as wait) if id_ != self._slash.conversation:
                self._beside(retries.who(event) + retries.line(event.detail, wait, STOPS))
            case e.EventAppended(stored=stored):
                self._unsaved = False
                self._openings.saw(stored)
                self._interview.aside.fact(stored)
                self._reviews.fact(stored)
                if self._held:
                    self._printer.old(stored)
                else:
                    self._printer.fact(event)
            case e.PartDelta() | e.PartDropped() | e.CallChanged():
                self._printer.live(event)
            case e.ReviewStarted():
                self._reviews.started(event)
            case e.QuestionAsked(prompt=prompt):
                self._interview.asked(prompt)
            case e.PromptChanged():
                self._interview.changed(event)
            case e.QuestionSettled():
                self._reviews.remove_settled(event)
                self._interview.remove_settled(event)
            case e.AnswerRefused():
                if not self._reviews.refused(event):
                    self._interview.refused(event)
            case e.AnswerChecked() | e.AsideDelta() | e.AsideEnded():
                self._interview.handle(event)
            case e.TurnCompleted():
                self._completed(event)
            case e.OwnCommandsRead(commands=found):
                own = [
                    commands.own_slash(one.name, one.description, one.hint, trusted=one.trusted)
                    for one in found
                    if one.kind != "prompt"
                ]
                self._commands = commands.with_own(COMMANDS, own)
            case e.ApprovalModeSet():
                self._print(mode_text(event))
            case e.PlanModeSet(on=on):
                self._print(PLAN_MODE if on else PLAN_ENDED)
            case (
                e.LedgerRead()
                | e.RulesRead()
                | e.InquiriesListed()
                | e.ChangesRead()
                | e.ChangesUndone()
                | e.OfferSettled()
                | e.ClaimSettled()
                | e.Compacted()
                | e.ContextRead()
                | e.WaitingListed()
                | e.AgentsRead()
            ):
                self._slash.handle(event)
            case _:
                self._trouble(event)

    def _opened(self, event: e.ConversationOpened) -> None:
        self._slash.conversation = self._openings.conversation = event.conversation
        self._held = event.held_by
        if not event.new:
            self._conversation = event.conversation
        for stored in event.page:
            self._openings.saw(stored)
        self._turns.opened(event)
        self._print(f"{line(event.title) or 'New conversation'} · {line(event.model)} · /help lists commands")
        if event.greeting is not None:
            self._print(event.greeting.raw)
        self._printer.page(event.page, TURNS_SHOWN)
        if event.held_by:
            self._print(f"Open in {line(event.held_by)}: read-only here. /answer answers open questions.")
        elif self._plain.first_prompt:
            self._turns.queue.append(TypedPrompt(self._plain.first_prompt, command=True))

    def _started(self, event: e.TurnStarted) -> None:
        self._conversation = event.conversation
        self._turns.started(event)
        if event.resumed:
            self._print("Resuming the unfinished turn.")

    def _turned(self, phase: str, detail: str, wait: float | None) -> None:
        if phase == "compacting":
            self._print("Compacting the conversation…")
        if phase == "retrying":
            self._print(retries.line(detail, wait or 0.0, STOPS))
        self._interrupting.turned(phase)

    def _completed(self, event: e.TurnCompleted) -> None:
        given_back = self._turns.completed(event)
        self._interrupting.over()
        self._interview.over()
        self._reviews.over()
        self._tell(*words(event, unanswered.waiting_lines(self._openings.open), given_back))

    def _trouble(self, event: e.Event) -> None:
        match event:
            case e.Refused() if self._interview.aside.refused(event):
                pass
            case e.Refused(command=command, message=message, advice=advice, storage=storage):
                self._unsaved = self._unsaved or storage
                self._slash.refused(event)
                if command != "start_turn":
                    self._tell(message, advice)
                if command == "start_turn":
                    self._not_started(event)
                elif command == self._plain.open.type:
                    self._leave(FAILED if storage else USAGE)
            case e.StorageFailed() | e.UserNotice():
                self._unsaved = self._unsaved or isinstance(event, e.StorageFailed)
                self._tell(event.message, event.advice)
            case e.StoreState() if (said := store_notice(event))[0]:
                self._tell(*said)
            case e.BackgroundFailed(message=message, file=file):
                self._tell(" ".join(failed(message, file)))
            case e.EngineFailed(message=message):
                self._tell(message)
                self._leave(FAILED)
            case _:
                pass

    def _not_started(self, event: e.Refused) -> None:
        if not (text := self._turns.refused(event)):
            return
        if event.pending:
            self._tell(*unanswered.waiting_lines(self._openings.among(event.pending)))
        else:
            self._tell(event.message, event.advice)
        self._tell("Not sent:", text)

    def _print(self, text: str) -> None:
        """Print a line; below the input sign, if that is shown."""
        if self._marked:
            self._marked = False
            self._output.write("\n")
        self._output.print(text)

    def _beside(self, text: str) -> None:
        """Print a progress line; below an open question, which continues."""
        (self._lines.show_text if self._interview.asking else self._print)(text)

    def _tell(self, *texts: str) -> None:
        for text in texts:
            if text:
                self._print(text)
