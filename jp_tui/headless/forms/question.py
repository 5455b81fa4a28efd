"""Shared part of all questions in lines, whatever their answer type (inquiries.md R191, R182, R97b).

Shows the context above the question, with warnings about deceptive characters; takes a note; opens the editor of the
arguments. Answers are read in `choices.py`, `hunks.py`, `text.py` and `schema.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jp_tui.conversation.neutral import warnings
from jp_tui.conversation.strict_json import Json
from jp_tui.headless.forms.editing import edit_asked
from jp_tui.headless.forms.form_steps import FormMoves
from jp_tui.headless.forms.steps import Outcome, Words, line, quoted, quoted_context
from jp_tui.protocol.values import Answered, PartsTaken, PromptRequest
from jp_tui.view.questions.prompt_line import in_context
from jp_tui.view.questions.rule_choice import RuleChoice
from jp_tui.view.wording import questions as w

EMPTY = '""'
"""Typed form of an empty text (E14)."""


class AskedQuestion:
    """A question, its default and the note that is sent with the answer."""

    def __init__(self, prompt: PromptRequest) -> None:
        self.prompt = prompt
        self.choice = RuleChoice.of(prompt)
        """The rules that Y and N make, None if they make none."""
        self._note = ""

    def shown(self, choices: Iterable[str]) -> Iterator[str]:
        """Yield the question with its context and `choices`, and a warning about deceptive text."""
        question = self.prompt.question
        yield from FormMoves(self.prompt).skipped()
        shown = [question.text, question.context or ""]
        if question.context:
            yield quoted_context(question.context)
        several = "\n" in question.text.strip()
        if not in_context(self.prompt):
            yield quoted(question.text) if several else line(question.text.strip())
        for option in getattr(question.answer_type, "options", ()):
            shown += [option.value, option.description]
        yield from choices
        if found := warnings("\n".join(shown)):
            yield w.FOUND.format(kinds=", ".join(found))

    @property
    def offered(self) -> tuple[Json, ...]:
        """Answer of Enter: the one before Back (R176), else the default; () if there is neither."""
        if self.prompt.prefill:
            return self.prompt.prefill
        question = self.prompt.question
        return (question.default,) if question.has_default else ()

    @property
    def mark(self) -> str:
        """Mark of `offered`."""
        return w.BEFORE if self.prompt.prefill else w.DEFAULT

    def enter(self) -> tuple[str, str]:
        """Return the key that answers with `offered`."""
        return "Enter", "keeps your earlier answer" if self.prompt.prefill else "uses the default"

    def answered(self, value: Json, *, remember: bool = False, parts: PartsTaken | None = None) -> Answered:
        """Return an answer with its note."""
        rule = self.choice.chosen if remember and self.choice is not None else None
        remembers = remember and rule is None
        return Answered(value=value, remember=remembers, note=self._note, parts=parts, rule=rule)

    def chosen_otherwise(self, typed: str) -> Words | None:
        """Change what Y and N make (AR18); None if that isn't what was typed."""
        if self.choice is None or (changed := self.choice.pressed(typed)) is None:
            return None
        self.choice = changed
        return Words(quoted(changed.everything()))

    # Words

    @property
    def _takes_notes(self) -> bool:
        return self.prompt.source != "assistant"

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield (what is typed, what it does) for the list of all words."""
        if self._takes_notes:
            yield ":n TEXT", "a note that is sent with your answer"
        if "edit" in self.prompt.controls:
            yield ":e", "edits the arguments of the call and restarts the tool"

    def word(self, word: str, rest: str) -> Outcome:
        """Return the meaning of a word common to all questions; None for an unknown one."""
        if word == ":n" and self._takes_notes:
            self._note = rest
            return Words("Your note is sent with the answer." if rest else "The note is removed.")
        if word == ":e" and "edit" in self.prompt.controls:
            return edit_asked(self.prompt)
        return None
