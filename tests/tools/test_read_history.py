"""`read_history` (context.md K26): the log, 16,000 characters a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.tools.port import HistoryPart, ToolCall
from jp_tui.tools.read_history import MOST
from jp_tui.tools.registry import builtin


class Log:
    def __init__(self, *texts: str) -> None:
        self.texts, self.wanted = texts, HistoryPart()

    async def pieces(self, part: HistoryPart) -> AsyncIterator[str]:
        self.wanted = part
        for text in self.texts:
            yield text


async def run(log: Log | None, **arguments: Any) -> Success | Failure:
    found = await builtin()["read_history"].run(ToolCall(arguments, Path("/"), history=log))
    assert isinstance(found, Success | Failure)
    return found


@pytest.mark.parametrize("size", [1, 999, MOST, 20_000])
async def test_k26_all_of_it_comes_in_pages(size: int) -> None:
    whole = "".join(chr(32 + at % 90) for at in range(45_000))
    log = Log(*(whole[at : at + size] for at in range(0, len(whole), size)))
    read, text = "", "more"
    while text:
        found = await run(log, offset=len(read))
        assert isinstance(found, Success)
        text, _, more = found.content.partition("\n[more: ")
        assert len(text) <= MOST
        read += text
        if not more:
            break
        assert more == f"call read_history again with offset={len(read)}]"
    assert read == whole
    assert isinstance(await run(log, offset=len(whole)), Failure)


async def test_k26_a_part_is_asked_for() -> None:
    log = Log("found")
    for part, arguments in (
        (HistoryPart(call="c1"), {"call_id": "c1"}),
        (HistoryPart(record=True), {"record": True}),
        (HistoryPart(search="x"), {"search": "x"}),
        (HistoryPart(), {}),
    ):
        assert await run(log, **arguments) == Success("found") and log.wanted == part


async def test_k26_what_makes_no_sense_is_refused() -> None:
    for arguments in ({"call_id": "a", "search": "b"}, {"offset": -1}, {"record": "yes"}, {"whole": True}):
        found = await run(Log("x"), **arguments)
        assert isinstance(found, Failure) and "read_history: " in found.message
    assert "no call" in str(await run(Log(), call_id="zz")).lower()
    assert isinstance(await run(None), Failure)
