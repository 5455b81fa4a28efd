"""A yes to parts of a change, and what was said about each (inquiries.md R251; asking.md E26), as values and in words.

Read from the recorded question and its response; a record of another form is a whole answer, never a guessed part.
Knows no diff and paints nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTaken:
    """One part: where it is, whether it was accepted, what was said about it."""

    title: Foreign
    accepted: bool
    comment: Foreign


Offered = tuple[tuple[str, Foreign], ...]
"""The parts that were put before somebody: id and title."""


def offered(question: JsonObject) -> Offered:
    """The parts of a recorded question, in its order."""
    listed = question.get("parts")
    found: list[tuple[str, Foreign]] = []
    for part in listed if isinstance(listed, list) else ():
        if not isinstance(part, dict) or not isinstance(name := part.get("id"), str):
            return ()
        title = part.get("title")
        found.append((name, Foreign(title if isinstance(title, str) else name)))
    return tuple(found)


def taken(parts: Offered, told: Json) -> tuple[PartTaken, ...]:
    """What became of each part by a response's `parts`; nothing for an answer to the whole."""
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
    """`3 of 5 hunks, 1 comment`; only the comments where all were accepted, empty when there is nothing to say."""
    yes, said = sum(part.accepted for part in parts), sum(bool(part.comment) for part in parts)
    words = [] if yes in (0, len(parts)) else [f"{yes:,} of {len(parts):,} hunks"]
    words += [f"{said:,} comment{'s' if said != 1 else ''}"] if said else []
    return ", ".join(words)
