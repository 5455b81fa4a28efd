"""What a kind of answer can do (inquiries.md R8-R10). The kinds are in `types.py`, which has their table.

Whether a value fits a JSON Schema is found out elsewhere, by a process that can be killed
(`engine/schema_check/process.py`); the verdict comes in as data. A value without a verdict is no answer: nothing is
accepted unchecked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar, Self

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.questions.options import Option

Verdicts = Mapping[str, str | None]
"""By `verdict_key`: None for a value that fits its schema, else why not, in plain words."""
NO_VERDICTS: Verdicts = MappingProxyType({})
UNCHECKED = "it wasn't checked against the schema"


class AnswerKind:
    """A kind of answer. What a kind doesn't override is as for plain text.

    `hint` says what VALUE is on a command line, `form` tells a model what is expected; "" is nothing. `one_line`: a
    line of text answers it whole. `by_model`: `ask_user` takes it.
    """

    __slots__ = ()
    hint: ClassVar[str] = "the value"
    form: ClassVar[str] = ""
    one_line: ClassVar[bool] = True
    by_model: ClassVar[bool] = False

    @classmethod
    def read(cls, body: JsonObject, *, bounded: bool) -> Self:
        """The kind from its recorded form. Raises BadQuestion; with `bounded` also for what is too large (V18)."""
        return cls()

    def recorded(self, *, short: bool = False) -> JsonObject:
        """The recorded form, without `type` (R45, R49); `short`: as it goes to a tool's process (R44)."""
        return {}

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        """Why `value` is no answer, in plain words, or None when it is one (R8). Used at every door."""
        return None if isinstance(value, str) else "expected text"

    def typed(self, text: str) -> Json:
        """What a line of text is as a value (surface S6). Raises ValueError with words; `problem` says if it fits."""
        return text

    def spelled(self, value: Json) -> str:
        """The line of text for a value, as `typed` reads it."""
        return str(value)

    def value_schema(self) -> Json:
        """The JSON Schema of a value (R125)."""
        return {"type": "string"}

    def choices(self) -> tuple[Option, ...]:
        """The options, where there are any."""
        return ()

    def mapped(self, text: Callable[[str], str], json: Callable[[Json], Json]) -> Self:
        """The same kind with all its texts and JSON values replaced."""
        return self


def verdict_key(schema: JsonObject, value: Json) -> str:
    """What a verdict is about: exactly this value against exactly this schema."""
    return hashlib.sha256(f"{dump(schema)}\n{dump(value)}".encode("utf-8", "surrogatepass")).hexdigest()


def parsed(text: str) -> Json:
    """JSON that somebody typed. Raises ValueError with words."""
    try:
        return parse(text)
    except JsonProblem as problem:
        raise ValueError(f"expected JSON: {problem.message}") from problem
