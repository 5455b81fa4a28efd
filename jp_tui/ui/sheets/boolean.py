"""Yes or no, once or for the rest of the turn (R113, R183, R192, M33; asking.md E22)."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content

from jp_tui.conversation.strict_json import Json
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.verdict import VERDICT, VerdictSheet
from jp_tui.ui.text import join, ours
from jp_tui.view.wording import questions as w


class BooleanSheet(VerdictSheet):
    """A question that is answered with true or false."""

    BINDINGS: ClassVar = [*VERDICT]

    def first(self) -> str:
        if not (self.prompt.preselect or self.prompt.prefill):
            return ""
        if self.begins == (True,):
            return "yes"
        return "no" if self.begins == (False,) else ""

    def rows(self) -> tuple[Row, ...]:
        question, dim = self.prompt.question, self.unseen
        default = question.default if question.has_default and self.prompt.preselect else None
        yes_mark, no_mark = self.marks(True, default), self.marks(False, default)
        if "remember" not in self.prompt.controls:
            return (Row("yes", ours(w.YES), ours("y"), yes_mark, dim=dim), Row("no", ours(w.NO), ours("n"), no_mark))
        return (
            Row("yes", ours(w.YES_ONCE), ours("y"), yes_mark, dim=dim),
            Row("yes_turn", ours(w.YES_TURN), ours("Y"), dim=dim),
            Row("no", ours(w.NO_ONCE), ours("n"), no_mark),
            Row("no_turn", ours(w.NO_TURN), ours("N")),
        )

    def marks(self, value: bool, default: Json) -> Content | None:
        """Whether that is the default, or what was answered before Back."""
        marks = [ours(w.DEFAULT)] if default is value else []
        marks += [ours(w.BEFORE)] if self.prompt.prefill == (value,) else []
        return join(*marks, sep=ours(" ")) if marks else None

    def decide(self, what: str) -> None:
        self.answered(what.startswith("yes"), remember=what.endswith("turn"))
