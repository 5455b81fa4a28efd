"""All keys, by where they work, made from the bindings (asking.md E5; F1).

What is listed is what is declared: a key that is not here does not exist. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.widgets import Static

from jp_tui.ui.keys import Row, Section, all_sections, counted, declared, words
from jp_tui.ui.sheets.hints import Hint, KeyLine
from jp_tui.ui.text import blank, cut, join, ours, styled
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.dock import SheetDock
from jp_tui.ui.widgets.interrupt import InterruptMenu
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view.commands import Command

_KEYS, _DOES, _WORDS = 35, 31, 30
"""Cells of the three columns; the last one at least."""
_MOST, _EDGES = 112, 9
"""The widest the page gets, and how many of its cells are no text."""


class KeyList(ModalScreen[None], inherit_bindings=False):
    """A page of keys over the workspace."""

    BINDINGS = [
        Binding("escape,f1,q", "dismiss", "close", id="keylist.close", tooltip="Back to where you were"),
        Binding("up,k", "page('scroll_up')", "up", show=False, id="keylist.up"),
        Binding("down,j", "page('scroll_down')", "down", show=False, id="keylist.down"),
        Binding("pageup", "page('scroll_page_up')", "page up", show=False, id="keylist.page_up"),
        Binding("pagedown,space", "page('scroll_page_down')", "page down", show=False, id="keylist.page_down"),
        Binding("home", "page('scroll_home')", "start", show=False, id="keylist.home"),
        Binding("end", "page('scroll_end')", "end", show=False, id="keylist.end"),
        Binding("ctrl+c", "app.break", "close; twice leaves", show=False, id="keylist.break"),
    ]

    DEFAULT_CSS = """
    KeyList {
        align: center middle; background: $background 60%;
        VerticalScroll {
            width: 100%; max-width: 112; height: auto; max-height: 100%; padding: 0 2; scrollbar-size-vertical: 1;
            background: $sheet-background; border: round $sheet-border; border-title-style: bold;
            border-subtitle-color: $muted-foreground;
        }
        Static { height: auto; }
        KeyLine { dock: bottom; padding: 0; }
    }
    """

    def __init__(self, *, sections: list[Section]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = ours("Keys")
            page.can_focus = True
            yield Static()
            line = KeyLine()
            line.hints = (
                Hint("esc", "close", "close", keep=True), Hint("pgdn", "on", "scroll_page_down"),
                Hint("pgup", "back", "scroll_page_up"), Hint("↑↓", "scroll", "scroll_down"),
            )  # fmt: skip
            yield line

    def on_mount(self) -> None:
        self.set_focus(self.query_one(VerticalScroll), scroll_visible=False)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(Static).update(_page(self._sections, min(event.size.width, _MOST) - _EDGES))

    @on(KeyLine.Pressed)
    def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        if event.action == "close":
            self.dismiss()
        else:
            self.action_page(event.action)

    def on_click(self, event: events.Click) -> None:
        """Beside the page: away with it."""
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.dismiss()

    def action_page(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), how)(animate=False)


def every_key(app: type[DOMNode], commands: Sequence[Command] = ()) -> list[Section]:
    """What is declared anywhere, the workspace first. Imports the sheets: nobody pays for them at the start."""
    from jp_tui.ui.screens.inbox import Inbox
    from jp_tui.ui.screens.ledger import Ledger
    from jp_tui.ui.screens.listing import Listing
    from jp_tui.ui.screens.reviewers import Reviewers
    from jp_tui.ui.screens.workspace import WorkspaceScreen

    places: tuple[tuple[str, type[DOMNode]], ...] = (
        ("Everywhere", app),
        ("In the workspace", WorkspaceScreen),
        ("Writing", Composer),
        ("In the conversation", Transcript),
        ("When the turn is interrupted", InterruptMenu),
        ("When questions wait", SheetDock),
        *_sheets(),
        ("In a list", Listing),
        ("In the inbox", Inbox),
        ("In the ledger", Ledger),
        ("In the figures of reviewers", Reviewers),
    )
    found = merged(all_sections(*((title, declared(place)) for title, place in places)))
    written = tuple(Row(f"/{one.name} {one.argument}".rstrip(), one.title, one.does) for one in commands)
    return [*found[:2], *([Section("Written in the composer", written)] if written else []), *found[2:]]


def _sheets() -> tuple[tuple[str, type[DOMNode]], ...]:
    """Every sheet; two of one title are one section. An answer is written with the keys of the composer."""
    from jp_tui.ui.sheets.boolean import BooleanSheet
    from jp_tui.ui.sheets.delivery import DeliverySheet
    from jp_tui.ui.sheets.hunks import HunkSheet
    from jp_tui.ui.sheets.multi import MultiSelectSheet
    from jp_tui.ui.sheets.permission import PermissionSheet
    from jp_tui.ui.sheets.review import ReviewSheet
    from jp_tui.ui.sheets.schema import SchemaSheet
    from jp_tui.ui.sheets.schema_keys import FormKeys
    from jp_tui.ui.sheets.select import SelectSheet
    from jp_tui.ui.sheets.sheet import Sheet
    from jp_tui.ui.sheets.text import TextSheet

    return (
        ("In a question", Sheet),
        ("In a yes-or-no question", BooleanSheet),
        ("In a change by hunks", HunkSheet),
        ("When a tool wants to run", PermissionSheet),
        ("When a result may be told", DeliverySheet),
        ("In a choice", SelectSheet),
        ("In a choice of several", MultiSelectSheet),
        ("In a question for a text", TextSheet),
        ("In a question for data", SchemaSheet),
        ("In a question for data", FormKeys),
        ("In the last look at a form", ReviewSheet),
    )


def merged(sections: Sequence[Section]) -> list[Section]:
    """Sections of one title as one, in the place of the first."""
    found: dict[str, tuple[Row, ...]] = {}
    for one in sections:
        found[one.title] = (*found.get(one.title, ()), *one.rows)
    return [Section(title, counted(rows)) for title, rows in found.items()]


def _page(sections: list[Section], width: int) -> Content:
    """Three columns; where they do not fit, the explanations are left out."""
    explained = width >= _KEYS + _DOES + _WORDS
    lines: list[Content] = []
    for section in sections:
        lines.append(styled(words(section.title), "bold $heading-foreground"))
        for row in section.rows:
            parts = [styled(words(row.keys), "$primary").pad_right(max(_KEYS - len(row.keys), 2)), words(row.does)]
            if explained:
                parts[1] = parts[1].pad_right(max(_DOES - len(row.does), 2))
                parts.append(styled(words(row.tooltip), "$muted-foreground"))
            lines.append(cut(join(*parts), width).pad_left(2))
        lines.append(blank())
    return join(*lines[:-1], sep=ours("\n"))
