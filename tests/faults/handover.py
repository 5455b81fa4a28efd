"""Typing while the program starts: what the guardian echoes and hands over must be exactly what was typed.

The real program in a real terminal, keys at any speed, in bursts and pastes cut anywhere, edits, keys that the
guardian does not know. What arrived is read by a stand-in for the user's editor, so every character counts. Typing is
the only thing here that passes time.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.conftest import REAL
from tests.faults.report import Found
from tests.faults.terminal import Terminal

LETTERS = "abcdefghijklmnopqrstuvwxyz     0123456789.,-+éüжя日本"
EDITOR = 'cp "$1" "$HOME/came.tmp" && mv "$HOME/came.tmp" "$HOME/came"\n'
UP = b"\x1b[?2026h"
"""Only the app writes it: its first frame."""
PASTE, PASTED = b"\x1b[200~", b"\x1b[201~"
ALTERNATE, DRAWN = b"\x1b[?1049h", b"\x1b[?2026l"
READY = "two sub-agents"
"""The end of what greets."""
Stroke = tuple[float, bytes]
"""Seconds to wait before it, and what is typed."""


class Line:
    """What a line of text is after each key."""

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0

    def insert(self, said: str) -> bytes:
        self.text = self.text[: self.cursor] + said + self.text[self.cursor :]
        self.cursor += len(said)
        return said.encode()

    def back(self) -> bytes:
        self.text = self.text[: max(self.cursor - 1, 0)] + self.text[self.cursor :]
        self.cursor = max(self.cursor - 1, 0)
        return b"\x7f"

    def delete(self) -> bytes:
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]
        return b"\x1b[3~"

    def left(self) -> bytes:
        self.cursor = max(self.cursor - 1, 0)
        return b"\x1b[D"

    def right(self) -> bytes:
        self.cursor = min(self.cursor + 1, len(self.text))
        return b"\x1b[C"

    def home(self) -> bytes:
        self.cursor = 0
        return b"\x01"

    def end(self) -> bytes:
        self.cursor = len(self.text)
        return b"\x05"


@dataclass
class Typing:
    """Strokes, and the text that they make; `early`: from the very start, before the terminal is raw; `line`: it stays
    one line, so that what is seen of it can be checked."""

    strokes: list[Stroke] = field(default_factory=list)
    text: str = ""
    early: bool = True
    line: bool = False


def _letters(dice: random.Random, count: int) -> str:
    return "x" + "".join(dice.choice(LETTERS) for _ in range(count - 2)) + "z"


def keys(rate: float, count: int) -> Callable[[random.Random], Typing]:
    """So many keys a second."""

    def made(dice: random.Random) -> Typing:
        text = _letters(dice, count)
        return Typing([(1 / rate, one.encode()) for one in text], text, line=count <= 40)

    return made


def burst(dice: random.Random) -> Typing:
    """All at once, at some moment of the start."""
    text = _letters(dice, 400)
    return Typing([(dice.uniform(0, 0.5), text.encode())], text)


def cut_bursts(dice: random.Random) -> Typing:
    """Bursts cut at any byte, inside a character as well."""
    text = _letters(dice, 400)
    data = text.encode()
    cuts = sorted(dice.sample(range(1, len(data)), 39))
    parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return Typing([(dice.uniform(0, 0.02), part) for part in parts], text)


def paste(dice: random.Random) -> Typing:
    """A paste of two lines with its marks, cut anywhere."""
    text = _letters(dice, 200) + "\n" + _letters(dice, 200)
    data = PASTE + text.encode() + PASTED
    at = dice.randrange(1, len(data))
    return Typing([(dice.uniform(0, 0.4), data[:at]), (dice.uniform(0, 0.09), data[at:])], text, early=False)


def edits(dice: random.Random) -> Typing:
    """Letters, backspaces and arrows."""
    line = Line()
    doing = (lambda: line.insert(dice.choice(LETTERS)),) * 3 + (line.back, line.left, line.right)
    return Typing([(dice.uniform(0, 0.01), dice.choice(doing)()) for _ in range(200)], line.text, early=False)


def unknown_keys(dice: random.Random) -> Typing:
    """Keys that only the app knows, between the others; few enough for one row, whose beginning Home goes to."""
    line = Line()
    doing = (lambda: line.insert(dice.choice(LETTERS)),) * 8 + (line.home, line.end, line.delete, line.left)
    return Typing([(dice.uniform(0, 0.02), dice.choice(doing)()) for _ in range(70)], line.text, early=False)


MODES: dict[str, Callable[[random.Random], Typing]] = {
    "2 keys/s": keys(2, 8),
    "10 keys/s": keys(10, 30),
    "40 keys/s": keys(40, 40),
    "200 keys/s": keys(200, 400),
    "one burst of 400": burst,
    "40 bursts cut at any byte": cut_bursts,
    "a paste, cut": paste,
    "200 edits": edits,
    "keys that the guardian does not know": unknown_keys,
}


def started(folder: Path, *more: str, size: tuple[int, int] = (80, 24)) -> Terminal:
    """The program, not waited for."""
    script = folder / "editor.sh"
    script.write_text(EDITOR)
    env = REAL.environment(folder) | {"COLORTERM": "truecolor", "EDITOR": f"sh {script}", "LANG": "C.UTF-8"}
    return Terminal([*REAL.command(folder), *more], env=env, cwd=folder, size=size)


def composed(terminal: Terminal) -> str | None:
    """What stands in the composer, when it has one line; None while there is no composer."""
    rows = terminal.screen.display
    inner = next(
        (rows[at + 1] for at, row in enumerate(rows[:-2]) if row.startswith("╭") and "╰" in rows[at + 2]), None
    )
    return None if inner is None else inner.strip().strip("│").strip()


def _watched(terminal: Terminal, typing: Typing) -> Iterator[str]:
    """What is wrong with what is seen."""
    shown = [""]

    def look() -> str:
        now = composed(terminal)
        if now is None:
            return "the composer was gone" if shown[0] else ""
        now = "" if now.startswith("Ask anything") else now
        before, shown[0] = shown[0], now
        return f"{before!r} became {now!r}" if len(now.split()) and not now.startswith(before.rstrip()) else ""

    while True:
        yield look() if typing.line and not terminal.modes.on.get(2026) else ""


def one(folder: Path, typing: Typing) -> str:
    """Type it while the program starts; what went wrong, in words, empty when nothing did."""
    terminal = started(folder)
    try:
        if not typing.early:
            terminal.wait(lambda: b"\x1b[?2004h" in terminal.seen, "the skeleton")
        watch, wrong = _watched(terminal, typing), ""
        for wait, data in typing.strokes:
            end = time.monotonic() + wait
            while (left := end - time.monotonic()) > 0:
                if data.endswith(PASTED):
                    time.sleep(left)  # reading would put an answer into the paste
                else:
                    terminal.pump(left)
                    wrong = wrong or next(watch)
            if data.startswith(PASTE) or data.endswith(PASTED):
                terminal.paste(data)
            else:
                terminal.send(data)
        while UP not in terminal.seen or READY not in terminal.text():
            before = len(terminal.seen)
            terminal.wait(lambda before=before: len(terminal.seen) > before, "the workspace")  # type: ignore[misc]
            wrong = wrong or next(watch)
        terminal.screen.reset()
        terminal.type("\x07")
        came = folder / "came"
        terminal.wait(came.exists, "the editor")
        found = came.read_text()
        terminal.wait(lambda: DRAWN in b"".join(terminal.seen.split(ALTERNATE)[2:]), "the workspace after the editor")
        if terminal.seen.count(ALTERNATE) > 2:  # once at the start, once after the editor
            wrong = wrong or "the alternate screen was taken twice"
        terminal.wait_text(REAL.ready)
        terminal.type("\x11")
        if code := terminal.wait_event("code"):
            wrong = wrong or f"it ended with {code}"
        terminal.wait_clean()
        return wrong or ("" if found == typing.text else f"{typing.text!r} arrived as {found!r}")
    finally:
        terminal.close()


def run(mode: str, seed: int) -> str:
    """One run of a mode in a folder of its own."""
    typing = MODES[mode](random.Random(f"{mode} {seed}"))
    with tempfile.TemporaryDirectory(prefix="jp-tui-handover-") as folder:
        try:
            wrong = one(Path(folder), typing)
        except AssertionError as error:
            wrong = str(error)
    return f"seed {seed}: {wrong}" if wrong else ""


def tried(whole: bool, seed: int) -> list[Found]:
    """Each way to type, fifty times or once."""
    found = []
    for mode in MODES:
        runs = range(seed, seed + (50 if whole else 1))
        failed = [wrong for wrong in (run(mode, one) for one in runs) if wrong]
        found.append(Found(f"typing through the start: {mode}", len(runs), failed))
        sys.stderr.write(f"  {mode}: {len(failed)} of {len(runs)} failed\n")
    return found
