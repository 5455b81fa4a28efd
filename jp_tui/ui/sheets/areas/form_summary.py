"""The summary of a form before it is submitted (R182b; asking.md E3, E23): every question with its answer, and Submit.

Enter on a question goes back to it, Enter on Submit submits; a digit only moves the cursor. Skipped questions are dim,
with the reason. It keeps no answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Submitted
from jp_tui.questions.types import Place
from jp_tui.ui.sheets import form_tabs as f
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.text import blank, cut, foreign, join, ours
from jp_tui.view.wording import questions as w

MOST = 300
"""Characters of an answer that a row shows."""
MARKS, GAP = 5, 2
"""Cells before a question, and between it and its answer."""
LEAST = 24
"""Least cells of an answer, which is always beside its question, in one row (S54)."""
_SUBMIT = ":submit"
_SIGNS = {"answered": "✓", "skipped": "–", "ahead": "○", "current": "○"}


class FormSummaryArea(AnswerArea, AnswerBody):
    """All answers of a form."""

    BINDINGS: ClassVar[list[Binding]] = [
        Binding(str(n), f"point({n})", f"Go to {n}", id=f"sheet.point{n}", show=False) for n in range(1, 10)
    ]

    def __init__(self, sheet: AnswerSheet) -> None:
        self.body = self
        self._sheet = sheet
        self._width = 80
        rows = self._rows()
        self._list = ChoiceList(*rows, cursor=len(rows) - 1, id="review")

    def _rows(self) -> tuple[ChoiceRow, ...]:
        """Return all rows, questions and answers cut so that each takes one row."""
        form = self._sheet.steps.form
        places = form.places if form else ()
        room = max(self._width - MARKS - 1, 8)  # a scroll bar takes a cell
        most = max(room - GAP - max(LEAST, room * 2 // 5), LEAST // 2)
        rows = [_row(number, place, most) for number, place in enumerate(places, 1)]
        rows.append(ChoiceRow(_SUBMIT, ours(w.SUBMIT, "bold"), detail=ours(w.SUBMIT_DOES)))
        heads = [one.label.cell_length + (one.tags.cell_length + GAP if one.tags else 0) for one in rows]
        rest = max(room - GAP - max(heads), LEAST)
        return tuple(replace(one, detail=cut(one.detail, rest) if one.detail else one.detail) for one in rows)

    def widgets(self) -> Sequence[Widget]:
        return (self._list,)

    @property
    def choices(self) -> ChoiceList:
        return self._list

    def height_at(self, width: int, room: int) -> int:
        if width != self._width:
            self._width = width
            self._list.rows = self._rows()
        return self._list.height_at(width)

    def place(self, rows: int) -> None:
        self._list.styles.height = max(rows, 1)
        self._list.call_after_refresh(self._list.show_cursor)

    def accept(self) -> None:
        row = self._list.current
        if row is None or row.id == _SUBMIT:
            self._sheet.answer(Submitted())
        else:
            self._sheet.steps.pick(row.id)

    def action_point(self, number: int) -> None:
        """Move the cursor to a row: a digit never submits or goes back."""
        if self._sheet.mode == "answer" and number < len(self._list.rows):
            self._list.to(number - 1)

    def answer_hints(self) -> list[Hint]:
        row = self._list.current
        sends = row is None or row.id == _SUBMIT
        return [
            Hint("Enter", "submit" if sends else "change this", "accept", keep=True), Hint("↑↓", "move", "move(-1)"),
        ]  # fmt: skip

    def picked(self, row: str) -> None:
        place = self._list.place(row)
        if place is not None and self._sheet.mode == "answer" and self._sheet.armed:
            self._list.to(place)
            self.accept()


def _row(number: int, place: Place, most: int) -> ChoiceRow:
    sign = ours("{sign} ", "$text-success" if place.state == "answered" else "", sign=Foreign(_SIGNS[place.state]))
    tags = ours(w.FIXED) if place.fixed else None
    text = texts.line(place.text, most)
    says = ours("{id}  {text}", id=f.name(place.id), text=text) if place.id != place.text else text
    return ChoiceRow(
        place.id,
        cut(join(sign, says), max(most - (tags.cell_length + GAP if tags else 0), LEAST // 2)),
        key=ours("{n}", n=number) if number < 10 else None,
        tags=tags,
        detail=_answer(place),
        dim=place.state == "skipped",
    )


def _answer(place: Place) -> Content:
    if place.state == "skipped":
        return ours(w.SKIPPED, because=Foreign(place.because))
    return answer_content(place.answer) if place.state == "answered" else blank()


def answer_content(value: Json) -> Content:
    """Return an answer as text, its length bounded."""
    match value:
        case True:
            return ours(w.YES)
        case False:
            return ours(w.NO)
        case "" | []:
            return ours(w.EMPTY_ANSWER)
        case str():
            text = value
        case list() if all(isinstance(one, str) for one in value):
            text = ", ".join(str(one) for one in value)
        case _:
            text = dump(value)
    shown = foreign(Foreign(text[:MOST].replace("\n", " ⏎ ")), mode="approval")
    return shown if len(text) <= MOST else join(shown, ours(w.CUT, n=len(text) - MOST), sep=ours(" "))
