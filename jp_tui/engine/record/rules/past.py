"""Calls of a tool that a person was asked about in this folder: their last ones, for the figures of a prompt (AR19).

Read from the logs of the workspace, the latest conversation first. Read-only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, dump, text_of
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.journal.port import JournalReading, Stored

LAST = 20
CONVERSATIONS, EVENTS = 40, 1_000
"""Conversations that are looked at, and their last events: a prompt doesn't wait for a long search."""
_AT_ONCE = 100
"""Events read at a stretch."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """Arguments of a call, and whether the person said yes."""

    arguments: JsonObject
    approved: bool


async def asked_calls(journal: JournalReading, workspace: str, tool: str, question: str = "") -> list[AskedCall]:
    """Return at most LAST calls of a tool, the latest first, that a person decided about: its permission, or, with
    `question`, that question of it. Raises JournalError."""
    found: list[AskedCall] = []
    for row in journal.conversations(workspace, limit=CONVERSATIONS, include_archived=True):
        found += reversed([one async for one in _conversation(journal, row.id, tool, question)])
        if len(found) >= LAST:
            break
    return found[:LAST]


async def _conversation(journal: JournalReading, id_: str, tool: str, question: str) -> AsyncIterator[AskedCall]:
    requests: dict[tuple[int, str], JsonObject] = {}
    asked: dict[tuple[int, str], str] = {}
    for number, row in enumerate(journal.tail(id_, EVENTS)):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
        if not _may_tell(row, tool, question):
            continue
        event, turn = read_event(stored_event(row).event), row.entry.turn
        match event:
            case ev.ToolCallRequest(id=call, name=name, arguments=arguments) if name == tool:
                requests[turn, call] = arguments
            case ev.ToolCallResponse(id=call, metadata=about) if (turn, call) in requests:
                said = about.get("permission")
                if isinstance(said, dict) and said.get("by") == "user" and said.get("choice") != "edit":
                    yield AskedCall(requests[turn, call], said.get("choice") == "run")
            case ev.InquiryRequest(id=inquiry, metadata=about) if about.get("question") == question:
                asked[turn, inquiry] = text_of(about.get("call"))
            case ev.InquiryAnswered(id=inquiry, answer=answer, responder=who) if (turn, inquiry) in asked:
                call = asked.pop((turn, inquiry))
                if who is not None and who.kind == "user" and (turn, call) in requests:
                    yield AskedCall(requests[turn, call], answer is True)
            case _:
                pass


def _may_tell(row: Stored, tool: str, question: str) -> bool:
    """True if an event may be about the tool, as its text says: most are not read."""
    kind, text = row.entry.kind, row.entry.payload
    if kind == "tool_call_request":
        return dump(tool) in text
    if question:
        return kind == "inquiry_response" or (kind == "inquiry_request" and dump(question) in text)
    return kind == "tool_call_response" and '"permission"' in text
