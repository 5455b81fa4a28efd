"""The inbox as text: who asks, what, in which conversation, since when, and until when it is snoozed (E51).

Rows as data, from `inbox.py`. Independent of widgets; both clocks are inputs: `now` in seconds of the front end's own,
`wall` in seconds since 1970.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import PromptKind
from jp_tui.view.questions.inbox import Gone, InboxEntry
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.wording.amounts import age

EMPTY: Final = (
    "Nothing is waiting for you.\n\n"
    "Questions from tools, the assistant, sub-agents and background conversations stay here until they are "
    "answered. So do open questions of other conversations in this folder."
)
SNOOZES: Final = (("5 minutes", 300.0), ("30 minutes", 1800.0), ("until nothing else is waiting", None))
PUT_OFF: Final = "Snooze for how long? It stays here, unanswered, and comes back automatically."
TAKEN_UP: Final = "Resuming {who} in the background: its question opens when it is ready"
HELD_BY: Final = "open in {who}"
ANSWER_HERE: Final = "open in {who}, you can answer here"
OFFERED: Final = "Your answer goes to {who}, which continues with it."
ANSWER_THERE: Final = "It is open in {who} and can only be answered there."
TAKEN: Final = "{who} received your answer."
ENDED: Final = {
    "done": "{who} finished in the background.",
    "failed": "{who} failed in the background.",
    "interrupted": "{who} was interrupted in the background.",
    "deferred": "{who} is waiting for an answer in the background.",
}
WAITS_BEHIND: Final = "The question you resumed is ready · Ctrl+T opens it"
WITHDRAWN: Final = "{who} withdrew “{text}”"
NO_LONGER: Final = "no longer open: {who} asked “{text}”"
ANSWERED: Final = "answered by {by}: {who} asked “{text}”"
ALIKE: Final = "One answer for all {n}"

_KINDS: dict[PromptKind, str] = {
    "question": "question",
    "permission": "permission to run",
    "delivery": "permission to deliver",
    "review": "form review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """`sign` shows its state, `aside` the place and kind; `mark` names what is special; `detail` is everything."""

    entry: InboxEntry
    sign: str
    since: str
    kind: str
    mark: str
    alike: int


def row(entry: InboxEntry, now: float, wall: float) -> InboxRow:
    """Return one line of the inbox."""
    mark, sign = "", "?"
    if entry.off:
        sign, mark = "☾", "snoozed " + _until(entry.until, now)
    elif not entry.here:
        sign, mark = "○", "not open"
        if entry.held_by:
            mark = (HELD_BY if not entry.offers else ANSWER_HERE).format(who=short(entry.held_by))
    return InboxRow(
        entry=entry,
        sign=sign,
        since=_since(entry.since, wall),
        kind=_KINDS[entry.kind],
        mark=mark,
        alike=len(entry.alike),
    )


def gone_notice(one: Gone) -> tuple[str, Foreign]:
    """Return the notice for an entry that left the list, and who answered it, if anyone."""
    if one.how in ("answered", "redacted"):
        return ANSWERED, Foreign(elsewhere(one.by) or "another process")
    return (WITHDRAWN if one.how == "withdrawn" else NO_LONGER), Foreign("")


def line(text: Foreign) -> Foreign:
    """Return its first line."""
    return Foreign(first_line(text.raw))


def short(holder: str) -> str:
    """Return the owner of a conversation without the process in brackets."""
    return holder.split(" (", 1)[0]


def _until(until: float | None, now: float) -> str:
    if until is None:
        return "until nothing else is waiting"
    left = max(until - now, 0.0)
    return f"for {math.ceil(left / 60)} m more" if left > 60 else f"for {math.ceil(left)} s more"


def _since(since: str, wall: float) -> str:
    try:
        return age(max(wall - read_timestamp(since).timestamp(), 0.0))
    except ValueError:
        return ""
