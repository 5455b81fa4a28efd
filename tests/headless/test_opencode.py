"""The real OpenCode holds a conversation (intake.md N62): allowed, refused from another process, cancelled, resumed.

JP_TUI_OPENCODE names its program (npm, opencode-ai 1.18.33), else this skips. Its model is a scripted server on
127.0.0.1; no request leaves the machine.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.fakes.openai_server import Scripted, scripted
from tests.headless.running import jp, latest, lines, log, on_terminal
from tests.limits import LIMIT

PROGRAM = os.environ.get("JP_TUI_OPENCODE", "")
pytestmark = [
    pytest.mark.skipif(not PROGRAM, reason="JP_TUI_OPENCODE does not name the program of opencode-ai"),
    pytest.mark.timeout(400),
    pytest.mark.slow,
]


def settings(home: Path, server: Scripted) -> None:
    """OpenCode with that server as its only model, asking before commands and edits, in folders of its own."""
    model = {"npm": "@ai-sdk/openai-compatible", "name": "test", "models": {"m": {"name": "m"}}}
    config = {
        "provider": {"test": {**model, "options": {"baseURL": server.url, "apiKey": "none"}}},
        "model": "test/m",
        "small_model": "test/m",
        "permission": {"bash": "ask", "edit": "ask"},
        "autoupdate": False,
        "share": "disabled",
    }
    own = home / "opencode"
    own.mkdir()
    env = {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "HOME": str(own),
        **{f"XDG_{name}_HOME": str(own / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
    }
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f'[agents.opencode]\ncommand = [{json.dumps(PROGRAM)}, "acp"]\n[agents.opencode.env]\n'
        + "".join(f"{name} = {json.dumps(value)}\n" for name, value in env.items())
    )


def test_n41_n42_n44_opencode_holds_a_conversation(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n")
    shell = {"command": "echo hi > made.txt", "description": "Make a file"}
    change = {"filePath": str(work / "a.txt"), "oldString": "one", "newString": "two"}
    with scripted(shell=("bash", shell), change=("edit", change)) as server:
        settings(tmp_path, server)
        with on_terminal(tmp_path, "--plain", "--workspace", str(work), "--agent", "opencode", "shell") as shown:
            assert "echo hi" in shown.until("? commands\r\n> ")
            assert not (work / "made.txt").exists()
            shown.type("y\n")  # allowed on the screen
            shown.until("Seen: ")
            assert (work / "made.txt").read_text() == "hi\n"
            shown.type("change\n")
            assert "+two" in shown.until("? commands\r\n> ")
            (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
            assert jp(tmp_path, "answer", waits["id"], "no").returncode == 0  # refused from another process
            shown.until("skipped")
            assert (work / "a.txt").read_text() == "one\n"
            shown.type("change\n")
            shown.until("? commands\r\n> ")
            shown.type("y\n")
            shown.until("Seen: ")  # written by us, as its request showed it (N43)
            assert (work / "a.txt").read_text() == "two\n"
            shown.hang_up()
        before = log(tmp_path, latest(tmp_path))
        with on_terminal(tmp_path, "query", "--workspace", str(work), "-c", "hold") as shown:  # resumed
            assert server.held.wait(LIMIT)
            shown.type("\x03")  # cancelled
            shown.rest()
            assert shown.wait() == 130
    stored = log(tmp_path, latest(tmp_path))
    assert stored[: len(before)] == before
    decided = [one["id"] for one in stored if "permission" in one.get("metadata", {})]
    names = {one["id"]: one["name"] for one in stored if one["type"] == "tool_call_request"}
    assert [names[one] for one in decided] == ["opencode.execute", "opencode.edit", "opencode.edit"]
    assert not any(name.endswith("write_text_file") for name in names.values())
    assert stored[-1]["type"] == "turn_outcome" and stored[-1]["outcome"] == "interrupted"
    asked = [one for one in server.bodies if "hold" in str(one["messages"][-1]["content"])]
    assert any("Seen: " in str(one["messages"]) for one in asked)  # with what was before
    assert set(server.paths) == {"/v1/chat/completions"}
