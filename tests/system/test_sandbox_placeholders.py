"""Empty folders in place of what is missing (Z18): nothing of them is left, whoever runs and whatever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui.system.sandbox import placeholders


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "locks").mkdir()
    return str(tmp_path / "locks")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def test_what_was_made_is_removed_with_its_parents(folder: str, root: Path) -> None:
    held = placeholders.acquire(folder, str(root))
    placeholders.make(held, [f"{root}/.jp-tui", f"{root}/d/e/vendor"])
    assert (root / ".jp-tui").is_dir() and (root / "d" / "e" / "vendor").is_dir()
    assert placeholders.listed(held) >= {f"{root}/.jp-tui", f"{root}/d", f"{root}/d/e/vendor"}
    placeholders.release(held)
    assert list(root.iterdir()) == [] and os.listdir(folder) == []


def test_what_was_there_stays_and_so_does_what_is_not_empty(folder: str, root: Path) -> None:
    (root / "mine").mkdir()
    held = placeholders.acquire(folder, str(root))
    placeholders.make(held, [f"{root}/mine/new", f"{root}/filled"])
    (root / "filled" / "x").write_text("x")
    placeholders.release(held)
    assert sorted(path.name for path in root.iterdir()) == ["filled", "mine"] and list((root / "mine").iterdir()) == []


def test_the_last_of_several_removes(folder: str, root: Path) -> None:
    """Two calls at once: what one still relies on is not taken away from it."""
    first, second = placeholders.acquire(folder, str(root)), placeholders.acquire(folder, str(root))
    placeholders.make(first, [f"{root}/.git"])
    placeholders.release(first)
    assert (root / ".git").is_dir()
    assert f"{root}/.git" in placeholders.listed(second)
    placeholders.release(second)
    assert not (root / ".git").exists()


def test_no_link_on_the_way_is_followed(folder: str, root: Path, tmp_path: Path) -> None:
    """A command that runs beside could swap a folder for a link."""
    (tmp_path / "away").mkdir()
    (root / "d").symlink_to(tmp_path / "away")
    held = placeholders.acquire(folder, str(root))
    with pytest.raises(OSError):
        placeholders.make(held, [f"{root}/d/vendor"])
    (tmp_path / "away" / "empty").mkdir()
    os.write(held, os.fsencode(f"{root}/d/empty") + b"\0")
    placeholders.release(held)
    assert [path.name for path in (tmp_path / "away").iterdir()] == ["empty"]


def test_one_that_was_killed_holds_nothing_and_the_next_cleans_up(folder: str, root: Path) -> None:
    """kill -9, also of whoever would have cleaned up."""
    script = (
        "import sys, signal; sys.path.append(sys.argv[1]); from jp_tui.system.sandbox import placeholders as p;"
        "p.make(p.acquire(sys.argv[2], sys.argv[3]), [sys.argv[3] + '/.git']);"
        "print('made', flush=True); signal.pause()"
    )
    repository = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", script, repository, folder, str(root)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "made\n"
        placeholders.sweep(folder)
        assert (root / ".git").is_dir(), "it still lives"
        child.send_signal(signal.SIGKILL)
    placeholders.sweep(folder)
    assert not (root / ".git").exists() and os.listdir(folder) == []


def test_the_next_call_in_the_workspace_takes_it_over(folder: str, root: Path) -> None:
    held = placeholders.acquire(folder, str(root))
    placeholders.make(held, [f"{root}/.git"])
    os.close(held)
    again = placeholders.acquire(folder, str(root))
    assert f"{root}/.git" in placeholders.listed(again)
    placeholders.release(again)
    assert not (root / ".git").exists()


def test_a_lock_that_was_just_removed_is_no_lock(folder: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening its file and locking it, another call may have removed that file."""
    held = placeholders.acquire(folder, str(root))
    real = os.open
    removed: list[int] = []

    def opened(path: str, *more: object, **named: object) -> int:
        found = real(path, *more, **named)  # type: ignore[arg-type]
        if not removed and str(path).startswith(folder):
            removed.append(found)
            placeholders.release(held)
        return found

    monkeypatch.setattr(os, "open", opened)
    new = placeholders.acquire(folder, str(root))
    assert os.fstat(new).st_nlink == 1 and new != removed[0]
    placeholders.release(new)


def test_odd_names(folder: str, root: Path) -> None:
    held = placeholders.acquire(folder, str(root))
    name = os.fsdecode(b"a\nb\xff c")
    placeholders.make(held, [f"{root}/{name}"])
    assert os.path.isdir(f"{root}/{name}")
    placeholders.release(held)
    assert list(root.iterdir()) == []
