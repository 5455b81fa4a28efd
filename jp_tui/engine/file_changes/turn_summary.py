"""What a turn did, counted from its events, to stand with its end in the log (issue 8, 7).

Counted here once, because a face may hold only a page of a long turn: live and reloaded it then says the same. A turn
in which nothing ran has nothing to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.file_changes.change_list import figures
from jp_tui.engine.record.log import Log

DID = "did"
"""The key in the metadata of a turn's end."""


async def summed(log: Log) -> JsonObject:
    """What the turn that ends now did, as a part of its end's metadata. Raises JournalError."""
    if not log.spoke:
        return {}
    store, files = log.setup.copies, (0, 0, 0)
    events = await log.turn_in_pieces(log.turn)
    if store is not None and log.agent is None and any(isinstance(event, ev.ToolCallRequest) for event in events):
        files = figures(store.records(log.id), log.turn, store)
    found = did(events, {name for name, setup in log.setup.tools.items() if setup.hidden}, files)
    return {DID: found} if found else {}


def did(events: Iterable[ev.Event], hidden: Collection[str], files: tuple[int, int, int]) -> JsonObject:
    """`{calls, failed, declined, asked: {who: how many}, files, added, removed}` without what is zero; empty when
    nothing ran.

    Calls of `hidden` tools are not counted, their questions are; who is a responder's kind, or `nobody` for a question
    that was cancelled. `files` are those that changed, with the lines added and removed.
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
                asked["user" if responder is None else responder.kind] += 1
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
