"""A job with one of each kind of field, and a host that knows its sheet."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.ui.sheets.schema.area import SchemaArea
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


class Checked(Host):
    """A host with one schema sheet."""

    @property
    def schema(self) -> SchemaArea:
        """The answer area of the open sheet."""
        assert isinstance(self.sheet.area, SchemaArea)
        return self.sheet.area

    @property
    def document(self) -> Any:
        """What is filled in."""
        return self.schema.document.value

    async def judged(self, pilot: Pilot[None]) -> None:
        """Wait until the verdict is for exactly what stands there."""
        await self.until(pilot, lambda: self.schema.document.sure or self.schema.editors.json_problem is not None)
        await self.settled(pilot)
