"""The stream of Gemini's generateContent: chunks become deltas (wires.md W9). Pure.

A chunk holds parts of one candidate. Texts of one kind are one part until another kind or a signature comes.
A call comes whole. The reply is complete with a `finishReason` and the end of the stream after it.
"""

from __future__ import annotations

from jp_tui.conversation.model import Delta, ModelError, PartKind, StopReason, Usage
from jp_tui.conversation.strict_json import JsonObject, JsonProblem, dump, parse
from jp_tui.providers.sse import EventStream
from jp_tui.providers.wire import (
    ResponseBuilder,
    ServerError,
    broken,
    count,
    cut,
    error_in,
    table,
    text,
)

SIGNATURE, MODEL = "gemini_thought_signature", "gemini_model"  # keys of `opaque`
_REASONS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "IMAGE_SAFETY": "refused",
}
_GARBLED_CALLS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")


class GeminiDecoder:
    """Complete with a `finishReason` and the end of the stream."""

    def __init__(self, model: str, used: set[str]) -> None:
        self.done = False
        self._model = model
        self._events = EventStream()
        self._reply = ResponseBuilder(used)
        self._reason: StopReason | None = None
        self._usage = Usage()

    def feed(self, data: bytes) -> list[Delta]:
        found: list[Delta] = []
        for event in self._events.feed(data):
            if event.data.strip() == "[DONE]":  # gateways
                continue
            try:
                chunk = parse(event.data)
            except JsonProblem as problem:
                raise broken(f"an event is not JSON ({problem.message})") from None
            chunk = chunk[0] if isinstance(chunk, list) and len(chunk) == 1 else chunk
            if not isinstance(chunk, dict):
                raise broken("an event is not a JSON object")
            if error := error_in(chunk):
                raise ServerError(error)
            if event.type == "error":
                raise ServerError(chunk)
            found += self._chunk(chunk)
        return found

    def end(self) -> list[Delta]:
        """The end of the stream closes the reply: usage may come after the finish reason."""
        if self.done:
            return []
        if self._reason is None:
            raise cut()
        self.done = True
        return [*self._reply.switch(), *self._reply.finish(self._reason, self._usage, garbled=self._events.garbled)]

    def _chunk(self, chunk: JsonObject) -> list[Delta]:
        self._usage = _usage(table(chunk, "usageMetadata")) or self._usage
        if blocked := text(table(chunk, "promptFeedback"), "blockReason"):
            raise ModelError(
                "refused",
                f"The server blocked the prompt ({blocked[:100]}).",
                "Change the message, or select another model with --model.",
            )
        candidates = chunk.get("candidates")
        found: list[Delta] = []
        # one was asked for; a further one has an index of its own
        firsts = [one for one in candidates if not count(one, "index")] if isinstance(candidates, list) else []
        for candidate in firsts[:1]:
            parts = table(candidate, "content").get("parts")
            for part in parts if isinstance(parts, list) else []:
                found += self._part(part) if isinstance(part, dict) else []
            if reason := text(candidate, "finishReason"):
                if reason in _GARBLED_CALLS:
                    raise broken(f"the model's tool call is invalid ({reason})")
                # an unknown reason doesn't make a call that came whole invalid
                self._reason = _REASONS.get(reason, "end")
        return found

    def _part(self, part: JsonObject) -> list[Delta]:
        signature = text(part, "thoughtSignature")
        came: JsonObject = {SIGNATURE: signature, MODEL: self._model} if signature else {}
        if call := table(part, "functionCall"):
            found = self._reply.switch()
            started, given = self._reply.start("tool", text(call, "id"), text(call, "name")), call.get("args")
            found += [*self._reply.open(started), *self._reply.grow(started, dump({} if given is None else given))]
            return [*found, *self._reply.close(started, came)]
        if "text" not in part:
            self._reply.skip_part(next((key for key in part if key not in ("thought", "thoughtSignature")), ""))
            return []
        kind: PartKind = "reasoning" if part.get("thought") is True else "message"
        found = self._reply.text(kind, text(part, "text"))
        return [*found, *self._reply.switch(None, came)] if came else found


def _usage(usage: JsonObject) -> Usage | None:
    if not usage:
        return None
    thought = count(usage, "thoughtsTokenCount")
    read = count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount")
    return Usage(read, count(usage, "candidatesTokenCount") + thought, count(usage, "cachedContentTokenCount"), thought)
