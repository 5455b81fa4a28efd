"""Data sent beside the summary of a compaction: the user's messages, the plan, paths (context.md K24). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.record.answer_record import Logged
from jp_tui.engine.record.event_codec import SENT
from jp_tui.engine.record.sizes import size

MOST_FILES, MOST_PATH = 50, 1_000
MOST_WORDS = 1_000
"""Characters of each message of the user's."""
MOST_PLAN = 50
_PATHS = ("path", "source", "target")


def user_messages(events: Sequence[Logged], through: int, room: int) -> tuple[str, ...]:
    """The user's messages up to `through`, the latest first, in at most `room` bytes."""
    found: list[str] = []
    for seq, _, event in reversed(events):
        if seq > through or not isinstance(event, ev.ChatRequest) or SENT in event.metadata:
            continue
        text = event.content[:MOST_WORDS]
        if not text.strip():
            continue
        if (room := room - size(text) - 4) < 0:
            break
        found.append(text)
    return tuple(found)


def plan(events: Sequence[Logged]) -> tuple[JsonObject, ...]:
    """The steps of the plan that stands."""
    for _, _, event in reversed(events):
        raw = event.wire()
        if raw.get("type") == "plan" and isinstance(steps := raw.get("steps"), list):
            return tuple(one for one in steps if isinstance(one, dict))[:MOST_PLAN]
    return ()


def files(events: Sequence[Logged], through: int) -> tuple[str, ...]:
    """The paths that calls named last, the latest first."""
    found: dict[str, None] = {}
    for seq, _, event in reversed(events):
        if seq <= through and isinstance(event, ev.ToolCallRequest):
            for path in _paths(event.arguments):
                if 0 < len(path) <= MOST_PATH:
                    found.setdefault(path)
            if len(found) >= MOST_FILES:
                break
    return tuple(found)[:MOST_FILES]


def _paths(arguments: JsonObject) -> Iterator[str]:
    for key in _PATHS:
        if isinstance(one := arguments.get(key), str):
            yield one
    yield from _texts(arguments.get("paths"))
    patterns = arguments.get("patterns")
    for pattern in patterns if isinstance(patterns, list) else ():
        if isinstance(pattern, dict):
            yield from _texts(pattern.get("paths"))


def _texts(value: Json) -> Iterator[str]:
    yield from (one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
