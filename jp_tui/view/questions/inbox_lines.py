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
    "Nothing waits for you.\n\n"
    "Whatever a tool, the assistant, a sub-agent or a conversation in the background asks stands here until it is "
    "answered, and so does what other conversations of this folder were left at."
)
SNOOZES: Final = (("5 minutes", 300.0), ("30 minutes", 1800.0), ("until nothing else waits", None))
PUT_OFF: Final = "How long? It stays here, comes back by itself, and is answered by nobody meanwhile."
TAKEN_UP: Final = "{who} is taken up in the background: its question opens as soon as it is asked here"
HELD_BY: Final = "held by {who}"
ANSWER_HERE: Final = "held by {who}, answer here"
OFFERED: Final = "Your answer goes to {who}, which goes on with it"
ANSWER_THERE: Final = "{who} holds it, and this can only be answered there"
TAKEN: Final = "{who} has your answer"
ENDED: Final = {
    "done": "{who} went on in the background, and is done",
    "failed": "{who} went on in the background, and failed",
    "interrupted": "{who} went on in the background, and was interrupted",
    "deferred": "{who} went on in the background, and waits for an answer",
}
WAITS_BEHIND: Final = "The question that you took up waits now · Ctrl+T turns to it"
WITHDRAWN: Final = "withdrawn: {who} does not ask any more “{text}”"
NO_LONGER: Final = "no longer waits: {who} asked “{text}”"
ANSWERED: Final = "answered by {by}: {who} asked “{text}”"
ALIKE: Final = "One answer for all {n}"

_KINDS: dict[PromptKind, str] = {
    "question": "question",
    "permission": "leave to run",
    "delivery": "leave to deliver",
    "review": "last look at a form",
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
        sign, mark = "☾", "put off " + _until(entry.until, now)
    elif not entry.here:
        sign, mark = "○", "not open here"
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
        return ANSWERED, Foreign(elsewhere(one.by) or "somebody")
    return (WITHDRAWN if one.how == "withdrawn" else NO_LONGER), Foreign("")


def line(text: Foreign) -> Foreign:
    """Return its first line."""
    return Foreign(first_line(text.raw))


def short(holder: str) -> str:
    """Return the owner of a conversation without the process in brackets."""
    return holder.split(" (", 1)[0]


def _until(until: float | None, now: float) -> str:
    if until is None:
        return "until nothing else waits"
    left = max(until - now, 0.0)
    return f"for {math.ceil(left / 60)} m more" if left > 60 else f"for {math.ceil(left)} s more"


def _since(since: str, wall: float) -> str:
    try:
        return age(max(wall - read_timestamp(since).timestamp(), 0.0))
    except ValueError:
        return ""
