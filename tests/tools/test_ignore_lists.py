"""Files on an ignore list are out of the model's reach (rules.md AR40, AR41)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.context.instruction_files import read_all
from jp_tui.engine.desks.image_reading import stored
from jp_tui.settings.sources import Sources
from jp_tui.system.files import HiddenFile, Root
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem, IgnoreText, read_texts
from jp_tui.tools.files.rule_places import RulePlacesOnDisk
from jp_tui.tools.port import Outcome, ToolCall
from jp_tui.tools.registry import builtin
from tests.system.sandboxing import or_skip

WORD = "sesame-4711"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with hidden files, a link to one, and one that is not hidden."""
    place = tmp_path / "w"
    (place / "private" / "deep").mkdir(parents=True)
    for name in ("private/a.txt", "private/deep/b.txt", "notes.key", "plain.txt"):
        (place / name).write_text(f"{WORD} {name}\n")
    (place / "link").symlink_to("private/a.txt")
    (place / "twin").hardlink_to(place / "notes.key")
    (place / ".jpignore").write_text("# hidden\nprivate/\n*.key\n!private/a.txt\n")
    return place


def lists(root: Path) -> Sequence[IgnoreText]:
    return read_texts(str(root))


async def ran(tool: str, root: Path, **arguments: Any) -> Outcome:
    call = ToolCall(arguments, root, ignored=lambda: lists(root))
    return await builtin()[tool].run(call)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fs_read_file", {"path": "private/a.txt"}), ("fs_read_file", {"path": "link"}),
        ("fs_read_file", {"path": "./private/../notes.key"}), ("fs_list_files", {"path": "private"}),
        ("fs_grep_files", {"pattern": "a", "paths": ["private"]}), ("fs_grep_files", {"pattern": "a",
        "paths": ["link"]}),
        ("fs_create_file", {"path": "private/new.txt", "content": "x"}), ("fs_create_file", {"path": "new.key"}),
        ("fs_modify_file", {"path": "notes.key", "patterns": [{"old": "s", "new": "x"}]}),
        ("fs_delete_file", {"path": "notes.key"}), ("fs_move_file", {"source": "notes.key", "target": "seen.txt"}),
        ("fs_move_file", {"source": "plain.txt", "target": "private/p.txt"}),
    ],
)  # fmt: skip
async def test_ar41_no_file_tool_reaches_a_hidden_file(root: Path, tool: str, arguments: dict[str, Any]) -> None:
    told = await ran(tool, root, **arguments)
    assert isinstance(told, Failure) and "is on an ignore list (.jpignore:" in told.message, told
    assert "so it is neither read nor changed." in told.message and WORD not in told.message


async def test_ar41_lists_and_searches_leave_hidden_files_out(root: Path) -> None:
    for tool, arguments in (("fs_list_files", {}), ("fs_grep_files", {"pattern": "sesame"})):
        told = await ran(tool, root, **arguments)
        assert isinstance(told, Success) and "plain.txt" in told.content
        lines = [line.partition(":")[0] for line in told.content.splitlines()]
        assert [line for line in lines if line.startswith(("private", "notes"))] == [], told


async def test_ar41_no_tool_changes_the_list(root: Path) -> None:
    told = await ran("fs_modify_file", root, path=".jpignore", patterns=[{"old": "private", "new": "x"}])
    assert isinstance(told, Failure)


async def test_ar41_a_list_that_cannot_be_read_hides_everything(root: Path) -> None:
    (root / ".jpignore").unlink()
    (root / ".jpignore").mkdir()
    told = await ran("fs_read_file", root, path="plain.txt")
    assert isinstance(told, Failure) and ".jpignore" in told.message
    (root / ".jpignore").rmdir()
    (root / ".jpignore").write_text("x\n" * 5_001)
    with pytest.raises(IgnoreProblem, match="5,000"):
        IgnoreLists(lists(root))


async def test_ar41_in_the_sandbox_hidden_files_are_empty_and_the_list_is_read_only(root: Path) -> None:
    or_skip()
    line = "cat private/a.txt private/deep/b.txt notes.key twin link; echo x > .jpignore; mv .jpignore y; cat plain.txt"
    call = ToolCall({"command": line}, root, ignored=lambda: lists(root), leave=True)
    told = await builtin()["shell_run"].run(call)
    words = str(told)
    assert f"{WORD} plain.txt" in words and words.count(WORD) == 1, words
    assert (root / ".jpignore").read_text().startswith("# hidden") and not (root / "y").exists()


