"""Settings changes of a conversation (inquiries.md R67): read from its log, appended to it, and merged over the
settings whenever those are loaded. The settings interpret them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, same
from jp_tui.engine.record.log import Log

CORRECT = "Correct the settings, then send the message again."


class Current:
    """Settings of one open conversation, once `read`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.read = False

    async def ready(self) -> None:
        """Prepare for a model request: apply the conversation's settings changes, and store this run's. Raises
        ModelError, JournalError."""
        try:
            await self.reload()
        except ValueError as problem:
            raise ModelError("other", str(problem), CORRECT) from problem
        await keep(self._log)

    async def reload(self, *, again: bool = False) -> None:
        """Load them again for this conversation. Raises ValueError, JournalError."""
        if again or not self.read:
            tools = self._log.setup.reload_tools(await self._log.deltas())
            self._log.setup = replace(self._log.setup, tools=tools)
            self.read = True


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
