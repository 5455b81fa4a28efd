"""The stream of ollama's chat API: lines of JSON become deltas (wires.md W9). Pure.

A call comes whole in a line. The reply is complete with `done: true`.
"""

from __future__ import annotations

from jp_tui.conversation.model import Delta, ModelError, StopReason, Usage
from jp_tui.conversation.strict_json import JsonObject, JsonProblem, dump, parse_object
from jp_tui.providers.sse import MAX_EVENT
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

PROVIDER = "provider"  # a key of `opaque`


class OllamaDecoder:
    """Complete with `done: true`."""

    def __init__(self, provider: str, used: set[str]) -> None:
        self.done = False
        self._provider = provider
        self._line = bytearray()
        self._garbled = False
        self._reply = ResponseBuilder(used)

    def feed(self, data: bytes) -> list[Delta]:
        found: list[Delta] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            found += self._drain()
        self._line += rest
        if len(self._line) > MAX_EVENT:
            raise ModelError(
                "too_large",
                f"The server sent one line of more than {MAX_EVENT} bytes.",
                "Ask for less at once. If it happens again, check the server.",
            )
        return found

    def end(self) -> list[Delta]:
        """The last line may have no end of its own."""
        found = self._drain(last=True)
        if not self.done:
            raise cut()
        return found

    def _drain(self, *, last: bool = False) -> list[Delta]:
        line = bytes(self._line).strip()
        self._line.clear()
        if not line or self.done:
            return []
        try:
            said = line.decode("utf-8")
        except UnicodeDecodeError:
            said, self._garbled = line.decode("utf-8", "replace"), True
        try:
            chunk = parse_object(said)
        except JsonProblem as problem:
            if last:
                raise cut() from None
            raise broken(f"a line is not a JSON object ({problem.message})") from None
        if error := error_in(chunk):
            raise ServerError(error)
        found = self._message(table(chunk, "message"))
        if chunk.get("done") is True:
            self.done = True
            # an unknown reason doesn't make a call that came whole invalid
            reason: StopReason = "length" if text(chunk, "done_reason") == "length" else "end"
            usage = Usage(count(chunk, "prompt_eval_count"), count(chunk, "eval_count"))
            found += [*self._reply.switch(), *self._reply.finish(reason, usage, garbled=self._garbled)]
        return found

    def _message(self, message: JsonObject) -> list[Delta]:
        found = self._reply.text("reasoning", text(message, "thinking"), {PROVIDER: self._provider})
        found += self._reply.text("message", text(message, "content"))
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            function = table(call, "function")
            part = self._reply.start("tool", text(call, "id"), text(function, "name"))
            arguments = function.get("arguments")
            raw = arguments if isinstance(arguments, str) else dump({} if arguments is None else arguments)
            found += [*self._reply.switch(), *self._reply.open(part), *self._reply.grow(part, raw)]
            found += self._reply.close(part)
        return found
