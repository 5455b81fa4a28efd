#!/usr/bin/env python3
"""A client of `jp-tui rpc`: talks with a model and answers its questions on this terminal. Standard library only.

    rpc_client.py [--model PROVIDER/MODEL] PROMPT...

Each PROMPT is a turn of one conversation. `jp-tui rpc --schema` prints every method and shape. To use it in a program
of your own, give Client an `ask` that answers questions and a `hear` for what happens meanwhile.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """`text` holds all that must be seen; the answer is one of `choices`, or any text where there are none.

    `inquiry` says more: its kind, the tool, progress in a form, which controls there are.
    """

    session: str
    text: str
    choices: Sequence[str]
    inquiry: Json = field(default_factory=dict)


class Refused(Exception):
    """A request came back with an error."""


class Client:
    """One `jp-tui rpc`; use it as a context. What cannot be answered `ask` says by raising Refused."""

    def __init__(
        self,
        command: Sequence[str],
        ask: Callable[[Question], str],
        hear: Callable[[str, Json], None] = lambda *_: None,
    ) -> None:
        self._ask, self._hear, self._count = ask, hear, 0
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def __enter__(self) -> Client:
        self.call("initialize", capabilities=[])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()  # the end of input ends it: what waits is cancelled, the log is closed
        self._process.stdout.read()
        self._process.wait()

    def call(self, method: str, **params: Any) -> Json:
        """Ask for something and wait for it; questions and events that come first are dealt with. Raises Refused."""
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: Json = json.loads(line)
            if "method" in message:
                self._asked(message)
            elif message["id"] == self._count and "error" in message:
                raise Refused(message["error"]["message"])
            elif message["id"] == self._count:
                return dict(message["result"])
        raise Refused("jp-tui has ended")

    def _asked(self, message: Json) -> None:
        method, params = message["method"], message["params"]
        if "id" not in message:
            self._hear(method, params)
        elif method != "client/ask_user":
            self._send({"id": message["id"], "error": {"code": -32601, "message": f"no method {method}"}})
        else:
            asked = Question(params["session_id"], params["question"], params["choices"], params.get("inquiry", {}))
            try:
                self._send({"id": message["id"], "result": {"answer": self._ask(asked)}})
            except (Refused, EOFError) as problem:
                self._send({"id": message["id"], "error": {"code": 1, "message": str(problem) or "no answer"}})

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


def harmless(text: str) -> str:
    """What a model or a tool says, without what a terminal would obey."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "", text)


def ask(question: Question) -> str:
    """On this terminal: by number or word where there are choices. EOFError at the end of input."""
    listed = "".join(f"  {number}  {choice}\n" for number, choice in enumerate(question.choices, 1))
    sys.stderr.write(f"\n{harmless(question.text)}\n{harmless(listed)}> ")
    sys.stderr.flush()
    typed = input()
    chosen = int(typed) - 1 if typed.isascii() and typed.isdecimal() else -1
    return question.choices[chosen] if 0 <= chosen < len(question.choices) else typed


def hear(method: str, params: Json) -> None:
    """Print what the assistant said; what its sub-agents say has a conversation of its own."""
    event = params.get("event", {})
    mine = method == "session/event" and event["conversation"] == params["session_id"]
    if mine and event["type"] == "chat_response" and "message" in event:
        print(harmless(event["message"]), flush=True)


def main(words: Sequence[str]) -> int:
    named = {"model": words[1]} if words[:1] == ["--model"] else {}
    with Client(["jp-tui", "rpc"], ask, hear) as client:
        session = client.call("session/new", **named)["session_id"]
        for prompt in words[2 if named else 0 :]:
            ended = client.call("session/prompt", session_id=session, prompt=prompt)
            if ended["outcome"] != "done":
                print(f"The turn ended: {ended['outcome']}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
