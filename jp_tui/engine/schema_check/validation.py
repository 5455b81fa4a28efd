"""Does a value fit a JSON Schema: asked before a value enters the machine, which takes the verdict as data (R8).

The checking itself is `schemas.py`'s, in a process of its own; it is started with the first schema question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts, verdict_key
from jp_tui.questions.types import AnswerType, SchemaAnswer


class Checks(Protocol):
    """Whoever checks values against schemas; words are plain and for people."""

    async def check(self, schema: JsonObject, value: Json) -> str | None:
        """The first problems, None when it fits."""

    async def problems(self, schema: JsonObject, value: Json) -> list[tuple[str, str]]:
        """All problems, each with the JSON pointer of its place."""

    async def usable(self, schema: JsonObject) -> str | None:
        """Why the schema cannot be used, None when it can."""

    async def close(self) -> None:
        """End the process."""


async def verdicts(checks: Checks, kind: AnswerType, values: Sequence[Json]) -> Verdicts:
    """The verdicts on these values, where the answer type needs any."""
    if not isinstance(kind, SchemaAnswer):
        return NO_VERDICTS
    return {verdict_key(kind.schema, value): await checks.check(kind.schema, value) for value in values}


class LazyChecks:
    """The one checker of an engine, made when it is first needed."""

    def __init__(self) -> None:
        self._made: Checks | None = None

    def _checks(self) -> Checks:
        if self._made is None:
            from jp_tui.engine.schema_check.process import SchemaChecker

            self._made = SchemaChecker()
        return self._made

    async def check(self, schema: JsonObject, value: Json) -> str | None:
        """See Checks."""
        return await self._checks().check(schema, value)

    async def problems(self, schema: JsonObject, value: Json) -> list[tuple[str, str]]:
        """See Checks."""
        return await self._checks().problems(schema, value)

    async def usable(self, schema: JsonObject) -> str | None:
        """See Checks."""
        return await self._checks().usable(schema)

    async def close(self) -> None:
        """See Checks."""
        if self._made is not None:
            await self._made.close()
