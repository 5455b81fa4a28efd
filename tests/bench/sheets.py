"""How long a form of a large schema, its JSON and a change of 2,000 hunks hold the screen's loop (issue 5, T4, T16).

Each case is a script of the scripted model in the whole program in a real pty; each step is a few keys and a pause,
and its figure the longest single step of the loop from the first key to the pause's end, read from `holds.py`.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench import holds
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 200.0

WITHIN = 0.1
"""Seconds that no single step may hold the loop (issue 5, "Bad input")."""
SIZE = 100_000
"""Characters of each schema and of the JSON that is pasted."""
HUNKS = 2_000
OPENED, PASTED, TYPED = "opened", "100 KB pasted", "typed in it"
QUIET = 0.6
"""Seconds without output after which a step is over: a verdict is asked for 0.15 s after the last key."""
TAB, ENTER, ESC, UP, DOWN, END, F6, F7, PAGE, BACK, DELETE = (
    b"\t", b"\r", b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[F", b"\x1b[17~", b"\x1b[18~", b"\x04", b"\x7f", b"\x1b[3~",
)  # fmt: skip
Found = dict[str, list[tuple[float, float]]]
"""By step, and by run: seconds that the longest hold lasted, and the most that one worked."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is pressed, one key after the other, and a text that shows that it was done."""

    name: str
    keys: tuple[bytes, ...]
    pause: float = 0.05
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A question that a script asks, what its sheet shows once it is open, and the steps."""

    name: str
    call: tuple[str, dict[str, Any]]
    there: str
    steps: tuple[Step, ...]


# Schemas of about 100 KB, each large in another way


def wide() -> dict[str, Any]:
    """900 properties."""
    return {
        "type": "object",
        "required": ["property_0", "property_5"],
        "properties": {
            f"property_{n}": {"type": "integer", "minimum": 0, "maximum": n, "description": "d" * 40}
            for n in range(900)
        },
    }


def deep() -> dict[str, Any]:
    """Objects in one another, as deep as is allowed, each with further properties."""
    found: dict[str, Any] = {"type": "string"}
    for level in range(28):
        more = {f"p{level}_{n}": {"type": "string", "description": "d" * 200} for n in range(14)}
        found = {"type": "object", "properties": {"inner": found, **more}}
    return found


def choices() -> dict[str, Any]:
    """A thousand values."""
    values = [f"choice {n} {'x' * 80}" for n in range(1000)]
    return {"type": "object", "properties": {"pick": {"enum": values}, "name": {"type": "string"}}}


def wordy() -> dict[str, Any]:
    """Long descriptions and titles."""
    texts = {"title": "A title that goes on " * 10, "description": "word and\nword " * 140}
    return {"type": "object", "properties": {f"p{n}": {"type": "string", **texts} for n in range(45)}}


def referring() -> dict[str, Any]:
    """Definitions that properties refer to, in two steps, and objects and lists among them."""
    defs: dict[str, Any] = {}
    for n in range(250):
        defs[f"d{n}"] = {"type": "object", "properties": {"a": {"$ref": f"#/$defs/s{n}"}, "b": {"type": "boolean"}}}
        defs[f"s{n}"] = {"type": "string", "minLength": 1, "description": "x" * 190}
    kinds = [{"$ref": f"#/$defs/d{n}"} if n % 2 else {"type": "array", "items": {"$ref": f"#/$defs/d{n}"}}
             for n in range(250)]  # fmt: skip
    return {"type": "object", "$defs": defs, "properties": {f"p{n}": one for n, one in enumerate(kinds)}}


def listing() -> dict[str, Any]:
    """A list of objects."""
    item = {"type": "object", "properties": {"name": {"type": "string"}, "count": {"type": "integer"}}}
    return {"type": "object", "properties": {"items": {"type": "array", "items": item}}}


def document(good: bool = True) -> str:
    """100 KB of JSON for `listing`; not `good`: with a wrong value in every entry."""
    items = [{"name": f"name number {n} of many", "count": n if good else "many"} for n in range(1350)]
    return json.dumps({"items": items}, indent=2)


def _asked(schema: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    question = {"id": "data", "text": "zqasked", "answer_type": "schema", "schema": schema} | more
    return "ask_user", {"questions": [question]}


FORM = (
    Step("20 fields", (TAB,) * 20, 0.03),
    Step("typed in a field", tuple(b"%d" % (n % 10) for n in range(15)), 0.03),
    Step("F6 and F6", (F6, F6, F6, F6), 0.3),
    Step("schema shown", (F7, F7), 0.3),
    Step("submitted", (b"\x13",)),
)
PICK = (
    Step("1,000 choices opened", (ENTER,)),
    Step("20 lines", (DOWN,) * 20, 0.03),
    Step("filtered", (b"/", b"9", b"9", ENTER), shows="choice 990"),
    Step("chosen", (ENTER,)),
    Step("opened again", (ENTER,)),
    Step("last line", (END,)),
    Step("F6 and F6", (F6, F6, F6, F6), 0.3),
)


def _pasted(text: str) -> bytes:
    return b"\x1b[200~" + text.encode() + b"\x1b[201~"


JSON = (
    Step("to the JSON", (F6,), 0.3),
    Step(PASTED, (DELETE, DELETE, _pasted(document())), 0.3, "fits"),
    Step(TYPED, (b"x", b"y", b"z"), shows=", column "),
    Step("taken back", (BACK, BACK, BACK), shows="fits"),
    Step("read through", (UP,) * 20, 0.03),
    Step("F6 and F6", (F6, F6, F6, F6), 0.3, "1350 entries"),
    Step("list opened", (F6, ENTER), 0.3),
    Step("submitted", (b"\x13",), shows="zqdone"),
)
WRONG = (
    Step("to the JSON", (F6,), 0.3),
    Step("100 KB with mistakes pasted", (DELETE, DELETE, _pasted(document(good=False))), 0.3, "50 problems"),
    Step("from mistake to mistake", (TAB,) * 10, 0.1),
    Step("typed", (b"x", b"y", b"z"), 0.3, ", column "),
    Step("taken back", (BACK, BACK, BACK), 0.3, "50 problems"),
    Step("F6 and F6", (F6, F6, F6, F6), 0.3),
    Step("submitted", (b"\x13",), shows="not submitted"),
)
TAKEN = (
    Step("20 times the next hunk", (b"]",) * 20, 0.05),
    Step("read on", (PAGE,) * 10, 0.05),
    Step("20 hunks left", (b" ", b"]") * 20, 0.05, "1980 of 2000"),
    Step("all taken, all left, all taken", (b"a", b"a", b"a"), 0.3, "0 of 2000"),
    Step("two columns and back", (b"t", b"t"), 0.5),
    Step("a comment", (b"c", b"w", b"h", b"y", ENTER), 0.1),
    Step("the whole screen and back", (b"\x06", b"\x06"), 0.5),
)


def cases(workspace: Path) -> list[Case]:
    """All of them; a file for the change is written to the workspace."""
    lines = [f"line {n} of a long file" if n % 9 else f"value_{n} = old" for n in range(1, 9 * HUNKS + 1)]
    (workspace / "long.txt").write_text("\n".join(lines) + "\n")
    change = {"path": "long.txt", "replace_all": True, "patterns": [{"old": "= old", "new": "= new"}]}
    listed = {"items": [{"name": f"name {n} of many others", "count": n} for n in range(1900)]}
    return [
        Case("900 properties", _asked(wide()), "zqasked", FORM),
        Case("28 levels", _asked(deep()), "zqasked", FORM),
        Case("1,000 values", _asked(choices()), "zqasked", PICK),
        Case("long texts", _asked(wordy()), "zqasked", FORM),
        Case("500 definitions", _asked(referring()), "zqasked", FORM),
        Case("JSON of 100 KB", _asked(listing()), "zqasked", JSON),
        Case("JSON with mistakes", _asked(listing()), "zqasked", WRONG),
        Case(
            "a list of 1,900",
            _asked(listing(), default=listed),
            "zqasked",
            (Step("unfolded", (ENTER,)), *FORM),
        ),
        Case(f"{HUNKS:,} hunks", ("fs_modify_file", change), "hunks", TAKEN),
    ]


def script(case: Case) -> str:
    """A script that asks at the first message."""
    name, arguments = case.call
    call = f'{{ name = "{name}", arguments = {_toml(arguments)} }}'
    return f'fallback = "zqdone"\n[[turns]]\ntext = "zqstate"\ncalls = [{call}]\n'


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def press(program: Program, keys: bytes) -> None:
    """Write a key or a paste, reading meanwhile: a pty holds 4 KB, and the program writes too."""
    while keys:
        if select.select([], [program.master], [], 0.01)[1]:
            keys = keys[os.write(program.master, keys[:2048]) :]
        program.read(0)


def held(case: Case, program: Program, log: Path) -> Iterator[tuple[str, tuple[float, float]]]:
    """The name of each step and its `holds.longest`; the first is the opening of the sheet."""
    program.first_key()
    program.settle(0.5)
    press(program, b"\x7f" * 9 + b"go")
    program.settle(0.3)
    began = time.monotonic()
    press(program, ENTER)
    program.wait(case.there)
    program.pass_time(2.0)  # a sheet opens after a second of silence, and then listens
    program.settle(QUIET)
    yield OPENED, holds.longest(log, began, time.monotonic())
    for step in case.steps:
        began, program.seen = time.monotonic(), b""
        for key in step.keys:
            press(program, key)
            program.pass_time(step.pause)
        if step.shows:
            program.wait(step.shows)
        program.settle(QUIET)
        yield step.name, holds.longest(log, began, time.monotonic())


def bare(program: Program, log: Path) -> Iterator[tuple[str, tuple[float, float]]]:
    """The same for Textual's own text area: 100 KB pasted into it, then keys."""
    program.wait("bare textual app")
    program.settle(0.5)
    for name, keys in ((PASTED, (_pasted(document()),)), (TYPED, (b"x", b"y", b"z"))):
        began = time.monotonic()
        for key in keys:
            press(program, key)
            program.pass_time(0.05)
        program.settle(QUIET)
        yield name, holds.longest(log, began, time.monotonic())


