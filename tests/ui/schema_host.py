"""The host of sheets with somebody who checks: verdicts as the engine gives them, held back when a test wants it."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.schema_worker import _answer
from jp_tui.ui.sheets.messages import CheckWanted
from jp_tui.ui.sheets.schema import SchemaSheet
from tests.ui.sheet_host import Host

JOB: JsonObject = {
    "type": "object",
    "required": ["name", "batch", "workers"],
    "properties": {
        "name": {"type": "string", "description": "What the job is called."},
        "batch": {"type": "integer", "minimum": 1, "maximum": 10000},
        "workers": {"type": "integer", "maximum": 16, "default": 4},
        "mode": {
            "oneOf": [
                {"const": "safe", "title": "safe"}, {"const": "fast", "title": "fast"},
                {"const": "dry", "title": "dry run"},
            ]
        },
        "notify": {"type": "array", "uniqueItems": True, "items": {"enum": ["mail", "chat", "pager"]}},
        "schedule": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["cron"],
                "properties": {"cron": {"type": "string"}, "zone": {"enum": ["UTC", "local"]}},
            },
        },
        "limits": {
            "type": "object",
            "title": "Limits of a run",
            "properties": {"cpu": {"type": "number"}, "until": {"type": "string", "format": "date"}},
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}  # fmt: skip
"""A job with one of each kind of field."""


def problems(schema: JsonObject, value: Any) -> list[tuple[str, str]]:
    """What the engine's worker says."""
    found = _answer({"do": "check", "schema": dump(schema), "value": dump(value)})
    return [(str(where), str(words)) for where, words in found["problems"]]


class Checked(Host):
    """A host that answers CheckWanted, at once unless `held`."""

    held = False

    def __init__(self, *prompts: Any, **more: Any) -> None:
        super().__init__(*prompts, **more)
        self.asked: list[Any] = []

    def on_check_wanted(self, event: CheckWanted) -> None:
        self._wanted(event)

    def on_sheet_dock_check_wanted(self, event: Any) -> None:
        self._wanted(event)

    def _wanted(self, event: Any) -> None:
        self.asked.append(event)
        if not self.held:
            self.verdict(event)

    def verdict(self, event: Any) -> None:
        """The verdict on one value that was asked about."""
        sheet = self.dock._sheets.get(event.inquiry)
        if isinstance(sheet, SchemaSheet):
            sheet.checked(event.revision, problems(sheet._schema, event.value))

    @property
    def schema(self) -> SchemaSheet:
        """The open sheet."""
        assert isinstance(self.sheet, SchemaSheet)
        return self.sheet

    @property
    def document(self) -> Any:
        """What is filled in."""
        return self.schema.filling.document

    async def judged(self, pilot: Pilot[None]) -> None:
        """Wait until the verdict is for exactly what stands there."""
        await self.until(pilot, lambda: self.schema.filling.sure or self.schema._misread is not None)
        await self.settled(pilot)
