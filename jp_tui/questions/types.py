"""Questions and the kinds of their answers (inquiries.md R1-R12).

A new kind is a module and a member of `AnswerType`. Questions are in flight only; `wire.py` encodes and `reading.py`
decodes their recorded forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Literal, get_args

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.answer_kind import NO_VERDICTS, UNCHECKED, AnswerKind, Verdicts, parsed, verdict_key
from jp_tui.questions.bounds import MAX_CONTEXT, BadQuestion, beyond
from jp_tui.questions.options import Option as Option
from jp_tui.questions.options import read_options, recorded_options

Persistence = Literal["none", "turn"]
QuestionEnd = Literal["", "decline", "cancel"]
"""End of a question without an answer, for a tool whose call stays open: the user declined it, or it ended in any other
way (mcp.md P42)."""


@dataclass(frozen=True, slots=True)
class BooleanAnswer(AnswerKind):
    type: Literal["boolean"] = "boolean"
    hint: ClassVar[str] = "yes or no"
    by_model: ClassVar[bool] = True

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        return None if isinstance(value, bool) else "expected true or false"

    def typed(self, text: str) -> Json:
        if (said := text.strip().lower()) not in _WORDS:
            raise ValueError("expected true, false, yes or no")
        return _WORDS[said]

    def spelled(self, value: Json) -> str:
        return "yes" if value is True else "no"

    def value_schema(self) -> Json:
        return {"type": "boolean"}


_WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class SelectAnswer(AnswerKind):
    """`allow_other`: any text is an answer too (R226); set by code alone."""

    options: tuple[Option, ...]
    type: Literal["select"] = "select"
    allow_other: bool = False
    by_model: ClassVar[bool] = True

    @classmethod
    def read(cls, body: JsonObject, *, bounded: bool) -> SelectAnswer:
        return SelectAnswer(read_options(body, bounded=bounded))

    def recorded(self) -> JsonObject:
        return recorded_options(self.options)

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        if not isinstance(value, str):
            return "expected text" if self.allow_other else "expected one of the options as text"
        named = self.allow_other or any(value == option.value for option in self.options)
        return None if named else "not one of the options"

    def value_schema(self) -> Json:
        named: JsonObject = {"type": "string"}
        return named if self.allow_other else {**named, "enum": [option.value for option in self.options]}

    def choices(self) -> tuple[Option, ...]:
        return self.options

    def mapped(self, text: Callable[[str], str], json: Callable[[Json], Json]) -> SelectAnswer:
        return replace(self, options=tuple(option.mapped(text) for option in self.options))


@dataclass(frozen=True, slots=True)
class MultiSelectAnswer(AnswerKind):
    options: tuple[Option, ...]
    type: Literal["multi_select"] = "multi_select"
    hint: ClassVar[str] = "a JSON list"
    by_model: ClassVar[bool] = True

    @classmethod
    def read(cls, body: JsonObject, *, bounded: bool) -> MultiSelectAnswer:
        return MultiSelectAnswer(read_options(body, bounded=bounded))

    def recorded(self) -> JsonObject:
        return recorded_options(self.options)

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return "expected a list of options"
        known = {option.value for option in self.options}
        if not all(item in known for item in value):
            return "not all of these are options"
        return None if len(set(map(str, value))) == len(value) else "duplicate option"

    def typed(self, text: str) -> Json:
        return parsed(text)

    def spelled(self, value: Json) -> str:
        return dump(value)

    def value_schema(self) -> Json:
        return {"type": "array", "items": {"type": "string", "enum": [option.value for option in self.options]}}

    def choices(self) -> tuple[Option, ...]:
        return self.options

    def mapped(self, text: Callable[[str], str], json: Callable[[Json], Json]) -> MultiSelectAnswer:
        return replace(self, options=tuple(option.mapped(text) for option in self.options))


@dataclass(frozen=True, slots=True)
class TextAnswer(AnswerKind):
    type: Literal["text"] = "text"
    hint: ClassVar[str] = "the words"
    by_model: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SchemaAnswer(AnswerKind):
    schema: JsonObject
    type: Literal["schema"] = "schema"
    hint: ClassVar[str] = "the JSON value"
    one_line: ClassVar[bool] = False
    by_model: ClassVar[bool] = True

    @classmethod
    def read(cls, body: JsonObject, *, bounded: bool) -> SchemaAnswer:
        value = body.get("schema")
        if not isinstance(value, dict):
            raise BadQuestion("`answer_type.schema` is missing or not an object.")
        outside = beyond(value, "the contents of `answer_type.schema`", max_bytes=MAX_CONTEXT) if bounded else None
        if outside is not None:
            raise BadQuestion(outside[2][:1].upper() + outside[2][1:])
        return SchemaAnswer(value)

    def recorded(self) -> JsonObject:
        return {"schema": self.schema}

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        return verdicts.get(verdict_key(self.schema, value), UNCHECKED)

    def typed(self, text: str) -> Json:
        return parsed(text)

    def spelled(self, value: Json) -> str:
        return dump(value)

    def value_schema(self) -> Json:
        return self.schema

    def mapped(self, text: Callable[[str], str], json: Callable[[Json], Json]) -> SchemaAnswer:
        return replace(self, schema=found) if isinstance(found := json(self.schema), dict) else self


@dataclass(frozen=True, slots=True)
class SecretAnswer(AnswerKind):
    type: Literal["secret"] = "secret"
    one_line: ClassVar[bool] = False

    def typed(self, text: str) -> Json:
        raise ValueError("a secret can only be entered where it is asked, never on a command line")


AnswerType = (
    BooleanAnswer
    | SelectAnswer
    | MultiSelectAnswer
    | TextAnswer
    | SchemaAnswer
    | SecretAnswer
)  # fmt: skip
KINDS: dict[str, type[AnswerType]] = {
    next(str(field.default) for field in fields(kind) if field.name == "type"): kind for kind in get_args(AnswerType)
}
"""Every kind of answer by its recorded name."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of what is approved that can be taken or left (R251): a hunk, `diff` its unified diff."""

    id: str
    digest: str
    title: str
    diff: str