Started = AbstractContextManager[Program]


def rows(bench: Bench) -> list[Row]:
    """All rows of this part."""
    return measured(
        bench.folder, 1 if bench.quick else 5, lambda log: bench.watched(log, bench.BARE, "--text"),
        lambda log, model: bench.watched(log, "jp_tui", "--model", model),
    )  # fmt: skip


def measured(
    folder: Path, reps: int, bare_app: Callable[[Path], Started], ours: Callable[[Path, str], Started]
) -> list[Row]:
    """Two rows for each case, the opening and of all further steps the one that held the loop longest, beside the time
    that the processor worked in it; and two for a large text beside Textual's own text area.

    `bare_app(log)` and `ours(log, model)` start the programs.
    """
    log, path = folder / "holds", folder / "sheet.toml"
    area = _runs(reps, log, lambda: bare_app(log), bare)
    rows: list[Row] = []
    for case in cases(folder / "workspace"):
        path.write_text(script(case))
        found = _runs(reps, log, lambda: ours(log, f"demo/{path}"), partial(held, case))
        worst = max(found, key=lambda name: max(found[name]) if name != OPENED else (0.0, 0.0))
        rows += [_row(f"{case.name}, {name}", found[name]) for name in (OPENED, worst)]
        rows += [_row(f"{case.name}, {name}", found[name], area[name]) for name in area if name in found]
    return rows


def _runs(
    reps: int, log: Path, start: Callable[[], Started],
    steps: Callable[[Program, Path], Iterator[tuple[str, tuple[float, float]]]],
) -> Found:  # fmt: skip
    found: Found = {}
    for _ in range(reps):
        log.write_text("")
        with start() as program:
            for name, values in steps(program, log):
                found.setdefault(name, []).append(values)
    return found


def _row(what: str, ours: list[tuple[float, float]], theirs: list[tuple[float, float]] | None = None) -> Row:
    against = "work in it" if theirs is None else "bare text area"
    beside = [work for _, work in ours] if theirs is None else [one for one, _ in theirs]
    return Row(f"longest hold: {what}", [one for one, _ in ours], beside, against, tail=True, within=WITHIN)
