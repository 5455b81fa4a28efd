"""Stored conversations as words for a list: what a row says, what a search found in it, what was done. Pure."""

from __future__ import annotations

from datetime import datetime

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.library import Found, Hit, ImportProblem
from jp_tui.protocol.values import ConversationInfo
from jp_tui.view.wording.amounts import age, short_model, turns

EMPTY = {
    "active": "No conversations yet.",
    "archived": "No archived conversations.",
    "deleted": "No conversations deleted in the last 7 days.",
}
NOTHING = "No matches. Press Esc in the search to show all."
UNTITLED = Foreign("Untitled")
WHICH = {"active": "Conversations", "archived": "Archived conversations", "deleted": "Deleted conversations"}
NAMED = 40
"""Characters of a title in what is said of it: how to take it back has to stay in sight."""
EVENTS_SHOWN = 40
"""Events of the end of a conversation that are read to show what it is about."""


def seconds_since(at: str, now: float) -> float:
    """How long ago a time of the log was; 0 for what is none."""
    try:
        return max(now - datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp(), 0.0)
    except ValueError:
        return 0.0


def title(info: ConversationInfo) -> Foreign:
    return info.title if info.title else UNTITLED


def about(info: ConversationInfo, now: float, home: str, *, place: bool) -> str:
    """`3 h · 4 turns · claude-haiku-4-5 · forked`; with `place` where it was held."""
    parts = [age(seconds_since(info.updated, now)), turns(info.turns), short_model(info.model)]
    if place:
        folder = info.workspace
        parts.append(f"~{folder[len(home) :]}" if home and folder.startswith(f"{home}/") else folder)
    if info.parent:
        parts.append("a sub-agent's")
    if info.forked_from:
        parts.append("forked")
    if info.imported_from:
        parts.append("from jp")
    if info.deleted:
        parts.append("deleted, removed permanently after 7 days")
    elif info.archived:
        parts.append("archived")
    return " · ".join(part for part in parts if part)


def hits(found: Found) -> list[Hit]:
    """What a search found beyond the title."""
    return [hit for hit in found.hits if hit.seq]


def matched(found: Found) -> str:
    """How many places of it match."""
    number = len(hits(found))
    return f"{number}{'+' if found.more else ''} place{'s' if number != 1 else ''}" if number else "in its title"


def changed(info: ConversationInfo, what: str) -> str:
    """What was done with one, and how to take it back."""
    name = first_line(title(info).raw)
    name = name if len(name) <= NAMED else f"{name[: NAMED - 1]}…"
    return {
        "archived": f"Archived: {name} · u undoes",
        "deleted": f"Deleted: {name} · u restores it within 7 days",
        "renamed": f"Renamed: {name}",
    }.get(what, f"Restored: {name}")


def imported(number: int, before: int, problems: tuple[ImportProblem, ...]) -> str:
    """What an import brought, and the first things that it could not read."""
    parts = [f"{number} imported"]
    if before:
        parts.append(f"{before} existed already")
    if problems:
        parts.append(f"{len(problems)} couldn't be read")
    lines = [f"{one.path}: {one.reason}" for one in problems[:3]]
    return "\n".join([", ".join(parts) + ".", *lines])
