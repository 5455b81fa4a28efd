"""Environment and instruction files in a conversation's log, as last sent to the model (context.md K2, K6, K10)."""

from __future__ import annotations

from dataclasses import dataclass, field

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject

ENVIRONMENT, INSTRUCTIONS, PLAN, MODE = "environment", "instructions", "plan", "mode"
"""Kinds of events. An `instructions` event with a `call` tells of nested files."""
_STATE = ("date", "branch", "status")
Told = tuple[dict[str, Json], "dict[str, str] | None", dict[str, str]]


@dataclass(slots=True)
class ContextFacts:
    """Reads the events of a log in order.

    `environment` is what was last sent of each part; `files` the digests of the instruction files of the system text,
    None if none were recorded; `nested` those of nested ones. `planning`: the conversation is
    in plan mode (K41). What was sent in a turn without any effect doesn't count.
    """

    environment: dict[str, Json] = field(default_factory=dict)
    files: dict[str, str] | None = None
    nested: dict[str, str] = field(default_factory=dict)
    planning: bool = False
    _turn: int = -1
    _before: Told = field(default_factory=lambda: ({}, None, {}))
    _spoke: bool = False

    def add(self, turn: int, event: ev.Event) -> None:
        """The next event."""
        if turn != self._turn:
            self._turn, self._spoke = turn, False
            self._before = dict(self.environment), self.files, dict(self.nested)
        match event:
            case ev.ChatResponse() | ev.ToolCallRequest():
                self._spoke = self._spoke or event.metadata.get("discarded") is not True
            case ev.TurnOutcome() if not self._spoke:
                if event.outcome == "failed" or event.metadata.get("discarded") is True:
                    self.environment, self.files, self.nested = self._before
            case ev.Unknown(raw={"type": "environment"} as raw):
                self.environment |= {key: raw[key] for key in _STATE if key in raw}
            case ev.Unknown(raw={"type": "instructions"} as raw):
                self._add(raw)
            case ev.Unknown(raw={"type": "mode", "mode": str() as mode}):
                self.planning = mode == "plan"
            case ev.Compaction() if event.leaves_out:
                self.environment, self.nested = {}, {}
            case _:
                pass

    def _add(self, raw: JsonObject) -> None:
        listed = raw.get("files")
        files = listed if isinstance(listed, list) else []
        found = {
            str(one["path"]): str(one["digest"])
            for one in files
            if isinstance(one, dict) and isinstance(one.get("path"), str) and isinstance(one.get("digest"), str)
        }
        if "call" in raw:
            self.nested |= found
        else:
            self.files = found
