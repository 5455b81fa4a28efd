"""Read a script's TOML table by table: every mistake with file and line, unknown keys included (surface.md S22).

`script.py` defines the keys.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

MAX_BYTES = 256 * 1024
_DEEP_KEY = re.compile(r"""^[ \t\[]*(?:[\w-]+|"[^"]*"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]*"|'[^']*')){32}""", re.M)
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
T = TypeVar("T")


class ScriptProblem(ValueError):
    """Invalid script; `str()` is `file:line: problem`."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
        self.path, self.line, self.message = path, line, message


@dataclass(slots=True)
class ScriptTable:
    """Reader of one table that knows its place in the file, for error messages."""

    path: Path
    source: str
    table: Mapping[str, object]
    header: str = ""
    nth: int = 0
    seen: set[str] = field(default_factory=set)

    def problem(self, key: str, message: str) -> ScriptProblem:
        return ScriptProblem(self.path, self._line(key), f"`{key}` {message}" if key else message)

    def _line(self, key: str) -> int | None:
        """Find the line: tomllib reports none, so search the nth `[[header]]`, then the key before the next header
        (T21b)."""
        left, inside, head = self.nth, not self.header, None
        for number, line in enumerate(self.source.splitlines(), 1):
            stripped = line.strip()
            if re.fullmatch(r"\[+[^\]]*\]+\s*(#.*)?", stripped):
                name = stripped.split("]")[0].strip("[ \t")
                if self.header and name == self.header:
                    left -= 1
                    inside = left < 0
                    head = number if left == -1 else head
                elif inside and name == f"{self.header}.{key}".lstrip("."):
                    return number
                else:
                    inside = inside and bool(self.header) and name.startswith(self.header + ".")
            elif inside and key and re.match(rf"""["']?{re.escape(key)}["']?\s*[.=]""", stripped):
                return number
        return head

    def take(self, key: str, kind: type[T], default: T) -> T:
        self.seen.add(key)
        value = self.table.get(key, default)
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            words = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
            raise self.problem(key, f"must be {words[kind]}")
        return value

    def text(self, key: str) -> str:
        return self.take(key, str, "")

    def number(self, key: str, most: float = math.inf) -> float | None:
        """Return a number from 0 to `most`; None if absent."""
        self.seen.add(key)
        value = self.table.get(key)
        if value is None:
            return None
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not good or not 0 <= cast(float, value) <= most:
            raise self.problem(key, f"must be a number from 0{f' to {most:g}' if most < math.inf else ''}")
        return float(cast(float, value))

    def tables(self, key: str) -> list[Mapping[str, object]]:
        found = self.take(key, list, [])
        if not all(isinstance(item, dict) for item in found):
            raise self.problem(key, "must be a list of tables")
        return cast("list[Mapping[str, object]]", found)

    def done(self) -> None:
        for key in self.table:
            if key not in self.seen:
                raise self.problem(key, f"is not a key here (known: {', '.join(sorted(self.seen))})")


def load(path: Path) -> tuple[str, Mapping[str, object]]:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScriptProblem(path, None, f"cannot be read: {error.strerror or error}") from None
    try:
        source = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ScriptProblem(path, raw[: error.start].count(b"\n") + 1, "is not UTF-8") from None
    if len(raw) > MAX_BYTES:
        raise ScriptProblem(path, None, f"is larger than {MAX_BYTES // 1024} KiB")
    if deep := _DEEP_KEY.search(source):  # tomllib takes seconds for these (T18)
        raise ScriptProblem(path, source.count("\n", 0, deep.start()) + 1, "a key of more than 32 parts")
    try:
        return source, tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        words = _AT.sub("", str(error)).removesuffix(" (at end of document)")
        line = int(at[1]) if at else source.count("\n") + 1
        raise ScriptProblem(path, line, words + (f", column {at[2]}" if at else "")) from None
    except RecursionError:
        raise ScriptProblem(path, None, "is nested too deep") from None
