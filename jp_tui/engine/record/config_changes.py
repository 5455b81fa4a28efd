"""Changes of configuration that belong to a conversation (inquiries.md R67): read from its log, added to it, and laid
over the settings whenever these are read anew. What they mean is the settings' business."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, same
from jp_tui.engine.record.log import Log

CORRECT = "Correct the settings, then send the message again."


class Current:
    """The settings of one open conversation, as far as they are `read`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.read = False

    async def ready(self) -> None:
        """Before a model is asked: what the conversation changes of the settings counts, and what this run changes is
        kept with it. Raises ModelError, JournalError."""
        try:
            await self.reload()
        except ValueError as problem:
            raise ModelError("other", str(problem), CORRECT) from problem
        await keep(self._log)

    async def reload(self, *, again: bool = False) -> None:
        """Read them anew, for this conversation. Raises ValueError, JournalError."""
        if again or not self.read:
            tools = self._log.setup.reload_tools(await self._log.deltas())
            self._log.setup = replace(self._log.setup, tools=tools)
            self.read = True


async def keep(log: Log) -> None:
    """Store what this run's command line changes, unless the log holds it already. Raises JournalError."""
    delta = log.setup.config_delta
    if not delta:
        return
    held = in_effect(await log.deltas())
    if not same(laid_over(held, delta), held):
        await log.append([read_event({"type": "config_delta", "delta": delta})])


def in_effect(deltas: Iterable[JsonObject]) -> JsonObject:
    """What several changes come to, in order."""
    held: Json = {}
    for item in deltas:
        held = laid_over(held, item)
    return held if isinstance(held, dict) else {}


def laid_over(below: Json, above: Json) -> Json:
    """Tables merge by key, everything else replaces (R64)."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {**below, **{name: laid_over(below.get(name), value) for name, value in above.items()}}
