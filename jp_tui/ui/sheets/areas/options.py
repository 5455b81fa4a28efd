"""Options to choose from: the list, its filter, its previews, the row for another answer as text (R9; E20-E22, E28).

The body of a choice. The cursor begins on the default, else on the first row, which is the recommended one if there is
one; where Enter alone must choose nothing (Z11), the user has to move first. For a model's question the last row is a
free-text reply, typed in place and kept while the cursor visits other rows; a tool's own question has none. `select.py`
and `multi_select.py` decide what is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from textual import events
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.questions.types import MultiSelectAnswer, Option, SelectAnswer
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.reply_fields import text_hints
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

HINT_FILTER = 10
"""Options from which the key line names the filter."""
WIDE = 100
"""Columns from which a preview is beside the list."""
PREVIEW_ROWS = 5
"""Rows of a preview below the list."""
MOST_PREVIEW = 10_000
"""Characters of a preview that its height is guessed from."""
LEAST_OPTIONS = 4
"""Options that stay visible beside the context of a decision (Z14)."""
_ELSE = "else"
_DIGITS = (ours("1"), ours("2"), ours("3"), ours("4"), ours("5"), ours("6"), ours("7"), ours("8"), ours("9"))

OPTION_KEYS = [
    *(Binding(str(n), f"pick({n})", f"Select {n}", id=f"sheet.pick{n}", show=False) for n in range(1, 10)),
    Binding("slash", "filter", "Filter", id="sheet.filter", tooltip="Filter the options"),
]
"""The keys of every such sheet; each kind declares them, for the page of keys."""


def plain_label(option: Option) -> Content:
    """Return the text of an option."""
    return texts.option(option.value)


class OptionRows(Container):
    """The list of options with a preview beside or below it."""

    DEFAULT_CSS = """
    OptionRows { height: auto; width: 1fr; layout: vertical;
        &.-beside { layout: horizontal; }
        & > #preview { width: 1fr; display: none; margin-left: 2; }
        &.-previews > #preview { display: block; }
    }
    """


class OptionsBody(AnswerBody):
    """A list of options with its filter, previews and a field for other words."""

    def __init__(
        self,
        sheet: AnswerSheet,
        *,
        take: Callable[[Option], None],
        default: Callable[[Option], bool],
        before: Callable[[Option], bool],
        label: Callable[[Option], Content] = plain_label,
        below: Static | None = None,
    ) -> None:
        """`take` handles the chosen option: by Enter in a single choice, by a digit or a click in any. `default` and
        `before` return True for an option that is a default, and for one that the user chose before Back. `below` is
        one line under the list."""
        self._sheet, self._take, self._default, self._before = sheet, take, default, before
        self._label, self._below = label, below
        prompt, kind = sheet.prompt, sheet.prompt.question.answer_type
        options = kind.options if isinstance(kind, (SelectAnswer, MultiSelectAnswer)) else ()
        self.options = sorted(options, key=lambda option: not option.recommended)
        self._other = isinstance(kind, SelectAnswer) and kind.allow_other
        self._words = sheet.reply_fields.reply
        self._slots: tuple[SideField, ...] = ()
        if self._other:
            self._words = Field(gate=sheet.gate, hint=ours(w.OTHER_HINT), id="other")
            self._slots = (
                SideField(
                    ours(w.OTHER_DOES), self._words, kept=ours(w.OTHER_KEPT), submit=self._submit_words,
                    hints=lambda: text_hints("answers with this"),
                ),
            )  # fmt: skip
        worded = self._other or (prompt.source != "tool" and "reply" in prompt.controls)
        self._in_place = self._words if worded else None
        self._rows = [self._row(place, option) for place, option in enumerate(self.options)]
        first = sheet.initial[0] if sheet.initial else None
        at = next((place for place, option in enumerate(self.options) if option.value == first), None)
        self._said = first if self._other and at is None and isinstance(first, str) else ""
        shown = self._shown("")
        at = len(shown) - 1 if self._said else at
        self._touched = bool(prompt.prefill) or prompt.preselect  # Enter may choose
        self.list = ChoiceList(*shown, cursor=at if at is not None or not shown else 0, id="options")
        self._filter = Field(gate=sheet.gate, hint=ours(w.FILTER_HINT), id="filter")
        self._filter.display = False
        self._preview = ContextView(Foreign(""), approval=texts.mode(prompt) == "approval", focus=False, id="preview")
        self._all = OptionRows(self.list, self._preview, id="list")
        self._beside = False
        self._previewed: Option | None = None
        self._by_letter = False  # the last key was a letter
        self._width = 0

    def widgets(self) -> Sequence[Widget]:
        return (self._filter, self._all, *([self._below] if self._below else []))

    def slots(self) -> tuple[SideField, ...]:
        return self._slots

    @property
    def choices(self) -> ChoiceList:
        return self.list

    @property
    def in_place(self) -> Field | None:
        return self._in_place

    # Drafts of the user's own words

    def typed(self) -> str | None:
        """The user's own words; None while they are untouched."""
        return None if not self._other or self._words.value == self._said else self._words.value

    def restore(self, draft: Draft) -> None:
        """Restore the user's own words."""
        if self._other:
            self._words.restore(self._said if draft.answer is None else draft.answer, draft.places("answer"))

    def kept_fields(self) -> list[tuple[str, Field]]:
        return [("answer", self._words)] if self._other else []

    # Rows

    def show_rows(self) -> None:
        """Update the rows."""
        self._rows = [self._row(place, option) for place, option in enumerate(self.options)]
        self.list.rows = self._shown(self._filter.text.strip())

    @property
    def found(self) -> list[Option]:
        """The options that the filter lets through."""
        return [self.options[int(row.id)] for row in self.list.rows if row.id != _ELSE]

    def _row(self, place: int, option: Option) -> ChoiceRow:
        marks = []
        if option.recommended:
            marks.append(ours(w.RECOMMENDED))
        if self._default(option):
            marks.append(ours(w.DEFAULT))
        if self._before(option):
            marks.append(ours(w.BEFORE))
        return ChoiceRow(
            str(place),
            self._label(option),
            tags=join(*marks, sep=ours(" ")) if marks else None,
            detail=texts.option(option.description) if option.description else None,
        )

    def _shown(self, letters: str) -> tuple[ChoiceRow, ...]:
        """Return the rows with these letters, the first nine with their numbers, and the row for other words."""
        wanted = letters.casefold()
        rows = [
            row
            for row, option in zip(self._rows, self.options, strict=True)
            if wanted in option.value.casefold() or wanted in option.description.casefold()
        ]
        if self._in_place:
            rows.append(ChoiceRow(_ELSE, ours(w.ELSE), detail=ours(w.OTHER_DOES if self._other else w.ELSE_DOES)))
        return tuple(
            replace(row, key=_DIGITS[place]) if place < len(_DIGITS) else row for place, row in enumerate(rows)
        )

    @property
    def option(self) -> Option | None:
        """The option under the cursor."""
        row = self.list.current
        return None if row is None or row.id == _ELSE else self.options[int(row.id)]

    # Places

    def shown(self) -> None:
        writing = self._sheet.writing is self._filter
        self._filter.display = self._sheet.mode != "menu" and (writing or bool(self._filter.text))

    def height_at(self, width: int, room: int) -> int:
        previews = any(option.preview for option in self.options)
        self._beside = previews and width + 4 >= WIDE
        self._all.set_class(self._beside, "-beside")
        side = width * 2 // 5 if self._beside else width
        self.list.styles.width = side if self._beside else "1fr"
        self._width = side
        rows = self.list.height_at(side)
        option = self.option
        if option is not None and option.preview:
            rows = max(rows, min(room, self._preview_rows(width - side))) if self._beside else rows + PREVIEW_ROWS
        return rows + (1 if self._filter.display else 0) + bool(self._below)

    @property
    def least_rows(self) -> int:
        return self._least and self._least + (1 if self._filter.display else 0)

    @property
    def _least(self) -> int:
        """Options that are in sight whatever room there is; 0 without something that is decided on."""
        return 0 if self._sheet.reading.context is None else self._few

    @property
    def _few(self) -> int:
        """Options that come before a preview below them."""
        return min(len(self.list.rows), LEAST_OPTIONS)

    def _preview_rows(self, width: int) -> int:
        """Return about the rows of the longest preview beside the list, the same whichever is shown."""
        texts = (option.preview[:MOST_PREVIEW] for option in self.options)
        return 2 + max(sum(1 + len(line) // max(width - 4, 8) for line in text.split("\n")) for text in texts)

    def place(self, rows: int) -> None:
        rows -= 1 if self._filter.display else 0
        if self._below:
            self._below.display = not self._least or rows > self._least
            rows -= self._below.display
        option = self.option
        previews = option is not None and bool(option.preview)
        below = min(PREVIEW_ROWS, rows // 2, max(rows - self._few, 0)) if previews and not self._beside else 0
        if option is not None and option is not self._previewed:
            self._previewed = option
            self._preview.put(Foreign(option.preview))
        self._all.set_class(previews and (self._beside or below > 0), "-previews")
        height = max(rows - below, 1)
        self.list.flat = height if self.least_rows and self.list.height_at(self._width) > height else 0
        self.list.styles.height = height
        self._preview.styles.height = rows if self._beside else below
        self.list.call_after_refresh(self.list.show_cursor)

    # Keys

    def begin(self, key: events.Key | None) -> None:
        if key is not None:
            self._by_letter = key.is_printable

    def action_move(self, by: int) -> None:
        self._sheet.action_move(by)
        if by > 0 and not self._by_letter:  # by a letter the next one would be typed instead of moving
            self._write_here()

    def action_edge(self, by: int) -> None:
        self._sheet.action_edge(by)
        if by > 0:
            self._write_here()

    def _write_here(self) -> None:
        """Give the keys to the field for other words, if the cursor is on its row."""
        row = self.list.current
        if self._sheet.mode == "answer" and row is not None and row.id == _ELSE:
            self._sheet.write(self._words)

    def action_pick(self, number: int) -> None:
        """Choose the option with that number."""
        if self._sheet.mode == "answer" and number <= len(self.list.rows):
            self._touched = True
            self.list.to(number - 1)
            self.choose_highlighted()

    def action_filter(self) -> None:
        """Filter the options."""
        if self._sheet.mode == "answer":
            self._sheet.write(self._filter)

    def action_editor(self) -> None:
        if self._sheet.writing is not self._filter:
            self._sheet.action_editor()

    def action_leave(self) -> None:
        if self._sheet.writing is self._filter:
            self._filter.put("")
        self._sheet.action_leave()

    def pasted(self, text: str) -> bool:
        if self._other:
            self._sheet.write(self._words)
            self._words.insert_text(text)
        return self._other

    def enter(self, field: Field) -> None:
        place = self.list.place(_ELSE)
        if field is self._words and place is not None:
            self.list.to(place)

    def field_key(self, key: str, field: Field) -> bool:
        if field is self._filter and key in ("up", "down"):
            self.list.move(-1 if key == "up" else 1)
        elif field is self._in_place and key == "up" and field.on_first_row:
            self._sheet.stop_writing()
            self.list.move(-1)
        else:
            return False
        return True

    def touch(self) -> None:
        """Note a key of the answer: from now on Enter chooses the row under the cursor."""
        self._touched = True

    def choose_highlighted(self) -> None:
        """Choose the row under the cursor: an option, or the field for other words."""
        option = self.option
        if option is not None and not self._touched:  # the cursor is where the user didn't put it (Z11)
            self._sheet.show_notice(ours(w.NOTHING_CHOSEN))
        elif option is not None:
            self._take(option)
        elif self.list.current is not None:
            self._sheet.write(self._words)
        else:
            self._sheet.show_notice(ours(w.NOTHING_CHOSEN))

    def _submit_words(self) -> None:
        if self._words.value.strip():
            self._sheet.answered(self._words.value)
        else:
            self._sheet.show_notice(ours(w.NOT_WRITTEN_YET))

    def submit(self, field: Field) -> None:
        """Go from the filter to the first option that it found; a second Enter answers (R226)."""
        self._sheet.stop_writing()
        if self.option is None:
            if self._rows and self.list.rows and self.list.rows[0].id != _ELSE:
                self.list.to(0)
            else:
                self._sheet.show_notice(ours(w.NO_MATCH))

    def filter_hints(self) -> list[Hint]:
        """Return the filter's key, for a long list."""
        return [Hint("/", "filter", "filter")] if len(self.options) >= HINT_FILTER else []

    def field_hints(self, field: Field) -> list[Hint]:
        goes = Hint("Enter", "to the list", "accept", keep=True)
        return [Hint("↑↓", "move", "move(1)"), goes, Hint("Esc", "clear filter", "leave", keep=True)]

    # Events of its widgets

    def moved(self) -> None:
        self._touched = True

    def edited(self, field: Field) -> None:
        if field is not self._filter:
            return
        row = self.list.current
        self.list.rows = self._shown(self._filter.text.strip())
        place = self.list.place(row.id) if row is not None else None
        if self._filter.text and place is None:
            place = 0
        if place is not None and self.list.rows:
            self.list.to(place)

    def picked(self, row: str) -> None:
        place = self.list.place(row)
        if place is not None and self._sheet.mode != "menu":
            if self._sheet.writing is not None:
                self._sheet.stop_writing()
            self._touched = True
            self.list.to(place)
            self.choose_highlighted()
