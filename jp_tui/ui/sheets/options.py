"""Options to choose from: the list, its filter, its previews, the way to say something else (R9; E20-E22, E28).

An option is shown as it is. To a model's question the last row is a reply in words, typed in place and kept while
the cursor visits other rows; a tool's own question has none. What is chosen, and how many, is said by a kind of it:
`select.py`, `multi.py`.
"""

from __future__ import annotations

from dataclasses import replace

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import MultiSelectAnswer, Option, SelectAnswer
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.rows import Choices, Row
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.sheets.slots import Slot
from jp_tui.ui.text import join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

HINT_FILTER = 10
"""Options from which the key line names the filter."""
WIDE = 100
"""Columns from which a preview stands beside the list."""
PREVIEW_ROWS = 5
"""Rows of a preview below the list."""
_ELSE = "else"
_DIGITS = (ours("1"), ours("2"), ours("3"), ours("4"), ours("5"), ours("6"), ours("7"), ours("8"), ours("9"))

CHOOSING = [
    *(Binding(str(n), f"pick({n})", f"Pick {n}", id=f"sheet.pick{n}", show=False) for n in range(1, 10)),
    Binding("slash", "filter", "Filter", id="sheet.filter", tooltip="Show only options with these letters"),
]
"""The keys of every such sheet; each kind declares them, for the page of keys."""


