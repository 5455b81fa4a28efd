"""The conversation and what opens below it: a sheet or the interrupt menu; the composer makes room for both.

At most one of the three is open (inquiries.md R245). A question never opens over the menu or behind another screen:
it waits here until it can be seen (E10, R216). It sends no command; what its parts say bubbles up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.widgets.banner import Banner
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.interrupt import InterruptMenu
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view.questions.interrupt_menu import Choice
from jp_tui.view.questions.queue import Key, key_of


class Column(Vertical):
    """Transcript, banner, dock and menu, one above the other. The composer stands below and is handed in."""

    DEFAULT_CSS = """
    Column { width: 100%; height: 1fr; & > Transcript { height: 1fr; } }
    """

    @dataclass
    class Interrupted(Message):
        """The user chose to interrupt the turn, with words where the action takes some."""

        action: Interrupt
        text: str

    class Behind(Message):
        """A question that the user wanted to see waits behind the one that is open."""

    class Arranged(Message):
        """Something opened or closed."""

    def __init__(
        self,
        *,
        composer: Composer,
        clock: Callable[[], float],
        editor: Callable[[str], str],
        id: str | None = None,
    ) -> None:
        """`editor` takes a text and gives it back edited, or raises OSError with the reason."""
        super().__init__(id=id)
        self._composer = composer
        self._clock = clock
        self._editor = editor
        self._sheet = False
        self._covered = False
        self._behind = False
        self._held: list[PromptRequest] = []
        self._all: list[Callable[[], None]] | None = None  # what goes behind the keys in one go
        self._wanted: tuple[Key, tuple[Key, ...]] | None = None  # to be turned to when it can be seen
        self._menu: InterruptMenu | None = None

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")
        yield Banner(id="banner")
        yield SheetDock(clock=self._clock, editor=self._editor, id="dock")

    @property
    def menu_open(self) -> bool:
        """Whether the interrupt menu stands here."""
        return self._menu is not None

    @property
    def sheet_open(self) -> bool:
        """Whether a sheet stands open, armed or not."""
        return self._sheet

    @property
    def transcript(self) -> Transcript:
        """The conversation itself."""
        return self.query_one(Transcript)

    def take_focus(self) -> None:
        """The focus to whatever is open; a sheet has it from its dock."""
        if self._menu is not None and self._menu.wording is None:
            self.screen.set_focus(self._menu)
        elif not self._sheet:
            self.screen.set_focus(self._composer)

    def scroll_pages(self, step: int) -> None:
        """The conversation by pages, also above an open sheet (E1)."""
        self.query_one(Transcript).scroll_pages(step)

    def scroll_to_newest(self) -> None:
        """The conversation to its end."""
        self.query_one(Transcript).scroll_to_end()

    # -- questions

    def fold(self) -> None:
        """Fold the open sheet, or open it again (E2)."""
        self.query_one(SheetDock).toggle_fold()

    def next_question(self) -> None:
        """The next one that waits."""
        self.query_one(SheetDock).open_next()

    def turn_to(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """That question, as soon as it can be seen; its answer is that of all of `alike`."""
        self.close_menu()
        self._wanted = key, alike
        self._turn()

    def wish(self, key: Key) -> None:
        """The user asked for a question that came only now, behind the keys that were pressed before it."""
        self._behind_keys(lambda: self._wish(key))

    def put_off(self, prompt: PromptRequest) -> bool:
        """A question out of sight for a while; says whether it is."""
        off = self.query_one(SheetDock).put_off(prompt)
        if off:
            self._held = [held for held in self._held if key_of(held) != key_of(prompt)]
        return off

    def bring_back(self, key: Key) -> None:
        """A question that was put off waits again."""
        self.query_one(SheetDock).bring_back(key)

    def ask(self, prompt: PromptRequest) -> None:
        """Show a question, or keep it until it can be seen; behind the keys that were pressed before it came."""
        self._behind_keys(lambda: self._ask(prompt))

    def settle(self, key: Key, by: str = "") -> None:
        """A question no longer waits; `by` names who answered it when that was not done here (E53)."""
        self._behind_keys(lambda: self._settle(key, by))

    def refused(self, key: Key, reason: str, gone: bool, by: str = "") -> None:
        """An answer was not taken; `by` names who was first."""
        self._behind_keys(lambda: self.query_one(SheetDock).refused(key, reason, gone, by))

    def checked(self, key: Key, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """The verdict on a value that a sheet wanted checked."""
        self.query_one(SheetDock).checked(key, revision, problems)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is told inside goes behind the keys in one go: a thousand questions are no thousand messages."""
        self._all = []
        try:
            yield
        finally:
            told, self._all = self._all, None
            if told:
                self._composer.behind_keys(lambda: self._do(told))

    def _behind_keys(self, do: Callable[[], None]) -> None:
        if self._all is not None:
            self._all.append(do)
        else:
            self._composer.behind_keys(do)

    def _do(self, told: Sequence[Callable[[], None]]) -> None:
        with self.query_one(SheetDock).together():
            for do in told:
                do()

    def _ask(self, prompt: PromptRequest) -> None:
        if self._out_of_sight:
            self._held = [*(held for held in self._held if key_of(held) != key_of(prompt)), prompt]
        else:
            self.query_one(SheetDock).ask(prompt)

    def _settle(self, key: Key, by: str) -> None:
        self._held = [held for held in self._held if key_of(held) != key]
        self.query_one(SheetDock).settle(key, by)

    def cover(self, covered: bool) -> None:
        """Another screen lies over this one, or no longer does."""
        was, self._covered = self._covered, covered
        if was and not covered:
            self._show_held()
            self._turn()

    def _turn(self) -> None:
        if self._wanted is not None and not self._out_of_sight:
            (key, alike), self._wanted = self._wanted, None
            self.query_one(SheetDock).turn_to(key, alike)

    def _wish(self, key: Key) -> None:
        if self._out_of_sight:
            self._wanted = key, ()
        elif not self.query_one(SheetDock).wish(key):
            self.post_message(self.Behind())

    @property
    def _out_of_sight(self) -> bool:
        return self._covered or self._menu is not None

    def _show_held(self) -> None:
        """What came meanwhile, as if it came now: the last key was meant for something else."""
        if self._out_of_sight:
            return
        dock = self.query_one(SheetDock)
        if self._behind:
            self._behind = False
            dock.toggle_fold()
        self.note_typing()
        held, self._held = self._held, []
        with dock.together():
            for prompt in held:
                dock.ask(prompt)

    def note_typing(self) -> None:
        """The user typed: a question waits for silence (E10)."""
        self.query_one(SheetDock).note_typing(self._clock())

    @on(SheetDock.Opened)
    def _sheet_opened(self, event: SheetDock.Opened) -> None:
        event.stop()
        if self._out_of_sight:  # it had waited for silence, folded: it waits on
            self._behind = True
            self.query_one(SheetDock).toggle_fold()
            self.take_focus()
            return
        self._sheet = True
        self._arrange()

    @on(SheetDock.Folded)
    @on(SheetDock.Emptied)
    def _sheet_closed(self, event: SheetDock.Folded | SheetDock.Emptied) -> None:
        event.stop()
        self._sheet = False
        self._behind &= isinstance(event, SheetDock.Folded)
        self._arrange()

    @on(SheetDock.Overheard)
    def _overheard(self, event: SheetDock.Overheard) -> None:
        """Keys that came while the sheet was deaf belong to the draft (E10)."""
        event.stop()
        self._composer.type_in(event.text)
        if event.key:
            self._composer.press(event.key)

    # -- the interrupt menu

    async def open_menu(self, choices: tuple[Choice, ...], wording: Choice | None = None) -> None:
        """Ask what is to become of the turn, or with `wording` for the words of that choice; when this returns the
        menu has the focus, so no key goes astray. Never over an open sheet, which has Esc to itself (R216)."""
        if self._menu is None and not self._sheet:
            self._menu = InterruptMenu(choices=choices)
            await self.mount(self._menu)
            self._menu.wording = wording
            self._arrange()

    def interrupt(self, action: Interrupt, text: str = "") -> None:
        """Interrupt the turn without asking."""
        self.post_message(self.Interrupted(action, text))

    def close_menu(self) -> None:
        """Take the menu away; what was written stays in the composer."""
        menu, self._menu = self._menu, None
        if menu is None:
            return
        self._arrange()
        menu.remove()
        self._show_held()

    def back_from_words(self) -> None:
        """From the words back to the choices."""
        if self._menu is not None:
            self._menu.wording = None
            self._arrange()

    @on(InterruptMenu.Chosen)
    def _chosen(self, event: InterruptMenu.Chosen) -> None:
        event.stop()
        if self._menu is None:
            return
        if event.choice.words:
            self._menu.wording = event.choice
            self._arrange()
            return
        self.close_menu()
        if event.choice.action is not None:
            self.post_message(self.Interrupted(event.choice.action, ""))

    def take_words(self, text: str) -> bool:
        """What was written is for the menu, if that asked for words; says whether it was."""
        choice = None if self._menu is None else self._menu.wording
        if choice is None or choice.action is None:
            return False
        self.close_menu()
        self.post_message(self.Interrupted(choice.action, text))
        return True

    def _arrange(self) -> None:
        """Show the composer where it belongs, and give the focus to what is open."""
        wording = self._menu is not None and self._menu.wording is not None
        self._composer.replying = wording
        self._composer.display = not self._sheet and (self._menu is None or wording)
        self.query_one(Transcript).can_focus = bool(self._composer.display)  # what is open has every key (R245)
        self.take_focus()
        self.post_message(self.Arranged())
