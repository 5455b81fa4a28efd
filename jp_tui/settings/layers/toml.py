"""Parse TOML to plain data with line and column of each key, and refuse hostile files early.

`tomllib` reports no lines for keys and needs seconds for a dotted key of 20,000 parts (traps.md T18, T21b), so a linear
scan runs first: it locates keys and enforces limits. Syntax errors are left to `tomllib`.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import Any

from jp_tui.settings.errors import SettingsError, SettingsProblem

MAX_BYTES = 512 * 1024  # of one file
MAX_KEY_PARTS = 32  # of one dotted key
MAX_DEPTH = 48  # of nested brackets
MAX_PATH = 64  # parts of a key including its tables
MAX_PLACES = 60_000  # of keys and of the tables around them

Path = tuple[str | int, ...]
Table = dict[str, Any]
Place = tuple[int, int]  # line and column, from 1

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Possessive groups are avoided: Python before 3.11.5 matches them wrongly when something in them backtracks.
_QUOTED = re.compile(r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|\'[^\'\n]*\'')
_SPACE = re.compile(r"[ \t]*+")
_BLANK = re.compile(r"[ \t\r\n]*(?:#[^\n]*[ \t\r\n]*)*")
_STRING = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"{1,2}(?!"))[^"\\]*)*"{3,5}|'
    r"'''[^']*(?:'{1,2}(?!')[^']*)*'{3,5}|" + _QUOTED.pattern,
    re.S,
)
_CLOSE = re.compile(r"[ \t\]]*+")
_PLAIN = re.compile(r"[^\"'#\[\]{},\n]+")


@dataclass(slots=True)
class Document:
    """Parsed file: its text (without a byte order mark), its data, the place of each key, and its bytes."""

    text: str
    tree: Table
    places: dict[Path, Place]
    data: bytes = b""


def read(file: str) -> Document | None:
    """Return the document in `file`, or None if the file doesn't exist. Raises SettingsError if it can't be used."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SettingsError(SettingsProblem(f"can't be read: {_reason(error)}", file=file)) from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise SettingsError(SettingsProblem("can't be read: it isn't a regular file", file=file))
        data = b""
        while len(data) <= MAX_BYTES and (more := os.read(handle, MAX_BYTES + 1 - len(data))):
            data += more
    except OSError as error:
        raise SettingsError(SettingsProblem(f"can't be read: {_reason(error)}", file=file)) from None
    finally:
        os.close(handle)
    return parse(data, file)


def parse(data: bytes, file: str) -> Document:
    """Return data and places of a TOML text. Raises SettingsError with line and column for a syntax error or an
    exceeded limit."""
    if len(data) > MAX_BYTES:
        raise SettingsError(SettingsProblem(f"is larger than {MAX_BYTES // 1024} KiB, the limit", file=file, line=1))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SettingsError(SettingsProblem("isn't valid UTF-8", file=file, line=line, column=column)) from None
    places = locate(text, file)
    return Document(text, loads(text, file), places, data)


def loads(text: str, file: str) -> Table:
    """Run `tomllib.loads`; raise its errors as SettingsError. Only for text checked by `locate` or written by
    jp-tui."""
    import tomllib  # takes 3 ms; skipped at a start without files

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SettingsError(SettingsProblem("is nested too deeply", file=file)) from None
    except ValueError as error:  # TOMLDecodeError, and the interpreter's limit on the digits of an integer
        said = str(error)
        where = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", said)
        if where is None:
            number = re.search(r"[\d_]{4000,}", text)
            line = text.count("\n", 0, number.start()) + 1 if number else 1
            raise SettingsError(SettingsProblem("a number has too many digits", file=file, line=line)) from None
        line, column = int(where[1] or text.count("\n") + 1), int(where[2]) if where[2] else None
        message = re.sub(r"\(('[^()]*)\)", _joined, said[: where.start()])
        raise SettingsError(SettingsProblem(message, file=file, line=line, column=column)) from None


def _joined(key: re.Match[str]) -> str:
    """Return a key of tomllib's messages, a tuple, as dotted text."""
    return ".".join(re.findall(r"'([^']*)'", key[1]))


def parse_value(text: str, where: str) -> Any:
    """Parse a value of `--cfg`, `config set` or a variable: TOML, or a bare word as a string (S5, S11)."""
    locate(f"v = {text}\n", where)
    try:
        tree = loads(f"v = {text}\n", where)
    except SettingsError:
        if text.lstrip()[:1] in ("[", "{", '"', "'"):
            raise SettingsError(SettingsProblem(f"isn't a valid TOML value: {text}", file=where)) from None
        return text
    value = tree["v"]
    if len(tree) != 1 or not isinstance(value, bool | int | float | str | list | dict):
        return text  # a second line, or a date: plain text, not a TOML value used here
    return value


