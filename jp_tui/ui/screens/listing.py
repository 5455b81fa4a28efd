"""A list over the workspace: rows of two lines, a text when it is empty, and a line for messages.

A subclass makes the rows, which may change while the page is open; the highlighted row stays. It sends nothing to the
engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.screens.vi import VI, break_key, half_a_page, next_row, to_edge
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.page_box import PageBox, PageList


@dataclass(frozen=True, slots=True)
class Item:
    """A row: its key, two lines, and the details shown below the list while it is highlighted."""

    key: str
    lines: tuple[Content, Content]
    detail: Content


class Rows(PageList, inherit_bindings=False):
    """A list that leaves Enter to the screen, so that the last line can name its action (E5)."""

    BINDINGS = [
        Binding("down", "cursor_down", "down", show=False),
        Binding("up", "cursor_up", "up", show=False),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
        Binding("pageup", "page_up", "page up", show=False),
    ]


class Confirmation:
    """An action that needs its key pressed twice on the same row: the first press asks, any other key or row cancels.

    `show` shows the question, and a blank text when it is cancelled.
    """

    def __init__(self, show: Callable[[Content], None]) -> None:
        self._show = show
        self._keys: tuple[str, ...] = ()
        self._row = ""

    @property
    def pending(self) -> bool:
        """True between the two presses."""
        return bool(self._keys)

    def given(self, keys: tuple[str, ...], row: str, question: Content) -> bool:
        """Return True at the second press of one of `keys`; the first shows the question."""
        if (self._keys, self._row) == (keys, row):
            self.drop()
            return True
        self._keys, self._row = keys, row
        self._show(question)
        return False

    def drop(self) -> None:
        """Forget the first press; what is shown stays."""
        self._keys = ()

    def pressed(self, key: str) -> None:
        """React to a key of the page."""
        if self.pending and key not in self._keys:
            self._cancel()

    def moved(self, row: str) -> None:
        """React to the highlighted row; "" if there is none."""
        if self.pending and row != self._row:
            self._cancel()

    def _cancel(self) -> None:
        self.drop()
        self._show(blank())


class Listing(ModalScreen[None], inherit_bindings=False):
    """A page with a list and a line for messages."""

    BINDINGS = [
        Binding("j", "move(1)", "down", show=False, id="listing.down", tooltip="Go to the next row"),
        Binding("k", "move(-1)", "up", show=False, id="listing.up", tooltip="Go to the previous row"),
        Binding("r", "again", "refresh", id="listing.again", tooltip="Refresh the list"),
        Binding("escape,q", "dismiss(None)", "close", id="listing.close", tooltip="Close this page"),
        break_key("listing"),
        *VI,
    ]

    DEFAULT_CSS = """
    Listing {
        align: center middle; background: $background 60%;
        & > Vertical {
            width: 100%; max-width: 112; height: auto; max-height: 100%; padding: 0 1; background: $sheet-background;
            border: round $sheet-border; border-title-style: bold;
            border-subtitle-color: $waiting-foreground; border-subtitle-style: bold;
        }
        OptionList, OptionList:focus {
            height: auto; max-height: 60vh; border: none; padding: 0; background: $sheet-background;
            text-wrap: nowrap; text-overflow: ellipsis; background-tint: $foreground 0%;
            & > .option-list--option-highlighted {
                background: $primary 8%; color: $foreground; text-style: none;
            }
            &:ansi > .option-list--option-highlighted { background: transparent; }
        }
        Static { height: auto; padding: 0 1; }
        #state { display: none; margin-bottom: 1; }
        #detail { max-height: 30vh; margin-top: 1; color: $muted-foreground; }
        KeyBar { background: $sheet-background; width: 100%; height: auto; }
        #notice { max-height: 8; color: $waiting-foreground; text-style: bold; }
    }
    """

    class Again(Message):
        """The list is needed, for the first time or again."""

    class Shown(Message):
        """The page covers the line about open questions, so the app must call `waits`."""

    title_words = ""
    rows: ClassVar[type[OptionList]] = PageList
    """The widget of the rows."""

    def __init__(self) -> None:
        super().__init__()
        self._items: Sequence[Item] | None = None
        self._marked: int | None = None
        self.confirmation = Confirmation(self.show_message)

    def compose(self) -> ComposeResult:
        with PageBox() as box:
            box.border_title = words(self.title_words)
            yield Static(id="state")
            yield self.rows()
            yield Static(id="empty")
            yield Static(id="detail")
            yield Static(id="notice")
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_mount(self) -> None:
        self.show(None, ours("reading…", style="$muted-foreground"))
        self.show_message(blank())
        self.query_one(OptionList).focus()
        self.post_message(self.Shown())
        self.post_message(self.Again())

    def waits(self, words: str) -> None:
        """Show the text about open questions on the frame, since the page may cover the line with it (asking.md
        E50)."""
        self.query_one(Vertical).border_subtitle = ours(words)

    def show_state(self, *lines: Content) -> None:
        """Show these lines above the rows; none hide them."""
        state = self.query_one("#state", Static)
        state.update(join(*lines, sep=ours("\n")))
        state.display = bool(lines)

    def show_refusal(self, message: str, advice: str = "") -> None:
        """Show why a command was refused, and what to do."""
        said = "\n".join(part for part in (message, advice) if part)
        self.show_message(foreign(Foreign(said), style="$failed-foreground", limit=400))

    def show(self, items: Sequence[Item] | None, empty: Content) -> None:
        """Show these rows, or `empty` when there are none. The highlighted row is kept."""
        options = self.query_one(OptionList)
        before, at = self.chosen, options.highlighted or 0
        self._items, self._marked = items, None
        options.clear_options()
        options.add_options(Option(_row(one)) for one in items or ())
        options.display = bool(items)
        shown = self.query_one("#empty", Static)
        shown.update(empty)
        shown.display = not items
        if items:
            same = next((row for row, one in enumerate(items) if before is not None and one.key == before.key), at)
            options.highlighted = min(same, len(items) - 1)
        self._tell()
        self._row_shown()

    @property
    def chosen(self) -> Item | None:
        """The highlighted row."""
        at = self.query_one(OptionList).highlighted
        return self._items[at] if self._items and at is not None and at < len(self._items) else None

    def show_message(self, what: Content) -> None:
        """Show a message below the list."""
        notice = self.query_one("#notice", Static)
        notice.update(what)
        notice.display = bool(what)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._tell()
        self._row_shown()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do nothing: a click only highlights, unless a page handles it too."""
        event.stop()

    def _row_shown(self) -> None:
        """Cancel a confirmation for another row, and update the keys: each row has its own."""
        self.confirmation.moved(self.chosen.key if self.chosen else "")
        self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        self.confirmation.pressed(event.key)

    def _tell(self) -> None:
        """Mark the highlighted row with a sign, and show its details below the list."""
        options = self.query_one(OptionList)
        for at, marked in ((self._marked, False), (options.highlighted, True)):
            if self._items and at is not None and at < len(self._items):
                options.replace_option_prompt_at_index(at, _row(self._items[at], marked))
        self._marked = options.highlighted
        detail, item = self.query_one("#detail", Static), self.chosen
        detail.update(item.detail if item else blank())
        detail.display = item is not None and bool(item.detail)

    action_edge, action_half, action_move = to_edge, half_a_page, next_row

    def action_again(self) -> None:
        self.post_message(self.Again())


def _row(item: Item, marked: bool = False) -> Content:
    """Return both lines, the first with a mark in front, so that the meaning doesn't depend on a colour (E60)."""
    sign = ours("❯ ", style="bold $primary") if marked else ours("  ")
    return join(sign + item.lines[0], item.lines[1].pad_left(4), sep=ours("\n"))
