"""Yes or no, once or for the rest of the turn (R113, R183, R192, M33; asking.md E22)."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.content import Content

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas.yes_no import YES_NO_KEYS, YesNoBody
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import CopyRequested
from jp_tui.ui.text import join, ours
from jp_tui.view.questions.offered_prompt import is_outside
from jp_tui.view.questions.prompt_line import page_of
from jp_tui.view.wording import questions as w


def first(prompt: PromptRequest) -> str:
    """Return the answer that the cursor is on at first; empty for none."""
    question = prompt.question
    begins = prompt.prefill or ((question.default,) if question.has_default else ())
    if not (prompt.preselect or prompt.prefill):
        return ""
    if begins == (True,):
        return "yes"
    return "no" if begins == (False,) else ""


def rows(prompt: PromptRequest, *, unseen: bool) -> tuple[ChoiceRow, ...]:
    """Return yes and no, each with its marks; yes is dim while some of its context is `unseen`."""
    question = prompt.question
    default = question.default if question.has_default and prompt.preselect else None
    yes_mark, no_mark = _marks(prompt, True, default), _marks(prompt, False, default)
    outside = is_outside(prompt)
    if "remember" not in prompt.controls:
        return (
            ChoiceRow("yes", ours(w.YES), ours("y"), yes_mark, dim=unseen),
            ChoiceRow("no", ours(w.NO), ours("n"), no_mark),
        )
    return (
        ChoiceRow("yes", ours(w.YES), ours("y"), yes_mark, dim=unseen),
        ChoiceRow("no", ours(w.NO), ours("n"), no_mark),
        ChoiceRow("yes_turn", ours(w.YES_SESSION if outside else w.YES_REMEMBERED), ours("Y"), dim=unseen),
        ChoiceRow("no_turn", ours(w.NO_SESSION if outside else w.NO_REMEMBERED), ours("N")),
    )


def _marks(prompt: PromptRequest, value: bool, default: Json) -> Content | None:
    """Return the marks of the default and of the answer from before Back."""
    marks = [ours(w.DEFAULT)] if default is value else []
    marks += [ours(w.BEFORE)] if prompt.prefill == (value,) else []
    return join(*marks, sep=ours(" ")) if marks else None


class BooleanArea(AnswerArea):
    """A question that is answered with true or false."""

    BINDINGS: ClassVar[list[Binding]] = [
        *YES_NO_KEYS,
        Binding("c", "copy_address", "Copy address", id="sheet.copy", tooltip="Copy the address of the page"),
    ]
    body: YesNoBody

    @classmethod
    def bindings_for(cls, prompt: PromptRequest) -> list[Binding]:
        return cls.BINDINGS if page_of(prompt) else [*YES_NO_KEYS]

    def __init__(self, sheet: AnswerSheet) -> None:
        self._sheet = sheet
        self.body = YesNoBody(
            sheet, rows=self._rows, decide=self._decide, unseen=sheet.reading.unseen, first=first(sheet.prompt),
            warned=sheet.prompt.human_only,
        )  # fmt: skip

    def _rows(self) -> tuple[ChoiceRow, ...]:
        return rows(self._sheet.prompt, unseen=self._sheet.reading.some_unseen)

    def _decide(self, what: str) -> None:
        rule = self.body.rule(what)
        self._sheet.answered(what.startswith("yes"), remember=what.endswith("turn") and rule is None, rule=rule)

    def texts(self) -> dict[str, Foreign]:
        return self.body.texts()

    def accept(self) -> None:
        self.body.accept()

    def action_copy_address(self) -> None:
        """Copy the address of the page that a server wants opened; the question stays."""
        if address := page_of(self._sheet.prompt):
            self._sheet.post_message(CopyRequested(address, "the address"))

    def answer_hints(self) -> list[Hint]:
        hints = self.body.hints()
        return [*hints, Hint("c", "copy address", "copy_address")] if page_of(self._sheet.prompt) else hints

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        return self.body.arranged(hints)
