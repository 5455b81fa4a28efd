"""Results of calls that aren't in the log yet, stored beside it so that no kill loses them (R95, R93).

`RESULT` waits for an earlier call's place in the order; `DELIVERY` for permission to be delivered: it is asked about
again when the turn resumes, and its tool doesn't run again. `LEAVE` marks a permitted call without a result: who
permitted it is durable before anything runs. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonProblem, dump, parse_object
from jp_tui.engine.record.event_codec import MAX_STORED_BYTES, MAX_STORED_DEPTH
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import Partial

RESULT: Literal["result"] = "result"
DELIVERY: Literal["delivery"] = "delivery"
LEAVE: Literal["leave"] = "leave"
Kind = Literal["result", "delivery", "leave"]


class UnloggedResults:
    """Stored results of one batch; `delivery` are those of an earlier run that wait for permission, `begun`: there was
    such a run."""

    def __init__(self, log: Log, delivery: Iterable[str] = (), *, begun: bool = False) -> None:
        self._log = log
        self._parts: dict[str, list[str]] = {call: [_part(DELIVERY, call)] for call in delivery}
        for call, (part, _) in kept(log.setup.journal.partials(log.id), LEAVE).items() if begun else ():
            self._parts.setdefault(call, []).append(part)

    async def keep(self, kind: Kind, results: Sequence[ev.ToolCallResponse]) -> None:
        """Store them before returning, a permission durably. Raises JournalError."""
        journal = self._log.setup.journal
        again = [part for one in results if (part := _part(kind, one.id)) in self._parts.get(one.id, ())]
        if again:  # the call started again: a part only grows
            await self._log.append([], (), again)
        receipts = []
        for one in results:
            part = _part(kind, one.id)
            receipts.append(journal.partial(self._log.id, part, kind, dump(one.wire()), durable=kind == LEAVE))
            self._parts[one.id] = [*(name for name in self._parts.get(one.id, ()) if name != part), part]
        await journal.flush()
        for receipt in receipts:
            await receipt

    def parts(self, calls: Iterable[str]) -> list[str]:
        """Return the parts stored for these calls, deleted once their responses are in the log."""
        return [part for call in calls for part in self._parts.pop(call, ())]


def _part(kind: Kind, call: str) -> str:
    return f"{kind}.{call}"


def kept(partials: Sequence[Partial], kind: Kind) -> dict[str, tuple[str, ev.ToolCallResponse]]:
    """Return the stored results by call, each with its part's name; unreadable ones are left out."""
    found: dict[str, tuple[str, ev.ToolCallResponse]] = {}
    for partial in partials:
        if partial.kind == kind and (result := _result(partial.text)) is not None:
            found[result.id] = partial.part, result
    return found


def _result(text: str) -> ev.ToolCallResponse | None:
    try:
        event = read_event(parse_object(text, max_bytes=MAX_STORED_BYTES, max_depth=MAX_STORED_DEPTH))
    except JsonProblem:
        return None
    return event if isinstance(event, ev.ToolCallResponse) else None
