"""Results of calls that aren't in the log yet, stored beside it so that no kill loses them (R95, R93).

`RESULT` waits for an earlier call's place in the order; `DELIVERY` for permission to be delivered: it is asked about
again when the turn resumes, and its tool doesn't run again. `LEAVE` marks a permitted call without a result: who
permitted it is durable before anything runs. `BEGUN` marks a run of a call with its answers, durable before it begins,
so that no other process repeats it without asking (store.md D21). Decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonProblem, dump, parse_object
from jp_tui.engine.base.call_state import MAY_HAVE_RUN
from jp_tui.engine.record.event_codec import MAX_STORED_BYTES, MAX_STORED_DEPTH
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import Partial

RESULT: Literal["result"] = "result"
DELIVERY: Literal["delivery"] = "delivery"
LEAVE: Literal["leave"] = "leave"
BEGUN: Literal["begun"] = "begun"
Kind = Literal["result", "delivery", "leave"]


@dataclass(frozen=True, slots=True)
class BegunRun:
    """A run of a call: the part that marks it, the call's turn, and how often the call had asked something by then
    (-1: it returned); `doubts`: how often it was asked whether to run it again."""

    part: str
    turn: int
    asked: int
    doubts: int


class UnloggedResults:
    """Stored results of one batch; `delivery` are those of an earlier run that wait for permission, `begun`: there was
    such a run."""

    def __init__(self, log: Log, delivery: Iterable[str] = (), *, begun: bool = False) -> None:
        self._log = log
        self._parts: dict[str, list[str]] = {call: [_part(DELIVERY, call)] for call in delivery}
        partials = log.setup.journal.partials(log.id) if begun else []
        for call, (part, _) in kept(partials, LEAVE).items():
            self._parts.setdefault(call, []).append(part)
        for call, run in begun_runs(partials).items():
            self._parts.setdefault(call, []).append(run.part)

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

    async def begins(self, call: str, *, returned: bool = False) -> None:
        """Record durably that the call runs with its answers so far, or that this run returned without a result. Raises
        JournalError."""
        part, asked = _part(BEGUN, call), self._log.asked.get(call, ())
        doubts = sum(question == MAY_HAVE_RUN for question in asked)
        counted = -1 if returned else len(asked) - doubts
        mark = dump({"call": call, "turn": self._log.turn, "asked": counted, "doubts": doubts})
        if part not in (known := self._parts.setdefault(call, [])):
            known.append(part)
        await self._log.setup.journal.partial(self._log.id, part, BEGUN, f"{mark}\n", durable=True)

    def parts(self, calls: Iterable[str]) -> list[str]:
        """Return the parts stored for these calls, deleted once their responses are in the log."""
        return [part for call in calls for part in self._parts.pop(call, ())]


def begun_runs(partials: Sequence[Partial]) -> dict[str, BegunRun]:
    """Return the latest marked run of each call."""
    found: dict[str, BegunRun] = {}
    for partial in partials:
        if partial.kind == BEGUN and (run := _begun(partial)) is not None:
            found[run[0]] = run[1]
    return found


def _begun(partial: Partial) -> tuple[str, BegunRun] | None:
    lines = partial.text.split("\n")  # one line a run; the last may be cut
    for line in reversed(lines):
        try:
            mark = parse_object(line, max_bytes=MAX_STORED_BYTES) if line else {}
        except JsonProblem:
            continue
        call, turn, asked, doubts = (mark.get(name) for name in ("call", "turn", "asked", "doubts"))
        if isinstance(call, str) and isinstance(turn, int) and isinstance(asked, int) and isinstance(doubts, int):
            return call, BegunRun(partial.part, turn, asked, doubts)
    return None


def _part(kind: Literal["result", "delivery", "leave", "begun"], call: str) -> str:
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
