"""A list over the workspace with a line to search in above it; whoever derives from it says what is found.

Esc goes from the line to the list with everything in it again, then away. It asks the engine for nothing itself.

Keys that open a line have priority, and the line has the focus at once: what a fast typist writes next is for it, never
for the list, where the same letters archive and delete.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.text_field import TextField


class Searching(Listing):
    """A page as high as the screen: a search, rows, more of the highlighted one, a line to write in, what is said."""

    BINDINGS = [
        Binding("r", "again", "refresh", show=False, id="searching.again", tooltip="Refresh the list"),
        Binding("slash", "search", "search", priority=True, id="searching.search", tooltip="Filter the rows by words"),
        Binding("escape,q", "back", "back", id="searching.back", tooltip="To the list, then close"),
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
        with Vertical() as box:
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
        """An empty list has no focus to give away: the keys stay the page's."""
        typing = self.typing
        super().show(items, empty)
        if not typing:
            self.set_focus(self.query_one(OptionList) if items else None)

    def found(self) -> None:
        """List what matches the search: a page that filters by itself overrides it."""

    @property
    def sought(self) -> str:
        """What stands in the search."""
        return self.query_one("#search", TextField).value

    @property
    def typing(self) -> bool:
        """Whether a line has the keys."""
        return isinstance(self.focused, TextField)

    def write(self, text: str) -> None:
        """Open the line below, with this in it."""
        line = self.query_one("#edit", TextField)
        line.display = True
        line.value = text
        line.cursor_position = len(text)
        self.set_focus(line)
        line.call_after_refresh(line.show_end)  # it has a width only then
        self.refresh_bindings()

    def to_list(self) -> None:
        """The keys are the list's."""
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
        """From the search down into what it found."""
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
