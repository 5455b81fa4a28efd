"""Worker processes that play many short runs: started together, waited for within bounds, and asked for their stacks
when they are silent.

A worker prints a line as often as it gets on. Both outputs are files, so that no process that it left behind can hold
us; it and all of its children say where they are, by `faulthandler`, when it prints nothing for `SILENCE` seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
SILENCE = 1.5 * LIMIT
"""Seconds without a line after which a worker hangs: more than its own limits come to for one run."""
ROOM = 256 << 20
"""Bytes of memory that are wanted free for what workers write."""
SAYS = 20.0
"""Seconds that stacks may take to be written."""
_WORDS = 12_000
_LOOK = 0.02


@dataclass(slots=True)
class Heard:
    """What a worker said, and how it ended badly, if it did: in words, with its stacks and what it wrote besides."""

    results: list[dict[str, Any]] = field(default_factory=list)
    wrong: str = ""


def played(module: str, jobs: Sequence[Sequence[object]], silence: float = SILENCE) -> list[Heard]:
    """`python -m module WORDS…` for each of `jobs` at once, to their end; one that is silent for too long is killed."""
    with contextlib.ExitStack() as files:
        temporary = [[files.enter_context(tempfile.TemporaryFile()) for _ in range(2)] for _ in jobs]
        running = [
            _Worker(out, err, module, [str(word) for word in words])
            for (out, err), words in zip(temporary, jobs, strict=True)
        ]
        try:
            while any(one.goes_on(silence) for one in running):
                time.sleep(_LOOK)
        finally:
            for one in running:
                one.end()
        return [one.heard() for one in running]


class _Worker:
    def __init__(self, out: IO[bytes], err: IO[bytes], module: str, words: list[str]) -> None:
        self._out, self._err = out, err
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
        )
        self._size, self._spoke, self._hung = 0, time.monotonic(), ""

    def goes_on(self, silence: float) -> bool:
        """Whether it works still; asks one that is silent where it is, and ends it."""
        if self._process.poll() is not None:
            return False
        now, size = time.monotonic(), os.fstat(self._out.fileno()).st_size
        if size != self._size:
            self._size, self._spoke = size, now
        elif now - self._spoke > (silence if size else max(silence, SILENCE)):  # to start takes its time
            family = [self._process.pid, *descendants(self._process.pid)]
            self._hung = f"said nothing for {silence:.0f} s; processes: " + "; ".join(map(named, family))
            for pid in family:
                stacks_of(pid, self._err.fileno())
            self.end()
            return False
        return True

    def end(self) -> None:
        """Kill it and all that it started, if it is still there."""
        if self._process.poll() is None:
            for pid in [*descendants(self._process.pid), self._process.pid]:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait(LIMIT)

    def heard(self) -> Heard:
        """All that it said; a line that was cut was not said."""
        said = [line for line in _read(self._out).split("\n")[:-1] if line]
        found = Heard([json.loads(line) for line in said])
        if self._process.returncode or self._hung or any(one.get("found") for one in found.results):
            found.wrong = f"the worker ended with {self._process.returncode}; " if self._process.returncode else ""
            found.wrong += f"{self._hung}\n{_read(self._err)[-_WORDS:]}"
        return found


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def memory() -> str | None:
    """A folder in memory, for what needs no disk; None, for the usual one, where there is too little of it, as in some
    containers."""
    with contextlib.suppress(OSError):
        room = os.statvfs("/dev/shm")
        if os.access("/dev/shm", os.W_OK) and room.f_bavail * room.f_frsize >= ROOM:
            return "/dev/shm"
    return None


def answers_with_stacks() -> None:
    """From now on this process, and each that it forks, writes where its threads are when SIGUSR1 comes: to the error
    output of now, whatever becomes of that."""
    faulthandler.register(signal.SIGUSR1, file=os.fdopen(os.dup(2), "w"), all_threads=True)


def stacks_of(pid: int, into: int = 2) -> None:
    """Let a process say where its threads are, after a line that names it, in the file `into`. One that does not
    `answers_with_stacks` is only named."""
    os.write(into, f"\n== where {named(pid)} is\n".encode())
    with contextlib.suppress(OSError, IndexError, ValueError):
        status = Path(f"/proc/{pid}/status").read_text()
        takes = int(status.partition("SigCgt:")[2].split()[0], 16)
        if not takes >> signal.SIGUSR1 - 1 & 1:
            return
        size = os.fstat(into).st_size
        os.kill(pid, signal.SIGUSR1)
        until = time.monotonic() + SAYS
        while time.monotonic() < until and os.fstat(into).st_size == size:
            time.sleep(_LOOK)
        time.sleep(0.1)  # the rest of it


def waiting() -> list[str]:
    """What the tasks of this process wait for, which no thread's stack tells: a chain of places for each."""
    chains = []
    for task in gc.get_objects():
        if isinstance(task, asyncio.Task) and not task.done():
            places, at = [], task.get_coro()
            while (frame := getattr(at, "cr_frame", None) or getattr(at, "gi_frame", None)) is not None:
                places.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
                at = getattr(at, "cr_await", None) or getattr(at, "gi_yieldfrom", None)
            chains.append(" > ".join(places))
    return sorted(chains)


def named(pid: int) -> str:
    """Its number, its state and its command, as the system knows them."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return f"{pid} (gone)"
    return f"{pid} ({state}) {words[-200:]}"


def descendants(pid: int) -> list[int]:
    """The processes that one has started, and those that these have started; whoever a subreaper took over, too."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(folder.name))
    found, left = list[int](), [pid]
    while left:
        left += (children := parents.get(left.pop(), []))
        found += children
    return found


def _hang(into: int, says: bytes) -> None:
    os.write(into, says)  # here: who reads it finds us here
    time.sleep(600)


if __name__ == "__main__":  # a worker that hangs, with a child that does, for the test of this
    answers_with_stacks()
    there, into = os.pipe()
    if os.fork() == 0:
        _hang(into, b"there")
    os.read(there, 5)
    _hang(1, b'{"run": 1}\n')
