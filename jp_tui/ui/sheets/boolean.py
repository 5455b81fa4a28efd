"""Yes or no, once or for the rest of the turn (R113, R183, R192, M33; asking.md E22)."""

from __future__ import annotations

from typing import ClassVar

from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.verdict import VERDICT, VerdictSheet
from jp_tui.ui.text import ours
from jp_tui.view import wording as w


class BooleanSheet(VerdictSheet):
    """A question that is answered with true or false."""

    BINDINGS: ClassVar = [*VERDICT]

    def rows(self) -> tuple[Row, ...]:
        question, dim = self.prompt.question, self.unseen
        mark = ours(w.DEFAULT)
        yes_mark = mark if question.has_default and question.default is True else None
        no_mark = mark if question.has_default and question.default is False else None
        if "remember" not in self.prompt.controls:
            return (Row("yes", ours(w.YES), ours("y"), yes_mark, dim=dim), Row("no", ours(w.NO), ours("n"), no_mark))
        return (
            Row("yes", ours(w.YES_ONCE), ours("y"), yes_mark, dim=dim),
            Row("yes_turn", ours(w.YES_TURN), ours("Y"), dim=dim),
            Row("no", ours(w.NO_ONCE), ours("n"), no_mark),
            Row("no_turn", ours(w.NO_TURN), ours("N")),
        )

    def decide(self, what: str) -> None:
        self.answered(what.startswith("yes"), remember=what.endswith("turn"))
