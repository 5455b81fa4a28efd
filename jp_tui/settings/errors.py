"""What is wrong with the configuration or the command line, as a value and as words.

A problem names file, line, key, what was found and what is allowed, and the nearest right name. It refuses to quote
anything unprintable: files and arguments are foreign, and these words go to a terminal before any screen is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One thing that is wrong. `file` is a path, or says where else (`--cfg`, a variable's name)."""

    message: str
    key: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    allowed: tuple[str, ...] = ()
    nearest: str = ""

    def words(self) -> str:
        """`FILE:LINE:COLUMN: KEY: what is wrong (allowed: …); did you mean …?` on one printable line."""
        place = printable(self.file)
        if self.file and self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        said = ": ".join(part for part in (place, printable(self.key), printable(self.message)) if part)
        if self.allowed:
            said += f" (allowed: {', '.join(printable(name) for name in self.allowed)})"
        if self.nearest:
            said += f"; did you mean {printable(self.nearest)}?"
        return said


class SettingsError(Exception):
    """The configuration cannot be used; `problems` holds all that was found, at least one. Exit status 2 (S1)."""

    def __init__(self, problems: SettingsProblem | Sequence[SettingsProblem]) -> None:
        self.problems = (problems,) if isinstance(problems, SettingsProblem) else tuple(problems)
        super().__init__("\n".join(problem.words() for problem in self.problems))

    @property
    def first(self) -> SettingsProblem:
        return self.problems[0]


class UsageError(Exception):
    """The command line cannot be used. One printable message; exit status 2 (S1)."""

    def __init__(self, message: str, nearest: str = "") -> None:
        text = printable(message) + (f"; did you mean {printable(nearest)}?" if nearest else "")
        super().__init__(text)
        self.nearest = nearest


def printable(text: str, limit: int = 300) -> str:
    """`text` on one line: what is not printable becomes `\\u{…}`, what is longer than `limit` is cut and says so."""
    shown = text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):X}}}" for c in shown)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that `name` most likely stands for, or an empty string."""
    from difflib import get_close_matches  # 4 ms, and only where something is wrong

    matches = get_close_matches(name[:80].lower(), list(known), n=1, cutoff=0.6)
    return matches[0] if matches else ""