class OptionSheet(Sheet):
    """A question with options."""

    DEFAULT_CSS = """
    OptionSheet #list { height: auto; width: 1fr; layout: vertical;
        &.-beside { layout: horizontal; }
    }
    OptionSheet #preview { width: 1fr; display: none; margin-left: 2; }
    OptionSheet .-previews #preview { display: block; }
    """

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        kind = prompt.question.answer_type
        options = kind.options if isinstance(kind, (SelectAnswer, MultiSelectAnswer)) else ()
        self.options = sorted(options, key=lambda option: not option.recommended)
        self.other = isinstance(kind, SelectAnswer) and kind.allow_other
        self.default = prompt.question.default if prompt.question.has_default else None
        if self.other:
            self.words = Field(gate=gate, hint=ours(w.OTHER_HINT), id="other")
            self.slots = (Slot(ours(w.OTHER_DOES), self.words, kept=ours(w.OTHER_KEPT)), *self.slots)
        else:
            self.words = self.reply
        worded = self.other or (prompt.source != "tool" and "reply" in prompt.controls)
        self.in_place = self.words if worded else None
        self._rows = [self._row(place, option) for place, option in enumerate(self.options)]
        first = self.begins[0] if self.begins else None
        at = next((place for place, option in enumerate(self.options) if option.value == first), None)
        self._said = first if self.other and at is None and isinstance(first, str) else ""
        shown = self._shown("")
        self._choices = Choices(*shown, cursor=len(shown) - 1 if self._said else at, id="options")
        self._filter = Field(gate=gate, hint=ours(w.FILTER_HINT), id="filter")
        self._filter.display = False
        self._preview = ContextView(Foreign(""), approval=words.mode(prompt) == "approval", focus=False, id="preview")
        self._list = Container(self._choices, self._preview, id="list")
        self._beside = False
        self._previewed: Option | None = None
        self._by_letter = False

    def answers(self) -> ComposeResult:
        yield self._filter
        yield self._list

    def choices(self) -> Choices:
        return self._choices

    # What a kind supplies

    def take(self, option: Option) -> None:
        """The option under the cursor is meant: Enter in a single choice, a digit or a click in any."""
        raise NotImplementedError

    def is_default(self, option: Option) -> bool:
        """Whether the asker would take it."""
        return isinstance(self.default, str) and option.value == self.default

    def was_before(self, option: Option) -> bool:
        """Whether the user took it before going Back."""
        return self.prompt.prefill == (option.value,)

    def label(self, option: Option) -> Content:
        """An option's words."""
        return words.option(option.value)

    # Drafts of one's own words

    def typed(self) -> str | None:
        return None if not self.other or self.words.value == self._said else self.words.value

    def restore(self, draft: Draft) -> None:
        super().restore(draft)
        if self.other:
            self.words.put_again(self._said if draft.answer is None else draft.answer, draft.places("answer"))

    def kept_fields(self) -> list[tuple[str, Field]]:
        return [*([("answer", self.words)] if self.other else []), *super().kept_fields()]

    # Rows

    def again_shown(self) -> None:
        """Paint the rows anew: what they say has changed."""
        self._rows = [self._row(place, option) for place, option in enumerate(self.options)]
        self._choices.rows = self._shown(self._filter.text.strip())

    @property
    def found(self) -> list[Option]:
        """The options that the filter lets through."""
        return [self.options[int(row.id)] for row in self._choices.rows if row.id != _ELSE]

    def _row(self, place: int, option: Option) -> Row:
        marks = []
        if option.recommended:
            marks.append(ours(w.RECOMMENDED))
        if self.is_default(option):
            marks.append(ours(w.DEFAULT))
        if self.was_before(option):
            marks.append(ours(w.BEFORE))
        return Row(
            str(place),
            self.label(option),
            tags=join(*marks, sep=ours(" ")) if marks else None,
            detail=words.option(option.description) if option.description else None,
        )

    def _shown(self, letters: str) -> tuple[Row, ...]:
        """The rows that hold the letters, the first nine with their numbers, and the way to say something else."""
        wanted = letters.casefold()
        rows = [
            row
            for row, option in zip(self._rows, self.options, strict=True)
            if wanted in option.value.casefold() or wanted in option.description.casefold()
        ]
        if self.in_place:
            rows.append(Row(_ELSE, ours(w.ELSE), detail=ours(w.OTHER_DOES if self.other else w.ELSE_DOES)))
        return tuple(
            replace(row, key=_DIGITS[place]) if place < len(_DIGITS) else row for place, row in enumerate(rows)
        )

    @property
    def option(self) -> Option | None:
        """The option under the cursor."""
        row = self._choices.current
        return None if row is None or row.id == _ELSE else self.options[int(row.id)]

    # Places

    def show(self) -> None:
        super().show()
        self._filter.display = self.mode != "menu" and (self.writing is self._filter or bool(self._filter.text))

    def wanted(self, width: int, room: int) -> int:
        previews = any(option.preview for option in self.options)
        self._beside = previews and width + 4 >= WIDE
        self._list.set_class(self._beside, "-beside")
        side = width * 2 // 5 if self._beside else width
        self._choices.styles.width = side if self._beside else "1fr"
        rows = self._choices.height_at(side)
        option = self.option
        if option is not None and option.preview:
            rows = max(rows, room) if self._beside else rows + PREVIEW_ROWS
        return rows + (1 if self._filter.display else 0)

    def given(self, rows: int) -> None:
        rows -= 1 if self._filter.display else 0
        option = self.option
        previews = option is not None and bool(option.preview)
        below = min(PREVIEW_ROWS, rows // 2) if previews and not self._beside else 0
        if option is not None and option is not self._previewed:
            self._previewed = option
            self._preview.put(Foreign(option.preview))
        self._list.set_class(previews and (self._beside or below > 0), "-previews")
        self._choices.styles.height = max(rows - below, 1)
        self._preview.styles.height = rows if self._beside else below
        self._choices.call_after_refresh(self._choices.show_cursor)

    # Keys

    def press(self, event: events.Key, now: float, *, fresh: bool) -> bool:
        self._by_letter = event.is_printable
        return super().press(event, now, fresh=fresh)

    def action_move(self, by: int) -> None:
        super().action_move(by)
        if by > 0 and not self._by_letter:  # by a letter the next one would be typed instead of moving
            self._write_here()

    def action_edge(self, by: int) -> None:
        super().action_edge(by)
        if by > 0:
            self._write_here()

    def _write_here(self) -> None:
        """On the way to say something else one writes."""
        row = self._choices.current
        if self.mode == "answer" and row is not None and row.id == _ELSE:
            self.write(self.words)

    def action_pick(self, number: int) -> None:
        if self.mode == "answer" and number <= len(self._choices.rows):
            self._choices.to(number - 1)
            self.take_here()

    def action_filter(self) -> None:
        if self.mode == "answer":
            self.write(self._filter)

    def action_editor(self) -> None:
        if self.writing is not self._filter:
            super().action_editor()

    def action_leave(self) -> None:
        if self.writing is self._filter:
            self._filter.put("")
        super().action_leave()

    def pasted(self, text: str) -> None:
        if self.other:
            self.write(self.words)
            self.words.insert_text(text)
        else:
            super().pasted(text)

    def write(self, field: Field) -> None:
        place = self._choices.place(_ELSE)
        if field is self.words and place is not None:
            self._choices.to(place)
        super().write(field)

    def field_key(self, key: str, field: Field) -> bool:
        if field is self._filter and key in ("up", "down"):
            self._choices.move(-1 if key == "up" else 1)
        elif field is self.in_place and key == "up" and field.on_first_row:
            self.stop_writing()
            self._choices.move(-1)
        else:
            return False
        return True

    def take_here(self) -> None:
        """What the cursor is on: an option, or words of one's own."""
        option = self.option
        if option is not None:
            self.take(option)
        elif self._choices.current is not None:
            self.write(self.words)
        else:
            self.say(ours(w.NOTHING_CHOSEN))

    def submit(self, field: Field) -> None:
        """Enter in the filter goes to what it found; a second Enter answers. In one's own words it answers (R226)."""
        if field is self.words:
            if field.value.strip():
                self.answered(field.value)
            else:
                self.say(ours(w.NOT_WRITTEN_YET))
            return
        self.stop_writing()
        if self.option is None:
            if self._rows and self._choices.rows and self._choices.rows[0].id != _ELSE:
                self._choices.to(0)
            else:
                self.say(ours(w.NO_MATCH))

    def filter_hints(self) -> list[Hint]:
        """The filter's key, where there is much to look through."""
        return [Hint("/", "filter", "filter")] if len(self.options) >= HINT_FILTER else []

    def field_hints(self, field: Field) -> list[Hint]:
        if field is self.words:
            return [
                Hint("enter", "answers with this", "accept", keep=True), Hint("ctrl+j", "new line", "new_line"),
                Hint("ctrl+g", "editor", "editor"), Hint("esc", "back, text kept", "leave", keep=True),
            ]  # fmt: skip
        goes = Hint("enter", "to the list", "accept", keep=True)
        return [Hint("↑↓", "move", "move(1)"), goes, Hint("esc", "all", "leave", keep=True)]

    # Messages

    @on(Field.Edited, "#filter")
    def _filtered(self) -> None:
        row = self._choices.current
        self._choices.rows = self._shown(self._filter.text.strip())
        place = self._choices.place(row.id) if row is not None else None
        if self._filter.text and place is None:
            place = 0
        if place is not None and self._choices.rows:
            self._choices.to(place)

    @on(Choices.Moved, "#options")
    def _moved(self, event: Choices.Moved) -> None:
        event.stop()
        self.post_message(Grew())

    @on(Choices.Picked, "#options")
    def _picked(self, event: Choices.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        place = self._choices.place(event.id)
        if place is not None and self.mode != "menu":
            if self.writing is not None:
                self.stop_writing()
            self._choices.to(place)
            self.take_here()
