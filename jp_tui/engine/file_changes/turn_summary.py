"""Summary of a turn, counted from its events and stored with its end (issue 8, 7).

Counted once here, because a front end may have only a page of a long turn: live and reloaded turns then agree. A turn
without tools has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.file_changes.change_list import figures
from jp_tui.engine.record.log import Log

DID = "did"
"""Metadata key of a turn's end."""


async def summed(log: Log) -> JsonObject:
    """Return the summary of the ending turn, as part of its metadata. Raises JournalError."""
    if not log.has_output:
        return {}
    store, files = log.setup.copies, (0, 0, 0)
    events = await log.turn_in_pieces(log.turn)
    if store is not None and log.agent is None and any(isinstance(event, ev.ToolCallRequest) for event in events):
        files = figures(store.records(log.id), log.turn, store)
    hidden = {name for name, setup in log.setup.tools.items() if setup.hidden}
    found = did(events, hidden, files, log.setup.journal.me())
    return {DID: found} if found else {}


def did(events: Iterable[ev.Event], hidden: Collection[str], files: tuple[int, int, int], me: str = "") -> JsonObject:
    """Return `{calls, failed, declined, asked: {who: how many}, files, added, removed}` without zeros; empty if nothing
    ran.

    Calls of `hidden` tools aren't counted, their questions are; who is a responder's kind, or `nobody` for a cancelled
    question, or `people` for another person than `me`. `files` are the changed ones, with added and removed lines.
    """
    names: dict[str, str] = {}
    calls = failed = declined = 0
    asked: Counter[str] = Counter()
    for event in events:
        match event:
            case ev.ToolCallRequest(id=id_, name=name):
                names[id_] = name
                calls += name not in hidden
            case ev.ToolCallResponse(id=id_, metadata={"end": "declined"}):
                declined += names.get(id_, "") not in hidden
            case ev.ToolCallResponse(id=id_, is_error=True):
                failed += names.get(id_, "") not in hidden
            case ev.InquiryAnswered(responder=responder):
                asked[_who(responder, me)] += 1
            case ev.InquiryRedacted():
                asked["user"] += 1
            case ev.InquiryCancelled():
                asked["nobody"] += 1
            case _:
                pass
    if not names:
        return {}
    counted: dict[str, int] = {
        "calls": calls,
        "failed": failed,
        "declined": declined,
        "files": files[0],
        "added": files[1],
        "removed": files[2],
    }
    found: JsonObject = {key: number for key, number in counted.items() if number}
    return {**found, "asked": dict(asked)} if asked else found or {"calls": 0}


def _who(responder: ev.Responder | None, me: str) -> str:
    if responder is None:
        return "user"
    return "people" if responder.kind == "user" and responder.who not in ("", me) else responder.kind
