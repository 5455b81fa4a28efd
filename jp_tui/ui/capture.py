"""Read the painted screen for the next start: the look of its first frame, and the last screen (designs.md A.2).

Colours are taken from the painted cells in the form that this terminal gets. Nothing is kept that doesn't fit the
geometry of the first frame, and a look that is kept already isn't written again.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from jp_tui.conversation.text import Foreign
from jp_tui.first_frame.last_screen import PaintedScreen, Row, Run
from jp_tui.first_frame.saved_look import COLOURS, DEFAULT, Look, file_of, parse, terminal_key
from jp_tui.first_frame.skeleton import composer_width
from jp_tui.system.paths import PathsError, write_passing
from jp_tui.ui.ascii_signs import ascii_text
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.text import foreign
from jp_tui.ui.textual_patches import output_gate
from jp_tui.ui.textual_patches.private import rendered
from jp_tui.view.activity.status import shortened

if TYPE_CHECKING:
    from rich.style import Style
    from textual.color import Color

    from jp_tui.ui.screens.workspace import WorkspaceScreen

Keys = list[tuple[str, str, int]]
ROOMS = (60, 24, 12, 8)
"""Cells that the status line gives to the folder, widest first (`widgets/status.py`)."""


class _Cells:
    """The cells of the painted screen."""

    def __init__(self, main: WorkspaceScreen) -> None:
        self._strips = rendered(main)
        self._main = main
        self.known = bool(self._strips)

    def at(self, x: int, y: int) -> tuple[str, str]:
        """Return the character and the SGR numbers of a cell."""
        for segment in self._strips[y].crop(x, x + 1):
            return segment.text, self.codes(segment.style)
        return " ", ""

    def runs(self, start: int, end: int, y: int) -> list[Run]:
        """Return the cells `start` to `end` of a row as they are written, neighbours of the same colours together."""
        found: list[Run] = []
        for text, style, _ in self._strips[y].crop(start, end):
            said, codes = output_gate.passed(text), self.codes(style)
            said = ascii_text(said) if output_gate.is_ascii() else said
            if found and found[-1][0] == codes:
                said = found.pop()[1] + said
            found.append((codes, said))
        return found

    def codes(self, style: Style | None) -> str:
        system = output_gate.color_system(self._main.app.console)
        return "" if style is None or system is None else Strip.render_ansi(style, system)

    def unpainted(self, style: Style, ground: Color) -> str:
        """Return the SGR numbers of a style that isn't on the screen now."""
        strip = Strip([Segment("x", style)])
        for one in self._main.app.get_line_filters():
            strip = strip.apply_filter(one, ground)
        return self.codes(next(iter(strip)).style)


def look_of(main: WorkspaceScreen, keys: Keys | None) -> Look | None:
    """Return the look of an empty composer's screen; None if the early frame couldn't draw it. `keys` are those of the
    first frame; without them the default ones are taken."""
    composer, sidebar = main.composer, main.query_one(Sidebar)
    width, height = main.size
    if composer.text or not composer.has_focus or composer.locked or main.app.screen is not main:
        return None
    look, cells = Look(), _Cells(main)
    if not cells.known:
        return None
    look.side = 1 if main.beside_at_start else 0
    inner, top = composer_width(look, width), height - 4
    region = composer.region
    if (region.x, region.y, region.width, region.height) != (0, top, inner, 3):
        return None
    places = {
        "bar": (0, 0), "brand": (1, 0), "folder": (5, 0), "ground": (1, top + 1), "frame": (0, top),
        "hint": (3, top + 1), "cursor": (2, top + 1), "key": (1, height - 1),
    }  # fmt: skip
    look.colours = {name: cells.at(*place)[1] for name, place in places.items()}
    look.colours["text"] = cells.unpainted(composer.rich_style, composer.background_colors[1])
    look.colours["label"] = _label(cells, width, height)
    corners = ((0, 0), (1, 0), (inner - 1, 0), (0, 1), (inner - 1, 1), (0, 2), (1, 2), (inner - 1, 2))
    look.signs = "".join(cells.at(x, top + y)[0] for x, y in corners)
    _beside(look, cells, sidebar, inner if inner < width else 0)
    look.hint = composer.placeholder.plain if not isinstance(composer.placeholder, str) else composer.placeholder
    default = parse(DEFAULT)
    look.keys = keys if keys is not None else default.keys if default is not None else []
    _name_place(look, main)
    look.terminal = terminal_key(os.environb)
    if output_gate.is_ascii():
        look.signs, look.hint = ascii_text(look.signs), ascii_text(look.hint)
        look.keys = [(ascii_text(key), does, order) for key, does, order in look.keys]
        look.folders = [ascii_text(folder) for folder in look.folders]
    return look if set(look.colours) == set(COLOURS) and parse(look.written()) is not None else None


