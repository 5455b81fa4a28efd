"""The log of a conversation as text for its own model, all of it or a part (context.md K26).

Read in pieces, so that a long log costs no memory. The record is made as a compaction makes it, without a bound.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import dump
from jp_tui.engine.record import answer_record
from jp_tui.engine.record.log import Log
from jp_tui.tools.port import HistoryPart


class HistoryText:
    """Implements the port `HistoryReader` of tools for one log."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def pieces(self, part: HistoryPart) -> AsyncIterator[str]:
        """The parts of the text, in order."""
        if part.record:
            events = await self._log.events()
            for entry in answer_record.entries(events, events[-1][0] if events else 0):
                yield f"{entry.line}\n"
            return
        wanted = part.search.casefold()
        async for seq, event in self._log.each():
            if part.call:
                if isinstance(event, ev.ToolCallResponse) and event.id == part.call:
                    yield event.content
            elif (text := event_text(event)) and wanted in text.casefold():
                yield f"[{seq}] {text}\n"


def event_text(event: ev.Event) -> str:
    """Return an event's text; empty if it is of no use to the model."""
    match event:
        case ev.ChatRequest(content=text):
            return f"user: {text}"
        case ev.ChatResponse(kind="message", content=str() as text):
            return f"assistant: {text}"
        case ev.ToolCallRequest(id=id_, name=name, arguments=arguments):
            return f"call {id_}: {name} {dump(arguments)}"
        case ev.ToolCallResponse(id=id_, content=text, is_error=failed):
            return f"{'error' if failed else 'result'} of {id_}: {text}"
        case ev.InquiryRequest(question=question):
            return f"question: {dump(question.get('text'))}"
        case ev.InquiryAnswered(answer=answer):
            return f"answer: {dump(answer)}"
        case ev.InquiryCancelled(reason=reason):
            return f"no answer: {reason}"
        case ev.Compaction(summary=text) if text:
            return f"summary of a compaction: {text}"
        case _:
            return ""
