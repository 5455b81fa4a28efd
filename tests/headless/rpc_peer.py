"""A client for the tests of `jp-tui rpc`: a real child over real pipes, everything that came kept in order."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment

Message = dict[str, Any]


class Rpc:
    """`heard` is every message that came, `asks` those that ask and are not answered yet, `told` what it said to
    people by its end."""

    def __init__(self, home: Path, *words: str, **more: str) -> None:
        self.process = Forked(["rpc", *words], env=environment(home, **more))
        self.heard: list[Any] = []
        self.asks: list[Message] = []
        self.told = ""
        self._rest = b""
        self._count = 0

    # --- out ----------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def request(self, method: str, **params: Any) -> int:
        """Send it; its id."""
        self._count += 1
        self.send(id=self._count, method=method, params=params)
        return self._count

    def answer(self, asked: Message, **result: Any) -> None:
        self.send(id=asked["id"], result=result)

    # --- in -----------------------------------------------------------------------------------------------

    def next(self) -> Any:
        """The next message."""
        assert self.process.stdout is not None
        end = time.monotonic() + LIMIT
        while b"\n" not in self._rest:
            assert select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0], self.heard[-6:]
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                self.told = self.process.stderr.read().decode() if self.process.stderr else ""
                raise EOFError(self.told)
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        message = json.loads(line)
        self.heard.append(message)
        if isinstance(message, dict) and message.get("method") == "client/ask_user":
            self.asks.append(message)
        if isinstance(message, dict) and message.get("method") == "client/ask_user_settled":
            self.asks = [one for one in self.asks if one["id"] != message["params"]["request_id"]]
        return message

    def until(self, wanted: Callable[[Any], bool]) -> Any:
        """The next message like that; those before it are kept in `heard`."""
        while not wanted(message := self.next()):
            pass
        return message

    def reply(self, id_: Any) -> Message:
        """The answer to a request, perhaps heard before."""
        for one in self.heard:
            if isinstance(one, dict) and one.get("id") == id_ and "method" not in one:
                return one
        return self.until(lambda one: isinstance(one, dict) and one.get("id") == id_ and "method" not in one)

    def call(self, method: str, **params: Any) -> Any:
        """A request that works; its result."""
        found = self.reply(self.request(method, **params))
        assert "result" in found, found
        return found["result"]

    def refused(self, method: str, **params: Any) -> Message:
        """A request that does not; its error."""
        found = self.reply(self.request(method, **params))
        assert "error" in found, found
        return dict(found["error"])

    def asked(self) -> Message:
        """The next question that is not answered yet."""
        while not self.asks:
            self.next()
        return self.asks.pop(0)

    def method(self, name: str) -> list[Message]:
        """The params of all notifications of a method so far."""
        return [one["params"] for one in self.heard if isinstance(one, dict) and one.get("method") == name]

    def events(self) -> list[Message]:
        """Every stored event so far, as S3 has it."""
        return [params["event"] for params in self.method("session/event")]

    # --- the whole ----------------------------------------------------------------------------------------

    def session(self, model: str = "", **params: str) -> str:
        """A new session's id."""
        named = {**params, "model": model} if model else params
        return str(self.call("session/new", **named)["session_id"])

    def ends(self) -> int:
        """Close the input, read to the end; the exit status."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        with contextlib.suppress(EOFError):
            while True:
                self.next()
        return self.process.wait(LIMIT)


@contextlib.contextmanager
def rpc(home: Path, *words: str, **more: str) -> Iterator[Rpc]:
    """A running `jp-tui rpc`, ended by force when the test is over."""
    running = Rpc(home, *words, **more)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        for stream in (running.process.stdin, running.process.stdout, running.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def prompted(running: Rpc, session: str, text: str = "go") -> int:
    """Say something; the request's id."""
    return running.request("session/prompt", session_id=session, prompt=text)
