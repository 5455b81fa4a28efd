"""Questions of a model as values: one internal form for the three shapes of inquiries.md R161.

Only valid ones become a FormItem. Rules and texts are in `item_rules.py`, `branch_rules.py` and `refusals.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.types import AnswerType, Question

Shape = Literal["flat", "list", "choices"]


@dataclass(frozen=True, slots=True)
class ItemProblem:
    """One broken rule: its code (V1…), its place (JSON pointer into the arguments), and one sentence."""

    code: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class When:
    """Condition: the question is asked only if an earlier one got exactly this answer (R173)."""

    question_id: str
    equals: Json


@dataclass(frozen=True, slots=True)
class FormItem:
    """One question of a model; `id` is the key of its answer."""

    id: str
    text: str
    answer_type: AnswerType
    context: str | None = None
    default: Json = None
    has_default: bool = False
    when: When | None = None

    def question(self) -> Question:
        """Return the question: exclusive and never remembered, whatever the model sent (R158)."""
        return Question(
            id=self.id,
            text=self.text,
            answer_type=self.answer_type,
            context=self.context,
            default=self.default,
            has_default=self.has_default,
            exclusive=True,
            persistence="none",
        )


Schemas = tuple[tuple[str, JsonObject], ...]
"""Schemas to check elsewhere (V9), each by the JSON pointer of its place."""


@dataclass(frozen=True, slots=True)
class ItemForm:
    """Arguments that pass every rule checked here; `schemas` are still to be checked."""

    shape: Shape
    items: tuple[FormItem, ...]
    schemas: Schemas = ()


@dataclass(frozen=True, slots=True)
class RefusedForm:
    """Arguments with problems; never empty, in the order of the arguments. `schemas` may add more."""

    shape: Shape
    problems: tuple[ItemProblem, ...]
    schemas: Schemas = ()
