"""What streaming costs a bare Textual app: each token of the same server appended to one Static, as most programs do.

`python static_app.py URL` asks the chat server at URL at once and follows the end. It reads the stream with what Python
brings along, so what is compared is the painting and not an HTTP library. Escapes nothing and keeps nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.parse import urlsplit

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static


class Streamed(App[None]):
    """The bare app, with a reply."""

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("bare textual app", id="says", markup=False)
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.query_one(VerticalScroll).anchor()
        self.run_worker(self._reply())

    async def _reply(self) -> None:
        address = urlsplit(sys.argv[1])
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        body = json.dumps({"model": "steady", "stream": True, "messages": [{"role": "user", "content": "go"}]}).encode()
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Length: %d\r\n\r\n" % len(body))
        writer.write(body)
        says, text = self.query_one("#says", Static), ""
        while (line := await reader.readline()).strip():
            pass  # the headers
        while line := await reader.readline():
            if line.startswith(b"data: {"):
                text += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
                says.update(text)
        writer.close()


if __name__ == "__main__":
    Streamed().run()
