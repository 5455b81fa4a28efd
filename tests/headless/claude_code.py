"""The real Claude Code, on a scripted model server of this machine: JP_TUI_CLAUDE names the program (npm
`@anthropic-ai/claude-code`, version 2.1.330), else tests of it skip.

The server is the program's proxy for every other address as well: whatever it would send anywhere else is recorded and
refused, so no request leaves the machine unseen.
"""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("JP_TUI_CLAUDE", "")
MISSING = "JP_TUI_CLAUDE does not name Claude Code (npm)"


class ScriptedAnthropic:
    """Asks for these calls one after the other, as NAME and INPUT, then says that it is done. `results` are the texts
    that the model got back, `elsewhere` the addresses that the program wanted to reach beside its model."""

    path = "/v1/messages"

    def __init__(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        self.calls = list(calls)
        self.results: dict[str, str] = {}
        self.elsewhere: list[str] = []
        self.more: dict[str, str] = {}
        """More variables for the program, which it passes on."""
        script = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
                if not self.path.startswith(script.path):
                    script.elsewhere.append(self.path)
                    self._send(b"{}", 404)
                elif body.get("stream"):
                    self._send(script.stream(body), 200, "text/event-stream")
                else:
                    self._send(json.dumps(message([{"type": "text", "text": "ok"}], "end_turn")).encode(), 200)

            def do_GET(self) -> None:
                script.elsewhere.append(self.path)
                self._send(b"", 404)

            do_HEAD = do_CONNECT = do_GET

            def _send(self, data: bytes, status: int, kind: str = "application/json") -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator[ScriptedAnthropic]:
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def stream(self, body: dict[str, Any]) -> bytes:
        """The next reply, as the events of a stream."""
        blocks = [one for said in body["messages"] if isinstance(said["content"], list) for one in said["content"]]
        results = [one for one in blocks if one.get("type") == "tool_result"]
        for one in results:
            self.results[one["tool_use_id"]] = text_of(one["content"])
        if not body.get("tools") or len(results) >= len(self.calls):
            return events([{"type": "text", "text": "done"}], "end_turn")
        name, given = self.calls[len(results)]
        use = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": name, "input": given}
        return events([use], "tool_use")

    def environment(self, home: Path) -> dict[str, str]:
        """Of the program: nothing of the user's, and this server for every address."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return {
            **kept,
            "HOME": str(home),
            "ANTHROPIC_API_KEY": "sk-ant-api03-none",
            "ANTHROPIC_BASE_URL": self.url,
            "HTTPS_PROXY": self.url,
            "HTTP_PROXY": self.url,
            "NO_PROXY": "127.0.0.1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            **self.more,
        }


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(one.get("text", "") for one in content)


def message(blocks: Sequence[dict[str, Any]], stop: str | None) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": list(blocks),
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def events(blocks: Sequence[dict[str, Any]], stop: str) -> bytes:
    found: list[dict[str, Any]] = [{"type": "message_start", "message": message([], None)}]
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            begins, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            begins = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        found += [
            {"type": "content_block_start", "index": at, "content_block": begins},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    ends = {"stop_reason": stop, "stop_sequence": None}
    found += [{"type": "message_delta", "delta": ends, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in found)


def start(script: ScriptedAnthropic, folder: Path, *words: str) -> subprocess.Popen[str]:
    """Run it with a prompt and these words, in a folder, with a home beside it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [PROGRAM, "-p", *words, "--output-format", "json", "Do it."],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env=script.environment(home),
    )  # fmt: skip
