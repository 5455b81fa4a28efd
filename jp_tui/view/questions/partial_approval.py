"""A yes to parts of a change, and the comments on each (inquiries.md R251; asking.md E26), as values and text.

Read from the recorded question and its response; a record in another form counts as an answer to the whole. Independent
of diffs and painting.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTaken:
    """One part: its place, whether it was accepted, the comment on it."""

    title: Foreign
    accepted: bool
    comment: Foreign


Offered = tuple[tuple[str, Foreign], ...]
"""The parts as shown: id and title."""


def offered(question: JsonObject) -> Offered:
    """Return the parts of a recorded question, in its order."""
    listed = question.get("parts")
    found: list[tuple[str, Foreign]] = []
    for part in listed if isinstance(listed, list) else ():
        if not isinstance(part, dict) or not isinstance(name := part.get("id"), str):
            return ()
        title = part.get("title")
        found.append((name, Foreign(title if isinstance(title, str) else name)))
    return tuple(found)


def part_results(parts: Offered, told: Json) -> tuple[PartTaken, ...]:
    """Return the result of each part from a response's `parts`; empty for an answer to the whole."""
    if not isinstance(told, dict):
        return ()
    accepted, comments = told.get("accepted"), told.get("comments", {})
    if not isinstance(accepted, list) or not isinstance(comments, dict):
        return ()
    words = {name: said for name, said in comments.items() if isinstance(said, str)}
    return tuple(
        PartTaken(title=title, accepted=name in accepted, comment=Foreign(words.get(name, ""))) for name, title in parts
    )


def summary(parts: tuple[PartTaken, ...]) -> str:
    """Return `3 of 5 hunks, 1 comment`; only the comments if all were accepted, empty if there is nothing to report."""
    yes, said = sum(part.accepted for part in parts), sum(bool(part.comment) for part in parts)
    words = [] if yes in (0, len(parts)) else [f"{yes:,} of {len(parts):,} hunks"]
    words += [f"{said:,} comment{'s' if said != 1 else ''}"] if said else []
    return ", ".join(words)
