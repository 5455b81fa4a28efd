"""Rules and ignore lists of the files hold in a real run (rules.md AR1, AR11, AR22, AR41): `query` with a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.main import main

SCRIPT = """
[[turns]]
calls = [
  {name = "fs_read_file", arguments = {path = "b.txt"}},
  {name = "fs_read_file", arguments = {path = "c.key"}},
  {name = "fs_read_file", arguments = {path = "a.txt"}},
  {name = "shell_run", arguments = {command = "echo one; echo two"}},
  {name = "shell_run", arguments = {command = "echo three; id"}},
]
[[turns]]
text = "done"
"""
RULES = """
[[rule]]
id = "no-b"
effect = "deny"
tool = "fs_*"
path = "b.txt"
reason = "Not this one"

[[rule]]
id = "echoes"
effect = "allow"
tool = "shell_run"
command = ["echo"]
"""


def test_ar22_rules_and_lists_hold_in_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("JP_TUI_POLICY", raising=False)
    work = tmp_path / "w"
    work.mkdir()
    for name in ("a.txt", "b.txt", "c.key"):
        (work / name).write_text(f"content of {name}\n")
    (work / ".jpignore").write_text("*.key\n")
    (tmp_path / "home" / "config").mkdir(parents=True, mode=0o700)
    (tmp_path / "home" / "config" / "rules.toml").write_text(RULES)
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    words = ["query", "--json", "--non-interactive", "--model", f"demo/{script}", "--workspace", str(work)]
    off = 'conversation.tools.shell_run.options.sandbox.mode="off"'
    assert main([*words, "--cfg", "conversation.tools.shell_run.enable=true", "--cfg", off, "go"]) == 0
    events: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [event for event in events if event.get("type") == "tool_call_response"]
    assert told[0]["content"].startswith("Refused by a rule (no-b): Not this one.")
    assert "on an ignore list (.jpignore:1)" in told[1]["content"] and "content of" not in told[1]["content"]
    assert "content of a.txt" in told[2]["content"]
    assert "two" in told[3]["content"]
    assert told[3]["metadata"]["permission"] == {"choice": "run", "by": "rule", "rules": ["echoes"]}
    assert told[4]["is_error"] and "three" not in told[4]["content"]
