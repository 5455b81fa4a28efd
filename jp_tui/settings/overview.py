"""Tools as `jp-tui tools` shows them: effective values, and who answers their configured questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.questions import QuestionSettings, written_target
from jp_tui.settings.schema.tools import KINDS
from jp_tui.settings.toolset import TOOLS, ToolSettings


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One configured question. `place` is the origin of its answer or target, `why` explains an inherited target."""

    id: str
    question: QuestionSettings

    def json(self) -> dict[str, Any]:
        q = self.question
        row: dict[str, Any] = {"target": written_target(q.target, q.overrides)}
        optional = (
            ("prompt_label", q.prompt_label),
            ("exclusive", q.exclusive),
            ("deadline_secs", q.deadline_secs),
            ("place", q.place or None),
            ("why", q.why or None),
        )
        row |= {"answer": q.answer} if q.has_answer else {}
        return row | {key: value for key, value in optional if value is not None}


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool. `run_place` is the origin of its `run`."""

    tool: ToolSettings
    run_place: str
    questions: tuple[QuestionRow, ...]

    @property
    def policies(self) -> dict[str, str]:
        """Return the detached policies that are set, by kind."""
        found = ((kind, getattr(self.tool.detached, kind)) for kind in KINDS)
        return {kind: policy for kind, policy in found if policy != "unset"}

    def json(self) -> dict[str, Any]:
        tool = self.tool
        return {
            "name": tool.name,
            "source": tool.source,
            "kind": tool.kind,
            "enabled": tool.enable.state,
            "allow_toggle": tool.enable.allow_toggle,
            "run": tool.run,
            "run_place": self.run_place,
            "format": tool.format,
            "result": tool.result,
            "detached": self.policies,
            "questions": {row.id: row.json() for row in self.questions},
        }


def overview(settings: Settings, tools: Mapping[str, ToolSettings]) -> list[ToolRow]:
    """Return a row for each tool, in the order of the layers."""
    return [_row(settings, tool) for tool in tools.values()]


def _row(settings: Settings, tool: ToolSettings) -> ToolRow:
    place = settings.origin(*TOOLS, tool.name, "run") or settings.origin(*TOOLS, "*", "run")
    questions = tuple(QuestionRow(id_, question) for id_, question in tool.questions.items())
    return ToolRow(tool, place.words() if place else "", questions)
