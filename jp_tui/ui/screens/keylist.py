"""All keys, by where they work, made from the bindings (asking.md E5; F1).

What is listed is what is declared: a key that is not here does not exist. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from jp_tui.conversation.text import Foreign
from jp_tui.settings.errors import SettingsProblem
from jp_tui.ui.keys.bindings import NO_KEYMAP, KeyRow, KeySection, all_sections, counted, declared, words
from jp_tui.ui.keys.user_keys import FIXED
from jp_tui.ui.screens.listing import Listing
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.ui.widgets.text_field import TextField
from jp_tui.view.composer.commands import SlashCommand

_KEYS, _DOES, _WORDS = 35, 31, 30
"""Cells of the three columns; the last one at least."""
_SHORT = 22
"""Cells of a column where there is little room, and the names are wanted."""
_MOST, _EDGES = 112, 9
"""The widest the page gets, and how many of its cells are no text."""


class KeyList(ModalScreen[None], inherit_bindings=False):
    """A page of keys over the workspace."""

    BINDINGS = [
        Binding("escape,f1,q", "close", "close", id="keylist.close", tooltip="Close this page"),
        Binding("up,k", "page('scroll_up')", "up", show=False, id="keylist.up"),
        Binding("down,j", "page('scroll_down')", "down", show=False, id="keylist.down"),
        Binding("pageup,ctrl+u", "page('scroll_page_up')", "page up", show=False, id="keylist.page_up"),
        Binding("pagedown,space,ctrl+d", "page('scroll_page_down')", "page down", show=False, id="keylist.page_down"),
        Binding("home,g", "page('scroll_home')", "start", show=False, id="keylist.home"),
        Binding("end,G", "page('scroll_end')", "end", show=False, id="keylist.end"),
        Binding("slash", "search", "search", show=False, id="keylist.search"),
        Binding("ctrl+c", "app.break", "close; twice quits", show=False, id="keylist.break"),
    ]

    DEFAULT_CSS = """
    KeyList {
        align: center middle; background: $background 60%;
        VerticalScroll {
            width: 100%; max-width: 112; height: auto; max-height: 100%; padding: 0 2; scrollbar-size-vertical: 1;
            background: $sheet-background; border: round $sheet-border; border-title-style: bold;
            border-subtitle-color: $waiting-foreground; border-subtitle-style: bold;
        }
        Static { height: auto; }
        KeyLine { dock: bottom; padding: 0; }
        TextField { dock: top; display: none; }
        &.-search TextField { display: block; }
    }
    """

    def __init__(self, *, sections: list[KeySection], problems: Sequence[SettingsProblem] = ()) -> None:
        """`problems` are what is wrong in the user's own keys: they stand first."""
        super().__init__()
        self._sections, self._problems = sections, tuple(problems)

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = ours("Keys")
            page.can_focus = True
            yield TextField("search keys and actions", id="search")
            yield Static()
            line = KeyLine()
            line.hints = (
                Hint("esc", "close", "close", keep=True), Hint("pgdn", "on", "scroll_page_down"),
                Hint("pgup", "back", "scroll_page_up"), Hint("/", "search", "search"),
            )  # fmt: skip
            yield line

    def on_mount(self) -> None:
        self.set_focus(self.query_one(VerticalScroll), scroll_visible=False)
        self.post_message(Listing.Shown())

    def waits(self, words: str) -> None:
        """What waits for the human, on the frame: this may cover the line that says so (asking.md E50)."""
        self.query_one(VerticalScroll).border_subtitle = ours(words)

    def on_resize(self, event: events.Resize) -> None:
        self._paint(event.size.width)

    def _paint(self, width: int) -> None:
        found = matching(self._sections, self.query_one(TextField).value)
        page = (
            _page(found, min(width, _MOST) - _EDGES, named=self.has_class("-search"))
            if found
            else ours("No matching keys")
        )
        wrong = [foreign(Foreign(one.words()), mode="line", style="$failed-foreground") for one in self._problems]
        self.query_one(Static).update(join(*wrong, page, sep=ours("\n")))

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self._paint(self.size.width)

    @on(Input.Submitted)
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.query_one(VerticalScroll))

    def action_search(self) -> None:
        self.add_class("-search")
        self._paint(self.size.width)
        self.set_focus(self.query_one(TextField))

    def action_close(self) -> None:
        """Out of a search first, then away."""
        if self.has_class("-search"):
            self.remove_class("-search")
            self.query_one(TextField).value = ""
            self._paint(self.size.width)
            self.set_focus(self.query_one(VerticalScroll), scroll_visible=False)
        else:
            self.dismiss()

    @on(KeyLine.Pressed)
    def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        if event.action in ("close", "search"):
            getattr(self, f"action_{event.action}")()
        else:
            self.action_page(event.action)

    def on_click(self, event: events.Click) -> None:
        """Beside the page: away with it."""
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.dismiss()

    def action_page(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), how)(animate=False)


