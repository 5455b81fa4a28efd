"""A server without the SDK, for tests: what it does wrong is named on its command line. It speaks 2025-11-25."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

WAY = sys.argv[1] if len(sys.argv) > 1 else ""
CHANCE = random.Random(WAY)
TOOLS = [{"name": "echo", "description": "Return it", "inputSchema": {"type": "object"}}]


def send(message: dict[str, Any]) -> None:
    text = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    sys.stdout.write(garbled(text) if WAY.startswith("garble") and "content" in text else text)
    sys.stdout.flush()


def garbled(text: str) -> str:
    """What a broken pipe or program makes of a message: as it is, twice, cut, with something before it, or late."""
    match CHANCE.randrange(8):
        case 0:
            return text * 2
        case 1:
            return text[: CHANCE.randrange(len(text))] + "\n"
        case 2:
            return text[CHANCE.randrange(1, len(text)) :]
        case 3:
            return "progress 3%\r\n\x1b[2J" + "\n" + text
        case 4:
            at = CHANCE.randrange(len(text))
            return text[:at] + chr(CHANCE.randrange(256)) + text[at + 1 :]
        case 5:
            time.sleep(CHANCE.random() / 100)
    return text


LISTINGS = [0]


def listing(params: dict[str, Any]) -> dict[str, Any]:
    LISTINGS[0] += 1
    cursor = int(params.get("cursor", 0))
    if WAY == "pages":
        return {"tools": [{**TOOLS[0], "name": f"t{cursor}"}], "nextCursor": str(cursor + 1)}
    if WAY == "same-page":
        return {"tools": TOOLS, "nextCursor": "7"}
    if WAY == "many":
        return {"tools": [{**TOOLS[0], "name": f"t{number}"} for number in range(700)]}
    return {"tools": TOOLS}


def call(number: int, params: dict[str, Any]) -> None:
    text = params["arguments"].get("text", "")
    if text == "long":
        sys.stdout.write("x" * (3 << 20))
        sys.stdout.flush()
        time.sleep(60)
    if text == "flood":
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}})
        sys.stdout.write((note + "\n") * 20_000)
    if text == "flood with ids":
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "id": 1}})
        sys.stdout.write((note + "\n") * 3000)
    if text in ("changes", "says so"):
        TOOLS[0] = {**TOOLS[0], "description": "other"} if text == "changes" else TOOLS[0]
        for _ in range(3):
            send({"method": "notifications/tools/list_changed"})
    if text == "variables":
        text = " ".join(sorted(os.environ))
    if text == "listings":
        text = str(LISTINGS[0])
    if text == "garbage":
        sys.stdout.buffer.write(b'\xff\xfe\nhello\n{"jsonrpc": "2.0"\n[1]\n\n')
        send({"id": 999, "result": {}})
    if text == "silent":
        return
    if text == "children":
        pid = os.fork()
        if pid == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(300)
            os._exit(0)
        os.waitpid(pid, 0)  # the caller finds the server and the sleeping process, and nothing between them
    if text == "surrogate":
        half = '{"content": [{"type": "text", "text": "\\ud800!"}]}'
        sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {number}, "result": {half}}}\n')
        sys.stdout.flush()
        return
    if text == "invalid":
        send({"id": number, "result": {"content": "no list"}})
        return
    if text == "deep":
        nested = "[" * 300 + "]" * 300
        sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {number}, "result": {{"content": {nested}}}}}\n')
        sys.stdout.flush()
        return
    if text == "mark":
        sys.stdout.write("\ufeff")
    if text == "long error":
        send({"id": number, "error": {"code": 0, "message": "did\nnot " * 9000, "data": "x" * 900_000}})
        return
    if text == "error":
        send({"id": number, "error": {"code": -32000, "message": "out of order"}})
        return
    if text == "exit":
        os._exit(9)
    result = {"content": [{"type": "text", "text": str(text)}]}
    send({"id": number, "result": result})
    if text == "twice":
        send({"id": number, "result": {"content": []}})


def main() -> None:
    print("a banner", flush=True)
    print("on standard error: hush-hush", file=sys.stderr, flush=True)
    if WAY == "ends":
        sys.exit(4)
    for line in sys.stdin:
        message = json.loads(line)
        number, method = message.get("id"), message.get("method")
        if WAY == "mute" or number is None:
            continue
        if method == "initialize":
            able = {"tools": {"listChanged": True}}
            info = {"name": "raw", "version": "1"}
            send({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": info}})
        elif method == "tools/list" and WAY == "refuses":
            send({"id": number, "error": {"code": -32000, "message": "not\nnow " * 200}})
        elif method == "tools/list":
            send({"id": number, "result": listing(message.get("params") or {})})
        elif method == "tools/call":
            call(number, message["params"])
        else:
            send({"id": number, "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main()
