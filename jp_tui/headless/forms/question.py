"""What every question in lines has in common, whatever the type of its answer (inquiries.md R191, R182, R97b).

Shows context above the question, and what in it deceives; takes a note; leads to the editor of the arguments. It
reads no answer: that is `choices.py` and `typed.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.neutral import warnings
from jp_tui.conversation.strict_json import Json
from jp_tui.headless.forms.editing import edit_asked
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.steps import Outcome, Words, line, quoted, quoted_context
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.view.wording import questions as w

EMPTY = '""'
"""Typed, it is the empty text (E14)."""


class QuestionPrompt(Prompt):
    """What the types have in common: context above the question, its default, notes, edited arguments."""

    def __init__(self, prompt: PromptRequest, others: int = 0) -> None:
        super().__init__(prompt, others)
        self._question = prompt.question
        self._note = ""

    def _body(self) -> Iterator[str]:
        question = self._question
        yield from self._form.skipped()
        shown = [question.text, question.context or ""]
        if question.context:
            yield quoted_context(question.context)
        several = "\n" in question.text.strip()
        yield quoted(question.text) if several else line(question.text.strip())
        for option in getattr(question.answer_type, "options", ()):
            shown += [option.value, option.description]
        yield from self._choices()
        if found := warnings("\n".join(shown)):
            yield w.FOUND.format(kinds=", ".join(found))

    def _choices(self) -> Iterator[str]:
        yield from ()

    @property
    def _offered(self) -> tuple[Json, ...]:
        """What Enter may take: the answer before Back (R176), else the default; none when there is neither."""
        if self._prompt.prefill:
            return self._prompt.prefill
        return (self._question.default,) if self._question.has_default else ()

    @property
    def _mark(self) -> str:
        return w.BEFORE if self._prompt.prefill else w.DEFAULT

    def _enter(self) -> tuple[str, str]:
        """The key that takes it."""
        return "Enter", "takes your answer from before" if self._prompt.prefill else "takes the default"

    def _common(self) -> Iterator[tuple[str, str]]:
        if self._notes:
            yield ":n WORDS", "a note that goes with your answer"
        if "edit" in self._prompt.controls:
            yield ":e", "edits the arguments of the call; the tool starts again with them"
        yield from super()._common()

    @property
    def _notes(self) -> bool:
        return self._prompt.source != "assistant"

    def _word(self, word: str, rest: str) -> Outcome:
        if word == ":n" and self._notes:
            self._note = rest
            return Words("Your note goes with the answer." if rest else "The note is gone.")
        if word == ":e" and "edit" in self._prompt.controls:
            return edit_asked(self._prompt)
        return None

    def _said(self, value: Json, *, remember: bool = False) -> Answered:
        return Answered(value=value, remember=remember, note=self._note)
