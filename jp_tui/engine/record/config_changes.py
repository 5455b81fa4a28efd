"""Settings changes of a conversation (inquiries.md R67): read from its log, appended to it, and merged over the
settings whenever those are loaded. The settings interpret them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, same
from jp_tui.engine.base.dependencies import ToolServers
from jp_tui.engine.record.log import Log
from jp_tui.protocol.events import TurnPhase, UserNotice

CORRECT = "Correct the settings, then send the message again."


class Current:
    """Settings of one open conversation, once `read`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.read = False
        self._listed = 0
        self._starting: asyncio.Task[Sequence[str]] | None = None

    async def ready(self) -> None:
        """Prepare for a model request: apply the conversation's settings changes, and store this run's; take the tools
        that servers list now. Raises ModelError, JournalError."""
        servers, again = self._log.setup.servers, False
        if servers is not None:
            if names := ", ".join(servers.starting):
                log = self._log
                log.publish(TurnPhase(conversation=log.id, turn=log.turn, phase="starting_servers", detail=names))
            for line in await self._started(servers):
                self._log.publish(UserNotice(message=line))
            again, self._listed = servers.version != self._listed, servers.version
        try:
            await self.reload(again=again)
        except ValueError as problem:
            raise ModelError("other", str(problem), CORRECT) from problem
        await keep(self._log)

    async def _started(self, servers: ToolServers) -> Sequence[str]:
        self._starting = asyncio.create_task(_ready(servers))
        try:
            await asyncio.wait({self._starting})
            return () if self._starting.cancelled() else self._starting.result()
        finally:
            self._starting.cancel()

    def hurry(self) -> None:
        """Wait for servers no longer: the turn is interrupted. They go on starting."""
        if self._starting is not None:
            self._starting.cancel()

    async def reload(self, *, again: bool = False) -> None:
        """Load them again for this conversation. Raises ValueError, JournalError."""
        if again or not self.read:
            tools = self._log.setup.reload_tools(await self._log.deltas())
            self._log.setup = replace(self._log.setup, tools=tools)
            self.read = True


async def _ready(servers: ToolServers) -> Sequence[str]:
    return await servers.ready()


async def keep(log: Log) -> None:
    """Store this command line's changes, unless the log has them. Raises JournalError."""
    delta = log.setup.config_delta
    if not delta:
        return
    held = in_effect(await log.deltas())
    if not same(laid_over(held, delta), held):
        await log.append([read_event({"type": "config_delta", "delta": delta})])


def in_effect(deltas: Iterable[JsonObject]) -> JsonObject:
    """Merge several changes, in order."""
    held: Json = {}
    for item in deltas:
        held = laid_over(held, item)
    return held if isinstance(held, dict) else {}


def laid_over(below: Json, above: Json) -> Json:
    """Merge by key for tables, replace everything else (R64)."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {**below, **{name: laid_over(below.get(name), value) for name, value in above.items()}}