@dataclass(frozen=True, slots=True)
class Taken:
    """Accepted parts, and comments by part (R251)."""

    accepted: tuple[str, ...]
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """One question of a form as it stands now. `fixed`: answered by a setting, never a Back target (R172); `because`:
    why it is skipped, in words (E23), or, if it is ahead, the condition. `question` is one that is ahead and that the
    user will be asked if it applies, for a front end that shows a form at once."""

    id: str
    text: str
    state: Literal["answered", "current", "skipped", "ahead"]
    answer: Json = None
    fixed: bool = False
    because: str = ""
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class FormView:
    """A whole form while it is walked (R182b): its questions in the order they were submitted."""

    places: tuple[Place, ...]

    @property
    def progress(self) -> tuple[int, int] | None:
        """R175: return the 1-based place of the current question and the total; None for a single question or in
        review."""
        at = next((number for number, place in enumerate(self.places, 1) if place.state == "current"), None)
        return None if at is None or len(self.places) < 2 else (at, len(self.places))


@dataclass(frozen=True, slots=True)
class Question:
    """What a tool wants to know (R1). `has_default` tells no default from a default of null; `floor` is R247's mark;
    `targets` are the files that a yes changes, as real paths below the workspace, in flight like `floor`: what was
    refused once in a turn is decided by a person from then on. In flight, too: with `exact` a remembered answer covers
    only a question that shows exactly the same (Z16); with `acts` a yes changes, runs or sends something, so that no
    answer is preselected (Z11); with `serves` the call stays open and goes on when the question ends without an answer
    (mcp.md P42); `refused`: it asks for a secret and is declined, unasked (P44)."""

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
    serves: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """Answer of a call (R41), with the digest of its question (R235) and its note.

    `unseen` is true for a remembered or static answer: only such a one covers a patch that wasn't shown (R236). The
    value may be a secret and can't be recognized as one: no text made of this contains it (R12, R202).
    """

    value: Json = field(repr=False)
    digest: str
    note: str = ""
    unseen: bool = False
    taken: Taken | None = None
