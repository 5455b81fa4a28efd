"""The ports of a sheet: `AnswerArea`, the logic of one kind of answer; `AnswerBody`, its widgets; and `AnswerSheet`,
the sheet as both see it.

A sheet owns one area and one body; where nothing is shared, one class is both. Neither port holds state, and an area
never sends an outcome itself: it asks the sheet, which checks that the key or click may answer.
"""

# ruff: noqa: B027  # an empty method of a port is its default: most kinds of answers have nothing to do there

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ChosenRule, PartsTaken, PromptRequest
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.form_steps import FormSteps
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import PieceClicked
from jp_tui.ui.sheets.port import SheetPort
from jp_tui.ui.sheets.reading import ContextReader, default_context
from jp_tui.ui.sheets.reply_fields import ReplyFields
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft


class AnswerSheet(SheetPort, Protocol):
    """A sheet as its answer area sees it."""

    @property
    def reading(self) -> ContextReader: ...

    @property
    def reply_fields(self) -> ReplyFields: ...

    @property
    def steps(self) -> FormSteps: ...

    @property
    def initial(self) -> tuple[Json, ...]:
        """The initial answer in a tuple; () for none."""
        ...

    def answered(
        self,
        value: Json,
        *,
        remember: bool = False,
        parts: PartsTaken | None = None,
        rule: ChosenRule | None = None,
    ) -> None:
        """Post an answer, unless the key or click at hand may not answer."""
        ...

    def answer_changed(self) -> None:
        """Save the draft soon."""
        ...

    def show_question(self) -> None:
        """Update the question's line."""
        ...

    def give_keys(self, field: Field) -> None:
        """Give a field the keys without preparing the answer for it."""
        ...

    def release_keys(self) -> None:
        """Take the keys from the field that has them, without showing that yet."""
        ...

    def run(self, action: str) -> None:
        """Run an action of the sheet, its parts or the answer area."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer: ...

    def action_move(self, by: int) -> None: ...

    def action_edge(self, by: int) -> None: ...

    def action_editor(self) -> None: ...

    def action_leave(self) -> None: ...


class AnswerBody(ABC):
    """The widgets of an answer, their rows, and what keys and clicks do in them.

    Its methods `action_*` run before those of the sheet; one that adds to an action of the sheet calls it.
    """

    @abstractmethod
    def widgets(self) -> Sequence[Widget]:
        """Return the widgets, from top to bottom."""

    @abstractmethod
    def height_at(self, width: int, room: int) -> int:
        """Return the rows it needs to show everything at `width` cells; a field beside it gets at most `room` rows."""

    @abstractmethod
    def place(self, rows: int) -> None:
        """Use these rows."""

    @property
    def least_rows(self) -> int:
        """The least rows of the answers where the context of the decision comes before the rest of them (Z14); 0 where
        the answers come first. Known after `height_at`."""
        return 0

    def least_height(self, height: int) -> int:
        """Return the rows it needs while the user reads the context in full screen; `height` show everything."""
        return height

    @property
    def choices(self) -> ChoiceList | None:
        """The list that the cursor keys move in."""
        return None

    @property
    def in_place(self) -> Field | None:
        """The field that is a row of the answers, which stay visible beside it (E20)."""
        return None

    def slots(self) -> tuple[SideField, ...]:
        """Return its fields that are shown below the answers while they are in use."""
        return ()

    def shown(self) -> None:
        """Update the visible widgets inside, after the sheet changed its mode."""

    def begin(self, key: events.Key | None) -> None:
        """Prepare for a key (None for a click) that is about to be handled."""

    def submit(self, field: Field) -> None:
        """Handle Enter in one of its fields that isn't below the answers."""

    def field_hints(self, field: Field) -> list[Hint]:
        """Return the keys that work in such a field."""
        return []

    def field_key(self, key: str, field: Field) -> bool:
        """Handle a key that has a meaning in that field. Return True if it had one."""
        return False

    def pasted(self, text: str) -> bool:
        """Take a paste that came while no field was written in. Return True if it did."""
        return False

    def edited(self, field: Field) -> None:
        """React to a change of a field."""

    def enter(self, field: Field) -> None:
        """Prepare for a field of the sheet that is about to get the keys."""

    def leave(self) -> None:
        """Finish with the field that is about to lose the keys."""

    def left(self) -> None:
        """React after the answers have the keys again."""

    def moved(self) -> None:
        """React to the cursor of the list on another row."""

    def picked(self, row: str) -> None:
        """React to a click on a row of the list."""

    def seen(self) -> None:
        """React to more of the context having been on the screen (E15)."""

    def kept_fields(self) -> list[tuple[str, Field]]:
        """Return the fields whose pastes a draft remembers, each with the draft's name for it."""
        return []


class AnswerArea(ABC):
    """One kind of answer: its keys, the effect of Enter, its outcome, its part of a draft."""

    BINDINGS: ClassVar[list[Binding]] = []
    """Keys of this kind, which come before those that every sheet has."""
    body: AnswerBody
    """The widgets of the answer; where nothing is shared, the area itself."""

    @classmethod
    def bindings_for(cls, prompt: PromptRequest) -> list[Binding]:
        """Return the keys that this prompt has; a key of the sheet that isn't among them keeps its own action."""
        return cls.BINDINGS

    @abstractmethod
    def __init__(self, sheet: AnswerSheet) -> None:
        """Make the widgets for the sheet's prompt."""

    @property
    def parts(self) -> tuple[object, ...]:
        """Parts that have actions of their own, nearest first."""
        return ()

    @abstractmethod
    def accept(self) -> None:
        """Handle Enter while no field is written in."""

    @abstractmethod
    def answer_hints(self) -> list[Hint]:
        """Return the keys that work while no field is written in, in order of importance."""

    @classmethod
    def make_context(cls, prompt: PromptRequest, above: Foreign) -> ContextView:
        """Make the view of the context."""
        return default_context(prompt, above)

    def slots(self) -> tuple[SideField, ...]:
        """Return its own fields below the answers."""
        return ()

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """Return all keys of the sheet's last line, in the order of this kind."""
        return hints

    def under(self, question: Content) -> Content | None:
        """Return the question's line with a note on the context; None for the usual one."""
        return None

    def texts(self) -> dict[str, Foreign]:
        """Return texts that can be read in place of the context, by name."""
        return {}

    def more_rows(self) -> list[ChoiceRow]:
        """Return lines that only this kind adds to the menu."""
        return []

    def choose(self, line: str) -> bool:
        """Run a line of the menu. Return False if it isn't one of this kind's."""
        return False

    def mounted(self) -> None:
        """Show the first state, before a draft is restored."""

    def listening(self) -> None:
        """React to the sheet accepting keys, or to the return from the menu."""

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's check of a value: JSON pointers and messages."""

    def sent(self) -> None:
        """React to the outcome that was just posted."""

    def clicked(self, event: PieceClicked, may: bool) -> None:
        """React to a click on a piece of the answer or of its context, other than a row of the list; `may`: the click
        may do anything (E11)."""

    def typed(self) -> str | None:
        """Return the unsent answer as text for a draft; None while it is untouched."""
        return None

    @property
    def changed(self) -> bool:
        """True if there is an answer that was changed and not sent."""
        return self.typed() is not None

    def edited_text(self) -> str | None:
        """Return text that is edited in place of the call's arguments; None while it is untouched."""
        return None

    def restore(self, draft: Draft) -> Draft:
        """Restore the unsent answer; return the draft as the sheet's own fields are to restore it."""
        return draft
