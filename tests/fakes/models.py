"""A model whose responses are given as deltas, behind the real provider port; it keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject, dump

Item = m.Delta | m.ModelError | float | asyncio.Event


def text(words: str, index: int = 0) -> list[Item]:
    """A message part in two pieces."""
    half = len(words) // 2
    return [
        m.PartOpened(index, "message"),
        m.PartGrew(index, words[:half]),
        m.PartGrew(index, words[half:]),
        m.PartEnded(index),
    ]


def call(name: str, arguments: JsonObject, id_: str = "c1", index: int = 0) -> list[Item]:
    """A complete tool call."""
    return [
        m.PartOpened(index, "tool", id_, name),
        m.PartGrew(index, dump(arguments)),
        m.PartEnded(index, arguments),
    ]


def end(reason: m.StopReason = "end", input_: int = 10, output: int = 5) -> list[Item]:
    """The end of a response."""
    return [m.Finished(reason, m.Usage(input=input_, output=output))]


class Script:
    """Plays one list of deltas a request; a float sleeps, an Event is waited for, a ModelError is raised."""

    def __init__(self, *responses: Sequence[Item], greeting: str | None = None, sample: Path | None = None) -> None:
        self._responses = list(responses)
        self._greeting, self._sample = greeting, sample
        self.requests: list[m.ModelRequest] = []
        self.closed = 0

    @property
    def greeting(self) -> str | None:
        return self._greeting

    @property
    def sample(self) -> Path | None:
        return self._sample

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        self.requests.append(request)
        assert self._responses, "the script has no further response"
        try:
            for item in self._responses.pop(0):
                match item:
                    case m.ModelError():
                        raise item
                    case float():
                        await asyncio.sleep(item)
                    case asyncio.Event():
                        await item.wait()
                    case _:
                        yield item
        finally:
            self.closed += 1

    async def close(self) -> None:
        pass
