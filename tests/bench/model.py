"""A model server on 127.0.0.1 that streams at a steady rate over the OpenAI chat wire.

`python -m tests.bench.model RATE TOKENS [AHEAD]` prints its port and serves until its input ends. Each token is one
event, sent on schedule without looking at the reader, so that a slow client falls behind instead of slowing the source.
The text is Markdown of our own; it begins with `zqfirst` and ends with `zqlast`. AHEAD characters come before that at
once, in large pieces, and then `zqahead`: the tokens go on when a line is written to the server's input, so that the
message is so long already on the screen when they begin.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# fmt: off
WORDS = [
    "window", "answer", "journal", "question", "reducer", "ledger", "stream", "guardian", "packet", "border",
    "margin", "ladder", "copper", "violet", "of", "the", "and", "with", "under", "between", "after", "before",
    "because", "while", "where", "small", "quick", "silent", "durable",
]
# fmt: on


def tokens(count: int, seed: int = 1) -> Iterator[str]:
    """`count` pieces of about four characters that make paragraphs, lists and code."""
    yield "zqfirst\n\n"
    made = 2
    written = blocks(seed)
    while made < count:
        text = next(written)
        for start in range(0, len(text), 4):
            if made < count:
                made += 1
                yield text[start : start + 4]
    yield "\n```\n\nzqlast"


def ahead(size: int) -> Iterator[str]:
    """At least `size` characters of other whole blocks, in pieces of a few blocks."""
    written = blocks(seed=7)
    while size > 0:
        piece = "".join(next(written) for _ in range(8))
        size -= len(piece)
        yield piece


def blocks(seed: int) -> Iterator[str]:
    """Paragraphs, lists and code without an end."""
    rand = random.Random(seed)
    while True:
        kind = rand.choice(("prose", "prose", "list", "code"))
        lines = []
        for _ in range(rand.randint(2, 6)):
            words = [rand.choice(WORDS) for _ in range(rand.randint(6, 14))]
            if kind == "prose" and rand.random() < 0.3:
                words[2] = f"**{words[2]}**"
            lines.append(("- " if kind == "list" else "") + " ".join(words))
        text = "\n".join(lines)
        if kind == "code":
            text = f"```python\n{text.replace(' of ', ' = ')}\n```"
        yield text + "\n\n"


class Turn:
    """Whose turn it is: a stream waits until it is told to go on."""

    def __init__(self) -> None:
        self._told, self._changed = 0, threading.Condition()

    def go_on(self) -> None:
        """All that wait now."""
        with self._changed:
            self._told += 1
            self._changed.notify_all()

    def wait(self) -> None:
        """A minute at most."""
        with self._changed:
            told = self._told
            self._changed.wait_for(lambda: self._told > told, 60)


class Handler(BaseHTTPRequestHandler):
    """Answers every chat request with the stream, and a list of models."""

    rate = 200.0
    count = 1000
    ahead = 0
    turn = Turn()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": "steady", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        with contextlib.suppress(ConnectionError):  # the program was closed while it streamed
            self._stream()

    def _stream(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in ahead(self.ahead):
            self._event({"content": piece}, None)
        if self.ahead:
            self._event({"content": "zqahead\n\n"}, None)
            self.turn.wait()
        start = time.monotonic()
        for number, token in enumerate(tokens(self.count)):
            time.sleep(max(0.0, start + number / self.rate - time.monotonic()))
            self._event({"content": token}, None)
        self._event({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, delta: dict[str, str], reason: str | None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"id": "bench", "object": "chat.completion.chunk", "model": "steady", "choices": [choice]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def main() -> None:
    Handler.rate, Handler.count = float(sys.argv[1]), int(sys.argv[2])
    Handler.ahead = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for _ in sys.stdin:
        Handler.turn.go_on()


if __name__ == "__main__":
    main()
