"""The sheets on the screen: which one is visible, in how many rows, with the focus (E1, R245).

It keeps a sheet until its question is closed, so that nothing typed is lost by folding or by opening the next. The dock
decides what happens next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.dock.folded_sheet import FoldedSheet
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.row_budget import most_of, room_of
from jp_tui.ui.text import ours
from jp_tui.view.questions.queue import Key, Queue, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:  # a sheet is loaded with the first question
    from jp_tui.ui.sheets.sheet import Sheet

WIDE = 160
"""Columns of the screen from which a diff is shown in two."""
NOTICE = 6.0
"""Seconds for which the notice about a visible question that went away is shown."""


class SheetHost:
    """Sheets, the folded line and notices in a dock."""

    def __init__(self, dock: Widget, make: Callable[[PromptRequest], Sheet]) -> None:
        """`make` makes the sheet of a prompt, when it is first opened."""
        self._dock, self._make = dock, make
        self._sheets: dict[Key, Sheet] = {}
        self._room: object = None
        self._folded, self._notice, self._alike = FoldedSheet(), Static(id="notice"), Static(id="alike")
        self._shared = False
        self._here, self._titles = "", cast(Mapping[str, Foreign], MappingProxyType({}))

    def widgets(self) -> Sequence[Widget]:
        """Return the widgets that exist before any sheet."""
        return (self._notice, self._alike, self._folded)

    # Sheets

    def sheet_of(self, key: Key) -> Sheet | None:
        """Return the sheet of a question, if it was opened."""
        return self._sheets.get(key)

    def sheets(self) -> Sequence[tuple[Key, Sheet]]:
        """Return all sheets."""
        return list(self._sheets.items())

    def open(self, prompt: PromptRequest) -> Sheet:
        """Return the sheet of a question, which is made when it is first opened."""
        key = key_of(prompt)
        if key not in self._sheets:
            self._sheets[key] = sheet = self._make(prompt)
            self._dock.mount(sheet)
        return self._sheets[key]

    def forget(self, key: Key) -> None:
        """Remove the sheet of a question."""
        sheet = self._sheets.pop(key, None)
        if sheet is not None:
            sheet.display = False
            self._dock.call_after_refresh(sheet.remove)  # the screen paints it until the layout without it is done

    # Showing

    def show(self, queue: Queue, *, unfolded: bool, alike: int) -> None:
        """Show the current question of the queue, as a sheet if `unfolded`. `alike` is how many identical questions its
        answer goes to."""
        head = queue.head
        self._dock.set_class(head is not None, "-waiting")
        self._folded.display = head is not None and not unfolded
        self._folded.prompt, self._folded.waiting = head, len(queue)
        for key, sheet in self._sheets.items():
            sheet.display = unfolded and key == queue.current
            sheet.waiting(queue.place, len(queue))
            if sheet.display:
                sheet.menu.note_closed(len(queue.others_of_turn(sheet.prompt)))
        self._entitle()
        self._alike.display = alike > 1
        if alike > 1:
            self._alike.update(ours(w.ALIKE, n=alike))

    def among(self, here: str, titles: Mapping[str, Foreign], shared: bool) -> None:
        """Set the open conversation, and the titles of others: a frame names the conversation of its question (E4).
        `shared`: other people use the store, too."""
        self._shared = shared
        if (here, titles) != (self._here, self._titles):
            self._here, self._titles = here, titles
            self._entitle()

    def _entitle(self) -> None:
        for sheet in self._sheets.values():
            sheet.shared = self._shared
            sheet.entitle(self._origin_title(sheet.prompt))

    def _origin_title(self, prompt: PromptRequest) -> Foreign | None:
        """Return the title of a prompt's conversation, None for the open one; for a sub-agent, that of its parent's
        conversation."""
        where = prompt.conversation
        if prompt.agent is not None and where == prompt.agent.conversation:
            where = where if where == self._here else prompt.agent.parent
        return None if where == self._here or not self._here else self._titles.get(where, Foreign(""))

    def room_changed(self, full: bool) -> bool:
        """Return True if the room for a sheet changed: a taller column need not change the size of its content."""
        column = self._dock.parent.size if isinstance(self._dock.parent, Widget) else None
        before, self._room = self._room, (self._dock.size.width, column, full)
        return before != self._room

    def lay_out(self, sheet: Sheet | None, *, full: bool, several: bool) -> None:
        """Give the visible sheet its rows: two thirds of the column, more where it needs them (Z14), or the whole
        screen if `full`. `several`: more than one question waits."""
        column = self._dock.parent
        if sheet is None or not sheet.is_mounted or not isinstance(column, Widget):
            return
        sheet.reading.widen(self._dock.screen.size.width >= WIDE)
        high = self._dock.screen.size.height
        room, most = (high, high) if full else (room_of(column.size.height), most_of(column.size.height))
        hints = []
        if sheet.reading.context is not None:
            does = "back" if full else "full"
            hints.append(Hint("Ctrl+F", does, "full", keep=full))
        if several:
            hints.append(Hint("Ctrl+T", "next", "next"))
        taken = self._notice.size.height + bool(self._alike.display)
        hints.append(Hint("Ctrl+O", "fold", "fold"))
        sheet.lay_out(self._dock.size.width, room - taken, most - taken, hints, full)

    def hold_focus(self, sheet: Sheet | None) -> None:
        """Give the focus to the open sheet, or to its field that is in use (R245)."""
        if sheet is not None and self._dock.app.app_focus:
            self._dock.screen.set_focus(sheet.focus_holder(), scroll_visible=False)

    def tell(self, notice: Content) -> None:
        """Show for NOTICE seconds that a visible question was closed."""
        self._notice.update(notice)
        self._dock.add_class("-notice")
        self._dock.set_timer(NOTICE, lambda: self._dock.remove_class("-notice"))
