"""Decisions about a call, in lines: may it run, may its result be delivered (inquiries.md R86, R93, M34, M35).

What is decided on is shown whole before the choices, with nothing in it hidden. Enter never runs a tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.neutral import warnings
from jp_tui.headless.forms.editing import ResultEditor, edit_call
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.steps import Outcome, Response, Sentence, Step, Words, line, pick, quoted
from jp_tui.protocol.values import Delivered, Permitted
from jp_tui.view.questions.prompt_line import headline
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


class _Decision(Prompt):
    """Numbered choices with a key each."""

    letters = frozenset("sw")
    choices: tuple[tuple[str, str], ...]

    def _numbered(self) -> Iterator[str]:
        for number, (key, words) in enumerate(self.choices, 1):
            yield f"  {number}  {key}  {words}"

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield "a number or a letter", "chooses"

    def _answer(self, line: str) -> Outcome:
        typed = line.strip()
        number = pick(typed, len(self.choices))
        key = self.choices[number - 1][0] if number is not None else typed
        word, _, rest = key.partition(" ")
        return self._chosen(word, rest.strip()) or Words(f"a number from 1 to {len(self.choices)}, or its letter")

    def _chosen(self, key: str, rest: str) -> Outcome:
        raise NotImplementedError


class Permission(_Decision):
    """Leave to run a call (R86), decided on the call as it is shown (R90)."""

    choices = RUN

    def _body(self) -> Iterator[str]:
        prompt = self._prompt
        if prompt.rendered:
            yield quoted(prompt.rendered)
        if prompt.arguments and not prompt.rendered:
            yield quoted(prompt.arguments)
        if found := warnings(f"{prompt.rendered.raw}\n{prompt.arguments.raw}"):
            yield w.FOUND.format(kinds=", ".join(found))
        yield line(headline(prompt))
        yield from self._numbered()
        if "remember" in prompt.controls:
            yield w.COVERS.format(scope=line(prompt.remember_covers))

    def first(self) -> Step | None:
        return edit_call(self._prompt) if self._prompt.edit_first else None

    def _chosen(self, key: str, rest: str) -> Outcome:
        match key, rest:
            case (("y" | "Y" as yes), ""):
                return Permitted(run=True, remember=yes == "Y")
            case (("n" | "N" as no), ""):
                return Permitted(run=False, remember=no == "N")
            case "p", "":
                return Words(quoted(self._prompt.arguments))
            case "r", "":
                return Sentence("Why not, in one line; the model reads it. An empty one goes back.", _skipped)
            case "r", words:
                return _skipped(words)
            case "e", "":
                return edit_call(self._prompt)
            case _:
                return None


def _skipped(reason: str) -> Response:
    return Permitted(run=False, reason=reason)


class Delivery(_Decision):
    """Leave to deliver a result (R93). Enter alone delivers nothing (Z11)."""

    choices = DELIVER

    def _body(self) -> Iterator[str]:
        prompt = self._prompt
        yield "It failed with:" if prompt.is_error else "Its result:"
        yield quoted(prompt.result or w.EMPTY_OPTION)
        if found := warnings(prompt.result.raw):
            yield w.FOUND.format(kinds=", ".join(found))
        yield line(headline(prompt))
        yield from self._numbered()

    def first(self) -> Step | None:
        return ResultEditor() if self._prompt.edit_first else None

    def _chosen(self, key: str, rest: str) -> Outcome:
        match key, rest:
            case "y", "":
                return Delivered(deliver=True)
            case "n", "":
                return Delivered(deliver=False)
            case "e", "":
                return ResultEditor()
            case _:
                return None
