"""Which instruction files are read, and what of them is sent (context.md K1, K3, K4). Pure reading."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.context.instruction_files import InstructionFile, folders_of, read_all, read_nested
from jp_tui.system import files

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A home with a repository in it, and a workspace in that."""
    (tmp_path / "home/.config/jp-tui").mkdir(parents=True)
    (tmp_path / "home/repo/.git").mkdir(parents=True)
    (tmp_path / "home/repo/a/b").mkdir(parents=True)
    return tmp_path / "home"


def settings(home: Path, **more: Any) -> ContextSettings:
    own = home / ".config/jp-tui/AGENTS.md"
    told: dict[str, Any] = {"instructions": "all", "instructions_kib": 64, "environment": True, "trusted": False}
    return ContextSettings(files=NAMES, own=own, home=home, **{**told, **more})


def read(home: Path, **more: Any) -> tuple[InstructionFile, ...]:
    return read_all(home / "repo/a/b", settings(home, **more))


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_k1_the_users_own_first_then_from_the_git_root_down(world: Path) -> None:
    own = put(world / ".config/jp-tui/AGENTS.md", "own\n")
    put(world / "CLAUDE.md", "above the repository\n")
    top = put(world / "repo/CLAUDE.md", "top\n")
    mid = put(world / "repo/a/AGENTS.md", "mid\n")
    other = put(world / "repo/a/CLAUDE.md", "not read\n")
    low = put(world / "repo/a/b/GEMINI.md", "low\n")
    found = read(world)
    assert [(one.path, one.text, one.state) for one in found] == [
        (str(own), "own\n", "sent"),
        (str(top), "top\n", "sent"),
        (str(mid), "mid\n", "sent"),
        (str(other), "", "not_sent"),
        (str(low), "low\n", "sent"),
    ]
    assert found[3].why == "AGENTS.md is read in this folder" and found[3].size == 9


def test_k1_where_the_way_up_ends(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = world / "repo/a/b"
    assert folders_of(work, world) == [world / "repo", world / "repo/a", work]
    (world / "repo/a/.git").write_text("gitdir: elsewhere\n")  # a worktree has a file
    assert folders_of(work, world) == [world / "repo/a", work]
    (world / "repo/a/.git").unlink()
    (world / "repo/.git").rmdir()
    (world / ".git").mkdir()  # a home that is a repository ends the way before
    assert folders_of(work, world) == [work]
    (world / "repo/.git").mkdir()
    real = os.stat

    def of_another(path: Any, *more: Any, **named: Any) -> Any:
        there = real(path, *more, **named)
        if str(path) == str(world / "repo/a"):
            return os.stat_result((*there[:4], 12345, *there[5:]))
        return there

    monkeypatch.setattr(os, "stat", of_another)
    assert folders_of(work, world) == [work]


def test_k1_one_file_by_two_names_stands_once(world: Path) -> None:
    put(world / "repo/AGENTS.md", "once\n")
    os.link(world / "repo/AGENTS.md", world / "repo/a/AGENTS.md")
    (world / "repo/a/b/AGENTS.md").symlink_to("../../AGENTS.md")
    sent = [one for one in read(world) if one.text]
    assert len(sent) == 1
    assert sum("is the same file as" in one.why for one in read(world)) == 2


def test_k3_imports(world: Path) -> None:
    put(world / "repo/docs/style.md", "Use tabs. @more.md\n")
    put(world / "repo/docs/more.md", "And more.\n")
    put(world / "repo/AGENTS.md", "Read @docs/style.md, please.\nmail me@docs/style.md `@docs/more.md`\n```\n@x\n```\n")
    (one,) = read(world)
    assert one.text == ("Read Use tabs. And more., please.\nmail me@docs/style.md `@docs/more.md`\n```\n@x\n```\n")
    assert not one.left_out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("@.env", "usually holds secrets"),
        ("@../outside.md", "is outside the repository"),
        ("@/etc/passwd", "is outside the repository"),
        ("@~/note.md", "outside the repository"),
        ("@link.md", "is outside the repository"),
        ("@missing.md", "is missing"),
        ("@picture.png", "is not text"),
        ("@a", "is a folder"),
        ("@pipe", "is not a regular file"),
        ("@AGENTS.md", "is the same file as"),
    ],
)
def test_k3_what_is_not_imported_stays_as_words(world: Path, words: str, why: str) -> None:
    put(world / "outside.md", "secret plans\n")
    put(world / "note.md", "secret plans\n")
    put(world / "repo/.env", "KEY=1\n")
    put(world / "repo/picture.png", b"\x89PNG\0\xff")
    (world / "repo/link.md").symlink_to("../outside.md")
    os.mkfifo(world / "repo/pipe")
    put(world / "repo/AGENTS.md", f"Look at {words} now\n")
    (one,) = read(world)
    assert one.text == f"Look at {words} now\n" and len(one.left_out) == 1 and why in one.left_out[0]


def test_k3_the_users_own_file_imports_from_home(world: Path) -> None:
    put(world / "note.md", "mine\n")
    put(world / ".config/jp-tui/AGENTS.md", "@~/note.md\n")
    assert read(world)[0].text == "mine\n"


def test_k3_five_deep_each_once_and_no_circle(world: Path) -> None:
    for number in range(8):
        put(world / f"repo/{number}.md", f"{number} @{number + 1}.md\n")
    put(world / "repo/8.md", "@0.md\n")
    put(world / "repo/AGENTS.md", "@0.md @0.md\n")
    (one,) = read(world)
    assert one.text == "0 1 2 3 4 @5.md @0.md\n"
    assert [why.partition(": ")[2][:20] for why in one.left_out] == ["deeper than 5 import", "is the same file as "]


