"""Run a command in a verified sandbox, or not at all (Z18).

Bubblewrap makes the mounts and starts a shell, which waits. Its mount table is compared with the plan from outside;
only then does the shell read GO and become the command. The content of the plan is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jp_tui.system.children import ChildExit, ChildInputs, run
from jp_tui.system.paths import PathsError, private_folder, private_open
from jp_tui.system.sandbox import verify
from jp_tui.system.sandbox.command import GO, READY, Bubblewrap, limited, most_processes, options
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem
from jp_tui.system.sandbox.syscalls import filtered

_NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Box:
    """Planned sandbox: `nothing` is an empty private file (see `empty_file`), `lock` as in `children.ChildInputs`."""

    bubblewrap: Bubblewrap
    mounts: tuple[Mount, ...]
    cwd: str
    nothing: str
    network: bool = False
    lock: int = -1


def empty_file(folder: Path) -> str:
    """Return an empty file in a private folder, shown in place of masked files. Raises SandboxProblem if that fails."""
    path = folder / _NOTHING
    try:
        private_folder(folder)
        descriptor = private_open(path, os.O_RDONLY | os.O_CREAT)
        try:
            if os.fstat(descriptor).st_size:
                raise SandboxProblem(f"{path} must be an empty file. Remove it.")
        finally:
            os.close(descriptor)
    except (OSError, PathsError) as error:
        raise SandboxProblem(f"It needs an empty file at {path}: {error}.") from error
    return os.path.realpath(path)


async def run_inside(
    box: Box,
    argv: Sequence[str],
    *,
    timeout: float | None,
    output_limit: int,
    flood: int | None = None,
    cancel: asyncio.Event | None = None,
    heard: Callable[[bytes], None] | None = None,
) -> ChildExit:
    """As `children.run` under a keeper. Raises SandboxProblem if the sandbox didn't match the plan; nothing has run
    then. Raises ChildProblem if bubblewrap can't start."""
    words = options(box.bubblewrap, box.mounts, box.cwd, box.nothing, network=box.network)
    calls = filtered(os.uname().machine)
    host = verify.own_mounts()
    ours, theirs = socket.socketpair()
    stop = cancel or asyncio.Event()
    with ours, contextlib.ExitStack() as held:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        ours.setblocking(False)
        descriptors = []
        if calls:
            descriptors.append(held.enter_context(_memory(calls)))
            words += ["--seccomp", str(descriptors[0])]
        descriptors.append(held.enter_context(_memory(b"".join(os.fsencode(word) + b"\0" for word in words))))
        start = [box.bubblewrap.program, "--args", str(descriptors[-1]), "--"]
        gate = _Gate(ours, box, host, stop, filtered=bool(calls))
        opening = asyncio.ensure_future(gate.open())
        try:
            done = await run(
                [*start, *limited(argv, most_processes(), gate=True)],
                cwd="/",
                stdin=theirs,
                timeout=timeout,
                output_limit=output_limit,
                flood=flood,
                env_extra={"TMPDIR": "/tmp"},
                cancel=stop,
                heard=heard,
                leashed=True,
                given=ChildInputs(tuple(descriptors), box.lock),
            )
        finally:
            theirs.close()
            opening.cancel()
    if gate.opened or (done.cancelled and not gate.problem) or done.timed_out:
        return done
    raise SandboxProblem(gate.problem or _exit_text(done))


class _Gate:
    """Waits until the shell in the sandbox is ready, verifies what it can reach, and lets it continue."""

    def __init__(
        self, ours: socket.socket, box: Box, host: dict[str, verify.Mounted], stop: asyncio.Event, *, filtered: bool
    ) -> None:
        self._ours, self._box, self._host, self._stop, self._filtered = ours, box, host, stop, filtered
        self.opened = False
        self.problem = ""

    async def open(self) -> None:
        process = await self._ready()
        if process is None:
            return
        try:
            self.problem = verify.broken_promise(
                verify.read_state(process), self._box.mounts, self._host, self._box.nothing,
                network=self._box.network, filtered=self._filtered,
            )  # fmt: skip
        except SandboxProblem as problem:
            self.problem = str(problem)
        if self.problem:
            self._stop.set()
        elif not self._stop.is_set():  # otherwise it was cancelled meanwhile (Z19)
            self.opened = True
            self._ours.send(GO)

    async def _ready(self) -> int | None:
        """Return the id of the ready process according to the kernel; None if there is none."""
        loop, said, process = asyncio.get_running_loop(), b"", 0
        while said != READY:
            await _readable(loop, self._ours)
            data, extra, _, _ = self._ours.recvmsg(len(READY) - len(said), socket.CMSG_SPACE(12))
            if not data:
                return None
            said += data
            for level, kind, value in extra:
                if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                    process = struct.unpack("3i", value[:12])[0]
        return process or None


async def _readable(loop: asyncio.AbstractEventLoop, ours: socket.socket) -> None:
    there = loop.create_future()

    def arrived() -> None:
        if not there.done():
            there.set_result(None)

    loop.add_reader(ours, arrived)
    try:
        await there
    finally:
        loop.remove_reader(ours)


def _exit_text(done: ChildExit) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines:
        return f"{lines[-1][:300]}."
    return f"It ended early, with {'signal' if done.signal else 'status'} {done.signal or done.status}."


@contextlib.contextmanager
def _memory(data: bytes) -> Iterator[int]:
    """Return a descriptor of a file in memory with this data."""
    descriptor = os.memfd_create("sandbox")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
