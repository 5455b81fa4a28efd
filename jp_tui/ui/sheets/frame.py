"""What every sheet shows: who asks, context, question, answers, fields, menu, the keys that work (E1, E4, E5).

It lays the parts out in the rows it is given and shows what state they are in. It hears no key and decides
nothing: `sheet.py` does, and a subclass of that supplies the area where its kind of answer is given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import form, words
from jp_tui.ui.sheets.banner import Banner, whole_reason
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.fields import JsonField
from jp_tui.ui.sheets.hints import Hint, KeyLine
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.plan import ROOMY, TIGHT, Shares, Wants, share
from jp_tui.ui.sheets.rows import Choices
from jp_tui.ui.sheets.slots import Slot
from jp_tui.ui.sheets.tabs import FormTabs
from jp_tui.ui.sheets.telling import Telling
from jp_tui.ui.text import blank, join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.wording import questions as w

Mode = Literal["answer", "write", "menu"]
EDGES = 2
"""Rows and columns of the frame's border on both sides together; columns have a blank beside each."""
TITLED = 40
"""Characters of a subject of which the title surely shows all."""
NOTICE_ROWS = 3
"""Rows of a notice where there are few."""


class Frame(Telling, Vertical, can_focus=True):
    """The parts of a sheet and their places."""

    DEFAULT_CSS = """
    Frame { height: auto; width: 1fr; padding: 0 1; border: round $primary; background: $surface;
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $text-muted;
        &.-tool { border: round $warning; border-title-color: $warning; }
        &.-deaf { border: round $foreground 30%; border-title-color: $text-muted; }
        &.-deaf > .answers, &.-deaf > .context { opacity: 50%; }
        &.-gaps > #question, &.-gaps > .context, &.-gaps > Banner, &.-gaps > .-head { margin-bottom: 1; }
        & > #beneath { height: auto; }
        & > #question { height: auto; text-style: bold; }
        & > #warning { height: auto; color: $text-warning; text-style: bold; }
        & > #problem { height: auto; color: $text-warning; }
        & > #why, & > .title, & > #time { height: auto; color: $text-muted; }
        & > #time { color: $text-warning; }
    }
    """
    armed: reactive[bool] = reactive(False, init=False)
    """Whether its keys answer; shown, never only felt (E10)."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(classes="-deaf")
        self.prompt, self.gate = prompt, gate
        self.mode: Mode = "answer"
        self.writing: Field | None = None
        self.done = self.cramped = False
        self.full = False  # it has the whole screen, to read in
        self.in_place: Field | None = None  # the field that is a row of the answers, which stay beside it (E20)
        self.set_class(prompt.source == "tool" or prompt.kind in ("permission", "delivery"), "-tool")
        self.form = form.form_of(prompt)
        self.tabs = FormTabs(prompt, self.form) if self.form else None
        says = form.beneath(prompt, self.form) if self.form else []
        self.beneath = Static(join(*says, sep=ours("\n")) if says else blank(), id="beneath")
        self.border_title = words.title(prompt)
        line, above = words.question(prompt)
        self.banner = Banner(prompt.escalation) if prompt.escalation else None
        self.context = self.make_context(above) if above else None
        self.aside = ContextView(Foreign(""), focus=False, id="aside")
        for view in self._views:
            view.styles.height = 0  # until it has its rows: what was never shown must not count as seen
        self.looking = ""
        self._squeezed = False
        """There is little room: what is read in between takes the context's place."""
        """The name of the text that stands in the context's place (`texts`), empty for the context itself."""
        self.asks = line
        self.question = Static(line, id="question")
        warned = words.warning(prompt)
        self.warning = Static(warned, id="warning")
        self.warning.display = bool(warned)
        self.menu = Choices(id="menu")
        self.reply = Field(gate=gate, hint=ours(w.REPLY_HINT), id="reply")
        self.note = Field(gate=gate, hint=ours(w.NOTE_HINT), id="note")
        self.edit = JsonField(gate=gate, hint=ours(w.JSON_HINT), id="edit")
        self.slots: tuple[Slot, ...] = (
            Slot(words.reply_title(prompt), self.reply, kept=ours(w.REPLY_KEPT)),
            Slot(ours(w.NOTE_TITLE), self.note, beside=True, kept=ours(w.NOTE_KEPT)),
            Slot(words.edit_title(prompt), self.edit, large=True),
        )
        self.why = Static(words.why(prompt), id="why")
        self.time = Static(id="time")
        self.problem = Static(id="problem")
        self.line = KeyLine()
        self.extra: list[Hint] = []  # what the dock adds to the last line
        self.told = False  # whether the reviewer's reason stands there to its end
        self.areas: list[Widget] = []
        self._answering = True  # whether the mode leaves the answer area visible
        self._large: Field | None = None  # the field that has its place

    def compose(self) -> ComposeResult:
        for hidden in (self.aside, self.menu, self.why, self.time, self.problem):
            hidden.display = False
        if self.tabs:
            yield from (self.tabs, self.beneath)
        if self.banner:
            yield self.banner
        for view in self._views:
            view.add_class("context")
            yield view
        yield self.question
        yield self.warning
        self.areas = list(self.answers())
        for area in self.areas:
            area.add_class("answers")
            yield area
        yield self.menu
        for slot in self.slots:
            slot.title.display = slot.field.display = False
            yield from (slot.title, slot.field)
        yield from (self.why, self.time, self.problem, self.line)

    def make_context(self, above: Foreign) -> ContextView:
        """The view of what is asked about; a file that the title names is not named again."""
        named = self.prompt.subject.raw if len(self.prompt.subject.raw) <= TITLED else ""
        return ContextView(above, approval=words.mode(self.prompt) == "approval", focus=False, named=named)

    @property
    def begins(self) -> tuple[Json, ...]:
        """What the answer begins with: as it was before Back (R176), else the default (R192); () without either."""
        question = self.prompt.question
        return self.prompt.prefill or ((question.default,) if question.has_default else ())

    @property
    def _views(self) -> tuple[ContextView, ...]:
        return (self.context, self.aside) if self.context else (self.aside,)

    @property
    def reading(self) -> ContextView | None:
        """What the reading keys scroll: the context, or the text that stands in its place."""
        return self.aside if self.looking else self.context

    # What a subclass supplies

    def answers(self) -> ComposeResult:
        """The widgets of the answer area, from top to bottom."""
        raise NotImplementedError

    def wanted(self, width: int, room: int) -> int:
        """Rows that the answer area would take."""
        raise NotImplementedError

    def given(self, rows: int) -> None:
        """The answer area has that many rows."""
        raise NotImplementedError

    def needed(self, wanted: int) -> int:
        """Rows that the answer area cannot do without where one wants to read."""
        return wanted

    def menu_needs(self, width: int) -> int:
        """Rows of the menu that have to be in sight."""
        return self.menu.height_at(width)

    def hints(self) -> list[Hint]:
        """The keys that work now, in order of importance."""
        raise NotImplementedError

    def texts(self) -> dict[str, Foreign]:
        """What can be looked at in the context's place, by name."""
        found = {"why": words.why_words(self.prompt)} if self._squeezed and self.context else {}
        return found | ({"reason": whole_reason(self.prompt.escalation)} if self.prompt.escalation else {})

    # Showing

    @on(ContextView.Seen)
    def _seen(self) -> None:
        """The question's line says what stands above it, and how much of that was not on the screen yet (E15)."""
        if self.context is not None:
            self.question.update(self.under(self.context))
            self.post_message(Grew())

    def watch_armed(self) -> None:
        self.set_class(not self.armed, "-deaf")
        self.show()

    def show(self) -> None:
        """Bring what is visible in line with the mode."""
        self._place()
        self.post_message(Grew())

    def _place(self) -> None:
        self.menu.display = self.mode == "menu"
        written = next((slot for slot in self.slots if slot.field is self.writing), None)
        beside = written is None or written.beside or written.field is self.in_place
        for slot in self.slots:
            here = slot is written
            slot.title.display = here and slot.field is not self.in_place
            kept = self.mode == "answer" and not slot.large and bool(slot.field.text)
            slot.field.display = here or kept
        self._answering = self.mode != "menu" and beside
        self._large = written.field if written and written.large else None
        for area in self.areas:
            area.display = self._answering
        for view in self._views:
            view.display = view is self.reading and not self.cramped and self._large is None
        for part in (self.question, self.line, self.tabs, self.banner):
            if part:
                part.display = not self.cramped
        self.warning.display = not self.cramped and bool(self.warning.content)
        if self.cramped:
            sides = [part for slot in self.slots for part in (slot.title, slot.field)]
            for hidden in (*self.areas, self.menu, self.why, *sides):
                hidden.display = False

    def lay_out(self, width: int, room: int, extra: list[Hint]) -> None:
        """Share out `room` rows at an outer `width`; `extra` are the keys that the dock adds to the last line."""
        inner = width - 2 * EDGES
        if inner < 1:
            return
        self._squeezed = room < ROOMY
        was, self.extra = self._uncramped(), extra
        if self.banner:
            self.banner.rows = self.banner.height_at(inner, room // 4)
            self.told = self.banner.whole_at(inner)
        self.line.note = None if self.armed else ours(w.SENT) if self.done else ours(w.DEAF)
        hints = (*self.hints(), *extra)
        self.line.hints = hints if self.armed else tuple(extra)
        self.line.coming = () if self.armed or self.done else hints
        # What is in the way gives up its rows before the sheet does: it must stay answerable.
        shares = self._share(inner, room, room < TIGHT, bare=False)
        for bare in (False, True):
            shares = self._share(inner, room, True, bare) if shares.cramped else shares
        large = self._large
        reading = self.reading if large is None else None
        if reading:
            reading.styles.height = shares.context
        if self._answering and not self.cramped:
            self.given(shares.answers)
        if large:
            large.styles.height = max(shares.answers, 1)
        self.menu.styles.max_height = max(shares.answers, 1)
        self.set_class(shares.gaps > 0, "-gaps")
        self._cramp(shares.cramped, was)

    def _share(self, inner: int, room: int, tight: bool, bare: bool) -> Shares:
        """The rows of each part; `tight` as in little room, `bare` without a banner."""
        self.line.most = 1 if tight else 2 if room < ROOMY else 3
        field_room = max(room // 3, 1)
        large = self._large
        fixed = EDGES + self._around(inner, room, tight, bare) + self._written(inner, field_room, tight)
        reading = self.reading if large is None else None
        menu = self.menu.height_at(inner) if self.mode == "menu" else 0
        wants = Wants(
            context=reading.height_at(inner) if reading else 0,
            question=height_of(self.question, inner),
            answers=self.wanted(inner, field_room) if self._answering else large.height_at(inner) if large else menu,
            fixed=fixed,
            heads=bool(self.tabs),
        )
        written = any(slot.field is self.writing for slot in self.slots)
        shares = share(
            room, wants, least_context=1 if tight and self.problem.display else None,
            answers=self.menu_needs(inner) if self.mode == "menu" else None, reads=self.full,
        )  # fmt: skip
        if self.full and self._answering and shares.context < wants.context:
            wants = replace(wants, answers=self.needed(wants.answers))
            shares = share(room, wants, reads=True)
        if tight and shares.cramped:
            shares = share(room, wants, least_context=0 if written else 1)
        return shares

    def _around(self, inner: int, room: int, tight: bool, bare: bool) -> int:
        """Rows of what stands around question and answers. In little room a notice takes the place of the keys."""
        notice = self.problem.display and not self.cramped
        _at_most(self.problem, NOTICE_ROWS if tight and notice else None)
        self.line.display = not self.cramped and not (tight and notice)
        rows = 0 if tight and notice else self.line.height_at(inner)
        if self.tabs:
            self.beneath.display = bool(self.beneath.content) and not tight and not self.cramped
            self.beneath.set_class(self.beneath.display, "-head")
            self.tabs.set_class(not self.beneath.display, "-head")
            rows += (self.tabs.display and 1) + (height_of(self.beneath, inner) if self.beneath.display else 0)
        for part in (self.why, self.warning):
            rows += height_of(part, inner) if part.display else 0
        if self.time.display:
            _at_most(self.time, 1 if tight else None)
            rows += 1 if tight else height_of(self.time, inner)
        if self.problem.display:
            wanted = height_of(self.problem, inner)
            rows += min(wanted, NOTICE_ROWS) if tight and notice else wanted
        crowded = self.time.display and bool(self.note.text)
        if self.banner:
            hidden = bare or (tight and (self.mode == "write" or crowded))
            self.banner.display = not (self.cramped or hidden)
        if self.banner and self.banner.display:
            rows += self.banner.rows
        return rows

    def _written(self, inner: int, room: int, tight: bool) -> int:
        """Rows of the fields beside the answers, each with its title."""
        for slot in self.slots:
            kept = self.mode == "answer" and not slot.large and bool(slot.field.text)
            slot.settle(kept and slot.field is not self.writing, tight)
        return sum(slot.rows(inner, room) for slot in self.slots)

    def _uncramped(self) -> bool:
        """Put all in its place, to see whether there is room for it now; says whether there was none before.

        What is hidden for want of room takes none: judged by that, a sheet would come and go for ever.
        """
        was, self.cramped = self.cramped, False
        if was:
            self._place()
            self.problem.display = False
        return was

    def _cramp(self, cramped: bool, was: bool) -> None:
        """What cannot be reviewed cannot be answered: say so instead of showing half of it."""
        self.cramped = cramped
        if cramped:
            self._place()
        if cramped and was:
            self.problem.display = True
            self.line.display = False
        elif cramped != was:
            self.say(ours(w.TOO_SMALL) if cramped else blank())
            self.show()


def _at_most(part: Static, rows: int | None) -> None:
    """So many rows at most: to set none where there is none would lay out the whole screen."""
    if rows is not None or part.styles.has_rule("max_height"):
        part.styles.max_height = rows


def height_of(part: Static, width: int) -> int:
    """Rows that a text takes, with what its style pads it by."""
    content, width = part.content, width - part.styles.padding.width
    return len(content.wrap(width)) if isinstance(content, Content) else 0
