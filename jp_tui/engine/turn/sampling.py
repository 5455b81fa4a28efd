"""Requests of a call to the conversation's model, for its MCP server (mcp.md P46).

The model gets what the user allowed and nothing else: no history, no instructions, no tools. Each reply is kept with
the call, with its tokens.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.call_state import ToolCallState
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.model.response_retry import retried
from jp_tui.engine.model.text_response import text_deltas
from jp_tui.engine.record.costs import counted
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.tools.port import Sampled, SampleRequest

PURPOSE = "mcp.sampling"
"""Purpose of the request; only scripted models read it."""


class ModelSampler:
    """See `Sampler` of the tools."""

    def __init__(self, log: Log, model: ModelSetup, job: ToolCallState) -> None:
        self._log, self._model, self._job = log, model, job

    @property
    def model(self) -> str:
        return self._model.id

    @property
    def images(self) -> bool | None:
        return self._model.images

    async def sample(self, request: SampleRequest) -> Sampled:
        model = self._model
        asked = m.ModelRequest(
            model=model.name,
            messages=request.messages,
            system=request.system,
            tool_choice="none",
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            cache="off",
            inquiry=PURPOSE,
            extra=model.extra,
        )
        return await retried(partial(self._read, asked), model.retry)

    async def _read(self, asked: m.ModelRequest) -> Sampled:
        """Raises ModelError, also for a reply that breaks off."""
        said: list[str] = []
        async with aclosing(text_deltas(self._model.provider.stream(asked))) as texts:
            async for one in texts:
                if isinstance(one, m.Finished):
                    return self._kept("".join(said), one.reason, one.usage)
                said.append(one)
        raise m.ModelError("cut", "The response ended early.", transient=True)

    def _kept(self, text: str, reason: m.StopReason, usage: m.Usage) -> Sampled:
        words = self._log.secrets.text(storable(text), self._job.call.id)
        spent = counted(usage, self._model.prices)
        kept: JsonObject = {"model": self._model.id, "text": words, "usage": spent}
        self._job.sampled.append(kept)
        self._job.spent = self._job.spent + usage
        return Sampled(text, reason)
