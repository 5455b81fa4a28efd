"""Interface of an answer kind (inquiries.md R8-R10). `types.py` has the kinds and their table.

A JSON Schema is checked elsewhere, in a killable process (`engine/schema_check/process.py`); its verdict is an input. A
value without a verdict isn't a valid answer: nothing is accepted unchecked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar, Self

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.questions.options import Option

Verdicts = Mapping[str, str | None]
"""By `verdict_key`: None for a value that fits its schema, else the problem in plain text."""
NO_VERDICTS: Verdicts = MappingProxyType({})
UNCHECKED = "it wasn't checked against the schema"


class AnswerKind:
    """Answer kind.

    Defaults are those of plain text. `hint` is the form of VALUE on a command line, `form` tells a model what is
    expected; "" is nothing. `one_line`: a line of text is a complete answer. `by_model`: `ask_user` accepts it.
    """

    __slots__ = ()
    hint: ClassVar[str] = "the value"
    form: ClassVar[str] = ""
    one_line: ClassVar[bool] = True
    by_model: ClassVar[bool] = False

    @classmethod
    def read(cls, body: JsonObject, *, bounded: bool) -> Self:
        """Decode the recorded form. Raises BadQuestion; with `bounded` also for oversized content (V18)."""
        return cls()

    def recorded(self) -> JsonObject:
        """Return the recorded form, without `type` (R45, R49)."""
        return {}

    def problem(self, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
        """Return why `value` isn't an answer, as text, or None if it is one (R8). The only validation, used for every
        source."""
        return None if isinstance(value, str) else "expected text"

    def typed(self, text: str) -> Json:
        """Convert a line of text to a value (surface S6). Raises ValueError with a message; `problem` says whether it
        fits."""
        return text

    def spelled(self, value: Json) -> str:
        """Return the line of text for a value, as `typed` reads it."""
        return str(value)

    def value_schema(self) -> Json:
        """Return the JSON Schema of a value (R125)."""
        return {"type": "string"}

    def choices(self) -> tuple[Option, ...]:
        """Return the options, if any."""
        return ()

    def mapped(self, text: Callable[[str], str], json: Callable[[Json], Json]) -> Self:
        """Return the same kind with all its texts and JSON values replaced."""
        return self


def verdict_key(schema: JsonObject, value: Json) -> str:
    """Return the key of a verdict: exactly this value against exactly this schema."""
    return hashlib.sha256(f"{dump(schema)}\n{dump(value)}".encode("utf-8", "surrogatepass")).hexdigest()


def parsed(text: str) -> Json:
    """Parse typed JSON. Raises ValueError with a message."""
    try:
        return parse(text)
    except JsonProblem as problem:
        raise ValueError(f"expected JSON: {problem.message}") from problem
