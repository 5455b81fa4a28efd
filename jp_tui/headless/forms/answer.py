"""The port of a prompt in lines: what one kind of answer shows, and what the lines typed at it mean (S4).

A `Prompt` owns one of these. No implementation inherits from another: what several share is a part that each owns
(`question.py`, `OptionChoices` in `choices.py`).
"""

# an empty method of a port is its default: most kinds of answers have nothing to do there

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from jp_tui.headless.forms.steps import PASTED, Outcome, Step, Words

AGAIN, HELP = ".", "?"
"""Lines that every prompt knows: show it again, and list all words."""
LETTERS = frozenset("bursew")
"""Letters that work without a colon where no line is free text."""


class AnswerLines(ABC):
    """One kind of answer. Pure, as all steps are."""

    letters = frozenset[str]()
    """Letters of words that work without a colon: none where any line may be the answer."""

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
        """True while more lines belong to those that came, so that none is thrown away between them."""
        return False

    @abstractmethod
    def body(self) -> Iterator[str]:
        """Yield what can be answered; of a decision about a call all that is decided on."""

    @abstractmethod
    def answer(self, line: str) -> Outcome:
        """Return what a line means that is no word of the prompt."""

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield (what is typed, what it does) for the line under the prompt."""
        yield from ()

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield (what is typed, what it does) for the list of all words."""
        yield from ()

    def word(self, word: str, rest: str) -> Outcome:
        """Return what a word of this kind means, which begins with a colon; None for an unknown one."""
        return None

    def claims(self, line: str, letters: frozenset[str]) -> bool:
        """Return True if a line belongs to the answer whatever words there are. `letters` work without a colon now."""
        return False

    def is_answer(self, typed: str) -> bool:
        """Return True if these very words are an answer, whatever else they are."""
        return False

    def pasted(self, lines: Sequence[str]) -> Outcome:
        """Return what several lines mean that came at once; no hand types so (E11)."""
        return Words(PASTED)

    def first(self) -> Step | None:
        """Return the step that the prompt opens with, when that is not the prompt itself."""
        return None

    def wrong(self, problems: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Yield what the engine's check of an answer says of each field; `problems` are JSON pointers and messages."""
        yield from ()
