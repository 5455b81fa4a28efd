"""Tool calls of one cycle: run concurrently, committed in the order of the requests (inquiries.md R95).

Every call gets exactly one response, whatever happens (R102), and none is shown as done before its result is safe.
Questions go to the coordinator; `call_runner.py` runs one call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jp_tui.conversation.events import ToolCallResponse
from jp_tui.conversation.model import Call, Usage
from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.base.call_state import CallResult, Deferred, ResumedCalls
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.base.rejected_calls import RejectedCall, rejection_text
from jp_tui.engine.record.call_response import UNFINISHED, response, with_words
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.model_context import REPAIRED
from jp_tui.engine.record.unlogged_results import RESULT, UnloggedResults
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.turn.call_runner import CallRunner
from jp_tui.engine.turn.nested_instructions import nested_events
from jp_tui.engine.turn.subagent_spawner import SubagentSpawner
from jp_tui.inquiry.messages import ABORTED, NO_ONE_ANSWERED
from jp_tui.protocol.events import CallChanged
from jp_tui.protocol.values import CallEnd, CallState

Stop = Literal["restart", "respond", "stop", "leave", "gone", "end_turn"]
"""`leave`: the program ends, and the turn is resumable. `gone`: it ends, and this turn isn't."""
Ending = Literal["go_on", "deferred"] | Stop
# A later, milder choice never downgrades an earlier, stronger one (R214).
STRENGTH: dict[Ending, int] = {
    "go_on": 0, "deferred": 0, "restart": 1, "leave": 2, "respond": 3, "stop": 4, "gone": 5, "end_turn": 5,
}  # fmt: skip
TOGETHER = 50
"""Calls started at once."""
GRACE_SECONDS = 5.0
"""Time a cancelled tool has to end; after that the turn continues without it."""


