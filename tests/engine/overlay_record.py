"""The record that a message of a compaction carries, read again (context.md K25)."""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject, JsonProblem, parse_object
from jp_tui.engine.record.overlay import BEGIN, END


def record_in(text: str) -> list[JsonObject]:
    """The entries of the record in the text of such a message; empty without one."""
    found: list[JsonObject] = []
    inside = False
    for one in text.split("\n"):
        if one == BEGIN:
            inside, found = True, []
        elif one == END and inside:
            return found
        elif inside:
            try:
                found.append(parse_object(one, max_bytes=1 << 30, max_depth=128))
            except JsonProblem:
                return []
    return []