def test_k4_a_large_file_is_cut_at_a_line(world: Path) -> None:
    line = "x" * 99 + "\n"
    put(world / "repo/a/b/AGENTS.md", line * 104_858)  # 10 MB
    (one,) = read(world)
    kept, _, note = one.text.rpartition("[")
    assert one.state == "cut" and kept == line * (65_536 // 100)
    assert note == f"cut: {len(kept)} of 10485800 bytes; read the file for the rest]\n"


def test_k4_all_together_the_nearest_folder_goes_before_those_above(world: Path) -> None:
    for place in (".config/jp-tui", "repo", "repo/a", "repo/a/b"):
        put(world / place / "AGENTS.md", "0123456\n" * 50)  # 400 bytes
    states = {Path(one.path).parent.name: (one.state, one.why) for one in read(world, instructions_kib=1)}
    assert states["jp-tui"][0] == "sent" and states["b"][0] == "sent"
    assert states["a"] == ("cut", "224 of 400 bytes") and states["repo"][0] == "not_sent"


def test_k4_invisible_characters_are_counted_and_not_sent(world: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e\u200b"
    put(world / "repo/AGENTS.md", f"Be\u200b kind{hidden}. 👩‍💻 stays\n")
    (one,) = read(world)
    assert one.text == "Be kind. 👩‍💻 stays\n" and one.hidden == 7


@pytest.mark.parametrize("how", ["pipe", "binary", "link", "folder", "latin", "unreadable", "empty", "dangling"])
def test_bad_files_are_a_line_of_the_list(world: Path, how: str) -> None:
    path = world / "repo/AGENTS.md"
    match how:
        case "pipe":
            os.mkfifo(path)
        case "binary":
            put(path, b"\0\1\2")
        case "link":
            path.symlink_to(put(world / "outside.md", "plans\n"))
        case "folder":
            path.mkdir()
        case "latin":
            put(path, b"caf\xe9\n")
        case "unreadable":
            put(path, "x\n").chmod(0)
        case "empty":
            put(path, " \n")
        case "dangling":
            path.symlink_to("nothing")
    if how == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    (one,) = read(world)
    assert one.state == "not_sent" and one.why and not one.text


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({}, 2),
        ({"instructions": "trusted"}, 1),
        ({"instructions": "trusted", "trusted": True}, 2),
        ({"instructions": "own"}, 1),
        ({"instructions": "off"}, 0),
    ],
)
def test_k5_whose_files_are_sent(world: Path, more: dict[str, Any], sent: int) -> None:
    put(world / ".config/jp-tui/AGENTS.md", "own\n")
    put(world / "repo/AGENTS.md", "project\n")
    put(world / "repo/a/b/c/AGENTS.md", "nested\n")
    found = read(world, **more)
    assert len(found) == 2 and sum(bool(one.text) for one in found) == sent
    nested = read_nested("c", world / "repo/a/b", settings(world, **more), 1_000)
    assert (nested is not None) == (sent == 2)


@pytest.mark.parametrize("how", ["vanishes", "is replaced", "is cut", "grows", "becomes binary"])
@pytest.mark.parametrize("when", ["before it is opened", "while it is read"])
def test_a_file_that_changes_while_it_is_read_is_a_line_of_the_list(
    world: Path, how: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 19, bad input: what is sent is text of the file at some moment, or nothing with a reason."""
    path = put(world / "repo/AGENTS.md", "line\n" * 2_000)
    own = put(world / ".config/jp-tui/AGENTS.md", "own\n")

    def changes() -> None:
        match how:
            case "vanishes":
                path.unlink()
            case "is replaced":
                put(world / "new", "other\n" * 2_000).rename(path)
            case "is cut":
                os.truncate(path, 7)
            case "grows":
                path.write_text("line\n" * 200_000)
            case _:
                path.write_bytes(b"\0\1\2" * 1_000)

    once = [changes]
    if when == "before it is opened":
        monkeypatch.setattr(files.Root, "read", _changing(files.Root.read, path, once))
    else:
        monkeypatch.setattr(files.os, "read", _torn(os.read, path, once))
    found = {one.path: one for one in read(world)}
    assert not once, "it changed"
    one = found[str(path)]
    assert found[str(own)].text == "own\n"
    assert "\0" not in one.text and len(one.text.encode()) <= 64 * 1024 + 200
    if one.state == "not_sent":
        assert one.why and not one.text
    else:
        assert set(one.text.split("\n")) <= {"line", "other", "", "li", one.text.rstrip("\n").split("\n")[-1]}


def _changing(real: Any, path: Path, once: list[Any]) -> Any:
    """A read of this file, before which it changes."""

    def changing(self: Any, name: str, *given: Any) -> Any:
        if os.path.join(self.path, name) == str(path) and once:
            once.pop()()
        return real(self, name, *given)

    return changing


def _torn(real: Any, path: Path, once: list[Any]) -> Any:
    """A first piece of this file, after which it changes."""

    def torn(descriptor: int, most: int) -> bytes:
        if not once or os.readlink(f"/proc/self/fd/{descriptor}") != str(path):
            return bytes(real(descriptor, most))
        piece = bytes(real(descriptor, 4_096))
        once.pop()()
        return piece

    return torn