BEGINNINGS = (
    KeyRow("@ …", "Mention a file", "Sends its path, and images as attachments"),
    KeyRow("! …", "Run a shell command", "Runs in the workspace. Type !! to send text that starts with !"),
    KeyRow("//", "Send text that starts with /", "Is sent with one slash"),
)
"""What the first characters mean where one writes."""


def every_key(
    app: type[object],
    commands: Sequence[SlashCommand] = (),
    keymap: Mapping[str, str] = NO_KEYMAP,
    here: Sequence[type[object]] = (),
) -> list[KeySection]:
    """What is declared anywhere, with the user's own keys; first what works `here`, then the workspace. Imports the
    sheets: nobody pays for them at the start."""
    from jp_tui.ui.keys.scopes import titled

    places = titled(app)
    now = [one for one in places[3:] if one[1] in here]
    places = (*reversed(now), *(one for one in places if one not in now))
    found = merged(all_sections(*((title, declared(place, keymap)) for title, place in places)))
    written = tuple(KeyRow(f"/{one.name} {one.argument}".rstrip(), one.title, one.does) for one in commands)
    written = (*BEGINNINGS, *written) if written else ()
    at = len({title for title, _ in now}) + 2
    return [*found[:at], *([KeySection("Typed in the composer", written)] if written else []), *found[at:]]


def matching(sections: Sequence[KeySection], wanted: str) -> list[KeySection]:
    """The rows in which each of the words wanted stands, wherever; a section's title counts for all its rows."""
    words_ = wanted.casefold().split()
    found: list[KeySection] = []
    for section in sections:
        rows = tuple(
            row
            for row in section.rows
            if all(one in f"{section.title} {row.keys} {row.does} {row.tooltip} {row.id}".casefold() for one in words_)
        )
        found += [KeySection(section.title, rows)] if rows else []
    return found


def merged(sections: Sequence[KeySection]) -> list[KeySection]:
    """Sections of one title as one, in the place of the first."""
    found: dict[str, tuple[KeyRow, ...]] = {}
    for one in sections:
        found[one.title] = (*found.get(one.title, ()), *one.rows)
    return [KeySection(title, counted(rows)) for title, rows in found.items()]


def _page(sections: list[KeySection], width: int, *, named: bool = False) -> Content:
    """Three columns; where they do not fit, the explanations are left out. `named`: the names for `keys.toml` instead
    of the explanations, for what can have other keys."""
    explained = width >= _KEYS + _DOES + _WORDS
    lines: list[Content] = []
    for section in sections:
        lines.append(styled(words(section.title), "bold $heading-foreground"))
        for row in section.rows:
            room = _KEYS if explained or not named else _SHORT
            parts = [styled(words(row.keys), "$primary").pad_right(max(room - len(row.keys), 2)), words(row.does)]
            name = row.id if named and row.id.partition(".")[0] not in FIXED else ""
            if explained or name:
                parts[1] = parts[1].pad_right(max((_DOES if explained else _SHORT) - len(row.does), 2))
                parts.append(styled(words(name or row.tooltip), "$muted-foreground"))
            lines.append(cut(join(*parts), width).pad_left(2))
        lines.append(blank())
    return join(*lines[:-1], sep=ours("\n"))
