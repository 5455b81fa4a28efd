"""Text for the model about a change that was answered hunk by hunk (inquiries.md R251; asking.md E26): the refused
parts with their diffs, and the user's comments.

Decides and writes nothing.
"""

from __future__ import annotations

import re

from jp_tui.questions.hunks import Some
from jp_tui.questions.types import Part, Taken

_REPEATED = 16 * 1024
"""Characters of refused hunks that are repeated. The model proposed them, so the rest is only counted."""


def partial_result(name: str, some: Some) -> str:
    """Describe the result for a file with only some hunks accepted."""
    return f"Changed {name} in {some.count:,} of {some.all:,} hunks: +{some.added:,} -{some.removed:,} lines."


def refused_parts(parts: tuple[Part, ...], taken: Taken) -> str:
    """Return which parts were refused; "" if none was."""
    refused = [part for part in parts if part.id not in taken.accepted]
    if not refused:
        return ""
    told = [f"The user accepted {len(parts) - len(refused):,} of {len(parts):,} hunks. Refused, and not applied:"]
    room = _REPEATED
    for part in refused:
        if len(part.diff) > room:
            told.append(f"{part.title} (not repeated here)")
            continue
        room -= len(part.diff)
        told.append(f"{part.title}:\n{fenced('diff', part.diff)}")
    return "\n\n".join(told)


def comments(parts: tuple[Part, ...], taken: Taken) -> str:
    """Return the user's comments on parts; "" if there are none."""
    told = []
    for part in parts:
        words = taken.comments.get(part.id, "").strip()
        if words:
            how = "accepted" if part.id in taken.accepted else "refused"
            told.append(f"On {part.title} ({how}): {words}")
    return "\n\n".join(["Comments of the user:", *told]) if told else ""


def fenced(kind: str, text: str) -> str:
    """Return a code block with a fence longer than any in `text`."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"
