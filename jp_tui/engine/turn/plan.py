"""The plan of a conversation and its plan mode, as the tools of a turn keep them (context.md K40-K42)."""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.record.context_facts import MODE, PLAN
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import values as v
from jp_tui.tools.port import PlanStep, applies

REFUSED = "Not in plan mode: submit the plan first."


class TurnPlan:
    """See `tools.port.PlanKeeper`."""

    def __init__(self, log: Log, coordinator: Coordinator) -> None:
        self._log, self._coordinator = log, coordinator

    async def update(self, steps: Sequence[PlanStep], explanation: str) -> None:
        await self._log.append([self._plan(steps, explanation)])

    async def accepted(self, steps: Sequence[PlanStep], *, edits: bool) -> None:
        await self._log.append([self._plan(steps, ""), mode_event(self._log, planning=False)])
        if edits:
            tools = tuple(name for name, one in self._log.setup.tools.items() if applies(one.tool))
            await self._coordinator.process(v.EditsAccepted(tools, timestamp(self._log.setup.now())))

    def _plan(self, steps: Sequence[PlanStep], explanation: str) -> ev.Event:
        listed: list[Json] = [{"step": storable(one.step), "status": one.status} for one in steps]
        more: JsonObject = {"explanation": storable(explanation)} if explanation else {}
        head: JsonObject = {"timestamp": timestamp(self._log.setup.now()), "type": PLAN}
        return ev.Unknown({**head, "steps": listed, **more})


def mode_event(log: Log, *, planning: bool) -> ev.Event:
    """The conversation is in plan mode from now on, or no longer."""
    mode = "plan" if planning else "work"
    return ev.Unknown({"timestamp": timestamp(log.setup.now()), "type": MODE, "mode": mode})
