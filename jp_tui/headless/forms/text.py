"""Questions answered by typing text: text, a secret (inquiries.md R185, R193; asking.md E14, E27).

`\\` before `:`, `.` or `?` makes a line text instead of a word. A secret is sent as typed and never shown again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.headless.forms.answer import AnswerLines
from jp_tui.headless.forms.question import EMPTY, AskedQuestion
from jp_tui.headless.forms.steps import Gathered, Outcome, Words, quoted
from jp_tui.view.wording import questions as w

_WORDS = frozenset({".", "?", ":w", ":s", ":r", ":c", ":e", ":b", ":u", ":f", ":?", ":a"})
"""Lines that are words, not the secret."""


def _unescaped(line: str) -> str:
    return line[1:] if line[:1] == "\\" and line[1:2] in (":", ".", "?", "\\") else line


class TextLines(AnswerLines):
    """Text, over several lines where a line ends in a backslash, or where it was pasted."""

    def __init__(self, question: AskedQuestion) -> None:
        self._question = question
        self._lines: list[str] = []

    @property
    def gathers(self) -> bool:
        return bool(self._lines)

    @property
    def mark(self) -> str:
        return "… " if self._lines else "> "

    @property
    def _default(self) -> str | None:
        return next((one for one in self._question.offered if isinstance(one, str)), None)

    def body(self) -> Iterator[str]:
        if self._default is not None:
            yield f"{self._question.mark}:"
            yield quoted(self._default or w.EMPTY_OPTION)

    def keys(self) -> Iterator[tuple[str, str]]:
        yield "your answer", "in one line; `\\` at the end continues on the next"
        yield EMPTY, "is an empty text"
        if self._default is not None:
            yield self._question.enter()

    def claims(self, line: str, letters: frozenset[str]) -> bool:
        return bool(self._lines)

    def answer(self, line: str) -> Outcome:
        first = not self._lines
        if first and not line:
            return self._nothing()
        if line.endswith("\\") and not line.endswith("\\\\"):
            self._lines.append(_unescaped(line[:-1]) if first else line[:-1])
            return None
        self._lines.append(_unescaped(line) if first else line)
        text = "\n".join(self._lines)
        self._lines.clear()
        if not text.strip():
            return Words(f"The text is only spaces. {EMPTY} answers with an empty text.")
        return self._question.answered("" if text == EMPTY else text)

    def _nothing(self) -> Outcome:
        if self._default is not None:
            return self._question.answered(self._default)
        return Words(f"No text. {EMPTY} answers with an empty text.")

    def pasted(self, lines: Sequence[str]) -> Outcome:
        kept, self._lines = [*self._lines, *lines], []
        return Gathered(kept, self._question.answered)


class SecretLines(AnswerLines):
    """One line that is neither shown nor stored; only a few words, alone on the line, aren't the secret (R193, E27)."""

    hidden = True

    def __init__(self, question: AskedQuestion) -> None:
        self._question = question

    def keys(self) -> Iterator[tuple[str, str]]:
        yield "the secret", "not shown while you type"

    def body(self) -> Iterator[str]:
        """Yield nothing: a secret's default is never shown (R4)."""
        yield from ()

    def claims(self, line: str, letters: frozenset[str]) -> bool:
        return line not in _WORDS

    def answer(self, line: str) -> Outcome:
        if line[:1] == "\\" and line[1:] in _WORDS:
            return self._question.answered(line[1:])
        if not line:
            return Words(f"No text. {EMPTY} answers with an empty text.")
        return self._question.answered("" if line == EMPTY else line)