class CallBatch:
    """Runs `calls`; `refused` must not run, with the problem (traps.md T20); `earlier` has the known facts of a resumed
    turn's calls (R237)."""

    def __init__(
        self,
        log: Log,
        coordinator: Coordinator,
        checks: Checks,
        root: Path,
        calls: Sequence[Call],
        order: Sequence[str],
        refused: Sequence[RejectedCall] = (),
        earlier: ResumedCalls | None = None,
        agents: SubagentSpawner | None = None,
        model: ModelSetup | None = None,
    ) -> None:
        self._log, self._coordinator, self._order = log, coordinator, list(order)
        earlier = earlier or ResumedCalls()
        self._keeping = UnloggedResults(log, earlier.results, begun=earlier.begun)
        self._runner = CallRunner(
            log,
            coordinator,
            checks,
            root,
            self._report,
            self._keeping,
            earlier,
            agents,
            model,
            lambda: self.stop("end_turn"),
        )
        self._root = root
        self._deciding: asyncio.Task[CallResult | None] | None = None
        self._calls = list(calls)
        self._names = {call.id: call.name for call in calls} | {one.call: one.tool for one in refused}
        self._done: dict[str, CallResult] = {}
        self._fresh: list[str] = []
        self._stays = earlier.stays
        self._deferred: set[str] = set(earlier.stays)
        self._left_open: set[str] = set()
        self._stored: set[str] = set()
        self._committed = 0
        self._tasks: dict[str, asyncio.Task[CallResult]] = {}
        self._finished: asyncio.Queue[str] = asyncio.Queue()
        self._ending: Ending = "go_on"
        self._words = ""
        self.unheard = ""
        """Reply of the user that no call was left to deliver to the model."""
        for one in refused:
            setup = log.setup.tools.get(one.tool)
            self._end(one.call, CallResult(rejection_text(one, setup.tool if setup else None), True, "error"))

    @property
    def spent(self) -> Usage:
        """Return the tokens of what the calls asked the model for their servers (mcp.md P46)."""
        return self._runner.spent

    def finished(self, call: str) -> tuple[str, bool] | None:
        """Return the result of a finished call, and True for an error; None for any other."""
        done = self._done.get(call)
        return (done.content, done.is_error) if done is not None else None

    @property
    def has_asked(self) -> bool:
        """True if an unfinished call has asked something in this turn: then the turn is resumable (R207)."""
        return any(call.id in self._log.asked and call.id not in self._done for call in self._calls)

    def stop(self, ending: Stop, words: str = "") -> bool:
        """Cancel what still runs (R211-R214); `words` go to the model for every unfinished call (R212).

        Return False if something stronger was chosen before.
        """
        if STRENGTH[ending] < STRENGTH[self._ending]:
            return False
        self._ending = ending
        self._words = "\n\n".join(part for part in (self._words, words) if part)
        self.unheard = "\n\n".join(part for part in (self.unheard, words) if part)
        for call, task in self._tasks.items():
            self._runner.call_off(call, leaves=ending == "leave")
            task.cancel()
        if self._deciding is not None:
            self._deciding.cancel()
        self._finished.put_nowait("")
        return True

    def _end(self, call: str, done: CallResult) -> None:
        self._done[call] = done
        self._fresh.append(call)

    async def run(self) -> Ending:
        """Run every call to its end; facts are durable at the return. Raises JournalError."""
        try:
            while True:
                await self._decide()
                await self._start()
                await self._watch()
                if self._ending == "restart":
                    self._ending = "go_on"
                await self._leave_open()
                if not self._left():
                    break
        finally:
            await self._abandon()
        if self._stays:  # this run's end doesn't answer what it never touched
            return "deferred"
        if self._ending == "respond":
            return "go_on"
        return "deferred" if self._deferred and self._ending in ("go_on", "gone") else self._ending

    async def _leave_open(self) -> None:
        """Leave open what waits for the next start, unless the user ended it after all."""
        if self._ending == "leave":
            await self._coordinator.wait_processed()
        if self._ending != "leave" and self._left_open:
            self._deferred -= self._left_open
            self._left_open.clear()
            self._committed = 0

    def _left(self) -> list[Call]:
        return [call for call in self._calls if call.id not in self._done and call.id not in self._deferred]

    async def _decide(self) -> None:
        """Request permissions, one call after the other in request order, before anything runs (R253)."""
        setups = [self._log.setup.tools.get(call.name) for call in self._left()]
        if any(setup is not None and setup.run in ("ask", "edit") for setup in setups):
            for call in self._left():
                self._report(call.id, call.name, "queued")
        for number, call in enumerate(self._left(), 1):
            if number % TOGETHER == 0:
                await asyncio.sleep(0)
            if self._ending != "go_on":
                return
            waits = self._runner.waits(call)
            if waits and self._fresh:
                await self._commit()
            try:
                done = await (self._leave(call) if waits else self._runner.permit(call))
            except Deferred:  # the client left, and the call has asked something before
                self._deferred.add(call.id)
                continue
            if done is not None:
                self._coordinator.gone(call.id)
                self._end(call.id, done)
            elif waits and self._ending == "go_on":
                self._report(call.id, call.name, "queued")

    async def _leave(self, call: Call) -> CallResult | None:
        """Decide one call, in its own task: an interrupt cancels it."""
        task = self._deciding = asyncio.create_task(self._runner.permit(call))
        try:
            await asyncio.wait([task])
        finally:
            self._deciding = None
            task.cancel()
        return None if task.cancelled() else task.result()

    async def _start(self) -> None:
        for number, call in enumerate(self._left(), 1):
            if number % TOGETHER == 0:
                await asyncio.sleep(0)
            if self._ending != "go_on":  # cancelled before it began
                self._call_off(call.id)
                continue
            task = self._tasks[call.id] = asyncio.create_task(self._runner.run(call))
            task.add_done_callback(lambda _, id_=call.id: self._finished.put_nowait(id_))  # type: ignore[misc]

    async def _watch(self) -> None:
        """Collect results as they arrive; commit those at the head of the order."""
        await self._commit()
        while self._tasks:
            ended = await self._next()
            for call in ended:
                if call in self._tasks:
                    self._collect(call, self._tasks.pop(call))
            await self._commit()

    async def _next(self) -> list[str]:
        """Return the calls that ended since; all remaining ones if a cancelled tool doesn't end."""
        while True:
            try:
                async with asyncio.timeout(None if self._ending == "go_on" else GRACE_SECONDS):
                    found = [await self._finished.get()]
            except TimeoutError:
                return list(self._tasks)
            while not self._finished.empty():
                found.append(self._finished.get_nowait())
            if any(found):
                return found

    def _collect(self, call: str, task: asyncio.Task[CallResult]) -> None:
        if not task.done() or task.cancelled():
            self._call_off(call)
            return
        error = task.exception()
        if isinstance(error, Deferred):
            self._deferred.add(call)
            return
        if error is not None:
            raise error
        self._coordinator.gone(call)
        self._end(call, task.result())

    def _call_off(self, call: str) -> None:
        """Handle a call that ended without a result, depending on who ended it."""
        if self._ending == "leave":  # its question, if any, stays open for the next start (R207, R248)
            self._deferred.add(call)
            self._left_open.add(call)
            return
        failed = self._ending in ("end_turn", "gone") and self._coordinator.waits_elsewhere(call)
        undecided = self._ending == "gone" and self._coordinator.needs_permission(call)
        self._coordinator.gone(call)
        name = self._names[call]
        if failed:  # R221
            self._end(call, CallResult(ABORTED, True, "cancelled"))
        elif self._ending == "restart":
            self._report(call, name, "queued")
        elif self._ending == "gone":
            self._runner.undecided(call) if undecided else None
            self._end(call, CallResult(NO_ONE_ANSWERED if undecided else REPAIRED, True, "cancelled"))
        elif self._ending == "go_on":
            self._end(call, CallResult(f"{name} was cancelled from within.", True, "error"))
        elif self._ending == "end_turn":
            self._end(call, CallResult(UNFINISHED, False, "cancelled"))
        elif self._words:
            self.unheard = ""
            self._end(call, CallResult(with_words(self._words), False, "cancelled"))
        else:
            tool = self._log.setup.tools.get(name)
            self._end(call, CallResult(tool.cancellation if tool else UNFINISHED, False, "cancelled"))

    async def _commit(self) -> None:
        """Append responses in request order; a deferred call doesn't delay the others (R95)."""
        await self._leave_open()
        fresh, self._fresh = self._fresh, []
        ready: dict[str, None] = {}
        while self._committed < len(self._order):
            call = self._order[self._committed]
            if call not in self._deferred and call not in self._stored:
                if call not in self._done:
                    break
                ready[call] = None
            self._committed += 1
        if ready:
            await self._coordinator.wait_processed()
            await self._log.append([self._response(call) for call in ready], (), self._keeping.parts(ready))
            self._stored.update(ready)
            ran = [call for call in self._calls if call.id in ready and self._done[call.id].end in ("ok", "error")]
            if nested := await nested_events(self._log, self._root, ran):
                await self._log.append(nested)
        if held := [call for call in fresh if call not in ready]:
            await self._keeping.keep(RESULT, [self._response(call) for call in held])
        for call in fresh:
            self._report(call, self._names[call], "completed", end=self._done[call].end)

    def _response(self, call: str) -> ToolCallResponse:
        setup = self._log.setup.tools.get(self._names[call])
        return response(call, self._done[call], self._runner.job(call), setup)

    async def _abandon(self) -> None:
        """Cancel everything that still runs at the end of the batch, for any reason."""
        for call, task in self._tasks.items():
            self._runner.call_off(call, leaves=self._ending == "leave")
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=GRACE_SECONDS)
            self._tasks.clear()

    def _report(self, call: str, name: str, state: CallState, *, end: CallEnd | None = None) -> None:
        setup, job = self._log.setup.tools.get(name), self._runner.job(call)
        self._log.publish(
            CallChanged(
                conversation=self._log.id,
                turn=self._log.turn,
                call=call,
                tool=name,
                state=state,
                title=Foreign(job.title if job is not None else ""),
                hidden=setup is not None and setup.hidden,
                end=end,
                ms=job.ms if job is not None else None,
                agent=job.agent if job is not None else None,
                said=Foreign(job.said if job is not None and state == "running" else ""),
            )
        )
