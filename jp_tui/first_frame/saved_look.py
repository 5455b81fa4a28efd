"""The look of the last run's first frame: a small file that the app writes and the guardian reads (designs.md A.2).

Only `read_own` touches a file. The content isn't trusted: colours are digits, words are printable, everything has a
limit, and a file with any fault counts as no look. It holds what is drawn in the terminal's own colours, so it is valid
for one kind of terminal (`terminal_key`).
"""

from __future__ import annotations

import posix

from jp_tui.first_frame.typed_keys import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAGIC = "jp-tui first frame 1"
MOST = 8192
THEME = "jp-night"
"""Default theme."""
COLOURS = (
    "ground", "bar", "brand", "folder", "frame", "text", "hint", "cursor", "key", "label", "side", "edge",
)  # fmt: skip
"""Background, the two bars, `jp`, the folder, the composer's border, its text, its hint, the cursor, a key, what it
does, the sidebar and its edge."""
SIGNS = 9
"""The frame's corners and sides by rows, then the sidebar's edge."""
_LONGEST, _KEYS, _FOLDERS = 300, 12, 4
_NAMED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SAYS = (
    "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FILTERS", "LC_ALL", "LC_CTYPE",
    "LANG",
)  # fmt: skip
_OWN = "JP_TUI_UI__"


class Look:
    """Data of the frame: `colours` as SGR numbers by name; `signs`; the composer's `hint`; `keys` as (key, effect,
    rank: the lowest is dropped first if space is short); `place` and its spellings in `folders`, longest first; `side`
    is not 0 if the sidebar is there from the start."""

    def __init__(self) -> None:
        self.colours: dict[str, str] = {}
        self.terminal = self.signs = self.hint = self.place = ""
        self.keys: list[tuple[str, str, int]] = []
        self.folders: list[str] = []
        self.side = 0

    def written(self) -> str:
        """The text of the file."""
        lines = [MAGIC, f"terminal\t{self.terminal}", f"signs\t{self.signs}", f"says\t{self.hint}"]
        lines += [f"beside\t{self.side}"] + [f"{name}\t{self.colours[name]}" for name in COLOURS]
        lines += [f"keys\t{key}\t{does}\t{order}" for key, does, order in self.keys]
        if self.place:
            lines.append("\t".join(["place", self.place, *self.folders]))
        return "\n".join(lines) + "\n"


def parse(text: str) -> Look | None:
    """Decode a file's text; None for any fault."""
    lines = text.split("\n")
    if lines[0] != MAGIC or len(text) > MOST:
        return None
    look = Look()
    for line in lines[1:]:
        name, *values = line.split("\t")
        if line and not (all(map(_harmless, values)) and _read_value(look, name, values)):
            return None
    whole = look.hint and len(look.signs) == SIGNS and len(look.colours) == len(COLOURS)
    return look if whole else None


def _read_value(look: Look, name: str, values: list[str]) -> bool:
    if name in COLOURS and len(values) == 1:
        look.colours[name] = values[0]
        return sgr(values[0])
    if name in ("terminal", "signs", "says") and len(values) == 1:
        setattr(look, "hint" if name == "says" else name, values[0])
        return name == "terminal" or all(width(char) == 1 or name == "signs" for char in values[0])
    if name == "beside" and len(values) == 1 and values[0].isascii() and values[0].isdigit() and len(values[0]) <= 2:
        look.side = int(values[0])
        return True
    if name == "keys" and len(values) == 3 and len(look.keys) < _KEYS and values[2].isascii() and values[2].isdigit():
        look.keys.append((values[0], values[1], int(values[2][:3])))
        return all(width(char) == 1 or char in "↑↓←→" for char in values[0] + values[1])
    if name == "place" and 1 <= len(values) <= _FOLDERS + 1:
        look.place, look.folders = values[0], values[1:]
        return True
    return False


def sgr(codes: str) -> bool:
    """True if these are the numbers of an SGR sequence and nothing else."""
    return all(part.isascii() and part.isdigit() and len(part) <= 3 for part in codes.split(";") if part)


def _harmless(value: str) -> bool:
    return len(value) <= _LONGEST and value.isprintable()


