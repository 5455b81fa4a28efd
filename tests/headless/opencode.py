"""The real OpenCode, on a scripted model server of this machine: JP_TUI_OPENCODE names the program (npm `opencode-ai`,
version 1.18.33), else tests of it skip.

As for Claude Code, the server is the proxy for every other address: what the program would send elsewhere is recorded
and refused.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.headless.claude_code import ScriptedAnthropic

PROGRAM = os.environ.get("JP_TUI_OPENCODE", "")
MISSING = "JP_TUI_OPENCODE does not name OpenCode (npm)"


class ScriptedOpenAI(ScriptedAnthropic):
    """The same script for a server of `/v1/chat/completions`."""

    path = "/v1/chat/completions"

    def stream(self, body: dict[str, Any]) -> bytes:
        """The next reply, as the chunks of a stream."""
        results = [one for one in body["messages"] if one["role"] == "tool"]
        for one in results:
            self.results[one["tool_call_id"]] = str(one["content"])
        if not body.get("tools") or len(results) >= len(self.calls):
            return chunks([{"role": "assistant", "content": "done"}], "stop")
        name, given = self.calls[len(results)]
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}
        return chunks([{"role": "assistant", "content": None, "tool_calls": [call]}], "tool_calls")

    def environment(self, home: Path) -> dict[str, str]:
        """Of the program: nothing of the user's, and this server for every address."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
        config = {
            "model": "scripted/one",
            "small_model": "scripted/one",
            "share": "disabled",
            "autoupdate": False,
            "provider": {
                "scripted": {
                    "npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": f"{self.url}/v1", "apiKey": "none"},
                    "models": {"one": {"name": "one", "limit": {"context": 100_000, "output": 8_000}}},
                }
            },
        }
        return {
            **kept,
            "HOME": str(home),
            "HTTPS_PROXY": self.url,
            "HTTP_PROXY": self.url,
            "NO_PROXY": "127.0.0.1,localhost",
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            **{f"OPENCODE_DISABLE_{name}": "1" for name in switches},
            **self.more,
        }


def chunks(deltas: Sequence[dict[str, Any]], reason: str) -> bytes:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "one"}
    found = [{**base, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    found.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    found.append({**base, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    return b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in found) + b"data: [DONE]\n\n"


def start(script: ScriptedOpenAI, folder: Path) -> subprocess.Popen[str]:
    """Run it with a prompt, in a folder, with a home beside it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [PROGRAM, "run", "Do it."],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env=script.environment(home),
    )  # fmt: skip
