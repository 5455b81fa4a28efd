"""The place of the questions on the screen: which sheet stands there, in how many rows, with the focus (E1, R245).

It brings the screen in line with the queue and the phase, and keeps a sheet until its question is settled, so that
nothing typed is lost by folding or by turning to the next. What happens next is the dock's to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.ears import Ears
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.peek import Peek
from jp_tui.ui.sheets.plan import room_of
from jp_tui.ui.text import blank, ours
from jp_tui.view.questions.drafts import restored
from jp_tui.view.questions.queue import Key, Queue, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.protocol.values import PromptRequest
    from jp_tui.ui.sheets.sheet import Sheet

NOTICE = 6.0
"""Seconds for which it is said that a visible question went away."""


class Stage(Ears):
    """Sheets, the folded line and notices."""

    DEFAULT_CSS = """
    Stage { height: auto; width: 1fr; display: none;
        &.-waiting, &.-notice { display: block; }
        &.-maximized { height: 100%; }
        & > #notice { height: auto; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
        &.-notice > #notice { display: block; }
        & > #alike { height: 1; display: none; padding: 0 1; background: $warning 12%; color: $text-warning; }
    }
    """

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(clock=clock, id=id)
        self._queue = Queue()
        self._sheets: dict[Key, Sheet] = {}
        self._drafts: dict[Key, str] = {}
        self._fit: object = None
        self._peek, self._notice, self._says = Peek(), Static(id="notice"), Static(id="alike")
        self._alike: tuple[Key, ...] = ()  # what the answer to the one in sight is the answer to
        self._here, self._titles = "", cast(Mapping[str, Foreign], MappingProxyType({}))
        self._holding = self._stale = False

    def compose(self) -> ComposeResult:
        yield self._notice
        yield self._says
        yield self._peek

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._refit())

    @property
    def open(self) -> bool:
        """Whether a sheet stands open and holds the keys."""
        return self._arrival.open

    def shown(self) -> Sheet | None:
        return self._sheets.get(self._queue.current) if self.open else None

    def _sheet(self) -> Sheet:
        """The sheet of the current question, made when it is first opened."""
        prompt = self._queue.head
        assert prompt is not None
        key = key_of(prompt)
        if key not in self._sheets:
            from jp_tui.ui.sheets.kinds import sheet_for  # the first question pays for its widgets, not the start

            sheet = sheet_for(prompt, self)
            sheet.kept = restored(self._drafts.get(key, ""))
            self._sheets[key] = sheet
            self.made(sheet)
            self.mount(sheet)
        return self._sheets[key]

    def made(self, sheet: Sheet) -> None:
        """A sheet is about to be shown for the first time."""

    def _show(self) -> None:
        if self._holding:  # it is shown when all of it has happened
            self._stale = True
            return
        head = self._queue.head
        self.set_class(head is not None, "-waiting")
        self._peek.display = head is not None and not self.open
        self._peek.prompt, self._peek.waiting = head, len(self._queue)
        for key, sheet in self._sheets.items():
            sheet.display = self.open and key == self._queue.current
            sheet.waiting(self._queue.place, len(self._queue))
            if sheet.display:
                sheet.lost = len(self._queue.others_of_turn(sheet.prompt))
        self._entitle()
        alike = sum(self._queue.get(key) is not None for key in self._alike) if self.open else 0
        self._says.display = alike > 1
        if alike > 1:
            self._says.update(ours(w.ALIKE, n=alike))
        self._lay_out()
        self._hold_focus()

    def among(self, here: str, titles: Mapping[str, Foreign]) -> None:
        """Which conversation is in sight, and what others are called: a frame says where its question is from (E4)."""
        if (here, titles) != (self._here, self._titles):
            self._here, self._titles = here, titles
            self._entitle()

    def _entitle(self) -> None:
        for sheet in self._sheets.values():
            sheet.border_title = words.title(sheet.prompt, self._whence(sheet.prompt))

    def _whence(self, prompt: PromptRequest) -> Foreign | None:
        """The conversation of a prompt, where that is not the one in sight; a sub-agent's is the one it works for."""
        where = prompt.conversation
        if prompt.agent is not None and where == prompt.agent.conversation:
            where = where if where == self._here else prompt.agent.parent
        return None if where == self._here or not self._here else self._titles.get(where, Foreign(""))

    def _refit(self) -> None:
        """Lay out again when the room changed: a taller column need not change the size of what stands in it."""
        column = self.parent.size if isinstance(self.parent, Widget) else None
        fit = (self.size.width, column, self.full)
        if fit != self._fit:
            self._fit = fit
            self._lay_out()

    def _lay_out(self) -> None:
        """Give the sheet its rows: two thirds of the column, or the whole screen."""
        sheet, column = self.shown(), self.parent
        if sheet is None or not sheet.is_mounted or not isinstance(column, Widget):
            return
        room = self.screen.size.height if self.full else room_of(column.size.height)
        more = sheet.context is not None and not sheet.context.fits
        full = Hint("ctrl+f", "back", "full", keep=True) if self.full else Hint("ctrl+f", "full", "full", keep=more)
        extra = [full] if sheet.context else []
        if len(self._queue) > 1:
            extra.append(Hint("ctrl+t", "next", "next"))
        sheet.full = self.full
        room -= self._notice.size.height + bool(self._says.display)
        sheet.lay_out(self.size.width, room, [*extra, Hint("ctrl+o", "fold", "fold", keep=True)])

    def _hold_focus(self) -> None:
        """An open sheet holds the focus, its field if one is written in (R245)."""
        sheet = self.shown()
        if sheet is None or not self.app.app_focus:
            return
        if sheet.writing is not None and sheet.armed:
            sheet.writing.can_focus = True
            self.screen.set_focus(sheet.writing, scroll_visible=False)
        else:
            self.screen.set_focus(sheet, scroll_visible=False)

    def _who(self, key: Key) -> Content:
        prompt = self._queue.get(key)
        return words.who(prompt) if prompt is not None else blank()

    def _forget(self, key: Key) -> None:
        sheet = self._sheets.pop(key, None)
        if sheet is not None:
            sheet.display = False
            self.call_after_refresh(sheet.remove)  # the screen still paints it until the layout is done without it

    def _tell(self, notice: Content) -> None:
        self._notice.update(notice)
        self.add_class("-notice")
        self.set_timer(NOTICE, lambda: self.remove_class("-notice"))

    @on(Grew)
    def _grew(self, event: Grew) -> None:
        event.stop()
        self._lay_out()
        self._hold_focus()

    def on_descendant_blur(self) -> None:
        if self.open:
            self.call_later(self._hold_focus)
