"""The last screen of a conversation as it was painted, kept so that resuming shows it before anything is loaded.

One small file for each conversation, 0600, in the state folder. It holds the painted rows without the composer, and the
facts that they depend on: the conversation and its last event, the size and kind of the terminal, all settings. The
rows are shown only if every fact is the same; any doubt or fault counts as no screen. The content isn't trusted: the
numbers are checked, text is printable, everything has a limit, so a forged file can at most show wrong words.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from jp_tui.first_frame.saved_look import read_own, sgr
from jp_tui.system.paths import PathsError, private_folder, write_passing

MAGIC = "jp-tui last screen 1"
MOST = 262_144
"""Bytes of a file. A terminal of 300 by 100 cells in many colours has a third of them."""
KEPT = 8
"""Number of files, the newest: as many conversations as a user switches between."""
_FOLDER = "last-screens"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_LONGEST = 100
_BLANKS = frozenset("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
"""Spaces that `str.isprintable` doesn't accept and that only take cells."""

Size = tuple[int, int]
"""Columns and rows."""
Run = tuple[str, str]
"""SGR numbers and text."""
Row = tuple[int, int, list[Run]]
"""Row and column of the first cell, from 0, and the runs from there on."""


@dataclass(frozen=True, slots=True)
class PaintedScreen:
    """Content of the idle screen: the end of a conversation, up to its event `last_seq`."""

    conversation: str
    last_seq: int
    title: str
    model: str
    beside: bool
    """True if the sidebar is shown wherever there is room."""
    size: Size
    rows: list[Row]


def _file(state: Path, conversation: str) -> Path | None:
    named = 0 < len(conversation) <= _LONGEST and _NAME.issuperset(conversation)
    return state / _FOLDER / conversation if named else None


def any_kept(state: Path) -> bool:
    """True if there may be a screen of some conversation."""
    return os.path.isdir(state / _FOLDER)


def keep(state: Path, conversation: str, facts: str, rows: list[Row]) -> None:
    """Keep a screen in the `state` folder; no file and no error if that is impossible."""
    file, text = _file(state, conversation), written(facts, rows)
    with contextlib.suppress(OSError, PathsError):
        if file is None:
            return
        if text is None or len(data := text.encode("utf-8", "replace")) > MOST:
            file.unlink(missing_ok=True)
            return
        write_passing(private_folder(file.parent) / file.name, data)
        _trim(file.parent)


def forget(state: Path, conversation: str) -> None:
    """Remove the screen of a conversation that is deleted."""
    if (file := _file(state, conversation)) is not None:
        with contextlib.suppress(OSError):
            file.unlink()


def _trim(folder: Path) -> None:
    """Remove all but the newest files, and what a write that was killed left behind."""
    found = sorted(
        ((one.stat(follow_symlinks=False).st_mtime_ns, one.path) for one in os.scandir(folder)), reverse=True
    )
    for _, path in found[KEPT:]:
        os.unlink(path)


def load(state: Path, conversation: str, facts: str, size: Size) -> str | None:
    """The kept screen as terminal output; None if there is none for exactly these facts and this size."""
    file = _file(state, conversation)
    _, text = read_own(b"" if file is None else os.fsencode(file), MOST)
    rows = None if text is None else parse(text, facts, *size)
    return None if rows is None else painted(rows)


def written(facts: str, rows: list[Row]) -> str | None:
    """The text of a file; None if some text can't be in it."""
    lines = [MAGIC, facts]
    for y, x, runs in rows:
        if not all(sgr(codes) and _printable(text) for codes, text in runs):
            return None
        lines.append("\t".join([str(y), str(x), *(part for run in runs for part in run)]))
    return "\n".join(lines) + "\n"


def parse(text: str, facts: str, width: int, height: int) -> list[Row] | None:
    """Decode a file's text for a screen of this size; None for any fault and for other facts."""
    magic, _, rest = text.partition("\n")
    known, _, rest = rest.partition("\n")
    if magic != MAGIC or known != facts:
        return None
    rows = [_row(line, width, height) for line in rest.split("\n") if line]
    found = [row for row in rows if row is not None]
    return found if found and len(found) == len(rows) <= 2 * height else None


def _row(line: str, width: int, height: int) -> Row | None:
    y, x, *parts = line.split("\t")[: 2 + 2 * width] if line.count("\t") > 1 else ("", "")
    if not (_number(y, height) and _number(x, width) and parts and len(parts) % 2 == 0):
        return None
    runs = list(zip(parts[::2], parts[1::2], strict=True))
    sound = all(sgr(codes) and len(codes) <= _LONGEST and _printable(text) for codes, text in runs)
    # combining characters take no cell, so a row may have more characters than columns
    return (int(y), int(x), runs) if sound and sum(len(text) for _, text in runs) <= 4 * width else None


def _number(text: str, below: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4 and int(text) < below


def _printable(text: str) -> bool:
    return text.isprintable() or all(char.isprintable() or char in _BLANKS for char in text)


def painted(rows: list[Row]) -> str:
    """The rows as terminal output."""
    made = []
    for y, x, runs in rows:
        made.append(f"\x1b[{y + 1};{x + 1}H")
        made += [f"\x1b[0;{codes}m{text}" if codes else f"\x1b[0m{text}" for codes, text in runs]
    return "".join(made) + "\x1b[0m"
