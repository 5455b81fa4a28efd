"""One streaming response of a model: deltas to the front end, pieces to the journal, whole parts at its end.

Nothing becomes a fact before the response is complete (traps.md T20): until then its pieces are in the journal's
partials, at most 0.5 s behind, so that a killed program loses no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import Prices
from jp_tui.engine.base.rejected_calls import KEPT, RejectedCall
from jp_tui.engine.record.costs import counted
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import CallChanged, PartDelta, PartDropped

FLUSH_SECONDS = 0.5
LEFT_OUT = "reasoning_left_out"
"""Event: the server refused reasoning of earlier replies (wires.md W6)."""
SENT_ID = "sent_id"
"""Metadata of a call: its id as the model sent it, if that was used before in this conversation (Z1)."""
TOGETHER = 100
"""Deltas processed at once when a server sends many: other tasks must run in between."""
CUT: dict[m.StopReason, str] = {
    "length": "the message that it stands in was cut off at the limit of output tokens",
    "window": "the message that it stands in was cut off at the end of the model's context window",
    "refused": "the message that it stands in was stopped by the server's filter",
}


@dataclass(slots=True)
class Growing:
    """Streaming part; `unsaved` isn't in the journal yet. `sent_id` is the model's id of a call stored under another
    one."""

    name: str
    kind: m.PartKind
    call: str = ""
    sent_id: str = ""
    tool: str = ""
    pieces: list[str] = field(default_factory=list)
    unsaved: list[str] = field(default_factory=list)
    arguments: JsonObject | None = None
    opaque: JsonObject = field(default_factory=dict)
    problem: str = ""
    misread: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class StreamedResponse:
    """Processes the deltas of one response. `number` counts the responses of the turn, retries included."""

    def __init__(self, log: Log, number: int) -> None:
        self._log, self._number = log, number
        self._parts: dict[int, Growing] = {}
        self._calls: set[str] = set()
        self._again: dict[str, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.finished: m.Finished | None = None

    async def consume(self, deltas: AsyncIterator[m.Delta], first: Callable[[], None]) -> None:
        """Consume a response to its end.

        Raises ModelError, also if the stream ends without a finish. `first` is called when the first part opens.
        """
        count = 0
        try:
            async for delta in deltas:
                if isinstance(delta, m.ReasoningLeftOut):
                    await self._log.append([ev.Unknown({"type": LEFT_OUT})])
                    continue
                if not self._parts:
                    first()
                self._one(delta)
                count += 1
                if count % TOGETHER == 0:
                    await asyncio.sleep(0)
        finally:
            self._save()
            if isinstance(deltas, AsyncGenerator):
                await deltas.aclose()  # closes the socket too, also after a bad delta
        if self.finished is None:
            raise m.ModelError("cut", "The response ended early.", "Send the message again.", transient=True)

    def _one(self, delta: m.Delta) -> None:
        match delta:
            case m.PartOpened():
                self._open(delta)
            case m.PartGrew(index, text):
                if text and index in self._parts:
                    self._grow(self._parts[index], text)
            case m.PartEnded(index, arguments, opaque):
                if index in self._parts:
                    self._parts[index].arguments, self._parts[index].opaque = arguments, opaque
            case m.CallRefused(index, id_, name, raw, problem, misread):
                if index not in self._parts:
                    self._open(m.PartOpened(index, "tool", id_, name))
                self._parts[index].problem, self._parts[index].misread = problem, misread
                self._parts[index].pieces = [raw]
            case m.Finished():
                self.finished = delta
            case m.ReasoningLeftOut():
                pass  # see `take`

    def _open(self, opened: m.PartOpened) -> None:
        name = f"{self._log.turn}.{self._number}.{opened.index}"
        part = Growing(name, opened.kind, tool=opened.name)
        if opened.kind == "tool":
            part.call = self._unique(opened.id, opened.index)
            part.sent_id = opened.id if opened.id != part.call else ""
            setup = self._log.setup.tools.get(part.tool)
            self._log.publish(
                CallChanged(
                    conversation=self._log.id,
                    turn=self._log.turn,
                    call=part.call,
                    tool=part.tool,
                    state="receiving_arguments",
                    hidden=setup is not None and setup.hidden,
                )
            )
        self._parts[opened.index] = part

    def _unique(self, id_: str, index: int) -> str:
        """Return the call's id for storage: unique within the conversation, whatever the server sends (Z1)."""
        found = wanted = id_ or f"call_{self._log.turn}_{self._number}_{index}"
        while found in self._calls or self._log.has_call(found):
            again = self._again[wanted] = self._again.get(wanted, 1) + 1
            found = f"{wanted}_{again}"
        self._calls.add(found)
        return found

    def report_again(self) -> None:
        """Report everything so far again."""
        for part in self.in_order():
            if part.pieces:
                self._report_text(part, part.text)

    def _report_text(self, part: Growing, text: str) -> None:
        self._log.publish(
            PartDelta(
                conversation=self._log.id,
                turn=self._log.turn,
                part=part.name,
                kind=part.kind,
                text=Foreign(text),
                call=part.call,
                tool=part.tool,
            )
        )

    def _grow(self, part: Growing, text: str) -> None:
        part.pieces.append(text)
        part.unsaved.append(text)
        self._report_text(part, text)
        if self._timer is None and self._log.exists:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._save)

    def _save(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for part in self._parts.values():
            if part.unsaved:
                chunk, part.unsaved = "".join(part.unsaved), []
                with suppress(JournalError):  # recording the whole response will report it
                    self._log.setup.journal.partial(self._log.id, part.name, part.kind, chunk)

    @property
    def asks(self) -> bool:
        """True if it calls tools."""
        return any(part.kind == "tool" for part in self._parts.values())

    def order(self) -> list[str]:
        """Return the ids of all calls, in the model's order."""
        return [part.call for part in self.in_order() if part.kind == "tool"]

    def calls(self) -> list[m.Call]:
        """Return the calls that may run, in order."""
        return [
            m.Call(part.call, part.tool, part.arguments)
            for part in self.in_order()
            if part.kind == "tool" and part.arguments is not None and not self._problem(part)
        ]

    def refused(self) -> list[RejectedCall]:
        """Return the calls that must not run."""
        return [
            RejectedCall(part.call, part.tool, problem, part.text if part.misread else "")
            for part in self.in_order()
            if part.kind == "tool" and (problem := self._problem(part))
        ]

    def _problem(self, part: Growing) -> str:
        """Return why a call must not run (T20): it or its message isn't complete."""
        if part.problem:
            return part.problem
        if part.arguments is None:
            return "it was cut off"
        reason = self.finished.reason if self.finished is not None else "other"
        return CUT.get(reason, "")

    def in_order(self) -> list[Growing]:
        """Return the parts so far, in the model's order."""
        return [self._parts[index] for index in sorted(self._parts)]

    async def commit(self, model: str, prices: Prices | None = None) -> None:
        """Store the complete response as facts, all at once (R205)."""
        events: list[ev.Event] = []
        parts: list[str] = []
        dropped: list[str] = []
        for part in self.in_order():
            event = self._event(part, model)
            if event is None:
                dropped.append(part.name)
            else:
                events.append(event)
                parts.append(part.name)
        if self.finished is not None and events and isinstance(last := events[-1], ev.ToolCallRequest):
            # A turn that is interrupted while its tools run has no other record of its cost.
            usage: JsonObject = {"usage": counted(self.finished.usage, prices)}
            events[-1] = replace(last, metadata={**last.metadata, **usage})
        if events or dropped:
            await self._log.append(events, parts, dropped)
        self._report_dropped(dropped)

    def _event(self, part: Growing, model: str) -> ev.Event | None:
        provider = model.partition("/")[0]
        came: JsonObject = {"provider": provider, "opaque": part.opaque} if part.opaque else {}
        match part.kind:
            case "message" if not part.text.strip():
                return None
            case "message":
                return ev.ChatResponse(kind="message", content=part.text, metadata=came)
            case "reasoning":
                if not part.text.strip() and not part.opaque:
                    return None
                return ev.ChatResponse(kind="reasoning", content=part.text, metadata={"provider": provider, **came})
            case "tool":
                problem, sent = self._problem(part), {SENT_ID: part.sent_id} if part.sent_id else {}
                if part.arguments is None or problem:
                    extra: JsonObject = {"refused": problem, "raw": part.text[:KEPT], **sent}
                    if part.misread:
                        extra["misread"] = True
                    return ev.ToolCallRequest(id=part.call, name=part.tool, arguments={}, metadata=extra)
                return ev.ToolCallRequest(
                    id=part.call, name=part.tool, arguments=part.arguments, metadata={**sent, **came}
                )

    async def keep(self, *, discarded: bool = False) -> bool:
        """Keep the text of a truncated or stopped response, marked incomplete; its calls never run (T20). `discarded`:
        it is requested again, and no model reads this attempt."""
        marks: JsonObject = {"incomplete": True, **({"discarded": True} if discarded else {})}
        events: list[ev.Event] = []
        parts: list[str] = []
        dropped: list[str] = []
        for part in self.in_order():
            if part.kind == "tool" or not part.text.strip():
                dropped.append(part.name)
                continue
            kind: ev.ChatKind = "message" if part.kind == "message" else "reasoning"
            events.append(ev.ChatResponse(kind=kind, content=part.text, metadata=dict(marks)))
            parts.append(part.name)
        if events or dropped:
            await self._log.append(events, parts, dropped)
        self._report_dropped(dropped)
        return bool(events)

    async def drop(self) -> None:
        """Discard the response: store no event and delete its pieces."""
        names = [part.name for part in self.in_order()]
        if names:
            await self._log.append([], (), names)
        self._report_dropped(names)

    def _report_dropped(self, names: list[str]) -> None:
        for name in names:
            self._log.publish(PartDropped(conversation=self._log.id, part=name))
