"""An OpenAI-compatible model server on 127.0.0.1 for other makers' programs: it calls a tool once, then says a word."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.limits import LIMIT


@dataclass
class Scripted:
    """`calls` are the tool and its arguments by the user's last word; `bodies` is what came. `url` ends in /v1. With
    `hold` in that word it waits: `held` is set then, and `goes_on` ends it."""

    calls: dict[str, tuple[str, dict[str, Any]]]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    paths: list[str] = field(default_factory=list)
    held: threading.Event = field(default_factory=threading.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(str(one.get("text", "")) for one in content or () if isinstance(one, dict))


def _answer(script: Scripted, body: dict[str, Any]) -> dict[str, Any]:
    messages = body["messages"]
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    if messages[-1]["role"] == "tool":
        return {"content": f"Seen: {_text(messages[-1]['content'])[:80]}"}
    said = _text(messages[-1]["content"])
    for word, (name, arguments) in script.calls.items():
        if word in said and name in names:
            function = {"name": name, "arguments": json.dumps(arguments)}
            return {
                "tool_calls": [{"index": 0, "id": f"c{len(script.bodies)}", "type": "function", "function": function}]
            }
    return {"content": "A word."}


@contextmanager
def scripted(**calls: tuple[str, dict[str, Any]]) -> Iterator[Scripted]:
    """A running server."""
    script = Scripted(dict(calls))

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            script.paths.append(self.path)
            self.send_error(404)

        def do_POST(self) -> None:
            script.paths.append(self.path)
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            script.bodies.append(body)
            delta = _answer(script, body)
            if "hold" in _text(body["messages"][-1]["content"]):
                script.held.set()
                script.goes_on.wait(LIMIT)
            ends = "tool_calls" if "tool_calls" in delta else "stop"
            pieces: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": ends}]},
                {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}},
            ]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            head = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            with contextlib.suppress(BrokenPipeError):  # it was cancelled
                for piece in pieces:
                    self.wfile.write(f"data: {json.dumps({**head, **piece})}\n\n".encode())
                self.wfile.write(b"data: [DONE]\n\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield script
    finally:
        script.goes_on.set()
        server.shutdown()
