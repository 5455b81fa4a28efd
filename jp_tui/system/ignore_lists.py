"""Lists of files that models may not read, in the syntax of .gitignore (rules.md AR40).

A file is hidden if any list excludes it; a `!` of one list reaches no other. As in git, nothing below an excluded
folder comes back. Patterns are read here and not by `pathspec`, which differs from git in rare ones: this agrees with
`git check-ignore` on every generated list (tests/faults/ignored.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

NAME = ".jpignore"
"""In the workspace; the user's is `ignore` beside config.toml."""
MOST_BYTES, MOST_PATTERNS = 512 * 1024, 5_000
_LITERAL = re.compile(r"[^*?\[\\]*")
_CLASSES = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "cntrl": r"\x00-\x1f\x7f",
    "print": r"\x20-\x7e", "graph": r"\x21-\x7e",
}  # fmt: skip


IgnoreText: TypeAlias = tuple[str, str]
"""A list: its name for people, and its lines."""


class IgnoreProblem(Exception):
    """A list that cannot be used; its message names the file. Nothing may be read then."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`whole`: compared with the path, else with the last name."""

    line: int
    excludes: bool
    folders: bool
    whole: bool
    regex: re.Pattern[str]


class IgnoreList:
    """One list; `file` is its name for people."""

    def __init__(self, file: str, text: str) -> None:
        """Raises IgnoreProblem for too many patterns."""
        self.file = file
        self.patterns = list(_parsed(text))
        if len(self.patterns) > MOST_PATTERNS:
            raise IgnoreProblem(f"{file} has more than {MOST_PATTERNS:,} patterns")

    def line(self, path: str, folder: bool) -> int:
        """The line that hides this path, which is relative and has no links in it; 0 for none."""
        parts = _bytes(path).split("/")
        for count in range(1, len(parts) + 1):
            found = self._last("/".join(parts[:count]), parts[count - 1], folder or count < len(parts))
            if found is not None and found.excludes:
                return found.line
        return 0

    def _last(self, path: str, name: str, folder: bool) -> _Pattern | None:
        for pattern in reversed(self.patterns):
            if (folder or not pattern.folders) and pattern.regex.fullmatch(path if pattern.whole else name):
                return pattern
        return None


class IgnoreLists:
    """All lists together, for one workspace."""

    def __init__(self, texts: Iterable[IgnoreText]) -> None:
        """Raises IgnoreProblem."""
        self._lists = [found for one in texts if (found := _made(*one)).patterns]
        self.hidden = lru_cache(maxsize=100_000)(self._hidden)

    def __bool__(self) -> bool:
        return bool(self._lists)

    def _hidden(self, path: str, folder: bool = False) -> str:
        """`FILE:LINE` of what hides this path below the workspace, empty where nothing does."""
        for one in self._lists:
            if line := one.line(path, folder):
                return f"{one.file}:{line}"
        return ""


def read_texts(root: str, files: Sequence[str] = ()) -> tuple[IgnoreText, ...]:
    """The workspace's list and those of other files; a missing one is empty. Raises IgnoreProblem."""
    named = ((os.path.join(root, NAME), NAME), *((file, file) for file in files))
    return tuple((name, text) for file, name in named if (text := _text(file, name)))


@lru_cache(maxsize=16)
def _made(file: str, text: str) -> IgnoreList:
    return IgnoreList(file, text)


def _text(file: str, name: str) -> str:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as problem:
        raise IgnoreProblem(f"{name} cannot be read: {problem.strerror}") from None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as problem:
        raise IgnoreProblem(f"{name} cannot be read: {problem.strerror}") from None
    if len(data) > MOST_BYTES:
        raise IgnoreProblem(f"{name} is larger than {MOST_BYTES >> 10} KiB")
    return data.decode("utf-8-sig", "surrogateescape")


def _parsed(text: str) -> Iterable[_Pattern]:
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        while line.endswith(" ") and not _escaped(line, len(line) - 1):
            line = line[:-1]
        if not line or line.startswith("#"):
            continue
        excludes = not line.startswith("!")
        line = line if excludes else line[1:]
        folders = line.endswith("/")
        line = line[:-1] if folders else line
        if not line:
            continue
        whole = "/" in line
        regex = _regex(_bytes(line.removeprefix("/")))
        if regex is not None:
            yield _Pattern(number, excludes, folders, whole, regex)


def _bytes(text: str) -> str:
    """A character for each byte, as git compares them."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _escaped(line: str, at: int) -> bool:
    return (len(line[:at]) - len(line[:at].rstrip("\\"))) % 2 == 1


def _regex(glob: str) -> re.Pattern[str] | None:
    """None for a pattern that matches nothing."""
    made: list[str] = []
    at, literal = 0, len(_LITERAL.match(glob)[0])  # type: ignore[index]
    while at < len(glob):
        sign = glob[at]
        if sign == "*":
            end = at
            while glob[end : end + 1] == "*":
                end += 1
            # Git compares what is literal in front by itself: behind it `**` stands as at the beginning.
            before, after = glob[at - 1 : at] if at > literal else "", glob[end : end + 1]
            if end - at >= 2 and before in ("", "/") and after in ("", "/"):
                if after == "/":
                    made.append("(?:.*/)?")
                    end += 1
                else:
                    made.append(".*")
            else:
                made.append("[^/]*")
            at = end
        elif sign == "?":
            made.append("[^/]")
            at += 1
        elif sign == "[":
            found = _class(glob, at)
            if found is None:
                return None
            made.append(found[0])
            at = found[1]
        elif sign == "\\":
            if at + 1 == len(glob):
                return None
            made.append(re.escape(glob[at + 1]))
            at += 2
        else:
            made.append(re.escape(sign))
            at += 1
    return re.compile("".join(made), re.S)


def _class(glob: str, at: int) -> tuple[str, int] | None:
    """A set of characters from `[` on, and where it ends; None where it does not end."""
    at += 1
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    inside: list[str] = []
    first = True
    while True:
        sign = glob[at : at + 1]
        if not sign:
            return None
        if sign == "]" and not first:
            break
        first = False
        if sign == "[" and glob[at + 1 : at + 2] == ":":
            end = glob.find("]", at + 2)
            if end < 0:
                return None
            name = glob[at + 2 : end]
            if name.endswith(":"):
                if name[:-1] not in _CLASSES:
                    return None
                inside.append(_CLASSES[name[:-1]])
                at = end + 1
                continue
        if sign == "\\":
            at += 1
            sign = glob[at : at + 1]
            if not sign:
                return None
        if glob[at + 1 : at + 2] == "-" and glob[at + 2 : at + 3] not in ("", "]"):
            at += 2
            high = glob[at]
            if high == "\\":
                at += 1
                high = glob[at : at + 1]
                if not high:
                    return None
            if sign <= high:
                inside.append(f"{re.escape(sign)}-{re.escape(high)}")
        else:
            inside.append(re.escape(sign))
        at += 1
    body = "".join(inside)
    if not body:
        return ("[^/]" if negated else "(?!)"), at + 1
    return (f"(?:(?!/)[{'^' if negated else ''}{body}])"), at + 1
