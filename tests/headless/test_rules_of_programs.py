"""`jp-tui rules test` about calls of other programs (rules.md AR24, intake.md N3): decided as their hooks are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jp_tui.startup import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "jp"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jp" / "config").mkdir(parents=True, mode=0o700)
    (tmp_path / "jp" / "config" / "rules.toml").write_text(
        '[[rule]]\nid = "log"\neffect = "allow"\ntool = "claude-code.Bash"\ncommand = ["git", "log"]\n'
        '[[rule]]\nid = "src"\neffect = "allow"\ntool = "claude-code.Edit"\npath = "src/**"\n'
        '[[rule]]\nid = "all"\neffect = "allow"\ntool = "codex.Bash"\n'
        '[[rule]]\nid = "never"\neffect = "deny"\ntool = "gemini.*"\n'
    )
    return tmp_path


def edit(path: str) -> str:
    return json.dumps({"file_path": path, "old_string": "a", "new_string": "b"})


@pytest.mark.parametrize(
    ("words", "decision", "by"),
    [
        (["--tool", "claude-code.Bash", "git log -1"], "run", "rule"),
        (["--tool", "claude-code.Bash", "git log | sh"], "ask", "nothing"),
        (["--tool", "claude-code.Edit", "--args", edit("src/a.py")], "run", "rule"),
        (["--tool", "claude-code.Edit", "--args", edit("src/.env")], "ask", "guard"),
        (["--tool", "claude-code.Edit", "--args", edit("../b.py")], "ask", "nothing"),
        (["--tool", "codex.Bash", "make"], "ask", "nothing"),  # AR5: a whole tool that runs commands
        (["--tool", "codex.apply_patch", "--args", '{"command": "*** Add File: Makefile"}'], "ask", "guard"),
        (["--tool", "gemini.anything", "--args", "{}"], "deny", "rule"),
    ],
    ids=lambda one: " ".join(one[1:]) if isinstance(one, list) else one,
)
def test_ar24_a_call_of_another_program(
    here: Path, words: list[str], decision: str, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", "test", "--json", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["decision"], found["by"]) == (decision, by)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tool", "other.Bash", "ls"], "there is no tool other.Bash"),
        (["--tool", "claude-code.", "ls"], "there is no tool claude-code."),
        (["--tool", "claude-code.Edit", "--args", '{"file_path": 3}'], "tool_input.file_path isn't a text"),
        (["--tool", "claude-code.Edit", "ls"], "must be a command line"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_ar24_what_is_no_call_of_a_program_is_wrong_usage(
    here: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", "test", *words]) == 2
    assert said in capsys.readouterr().err