def file_of(environment: Mapping[bytes, bytes], theme: str) -> bytes:
    """The path of the file: one for each `theme` given with `--theme`, one for all other runs; empty if unknown."""
    if theme and (len(theme) > 40 or not _NAMED.issuperset(theme)):
        return b""
    own, home = environment.get(b"JP_TUI_HOME", b""), environment.get(b"HOME", b"")
    state = environment.get(b"XDG_STATE_HOME", b"")
    if own:
        folder = (home + own[1:] if own == b"~" or own.startswith(b"~/") else own) + b"/state"
    elif state.startswith(b"/"):
        folder = state + b"/jp-tui"
    elif home.startswith(b"/"):
        folder = home + b"/.local/state/jp-tui"
    else:
        return b""
    return folder + b"/first-frame" + (b"." + theme.encode() if theme else b"")


def terminal_key(environment: Mapping[bytes, bytes]) -> str:
    """Everything that decides how colours and signs are written to this terminal, and the user's `ui` variables."""
    said = [environment.get(name.encode(), b"") for name in _SAYS]
    said += sorted(name + b"=" + value for name, value in environment.items() if name.startswith(_OWN.encode()))
    return b"\0".join(said).hex()[:_LONGEST]


def read_own(file: bytes, most: int) -> tuple[bool, str | None]:
    """Return whether the file exists, and its text; None if it isn't a regular file of this user with at most `most`
    bytes of UTF-8. Never blocks, and follows no link."""
    if not file or b"\0" in file:
        return False, None
    try:
        descriptor = posix.open(file, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except FileNotFoundError:
        return False, None
    except OSError:
        return True, None
    try:
        found = posix.fstat(descriptor)
        if found.st_mode & 0o170000 != 0o100000 or found.st_uid != posix.geteuid() or found.st_size > most:
            return True, None
        return True, posix.read(descriptor, most + 1).decode()
    except (OSError, UnicodeDecodeError):
        return True, None
    finally:
        posix.close(descriptor)


def chosen(environment: Mapping[bytes, bytes], theme: str) -> Look | None:
    """The look for this run and this terminal; without a file that of the default theme, where colours are certain."""
    there, text = read_own(file_of(environment, theme), MOST)
    if there:
        look = None if text is None else parse(text)
        return look if look is not None and look.terminal == terminal_key(environment) else None
    plain = environment.get(b"COLORTERM", b"") in (b"truecolor", b"24bit") and theme in ("", THEME)
    said = next((environment[name] for name in (b"LC_ALL", b"LC_CTYPE", b"LANG") if environment.get(name)), b"utf8")
    plain = plain and b"utf8" in said.lower().replace(b"-", b"")
    odd = (b"NO_COLOR", b"FORCE_COLOR", b"TEXTUAL_COLOR_SYSTEM", b"TEXTUAL_FILTERS")
    if not plain or any(name in environment for name in odd) or environment.get(b"TERM") in (b"linux", b"dumb", b""):
        return None
    return None if any(name.startswith(_OWN.encode()) for name in environment) else parse(DEFAULT)


DEFAULT = """\
jp-tui first frame 1
signs	╭─╮││╰─╯▏
says	Ask anything, or / for commands
beside	0
ground	48;2;16;18;27
bar	48;2;31;34;51
brand	1;38;2;122;162;247;48;2;31;34;51
folder	38;2;140;147;173;48;2;31;34;51
frame	38;2;122;162;247;48;2;16;18;27
text	38;2;200;211;245;48;2;16;18;27
hint	38;2;140;147;173;48;2;16;18;27
cursor	38;2;16;18;27;48;2;200;211;245
key	1;38;2;122;162;247;48;2;31;34;51
label	38;2;140;147;173;48;2;31;34;51
side	48;2;22;24;35
edge	38;2;43;46;59;48;2;22;24;35
keys	Enter	send	4
keys	Ctrl+J	new line	2
keys	Ctrl+G	editor	0
keys	Ctrl+B	sidebar	1
keys	Ctrl+P	palette	3
keys	F1	keys	5
"""
"""The default theme in a truecolor terminal. `tests/first_frame/test_skeleton.py` compares it with the screen."""
