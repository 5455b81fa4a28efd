"""Steps: lines in, an outcome out (surface S4, asking.md E60).

A prompt is a step (`prompt.py`), and some lines open a smaller one (an editor, a menu, a message) and return. Steps are
pure: they write, read and send nothing; `lines.py` and `question_loop.py` do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    Delivered,
    Edited,
    EndTurn,
    Permitted,
    Replied,
    Restored,
    Submitted,
    WentBack,
)
from jp_tui.view.wording.diff_lines import is_diff
from jp_tui.view.wording.white_space import in_diff

Response = Answered | Cancelled | Replied | EndTurn | Edited | Permitted | Delivered | WentBack | Restored | Submitted

PASTED = "Several lines arrived at once (a paste?). Enter the answer yourself."


@dataclass(frozen=True, slots=True)
class Words:
    """Text to show; the step continues."""

    text: str


@dataclass(frozen=True, slots=True)
class Back:
    """Return to the prompt itself, after showing this; `quiet`: the prompt isn't shown again."""

    text: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class AskedAside:
    """A side question to a model; the prompt stays open (E30)."""

    text: str


@dataclass(frozen=True, slots=True)
class SentAlong:
    """Side questions and replies are sent to the model with the results, or not (E30)."""

    send: bool


@dataclass(frozen=True, slots=True)
class TakesOver:
    """Decide a reviewer's question here (R156): the one with this number, else the oldest."""

    number: str


Wish = AskedAside | SentAlong | TakesOver


class Step(ABC):
    """Interprets lines."""

    @property
    def mark(self) -> str:
        """The sign before the cursor."""
        return "> "

    @property
    def hidden(self) -> bool:
        """True if typed text is not echoed."""
        return False

    @property
    def gathers(self) -> bool:
        """True while more lines belong to the previous ones, so that none between them is dropped."""
        return False

    def intro(self) -> Iterator[str]:
        """Yield the introduction, shown at the start and again for `.`."""
        yield from ()

    @abstractmethod
    def feed(self, line: str) -> Outcome:
        """Return the meaning of one line; None if more are needed."""

    def pasted(self, lines: Sequence[str]) -> Outcome:
        """Return the meaning of several lines that arrived together, faster than anyone types (E11)."""
        return Words(PASTED)


Outcome = Response | Wish | Words | Back | Step | None


class Sentence(Step):
    """One line of text; an empty one goes back, or answers with `empty` if given."""

    def __init__(self, asks: str, then: Callable[[str], Outcome], empty: Response | None = None) -> None:
        self._asks, self._then, self._empty = asks, then, empty

    def intro(self) -> Iterator[str]:
        yield self._asks

    def feed(self, line: str) -> Outcome:
        if line.strip():
            return self._then(line.strip())
        return self._empty or Back("Nothing was sent.")

    def pasted(self, lines: Sequence[str]) -> Outcome:
        return Gathered(lines, self._then)


class Gathered(Step):
    """Pasted lines: sent as one text only after an empty line."""

    gathers = True
    mark = "… "

    def __init__(self, lines: Sequence[str], then: Callable[[str], Outcome]) -> None:
        self._lines, self._then = list(lines), then

    def intro(self) -> Iterator[str]:
        yield f"{len(self._lines)} lines arrived at once. An empty line sends them, `:x` discards them."

    def feed(self, line: str) -> Outcome:
        if line.strip() == ":x":
            return Back("Forgotten.")
        if line:
            self._lines.append(line)
            return None
        while self._lines and not self._lines[-1].strip():
            self._lines.pop()
        return self._then("\n".join(self._lines)) if self._lines else Back("Nothing was sent.")

    def pasted(self, lines: Sequence[str]) -> Outcome:
        self._lines += lines
        return Words(next(self.intro()))


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """Line of a menu: its text, its effect, and its outcome (None: back)."""

    label: str
    does: str
    then: Response | Step | None


class Menu(Step):
    """Numbered lines; an empty line selects the first, which changes nothing."""

    def __init__(self, entries: Sequence[MenuEntry]) -> None:
        self._entries = entries

    def intro(self) -> Iterator[str]:
        for number, entry in enumerate(self._entries, 1):
            yield f"  {number}  {entry.label}: {entry.does}"

    def feed(self, line: str) -> Outcome:
        number = pick(line.strip() or "1", len(self._entries))
        if number is None:
            return Words(f"Enter a number from 1 to {len(self._entries)}.")
        return self._entries[number - 1].then or Back()


def quoted(text: str | Foreign) -> str:
    """Return untrusted text with a bar before each line, so that it can't pass for jp-tui's (E4)."""
    return "\n".join(f"| {one}" for one in neutralise(text, "approval").split("\n"))


def quoted_context(text: str) -> str:
    """Return the context of a question quoted; in a diff, changes of white space alone are marked (Z26)."""
    if not is_diff(text):
        return quoted(text)
    marked, words = in_diff(text)
    return f"{quoted(marked)}\n{words[:1].upper()}{words[1:]}." if words else quoted(marked)


def line(text: str | Foreign) -> str:
    """Return untrusted text in one line, with hidden characters and line breaks visible."""
    return neutralise(text, "approval").replace("\n", "⏎")


def pick(typed: str, most: int) -> int | None:
    """Return the typed number; None unless it is from 1 to `most`."""
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 8 else 0
    return number if 1 <= number <= most else None
