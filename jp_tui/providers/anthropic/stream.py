"""Convert the stream of Anthropic Messages to deltas. Pure.

Blocks may interleave and are identified by index. Unknown events, deltas and blocks are skipped, as the API's
versioning requires; blocks in an invalid order are an error.
"""

from __future__ import annotations

from jp_tui.conversation.model import Delta, PartKind, StopReason, Usage
from jp_tui.conversation.strict_json import JsonObject, JsonProblem, dump, parse_object
from jp_tui.providers.sse import EventStream
from jp_tui.providers.wire import (
    PartInProgress,
    ResponseBuilder,
    ServerError,
    broken,
    count,
    cut,
    error_in,
    table,
    text,
)

# keys of `opaque`, the same as in jp
SIGNATURE, REDACTED = "anthropic_thinking_signature", "anthropic_redacted_thinking"
_REASONS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "window",
    "refusal": "refused",
    "pause_turn": "paused",
}
_KINDS: dict[str, PartKind] = {
    "text": "message",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "tool",
}


class AnthropicDecoder:
    """Complete with `message_stop` after a stop reason."""

    def __init__(self, used: set[str]) -> None:
        self.done = False
        self._events = EventStream()
        self._reply = ResponseBuilder(used)
        self._started = False
        self._blocks: dict[int, PartInProgress | None] = {}  # None: an unknown kind of block
        self._opaque: dict[int, JsonObject] = {}
        self._reason: StopReason | None = None
        self._counts: JsonObject = {}

    def feed(self, data: bytes) -> list[Delta]:
        found: list[Delta] = []
        for server_event in self._events.feed(data):
            if self.done:
                break
            try:
                event = parse_object(server_event.data)
            except JsonProblem as problem:
                raise broken(f"an event is not a JSON object ({problem.message})") from None
            if error := error_in(event):  # gateways leave the type out
                raise ServerError(error)
            if server_event.type == "error":
                raise ServerError(event)
            found += self._event(event)
        return found

    def end(self) -> list[Delta]:
        if not self.done:
            raise cut()
        return []

    def _event(self, event: JsonObject) -> list[Delta]:
        match text(event, "type"):
            case "message_start":
                if self._started:
                    raise broken("a second message began inside the first")
                self._started = True
                self._counts.update(table(table(event, "message"), "usage"))
            case "content_block_start":
                return self._start(event)
            case "content_block_delta":
                return self._delta(event)
            case "content_block_stop":
                index, part = self._at(event)
                return self._reply.close(part, self._opaque.get(index)) if part else []
            case "message_delta":
                counts = table(event, "usage")
                self._counts.update({key: value for key, value in counts.items() if value is not None})
                if reason := text(table(event, "delta"), "stop_reason"):
                    self._reason = _REASONS.get(reason, "other")
            case "message_stop":
                if self._reason is None:
                    raise cut()
                self.done = True
                return self._reply.finish(self._reason, self._usage(), garbled=self._events.garbled)
            case "error":
                raise ServerError({})
            case _:  # ping, and events of later versions
                pass
        return []

    def _at(self, event: JsonObject) -> tuple[int, PartInProgress | None]:
        index = event.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or index not in self._blocks:
            raise broken("an event belongs to a block that was never begun")
        return index, self._blocks[index]

    def _start(self, event: JsonObject) -> list[Delta]:
        index, block = event.get("index"), table(event, "content_block")
        if not isinstance(index, int) or isinstance(index, bool) or index < 0 or index in self._blocks:
            raise broken("a block begins at an impossible place")
        kind = _KINDS.get(text(block, "type"))
        if kind is None:
            self._blocks[index] = None
            self._reply.skip_part(text(block, "type"))
            return []
        part = self._blocks[index] = self._reply.start(kind, text(block, "id"), text(block, "name"))
        if kind == "tool":
            whole = table(block, "input")  # some servers give the input here and no deltas
            return [*self._reply.open(part), *self._reply.grow(part, dump(whole) if whole else "")]
        for key, name in ((SIGNATURE, "signature"), (REDACTED, "data")):
            if found := text(block, name):
                self._opaque[index] = {key: found}
        return self._reply.grow(part, text(block, "text") or text(block, "thinking"))

    def _delta(self, event: JsonObject) -> list[Delta]:
        index, part = self._at(event)
        if part and part.closed:
            raise broken("a block grew after its end")
        delta = table(event, "delta")
        match text(delta, "type"), part.kind if part else None:
            case ("text_delta", "message") if part:
                return self._reply.grow(part, text(delta, "text"))
            case ("thinking_delta", "reasoning") if part:
                return self._reply.grow(part, text(delta, "thinking"))
            case ("input_json_delta", "tool") if part:
                return self._reply.grow(part, text(delta, "partial_json"))
            case ("signature_delta", "reasoning"):
                signature = text(self._opaque.get(index, {}), SIGNATURE) + text(delta, "signature")
                if signature:  # llama.cpp sends an empty one
                    self._opaque[index] = {SIGNATURE: signature}
            case _:  # citations, and deltas of later versions
                pass
        return []

    def _usage(self) -> Usage:
        """`input` is everything that was read, from the cache or not."""
        read = count(self._counts, "cache_read_input_tokens")
        fresh = count(self._counts, "input_tokens") + count(self._counts, "cache_creation_input_tokens")
        thought = count(table(self._counts, "output_tokens_details"), "thinking_tokens")
        return Usage(fresh + read, count(self._counts, "output_tokens"), read, thought)
