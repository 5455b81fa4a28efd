"""The layout of a sheet: which of its parts are visible, and how many rows each gets (E1, E5, E61, Z14).

The arithmetic is `plan.py`'s. With less than can be reviewed the sheet is cramped: it says so and takes no answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.row_budget import ROOMY, TIGHT, RowNeeds, RowShares, share
from jp_tui.ui.text import blank, ours
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

EDGES = 2
"""Rows and columns of the frame's border on both sides together; columns have a blank beside each."""
NOTICE_ROWS = 3
"""Rows of a notice where there are few."""


class SheetLayout:
    """Shares out the rows of one sheet."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self.cramped = False
        self.squeezed = False
        """There is little room: a text that the user reads in between takes the context's place."""
        self.full = False
        """The sheet has the whole screen, to read in."""
        self.reason_whole = False
        """The banner shows all of the reviewer's reason."""
        self.extra: list[Hint] = []
        """The keys that the dock adds to the last line."""
        self._answering = True  # whether the mode leaves the answers visible
        self._large: Field | None = None  # the field that is in their place

    def place(self) -> None:
        """Set which parts are visible in the sheet's mode."""
        sheet = self._sheet
        sheet.menu.list.display = sheet.mode == "menu"
        written = next((slot for slot in sheet.slots if slot.field is sheet.writing), None)
        in_place = sheet.area.body.in_place
        beside = written is None or written.beside or written.field is in_place
        for slot in sheet.slots:
            here = slot is written
            slot.title.display = here and slot.field is not in_place
            kept = sheet.mode == "answer" and not slot.large and bool(slot.field.text)
            slot.field.display = here or kept
        self._answering = sheet.mode != "menu" and beside
        self._large = written.field if written and written.large else None
        answers = sheet.area.body.widgets()
        for widget in answers:
            widget.display = self._answering
        for view in sheet.reading.views:
            view.display = view is sheet.reading.view and not self.cramped and self._large is None
        for part in (sheet.question, sheet.line, sheet.steps.tabs, sheet.banner):
            if part:
                part.display = not self.cramped
        sheet.warning.display = not self.cramped and bool(sheet.warning.content)
        if self.cramped:
            sides = [part for slot in sheet.slots for part in (slot.title, slot.field)]
            for hidden in (*answers, sheet.menu.list, sheet.why, *sides):
                hidden.display = False

    def lay_out(self, width: int, room: int, extra: list[Hint]) -> None:
        """Share out `room` rows at an outer `width`; `extra` are the keys that the dock adds to the last line."""
        sheet, inner = self._sheet, width - 2 * EDGES
        if inner < 1:
            return
        self.squeezed = room < ROOMY
        was, self.extra = self._uncramped(), extra
        if sheet.banner:
            sheet.banner.rows = sheet.banner.height_at(inner, room // 4)
            self.reason_whole = sheet.banner.whole_at(inner)
        sheet.line.note = None if sheet.armed else ours(w.SENT) if sheet.done else ours(w.DEAF)
        hints = (*sheet.hints(), *extra)
        sheet.line.hints = hints if sheet.armed else tuple(extra)
        sheet.line.coming = () if sheet.armed or sheet.done else hints
        # What is in the way gives up its rows before the sheet does: it must stay answerable.
        shares = self._share(inner, room, room < TIGHT, bare=False)
        for bare in (False, True):
            shares = self._share(inner, room, True, bare) if shares.cramped else shares
        large = self._large
        reading = sheet.reading.view if large is None else None
        if reading:
            reading.styles.height = shares.context
        if self._answering and not self.cramped:
            sheet.area.body.given(shares.answers)
        if large:
            large.styles.height = max(shares.answers, 1)
        sheet.menu.list.styles.max_height = max(shares.answers, 1)
        sheet.set_class(shares.gaps > 0, "-gaps")
        self._cramp(shares.cramped, was)

    def _share(self, inner: int, room: int, tight: bool, bare: bool) -> RowShares:
        """The rows of each part; `tight` as in little room, `bare` without a banner."""
        sheet, body = self._sheet, self._sheet.area.body
        sheet.line.most = 1 if tight else 2 if room < ROOMY else 3
        field_room = max(room // 3, 1)
        large = self._large
        fixed = EDGES + self._around(inner, tight, bare) + self._written(inner, field_room, tight)
        reading = sheet.reading.view if large is None else None
        menu = sheet.menu.list.height_at(inner) if sheet.mode == "menu" else 0
        wants = RowNeeds(
            context=reading.height_at(inner) if reading else 0,
            question=height_of(sheet.question, inner),
            answers=body.wanted(inner, field_room) if self._answering else large.height_at(inner) if large else menu,
            fixed=fixed,
            heads=bool(sheet.steps.tabs),
        )
        written = any(slot.field is sheet.writing for slot in sheet.slots)
        # The way to stop must be in sight: the menu needs its rows up to that line.
        shares = share(
            room, wants, least_context=1 if tight and sheet.problem.display else None,
            answers=sheet.menu.list.height_at(inner, to="end") if sheet.mode == "menu" else None, reads=self.full,
        )  # fmt: skip
        if self.full and self._answering and shares.context < wants.context:
            wants = replace(wants, answers=body.needed(wants.answers))
            shares = share(room, wants, reads=True)
        if tight and shares.cramped:
            shares = share(room, wants, least_context=0 if written else 1)
        return shares

    def _around(self, inner: int, tight: bool, bare: bool) -> int:
        """Rows of the parts around question and answers. In little room a notice takes the place of the keys."""
        sheet, steps = self._sheet, self._sheet.steps
        notice = sheet.problem.display and not self.cramped
        _at_most(sheet.problem, NOTICE_ROWS if tight and notice else None)
        sheet.line.display = not self.cramped and not (tight and notice)
        rows = 0 if tight and notice else sheet.line.height_at(inner)
        if steps.tabs:
            steps.beneath.display = bool(steps.beneath.content) and not tight and not self.cramped
            steps.beneath.set_class(steps.beneath.display, "-head")
            steps.tabs.set_class(not steps.beneath.display, "-head")
            rows += (steps.tabs.display and 1) + (height_of(steps.beneath, inner) if steps.beneath.display else 0)
        for part in (sheet.why, sheet.warning):
            rows += height_of(part, inner) if part.display else 0
        if sheet.time.display:
            _at_most(sheet.time, 1 if tight else None)
            rows += 1 if tight else height_of(sheet.time, inner)
        if sheet.problem.display:
            wanted = height_of(sheet.problem, inner)
            rows += min(wanted, NOTICE_ROWS) if tight and notice else wanted
        crowded = sheet.time.display and bool(sheet.side.note.text)
        if sheet.banner:
            hidden = bare or (tight and (sheet.mode == "write" or crowded))
            sheet.banner.display = not (self.cramped or hidden)
        if sheet.banner and sheet.banner.display:
            rows += sheet.banner.rows
        return rows

    def _written(self, inner: int, room: int, tight: bool) -> int:
        """Rows of the fields below the answers, each with its title."""
        for slot in self._sheet.slots:
            kept = self._sheet.mode == "answer" and not slot.large and bool(slot.field.text)
            slot.settle(kept and slot.field is not self._sheet.writing, tight)
        return sum(slot.rows(inner, room) for slot in self._sheet.slots)

    def _uncramped(self) -> bool:
        """Show all parts, to see whether there is room for them now. Return True if there was none before.

        What is hidden for want of room takes none: judged by that, a sheet would come and go for ever.
        """
        was, self.cramped = self.cramped, False
        if was:
            self.place()
            self._sheet.problem.display = False
        return was

    def _cramp(self, cramped: bool, was: bool) -> None:
        """What cannot be reviewed cannot be answered: say so instead of showing half of it."""
        self.cramped = cramped
        if cramped:
            self.place()
        if cramped and was:
            self._sheet.problem.display = True
            self._sheet.line.display = False
        elif cramped != was:
            self._sheet.say(ours(w.TOO_SMALL) if cramped else blank())
            self._sheet.show()


def _at_most(part: Static, rows: int | None) -> None:
    """Limit the rows of a part: to set no limit where there is none would lay out the whole screen."""
    if rows is not None or part.styles.has_rule("max_height"):
        part.styles.max_height = rows


def height_of(part: Static, width: int) -> int:
    """Rows that a text takes, with what its style pads it by."""
    content, width = part.content, width - part.styles.padding.width
    return len(content.wrap(width)) if isinstance(content, Content) else 0
