"""The frame of a sheet: its own widgets around the answer, which parts are visible, and the rows of each (E1, E5, E61,
Z14).

The arithmetic is `row_budget.py`'s. Without room for a review, the sheet is cramped: it shows that and accepts no
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from textual.content import Content
from textual.widgets import Static

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import ChoiceList
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.sheets.reviewer_banner import ReviewerBanner
from jp_tui.ui.sheets.row_budget import ROOMY, TIGHT, RowNeeds, RowShares, decided_rows, share
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import blank, ours
from jp_tui.view.wording import questions as w

EDGES = 2
"""Rows and columns of the frame's border on both sides together; columns have a blank beside each."""
PEOPLE_ROWS = 2
"""Rows of the people that are asked; `w` shows all of them."""
NOTICE_ROWS = 3
"""Rows of a notice where there are few."""
ASIDE_ROWS = 3
"""Rows to request for a text above the context; it takes more from the conversation if there are more."""


class SheetFrame:
    """The widgets of a sheet that are the same for every kind of answer."""

    def __init__(self, prompt: PromptRequest, question: Content) -> None:
        self.banner = ReviewerBanner(prompt.escalation) if prompt.escalation else None
        self.question = Static(question, id="question")
        self.people = Static(texts.asked_people(prompt), id="people")
        self.warning = Static(texts.warning(prompt), id="warning")
        self.warning.display = bool(self.warning.content)
        self.time = Static(id="time")
        self.notice = Static(id="problem")
        self.line = KeyLine()

    def show_people(self, prompt: PromptRequest) -> None:
        """Show which people the question asks now (store.md D14-D16)."""
        self.people.update(texts.asked_people(prompt))

    def hide_notices(self) -> None:
        """Hide the parts that are shown only for a reason."""
        for hidden in (self.time, self.notice):
            hidden.display = False

    def show_notice(self, notice: Content) -> None:
        """Show a notice above the keys; an empty one removes it."""
        self.notice.update(notice)
        self.notice.display = bool(notice)

    def count(self, left: float | None) -> bool:
        """Show the seconds that are left to answer (E13), None for no limit. Return True if the line is new."""
        new = left is not None and not self.time.display
        self.time.display = left is not None
        self.time.update(texts.time_left(left) if left is not None else blank(), layout=new)
        return new


