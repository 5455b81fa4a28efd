"""A server of 2025-11-25 without the SDK, with one fault: FAULT at its message number AT, by SEED.

It serves `echo`, which returns its text, `ask`, which asks a form first, and `count`, which reports progress.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from typing import Any

FAULT, AT, CHANCE = sys.argv[1], int(sys.argv[2]), random.Random(sys.argv[3])
NAMES = ("echo", "ask", "count")
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
sent = 0
writing = threading.Lock()
waiting: dict[int, tuple[int, str]] = {}


def send(message: dict[str, Any]) -> None:
    global sent
    with writing:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        sent += 1
        os.write(1, broken(data) if sent == AT else data)


def broken(data: bytes) -> bytes:
    """What becomes of this message."""
    at = CHANCE.randrange(1, len(data))
    match FAULT:
        case "cut":  # the rest of the line is lost
            return data[:at] + b"\n"
        case "joined":  # the end of the line is lost, and the next message is in it
            return data[:at]
        case "headless":
            return data[at:]
        case "doubled":
            return data * 2
        case "delayed":
            time.sleep(CHANCE.random() * 0.3)
            return data
        case "garbled":
            return data[:at] + bytes([CHANCE.randrange(256)]) + data[at + 1 :]
        case "noisy":
            return b"progress 3%\r\n\x1b[2J\xff\xfe\n[]\n" + data
        case "swapped":  # another id
            return data.replace(b'"id": ', b'"id": 1', 1)
        case "silent":
            return b""
        case "ended":
            os.write(1, data[:at])
            os._exit(CHANCE.choice((0, 1, 9)))
        case _:
            return data


def text(number: int, said: str) -> None:
    send({"id": number, "result": {"content": [{"type": "text", "text": said}]}})


def called(number: int, name: str, said: str, token: Any) -> None:
    match name:
        case "ask":
            waiting[number + 500] = number, said
            params = {"message": f"Who asks in {said}?", "requestedSchema": FORM}
            send({"id": number + 500, "method": "elicitation/create", "params": params})
        case "count":
            for step in (1, 2):
                about = {"progressToken": token, "progress": step, "total": 2}
                send({"method": "notifications/progress", "params": about})
            text(number, said)
        case _:
            text(number, said)


for line in sys.stdin:
    message = json.loads(line)
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        send({"id": number, "result": {**able, "serverInfo": {"name": "broken", "version": "1"}}})
    elif method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]
        send({"id": number, "result": {"tools": tools}})
    elif method == "tools/call":
        called(number, params["name"], params["arguments"]["text"], params.get("_meta", {}).get("progressToken"))
    elif method is None and number in waiting:
        call, said = waiting.pop(number)
        text(call, said)
    elif number is not None and method is not None:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