def last_screen_of(main: WorkspaceScreen) -> PaintedScreen | None:
    """Return the end of the conversation as it is painted, without the composer and the keys.

    None unless the workspace is idle and shows nothing but what a resumed conversation would show, or if the frame of
    the next start would have another geometry.
    """
    status, transcript, composer = main.status, main.transcript, main.composer
    waits = status.waiting or status.put_off or status.elsewhere or status.reviewed or status.working
    unlike = waits or status.held_by or status.parent or status.trouble or not status.conversation
    if unlike or transcript is None or composer.text or main.app.screen is not main:
        return None
    if transcript.has_focus or main.query_one(Sidebar).has_focus or not main.sidebar_as_resumed:
        return None
    width, height = main.size
    wide, top = main.query_one(Sidebar).region.x if main.query_one(Sidebar).display else width, height - 4
    regions = (composer.region, (0, top, wide, 3)), (transcript.region, (0, 1, wide, top - 1))
    cells = _Cells(main)
    if not (last := transcript.plain_end) or any(tuple(found) != meant for found, meant in regions) or not cells.known:
        return None
    rows: list[Row] = [(y, 0, cells.runs(0, width, y)) for y in range(top)]
    rows += [(y, wide, cells.runs(wide, width, y)) for y in range(top, height - 1) if wide < width]
    return PaintedScreen(status.conversation, last, status.title.raw, status.model, main.beside, (width, height), rows)


def _label(cells: _Cells, width: int, height: int) -> str:
    """Return the SGR numbers of the first word in the last line that isn't a key."""
    key = cells.at(1, height - 1)[1]
    for x in range(2, width):
        char, codes = cells.at(x, height - 1)
        if char != " " and codes != key:
            return codes
    return key


def _beside(look: Look, cells: _Cells, sidebar: Sidebar, at: int) -> None:
    if at:
        look.signs += cells.at(at, 2)[0]
        look.colours["edge"], look.colours["side"] = cells.at(at, 2)[1], cells.at(at + 1, 2)[1]
        return
    from rich.style import Style

    ground = sidebar.styles.background
    edge = sidebar.background_colors[0] + sidebar.styles.border_left[1]  # Textual mixes it with the colour beneath
    look.signs += "▏"
    look.colours["side"] = cells.unpainted(Style(bgcolor=ground.rich_color), ground)
    look.colours["edge"] = cells.unpainted(Style(color=edge.rich_color, bgcolor=ground.rich_color), ground)


def _name_place(look: Look, main: WorkspaceScreen) -> None:
    """Set the folder if it is the one that the program was started in."""
    workspace, home = main.place
    with contextlib.suppress(OSError):
        here = os.getcwd()
        if os.path.samefile(workspace, here) and here.isprintable():
            look.place = here
            look.folders = [foreign(Foreign(shortened(workspace, home, room)), mode="line").plain for room in ROOMS]


def keep(look: Look, theme: str) -> None:
    """Write the look where the guardian reads it. No error if that is impossible: the next start has no frame then."""
    file = Path(os.fsdecode(file_of(os.environb, theme)))
    data = look.written().encode()
    with contextlib.suppress(OSError, PathsError):
        if file.name and not (file.is_file() and file.read_bytes() == data):
            write_passing(file, data)  # a file cut by a power failure isn't a valid look, and harmless
