"""Where questions live: one sheet at a time at the bottom, folded or open, the others queued (E1, E2, E12, E13).

It decides by `view/questions/arming.py` and `view/questions/queue.py` and shows the outcome; who may answer is heard
in `Ears`. It sends no command: the app gets one message for each thing that happened. A sheet is kept until its
question is settled, so that nothing typed is lost by folding or turning to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, time
from typing import ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest, Response
from jp_tui.ui.sheets import messages
from jp_tui.ui.sheets.hints import KeyLine
from jp_tui.ui.sheets.limits import Limits
from jp_tui.ui.sheets.messages import Done, EditorWanted
from jp_tui.ui.sheets.peek import Peek
from jp_tui.ui.sheets.turning import Turning
from jp_tui.ui.text import blank, ours
from jp_tui.view.questions.arming import Arrival
from jp_tui.view.questions.queue import Key, key_of
from jp_tui.view.wording import questions as w

NOTICE = 6.0
"""Seconds for which it is said that a visible question went away."""


def _no_editor(text: str) -> str:
    raise OSError("there is none here")


class SheetDock(Turning):
    """The questions that wait for the human."""

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
        super().__init__(clock=clock, id=id)
        self._editor, self._wall = editor, wall
        self._timer: Timer | None = None
        self._limits = Limits()

    # What the app tells

    def ask(self, prompt: PromptRequest) -> None:
        """A question waits. One that is visible stays; the same inquiry asked anew takes its old place (E12)."""
        import jp_tui.ui.sheets.kinds  # noqa: F401  # here, not in the step that opens it after a silence

        key, follows = key_of(prompt), self.follows(prompt)
        if again := key in self._sheets:
            self._drafts[key] = self._sheets[key].draft.stored()
            self._forget(key)
        self.enter(prompt)
        if follows:
            self._queue = self._queue.turned_to(key)
        now = self._clock()
        if follows or (again and self._arrival.open and key == self._queue.current):
            self._move(self._arrival.opened(now))
        elif self._queue.prompts:  # else it was put off, and stays so
            self._move(self._arrival.arrived(now))
        if not self._holding:
            self.counted()

    def counted(self) -> None:
        self.post_message(self.CountChanged(len(self._queue)))

    def enter(self, prompt: PromptRequest) -> None:
        self._queue = self._queue.added(prompt)
        self.came(prompt)
        self._limits = self._limits.added(prompt, self._clock(), self._wall())

    def settle(self, key: Key, by: str = "") -> None:
        """A question no longer waits, whoever answered. If it was open and not answered here, that is said."""
        sheet = self._sheets.get(key)
        if (by and not (sheet is not None and sheet.done)) or not self.lingers(key):
            self._drop(key, self._gone(key, by))

    def over(self, key: Key) -> None:
        self._drop(key, blank())

    def drafted(self, key: Key, text: str) -> None:
        self.post_message(self.DraftChanged(*key, text))

    def refused(self, key: Key, reason: str, gone: bool, by: str = "") -> None:
        """An answer was not taken: the sheet listens again with what was typed, unless the question is gone; `by`
        says who was first, when somebody was."""
        sheet = self._sheets.get(key)
        if sheet is not None:
            sheet.done = False
        if gone:
            words = ours(w.GONE, who=self._who(key), reason=Foreign(reason))
            self._drop(key, self._gone(key, by) if by else words)
        elif sheet is not None:
            if sheet.mode == "menu":  # it was chosen there; to be told why not one wants to see what was asked
                sheet.turn("answer")
            sheet.say(ours(w.REFUSED, reason=Foreign(reason)))
            if key == self._queue.current and self._arrival.phase == "sent":
                self._move(self._arrival.opened(self._clock()))

    def note_typing(self, now: float) -> None:
        """The user typed in the composer."""
        self.noted(self._arrival.noted_typing(now))

    def toggle_fold(self) -> None:
        """Fold the open sheet to its line, or open it again. Nothing typed is lost (E2)."""
        if self.open:
            self._alike = ()
            self._move(self._arrival.folded(self._clock()))
        elif self._queue.prompts:
            self._open()

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return len(self._queue)

    def tick(self) -> None:
        """Look at the clock: whether a question opens, listens, or has waited so long that it rings."""
        self._move(self._arrival.at(self._clock()))

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
        self.call_after_refresh(self._lay_out)

    # From state to screen

    def noted(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self.schedule()

    def taken_back(self) -> None:
        self._move(self._arrival.opened(self._clock()))

    def overheard(self, text: str, key: str = "") -> None:
        self.post_message(self.Overheard(text, key))

    def _open(self) -> None:
        now, sheet = self._clock(), self._sheets.get(self._queue.current)
        self._move(self._arrival.sent(now) if sheet is not None and sheet.done else self._arrival.opened(now))

    def _move(self, arrival: Arrival) -> None:
        """Into another phase: what is shown, who has the focus, when to look at the clock again."""
        before, self._arrival = self._arrival, arrival
        if self._holding and arrival is before:
            self._stale = True
            return
        if arrival.phase == "held" and before.phase != "held":
            self.app.bell()
        if arrival.open:
            sheet = self._sheet()
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
        moments = [self._arrival.due, self._limits.due(self._queue.current, now) if self.open else None]
        due = min((moment for moment in moments if moment is not None), default=None)
        if due is not None:
            self._timer = self.set_timer(max(due - now, 0.001), self.tick)

    # Questions that go

    def _gone(self, key: Key, by: str) -> Content:
        if by:
            return ours(w.ANSWERED_BY, who=self._who(key), by=Foreign(by))
        return ours(w.SETTLED_ELSEWHERE, who=self._who(key))

    def _drop(self, key: Key, notice: Content) -> None:
        if self._queue.get(key) is None:
            return
        sheet, visible = self._sheets.get(key), self.open and key == self._queue.current
        if visible and sheet is not None and not sheet.done and key not in self._along:
            self._tell(notice)
        self._along.discard(key)
        self.left(key)
        self._forget(key)
        self._drafts.pop(key, None)
        self._limits = self._limits.without(key)
        self._queue = self._queue.without(key)
        self.after(visible)

    def after(self, visible: bool) -> None:
        if not self._queue.prompts:
            self._move(self._arrival.emptied(self._clock()))
        elif visible and self._holding:
            self._reopens = True
        elif visible:
            self._open()
        else:
            self._show()
        if not self._holding:
            self.counted()

    # Messages of the sheets

    @on(Done)
    def _done(self, event: Done) -> None:
        event.stop()
        prompt, key = event.prompt, key_of(event.prompt)
        self.sent(prompt, event.response)
        settled = self.Settled(*key, prompt.digest, event.response, self.also(prompt, event.response))
        if self.hold(settled, key) and key == self._queue.current and self.open:
            self._move(self._arrival.sent(self._clock()))

    @on(messages.DraftChanged)
    def _draft_changed(self, event: messages.DraftChanged) -> None:
        event.stop()
        key = key_of(event.prompt)
        self._drafts[key] = event.draft.stored()
        self.drafted(key, self.with_others(key, event.draft.stored()))

    @on(EditorWanted)
    def _editor_wanted(self, event: EditorWanted) -> None:
        event.stop()
        sheet = self.shown()
        try:
            event.field.put(self._editor(event.field.value))
        except OSError as error:
            if sheet is not None:
                sheet.say(ours(w.EDITOR_FAILED, reason=Foreign(str(error))))

    @on(Peek.Clicked)
    def _peek_clicked(self, event: Peek.Clicked) -> None:
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
