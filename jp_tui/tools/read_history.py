"""`read_history`: what was said and done earlier in this conversation, from its log (context.md K26, surface.md S40).

After a compaction the log still has everything; this is how the model reads it. Reads only, and asks nothing.
"""

from __future__ import annotations

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import HistoryPart, Outcome, ToolCall

MOST = 16_000
"""Characters that are read at once."""
_KEYS = frozenset({"call_id", "record", "search", "offset"})


class HistoryTool:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the search."""
        found = arguments.get("call_id") or arguments.get("search")
        return found[:200] if isinstance(found, str) else ""

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("read_history", call.arguments, _KEYS)
        part = HistoryPart(arguments.text("call_id"), arguments.flag("record", False), arguments.text("search"))
        offset = arguments.number("offset", 0, 1 << 40, 0)
        if sum((bool(part.call), part.record, bool(part.search))) > 1:
            arguments.problem("Give one of `call_id`, `record` and `search`, or none of them for the whole log.")
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        if call.history is None:
            return Failure("There is no log to read here.")
        text, more = await _page(call, part, offset)
        if not text:
            return Failure(_nothing(part, offset))
        return Success(f"{text}\n[more: call read_history again with offset={offset + len(text)}]" if more else text)


async def _page(call: ToolCall, part: HistoryPart, offset: int) -> tuple[str, bool]:
    """The characters from `offset` on, and whether there are more."""
    assert call.history is not None
    found: list[str] = []
    passed = held = 0
    async for piece in call.history.pieces(part):
        begin = max(0, offset - passed)
        passed += len(piece)
        if begin >= len(piece):
            continue
        taken = piece[begin : begin + MOST - held]
        found.append(taken)
        held += len(taken)
        if begin + len(taken) < len(piece) or call.cancel.called:
            return "".join(found), True
    return "".join(found), False


def _nothing(part: HistoryPart, offset: int) -> str:
    if offset:
        return f"There is nothing at offset {offset}."
    if part.call:
        return f"No call of this conversation has the id {part.call[:200]!r} and a result."
    return "Nothing in the log of this conversation fits." if part.search else "The log holds nothing of that yet."
