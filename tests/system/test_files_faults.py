"""Files when the disk is full, when the system is older, and when the caller means harm."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.system.files import FileProblem, Root, sha256
from jp_tui.system.renaming import rename_new, rename_new_portably
from jp_tui.system.rooted_open import open_beneath
from tests.hostile.recorded import cases


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """What a full disk does (T13): the last write is cut short without an error, the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_space_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    with Root(tmp_path) as root:
        root.write("old", b"kept", expect_sha256=None)
        for path, expect in (("old", sha256(b"kept")), ("new", None)):
            with files_no_larger_than(4096), pytest.raises(FileProblem) as trouble:
                root.write(path, b"x" * 10_000, expect_sha256=expect)
            assert trouble.value.kind == "no_space"
        assert os.listdir(tmp_path) == ["old"] and root.read("old").data == b"kept"


@pytest.mark.parametrize("rename", [rename_new, rename_new_portably])
def test_renaming_never_replaces(tmp_path: Path, rename: Any) -> None:
    """PATH-063: creating has O_EXCL semantics, also where the system has no such rename."""
    here = os.open(tmp_path, os.O_RDONLY)
    for name in ("file", "folder", "link", "other"):
        (tmp_path / name).mkdir() if name == "folder" else (tmp_path / name).write_text(name)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("nowhere")
    for source in ("other", "folder"):
        for target in ("file", "folder", "link"):
            if source == target:
                continue
            with pytest.raises(OSError) as trouble:
                rename(source, target, here, here)
            assert trouble.value.errno == errno.EEXIST
        rename(source, f"{source}2", here, here)
    rename("link", "link2", here, here)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder2", "link2", "other2"]
    os.close(here)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "is_directory"),
        (".", "is_directory"),
        ("a/..", "is_directory"),
        ("a\0b", "bad_name"),
        ("\ud800", "bad_name"),
        ("n" * 300, "bad_name"),
        ("x/" * 3000, "not_found"),
        ("..", "outside"),
        ("a/../..", "outside"),
        ("~", "outside"),
        ("~root/x", "outside"),
        ("//etc/passwd", "outside"),
        ("a/file/x", "not_a_directory"),
        ("a/file/..", "not_a_directory"),
        ("ring", "bad_name"),
        ("no\nsuch\x1b[2J", "not_found"),
    ],
)
@pytest.mark.parametrize("kernel", [True, False])
def test_odd_paths_have_plain_words(tmp_path: Path, path: str, expected: str, kernel: bool) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").write_text("")
    (tmp_path / "ring").symlink_to("ring")
    with Root(tmp_path, kernel=kernel) as root, pytest.raises(FileProblem) as trouble:
        root.read(path)
    assert trouble.value.kind == expected
    assert str(trouble.value).isprintable()


def test_names_are_literal(tmp_path: Path) -> None:
    """PATH-020, PATH-074, PATH-076: newlines, globs and dots are ordinary characters of a name."""
    with Root(tmp_path) as root:
        for name in ("a\n\x1b[2Jb.txt", "*.txt", "..foo", "$HOME", "-rf", "é", "\udcff"):
            root.write(name, name.encode("utf-8", "surrogateescape"), expect_sha256=None)
            assert root.read(name).data == name.encode("utf-8", "surrogateescape")
        root.delete("*.txt")
        assert len(os.listdir(tmp_path)) == 6


STEP = st.sampled_from(["a", "b", "l", "m", "..", "."])
PATH = st.lists(STEP, min_size=1, max_size=5).map("/".join)
TARGET = st.one_of(PATH, PATH.map(lambda path: "ROOT/" + path), st.sampled_from(["/", "/etc/passwd", "l", "m"]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(links=st.dictionaries(st.sampled_from(["l", "m", "a/l", "a/b/m"]), TARGET), path=PATH)
def test_the_walk_and_the_kernel_agree(tmp_path: Path, links: dict[str, str], path: str) -> None:
    """T11: whatever the kernel opens beneath the root, our own walk opens too, and both say where it is."""
    place = tmp_path / os.urandom(8).hex()
    for folder in ("a/b", "b"):
        (place / folder).mkdir(parents=True)
    for name, target in links.items():
        (place / name).symlink_to(target.replace("ROOT", str(place)))
    steps = [step for step in path.split("/") if step != "."]
    top = os.open(place, os.O_RDONLY)

    def attempt(kernel: bool) -> tuple[int, str] | str:
        try:
            found, real = open_beneath(top, str(place), steps, os.O_RDONLY, kernel=kernel)
        except (OSError, FileProblem) as error:
            return type(error).__name__
        there = os.fstat(found)
        os.close(found)
        assert os.path.realpath(place / real) == str(place / real) if real != "." else True
        assert (place / real).stat().st_ino == there.st_ino
        return there.st_ino, real

    try:
        assert attempt(True) == attempt(False)
    finally:
        os.close(top)


def hostile() -> list[Any]:
    # rules about names (control files, deny lists) and patterns are the tools', not this layer's
    ours = [
        case
        for case in cases("paths").values()
        if case["payload"]["op"] in ("read", "create", "modify", "delete")
        and not any(word in case["title"] for word in ("control file", "deny rule", "changed after"))
    ]
    return [pytest.param(case, id=case["id"]) for case in ours]


def lay_out(folder: Path, lines: list[str]) -> None:
    for line in lines:
        what, _, rest = line.partition(" ")
        if what == "symlink":
            name, _, target = rest.partition(" -> ")
            (folder / name).symlink_to(target)
        elif what == "dir":
            (folder / rest).mkdir()
        elif what == "file":
            (folder / rest).write_text("x")
        elif line.endswith(".txt"):
            (folder / line).write_text("x")


@pytest.mark.parametrize("case", hostile())
def test_hostile_paths(tmp_path: Path, case: dict[str, Any]) -> None:
    """The cases of the hostile collection that this layer decides; nothing outside the root is touched."""
    (tmp_path / "outside.txt").write_text("outside")
    folder = tmp_path / "ws"
    folder.mkdir()
    lay_out(folder, case["payload"]["layout"])
    if "appeared meanwhile" in case["title"] or case["id"] == "PATH-069":
        (folder / case["payload"]["path"]).write_text("theirs")
    before = sorted(os.listdir(folder))
    path, op = case["payload"]["path"], case["payload"]["op"]

    def act(root: Root) -> None:
        if op == "read":
            root.read(path)
        elif op == "create":
            root.write(path, b"new", expect_sha256=None)
        elif op == "modify":
            root.write(path, b"new", expect_sha256=sha256(b"theirs"))
        else:
            root.delete(path)

    with Root(folder) as root:
        if case["expect"]["outcome"] in ("accepted", "asked_human") or case["id"] == "PATH-069":
            act(root)
        else:
            with pytest.raises(FileProblem) as trouble:
                act(root)
            if "literal name" in case["expect"]["must"][0]:
                assert trouble.value.kind == "not_found"
            assert sorted(os.listdir(folder)) == before
    assert not [name for name in os.listdir(folder) if name.startswith(".jp-tui-")]
    assert (tmp_path / "outside.txt").read_text() == "outside"
    assert sorted(os.listdir(tmp_path)) == ["outside.txt", "ws"]
