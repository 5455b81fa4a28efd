"""One writer per conversation: the lock names its holder and dies with it (surface.md S12)."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jp_tui.system.lock import UNKNOWN, FileLock, Holder, LockError, acquire, holder, lock_path

PROJECT = Path(__file__).parents[2]
ME = Holder.me("jp-tui", "2026-03-05 21:21:16.7")
HOLD = """
import subprocess, sys
from pathlib import Path
from jp_tui.system.lock import Holder, FileLock, acquire
lock = acquire(Path(sys.argv[1]), Holder.me("jp-tui query", "2026-01-01 00:00:00.0"))
assert isinstance(lock, FileLock), lock
grandchild = subprocess.Popen(["sleep", "60"], close_fds=False)
print(grandchild.pid, flush=True)
sys.stdin.read()
"""


def test_it_names_the_holder_and_is_let_go(tmp_path: Path) -> None:
    path = lock_path(tmp_path / "locks", "c1")
    assert holder(path) is None
    lock = acquire(path, ME)
    assert isinstance(lock, FileLock)
    assert holder(path) == ME and acquire(path, ME) == ME
    assert "jp-tui (process" in str(holder(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lock.release()
    lock.release()
    assert holder(path) is None
    with acquire(path, ME) as again:  # type: ignore[union-attr]
        assert isinstance(again, FileLock)
    assert holder(path) is None


def test_the_holders_death_frees_it_even_with_children_left(tmp_path: Path) -> None:
    """The descriptor is not inherited: a tool that outlives us holds nothing."""
    path = lock_path(tmp_path, "c1")
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    try:
        found = acquire(path, ME)
        assert isinstance(found, Holder)
        assert (found.pid, found.command) == (child.pid, "jp-tui query")
        child.send_signal(signal.SIGKILL)
        child.wait()
        lock = acquire(path, ME)
        assert isinstance(lock, FileLock)
        assert holder(path) == ME
        lock.release()
    finally:
        os.kill(grandchild, signal.SIGKILL)
        child.communicate()


def test_only_one_of_many_gets_it_and_lookers_do_no_harm(tmp_path: Path) -> None:
    path = lock_path(tmp_path, "c1")
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            holder(path)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(50):
            gate = threading.Barrier(4)
            results: list[FileLock | Holder] = []

            def attempt(gate: threading.Barrier = gate, results: list[FileLock | Holder] = results) -> None:
                gate.wait()
                results.append(acquire(path, ME))

            threads = [threading.Thread(target=attempt) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            locks = [one for one in results if isinstance(one, FileLock)]
            assert len(locks) == 1
            assert all(one in (ME, UNKNOWN) for one in results if isinstance(one, Holder))
            locks[0].release()
    finally:
        stop.set()
        looker.join()


def test_a_deleted_file_is_not_mistaken_for_the_lock(tmp_path: Path) -> None:
    path = lock_path(tmp_path, "c1")
    old = acquire(path, ME)
    path.unlink()
    new = acquire(path, ME)
    assert isinstance(old, FileLock) and isinstance(new, FileLock)
    assert holder(path) == ME
    old.release()
    assert holder(path) == ME
    new.release()


@pytest.mark.parametrize("junk", [b"", b"{", b"[1]", b'{"pid": "x"}', b"\xff" * 9000, b"[" * 9000])
def test_what_stands_in_the_file_is_not_trusted(tmp_path: Path, junk: bytes) -> None:
    path = lock_path(tmp_path, "c1")
    lock = acquire(path, ME)
    path.write_bytes(junk)
    assert holder(path) == acquire(path, ME) == UNKNOWN
    assert str(UNKNOWN) == "another process"
    assert isinstance(lock, FileLock)
    lock.release()


def test_a_system_without_locks_is_never_taken_for_unlocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-018."""

    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = lock_path(tmp_path, "c1")
    with pytest.raises(LockError, match="No locks available"):
        acquire(path, ME)
    with pytest.raises(LockError, match=r"c1\.lock"):
        holder(path)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a\0b", "n" * 300])
def test_an_id_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LockError):
        lock_path(tmp_path, name)
