"""All keys, by where they work, made from the bindings (asking.md E5; F1).

What is listed is what is declared: a key that is not here does not exist. Changes nothing.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from jp_tui.ui.keys import Section, words
from jp_tui.ui.text import blank, join, ours, styled

_KEYS, _DOES = 30, 28


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
            width: 100%; max-width: 104; height: auto; max-height: 100%; padding: 0 2; scrollbar-size-vertical: 1;
            background: $sheet-background; border: round $sheet-border; border-title-style: bold;
            border-subtitle-color: $muted-foreground;
        }
        Static { height: auto; }
    }
    """

    def __init__(self, *, sections: list[Section]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = ours("Keys")  # type: ignore[assignment]
            page.border_subtitle = ours("↑ ↓ PgUp PgDn scroll · Esc closes")  # type: ignore[assignment]
            page.can_focus = True
            yield Static(_page(self._sections))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_page(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), how)(animate=False)


def _page(sections: list[Section]) -> Content:
    lines: list[Content] = []
    for section in sections:
        lines += [styled(words(section.title), "bold $heading-foreground")]
        for row in section.rows:
            keys = styled(words(row.keys.ljust(_KEYS)), "$primary")
            does = words(row.does.ljust(_DOES))
            lines.append(join(ours("  "), keys, does, styled(words(row.tooltip), "$muted-foreground")))
        lines.append(blank())
    return join(*lines[:-1], sep=ours("\n"))