class SheetLayout:
    """Shares out the rows of one sheet."""

    def __init__(
        self,
        sheet: AnswerSheet,
        frame: SheetFrame,
        body: AnswerBody,
        fields: Sequence[SideField],
        menu: ChoiceList,
        *,
        hints: Callable[[], Iterable[Hint]],
        gaps: Callable[[bool], object],
    ) -> None:
        """`hints` returns the keys that work now; `gaps` shows blank lines between the parts, or not."""
        self._sheet, self._frame, self._body, self._fields, self._menu = sheet, frame, body, fields, menu
        self._hints, self._gaps = hints, gaps
        self.cramped = False
        """There is too little room to answer."""
        self._dock_hints: Sequence[Hint] = ()
        self._full = False  # the sheet has the whole screen, to read in
        self._answering = True  # the answers are visible in this mode
        self._large: Field | None = None  # the field in their place
        self._fixed = self._wanted = 0  # rows of the parts around, and of the whole context
        self._most = self._decided = 0  # most rows, and how many of them show the context of a decision (Z14)

    @property
    def dock_hints(self) -> list[Hint]:
        """The keys that the dock adds to the last line; the whole screen is offered only where not all fits."""
        fits = not self._full and not self._sheet.reading.overflows
        return [one for one in self._dock_hints if not (fits and one.action == "full")]

    def place(self) -> None:
        """Set which parts are visible in the sheet's mode."""
        sheet, frame, reading = self._sheet, self._frame, self._sheet.reading
        self._menu.display = sheet.mode == "menu"
        written = next((one for one in self._fields if one.field is sheet.writing), None)
        in_place = self._body.in_place
        beside = written is None or written.beside or written.field is in_place
        for one in self._fields:
            here = one is written
            one.title.display = here and one.field is not in_place
            one.field.display = here or self._kept(one)
        self._answering = sheet.mode != "menu" and beside
        self._large = written.field if written and written.large else None
        answers = self._body.widgets()
        for widget in answers:
            widget.display = self._answering
        for view in reading.views:
            read = view is reading.context or bool(reading.shown_text)
            view.display = read and not self.cramped and self._large is None
        for part in (frame.question, frame.line, sheet.steps.tabs, frame.banner):
            if part:
                part.display = not self.cramped
        frame.warning.display = not self.cramped and bool(frame.warning.content)
        frame.people.display = not self.cramped and bool(frame.people.content)
        frame.question.set_class(bool(frame.people.content), "-asked")
        if self.cramped:
            sides = [part for one in self._fields for part in (one.title, one.field)]
            for hidden in (*answers, self._menu, *sides):
                hidden.display = False

    def _kept(self, one: SideField) -> bool:
        """Return True if the text of a field stays visible while it isn't written in."""
        return self._sheet.mode == "answer" and not one.large and bool(one.field.text)

    def lay_out(self, width: int, room: int, most: int, dock_hints: Sequence[Hint], full: bool) -> None:
        """Share out `room` rows at an outer `width`, up to `most` where it needs them; `full`: the sheet has the whole
        screen."""
        sheet, frame, inner = self._sheet, self._frame, width - 2 * EDGES
        self._full = full
        if inner < 1:
            return
        self._most = max(most, room)
        self._decided = decided_rows(most) if self._answering else 0
        was, self._dock_hints = self._uncramped(), dock_hints
        if frame.banner:
            frame.banner.fit(inner)
        sent = w.NOT_SENT if sheet.unsent else w.SENT
        frame.line.note = None if sheet.armed else ours(sent) if sheet.done else ours(w.DEAF)
        self._name_keys()
        # Optional parts give up their rows before the sheet does: it must stay answerable.
        shares = self._share(inner, room, room < TIGHT, bare=False)
        for bare in (False, True):
            shares = self._share(inner, room, True, bare) if shares.cramped else shares
        large = self._large
        sheet.reading.rows, sheet.reading.all_rows = shares.context if large is None else 0, self._wanted
        self._name_keys()  # one of them scrolls, if it has to
        if sheet.reading.context and large is None:
            sheet.reading.context.styles.height = shares.context
        self._spend(inner, room, shares)
        if self._answering and not self.cramped:
            self._body.place(shares.answers)
        if large:
            large.styles.height = max(shares.answers, 1)
        self._menu.styles.max_height = max(shares.answers, 1)
        self._gaps(shares.gaps > 0)
        self._cramp(shares.cramped, was)

    def _name_keys(self) -> None:
        """Show the keys that work now."""
        sheet, line = self._sheet, self._frame.line
        hints = (*self._hints(), *self.dock_hints)
        line.hints = hints if sheet.armed else tuple(self.dock_hints)
        line.coming = () if sheet.armed or sheet.done else hints

    def _share(self, inner: int, room: int, tight: bool, bare: bool) -> RowShares:
        """Return the rows of each part; `tight` as in little room, `bare` without a banner."""
        sheet, frame = self._sheet, self._frame
        frame.line.most = 1 if room < ROOMY else 2
        field_room = max(room // 3, 1)
        large = self._large
        fixed = EDGES + self._around(inner, tight, bare) + self._written(inner, field_room, tight)
        reading = sheet.reading.context if large is None else None
        fixed += self._least_aside(inner)
        menu = self._menu.height_at(inner) if sheet.mode == "menu" else 0
        if self._answering:
            answers = self._body.height_at(inner, field_room)
        else:
            answers = large.height_at(inner) if large else menu
        needs = RowNeeds(
            context=reading.height_at(inner) if reading else 0,
            question=height_of(frame.question, inner),
            answers=answers,
            fixed=fixed,
            heads=bool(sheet.steps.tabs),
        )
        if self._answering and (least := self._body.least_rows):
            needs = replace(needs, decided=self._decided, least=least)
        if not self._full:
            room = max(room, min(needs.floor, self._most))
        self._fixed, self._wanted = fixed, needs.context
        written = any(one.field is sheet.writing for one in self._fields)
        # The way to stop must be visible: the menu needs its rows up to that line.
        shares = share(
            room, needs, least_context=1 if tight and frame.notice.display else None,
            answers=self._menu.height_at(inner, to="end") if sheet.mode == "menu" else None, reads=self._full,
        )  # fmt: skip
        if self._full and self._answering and shares.context < needs.context:
            needs = replace(needs, answers=self._body.least_height(needs.answers))
            shares = share(room, needs, reads=True)
        if tight and shares.cramped:
            shares = share(room, needs, least_context=0 if written else 1)
        return shares

    def _least_aside(self, inner: int) -> int:
        """Return the rows that the text above the context has at least; 0 while none is open."""
        aside = self._sheet.reading.aside
        return min(aside.height_at(inner), ASIDE_ROWS if self._most > TIGHT else ASIDE_ROWS - 1) if aside.display else 0

    def _spend(self, inner: int, room: int, shares: RowShares) -> None:
        """Give the part above the context the rows that the conversation can spare, when all others have theirs."""
        sheet, banner = self._sheet, self._frame.banner
        used = self._fixed + shares.total
        if banner and banner.display and shares.context >= self._wanted:
            spare = max(room - used, 0)
            banner.fit(inner, 1 + spare)
            used += banner.rows - 1
        if sheet.reading.aside.display:
            least, needed = self._least_aside(inner), sheet.reading.aside.height_at(inner)
            given = min(needed, least + max(self._most - used, 0))
            sheet.reading.aside.styles.height = given
            sheet.reading.aside_cut = given < needed
            self._name_keys()  # as its rows are known now, not as of the layout before

    def _around(self, inner: int, tight: bool, bare: bool) -> int:
        """Return the rows of the parts around question and answers. In little room a notice takes the place of the
        keys."""
        sheet, frame, steps = self._sheet, self._frame, self._sheet.steps
        notice = frame.notice.display and not self.cramped
        _at_most(frame.notice, NOTICE_ROWS if tight and notice else None)
        frame.line.display = not self.cramped and not (tight and notice)
        rows = 0 if tight and notice else frame.line.height_at(inner)
        if steps.tabs:
            steps.beneath.display = bool(steps.beneath.content) and not tight and not self.cramped
            steps.beneath.set_class(steps.beneath.display, "-head")
            steps.tabs.set_class(not steps.beneath.display, "-head")
            rows += (steps.tabs.display and 1) + (height_of(steps.beneath, inner) if steps.beneath.display else 0)
        rows += height_of(frame.warning, inner) if frame.warning.display else 0
        if frame.people.display:
            most = 1 if tight else PEOPLE_ROWS
            _at_most(frame.people, most)
            rows += min(height_of(frame.people, inner), most)
        if frame.time.display:
            _at_most(frame.time, 1 if tight else None)
            rows += 1 if tight else height_of(frame.time, inner)
        if frame.notice.display:
            height = height_of(frame.notice, inner)
            rows += min(height, NOTICE_ROWS) if tight and notice else height
        crowded = frame.time.display and bool(sheet.reply_fields.note.text)
        if frame.banner:
            read = sheet.reading.shown_text == "reason"  # all of it, beginning with the same
            hidden = bare or (tight and (sheet.mode == "write" or crowded or read))
            frame.banner.display = not (self.cramped or hidden)
        if frame.banner and frame.banner.display:
            rows += 1
        return rows

    def _written(self, inner: int, room: int, tight: bool) -> int:
        """Return the rows of the fields below the answers, each with its title."""
        for one in self._fields:
            one.arrange(self._kept(one) and one.field is not self._sheet.writing, tight)
        return sum(one.rows(inner, room) for one in self._fields)

    def _uncramped(self) -> bool:
        """Show all parts, to see whether there is room for them now. Return True if there was none before.

        A hidden part takes no rows: judged by these, a sheet would come and go for ever.
        """
        was, self.cramped = self.cramped, False
        if was:
            self.place()
            self._frame.notice.display = False
        return was

    def _cramp(self, cramped: bool, was: bool) -> None:
        """Show that there is too little room instead of half of a question."""
        self.cramped = cramped
        if cramped:
            self.place()
        if cramped and was:
            self._frame.notice.display = True
            self._frame.line.display = False
        elif cramped != was:
            self._sheet.show_notice(ours(w.TOO_SMALL) if cramped else blank())
            self._sheet.show()


def _at_most(part: Static, rows: int | None) -> None:
    """Limit the rows of a part: to set no limit where there is none would lay out the whole screen."""
    if rows is not None or part.styles.has_rule("max_height"):
        part.styles.max_height = rows


def height_of(part: Static, width: int) -> int:
    """Return the rows of a text, with the padding of its style."""
    content, width = part.content, width - part.styles.padding.width
    return len(content.wrap(width)) if isinstance(content, Content) else 0
