"""Decisions about a call, in lines: may it run, may its result be delivered (inquiries.md R86, R93, M34, M35).

Prompts show everything the decision concerns, with hidden characters visible, then the choices. Enter never runs a
tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation.neutral import warnings
from jp_tui.headless.forms.answer import AnswerLines
from jp_tui.headless.forms.editing import ResultEditor, edit_call
from jp_tui.headless.forms.steps import Outcome, Response, Sentence, Step, Words, line, pick, quoted
from jp_tui.protocol.values import Delivered, Permitted, PromptRequest
from jp_tui.view.questions.prompt_line import headline
from jp_tui.view.questions.rule_choice import KEYS, RuleChoice
from jp_tui.view.wording import questions as w

RUN = (
    ("y", w.RUN),
    ("Y", w.RUN_TURN),
    ("n", w.SKIP),
    ("N", w.SKIP_TURN),
    ("p", w.PRINT_ARGUMENTS),
    ("r", w.SKIP_REPLY),
    ("e", w.EDIT_ARGUMENTS),
)
"""M34, with the keys of R86."""
DELIVER = (("y", w.DELIVER), ("n", w.SKIP_DELIVERY), ("e", w.EDIT_RESULT))
"""M35."""
_LETTERS = frozenset("sw")
_CHOOSES = "number or letter", "chooses"


class _NumberedKeys:
    """Numbered choices with a key each."""

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        self._choices = choices

    def listed(self) -> Iterator[str]:
        for number, (key, words) in enumerate(self._choices, 1):
            yield f"  {number}  {key}  {words}"

    def read(self, line: str) -> tuple[str, str]:
        """Return the key of a line, and the rest of the line."""
        typed = line.strip()
        number = pick(typed, len(self._choices))
        word, _, rest = (self._choices[number - 1][0] if number is not None else typed).partition(" ")
        return word, rest.strip()

    def problem(self) -> Words:
        return Words(f"Enter a number from 1 to {len(self._choices)}, or its letter.")


class PermissionLines(AnswerLines):
    """Permission to run a call (R86), decided on the call as it is shown (R90)."""

    letters = _LETTERS

    def __init__(self, prompt: PromptRequest) -> None:
        self._prompt, self._choices = prompt, _NumberedKeys(RUN)
        self._rule = RuleChoice.of(prompt)

    def body(self) -> Iterator[str]:
        prompt = self._prompt
        if prompt.rendered:
            yield quoted(prompt.rendered)
        if prompt.arguments and not prompt.rendered:
            yield quoted(prompt.arguments)
        if found := warnings(f"{prompt.rendered.raw}\n{prompt.arguments.raw}"):
            yield w.FOUND.format(kinds=", ".join(found))
        yield line(headline(prompt))
        yield from self._choices.listed()
        if self._rule is not None:
            yield line(self._rule.sentence())
            yield KEYS
        elif "remember" in prompt.controls:
            yield w.COVERS.format(scope=line(prompt.remember_covers))

    def first(self) -> Step | None:
        return edit_call(self._prompt) if self._prompt.edit_first else None

    def keys(self) -> Iterator[tuple[str, str]]:
        yield _CHOOSES

    def _permitted(self, key: str, *, run: bool) -> Response:
        rule = self._rule.chosen if self._rule is not None and key.isupper() else None
        return Permitted(run=run, remember=key.isupper() and rule is None, rule=rule)

    def answer(self, line: str) -> Outcome:
        if self._rule is not None and (changed := self._rule.pressed(line.strip())) is not None:
            self._rule = changed
            return Words(quoted(changed.everything()))
        match self._choices.read(line):
            case (("y" | "Y" as yes), ""):
                return self._permitted(yes, run=True)
            case (("n" | "N" as no), ""):
                return self._permitted(no, run=False)
            case "p", "":
                return Words(quoted(self._prompt.arguments))
            case "r", "":
                return Sentence("Enter a reason in one line; the model reads it. An empty line goes back.", _skipped)
            case "r", words:
                return _skipped(words)
            case "e", "":
                return edit_call(self._prompt)
            case _:
                return self._choices.problem()


def _skipped(reason: str) -> Response:
    return Permitted(run=False, reason=reason)


class DeliveryLines(AnswerLines):
    """Permission to deliver a result (R93). Enter alone delivers nothing (Z11)."""

    letters = _LETTERS

    def __init__(self, prompt: PromptRequest) -> None:
        self._prompt, self._choices = prompt, _NumberedKeys(DELIVER)

    def body(self) -> Iterator[str]:
        prompt = self._prompt
        yield "The tool failed with:" if prompt.is_error else "Result:"
        yield quoted(prompt.result or w.EMPTY_OPTION)
        if found := warnings(prompt.result.raw):
            yield w.FOUND.format(kinds=", ".join(found))
        yield line(headline(prompt))
        yield from self._choices.listed()

    def first(self) -> Step | None:
        return ResultEditor() if self._prompt.edit_first else None

    def keys(self) -> Iterator[tuple[str, str]]:
        yield _CHOOSES

    def answer(self, line: str) -> Outcome:
        match self._choices.read(line):
            case "y", "":
                return Delivered(deliver=True)
            case "n", "":
                return Delivered(deliver=False)
            case "e", "":
                return ResultEditor()
            case _:
                return self._choices.problem()