async def test_ar41_too_many_hidden_files_and_nothing_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    or_skip()
    monkeypatch.setattr("jp_tui.tools.shell.sandbox.MOST_HIDDEN", 2)
    told = await builtin()["shell_run"].run(
        ToolCall({"command": "echo x"}, root, ignored=lambda: lists(root), leave=True)
    )
    assert isinstance(told, Failure) and "nothing was run" in told.message


async def test_ar41_without_a_sandbox_the_prompt_says_so(root: Path) -> None:
    call = ToolCall({"command": "ls"}, root, ignored=lambda: lists(root), options={"sandbox": {"mode": "off"}})
    assert "what your ignore lists hide" in await builtin()["shell_run"].render(call)  # type: ignore[attr-defined]
    assert "ignore lists" not in await builtin()["shell_run"].render(replace(call, ignored=tuple))  # type: ignore[attr-defined]


def test_ar41_a_hidden_image_is_not_attached(root: Path) -> None:
    (root / "private" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (root / "b.png").symlink_to("private/a.png")
    for path in ("private/a.png", "b.png", str(root / "b.png")):
        with pytest.raises(ValueError, match="ignore list"):
            stored([path], root, lambda root: lists(root))


def test_ar41_a_hidden_instruction_file_and_a_hidden_import_are_not_sent(root: Path) -> None:
    (root / "AGENTS.md").write_text("Be brief.\n@private/a.txt\n")
    hidden = IgnoreLists(lists(root)).hidden
    base = os.path.realpath(root)
    hides = lambda path: hidden(os.path.relpath(path, base), False)  # noqa: E731
    settings = ContextSettings(("AGENTS.md",), "all", 64, False, root / "none", None, True, hides=hides)
    (one,) = read_all(root, settings)
    assert "Be brief." in one.text and WORD not in one.text
    settings = replace(settings, hides=lambda path: "x:1" if path.endswith("AGENTS.md") else "")
    (one,) = read_all(root, settings)
    assert one.text == "" and "ignore list" in one.why


def test_ar41_a_command_that_names_a_hidden_file_asks(root: Path) -> None:
    places = RulePlacesOnDisk(str(root), os.environ, None, lists(root))
    assert places.kept_from(f"{root}/private/a.txt", writes=False) and places.kept_from(f"{root}/private", writes=False)
    assert not places.kept_from(f"{root}/plain.txt", writes=False)


def test_ar40_the_lists_are_the_workspaces_yours_and_the_policys(tmp_path: Path) -> None:
    (tmp_path / "w" / ".jp-tui").mkdir(parents=True)
    (tmp_path / "w" / ".jpignore").write_text("a\n!b\n")
    (tmp_path / "ignore").write_text("b\n")
    policy = tmp_path / "policy.toml"
    policy.write_text('ignore = ["c", "d/"]\n')
    sources = Sources(
        tmp_path / "config.toml", tmp_path / "w" / ".jp-tui" / "config.toml", tmp_path / "store",
        {"JP_TUI_POLICY": str(policy)},
    )  # fmt: skip
    found = IgnoreLists(sources.ignored(str(tmp_path / "w")))
    assert [found.hidden(name, False) for name in ("a", "b", "c", "d/e", "e")] == [
        ".jpignore:1", f"{tmp_path}/ignore:1", f"{policy}: ignore:1", f"{policy}: ignore:2", "",
    ]  # fmt: skip


def test_ar41_a_root_shows_nothing_that_is_hidden(root: Path) -> None:
    with Root(root, hidden=IgnoreLists(lists(root)).hidden) as files:
        assert {entry.path for entry in files.walk() if entry.kind != "folder"} == {
            ".jpignore",
            "plain.txt",
            "link",
            "twin",
        }
        for path in ("private", "private/deep/b.txt", "link", "new.key"):
            with pytest.raises(HiddenFile):
                files.stat(path)
        with pytest.raises(HiddenFile):
            files.mkdirs("private/x")
