"""Line under a finished turn: what ran, what changed, who answered, duration, cost (issue 8, 7).

Derived from the logged end of the turn, so live and reloaded conversations agree. Short turns without tools have none.
Pure.
"""

from __future__ import annotations

from typing import Final

from jp_tui.conversation import events as stored
from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.view.wording.amounts import count, duration, money
from jp_tui.view.wording.changes import counts, files

LONG: Final = 60_000
"""Milliseconds from which a text-only turn gets a line."""
WHO: Final = {
    "user": "you",
    "people": "other people",
    "assistant": "reviewer",
    "static": "pinned",
    "remembered": "remembered",
    "default": "default",
    "nobody": "not answered",
}
"""In display order."""
UNDONE: Final = "changes_undone"
NAMED: Final = 4


def summary(event: stored.TurnOutcome) -> str:
    """Return the line; empty if there is nothing to report."""
    raw = event.metadata.get("did")
    did, unread = raw if isinstance(raw, dict) else {}, _unread(event.metadata.get("unread"))
    if not did and event.ms < LONG:
        return unread
    parts = [unread, _calls(did), _files(did), _asked(did.get("asked")), duration(event.ms) if event.ms else ""]
    usage = event.usage
    tokens = [
        f"{count(number)} {way}" for way, key in (("in", "input"), ("out", "output")) if (number := _number(usage, key))
    ]
    parts.append(", ".join(tokens))
    cost = usage.get("cost_usd")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e9:
        parts.append(money(cost))
    return " · ".join(part for part in parts if part)


def _unread(raw: Json) -> str:
    """Count reply parts of unknown kinds."""
    kinds = [neutralise(Foreign(one), "line") for one in raw if isinstance(one, str)] if isinstance(raw, list) else []
    more = f" and {len(kinds) - NAMED:,} more" if len(kinds) > NAMED else ""
    return f"part of the reply can't be shown ({', '.join(kinds[:NAMED])}{more})" if kinds else ""


def _number(of: JsonObject, key: str) -> int:
    found = of.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 < found < 1 << 53 else 0


def _calls(did: JsonObject) -> str:
    calls = _number(did, "calls")
    if not calls:
        return ""
    parts = [f"{calls:,} {'tool call' if calls == 1 else 'tool calls'}"]
    parts += [f"{number:,} {word}" for word in ("failed", "declined") if (number := _number(did, word))]
    return ", ".join(parts)


def _files(did: JsonObject) -> str:
    number = _number(did, "files")
    lines = counts(_number(did, "added"), _number(did, "removed"))
    return f"{files(number)} changed{f' {lines}' if lines else ''}" if number else ""


def _asked(raw: Json) -> str:
    asked = raw if isinstance(raw, dict) else {}
    known = [(who, number) for who in WHO if (number := _number(asked, who))]
    every = sum(number for _, number in known)
    if not every:
        return ""
    if len(known) == 1:
        who, _ = known[0]
        one = "question" if every == 1 else "questions"
        return f"{every:,} {one}, {'not answered' if who == 'nobody' else f'answered by {_by(who)}'}"
    return f"{every:,} questions: {', '.join(f'{number:,} {WHO[who]}' for who, number in known)}"


def _by(who: str) -> str:
    return {"static": "a setting", "remembered": "remembered answers", "default": "its default"}.get(who, WHO[who])


def undone(event: stored.Unknown) -> str:
    """Return a line about undone or restored changes; empty for any other event."""
    raw = event.raw
    listed = raw.get("files")
    if raw.get("type") != UNDONE or event.problem or not isinstance(listed, list):
        return ""
    names = [neutralise(Foreign(one), "line") for one in listed if isinstance(one, str)]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    did = "Redone" if raw.get("way") == "again" else "Undone"
    return f"{did}: {', '.join(names[:NAMED])}{more}"
