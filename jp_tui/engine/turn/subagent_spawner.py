"""Sub-agents started by the calls of one turn: their permissions, their model, and the log entry before the start.

Dependencies are derived from the parent's; `session/subagents.py` runs them. Only one level: a sub-agent's turn has no
spawner (inquiries.md R224).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.model import ModelError
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.subagent_relay import SubagentRelay
from jp_tui.engine.base.call_state import ToolCallState
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.config_changes import in_effect
from jp_tui.engine.record.log import Log
from jp_tui.engine.turn.subagent_context import SubagentContext, SubagentTask, setup_of, tools_of
from jp_tui.inquiry import values as v
from jp_tui.protocol.values import AgentInfo
from jp_tui.providers.tool_names import wire_name
from jp_tui.questions.bounds import short
from jp_tui.tools.port import Spawn, Spawner


class Runs(Protocol):
    """Runner of sub-agents."""

    async def run(self, errand: SubagentTask) -> Success | Failure:
        """Run to the end. Raises Deferred, JournalError, and cancellation, which ends it."""

    async def abandon(self, agent: AgentInfo, setup: EngineDependencies) -> None:
        """End a sub-agent of an unfinished turn that isn't resumed. Raises JournalError."""


class SubagentSpawner:
    """For the calls of one turn of the conversation `log`, which uses `model`; `before` are the sub-agents of a resumed
    turn, by call."""

    def __init__(
        self,
        log: Log,
        model: ModelSetup,
        coordinator: Coordinator,
        agents: Runs,
        before: Mapping[str, AgentInfo] | None = None,
    ) -> None:
        self._log, self._model, self._coordinator, self._agents = log, model, coordinator, agents
        self._before = dict(before or {})
        self._running, self._called_off = 0, list[AgentInfo]()

    @property
    def running(self) -> bool:
        """True if any runs, is about to, or is to be resumed."""
        return self._running > 0 or bool(self._before)

    async def end_all(self) -> None:
        """End all unfinished sub-agents with the turn, of this run or before. Raises JournalError."""
        left = [*self._before.values(), *self._called_off]
        self._before.clear()
        self._called_off.clear()
        for agent in left:
            await self._agents.abandon(agent, self._log.setup)

    def of(self, job: ToolCallState, root: Path, say: Callable[[], None]) -> Spawner:
        """Return the spawner for this call; `say` reports it to the front ends."""

        async def spawn(wanted: Spawn) -> Success | Failure:
            self._running += 1
            try:
                return await self._spawn(job, root, say, wanted)
            finally:
                self._running -= 1

        return spawn

    async def _spawn(self, job: ToolCallState, root: Path, say: Callable[[], None], wanted: Spawn) -> Success | Failure:
        setup, taken = self._log.setup, job.agent
        wanted = self._named_here(wanted)
        if (wrong := self._unknown(wanted)) is not None:
            return Failure(wrong)
        named = taken.model if taken is not None else wanted.model
        try:
            opens = setup.open_agent_model or setup.open_model
            model = await opens(named or self._model.id)
        except ModelError as problem:
            return Failure(f"The sub-agent was not started: {problem}")
        if taken is None:
            job.agent = self._info(job, wanted, model)
            await self._log.append([subagent_events.started(job.agent, timestamp(setup.now()))])
        assert job.agent is not None
        say()
        handler = SubagentRelay(job.agent, self._coordinator.relay, self._coordinator.relayed, self._end_turn)
        child = SubagentContext(job.agent, root, handler, wanted.tools)
        delta = in_effect([*await self._log.deltas(), setup.config_delta])
        own = setup_of(setup, wanted.tools, delta, planning=self._log.planning)
        errand = SubagentTask(child, wanted.task, own, model, self._log.secrets, lambda: job.leaves)
        self._before.pop(job.call.id, None)
        try:
            return await self._agents.run(errand)
        except asyncio.CancelledError:
            self._called_off.append(job.agent)  # perhaps left to be resumed, and the turn is ended after all
            raise

    def _end_turn(self) -> None:
        self._coordinator.human("", v.HumanEndedTurn())

    def _info(self, job: ToolCallState, wanted: Spawn, model: ModelSetup) -> AgentInfo:
        log = self._log
        return AgentInfo(
            conversation=log.setup.new_id(),
            parent=log.id,
            call=job.call.id,
            turn=log.turn,
            name=Foreign(wanted.name),
            task=subagent_events.line(wanted.task),
            model=model.id,
        )

    def _named_here(self, wanted: Spawn) -> Spawn:
        """Return the request with our names of tools: the model knows those of an MCP server by their names on the wire
        (mcp.md P20)."""
        if wanted.tools is None:
            return wanted
        known = {wire_name(name): name for name in self._log.setup.tools}
        return replace(wanted, tools=tuple(known.get(name, name) for name in wanted.tools))

    def _unknown(self, wanted: Spawn) -> str | None:
        """Return the problem with the requested tools."""
        has = tools_of(self._log.setup.tools)
        if wanted.tools is None or not (strange := [name for name in wanted.tools if name not in has]):
            return None
        said = ", ".join(map(short, strange[:20]))
        return f"A sub-agent cannot get these tools: {said}. It can get: {', '.join(has) or 'none'}."
