"""Stored conversations as text for a list: rows, search hits, results of actions. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.view.wording.amounts import age, short_model, turns

if TYPE_CHECKING:  # the first screen, which may be in the first frame, needs no protocol
    from jp_tui.protocol.library import Found, Hit, ImportProblem
    from jp_tui.protocol.values import ConversationInfo

EMPTY = {
    "active": "No conversations yet.",
    "archived": "No archived conversations.",
    "deleted": "No conversations deleted in the last 7 days.",
}
NOTHING = "No matches. Press Esc in the search to show all."
UNTITLED = Foreign("Untitled")
WHICH = {"active": "Conversations", "archived": "Archived conversations", "deleted": "Deleted conversations"}
NAMED = 40
"""Characters of a title in a message, so that the undo hint stays visible."""
EVENTS_SHOWN = 40
"""Events at the end of a conversation that its preview reads."""


def seconds_since(at: str, now: float) -> float:
    """Return the age of a log time in seconds; 0 for an invalid one."""
    try:
        return max(now - datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp(), 0.0)
    except ValueError:
        return 0.0


def title(info: ConversationInfo) -> Foreign:
    return info.title if info.title else UNTITLED


def about(info: ConversationInfo, now: float, home: str, *, place: bool) -> str:
    """Return `3 h · 4 turns · claude-haiku-4-5 · forked`; with `place` also the folder."""
    return " · ".join(part for part in (age(seconds_since(info.updated, now)), *_lasting(info, home, place)) if part)


def lasting(info: ConversationInfo) -> str:
    """Return `4 turns · claude-haiku-4-5 · forked`, which stays true until it is used."""
    return " · ".join(part for part in _lasting(info, "", False) if part)


def _lasting(info: ConversationInfo, home: str, place: bool) -> list[str]:
    parts = [turns(info.turns), short_model(info.model)]
    if place:
        folder = info.workspace
        parts.append(f"~{folder[len(home) :]}" if home and folder.startswith(f"{home}/") else folder)
    if info.machine:
        from jp_tui.view.wording.store import machine

        parts.append(f"on {machine(info.machine)}")
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
    return parts


def hits(found: Found) -> list[Hit]:
    """Return a search's hits besides the title."""
    return [hit for hit in found.hits if hit.seq]


def matched(found: Found) -> str:
    """Describe how many places match."""
    number = len(hits(found))
    return f"{number}{'+' if found.more else ''} place{'s' if number != 1 else ''}" if number else "in its title"


def changed(info: ConversationInfo, what: str) -> str:
    """Describe an action and how to undo it."""
    name = first_line(title(info).raw)
    name = name if len(name) <= NAMED else f"{name[: NAMED - 1]}…"
    return {
        "archived": f"Archived: {name} · u undoes",
        "deleted": f"Deleted: {name} · u restores it within 7 days",
        "renamed": f"Renamed: {name}",
    }.get(what, f"Restored: {name}")


def imported(number: int, before: int, problems: tuple[ImportProblem, ...]) -> str:
    """Describe the result of an import, and its first problems."""
    parts = [f"{number} imported"]
    if before:
        parts.append(f"{before} existed already")
    if problems:
        parts.append(f"{len(problems)} couldn't be read")
    lines = [f"{one.path}: {one.reason}" for one in problems[:3]]
    return "\n".join([", ".join(parts) + ".", *lines])
