"""An MCP server without the SDK: `echo`, and `flood`, which sends notifications as fast as they are taken for 20 s."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def send(message: dict[str, Any]) -> None:
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


for line in sys.stdin:
    message = json.loads(line)
    number, params = message.get("id"), message.get("params") or {}
    match message.get("method"):
        case "initialize":
            able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            send({"id": number, "result": {**able, "serverInfo": {"name": "bench", "version": "1"}}})
        case "tools/list":
            listed = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "flood")]
            send({"id": number, "result": {"tools": listed}})
        case "tools/call":
            if params["name"] == "flood":
                token, end, step = params.get("_meta", {}).get("progressToken"), time.monotonic() + 20, 0
                while time.monotonic() < end:
                    step += 1
                    about = {"progressToken": token, "progress": step, "message": f"zqstep {step}"}
                    send({"method": "notifications/progress", "params": about})
                    send({"method": "notifications/message", "params": {"level": "info", "data": "x" * 200}})
            send({"id": number, "result": {"content": [{"type": "text", "text": str(params["arguments"])}]}})
        case _ if number is not None:
            send({"id": number, "error": {"code": -32601, "message": "no such method"}})
