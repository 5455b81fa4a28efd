"""`jp-tui tools` (issue 4, item 2): every tool with its settings and routes, for people at 80 columns and as JSON."""

from __future__ import annotations

import io
import shlex
from pathlib import Path
from typing import Any

import pytest

from jp_tui.headless.lists.tools import list_tools
from jp_tui.headless.output import TextOutput
from jp_tui.settings import toolset
from jp_tui.settings.load import load
from jp_tui.settings.overview import overview
from tests.headless.running import jp, lines

CONFIG = """\
[conversation.tools.fs_modify_file.questions.apply_changes]
target = "assistant_with_escalation"
[conversation.tools.fs_delete_file.questions.confirm]
target = { model = { id = "inherit" } }
exclusive = false
deadline_secs = 30
[conversation.tools.fs_move_file]
enable = "explicit"
questions.overwrite_file.answer = false
detached = { run = "auto", tool = "defer" }
[conversation.tools.fs_grep_files]
enable = { state = false, allow_toggle = "never" }
[conversation.tools.greet]
source = "local.hello"
command = "./greet"
run = "edit"
"""


def shown(text: str, folder: Path, as_json: bool = False) -> str:
    """What the face writes for a configuration, without a process."""
    user = folder / "config.toml"
    user.write_text(text)
    settings = load(user_file=str(user), workspace_file=str(folder / "none.toml"), environment={})
    out = io.StringIO()
    assert list_tools(overview(settings, toolset.tools(settings)), TextOutput(as_json, out, io.StringIO())) == 0
    return out.getvalue()


def test_the_table_fits_80_columns_but_for_paths(tmp_path: Path) -> None:
    text = shown(CONFIG, Path("/").joinpath(tmp_path))
    for line in text.splitlines():
        assert len(line) <= 80 or str(tmp_path) in line or "tools.toml" in line, line
    table = {line.split()[0]: line for line in text.splitlines() if line and not line.startswith(" ")}
    assert table["TOOL"].split() == ["TOOL", "SOURCE", "ENABLED", "RUN", "RESULT"]
    assert table["ask_user"].split("  ")[0] == "ask_user" and "on, by name" in table["ask_user"]
    assert "off, by name" in table["fs_move_file"] and "off, locked" in table["fs_grep_files"]
    assert table["greet"].split() == ["greet", "local.hello", "on", "edit", "unattended"]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("ask_user", "answer: answered by you, asked as \"Assistant\""),
        ("fs_create_file", "apply_changes: answered by you, conversation.inquiry.assistant.model.id is not set"),
        ("fs_modify_file", "apply_changes: answered by a reviewer; you decide what it rejects ({file}:2)"),
        ("fs_delete_file", 'confirm: answered by a reviewer, reviewer with {{ model = {{ id = "inherit" }} }},'),
        ("fs_delete_file", "the user may answer, within 30 s ({file}:4)"),
        ("fs_move_file", "overwrite_file: always false ({file}:9)"),
        ("fs_move_file", "without a user: run auto, tool defer"),
    ],
)  # fmt: skip
def test_e42_each_route_says_who_and_where_it_was_set(tmp_path: Path, tool: str, said: str) -> None:
    block = ""
    for line in shown(CONFIG, tmp_path).splitlines():
        block = "" if line.startswith(f"{tool} ") else f"{block} {line.strip()}" if line.startswith(" ") else block
        if said.format(file=tmp_path / "config.toml") in block:
            return
    raise AssertionError(block)


def test_json_has_everything(tmp_path: Path) -> None:
    rows: dict[str, Any] = {row["name"]: row for row in lines(shown(CONFIG, tmp_path, as_json=True))}
    file = tmp_path / "config.toml"
    assert rows["greet"] == {
        "name": "greet", "source": "local.hello", "kind": "local", "enabled": True, "allow_toggle": "any",
        "run": "edit", "run_place": f"{file}:16", "format": "ask", "result": "unattended", "detached": {},
        "questions": {},
    }  # fmt: skip
    assert rows["fs_move_file"]["detached"] == {"run": "auto", "tool": "defer"}
    assert (rows["fs_move_file"]["enabled"], rows["fs_move_file"]["allow_toggle"]) == (False, "if_named")
    assert rows["fs_move_file"]["questions"]["overwrite_file"] == {
        "target": "user", "answer": False, "place": f"{file}:9",
    }  # fmt: skip
    assert rows["fs_delete_file"]["questions"]["confirm"] == {
        "target": {"model": {"id": "inherit"}}, "exclusive": False, "deadline_secs": 30, "place": f"{file}:4",
    }  # fmt: skip
    assert rows["fs_create_file"]["questions"]["apply_changes"]["why"].endswith("is not set")


def test_what_a_file_says_does_nothing_on_a_terminal(tmp_path: Path) -> None:
    text = '[conversation.tools.ask_user.questions.answer]\nprompt_label = "\\u001b[2J\\u202e\\n[red]"\n'
    text += 'answer = "\\u009b"\n'
    out = shown(text, tmp_path)
    assert "[red]" in out and not any(char in out for char in "\x1b\u202e\x9b")
    assert not any(char in shown(text, tmp_path, as_json=True) for char in "\x1b\x9b")


@pytest.mark.parametrize(
    ("line", "status", "on"),
    [
        ("tools --json -T", 0, {"ask_user", "describe_tools"}),
        ("tools --json -T -T ask_user", 0, {"describe_tools"}),
        ("tools --json -T -t fs_read_file", 0, {"ask_user", "describe_tools", "fs_read_file"}),
        ("tools --json -T describe_tools", 2, set()),
        ("tools --json -t nothing -T ask_user", 2, set()),
    ],
)
def test_r73_switches_are_shown_as_they_would_be(tmp_path: Path, line: str, status: int, on: set[str]) -> None:
    done = jp(tmp_path, *shlex.split(line))
    assert done.returncode == status and "Traceback" not in done.stderr
    assert {row["name"] for row in lines(done.stdout) if row["enabled"]} == on
    if "describe_tools" in line:
        assert "cannot disable `describe_tools`: this tool is configured as locked-on" in done.stderr  # M24


def test_a_command_that_cannot_be_one_is_said_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "config.toml"
    file.write_text("[conversation.tools.x]\nsource = 'local'\ncommand = \"say 'hi\"\n")
    done = jp(tmp_path, "tools")
    assert (done.returncode, done.stdout) == (2, "") and f"{file}:3:1: conversation.tools.x.command" in done.stderr
