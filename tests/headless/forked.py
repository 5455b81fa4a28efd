"""The program without a screen, forked from a process that has imported it: a start in a twentieth of the time.

What is run is `main` with its own words, environment, streams, signals and end, in a process of its own. How Python
starts and takes itself apart, what is imported and what a closed stream does to that is not proven this way: those
tests start `python -m jp_tui`, as do all with a guardian. One server for each process that asks; it ends with it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("startup", "headless", "engine", "link", "providers", "tools", "journal", "settings", "system")
HEAVY = ("httpx", "tomlkit", "jinja2")
"""What they import where it is used."""
KILLED_AT = "TESTS_KILLED_AT"
"""Variable of a program that kills itself before or after one of its commits: `before 2`, `after 1`."""
CLOCK = "TESTS_CLOCK"
"""Variable of a worker whose schedules follow the clock in this file (`tests/fakes/clock.py`)."""
HEAD = 8
"""Bytes that say how long a request is."""
ENDS = 10.0
"""Seconds for which somebody who had to be killed is waited for."""


class Forked:
    """A running program, with what `subprocess.Popen` has. Each stream is a descriptor, PIPE or DEVNULL; with
    `terminal` its input is its controlling terminal, in a session of its own."""

    def __init__(
        self,
        words: list[str],
        *,
        env: dict[str, str],
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        terminal: bool = False,
    ) -> None:
        self.args = words
        self.returncode: int | None = None
        self._lent: list[int] = []
        given, self.stdin = self._stream(stdin, "wb")
        taken, self.stdout = self._stream(stdout, "rb")
        said, self.stderr = self._stream(stderr, "rb")
        self._told, tells = os.pipe()
        _ask({"words": words, "env": env, "terminal": terminal}, [given, taken, said, tells])
        for one in (*self._lent, tells):
            os.close(one)
        self._rest = b""
        self.pid = self._hear(None)

    def _stream(self, wanted: int, mode: str) -> tuple[int, IO[bytes] | None]:
        if wanted == subprocess.PIPE:
            reads, writes = os.pipe()
            theirs, ours = (reads, writes) if mode == "wb" else (writes, reads)
            self._lent.append(theirs)
            return theirs, os.fdopen(ours, mode)
        if wanted == subprocess.DEVNULL:
            wanted = os.open(os.devnull, os.O_RDWR)
            self._lent.append(wanted)
        return wanted, None

    def _hear(self, timeout: float | None) -> int:
        """The next number from whoever looks after it: its id, then how it ended."""
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._rest:
            left = None if end is None else max(end - time.monotonic(), 0)
            if not select.select([self._told], [], [], left)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            data = os.read(self._told, 64)
            assert data, "nobody looks after it any more"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return int(line)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(self._hear(timeout))
            os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and whoever looks after it is about to say so
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Give all of its input, take all that it says, and wait for its end."""
        end = time.monotonic() + timeout
        streams = {stream.fileno(): stream for stream in (self.stdout, self.stderr) if stream is not None}
        said = dict.fromkeys(streams, b"")
        entry = self.stdin.fileno() if self.stdin is not None else -1
        while streams or entry >= 0:
            writes = [entry] if entry >= 0 and given else []
            if entry >= 0 and not given:
                assert self.stdin is not None
                self.stdin.close()
                entry = -1
                continue
            left = end - time.monotonic()
            readable, writable, _ = select.select(list(streams), writes, [], max(left, 0))
            if not readable and not writable:
                raise subprocess.TimeoutExpired(self.args, timeout)
            for number in readable:
                data = os.read(number, 1 << 16)
                said[number] += data
                if not data:
                    streams.pop(number)
            if writable:
                try:
                    given = given[os.write(entry, given[: select.PIPE_BUF]) :]
                except BrokenPipeError:
                    given = b""
        self.wait(max(end - time.monotonic(), 0))
        out, err = said.values()
        return out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        if error is not None:
            self.kill()
        self.wait(ENDS if error is not None else None)


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-m", "tests.headless.forked", str(theirs.fileno())]
    subprocess.Popen(words, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    return ours


def _ask(request: dict[str, Any], streams: list[int]) -> None:
    data = json.dumps(request).encode(errors="surrogateescape")
    socket.send_fds(_server(), [len(data).to_bytes(HEAD)], streams)
    _server().sendall(data)


# --- the server ------------------------------------------------------------------------------------------------


def _imported() -> None:
    """All that the program may import without a screen, but what only its children do."""
    for name in HEAVY:
        importlib.import_module(name)
    for room in ROOMS:
        package = importlib.import_module(f"jp_tui.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.startswith(("jp_tui.journal.postgres", "jp_tui.headless.mcp_serve")):
                continue  # what they import is an extra
            if found.name not in ("jp_tui.engine.schema_check.worker", "jp_tui.startup.workspace"):
                importlib.import_module(found.name)


def _become(request: dict[str, Any], streams: list[int]) -> list[str]:
    """In the program's process: what a fresh start would find. Its words."""
    if request["terminal"]:
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for number, stream in enumerate(streams[:3]):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        raw, old = open(number, "rb" if name == "stdin" else "wb", closefd=False), getattr(sys, name)  # noqa: SIM115
        made = io.TextIOWrapper(raw, old.encoding, old.errors, line_buffering=name == "stderr" or raw.isatty())
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)
    sys.argv = [str(ROOT / "jp_tui" / "__main__.py"), *request["words"]]
    return list(request["words"])


def _kept(request: dict[str, Any], streams: list[int]) -> list[str] | None:
    """In a process of its own, which looks after the program: says its id and how it ended. Returns in the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    program = os.fork()
    if not program:
        return _become(request, streams)
    tells = streams[3]
    for number in (0, 1, 2, *streams[:3]):
        os.close(number)
    os.write(tells, b"%d\n" % program)
    os.write(tells, b"%d\n" % os.waitpid(program, 0)[1])
    os._exit(0)


def serve(connection: socket.socket) -> list[str] | None:
    """Fork for each request, to the end of them; returns the program's words where it is to be the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        head, streams, _, _ = socket.recv_fds(connection, HEAD, 4)
        if not head:
            return None
        data = b""
        while len(data) < int.from_bytes(head):
            data += connection.recv(1 << 16)
        if not os.fork():
            connection.close()
            return _kept(json.loads(data), streams)
        for one in streams:
            os.close(one)


def _ended(status: int) -> None:
    """The last step of an end: all but taking each module apart, which takes longer than most programs run. Where
    output can't be written, Python has its own way to say so."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    endings = ExitStack()
    atexit.register(endings.close)  # before those of whatever is imported, so that it is called after them
    _imported()
    from jp_tui.main import main

    gc.collect()
    gc.freeze()
    wanted = serve(socket.socket(fileno=int(sys.argv[1])))
    if wanted is not None and (moment := os.environ.pop(KILLED_AT, "")):
        from tests.faults.kills_player import Kill, Told, watch_commits

        word, _, number = moment.partition(" ")
        watch_commits(Told(os.open(os.devnull, os.O_WRONLY)), Kill(int(number), word == "before"))
    if wanted is not None and (file := os.environ.pop(CLOCK, "")):
        from tests.fakes.clock import follow

        follow(file)
    status = 0 if wanted is None else main(wanted)
    endings.callback(_ended, status)
    sys.exit(status)
