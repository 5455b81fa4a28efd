"""Questions and answer types (inquiries.md R1-R12). In flight only; recorded forms are made in `wire.py`."""

from __future__ import annotations

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
    options: tuple[Option, ...]
    type: Literal["select"] = "select"


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
class Question:
    """What a tool wants to know (R1). `has_default` tells no default from a default of null; `floor` is R247's mark."""

    id: str
    text: str
    answer_type: AnswerType
    context: str | None = None
    default: Json = None
    has_default: bool = False
    exclusive: bool = False
    persistence: Persistence = "turn"
    floor: bool = False


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
