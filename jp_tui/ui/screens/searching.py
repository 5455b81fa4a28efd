"""A list over the workspace with a search line above it; a subclass finds the rows.

Esc clears the search and goes to the list, then closes the page. It sends nothing to the engine.

Keys that open a line have priority, and the line gets the focus at once: the next characters of a fast typist must go
to the line, never to the list, where the same letters archive and delete.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.page_box import PageBox
from jp_tui.ui.widgets.text_field import TextField


class Searching(Listing):
    """A page as high as the screen: a search line, rows, details of the highlighted one, a line to edit, messages."""

    BINDINGS = [
        Binding("r", "again", "refresh", show=False, id="searching.again", tooltip="Refresh the list"),
        Binding("slash", "search", "search", priority=True, id="searching.search", tooltip="Filter the rows"),
        Binding("escape,q", "back", "back", id="searching.back", tooltip="Return to the list, then close it"),
    ]
    DEFAULT_CSS = """
    Searching {
        & > Vertical { height: 100%; }
        OptionList, OptionList:focus { height: 1fr; max-height: 100%; }
        #empty { height: 1fr; }
        #detail { height: auto; max-height: 8; }
    }
    """
    rows = Rows

    def compose(self) -> ComposeResult:
        with PageBox() as box:
            box.border_title = words(self.title_words)
            yield TextField("search · / focuses", id="search", enter="to the list")
            yield self.rows()
            yield Static(id="empty")
            yield Static(id="detail")
            edit = TextField("a value", id="edit", enter="select")
            edit.display = False
            yield edit
            yield Static(id="notice")
            yield KeyBar(speaks_for_itself=lambda node: False)

    def show(self, items: Sequence[Item] | None, empty: Content) -> None:
        """Show these rows. An empty list can't have the focus, so the page keeps the keys."""
        typing = self.typing
        super().show(items, empty)
        if not typing:
            self.set_focus(self.query_one(OptionList) if items else None)

    def found(self) -> None:
        """List the matches of the search: a page that filters by itself overrides it."""

    @property
    def query_text(self) -> str:
        """The text of the search."""
        return self.query_one("#search", TextField).value

    @property
    def typing(self) -> bool:
        """True if a line has the focus."""
        return isinstance(self.focused, TextField)

    def write(self, text: str) -> None:
        """Open the line below with this text."""
        line = self.query_one("#edit", TextField)
        line.display = True
        line.value = text
        line.cursor_position = len(text)
        self.set_focus(line)
        line.call_after_refresh(line.show_end)  # its width is known only then
        self.refresh_bindings()

    def to_list(self) -> None:
        """Focus the list."""
        self.query_one("#edit", TextField).display = False
        self.set_focus(self.query_one(OptionList))
        self.refresh_bindings()

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self.found()

    @on(Input.Submitted, "#search")
    def _enough(self, event: Input.Submitted) -> None:
        event.stop()
        self.to_list()

    def on_key(self, event: events.Key) -> None:
        """Go from the search down to the list."""
        if event.key == "down" and isinstance(line := self.focused, TextField) and line.id == "search":
            event.stop()
            self.to_list()

    def action_search(self) -> None:
        self.set_focus(self.query_one("#search", TextField))
        self.refresh_bindings()

    def action_back(self) -> None:
        if isinstance(line := self.focused, TextField):
            if line.id == "search":
                line.value = ""
            self.to_list()
        else:
            self.dismiss(None)
