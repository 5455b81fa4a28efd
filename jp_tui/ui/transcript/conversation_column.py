"""The transcript and, below it, a question's sheet or the interrupt menu; the composer makes room for both.

At most one of composer, sheet and menu is open (inquiries.md R245). A question never opens over the menu or behind
another screen: it waits here until it can be seen (E10, R216). Sends no command; messages of the parts bubble up.
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
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.transcript.banner import Banner
from jp_tui.ui.transcript.first_screen import FirstScreen
from jp_tui.ui.transcript.interrupt_menu import InterruptMenu
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.view.pages.first_screen import FirstScreenView
from jp_tui.view.questions.interrupt_menu import InterruptChoice
from jp_tui.view.questions.queue import Key, key_of


class ConversationColumn(Vertical):
    """Transcript, banner, dock and menu, one above the other. The composer is below it and is passed in."""

    DEFAULT_CSS = """
    ConversationColumn { width: 100%; height: 1fr; & > Transcript { height: 1fr; } }
    """

    @dataclass
    class Interrupted(Message):
        """The user interrupts the turn, with a text where the action takes one."""

        action: Interrupt
        text: str

    class Behind(Message):
        """A question that the user chose waits until the open one is closed."""

    class Arranged(Message):
        """Something opened or closed."""

    def __init__(
        self,
        *,
        composer: Composer,
        clock: Callable[[], float],
        editor: Callable[[str], str],
        first: FirstScreenView | None = None,
        id: str | None = None,
    ) -> None:
        """`editor` returns an edited text, or raises OSError with the reason; `first` is shown from the start."""
        super().__init__(id=id)
        self.transcript = Transcript(id="transcript")
        self.banner = Banner(id="banner")
        self.dock = SheetDock(clock=clock, editor=editor, id="dock")
        self._composer = composer
        self._clock = clock
        self._sheet_open = False
        self._covered = False
        self._reopen = False  # the dock folded a sheet while it was hidden: open it again then
        self._held: list[PromptRequest] = []
        self._batch: list[Callable[[], None]] | None = None  # calls to queue after the keys as one
        self._wanted: tuple[Key, tuple[Key, ...]] | None = None  # the question to open when it can be seen
        self._menu: InterruptMenu | None = None
        self.first: FirstScreen | None = None
        """The content of an empty conversation in place of the transcript (S51)."""
        if first is not None:
            self.first = FirstScreen(id="first")
            self.first.shown = first
            self.transcript.display = False

    def compose(self) -> ComposeResult:
        yield self.transcript
        if self.first is not None:
            yield self.first
        yield self.banner
        yield self.dock

    @property
    def menu_open(self) -> bool:
        """True while the interrupt menu is open."""
        return self._menu is not None

    @property
    def sheet_open(self) -> bool:
        """True while a sheet is open, whether it accepts keys or not."""
        return self._sheet_open

    @property
    def _out_of_sight(self) -> bool:
        return self._covered or self._menu is not None

    def show_first(self, shown: FirstScreenView | None) -> None:
        """Show the first screen, or the transcript again."""
        if shown is None:
            if self.first is not None:
                if self.first.has_focus:
                    self.take_focus()
                self.first.remove()
                self.first = None
            self.transcript.display = True
            return
        if self.first is None:
            self.first = FirstScreen(id="first")
            self.mount(self.first, before=self.banner)
            self.transcript.display = False
        self.first.shown = shown

    def take_focus(self) -> None:
        """Focus the menu or the composer, whichever is open; an open sheet gets the focus from its dock."""
        if self._menu is not None and self._menu.wording is None:
            self.screen.set_focus(self._menu)
        elif not self._sheet_open:
            self.screen.set_focus(self._composer)

    # -- questions

    def open_question(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """Open a question as soon as it can be seen; its answer applies to all of `alike` as well."""
        self.close_menu()
        self._wanted = key, alike
        self._turn()

    def turn_to_new(self, key: Key) -> None:
        """Open a question that came only now, after pending keys."""
        self._after_keys(lambda: self._turn_to_new(key))

    def put_off(self, prompt: PromptRequest) -> bool:
        """Snooze a question. Return False if that is impossible."""
        off = self.dock.put_off(prompt)
        if off:
            self._held = [held for held in self._held if key_of(held) != key_of(prompt)]
        return off

    def ask(self, prompt: PromptRequest) -> None:
        """Show a question as soon as it can be seen, after pending keys."""
        self._after_keys(lambda: self._ask(prompt))

    def remove_settled(self, key: Key, by: str = "") -> None:
        """Remove a closed question; `by` names who answered it elsewhere (E53)."""
        self._after_keys(lambda: self._remove_settled(key, by))

    def refused(self, key: Key, reason: str, gone: bool, by: str = "") -> None:
        """Show that an answer was not accepted; `by` names who answered first."""
        self._after_keys(lambda: self.dock.refused(key, reason, gone, by))

    def people_changed(self, prompt: PromptRequest) -> None:
        """Show which people a question asks now (store.md D15, D16)."""
        self._after_keys(lambda: self._people_changed(prompt))

    def handed_over(self, key: Key) -> None:
        """Remove a question that another person has now."""
        self._after_keys(lambda: self.dock.handed_over(key))

    def answer_held(self, key: Key, held: bool) -> None:
        """Show that an answer waits for the store, or that it was taken back (store.md D12)."""
        self._after_keys(lambda: self.dock.answer_held(key, held))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send all calls inside as one message, queued after pending keys: a thousand questions are not a thousand
        messages."""
        self._batch = []
        try:
            yield
        finally:
            batch, self._batch = self._batch, None
            if batch:
                self._composer.after_keys(lambda: self._do(batch))

    def _after_keys(self, do: Callable[[], None]) -> None:
        if self._batch is not None:
            self._batch.append(do)
        else:
            self._composer.after_keys(do)

    def _do(self, batch: Sequence[Callable[[], None]]) -> None:
        with self.dock.together():
            for do in batch:
                do()

    def _ask(self, prompt: PromptRequest) -> None:
        if self._out_of_sight:
            self._held = [*(held for held in self._held if key_of(held) != key_of(prompt)), prompt]
        else:
            self.dock.ask(prompt)

    def _people_changed(self, prompt: PromptRequest) -> None:
        self._held = [prompt if key_of(one) == key_of(prompt) else one for one in self._held]
        self.dock.people_changed(prompt)

    def _remove_settled(self, key: Key, by: str) -> None:
        self._held = [held for held in self._held if key_of(held) != key]
        self.dock.remove_settled(key, by)

    def _turn(self) -> None:
        if self._wanted is not None and not self._out_of_sight:
            (key, alike), self._wanted = self._wanted, None
            self.dock.open_question(key, alike)

    def _turn_to_new(self, key: Key) -> None:
        if self._out_of_sight:
            self._wanted = key, ()
        elif not self.dock.wish(key):
            self.post_message(self.Behind())

    def cover(self, covered: bool) -> None:
        """Hold questions while another screen covers this one."""
        was, self._covered = self._covered, covered
        if was and not covered:
            self._show_held()
            self._turn()

    def _show_held(self) -> None:
        """Show the questions that arrived meanwhile as if they arrived now: the last key was meant for something
        else."""
        if self._out_of_sight:
            return
        if self._reopen:
            self._reopen = False
            self.dock.toggle_fold()
        self.note_typing()
        held, self._held = self._held, []
        with self.dock.together():
            for prompt in held:
                self.dock.ask(prompt)

    def note_typing(self) -> None:
        """Let questions wait until the user pauses: a key was pressed (E10)."""
        self.dock.note_typing(self._clock())

    @on(SheetDock.Opened)
    def _sheet_opened(self, event: SheetDock.Opened) -> None:
        event.stop()
        if self._out_of_sight:  # a folded sheet opened after the user's pause: fold it again
            self._reopen = True
            self.dock.toggle_fold()
            self.take_focus()
            return
        self._sheet_open = True
        self._arrange()

    @on(SheetDock.Folded)
    @on(SheetDock.Emptied)
    def _sheet_closed(self, event: SheetDock.Folded | SheetDock.Emptied) -> None:
        event.stop()
        self._sheet_open = False
        self._reopen &= isinstance(event, SheetDock.Folded)
        self._arrange()

    @on(SheetDock.Turned)
    def _turned(self, event: SheetDock.Turned) -> None:
        """Shorten, in the conversation, the question that the sheet shows."""
        prompt = event.prompt
        self.transcript.in_sheet((prompt.turn, prompt.call) if prompt is not None else None)

    @on(SheetDock.Overheard)
    def _overheard(self, event: SheetDock.Overheard) -> None:
        """Give keys that came before the sheet accepted any to the composer (E10)."""
        event.stop()
        self._composer.type_in(event.text)
        if event.key:
            self._composer.press(event.key)

    # -- the interrupt menu

    async def open_menu(self, choices: tuple[InterruptChoice, ...], wording: InterruptChoice | None = None) -> None:
        """Open the menu of an interruption, or with `wording` ask for the text of that choice.

        On return the menu has the focus, so no key is lost. Never over an open sheet, which has Esc to itself (R216).
        """
        if self._menu is None and not self._sheet_open:
            self._menu = InterruptMenu(choices=choices)
            await self.mount(self._menu)
            self._menu.wording = wording
            self._arrange()

    def interrupt(self, action: Interrupt, text: str = "") -> None:
        """Interrupt the turn without the menu."""
        self.post_message(self.Interrupted(action, text))

    def close_menu(self) -> None:
        """Close the menu; the text stays in the composer."""
        menu, self._menu = self._menu, None
        if menu is None:
            return
        self._arrange()
        menu.remove()
        self._show_held()

    def back_from_words(self) -> None:
        """Go back from the text to the choices."""
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
        """Interrupt with a text that was written for the menu. Return False if the menu didn't ask for one."""
        choice = None if self._menu is None else self._menu.wording
        if choice is None or choice.action is None:
            return False
        self.close_menu()
        self.post_message(self.Interrupted(choice.action, text))
        return True

    def _arrange(self) -> None:
        """Show the composer where there is room for it, and focus the open part."""
        wording = self._menu is not None and self._menu.wording is not None
        self._composer.replying = wording
        self._composer.display = not self._sheet_open and (self._menu is None or wording)
        self.transcript.can_focus = bool(self._composer.display)  # the open part gets every key (R245)
        self.take_focus()
        self.post_message(self.Arranged())
