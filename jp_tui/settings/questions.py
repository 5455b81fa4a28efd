"""Settings of a tool's questions (inquiries.md R33, R52, R53, R72, R171), each with its place.

`inquiry` decides who answers; this module only reads settings and resolves inherited ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.schema.nodes import dotted

TargetKind = Literal["user", "assistant", "assistant_with_escalation"]

REVIEWER = ("conversation", "inquiry", "assistant", "model", "id")
APPROVAL = ("conversation", "approval", "target")
"""Key of the first decider about calls that the approval rules leave open (AR31)."""
CHANGE = "apply_changes"
"""Question that shows a complete change before it is made (R234); a reviewer may decide it first (R72)."""
SLOT = "answer"
"""Entry of `questions` for a model's questions without an entry of their own (R171)."""


@dataclass(frozen=True, slots=True)
class PeopleSettings:
    """People who answer: `to` a person or `role:GROUP`, empty for the conversation's owner; `approvals` None if
    unset. The places are key and origin; `own`: the question itself sets `approvals`."""

    to: str = ""
    to_place: str = ""
    approvals: int | None = None
    approvals_place: str = ""
    own: bool = False

    def over(self, below: PeopleSettings) -> PeopleSettings:
        """Return these settings with those that are unset taken from `below`."""
        to = self if self.to else below
        count = self if self.approvals is not None else below
        return PeopleSettings(to.to, to.to_place, count.approvals, count.approvals_place, self.own or below.own)


OWNER = PeopleSettings()
"""The conversation's owner answers, and nothing is set."""


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """Settings of one question.

    `place` is the origin of its answer, else of its target. `chosen`: the target was set, not inherited. `slot` is the
    key of `answer` if it isn't the question's own id; `follows` is the key that the target is inherited from. `people`
    is which people answer (store.md D14, D15), each with its key and origin.
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
    people: PeopleSettings = OWNER


UNSET = QuestionSettings()


def people(settings: Settings, *path: str, own: bool = False) -> PeopleSettings:
    """Return what the table at `path` says of the people who answer."""
    to, count = settings.get(*path, "to"), settings.get(*path, "approvals")
    return PeopleSettings(
        to or "",
        _key(settings, *path, "to") if to else "",
        count,
        _key(settings, *path, "approvals") if count is not None else "",
        own and count is not None,
    )


def _key(settings: Settings, *path: str) -> str:
    origin = settings.origin(*path)
    return dotted(path) + (f" ({origin.words()})" if origin else "")


def people_of(settings: Settings, tool: str, group: str = "") -> PeopleSettings:
    """Return which people answer the questions of a tool that say nothing themselves: by the tool, its `group`, all
    tools, all questions (D14)."""
    found = people(settings, "conversation", "tools", tool)
    for name in (group, "*") if group else ("*",):
        found = found.over(people(settings, "conversation", "tools", name))
    return found.over(people(settings, "conversation", "inquiry"))


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
        people=people(settings, "conversation", "tools", tool, "questions", key, own=True),
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


def approval(settings: Settings) -> QuestionSettings:
    """Return who decides first about calls that rules leave open; after a reviewer's no, you do (AR31)."""
    value = settings.get(*APPROVAL)
    if value is None or (kind := read_target(value))[0] == "user":
        return UNSET
    origin = settings.origin(*APPROVAL)
    place = origin.words() if origin else ""
    return QuestionSettings("assistant_with_escalation", kind[1], place=place, follows=".".join(APPROVAL))


def written_target(kind: TargetKind, overrides: Mapping[str, Any]) -> str | dict[str, Any]:
    """R53: return the shortest form that `read_target` parses to this target."""
    if kind == "user" or not overrides:
        return kind
    escalating = {"escalation": True} if kind == "assistant_with_escalation" else {}
    return {**overrides, **escalating}


def merge_with_slot(own: QuestionSettings | None, slot: QuestionSettings) -> QuestionSettings:
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
        people=own.people.over(slot.people),
    )
