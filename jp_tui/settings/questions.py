"""Settings of a tool's questions (inquiries.md R33, R52, R53, R72, R171), each with its place.

`inquiry` decides who answers; this module only reads settings and resolves inherited ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jp_tui.settings.layers.layers import Settings

TargetKind = Literal["user", "assistant", "assistant_with_escalation"]

REVIEWER = ("conversation", "inquiry", "assistant", "model", "id")
CHANGE = "apply_changes"
"""Question that shows a complete change before it is made (R234); a reviewer may decide it first (R72)."""
SLOT = "answer"
"""Entry of `questions` for a model's questions without an entry of their own (R171)."""


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """Settings of one question.

    `place` is the origin of its answer, else of its target. `chosen`: the target was set, not inherited. `slot` is the
    key of `answer` if it isn't the question's own id; `follows` is the key that the target is inherited from.
    """

    target: TargetKind = "user"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    has_answer: bool = False
    answer: Any = None
    prompt_label: str | None = None
    exclusive: bool | None = None
    place: str = ""
    deadline_secs: int | None = None
    chosen: bool = False
    why: str = ""
    slot: str = ""
    follows: str = ""


UNSET = QuestionSettings()


def questions(settings: Settings, tool: str, source: str, values: Mapping[str, Any]) -> dict[str, QuestionSettings]:
    """Return every configured question of `tool`, by id."""
    builtin = source.partition(".")[0] == "builtin"
    return {key: _question(settings, tool, key, value, builtin=builtin) for key, value in values.items()}


def _question(settings: Settings, tool: str, key: str, value: dict[str, Any], *, builtin: bool) -> QuestionSettings:
    kind, overrides = read_target(value.get("target", "user"))
    deciding = "answer" if "answer" in value else "target" if "target" in value else ""
    origin = settings.origin("conversation", "tools", tool, "questions", key, deciding) if deciding else None
    place, why = origin.words() if origin else "", ""
    if builtin and key == CHANGE and "target" not in value:
        kind, reviewed, why = _reviewed(settings)
        place = place or reviewed
    return QuestionSettings(
        target=kind,
        overrides=overrides,
        has_answer="answer" in value,
        answer=value.get("answer"),
        prompt_label=value.get("prompt_label"),
        exclusive=value.get("exclusive"),
        place=place,
        deadline_secs=value.get("deadline_secs"),
        chosen="target" in value,
        why=why,
        follows=".".join(REVIEWER) if why and kind != "user" and "answer" not in value else "",
    )


def _reviewed(settings: Settings) -> tuple[TargetKind, str, str]:
    """R72: return the default decider for a change, the place that set it, and the reason."""
    named = ".".join(REVIEWER)
    origin = settings.origin(*REVIEWER)
    if origin is None:
        return "user", "", f"{named} is not set"
    return "assistant_with_escalation", origin.words(), f"{named} is set"


def read_target(value: Any) -> tuple[TargetKind, Mapping[str, Any]]:
    """Parse a target (R52): a string, or overrides with an optional `escalation`."""
    if isinstance(value, dict):
        overrides = {key: item for key, item in value.items() if key != "escalation"}
        return ("assistant_with_escalation" if value.get("escalation") else "assistant"), overrides
    return value, {}


def written_target(kind: TargetKind, overrides: Mapping[str, Any]) -> str | dict[str, Any]:
    """R53: return the shortest form that `read_target` parses to this target."""
    if kind == "user" or not overrides:
        return kind
    escalating = {"escalation": True} if kind == "assistant_with_escalation" else {}
    return {**overrides, **escalating}


def fallen_back(own: QuestionSettings | None, slot: QuestionSettings) -> QuestionSettings:
    """R171: merge a model's question with the slot for unset fields.

    A static answer of the slot has `slot` set: it applies only if the call asks a single question.
    """
    if own is None:
        own = UNSET
    target = own if own.chosen else slot
    answer = own if own.has_answer else slot
    return replace(
        own,
        target=target.target,
        overrides=target.overrides,
        chosen=target.chosen,
        why=target.why,
        has_answer=answer.has_answer,
        answer=answer.answer,
        slot=SLOT if slot.has_answer and not own.has_answer else "",
        prompt_label=slot.prompt_label if own.prompt_label is None else own.prompt_label,
        exclusive=slot.exclusive if own.exclusive is None else own.exclusive,
        deadline_secs=slot.deadline_secs if own.deadline_secs is None else own.deadline_secs,
        place=answer.place if answer.has_answer else target.place,
    )
