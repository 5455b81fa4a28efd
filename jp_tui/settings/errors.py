"""Problems of the configuration or the command line, as values and as text.

A problem names file, line, key, the value found, the allowed values, and the nearest valid name. Text is made
printable: files and arguments are untrusted, and messages reach the terminal before a screen exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One problem. `file` is a path or another source (`--cfg`, a variable's name)."""

    message: str
    key: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    allowed: tuple[str, ...] = ()
    nearest: str = ""

    def words(self) -> str:
        """Return `FILE:LINE:COLUMN: KEY: problem (allowed: …). Did you mean …?` as one printable line."""
        place = printable(self.file)
        if self.file and self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        said = ": ".join(part for part in (place, printable(self.key), printable(self.message)) if part)
        if self.allowed:
            said += f" (allowed: {', '.join(printable(name) for name in self.allowed)})"
        if self.nearest:
            said += f". Did you mean {printable(self.nearest)}?"
        return said


class SettingsError(Exception):
    """Invalid configuration; `problems` lists all that were found, at least one. Exit status 2 (S1)."""

    def __init__(self, problems: SettingsProblem | Sequence[SettingsProblem]) -> None:
        self.problems = (problems,) if isinstance(problems, SettingsProblem) else tuple(problems)
        super().__init__("\n".join(problem.words() for problem in self.problems))

    @property
    def first(self) -> SettingsProblem:
        return self.problems[0]


class UsageError(Exception):
    """Invalid command line. One printable message; exit status 2 (S1)."""

    def __init__(self, message: str, nearest: str = "") -> None:
        text = printable(message) + (f". Did you mean {printable(nearest)}?" if nearest else "")
        super().__init__(text)
        self.nearest = nearest


def printable(text: str, limit: int = 300) -> str:
    """Return `text` as one line: unprintable characters become `\\u{…}`; text longer than `limit` is cut and marked."""
    shown = text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):X}}}" for c in shown)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name nearest to `name`, or an empty string."""
    from difflib import get_close_matches  # takes 4 ms; only needed for an error

    matches = get_close_matches(name[:80].lower(), list(known), n=1, cutoff=0.6)
    return matches[0] if matches else ""
