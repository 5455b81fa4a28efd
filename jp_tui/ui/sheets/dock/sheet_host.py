"""The place of the questions on the screen: which sheet stands there, in how many rows, with the focus (E1, R245).

It brings the screen in line with the dock's queue and phase, and keeps a sheet until its question is settled, so that
nothing typed is lost by folding or by turning to the next. What happens next is the dock's to decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.dock.folded_sheet import FoldedSheet
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.row_budget import room_of
from jp_tui.ui.text import ours
from jp_tui.view.questions.queue import Key, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.protocol.values import PromptRequest
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.sheets.sheet import Sheet

NOTICE = 6.0
"""Seconds for which it is said that a visible question went away."""


class SheetHost:
    """Sheets, the folded line and notices."""

    def __init__(self, dock: SheetDock) -> None:
        self._dock = dock
        self._sheets: dict[Key, Sheet] = {}
        self._fit: object = None
        self._peek, self._notice, self._says = FoldedSheet(), Static(id="notice"), Static(id="alike")
        self._here, self._titles = "", cast(Mapping[str, Foreign], MappingProxyType({}))

    def widgets(self) -> Sequence[Widget]:
        """What is there before any sheet."""
        return (self._notice, self._says, self._peek)

    # Sheets

    def sheet_of(self, key: Key) -> Sheet | None:
        """The sheet of a question, if it was opened."""
        return self._sheets.get(key)

    def sheets(self) -> Sequence[tuple[Key, Sheet]]:
        """All sheets that were made."""
        return list(self._sheets.items())

    def shown(self) -> Sheet | None:
        """The sheet that is open."""
        return self._sheets.get(self._dock.queue.current) if self._dock.open else None

    def sheet(self) -> Sheet:
        """The sheet of the current question, made when it is first opened."""
        prompt = self._dock.queue.head
        assert prompt is not None
        key = key_of(prompt)
        if key not in self._sheets:
            from jp_tui.ui.sheets.registry import sheet_for  # the first question pays for its widgets, not the start

            sheet = sheet_for(prompt, self._dock.gate, self._dock.following.draft(key))
            self._sheets[key] = sheet
            self._dock.made(sheet)
            self._dock.mount(sheet)
        return self._sheets[key]

    def forget(self, key: Key) -> None:
        """Remove the sheet of a question."""
        sheet = self._sheets.pop(key, None)
        if sheet is not None:
            sheet.display = False
            self._dock.call_after_refresh(sheet.remove)  # the screen paints it until the layout is done without it

    # Showing

    def show(self) -> None:
        """Bring the screen in line with the queue and the phase."""
        dock, queue = self._dock, self._dock.queue
        head = queue.head
        dock.set_class(head is not None, "-waiting")
        self._peek.display = head is not None and not dock.open
        self._peek.prompt, self._peek.waiting = head, len(queue)
        for key, sheet in self._sheets.items():
            sheet.display = dock.open and key == queue.current
            sheet.waiting(queue.place, len(queue))
            if sheet.display:
                sheet.menu.lost = len(queue.others_of_turn(sheet.prompt))
        self._entitle()
        alike = dock.alike_waiting
        self._says.display = alike > 1
        if alike > 1:
            self._says.update(ours(w.ALIKE, n=alike))
        self.lay_out()
        self.hold_focus()

    def among(self, here: str, titles: Mapping[str, Foreign]) -> None:
        """Note which conversation is in sight, and what others are called: a frame says where its question is from
        (E4)."""
        if (here, titles) != (self._here, self._titles):
            self._here, self._titles = here, titles
            self._entitle()

    def _entitle(self) -> None:
        for sheet in self._sheets.values():
            sheet.border_title = texts.title(sheet.prompt, self._whence(sheet.prompt))

    def _whence(self, prompt: PromptRequest) -> Foreign | None:
        """The conversation of a prompt, where that is not the one in sight; a sub-agent's is the one it works for."""
        where = prompt.conversation
        if prompt.agent is not None and where == prompt.agent.conversation:
            where = where if where == self._here else prompt.agent.parent
        return None if where == self._here or not self._here else self._titles.get(where, Foreign(""))

    def refit(self) -> None:
        """Lay out again when the room changed: a taller column need not change the size of what stands in it."""
        column = self._dock.parent.size if isinstance(self._dock.parent, Widget) else None
        fit = (self._dock.size.width, column, self._dock.full)
        if fit != self._fit:
            self._fit = fit
            self.lay_out()

    def lay_out(self) -> None:
        """Give the sheet its rows: two thirds of the column, or the whole screen."""
        sheet, column = self.shown(), self._dock.parent
        if sheet is None or not sheet.is_mounted or not isinstance(column, Widget):
            return
        room = self._dock.screen.size.height if self._dock.full else room_of(column.size.height)
        context = sheet.reading.context
        more = context is not None and not context.fits
        full = (
            Hint("ctrl+f", "back", "full", keep=True) if self._dock.full else Hint("ctrl+f", "full", "full", keep=more)
        )
        extra = [full] if context else []
        if len(self._dock.queue) > 1:
            extra.append(Hint("ctrl+t", "next", "next"))
        sheet.fit.full = self._dock.full
        room -= self._notice.size.height + bool(self._says.display)
        sheet.fit.lay_out(self._dock.size.width, room, [*extra, Hint("ctrl+o", "fold", "fold", keep=True)])

    def hold_focus(self) -> None:
        """An open sheet holds the focus, its field if one is written in (R245)."""
        sheet = self.shown()
        if sheet is None or not self._dock.app.app_focus:
            return
        if sheet.writing is not None and sheet.armed:
            sheet.writing.can_focus = True
            self._dock.screen.set_focus(sheet.writing, scroll_visible=False)
        else:
            self._dock.screen.set_focus(sheet, scroll_visible=False)

    def tell(self, notice: Content) -> None:
        """Show for a while that a visible question went away."""
        self._notice.update(notice)
        self._dock.add_class("-notice")
        self._dock.set_timer(NOTICE, lambda: self._dock.remove_class("-notice"))
