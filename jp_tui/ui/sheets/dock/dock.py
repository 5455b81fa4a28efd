"""Show the questions that wait: one sheet at the bottom, folded or open, the others queued (E1, E2, E12, E13).

`view/questions/arming.py` and `queue.py` decide what is shown. The dock sends no command: it posts one message for
each thing that happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from jp_tui.protocol.values import Answered, Delivered, EndTurn, Permitted, PromptRequest, Response, StoredEvent
from jp_tui.ui.sheets import messages, texts
from jp_tui.ui.sheets.dock.deadlines import Deadlines
from jp_tui.ui.sheets.dock.folded_sheet import FoldedSheet
from jp_tui.ui.sheets.dock.form_transition import FormTransition
from jp_tui.ui.sheets.dock.held_answers import HeldAnswers
from jp_tui.ui.sheets.dock.input_gate import DockInputGate
from jp_tui.ui.sheets.dock.sheet_host import SheetHost
from jp_tui.ui.sheets.dock.side_replies import SideReplies
from jp_tui.ui.sheets.key_line import KeyLine
from jp_tui.ui.sheets.messages import EditorRequested, LayoutChanged, SheetOutcome
from jp_tui.ui.text import blank, ours
from jp_tui.view.questions.arming import Arrival
from jp_tui.view.questions.queue import NONE, Key, Queue, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

FOR_ALL = (Answered, Permitted, Delivered)
"""Responses that may go to several identical questions: who leaves, replies or ends a turn does so for one."""


def _no_editor(text: str) -> str:
    raise OSError("there is none here")


class SheetDock(Vertical):
    """The questions that wait for the user."""

    DEFAULT_CSS = """
    SheetDock { height: auto; width: 1fr; display: none;
        &.-waiting, &.-notice { display: block; }
        &.-maximized { height: 100%; }
        & > #notice { height: auto; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
        &.-notice > #notice { display: block; }
        & > #alike { height: 1; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
    }
    """
    BINDINGS: ClassVar = [
        Binding("ctrl+o", "fold", "Fold", id="dock.fold", tooltip="Folds the question to one line, or opens it"),
        Binding("ctrl+t", "next", "Next question", id="dock.next", tooltip="Shows the next question that waits"),
        Binding("ctrl+f", "full", "Full screen", id="dock.full", tooltip="The question on the whole screen, and back"),
    ]
    ALLOW_MAXIMIZE = True

    @dataclass
    class Settled(Message):
        """The human's answer to one question, to be sent to the engine as it is."""

        conversation: str
        inquiry: str
        digest: str
        response: Response = field(repr=False)  # it may hold a secret
        also: tuple[Key, ...] = ()
        """What else it is the answer to, of the same digest: the user chose so (E51)."""

    @dataclass
    class Overheard(Message):
        """Typed while the sheet was deaf, for the composer's draft; `key` names an editing key without text."""

        text: str
        key: str = ""

    @dataclass
    class CountChanged(Message):
        """How many questions wait."""

        waiting: int

    @dataclass
    class Opened(Message):
        """A sheet stands open: the composer makes room."""

    @dataclass
    class Folded(Message):
        """It is one line again, and the composer is back."""

    @dataclass
    class Emptied(Message):
        """Nothing waits any more."""

    @dataclass
    class Shown(Message):
        """A question stood open and listened."""

        key: Key
        digest: str

    @dataclass
    class DraftChanged(Message):
        """Unsent text of a question, opaque; empty text forgets it."""

        conversation: str
        inquiry: str
        text: str

    @dataclass
    class CheckWanted(Message):
        """Does this value fit the question's schema? To be answered by `checked` with the same revision."""

        conversation: str
        inquiry: str
        revision: int
        value: Json = field(repr=False)

    @dataclass
    class AsideAsked(Message):
        """A side question about an open one; `said` and `said_all` bring what comes of it."""

        conversation: str
        inquiry: str
        text: str

    @dataclass
    class AsideSent(Message):
        """What was said aside goes along with the results, or with `send` false stays aside."""

        conversation: str
        inquiry: str
        send: bool

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        wall: Callable[[], float] = time,
        editor: Callable[[str], str] = _no_editor,
        id: str | None = None,
    ) -> None:
        """`clock` gives monotonic seconds, `wall` those since 1970; `editor` takes a text and gives the edited one
        back, or raises OSError."""
        super().__init__(id=id)
        self._clock, self._wall, self._editor = clock, wall, editor
        self.arrival, self.queue = Arrival(), Queue()
        self._timer: Timer | None = None
        self._limits = Deadlines()
        self._alike: tuple[Key, ...] = ()  # what the answer to the one in sight is the answer to
        self._along: set[Key] = set()  # what goes by the user's own word, so that it is no news
        self._holding = self._stale = self._reopens = False
        self.gate = DockInputGate(self, clock)
        self.held = HeldAnswers(self)
        self.following = FormTransition(self)
        self.stage = SheetHost(self)
        self.talks = SideReplies(self.stage)

    def compose(self) -> ComposeResult:
        yield from self.stage.widgets()

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self.gate.window_focused, init=False)
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.stage.refit())

    @property
    def open(self) -> bool:
        """Whether a sheet is open and has the keys."""
        return self.arrival.open

    @property
    def full(self) -> bool:
        """Whether the sheet has the whole screen, so that there is no conversation to page in."""
        return self.screen.maximized is self

    @property
    def alike_waiting(self) -> int:
        """How many identical questions the answer to the open one goes to; 0 while none is open."""
        return sum(self.queue.get(key) is not None for key in self._alike) if self.open else 0

    def shown(self) -> Sheet | None:
        """The sheet that is open."""
        return self.stage.shown()

    def made(self, sheet: Sheet) -> None:
        """Prepare a sheet that is about to be shown for the first time."""
        self.following.made(sheet)
        self.talks.made(sheet)

    # What the app tells

    def ask(self, prompt: PromptRequest) -> None:
        """A question waits. One that is visible stays; the same inquiry asked anew takes its old place (E12)."""
        import jp_tui.ui.sheets.registry  # noqa: F401  # here, not in the step that opens it after a silence

        key, follows = key_of(prompt), self.following.follows(prompt)
        if shown := self.stage.sheet_of(key):
            self.following.keep(key, shown.draft)
            self.stage.forget(key)
        self.enter(prompt)
        if follows:
            self.queue = self.queue.turned_to(key)
        now = self._clock()
        if follows or (shown and self.arrival.open and key == self.queue.current):
            self._move(self.arrival.opened(now))
        elif self.queue.prompts:  # else it was put off, and stays so
            self._move(self.arrival.arrived(now))
        if not self._holding:
            self.counted()

    def counted(self) -> None:
        self.post_message(self.CountChanged(len(self.queue)))

    def enter(self, prompt: PromptRequest) -> None:
        self.queue = self.queue.added(prompt)
        self.following.came(prompt)
        self._limits = self._limits.added(prompt, self._clock(), self._wall())

    def settle(self, key: Key, by: str = "") -> None:
        """A question no longer waits, whoever answered. If it was open and not answered here, that is said."""
        sheet = self.stage.sheet_of(key)
        if (by and not (sheet is not None and sheet.done)) or not self.following.lingers(key):
            self._drop(key, self._gone(key, by))

    def over(self, key: Key) -> None:
        self._drop(key, blank())

    def journal(self, key: Key, text: str) -> None:
        """Have the text of a question journalled."""
        self.post_message(self.DraftChanged(*key, text))

    def refused(self, key: Key, reason: str, gone: bool, by: str = "") -> None:
        """An answer was not taken: the sheet listens again with what was typed, unless the question is gone; `by`
        says who was first, when somebody was."""
        sheet = self.stage.sheet_of(key)
        if sheet is not None:
            sheet.done = False
        if gone:
            words = ours(w.GONE, who=self._who(key), reason=Foreign(reason))
            self._drop(key, self._gone(key, by) if by else words)
        elif sheet is not None:
            if sheet.mode == "menu":  # it was chosen there; to be told why not one wants to see what was asked
                sheet.turn("answer")
            sheet.say(ours(w.REFUSED, reason=Foreign(reason)))
            if key == self.queue.current and self.arrival.phase == "sent":
                self._move(self.arrival.opened(self._clock()))

    def note_typing(self, now: float) -> None:
        """The user typed in the composer."""
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
        """How many questions wait."""
        return len(self.queue)

    def tick(self) -> None:
        """Look at the clock: whether a question opens, listens, or has waited so long that it rings."""
        self._move(self.arrival.at(self._clock()))

    def action_fold(self) -> None:
        self.toggle_fold()

    def action_next(self) -> None:
        self.open_next()

    def action_full(self) -> None:
        """The whole screen for the sheet, or back (E1)."""
        if self.full:
            self.screen.minimize()
        elif self.open:
            self.screen.maximize(self, container=False)
        self.call_after_refresh(self.stage.lay_out)

    # Many at once

    @contextmanager
    def together(self) -> Iterator[None]:
        """What happens inside is shown once, at its end: of a hundred questions that go none opens for a moment."""
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
                self.counted()

    # To one, and away from it

    def open_next(self) -> None:
        """The next question that waits, open; with one alone, that one."""
        if self.queue.prompts and (len(self.queue) > 1 or not self.open):
            self._alike = ()
            self.queue = self.queue.turned()
            self._open()

    def turn_to(self, key: Key, alike: tuple[Key, ...] = ()) -> bool:
        """That question, open, also one that was put off; with `alike` its answer is that of all of these. Says whether
        it waits here."""
        turned = self.queue.turned_to(key)
        if turned.current != key:
            return False
        self.queue, self._alike = turned, alike
        self._open()
        return True

    def wish(self, key: Key) -> bool:
        """The user asked for one that came only now: it opens as soon as it may. Never over another that stands open
        (E12); says whether it is the one that will be seen."""
        turned = self.queue.turned_to(key)
        if turned.current != key or (self.open and self.queue.current != key):
            return False
        self.queue = turned
        self._move(self.arrival.wished(self._clock()))
        return True

    def put_off(self, prompt: PromptRequest) -> bool:
        """Out of sight for a while; not one whose answer is on its way. Says whether it is."""
        key = key_of(prompt)
        sheet = self.stage.sheet_of(key)
        if sheet is not None and sheet.done:
            return False
        if self.queue.get(key) is None:  # it was not to be seen yet
            self.enter(prompt)
        visible = self.open and key == self.queue.current
        self.queue = self.queue.put_off(key)
        self.after(visible)
        return True

    def bring_back(self, key: Key) -> None:
        """What was put off waits again, like one that came now (E10)."""
        back = self.queue.brought_back(key)
        if back is not self.queue:
            self.queue = back
            self._move(self.arrival.arrived(self._clock()))
            self.after(False)

    # Several at once

    def also(self, prompt: PromptRequest, response: Response) -> tuple[Key, ...]:
        """What else gets this answer, by the user's wish: asked of the same kind by the same tool, with one digest.
        What the end of the turn closes gets none."""
        alike, self._alike = self._alike, ()
        if isinstance(response, EndTurn):  # what it closes goes by the user's own word: that is no news
            self._along |= set(self.queue.others_of_turn(prompt))
        if key_of(prompt) not in alike or not isinstance(response, FOR_ALL):
            return ()
        waiting = (self.queue.get(key) for key in alike if key != key_of(prompt))
        found = tuple(key_of(one) for one in waiting if one is not None and _same(one, prompt))
        self._along |= set(found)
        return found

    # What passes through to the sheets

    def among(self, here: str, titles: Mapping[str, Foreign]) -> None:
        """Note which conversation is in sight, and what others are called (E4)."""
        self.stage.among(here, titles)

    def restore_draft(self, key: Key, text: str) -> None:
        """Restore what was typed for a question in an earlier life; what is typed now is newer and stays."""
        self.following.restore_draft(key, text)

    def checked(self, key: Key, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's verdict on the value with that revision: JSON pointers and messages, none if it fits."""
        sheet = self.stage.sheet_of(key)
        if sheet is not None:
            sheet.checked(revision, problems)

    def read(self, conversation: str, events: Sequence[StoredEvent]) -> None:
        """Read a part of a conversation's log, for side questions of an earlier life (E30)."""
        self.talks.read(conversation, events)

    def said(self, key: Key, text: Foreign) -> None:
        """Show more of the reply to a side question."""
        self.talks.received(key, text)

    def said_all(self, key: Key = NONE, broken: str = "") -> None:
        """End the reply to a side question; `broken` says why it broke off. No key means whichever waits."""
        self.talks.ended(key, broken)

    # From state to screen

    def noted(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.schedule()

    def deafen(self) -> None:
        """Ignore keys again, as when the sheet opened: what came was no answer."""
        self._move(self.arrival.opened(self._clock()))

    def overheard(self, text: str, key: str = "") -> None:
        self.post_message(self.Overheard(text, key))

    def _open(self) -> None:
        now, sheet = self._clock(), self.stage.sheet_of(self.queue.current)
        self._move(self.arrival.sent(now) if sheet is not None and sheet.done else self.arrival.opened(now))

    def _move(self, arrival: Arrival) -> None:
        """Into another phase: what is shown, who has the focus, when to look at the clock again."""
        before, self.arrival = self.arrival, arrival
        if self._holding and arrival is before:
            self._stale = True
            return
        if arrival.phase == "held" and before.phase != "held":
            self.app.bell()
        if arrival.open:
            sheet = self.stage.sheet()
            sheet.count(self._limits.left(key_of(sheet.prompt), self._clock()))
            sheet.armed = arrival.phase == "armed"
            if sheet.armed and before.phase != "armed":
                self.post_message(self.Shown(key_of(sheet.prompt), sheet.prompt.digest))
                sheet.listening()
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

    def schedule(self) -> None:
        """When to look at the clock again: for the phase, or for the time that is left and shown."""
        if self._holding:
            return
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        now = self._clock()
        moments = [self.arrival.due, self._limits.due(self.queue.current, now) if self.open else None]
        due = min((moment for moment in moments if moment is not None), default=None)
        if due is not None:
            self._timer = self.set_timer(max(due - now, 0.001), self.tick)

    def _show(self) -> None:
        if self._holding:  # it is shown when all of it has happened
            self._stale = True
        else:
            self.stage.show()

    # Questions that go

    def _who(self, key: Key) -> Content:
        prompt = self.queue.get(key)
        return texts.who(prompt) if prompt is not None else blank()

    def _gone(self, key: Key, by: str) -> Content:
        if by:
            return ours(w.ANSWERED_BY, who=self._who(key), by=Foreign(by))
        return ours(w.SETTLED_ELSEWHERE, who=self._who(key))

    def _drop(self, key: Key, notice: Content) -> None:
        if self.queue.get(key) is None:
            return
        sheet, visible = self.stage.sheet_of(key), self.open and key == self.queue.current
        if visible and sheet is not None and not sheet.done and key not in self._along:
            self.stage.tell(notice)
        self._along.discard(key)
        self._limits = self._limits.without(key)
        self.remove_question(key)
        self.after(visible)

    def remove_question(self, key: Key) -> None:
        """Drop a question with its sheet; what was typed is kept where its form goes on."""
        self.following.left(key)
        self.stage.forget(key)
        self.following.forget(key)
        self.queue = self.queue.without(key)

    def after(self, visible: bool) -> None:
        if not self.queue.prompts:
            self._move(self.arrival.emptied(self._clock()))
        elif visible and self._holding:
            self._reopens = True
        elif visible:
            self._open()
        else:
            self._show()
        if not self._holding:
            self.counted()

    # Messages of the sheets

    @on(SheetOutcome)
    def _done(self, event: SheetOutcome) -> None:
        event.stop()
        prompt, key = event.prompt, key_of(event.prompt)
        self.following.sent(prompt, event.response)
        settled = self.Settled(*key, prompt.digest, event.response, self.also(prompt, event.response))
        if self.held.hold(settled, key) and key == self.queue.current and self.open:
            self._move(self.arrival.sent(self._clock()))

    @on(messages.SheetDraftChanged)
    def _draft_changed(self, event: messages.SheetDraftChanged) -> None:
        event.stop()
        self.following.changed(key_of(event.prompt), event.draft)

    @on(EditorRequested)
    def _editor_wanted(self, event: EditorRequested) -> None:
        event.stop()
        sheet = self.shown()
        try:
            event.field.put(self._editor(event.field.value))
        except OSError as error:
            if sheet is not None:
                sheet.say(ours(w.EDITOR_FAILED, reason=Foreign(str(error))))

    @on(FoldedSheet.Clicked)
    def _peek_clicked(self, event: FoldedSheet.Clicked) -> None:
        event.stop()
        if event.onward:
            self.open_next()
        else:
            self.toggle_fold()

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        """A hint of the dock's own: the sheet took its own ones."""
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

    @on(messages.SideQuestionAsked)
    def _aside_asked(self, event: messages.SideQuestionAsked) -> None:
        event.stop()
        self.post_message(self.AsideAsked(*key_of(event.prompt), event.text))

    @on(messages.SideQuestionForwarded)
    def _aside_sent(self, event: messages.SideQuestionForwarded) -> None:
        event.stop()
        self.post_message(self.AsideSent(*key_of(event.prompt), event.send))

    @on(LayoutChanged)
    def _grew(self, event: LayoutChanged) -> None:
        event.stop()
        self.stage.lay_out()
        self.stage.hold_focus()

    def on_descendant_blur(self) -> None:
        if self.open:
            self.call_later(self.stage.hold_focus)


def _same(one: PromptRequest, other: PromptRequest) -> bool:
    return (one.kind, one.tool, one.digest) == (other.kind, other.tool, other.digest)
