"""Show the questions that wait: one sheet at the bottom, folded or open, the others queued (E1, E2, E12, E13).

`view/questions/arming.py` and `queue.py` decide what is shown. The dock sends no command: it posts one message for
each thing that happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Answered, Delivered, EndTurn, Permitted, PromptRequest, Response
from jp_tui.ui.keys.bindings import bound
from jp_tui.ui.sheets import messages, texts
from jp_tui.ui.sheets.dock.deadlines import Deadlines
from jp_tui.ui.sheets.dock.folded_sheet import FoldedSheet
from jp_tui.ui.sheets.dock.form_transition import FormTransition, same_call
from jp_tui.ui.sheets.dock.held_answers import HeldAnswers
from jp_tui.ui.sheets.dock.input_gate import DockInputGate
from jp_tui.ui.sheets.dock.question_drafts import QuestionDrafts
from jp_tui.ui.sheets.dock.sheet_host import SheetHost
from jp_tui.ui.sheets.dock.side_replies import SideReplies
from jp_tui.ui.sheets.key_line import KeyLine
from jp_tui.ui.sheets.messages import EditorRequested, LayoutChanged, SheetOutcome
from jp_tui.ui.text import blank, ours
from jp_tui.view.questions import people
from jp_tui.view.questions.arming import Arrival
from jp_tui.view.questions.drafts import restored
from jp_tui.view.questions.offered_prompt import is_outside
from jp_tui.view.questions.queue import NONE, Key, Queue, key_of
from jp_tui.view.wording import questions as w
from jp_tui.view.wording import store

if TYPE_CHECKING:  # a sheet is loaded with the first question
    from jp_tui.ui.sheets.sheet import Sheet

FOR_ALL = (Answered, Permitted, Delivered)
"""Responses that may go to several identical questions. Cancelling, replying or ending the turn applies to one."""


def _no_editor(text: str) -> str:
    raise OSError("unknown")


class SheetDock(Vertical):
    """The questions that wait for the user."""

    DEFAULT_CSS = """
    SheetDock { height: auto; width: 1fr; display: none;
        &.-waiting, &.-notice { display: block; }
        &.-maximized { height: 100%; }
        & > #notice { height: auto; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
        & > #notice:ansi, & > #alike:ansi { background: ansi_default; }
        &.-notice > #notice { display: block; }
        & > #alike { height: 1; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
    }
    """
    BINDINGS: ClassVar = [
        Binding("ctrl+o", "fold", "Fold", id="dock.fold", tooltip="Fold the question to one line, or open it"),
        Binding("ctrl+t", "next", "Next question", id="dock.next", tooltip="Show the next waiting question"),
        Binding(
            "ctrl+f", "full", "Full screen", id="dock.full", tooltip="Show the question in full screen, or go back"
        ),
    ]
    ALLOW_MAXIMIZE = True

    @dataclass
    class Settled(Message):
        """The user's answer to one question, to be sent to the engine as it is."""

        conversation: str
        inquiry: str
        digest: str
        response: Response = field(repr=False)  # it may hold a secret
        also: tuple[Key, ...] = ()
        """Other questions of the same digest that the user gives this answer to (E51)."""

    @dataclass
    class Overheard(Message):
        """Typed while the sheet ignored keys, for the composer's draft; `key` names an editing key without text."""

        text: str
        key: str = ""

    @dataclass
    class CountChanged(Message):
        """The number of open questions changed."""

        waiting: int

    @dataclass
    class Opened(Message):
        """A sheet is open: the composer makes room."""

    @dataclass
    class Folded(Message):
        """The sheet is one line again, and the composer is back."""

    @dataclass
    class Emptied(Message):
        """No question waits."""

    @dataclass
    class Shown(Message):
        """A question is open and accepts keys."""

        key: Key
        digest: str

    @dataclass
    class Turned(Message):
        """Another question is open, or none (None): what else shows it makes room (Z14)."""

        prompt: PromptRequest | None

    @dataclass
    class DraftChanged(Message):
        """Unsent text of a question, opaque; empty text forgets it."""

        conversation: str
        inquiry: str
        text: str

    @dataclass
    class CheckWanted(Message):
        """Ask whether a value fits the question's schema; `checked` takes the result with the same revision."""

        conversation: str
        inquiry: str
        revision: int
        value: Json = field(repr=False)

    @dataclass
    class TakenBack(Message):
        """The user takes back an answer that wasn't sent."""

        conversation: str
        inquiry: str

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        wall: Callable[[], float] = time,
        editor: Callable[[str], str] = _no_editor,
        id: str | None = None,
    ) -> None:
        """`clock` returns monotonic seconds, `wall` those since 1970; `editor` takes a text and returns the edited one,
        or raises OSError."""
        super().__init__(id=id)
        self._clock, self._wall, self._editor = clock, wall, editor
        self.arrival, self.queue = Arrival(), Queue()
        self._timer: Timer | None = None
        self._deadlines = Deadlines()
        self._unsent: set[Key] = set()  # answers that wait for the store (D12)
        self._alike: tuple[Key, ...] = ()  # identical questions that get the answer to the one in sight
        self._along: set[Key] = set()  # questions closed together with another one, which need no notice
        self._holding = self._stale = self._reopens = False
        self._turned: PromptRequest | None = None  # as of the last `Turned`
        self.gate = DockInputGate(self, clock)
        self.held = HeldAnswers(self.set_timer, self.post_message)
        self.host = SheetHost(self, self._make)
        self.drafts = QuestionDrafts(self._store_draft)
        self.transition = FormTransition(
            self.drafts, sheet_of=self.host.sheet_of, later=self.set_timer, over=lambda key: self._drop(key, blank())
        )
        self.replies = SideReplies(self.host)

    def compose(self) -> ComposeResult:
        yield from self.host.widgets()

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self.gate.window_focused, init=False)
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._refit())

    @property
    def open(self) -> bool:
        """True if a sheet is open and has the keys."""
        return self.arrival.open

    @property
    def full(self) -> bool:
        """True if the sheet has the whole screen, so that there is no conversation to page in."""
        return self.screen.maximized is self

    @property
    def alike_waiting(self) -> int:
        """The number of identical questions that the answer to the open one goes to; 0 while none is open."""
        return sum(self.queue.get(key) is not None for key in self._alike) if self.open else 0

    def shown(self) -> Sheet | None:
        """Return the sheet that is open."""
        return self.host.sheet_of(self.queue.current) if self.open else None

    def _make(self, prompt: PromptRequest) -> Sheet:
        """Make the sheet of a question."""
        from jp_tui.ui.sheets.registry import sheet_for  # the first question pays for its widgets, not the start

        sheet = sheet_for(prompt, self.gate, self.drafts.of(key_of(prompt)))
        if notice := self.transition.notice_for(prompt):
            sheet.call_later(sheet.show_notice, notice)
        self.replies.made(sheet)
        return sheet

    # Reports of the app

    def ask(self, prompt: PromptRequest) -> None:
        """Add a question. A visible one stays; the same inquiry asked again takes its old place (E12)."""
        import jp_tui.ui.sheets.registry  # noqa: F401  # here, not in the step that opens it after a silence

        key = key_of(prompt)
        replaced = self.transition.replaced_by(prompt, alone=len(self.queue) == 1)
        before = self.host.sheet_of(replaced)
        follows = before is not None and self.open and same_call(before.prompt, prompt)
        if replaced != NONE:
            self._remove(replaced)
        if shown := self.host.sheet_of(key):
            self.drafts.keep(key, shown.draft)
            self.host.forget(key)
        self._enter(prompt)
        if replaced != NONE and self.open:
            self.queue = self.queue.with_current(key)
        now = self._clock()
        if follows:
            self._move(self.arrival.followed(now))
        elif (replaced != NONE and self.open) or (shown and self.arrival.open and key == self.queue.current):
            self._move(self.arrival.opened(now))
        elif self.queue.prompts:  # else it is snoozed
            self._move(self._arrived(prompt, now))
        if not self._holding:
            self._counted()

    def _arrived(self, prompt: PromptRequest, now: float) -> Arrival:
        """Return the arrival of a question. One of another program stays folded unless a setting opens it (intake.md
        N6), and never keeps one of ours folded."""
        if is_outside(prompt) and not prompt.unfolds:
            return self.arrival.stayed(now)
        others = [one for one in self.queue.prompts if one is not prompt]
        if self.arrival.phase == "held" and all(is_outside(one) for one in others):
            self.queue = self.queue.with_current(key_of(prompt))
            return self.arrival.emptied(now).arrived(now)
        return self.arrival.arrived(now)

    def _counted(self) -> None:
        self.post_message(self.CountChanged(len(self.queue)))

    def _enter(self, prompt: PromptRequest) -> None:
        self.queue = self.queue.added(prompt)
        self.drafts.asked(prompt)
        self._deadlines = self._deadlines.added(prompt, self._clock(), self._wall())

    def remove_settled(self, key: Key, by: str = "") -> None:
        """Drop a question that no longer waits, with a notice if it was open and not answered here. `by` answered."""
        sheet = self.host.sheet_of(key)
        if sheet is None or not sheet.done or not self.open or not self.transition.lingers(key, sheet):
            self._drop(key, self._gone(key, by))

    def handed_over(self, key: Key) -> None:
        """Drop a question that another person has now: the user knows it."""
        self._along.add(key)
        self._drop(key, blank())

    def _store_draft(self, key: Key, text: str) -> None:
        self.post_message(self.DraftChanged(*key, text))

    def refused(self, key: Key, reason: str, gone: bool, by: str = "") -> None:
        """React to a refused answer: the sheet accepts keys again, its text kept, unless the question is `gone`; `by`
        answered it first."""
        sheet = self.host.sheet_of(key)
        self._unsent.discard(key)
        if sheet is not None:
            sheet.reopen()
        if gone:
            notice = ours(w.GONE, who=self._who(key), reason=Foreign(reason))
            self._drop(key, self._gone(key, by) if by else notice)
        elif sheet is not None:
            if sheet.mode == "menu":  # the answer was chosen there: the notice needs the question beside it
                sheet.turn("answer")
            sheet.show_notice(ours(w.REFUSED, reason=Foreign(reason)))
            self._accept_keys(key)

    def people_changed(self, prompt: PromptRequest) -> None:
        """Show which people a question asks now (store.md D15, D16). Where the user's own part in it changes, its sheet
        is another one, and takes keys like one that came now (E10)."""
        key = key_of(prompt)
        if self.queue.get(key) is None:
            return
        sheet = self.host.sheet_of(key)
        counted = sheet is not None and sheet.done and sheet.prompt.approvals != prompt.approvals
        if sheet is not None and (counted or sheet.prompt.yours != prompt.yours):
            self.ask(prompt)
            return
        self.queue = self.queue.added(prompt)
        if sheet is not None:
            sheet.people_changed(prompt)

    def answer_held(self, key: Key, held: bool) -> None:
        """Show that the answer to a question waits for the store, or that it was taken back (store.md D12)."""
        sheet = self.host.sheet_of(key)
        if held:
            self._unsent.add(key)
            if sheet is not None:
                sheet.unsent = True
                sheet.show_notice(ours(store.ANSWER_HELD))
            return
        self._unsent.discard(key)
        if sheet is not None:
            sheet.reopen()
            sheet.show_notice(blank())
            self._accept_keys(key)

    def _accept_keys(self, key: Key) -> None:
        """Accept keys for the open question again, after its answer wasn't taken."""
        if key == self.queue.current and self.arrival.phase == "sent":
            self._move(self.arrival.opened(self._clock()))

    def note_typing(self, now: float) -> None:
        """Note that the user typed in the composer."""
        self.noted(self.arrival.noted_typing(now))

    def toggle_fold(self) -> None:
        """Fold the open sheet to its line, or open it again. Nothing typed is lost (E2)."""
        if self.open:
            self._alike = ()
            self._move(self.arrival.folded(self._clock()))
        elif self.queue.prompts:
            self._open()

    @property
    def waiting(self) -> int:
        """The number of open questions."""
        return len(self.queue)

    def tick(self) -> None:
        """Check whether it is time to open a question, to accept keys, or to ring."""
        self._move(self.arrival.at(self._clock()))

    def action_fold(self) -> None:
        self.toggle_fold()

    def action_next(self) -> None:
        self.open_next()

    def action_full(self) -> None:
        """Give the sheet the whole screen, or take it back (E1)."""
        if self.full:
            self.screen.minimize()
        elif self.open:
            self.screen.maximize(self, container=False)
        self.call_after_refresh(self._lay_out)

    # Many at once

    @contextmanager
    def together(self) -> Iterator[None]:
        """Show the result of all changes inside once, at the end, so that no question opens for a moment when a hundred
        close."""
        if self._holding:
            yield
            return
        before, self._holding = len(self.queue), True
        try:
            yield
        finally:
            self._holding = False
            reopens, self._reopens = self._reopens, False
            if reopens and self.queue.prompts:
                self._open()
            elif self._stale:
                self._show()
            self._stale = False
            self.schedule()
            if len(self.queue) != before:
                self._counted()

    # One question

    def open_next(self) -> None:
        """Open the next question that waits; with one alone, that one."""
        if self.queue.prompts and (len(self.queue) > 1 or not self.open):
            self._alike = ()
            self.queue = self.queue.turned()
            self._open()

    def open_question(self, key: Key, alike: tuple[Key, ...] = ()) -> bool:
        """Open a question, even a snoozed one; with `alike` its answer applies to all of these. Return False if it
        doesn't wait here."""
        turned = self.queue.with_current(key)
        if turned.current != key:
            return False
        self.queue, self._alike = turned, alike
        self._open()
        return True

    def wish(self, key: Key) -> bool:
        """Open a question that the user asked for and that came only now, as soon as possible; never over an open one
        (E12). Return False if another one is shown."""
        turned = self.queue.with_current(key)
        if turned.current != key or (self.open and self.queue.current != key):
            return False
        self.queue = turned
        self._move(self.arrival.wished(self._clock()))
        return True

    def put_off(self, prompt: PromptRequest) -> bool:
        """Snooze a question. Return False for one whose answer is on its way."""
        key = key_of(prompt)
        sheet = self.host.sheet_of(key)
        if sheet is not None and sheet.done:
            return False
        if self.queue.get(key) is None:  # it was not shown yet
            self._enter(prompt)
        visible = self.open and key == self.queue.current
        self.queue = self.queue.put_off(key)
        self._after(visible)
        return True

    def bring_back(self, key: Key) -> None:
        """End the snooze of a question: it waits like one that came now (E10)."""
        back = self.queue.brought_back(key)
        if back is not self.queue:
            self.queue = back
            self._move(self.arrival.arrived(self._clock()))
            self._after(False)

    # Identical questions

    def also(self, prompt: PromptRequest, response: Response) -> tuple[Key, ...]:
        """Return the other questions that get this answer, as the user chose: of the same kind, tool and digest.
        The end of the turn is for none."""
        alike, self._alike = self._alike, ()
        if isinstance(response, EndTurn):  # the user closes these, which need no notice
            self._along |= set(self.queue.others_of_turn(prompt))
        if key_of(prompt) not in alike or not isinstance(response, FOR_ALL):
            return ()
        waiting = (self.queue.get(key) for key in alike if key != key_of(prompt))
        found = tuple(key_of(one) for one in waiting if one is not None and _same(one, prompt))
        self._along |= set(found)
        return found

    # Passed on to the sheets

    def restore_draft(self, key: Key, text: str) -> None:
        """Restore a stored draft; text typed since then is newer and stays."""
        text, sheet = self.drafts.load(key, text, self.queue.get(key)), self.host.sheet_of(key)
        if sheet is None:
            self.drafts.restore(key, text)
        elif not sheet.draft.stored():
            sheet.restore_draft(restored(text))

    def checked(self, key: Key, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's check of the value with that revision: JSON pointers and messages, none if it fits."""
        sheet = self.host.sheet_of(key)
        if sheet is not None:
            sheet.checked(revision, problems)

    # For the input gate

    @property
    def walking(self) -> bool:
        """True between an answer in a form and the next question: keys are kept for that (Z13)."""
        sheet = self.shown()
        return sheet is not None and (self.arrival.phase == "next" or (sheet.done and self.transition.walks(sheet)))

    def noted(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.schedule()

    def run_own(self, key: str) -> bool:
        """Run a key's action in the dock itself. Return False if it has none there."""
        if key == "escape" and self.open and self.queue.current in self._unsent:
            self.post_message(self.TakenBack(*self.queue.current))
            return True
        own = bound(self).get(key)
        if own:
            getattr(self, f"action_{own[0].action}")()
        return bool(own)

    def ignore_keys(self) -> None:
        """Ignore keys again, as when the sheet opened: the input was no answer."""
        self._move(self.arrival.opened(self._clock()))

    def pass_to_composer(self, text: str, key: str = "") -> None:
        """Pass text, or an editing key without text, to the composer."""
        self.post_message(self.Overheard(text, key))

    def recall(self, sheet: Sheet) -> None:
        """Revoke the answer that a sheet has just given, if it was not sent yet."""
        if self.held.recall(key_of(sheet.prompt), coming=self.arrival.phase == "armed"):
            sheet.reopen()
            self.ignore_keys()

    # From state to screen

    def _open(self) -> None:
        now, sheet = self._clock(), self.host.sheet_of(self.queue.current)
        self._move(self.arrival.sent(now) if sheet is not None and sheet.done else self.arrival.opened(now))

    def _move(self, arrival: Arrival) -> None:
        """Go to another phase: update the display, the focus, and the timer."""
        before, self.arrival = self.arrival, arrival
        if self._holding and arrival is before:
            self._stale = True
            return
        if arrival.phase == "held" and before.phase != "held":
            self.app.bell()
        if arrival.open:
            prompt = self.queue.head
            assert prompt is not None
            sheet = self.host.open(prompt)
            sheet.count(self._deadlines.left(key_of(prompt), self._clock()))
            if arrival.phase == "next":
                sheet.call_later(self._open_next, sheet)  # once it is mounted
            sheet.arm(arrival.phase == "armed")
            if sheet.armed and before.phase != "armed":
                self.post_message(self.Shown(key_of(sheet.prompt), sheet.prompt.digest))
                sheet.listening()
        if arrival.phase not in ("next", "armed", "sent"):
            self.gate.drop_kept()
        self._show()
        if arrival.open and not before.open:
            self.post_message(self.Opened())
        if before.open and not arrival.open and self.full:
            self.screen.minimize()
        if arrival.phase == "folded" and before.phase != "folded":
            self.post_message(self.Folded())
        if arrival.phase == "empty" and before.phase != "empty":
            self.post_message(self.Emptied())
        self.schedule()

    def _open_next(self, sheet: Sheet) -> None:
        """Let the next question of a form accept keys, first those pressed before it was mounted (Z13)."""
        if self.arrival.phase == "next" and sheet is self.shown():
            self._move(self.arrival.armed())
            self.gate.replay()

    def schedule(self) -> None:
        """Set the timer: for the phase, or for the time that is left and shown."""
        if self._holding:
            return
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        now = self._clock()
        moments = [self.arrival.due, self._deadlines.due(self.queue.current, now) if self.open else None]
        due = min((moment for moment in moments if moment is not None), default=None)
        if due is not None:
            self._timer = self.set_timer(max(due - now, 0.001), self.tick)

    def _show(self) -> None:
        if self._holding:  # `together` shows it at the end
            self._stale = True
        else:
            self.host.show(self.queue, unfolded=self.open, alike=self.alike_waiting)
            self._lay_out()
            self.host.hold_focus(self.shown())
            head = self.queue.head if self.open else None
            if head is not self._turned:
                self._turned = head
                self.post_message(self.Turned(head))

    def _lay_out(self) -> None:
        self.host.lay_out(self.shown(), full=self.full, several=len(self.queue) > 1)

    def _refit(self) -> None:
        if self.host.room_changed(self.full):
            self._lay_out()

    # Closed questions

    def _who(self, key: Key) -> Content:
        prompt = self.queue.get(key)
        return texts.who(prompt) if prompt is not None else blank()

    def _gone(self, key: Key, by: str) -> Content:
        prompt = self.queue.get(key)
        if by and prompt is not None and not prompt.yours:
            return ours(people.OTHERS_ANSWERED, who=self._who(key))
        if by:
            return ours(w.ANSWERED_BY, who=self._who(key), by=Foreign(by))
        return ours(w.SETTLED_ELSEWHERE, who=self._who(key))

    def _drop(self, key: Key, notice: Content) -> None:
        if self.queue.get(key) is None:
            return
        sheet, visible = self.host.sheet_of(key), self.open and key == self.queue.current
        if visible and sheet is not None and not sheet.done and key not in self._along:
            self.host.tell(notice)
        self._along.discard(key)
        self._deadlines = self._deadlines.without(key)
        self._remove(key)
        self._after(visible)

    def _remove(self, key: Key) -> None:
        """Drop a question with its sheet; its unsent text is kept if its form continues."""
        self.transition.left(key)
        self._unsent.discard(key)
        self.host.forget(key)
        self.drafts.forget(key)
        self.queue = self.queue.without(key)

    def _after(self, visible: bool) -> None:
        if not self.queue.prompts:
            self._move(self.arrival.emptied(self._clock()))
        elif visible and self._holding:
            self._reopens = True
        elif visible:
            self._open()
        else:
            self._show()
        if not self._holding:
            self._counted()

    # Messages of the sheets

    @on(SheetOutcome)
    def _done(self, event: SheetOutcome) -> None:
        event.stop()
        prompt, key = event.prompt, key_of(event.prompt)
        self.transition.sent(prompt, event.response)
        settled = self.Settled(*key, prompt.digest, event.response, self.also(prompt, event.response))
        if self.held.hold(settled, key, by_key=self.gate.by_key) and key == self.queue.current and self.open:
            self._move(self.arrival.sent(self._clock()))

    @on(messages.SheetDraftChanged)
    def _draft_changed(self, event: messages.SheetDraftChanged) -> None:
        event.stop()
        key = key_of(event.prompt)
        sheet = self.host.sheet_of(key)
        self.drafts.changed(key, event.draft, sheet.prompt if sheet is not None else None)

    @on(EditorRequested)
    def _editor_wanted(self, event: EditorRequested) -> None:
        event.stop()
        sheet = self.shown()
        try:
            event.replace(self._editor(event.text))
        except OSError as error:
            if sheet is not None:
                sheet.show_notice(ours(w.EDITOR_FAILED, reason=Foreign(str(error))))

    @on(FoldedSheet.Clicked)
    def _peek_clicked(self, event: FoldedSheet.Clicked) -> None:
        event.stop()
        if event.onward:
            self.open_next()
        else:
            self.toggle_fold()

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        """Run a hint of the dock's own: the sheet handles its own."""
        event.stop()
        if event.action in ("fold", "next", "full"):
            getattr(self, f"action_{event.action}")()
        elif event.action == "keys":
            self.call_later(self.app.run_action, "app.keys")

    @on(messages.ValidationRequested)
    def _check_wanted(self, event: messages.ValidationRequested) -> None:
        event.stop()
        if self.queue.get(key_of(event.prompt)) is not None:
            self.post_message(self.CheckWanted(*key_of(event.prompt), event.revision, event.value))

    @on(LayoutChanged)
    def _grew(self, event: LayoutChanged) -> None:
        event.stop()
        self._lay_out()
        self.host.hold_focus(self.shown())

    def on_descendant_blur(self) -> None:
        if self.open:
            self.call_later(lambda: self.host.hold_focus(self.shown()))


def _same(one: PromptRequest, other: PromptRequest) -> bool:
    return (one.kind, one.tool, one.digest) == (other.kind, other.tool, other.digest)