def parse_key(text: str, where: str) -> tuple[str, ...]:
    """Return the parts of a dotted key, also quoted ones. Raises SettingsError for an invalid key."""
    scan = _Scan(text, where)
    parts = scan.key()
    if not parts or scan.at != len(text):
        raise SettingsError(SettingsProblem(f"isn't a valid key: {text}", file=where))
    return parts


def locate(text: str, file: str) -> dict[Path, Place]:
    """Return the place of each key (elements of arrays of tables count from 0), in one pass. Raises SettingsError
    beyond a limit."""
    return _Scan(text, file).document()


class _Scan:
    """One pass over a TOML text. Unknown syntax is skipped, because `tomllib` reports it."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file, self.at = text, file, 0
        self.places: dict[Path, Place] = {}
        self._counts: dict[Path, int] = {}
        self._line, self._line_start, self._counted = 1, 0, 0

    def document(self) -> dict[Path, Place]:
        base: Path = ()
        text = self.text
        while True:
            self.at = self._skip(_BLANK)
            if self.at >= len(text):
                return self.places
            if text[self.at] == "[":
                base = self._header()
            else:
                self._pair(base, depth=0)
            self._rest_of_line()

    def key(self) -> tuple[str, ...]:
        """Read the dotted key here; empty if there is none."""
        parts: list[str] = []
        while True:
            self.at = self._skip(_SPACE)
            found = _BARE.match(self.text, self.at) or _QUOTED.match(self.text, self.at)
            if found is None:
                return ()
            parts.append(_plain_part(found[0]))
            if len(parts) > MAX_KEY_PARTS:
                self._refuse(f"a key has more than {MAX_KEY_PARTS} parts")
            self.at = found.end()
            self.at = self._skip(_SPACE)
            if self.text[self.at : self.at + 1] != ".":
                return tuple(parts)
            self.at += 1

    def _header(self) -> Path:
        start, array = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if array else 1
        path = self._resolve(self.key())
        if array:
            number = self._counts.get(path, -1) + 1
            self._counts[path] = number
            self.places.setdefault(path, self._place(start))
            path = (*path, number)
        self._note((), path, self._place(start))
        self.at = self._skip(_CLOSE)
        return path

    def _pair(self, base: Path, depth: int) -> None:
        start = self.at
        key = self.key()
        if not key or self.text[self.at : self.at + 1] != "=":
            return
        self.at += 1
        path = (*base, *key)
        if len(path) > MAX_PATH:
            self._refuse(f"a key and its tables have more than {MAX_PATH} parts")
        self._note(base, path, self._place(start))
        self._value(path, depth)

    def _value(self, path: Path, depth: int) -> None:
        """Skip a value and record the keys of inline tables. Stop after it or at unknown syntax."""
        self.at = self._skip(_SPACE)
        opener = self.text[self.at : self.at + 1]
        if opener in ("[", "{"):
            self._inline(path, depth + 1, opener)
        elif found := _STRING.match(self.text, self.at) or _PLAIN.match(self.text, self.at):
            self.at = found.end()

    def _inline(self, path: Path, depth: int, opener: str) -> None:
        if depth > MAX_DEPTH:
            self._refuse(f"brackets are nested more than {MAX_DEPTH} deep")
        self.at += 1
        closer, number = ("]", 0) if opener == "[" else ("}", 0)
        while True:
            self.at = self._skip(_BLANK)
            before = self.at
            here = self.text[self.at : self.at + 1]
            if here in (closer, ""):
                self.at += len(here)
                return
            if here == ",":
                self.at += 1
                number += 1
            elif opener == "{":
                self._pair(path, depth)
            else:
                self._value((*path, number), depth)
            if self.at == before:
                return

    def _rest_of_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end + 1

    def _resolve(self, key: tuple[str, ...]) -> Path:
        """Return a header's key with the index of the array element it continues."""
        path: Path = ()
        for part in key[:-1]:
            path = (*path, part)
            if path in self._counts:
                path = (*path, self._counts[path])
        return (*path, *key[-1:])

    def _note(self, base: Path, path: Path, place: Place) -> None:
        for length in range(len(base) + 1, len(path) + 1):
            self.places.setdefault(path[:length], place)
        if len(self.places) > MAX_PLACES:
            self._refuse(f"there are more than {MAX_PLACES:,} keys")

    def _place(self, at: int) -> Place:
        if at >= self._counted:
            newline = self.text.rfind("\n", self._counted, at)
            if newline >= 0:
                self._line += self.text.count("\n", self._counted, at)
                self._line_start = newline + 1
            self._counted = at
        return self._line, at - self._line_start + 1

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at

    def _refuse(self, message: str) -> None:
        line, column = self._place(self.at)
        raise SettingsError(SettingsProblem(message, file=self.file, line=line, column=column))


def _plain_part(part: str) -> str:
    """Return a key part without quotes; an invalid TOML string stays unchanged, for `tomllib` to report."""
    if part[0] == '"' and "\\" in part:
        try:
            return str(loads(f"v = {part}", "")["v"])
        except SettingsError:
            return part
    return part[1:-1] if part[0] in "'\"" else part


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
