"""The conversation and what stands below it: the composer, or a sheet, or the interrupt menu; who has the focus.

At most one of them is open (inquiries.md R245). A question never opens over the menu or behind another screen: it
waits here until it can be seen (E10, R216). It sends no command; what its parts say bubbles up to the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.widgets.banner import Banner
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.dock import SheetDock
from jp_tui.ui.widgets.interrupt import InterruptMenu
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view.interrupt import Choice


class Column(Vertical):
    """Transcript, banner, dock, menu and composer, one above the other; sheet and menu take the composer's place."""

    DEFAULT_CSS = """
    Column { width: 1fr; height: 1fr; & > Transcript { height: 1fr; } }
    """

    @dataclass
    class Interrupted(Message):
        """The user chose to interrupt the turn, with words where the action takes some."""

        action: Interrupt
        text: str

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        editor: Callable[[str], str],
        placeholder: Content,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._editor = editor
        self._clock = clock
        self._placeholder = placeholder
        self._sheet = False
        self._covered = False
        self._behind_menu = False
        self._held: list[PromptRequest] = []
        self._menu: InterruptMenu | None = None

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")
        yield Banner(id="banner")
        yield SheetDock(clock=self._clock, editor=self._editor, id="dock")
        yield Composer(placeholder=self._placeholder, id="composer")

    @property
    def menu_open(self) -> bool:
        """Whether the interrupt menu stands here."""
        return self._menu is not None

    @property
    def sheet_open(self) -> bool:
        """Whether a sheet stands open, armed or not."""
        return self._sheet

    def take_focus(self) -> None:
        """The focus to whatever stands here."""
        if self._menu is not None and self._menu.wording is None:
            self.screen.set_focus(self._menu)
        elif self._sheet:
            pass  # the dock has it: it gives the focus to the sheet it opens
        else:
            self.screen.set_focus(self.query_one(Composer))

    # -- questions

    def ask(self, prompt: PromptRequest) -> None:
        """Show a question, or keep it until it can be seen."""
        self._after_keys(lambda: self._ask(prompt))

    def settle(self, inquiry: str) -> None:
        """A question no longer waits."""
        self._after_keys(lambda: self._settle(inquiry))

    def refused(self, inquiry: str, reason: str, gone: bool) -> None:
        """An answer was not taken."""
        self._after_keys(lambda: self.query_one(SheetDock).refused(inquiry, reason, gone))

    def _after_keys(self, do: Callable[[], None]) -> None:
        """Behind the keys that came before: they go through the composer's queue, what it says of them goes through
        it once more, and then through this one (E10)."""
        composer = self.query_one(Composer)
        composer.call_later(composer.call_later, self.call_later, do)

    def _ask(self, prompt: PromptRequest) -> None:
        if self._covered or self._menu is not None:
            self._held = [*(held for held in self._held if held.inquiry != prompt.inquiry), prompt]
        else:
            self.query_one(SheetDock).ask(prompt)

    def _settle(self, inquiry: str) -> None:
        self._held = [held for held in self._held if held.inquiry != inquiry]
        self.query_one(SheetDock).settle(inquiry)

    def cover(self, covered: bool) -> None:
        """Another screen lies over this one, or no longer does."""
        was, self._covered = self._covered, covered
        if was and not covered:
            self._show_held()

    def _show_held(self) -> None:
        """What came meanwhile, as if it came now: the last key was meant for something else."""
        if self._covered or self._menu is not None:
            return
        dock = self.query_one(SheetDock)
        dock.note_typing(self._clock())
        held, self._held = self._held, []
        for prompt in held:
            dock.ask(prompt)

    @on(SheetDock.Opened)
    def _sheet_opened(self, event: SheetDock.Opened) -> None:
        event.stop()
        if self._menu is not None:  # it had waited for silence, folded: it waits on
            self._behind_menu = True
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
        self._behind_menu &= isinstance(event, SheetDock.Folded)
        self._arrange()

    @on(SheetDock.Overheard)
    def _overheard(self, event: SheetDock.Overheard) -> None:
        """Keys that came while the sheet was deaf belong to the draft (E10)."""
        event.stop()
        composer = self.query_one(Composer)
        composer.type_in(event.text)
        if event.key:
            composer.press(event.key)

    @on(Composer.Typed)
    def _typed(self, event: Composer.Typed) -> None:
        event.stop()
        self.query_one(SheetDock).note_typing(self._clock())

    # -- the interrupt menu

    async def open_menu(self, choices: tuple[Choice, ...]) -> None:
        """Ask what is to become of the turn; when this returns the menu has the focus, so no key goes astray."""
        if self._menu is None and not self._sheet:
            self._menu = InterruptMenu(choices=choices)
            await self.mount(self._menu, before=self.query_one(Composer))
            self._arrange()

    def close_menu(self) -> None:
        """Take the menu away; what was written stays in the composer."""
        menu, self._menu = self._menu, None
        if menu is None:
            return
        self._arrange()
        menu.remove()
        if self._behind_menu:
            self._behind_menu = False
            self.query_one(SheetDock).toggle_fold()
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

    @on(Composer.Submitted)
    def _worded(self, event: Composer.Submitted) -> None:
        """While the menu asks for words, what is sent are those."""
        choice = None if self._menu is None else self._menu.wording
        if choice is not None and choice.action is not None:
            event.stop()
            self.close_menu()
            self.post_message(self.Interrupted(choice.action, event.text))

    def _arrange(self) -> None:
        """Show the composer where it belongs, and give the focus to what stands here."""
        composer = self.query_one(Composer)
        wording = self._menu is not None and self._menu.wording is not None
        composer.replying = wording
        composer.display = not self._sheet and (self._menu is None or wording)
        self.take_focus()
