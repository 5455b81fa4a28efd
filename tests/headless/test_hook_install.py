"""`jp-tui hook install | uninstall` (intake.md N23, N25): preview, copy, clean undo, and files that stay untouched."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.headless.output import TextOutput
from jp_tui.startup.hooks import install as hooks
from jp_tui.startup.hooks.checks import hook_findings
from jp_tui.startup.hooks.entries import FILES, NotOurs, ours_in, plugin, with_ours, without_ours

OTHER = b"""{
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh hook"}]}]
    },
    "\xc3\xa4": 1.50
}"""


class Machine:
    """A home folder, and what was printed."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self._capsys = home, capsys
        self.out = self.err = ""

    def run(self, verb: str, word: str = "claude", **more: Any) -> int:
        given: Any = SimpleNamespace(
            command=f"hook {verb}", program=word, **{"project": False, "dry_run": False, "anyway": False, **more}
        )
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        place: Any = SimpleNamespace(workspace=self.home / "project", environment=environment)
        status = hooks.install(given, place, TextOutput(False, sys.stdout, sys.stderr))
        self.out, self.err = self._capsys.readouterr()
        return status

    def file(self, word: str = "claude") -> Path:
        return self.home / FILES[word].user


def says(version: tuple[int, ...] | None) -> Any:
    """A Claude Code of this version."""

    async def found(_: object) -> tuple[int, ...] | None:
        return version

    return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Machine]:
    monkeypatch.setattr(hooks, "claude_version", says((2, 1, 330)))
    yield Machine(tmp_path, capsys)


@pytest.mark.parametrize("word", list(FILES))
def test_n25_what_is_installed_is_taken_out_without_a_trace(machine: Machine, word: str) -> None:
    assert machine.run("install", word) == 0 and machine.file(word).is_file()
    before = machine.file(word).read_bytes()
    assert machine.run("install", word) == 0 and "Nothing to do" in machine.out
    assert machine.file(word).read_bytes() == before
    assert machine.run("uninstall", word) == 0 and not machine.file(word).exists()
    assert machine.run("uninstall", word) == 0 and "Nothing to do" in machine.out


@pytest.mark.parametrize("word", ["claude", "codex", "gemini"])
def test_n25_other_entries_stay_and_the_file_comes_back_byte_for_byte(machine: Machine, word: str) -> None:
    file = machine.file(word)
    file.parent.mkdir()
    file.write_bytes(OTHER)
    os.chmod(file, 0o640)
    assert machine.run("install", word) == 0
    found = json.loads(file.read_bytes())
    assert found["model"] == "opus" and "./check.sh hook" in str(found["hooks"]["PreToolUse"])
    assert file.stat().st_mode & 0o777 == 0o640
    copy = file.with_name(file.name + hooks.COPY)
    assert copy.read_bytes() == OTHER and copy.stat().st_mode & 0o777 == 0o600
    assert machine.run("uninstall", word) == 0
    assert file.read_bytes() == OTHER and not copy.exists()


def test_n25_what_somebody_changed_meanwhile_stays(machine: Machine) -> None:
    file = machine.file()
    file.parent.mkdir()
    file.write_bytes(OTHER)
    machine.run("install")
    changed = json.loads(file.read_bytes())
    changed["theme"] = "dark"
    file.write_text(json.dumps(changed))
    assert machine.run("uninstall") == 0
    found = json.loads(file.read_bytes())
    assert found["theme"] == "dark" and not ours_in(file.read_bytes())
    assert found["hooks"] == json.loads(OTHER)["hooks"]


def test_n25_a_dry_run_shows_a_diff_and_writes_nothing(machine: Machine) -> None:
    file = machine.file()
    file.parent.mkdir()
    file.write_bytes(OTHER)
    assert machine.run("install", dry_run=True) == 0
    assert machine.out.startswith(f"--- a{file}\n")
    assert '"onFailure": "block"' in machine.out
    assert file.read_bytes() == OTHER and os.listdir(file.parent) == ["settings.json"]


def test_n25_a_project_has_a_file_of_its_own(machine: Machine) -> None:
    assert machine.run("install", project=True) == 0
    assert (machine.home / "project/.claude/settings.local.json").is_file() and not machine.file().exists()


BAD: list[tuple[str, bytes]] = [
    ("text", b"not json"), ("comment", b"// mine\n{}"), ("list", b"[]"), ("cut", OTHER[:40]), ("nan", b'{"a":NaN}'),
    ("twice", b'{"a":1,"a":2}'), ("hooks", b'{"hooks":[]}'), ("event", b'{"hooks":{"PreToolUse":{}}}'),
    ("bytes", b"\xff{}"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), BAD, ids=lambda one: one if isinstance(one, str) else "")
def test_n25_what_is_no_json_stays_untouched(machine: Machine, name: str, content: bytes) -> None:
    file = machine.file()
    file.parent.mkdir()
    file.write_bytes(content)
    assert machine.run("install") == 1 and machine.err.endswith("Nothing was changed.\n")
    assert file.read_bytes() == content and os.listdir(file.parent) == ["settings.json"]


@pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "folder", "pipe"])
def test_n25_what_is_no_plain_file_of_the_user_stays_untouched(machine: Machine, tmp_path: Path, kind: str) -> None:
    file, other = machine.file(), tmp_path / "elsewhere.json"
    file.parent.mkdir()
    other.write_bytes(OTHER)
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "hard link":
        os.link(other, file)
    else:
        file.symlink_to(other if kind == "link" else tmp_path / "none")
    for verb in ("install", "uninstall"):
        assert machine.run(verb) == 1, verb
        assert "Nothing was changed" in machine.err
    assert other.read_bytes() == OTHER and not (tmp_path / "none").exists()


def test_n25_a_change_under_the_installer_wins(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    file = machine.file()
    file.parent.mkdir()
    file.write_bytes(OTHER)
    made = with_ours

    def meanwhile(*given: Any) -> bytes:
        found = made(*given)
        file.write_bytes(b'{"theirs": true}')
        return found

    monkeypatch.setattr(hooks, "with_ours", meanwhile)
    assert machine.run("install") == 1 and "changed meanwhile" in machine.err
    assert file.read_bytes() == b'{"theirs": true}'
    assert not [name for name in os.listdir(file.parent) if name.startswith(".settings")]


def test_n25_a_plugin_of_somebody_else_stays(machine: Machine) -> None:
    file = machine.file("opencode")
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = 1\n")
    for verb in ("install", "uninstall"):
        assert machine.run(verb, "opencode") == 1
    assert file.read_text() == "export const Mine = 1\n"


@pytest.mark.parametrize(("version", "status"), [((2, 1, 294), 1), (None, 1), ((2, 1, 295), 0)])
def test_n23_an_older_claude_code_runs_tools_of_dead_hooks(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...] | None, status: int
) -> None:
    monkeypatch.setattr(hooks, "claude_version", says(version))
    assert machine.run("install", dry_run=True) == status
    assert "+" in machine.out and ("onFailure" in machine.out) and bool(machine.err) == bool(status)
    assert machine.run("install") == status
    assert machine.file().exists() == (status == 0)
    assert machine.run("install", anyway=True) == 0


def test_n23_the_hook_gives_up_before_the_program_kills_it() -> None:
    for word, event, unit in (
        ("claude", "PermissionRequest", 1),
        ("codex", "PreToolUse", 1),
        ("gemini", "BeforeTool", 1000),
    ):
        (one,) = ours_in(with_ours(None, FILES[word], "/bin/jp-tui"))[event]
        assert one["timeout"] == 86_400 * unit and one["command"].endswith(f"hook {word} --limit 86390")
        assert one.get("onFailure") == ("block" if word == "claude" else None)


def test_n23_it_says_what_a_killed_hook_means(machine: Machine) -> None:
    machine.run("install", "codex")
    assert "/hooks" in machine.out and "killed" in machine.out
    machine.run("install", "gemini")
    assert "killed" in machine.out


def test_n25_an_older_entry_of_ours_is_replaced() -> None:
    old = with_ours(OTHER, FILES["claude"], "/old/jp-tui")
    new = with_ours(old, FILES["claude"], "/new/jp-tui")
    assert b"/old/" not in new and json.loads(without_ours(new)) == json.loads(OTHER)
    with pytest.raises(NotOurs):
        with_ours(b"[]", FILES["claude"], "x")


def test_n22_the_plugin_names_the_command_as_words() -> None:
    found = plugin(["/opt/a b/jp-tui"])
    assert '["/opt/a b/jp-tui","hook","opencode","--limit","86390"]' in found.replace('", "', '","')


# --- doctor


def findings(machine: Machine, version: tuple[int, ...] | None = (2, 1, 330)) -> list[tuple[str, str]]:
    async def every() -> list[tuple[str, str]]:
        environment = {"HOME": str(machine.home)}
        place: Any = SimpleNamespace(workspace=machine.home / "project", environment=environment)
        return [(one.state, one.detail) async for one in hook_findings(place, says(version))]

    return asyncio.run(every())


def test_n25_doctor_lists_hooks_and_what_to_fix(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(machine) == []
    monkeypatch.setattr(hooks, "command_words", lambda: [sys.executable, "-m", "jp_tui"])
    for word in FILES:
        machine.run("install", word)
    machine.run("install", "claude", project=True)
    assert [state for state, _ in findings(machine)] == ["ok"] * 5
    assert "dies" in findings(machine, (2, 1, 200))[0][1]
    text = machine.file().read_text()
    for old, new, said in (
        ('"onFailure": "block"', '"onFailure": "continue"', "a tool runs when the hook dies"),
        ('"timeout": 86400', '"timeout": 60', "before its question ends"),
        (sys.executable, "/gone/jp-tui", "/gone/jp-tui doesn't exist"),
        ('"PermissionRequest"', '"Other"', "no hook for PermissionRequest"),
    ):
        machine.file().write_text(text.replace(old, new))
        state, detail = findings(machine)[0]
        assert state == "warn" and said in detail, said
    machine.file().write_text("not json")
    assert len(findings(machine)) == 4
