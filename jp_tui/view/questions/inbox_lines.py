"""The inbox as text: who asks, what, in which conversation, since when, and until when it is snoozed (E51).

Rows as data, from `inbox.py`. Independent of widgets; both clocks are inputs: `now` in seconds of the front end's own,
`wall` in seconds since 1970.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptKind
from jp_tui.protocol.worker import by_worker
from jp_tui.view.activity.agents import waited
from jp_tui.view.activity.status import shortened
from jp_tui.view.questions import people
from jp_tui.view.questions.inbox import Gone, InboxEntry
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.wording.store import machine, printable

EMPTY: Final = (
    "Nothing is waiting for you.\n\n"
    "Questions from tools, the assistant, sub-agents and background conversations stay here until they are "
    "answered. So do open questions of other conversations in this folder, and those of `jp-tui ask` from anywhere."
)
SNOOZES: Final = (("5 minutes", 300.0), ("30 minutes", 1800.0), ("until nothing else is waiting", None))
PUT_OFF: Final = "Snooze for how long? It stays here, unanswered, and comes back automatically."
TAKEN_UP: Final = "Resuming {who} in the background: its question opens when it is ready"
HELD_BY: Final = "open in {who}"
A_WORKER: Final = "a worker"
ANSWER_HERE: Final = "open in {who}, you can answer here"
OFFERED: Final = "Your answer goes to {who}, which continues with it."
ANSWER_THERE: Final = "It is open in {who} and can only be answered there."
RECORDED: Final = "Your answer is recorded. The conversation goes on in {who}."
ANSWER_IN: Final = "It can only be answered in {who}: jp-tui shows it there."
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
NOT_SENT: Final = "not sent"
Filter = Literal["all", "mine", "roles", "asked"]
FILTERS: Final[dict[Filter, str]] = {
    "all": "all", "mine": "mine", "roles": "my roles", "asked": "asked by me",
}  # fmt: skip
NONE_KEPT: Final = "Nothing here. Press f for the other questions."

_KINDS: dict[PromptKind, str] = {
    "question": "question",
    "permission": "permission to run",
    "delivery": "permission to deliver",
    "review": "form review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """`sign` shows its state, `mark` names what is special, `people` are those whom it asks."""

    entry: InboxEntry
    sign: str
    since: str
    kind: str
    mark: str
    alike: int
    people: Foreign


_FOLDER = 30


def row(entry: InboxEntry, now: float, wall: float) -> InboxRow:
    """Return one line of the inbox."""
    mark, sign = "", "?"
    if entry.off:
        sign, mark = "☾", "snoozed " + _until(entry.until, now)
    elif entry.unsent:
        mark = NOT_SENT
    elif not entry.here:
        sign, mark = "○", "not open"
        if entry.outside:
            sign, mark = "?", ""
        elif entry.machine or entry.folder or (entry.owner and not entry.held_by):
            mark = _place(entry)
        elif entry.held_by:
            mark = (HELD_BY if not entry.offers else ANSWER_HERE).format(who=short(entry.held_by))
    return InboxRow(
        entry=entry,
        sign=sign,
        since=waited(entry.since, wall),
        kind=_KINDS[entry.kind],
        mark=mark,
        alike=len(entry.alike),
        people=Foreign(people.row_line(entry, entry.owner)),
    )


def _place(entry: InboxEntry) -> str:
    """Return `open on desk · ~/src`: the machine comes first, and stays where the row is cut."""
    holder = entry.held_by.split(" (", 1)[0]
    there = machine(holder.rpartition(" on ")[2])
    parts = [f"{A_WORKER} on {there}" if by_worker(entry.held_by) else f"open on {there}" if holder else "not open"]
    if entry.machine and (not holder or machine(entry.machine) != there):
        parts.append(f"from {machine(entry.machine)}")
    if entry.folder:
        parts.append(short_folder(entry.folder))
    return " · ".join(parts)


def details(entry: InboxEntry) -> str:
    """Return where an entry of another machine or folder belongs, empty for others."""
    if entry.outside or not (entry.machine or entry.folder or entry.owner):
        return ""
    parts = [f"{printable(entry.owner)}'s conversation"] if entry.owner else []
    parts += [f"from {machine(entry.machine)}"] if entry.machine else []
    parts += [printable(entry.folder)] if entry.folder else []
    parts += [HELD_BY.format(who=short(entry.held_by))] if entry.held_by else []
    return ", ".join(parts)


def shared(entries: Iterable[InboxEntry]) -> bool:
    """Return True if any of these asks other people than the user."""
    return any(one.share != "mine" or one.to or one.owner or one.approvals is not None for one in entries)


def kept(entries: Sequence[InboxEntry], which: Filter) -> Sequence[InboxEntry]:
    """Return the entries of a filter (store.md D19)."""
    return entries if which == "all" else [one for one in entries if one.share == which]


def filter_words(entries: Iterable[InboxEntry]) -> dict[Filter, str]:
    """Return the filters with what each would show: `my roles 2`."""
    counts = Counter(one.share for one in entries)
    return {name: f"{said} {counts.total() if name == 'all' else counts[name]}" for name, said in FILTERS.items()}


def short_folder(path: str) -> str:
    """Return the last parts of a folder of another conversation."""
    return shortened(printable(path), "", _FOLDER)


def goes_on(entry: InboxEntry) -> str:
    """Return where the conversation of an answer goes on that is only recorded here."""
    if entry.owner and not entry.folder:
        return f"{printable(entry.owner)}'s workspace"
    there = short_folder(entry.folder)
    return f"{there} on {machine(entry.machine)}" if entry.machine else there


def gone_notice(one: Gone) -> tuple[str, Foreign]:
    """Return the notice for an entry that left the list, and who answered it, if anyone."""
    if one.how in ("answered", "redacted"):
        return ANSWERED, Foreign(elsewhere(one.by) or "another process")
    return (WITHDRAWN if one.how == "withdrawn" else NO_LONGER), Foreign("")


def short(holder: str) -> str:
    """Return the owner of a conversation without the process in brackets."""
    if by_worker(holder):
        return A_WORKER
    return holder.split(" (", 1)[0]


def _until(until: float | None, now: float) -> str:
    if until is None:
        return "until nothing else is waiting"
    left = max(until - now, 0.0)
    return f"for {math.ceil(left / 60)} m more" if left > 60 else f"for {math.ceil(left)} s more"
