"""Port of a prompt in lines: what one kind of answer shows, and the meaning of lines typed at it (S4).

A `Prompt` owns one of these. No implementation inherits from another: shared behaviour is a part that each owns
(`question.py`, `OptionChoices` in `choices.py`).
"""

# an empty method of the port is its default: most kinds of answers have nothing to do there

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from jp_tui.headless.forms.steps import PASTED, Outcome, Step, Words

AGAIN, HELP = ".", "?"
"""Lines that every prompt accepts: show it again, and list all words."""
LETTERS = frozenset("bursew")
"""Letters that work without a colon where no line is free text."""


class AnswerLines(ABC):
    """One kind of answer. Pure, as all steps are."""

    letters = frozenset[str]()
    """Letters of words that work without a colon; none if any line may be the answer."""

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

    @abstractmethod
    def body(self) -> Iterator[str]:
        """Yield the possible answers; for a decision about a call also everything it concerns."""

    @abstractmethod
    def answer(self, line: str) -> Outcome:
        """Return the meaning of a line that isn't a word of the prompt."""

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield (what is typed, what it does) for the line under the prompt."""
        yield from ()

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield (what is typed, what it does) for the list of all words."""
        yield from ()

    def word(self, word: str, rest: str) -> Outcome:
        """Return the meaning of a word of this kind, which begins with a colon; None for an unknown one."""
        return None

    def claims(self, line: str, letters: frozenset[str]) -> bool:
        """Return True if a line belongs to the answer even if it looks like a word. `letters` work without a colon
        now."""
        return False

    def is_answer(self, typed: str) -> bool:
        """Return True if this exact text is an answer, even if it is also a word."""
        return False

    def pasted(self, lines: Sequence[str]) -> Outcome:
        """Return the meaning of several lines that arrived together, faster than anyone types (E11)."""
        return Words(PASTED)

    def first(self) -> Step | None:
        """Return the first step, if it isn't the prompt itself."""
        return None

    def wrong(self, problems: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Yield the engine's problems with an answer by field; `problems` are JSON pointers and messages."""
        yield from ()
