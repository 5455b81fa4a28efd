"""All keys by task and by place, made from the bindings (asking.md E5; F1).

It lists every declared key, so a key that isn't here doesn't exist. Changes nothing.
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
from jp_tui.ui.keys.bindings import NO_KEYMAP, KeyRow, KeySection, counted, declared, section, words
from jp_tui.ui.keys.user_keys import FIXED
from jp_tui.ui.screens.listing import Listing
from jp_tui.ui.screens.vi import break_key
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.ui.widgets.text_field import TextField
from jp_tui.view.composer.commands import SlashCommand

_KEYS, _WORDS = 33, 48
"""Cells of the columns of keys and of explanations."""
_SHORT, _NARROW, _WIDE = 18, 22, 96
"""Cells of the columns where the page is narrower than the last value; then short names are beside the ids."""
_MOST, _EDGES = 112, 9
"""Most cells of the page's width, and how many of them are not text."""


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
        break_key("keylist"),
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
        """`problems` are those of the user's own keys; they come first."""
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
                Hint("PgDn", "down", "scroll_page_down"), Hint("PgUp", "up", "scroll_page_up"),
                Hint("/", "search", "search"), Hint("Esc", "close", "close", keep=True),
            )  # fmt: skip
            yield line

    def on_mount(self) -> None:
        self.set_focus(self.query_one(VerticalScroll), scroll_visible=False)
        self.post_message(Listing.Shown())

    def waits(self, words: str) -> None:
        """Show the text about open questions on the frame, since the page may cover the line with it (asking.md
        E50)."""
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
        """Leave the search, else close the page."""
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
        """Close the page by a click beside it."""
        if self.get_widget_at(*event.screen_offset)[0] is self:
            self.dismiss()

    def action_page(self, how: str) -> None:
        getattr(self.query_one(VerticalScroll), how)(animate=False)


BEGINNINGS = (
    KeyRow("@ …", "Mention a file", "Mention a file; images are attached"),
    KeyRow("! …", "Run a shell command", "Run a shell command; !! sends a text that starts with !"),
    KeyRow("/ …", "Run a command", "Run a command of jp-tui"),
    KeyRow("// …", "Send text that starts with /", "Send a text that starts with /"),
)
"""First characters of a message that have a meaning."""


def every_key(
    app: type[object],
    commands: Sequence[SlashCommand] = (),
    keymap: Mapping[str, str] = NO_KEYMAP,
    here: Sequence[type[object]] = (),
) -> list[KeySection]:
    """Return all declared keys, with the user's own, by task; the task of the keys that work `here` first.

    Within a task the keys of all of the workspace come first, then those of each place under its title. Imports the
    sheets: the start doesn't pay for them.
    """
    from jp_tui.ui.keys.scopes import TASKS, task, titled

    places = titled(app)
    now = [kind for _, kind in places[3:] if kind in here]
    found: dict[tuple[str, str], list[KeyRow]] = {}
    first: list[tuple[str, str]] = []
    for title, kind in places:
        for row in section(title, declared(kind, keymap)).rows:
            place = (task(kind, row.id), title)
            found.setdefault(place, []).append(row)
            if kind in now and place not in first:
                first.insert(0, place)
    if commands:
        found[TASKS[1], "First characters of a message"] = list(BEGINNINGS)
        found[TASKS[-1], "Commands, typed in the composer"] = [
            KeyRow(f"/{one.name} {one.argument}".rstrip(), one.title, one.does) for one in commands
        ]
    tasks = sorted(TASKS, key=lambda one: (not first or one != first[0][0], TASKS.index(one)))
    order = sorted(found, key=lambda one: (tasks.index(one[0]), *((0, first.index(one)) if one in first else (1, 0))))
    return [KeySection(one[1], counted(dict.fromkeys(found[one])), one[0]) for one in order]


def matching(sections: Sequence[KeySection], wanted: str) -> list[KeySection]:
    """Return the rows that contain each of the words; a task and a title count for all their rows."""
    words_ = wanted.casefold().split()
    found: list[KeySection] = []
    for one in sections:
        rows = tuple(
            row
            for row in one.rows
            if all(
                word in f"{one.task} {one.title} {row.keys} {row.does} {row.tooltip} {row.id}".casefold()
                for word in words_
            )
        )
        found += [KeySection(one.title, rows, one.task)] if rows else []
    return found


def without_repeats(sections: Sequence[KeySection]) -> list[KeySection]:
    """Return the sections without rows that an earlier one of the same task has, with the same keys and words."""
    seen: set[tuple[str, str, str]] = set()
    found: list[KeySection] = []
    for one in sections:
        rows = tuple(row for row in one.rows if (one.task, row.keys, _explained(row)) not in seen)
        seen |= {(one.task, row.keys, _explained(row)) for row in rows}
        found += [KeySection(one.title, rows, one.task)] if rows else []
    return found


def _explained(row: KeyRow) -> str:
    """Return the one line that explains a key."""
    return row.tooltip or row.does[:1].upper() + row.does[1:]


def _page(sections: list[KeySection], width: int, *, named: bool = False) -> Content:
    """Return two columns: keys, and a line that explains them. `named`: a third one with the names for `keys.toml`."""
    room = _KEYS if width >= _WIDE else _SHORT
    lines: list[Content] = []
    before = ""
    for one in sections if named else without_repeats(sections):
        if one.task != before:
            lines += [blank()] if lines else []
            lines.append(styled(words(one.task), "bold $heading-foreground"))
        elif lines:
            lines.append(blank())
        before = one.task
        if one.title:
            lines.append(styled(words(one.title), "$heading-foreground").pad_left(2))
        for row in one.rows:
            name = row.id if named and row.id.partition(".")[0] not in FIXED else ""
            wide = width >= _WIDE
            says = styled(words(row.does if name and not wide else _explained(row)), "$foreground")
            if name:
                gap = max((_WORDS if wide else _NARROW) - says.cell_length, 2)
                says = join(says.pad_right(gap), styled(words(name), "$muted-foreground"))
            lines += _row(row.keys, says, room, width)
    return join(*lines, sep=ours("\n"))


def _row(keys: str, says: Content, room: int, width: int) -> list[Content]:
    """Return a row of the page: the keys that fit, then the explanation, wrapped under itself where it is longer."""
    shown = keys.split("  ")
    while len(shown) > 1 and len("  ".join(shown)) > room - 2:
        shown.pop()
    left = styled(words("  ".join(shown)), "$primary")
    if left.cell_length > room - 2:
        return [cut(left, width).pad_left(2), *(one.pad_left(room + 2) for one in says.wrap(width - room - 2))]
    parts = says.wrap(max(width - room - 2, 10))
    first = join(left.pad_right(room - left.cell_length), parts[0]).pad_left(2)
    return [first, *(one.pad_left(room + 2) for one in parts[1:])]
