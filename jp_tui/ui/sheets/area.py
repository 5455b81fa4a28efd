"""The two ports of a sheet: `AnswerArea`, what one kind of answer means, and `AnswerBody`, the widgets it is given in.

A sheet owns one of each; where nothing is shared, one class is both. Neither port holds state, and an area never sends
an outcome itself: it asks the sheet, which checks that the key or click may answer.
"""

# ruff: noqa: B027  # an empty method of a port is its default: most kinds of answers have nothing to do there

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import PieceClicked
from jp_tui.ui.sheets.reading import default_context
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.questions.drafts import Draft

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet


class AnswerBody(ABC):
    """The widgets of an answer, their rows, and what keys and clicks do in them.

    Its methods `action_*` run before those of the sheet; one that adds to an action of the sheet calls it.
    """

    @abstractmethod
    def widgets(self) -> Sequence[Widget]:
        """The widgets, from top to bottom."""

    @abstractmethod
    def wanted(self, width: int, room: int) -> int:
        """Rows it needs to show everything at `width` cells; `room` rows are the most a field beside it gets."""

    @abstractmethod
    def given(self, rows: int) -> None:
        """Take the rows that it gets."""

    def needed(self, wanted: int) -> int:
        """Rows it needs while the user reads the context in full screen."""
        return wanted

    @property
    def choices(self) -> ChoiceList | None:
        """The list that the cursor keys move in."""
        return None

    @property
    def in_place(self) -> Field | None:
        """The field that is a row of the answers, which stay visible beside it (E20)."""
        return None

    def slots(self) -> tuple[SideField, ...]:
        """Its fields that are shown below the answers while they are in use."""
        return ()

    def shown(self) -> None:
        """Set what is visible inside, after the sheet changed its mode."""

    def begin(self, key: events.Key | None) -> None:
        """Prepare for a key (None for a click) that is about to be handled."""

    def submit(self, field: Field) -> None:
        """Handle Enter in one of its fields that isn't in a slot."""

    def field_hints(self, field: Field) -> list[Hint]:
        """The keys that work in such a field."""
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
        """React to the list's cursor standing on another row."""

    def picked(self, row: str) -> None:
        """React to a click on a row of the list."""

    def seen(self) -> None:
        """React to more of the context having been on the screen (E15)."""

    def kept_fields(self) -> list[tuple[str, Field]]:
        """The fields whose pastes a draft remembers, each with the draft's name for it."""
        return []


class AnswerArea(ABC):
    """One kind of answer: its keys, what Enter does, which outcome it comes to, what a draft keeps of it."""

    BINDINGS: ClassVar[list[Binding]] = []
    """Keys of this kind, which come before those that every sheet has."""

    @abstractmethod
    def __init__(self, sheet: Sheet) -> None:
        """Make the widgets for the sheet's prompt."""

    @property
    @abstractmethod
    def body(self) -> AnswerBody:
        """The widgets in which it is given."""

    @property
    def parts(self) -> tuple[object, ...]:
        """Parts that have actions of their own, nearest first."""
        return ()

    @abstractmethod
    def accept(self) -> None:
        """Handle Enter while no field is written in."""

    @abstractmethod
    def answer_hints(self) -> list[Hint]:
        """The keys that work while no field is written in, in order of importance."""

    @classmethod
    def make_context(cls, prompt: PromptRequest, above: Foreign) -> ContextView:
        """Make the view of what is asked about."""
        return default_context(prompt, above)

    def slots(self) -> tuple[SideField, ...]:
        """Its own fields below the answers."""
        return ()

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """All keys of the sheet's last line, in the order that suits this kind."""
        return hints

    def under(self) -> Content | None:
        """The question's line with what the user should know about the context; None for the usual one."""
        return None

    def texts(self) -> dict[str, Foreign]:
        """Texts that can be read in place of the context, by name."""
        return {}

    def more_rows(self) -> list[ChoiceRow]:
        """Lines that only this kind adds to the menu."""
        return []

    def choose(self, line: str) -> bool:
        """Run a line of the menu. Return False if it isn't one of this kind's."""
        return False

    def mounted(self) -> None:
        """Show the first state, before a draft is restored."""

    def listening(self) -> None:
        """React to the sheet accepting keys, or to the return from the menu."""

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's verdict on a value it asked about: JSON pointers and messages."""

    def sent(self) -> None:
        """React to an outcome that left."""

    def clicked(self, event: PieceClicked) -> None:
        """React to a click on a piece of the answer or of its context, other than a row of the list."""

    def typed(self) -> str | None:
        """The unsent answer as text for a draft; None while it is untouched."""
        return None

    @property
    def changed(self) -> bool:
        """Whether there is an answer that was changed and not sent."""
        return self.typed() is not None

    def edited_text(self) -> str | None:
        """Text of its own that is edited in place of the call's arguments; None while it is untouched."""
        return None

    def restore(self, draft: Draft) -> Draft:
        """Restore what was typed; return the draft as the sheet's own fields are to restore it."""
        return draft
