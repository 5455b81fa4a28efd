"""Questions and answer types (inquiries.md R1-R12). In flight only; recorded forms are made in `wire.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject

Persistence = Literal["none", "turn"]


@dataclass(frozen=True, slots=True)
class Option:
    """A choice; the answer is always `value` (R9)."""

    value: str
    description: str = ""
    preview: str = ""
    recommended: bool = False


@dataclass(frozen=True, slots=True)
class BooleanAnswer:
    type: Literal["boolean"] = "boolean"


@dataclass(frozen=True, slots=True)
class SelectAnswer:
    """`allow_other`: any text is an answer too (R226); set by code alone."""

    options: tuple[Option, ...]
    type: Literal["select"] = "select"
    allow_other: bool = False


@dataclass(frozen=True, slots=True)
class MultiSelectAnswer:
    options: tuple[Option, ...]
    type: Literal["multi_select"] = "multi_select"


@dataclass(frozen=True, slots=True)
class TextAnswer:
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class SchemaAnswer:
    schema: JsonObject
    type: Literal["schema"] = "schema"


@dataclass(frozen=True, slots=True)
class SecretAnswer:
    type: Literal["secret"] = "secret"


AnswerType = BooleanAnswer | SelectAnswer | MultiSelectAnswer | TextAnswer | SchemaAnswer | SecretAnswer


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of what is approved that can be taken or left (R251): a hunk, `diff` its unified diff."""

    id: str
    digest: str
    title: str
    diff: str


@dataclass(frozen=True, slots=True)
class Taken:
    """Which parts were accepted, and comments by part (R251)."""

    accepted: tuple[str, ...]
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """One question of a form as it stands now. `fixed`: answered by a setting, never a Back target (R172); `because`:
    why it is skipped, in words (E23)."""

    id: str
    text: str
    state: Literal["answered", "current", "skipped", "ahead"]
    answer: Json = None
    fixed: bool = False
    because: str = ""


@dataclass(frozen=True, slots=True)
class FormView:
    """A whole form while it is walked (R182b): its questions in the order they were submitted."""

    places: tuple[Place, ...]

    @property
    def progress(self) -> tuple[int, int] | None:
        """R175: the 1-based place of the current question of all; None for a form of one or in review."""
        at = next((number for number, place in enumerate(self.places, 1) if place.state == "current"), None)
        return None if at is None or len(self.places) < 2 else (at, len(self.places))


@dataclass(frozen=True, slots=True)
class Question:
    """What a tool wants to know (R1). `has_default` tells no default from a default of null; `floor` is R247's mark;
    `targets` are the files that a yes changes, as real paths below the workspace, in flight like `floor`: what was
    refused once in a turn is decided by a person from then on. In flight, too: with `exact` a remembered answer covers
    only a question that shows exactly the same (Z16); with `acts` a yes changes, runs or sends something, so that no
    answer is preselected (Z11)."""

    id: str
    text: str
    answer_type: AnswerType
    context: str | None = None
    default: Json = None
    has_default: bool = False
    exclusive: bool = False
    persistence: Persistence = "turn"
    floor: bool = False
    parts: tuple[Part, ...] = ()
    targets: tuple[str, ...] = ()
    exact: bool = False
    acts: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of a call (R41), with the digest of the question it was given to (R235) and the note that came with it.

    `unseen` is true for a remembered or static answer: only such a one covers a patch nobody saw (R236). The value may
    be a secret, and nobody can tell by looking at it: no text that is made of this shows it (R12, R202).
    """

    value: Json = field(repr=False)
    digest: str
    note: str = ""
    unseen: bool = False
    taken: Taken | None = None
