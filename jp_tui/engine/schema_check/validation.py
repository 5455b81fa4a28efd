"""Validation against a JSON Schema before a value enters the machine, which takes the verdict as data (R8).

The validation runs in its own process (`process.py`), started with the first schema question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts, verdict_key
from jp_tui.questions.types import AnswerType, SchemaAnswer


class Checks(Protocol):
    """Validator of values against schemas; messages are plain text for users."""

    async def check(self, schema: JsonObject, value: Json) -> str | None:
        """Return the first problems, None if it fits."""

    async def problems(self, schema: JsonObject, value: Json) -> list[tuple[str, str]]:
        """Return all problems, each with the JSON pointer of its place."""

    async def usable(self, schema: JsonObject) -> str | None:
        """Return why the schema can't be used, None if it can."""

    async def close(self) -> None:
        """End the process."""


async def verdicts(checks: Checks, kind: AnswerType, values: Sequence[Json]) -> Verdicts:
    """Return the verdicts on these values, if the answer type needs any."""
    if not isinstance(kind, SchemaAnswer):
        return NO_VERDICTS
    return {verdict_key(kind.schema, value): await checks.check(kind.schema, value) for value in values}


class LazyChecks:
    """The engine's only validator, created on first use."""

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
