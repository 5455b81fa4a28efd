"""Summary of a form before it is submitted, in lines (inquiries.md R182b; asking.md E3, E14, E23).

Every question with its number and answer, or why it was skipped. A number goes back to that question, and only the word
`submit` submits: neither a digit nor Enter ever does.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.headless.forms.answer import AnswerLines
from jp_tui.headless.forms.form_steps import BACKS, FormMoves
from jp_tui.headless.forms.steps import Outcome, Words, pick
from jp_tui.protocol.values import PromptRequest, Submitted
from jp_tui.view.wording import questions as w

SUBMIT = "submit"
NOT_YET = f"Not sent yet. `{SUBMIT}` sends these answers; a number goes back to that question."


class SummaryLines(AnswerLines):
    """All answers of a form, and the word that submits them."""

    letters = frozenset("burs")

    def __init__(self, prompt: PromptRequest) -> None:
        self._form = FormMoves(prompt)

    def body(self) -> Iterator[str]:
        yield w.REVIEW_TITLE
        yield from self._form.listed()

    def keys(self) -> Iterator[tuple[str, str]]:
        yield SUBMIT, w.SUBMIT_DOES
        yield "number", BACKS
        yield ":p NUMBER", "shows an answer in full"

    def word(self, word: str, rest: str) -> Outcome:
        match word:
            case ":submit" if not rest:
                return Submitted()
            case ":p":
                return self._form.whole(rest)
            case _:
                return None

    def answer(self, line: str) -> Outcome:
        typed = line.strip()
        if typed.lower() == SUBMIT:
            return Submitted()
        number = pick(typed, len(self._form.places))
        return Words(NOT_YET) if number is None else self._form.to(number)
