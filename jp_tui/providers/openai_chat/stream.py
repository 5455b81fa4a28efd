"""Convert the stream of OpenAI chat completions to deltas. Pure.

Servers differ in details that are all handled here: two names for reasoning, calls without index or id, usage in an
extra chunk or in llama.cpp's timings, a missing `[DONE]`. The finish reason is required from all of them.
"""

from __future__ import annotations

from jp_tui.conversation.model import Delta, StopReason, Usage
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
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

REASONING = ("reasoning_content", "reasoning")  # the field's two names
_REASONS: dict[str, StopReason] = {
    "stop": "end",
    "tool_calls": "tools",
    "function_call": "tools",
    "length": "length",
    "content_filter": "refused",
}


class OpenAIChatDecoder:
    """Complete with a `finish_reason`; `[DONE]` or the end of the stream after it closes the message."""

    def __init__(self, provider: str, used: set[str]) -> None:
        self.done = False
        self._provider = provider
        self._events = EventStream()
        self._reply = ResponseBuilder(used)
        self._field = ""
        self._calls: dict[int, PartInProgress] = {}
        self._reason: StopReason | None = None
        self._usage = Usage()

    def feed(self, data: bytes) -> list[Delta]:
        found: list[Delta] = []
        for event in self._events.feed(data):
            if self.done:
                break
            if event.data.strip() != "[DONE]":
                found += self._chunk(event.data, event.type == "error")
            elif self._reason is None:
                raise cut("The server sent no finish reason, so the reply may be incomplete.")
            else:
                found += self.end()
        return found

    def end(self) -> list[Delta]:
        if self.done:
            return []
        if self._reason is None:
            raise cut()
        self.done = True
        return self._reply.finish(self._reason, self._usage, garbled=self._events.garbled)

    def _chunk(self, data: str, failed: bool) -> list[Delta]:
        """`failed`: the server marks the event as an error."""
        try:
            chunk = parse_object(data)
        except JsonProblem as problem:
            raise broken(f"an event is not a JSON object ({problem.message})") from None
        choices = chunk.get("choices")
        # one was asked for; a further one has an index of its own
        choice = next((one for one in choices if not count(one, "index")), None) if isinstance(choices, list) else None
        if error := error_in(chunk) or error_in(choice):
            raise ServerError(error)
        if failed or chunk.get("object") == "error":  # vLLM's older form
            raise ServerError(chunk)
        self._usage = _usage(chunk) or self._usage
        found = self._delta(table(choice, "delta"))
        if reason := text(choice, "finish_reason"):
            self._reason = _REASONS.get(reason, "other")
            # only these two reasons confirm that the last call is complete; earlier ones are closed by their successor
            if self._reason in ("end", "tools"):
                found += self._reply.switch()
        return found

    def _delta(self, delta: JsonObject) -> list[Delta]:
        found: list[Delta] = []
        for name in REASONING:
            if piece := text(delta, name):
                self._field = name
                found += self._thought(piece)
                break  # a server that sends both sends the same text twice
        content = delta.get("content")
        blocks: list[Json] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            if text(block, "type") == "thinking":  # Mistral's form
                inner = block.get("thinking") if isinstance(block, dict) else None
                for each in inner if isinstance(inner, list) else []:
                    found += self._thought(text(each, "text"))
            elif text(block, "type") in ("text", "output_text", "") or text(block, "text"):
                found += self._reply.text("message", text(block, "text"))
            else:
                self._reply.skip_part(text(block, "type"))
        found += self._reply.text("message", text(delta, "refusal"))
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            found += self._call(call)
        return found

    def _thought(self, piece: str) -> list[Delta]:
        came: JsonObject = {"provider": self._provider, "field": self._field} if self._field else {}
        return self._reply.text("reasoning", piece, came)

    def _call(self, call: Json) -> list[Delta]:
        """Identify calls by `index`; if a server omits or repeats it, by a new id with a name."""
        function, id_ = table(call, "function"), text(call, "id")
        name = text(function, "name")
        index = call.get("index") if isinstance(call, dict) else None
        if not isinstance(index, int) or isinstance(index, bool):
            index = len(self._calls) if name or not self._calls else len(self._calls) - 1
        if not 0 <= index < 1_000_000:
            raise broken("a tool call has an impossible index")
        part = self._calls.get(index)
        found: list[Delta] = []
        if part is None or (name and id_ and part.raw and part.sent != id_):
            part = self._calls[index] = self._reply.start("tool", id_, name)
        elif name and part.index is None:
            part.name = name
        if part is not self._reply.growing:
            found += self._reply.switch(part)
        arguments = function.get("arguments")
        more = dump(arguments) if isinstance(arguments, dict) else text(function, "arguments")
        if not part.name:  # not opened before its name is known
            part.raw += [more] if more else []
            return found
        return [*found, *self._reply.open(part), *self._reply.grow(part, more)]


def _usage(chunk: JsonObject) -> Usage | None:
    """Return usage from `usage`, or from llama.cpp's `timings` if there is nothing else."""
    usage, timings = table(chunk, "usage"), table(chunk, "timings")
    if usage:
        cached = count(table(usage, "prompt_tokens_details"), "cached_tokens")
        thought = count(table(usage, "completion_tokens_details"), "reasoning_tokens")
        cached = cached or count(usage, "prompt_cache_hit_tokens")
        return Usage(count(usage, "prompt_tokens"), count(usage, "completion_tokens"), cached, thought)
    if timings:
        cached = count(timings, "cache_n")
        return Usage(count(timings, "prompt_n") + cached, count(timings, "predicted_n"), cached)
    return None
