"""The runner of all child processes (traps.md T9, T10).

A child has its own session and process group, no terminal, /dev/null or given bytes as input, and an allow-listed
environment. Leftovers in its group, or in its session with one of our pipes, are ended with it; under a keeper
(`child_keeper.py`) everything it started, even if jp-tui is killed. Output and, on request, time are limited. No shell
interprets the command. The runner never waits for a pipe held by a grandchild and never blocks the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jp_tui.system import child_keeper
from jp_tui.system.paths import because
from jp_tui.system.pipes import Feed, Intake

_DRAIN = 0.2
_GRACE = 1.0
_KILLED = 5.0
_POLL = 0.02
_KEPT = ("PATH", "HOME", "LANG", "TZ", "TMPDIR")
_LEASH = (
    "/bin/sh",
    "-c",
    # the process that waits at the pipe is orphaned, so that no program finds a child that it never started
    'exec 3<&0 </dev/null; ( ( read -r _ <&3 || kill -KILL 0 ) >/dev/null 2>&1 & ); exec 3<&-; exec "$@"',
    "sh",
)
"""Fallback without `child_keeper.py`: run the command, and end its group (not processes that left it) when the pipe on
its stdin closes because jp-tui is gone."""
_KEEPER = "import sys; sys.path.append(sys.argv.pop(1)); from jp_tui.system.child_keeper import main; main()"
_FLOOD = 64
"""Default output limit factor: a child that writes this many times its output limit is ended."""


_Process = subprocess.Popen[bytes]


class ChildProblem(Exception):
    """The child couldn't start; the message names the program and the reason."""


@dataclass(frozen=True, slots=True)
class ChildExit:
    """End of a child.

    Exactly one of `status` and `signal` is set, unless the system never reported the end. `stdout` and `stderr` have at
    most `output_limit` bytes each, the beginning and the end; `dropped` counts the bytes missing between them.
    `timed_out`, `cancelled`, `flooded` tell why it was ended. Output is untrusted.
    """

    status: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    dropped: int
    timed_out: bool
    cancelled: bool
    flooded: bool
    ms: int

    @property
    def truncated(self) -> bool:
        """True if output is missing."""
        return self.dropped > 0

    @property
    def ok(self) -> bool:
        """True for a normal exit with status 0."""
        return self.status == 0 and not (self.timed_out or self.cancelled or self.flooded)


@dataclass(frozen=True, slots=True)
class ChildInputs:
    """Additional inputs of a child under a keeper: `descriptors`, with the same numbers, and a `lock` of
    `sandbox/placeholders.py`, released when no process is left. The caller closes them."""

    descriptors: tuple[int, ...] = ()
    lock: int = -1

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.descriptors, self.lock) if self.lock >= 0 else self.descriptors


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Form of keeping a child: `mode` is "" without a keeper."""

    mode: str
    given: ChildInputs


def child_environment(environment: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a child's environment: PATH, HOME, LANG, LC_*, TZ, TMPDIR; TERM=dumb; and `extra` (T10).

    Only absolute folders of PATH are kept, because a relative one would run programs of the workspace.
    """
    kept = {name: value for name, value in environment.items() if name in _KEPT or name.startswith("LC_")}
    folders = [folder for folder in kept.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    kept["PATH"] = os.pathsep.join(folders) or os.defpath
    return {**kept, "TERM": "dumb", **(extra or {})}


async def run(
    argv: Sequence[str],
    *,
    cwd: str | Path,
    stdin: bytes | socket.socket | None = None,
    timeout: float | None = None,
    output_limit: int = 1 << 20,
    flood: int | None = None,
    env_extra: Mapping[str, str] | None = None,
    cancel: asyncio.Event | None = None,
    heard: Callable[[bytes], None] | None = None,
    leashed: bool = False,
    lets_go: bool = False,
    given: ChildInputs | None = None,
    started: Callable[[int], None] | None = None,
) -> ChildExit:
    """Run a program to its end. Raises ChildProblem if it can't start. After `timeout` seconds, when `cancel` is set,
    or after more than `flood` bytes on an output (default: 64 times the limit; always the default for stderr), its
    group gets TERM and a second later KILL. If the caller is cancelled, the whole session is killed at once. `heard`
    receives stdout as it arrives.

    `leashed`: nothing it starts outlives it or jp-tui, however that ends; with `lets_go`, processes that left its group
    or session without our pipes continue after its normal end. (Outside Linux: only its group, and only without input;
    a missing program is then reported by a shell.)

    If `cancel` is set before the start, nothing starts: the result is `cancelled`, without status and signal. A socket
    as `stdin` is closed here once the child has it. `given` are further inputs of a child under a keeper.
    `started` gets the id of the process that leads it and everything it starts, once it runs.
    """
    began = time.monotonic()
    if cancel is not None and cancel.is_set():
        return ChildExit(None, None, b"", b"", 0, timed_out=False, cancelled=True, flooded=False, ms=0)
    most = output_limit * _FLOOD if flood is None else flood
    environment, keeps = (
        child_environment(os.environ, env_extra),
        (child_keeper.LETS_GO if lets_go else "all") if leashed else "",
    )
    child = _Child(argv, cwd, stdin, output_limit, most, environment, heard, _Keeping(keeps, given or ChildInputs()))
    try:
        if started is not None:
            started(child.pid)
        return await child.live(timeout, cancel, began)
    finally:
        child.close()


def _start(
    argv: Sequence[str], cwd: str | Path, stdin: int, env: dict[str, str], keeping: _Keeping
) -> tuple[_Process, socket.socket | None]:
    """Start the process; return it and our end of its control socket, if any."""
    if not argv:
        raise ChildProblem("there is no program to run")
    words, ours, theirs, keeps, given = list(argv), None, None, keeping.mode, keeping.given
    if keeps and child_keeper.works():
        ours, theirs = socket.socketpair()
        root = str(Path(__file__).parents[2])
        start = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _KEEPER, root, str(theirs.fileno()), keeps]
        words = [*start, str(given.lock), *argv]
    elif keeps:
        words = [*_LEASH, *argv]
    try:
        process = subprocess.Popen(
            words,
            bufsize=0,
            cwd=os.fspath(cwd),
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if theirs is None else (theirs.fileno(), *given.all),
        )
    except (ValueError, OSError) as error:
        if ours is not None:
            ours.close()
        raise _problem(argv, cwd, error) from error
    finally:
        if theirs is not None:
            theirs.close()
    return process, ours


def _problem(argv: Sequence[str], cwd: str | Path, error: ValueError | OSError) -> ChildProblem:
    if isinstance(error, ValueError):  # a NUL, or a lone surrogate
        return ChildProblem(f"{argv[0]!r} cannot be run: {error}")
    where = f" in {cwd}" if error.filename == os.fspath(cwd) else ""
    return ChildProblem(f"{argv[0]!r} cannot be run{where}: {because(error)}")


class _Child:
    """One process and its pipes, on the running loop. The leader is reaped last: until then its number can't be
    reused."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str | Path,
        stdin: bytes | socket.socket | None,
        limit: int,
        flood: int,
        env: dict[str, str],
        heard: Callable[[bytes], None] | None,
        keeping: _Keeping,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        by_shell = bool(keeping.mode) and stdin is None and not child_keeper.works()
        self._argv, self._cwd = argv, cwd
        keeping = keeping if by_shell or child_keeper.works() else _Keeping("", keeping.given)
        if isinstance(stdin, socket.socket):
            with stdin:
                self._process, self._leash = _start(argv, cwd, stdin.fileno(), env, keeping)
        else:
            reads = subprocess.DEVNULL if stdin is None and not by_shell else subprocess.PIPE
            self._process, self._leash = _start(argv, cwd, reads, env, keeping)
        self._session = self._process.pid
        self._ended = asyncio.Event()
        self._flooded = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._pidfd = self._watch()
        assert self._process.stdout is not None and self._process.stderr is not None
        self._out = Intake(self._loop, self._process.stdout, limit, flood, self._flooded, heard)
        self._err = Intake(self._loop, self._process.stderr, limit, limit * _FLOOD, self._flooded)
        self._swept = False
        self._feeding = None
        if self._process.stdin is not None and not by_shell:
            self._feeding = Feed(self._loop, self._process.stdin, stdin if isinstance(stdin, bytes) else b"")

    @property
    def pid(self) -> int:
        """The id of its leader."""
        return self._process.pid

    def _watch(self) -> int:
        """Return a descriptor that becomes readable when the leader ends, without reaping it; -1 if unsupported."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not Linux, or a sandbox: poll, which reaps
            self._look()
            return -1
        self._loop.add_reader(descriptor, self._leader_ended)
        return descriptor

    def _leader_ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._ended.set()

    def _look(self) -> None:
        if self._process.poll() is None:
            self._timer = self._loop.call_later(_POLL, self._look)
        else:
            self._ended.set()

    async def live(self, timeout: float | None, cancel: asyncio.Event | None, began: float) -> ChildExit:
        timed_out = cancelled = False
        if not await self._first_of(timeout, cancel):
            cancelled = cancel is not None and cancel.is_set()
            timed_out = not cancelled and not self._flooded.is_set()
            self._signal(signal.SIGTERM)
            if not await self._end(_GRACE):
                self._kill()
                await self._end(_KILLED)
        self._check()
        await self._out.drained(_DRAIN)
        await self._err.drained(0 if self._out.open else _DRAIN)  # both together have 0.2 s
        await self._sweep()
        self._swept = True
        code = self._process.returncode
        return ChildExit(
            status=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            stdout=self._out.kept(),
            stderr=self._err.kept(),
            dropped=self._out.dropped + self._err.dropped,
            timed_out=timed_out,
            cancelled=cancelled,
            flooded=self._flooded.is_set(),
            ms=round((time.monotonic() - began) * 1000),
        )

    async def _first_of(self, timeout: float | None, cancel: asyncio.Event | None) -> bool:
        """Wait for the leader's end; return False after a timeout, cancellation or flood."""
        end = asyncio.ensure_future(self._end(timeout))
        others = [asyncio.ensure_future(event.wait()) for event in (cancel, self._flooded) if event is not None]
        try:
            await asyncio.wait([end, *others], return_when=asyncio.FIRST_COMPLETED)
            return end.done() and end.result()
        finally:
            for task in (end, *others):
                task.cancel()

    async def _end(self, timeout: float | None) -> bool:
        """Return True if the leader ended in time."""
        try:
            async with asyncio.timeout(timeout):
                await self._ended.wait()
        except TimeoutError:
            return False
        return True

    async def _sweep(self) -> None:
        """End the rest of the group: TERM while the leader's number is surely valid, reap it, then KILL."""
        remains = self._out.open or self._err.open
        # a session with members keeps its number, so it is ours until it is empty
        session = self._session
        _kill(session, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0)
        if not remains and not _kill(session, 0):
            return
        until = time.monotonic() + _GRACE
        number = signal.SIGTERM
        told: set[int] = {session}
        while groups := living_groups(session):
            if time.monotonic() > until:
                number = signal.SIGKILL
                told = set()
            for group in groups - told:  # jobs of an interactive shell have their own groups
                _kill(group, number)
            told |= groups
            if number is signal.SIGKILL:
                return
            await asyncio.sleep(_POLL)

    def _signal(self, number: int) -> bool:
        return _kill(self._process.pid, number)

    def _kill(self) -> None:
        """Kill all of it; the keeper knows its members."""
        if self._leash is None:
            self._signal(signal.SIGKILL)
        else:
            self._leash.close()

    def _check(self) -> None:
        """Read the keeper's message. Raises ChildProblem if it couldn't run the command."""
        if self._leash is None or self._leash.fileno() < 0:
            return
        said = b""
        with contextlib.suppress(BlockingIOError, ConnectionError):
            said = self._leash.recv(64, socket.MSG_DONTWAIT)
        for line in said.splitlines():
            number = int(line[1:])
            if line.startswith(b"s"):
                self._session = number
            else:
                error = OSError(number, os.strerror(number))
                raise _problem(self._argv, self._cwd, error) from error

    def close(self) -> None:
        """Release everything; kill what is left of the session (50 ms at most)."""
        if self._leash is not None:
            self._leash.close()
        elif not self._swept:
            for group in living_groups(self._process.pid):
                _kill(group, signal.SIGKILL)
        if self._process.returncode is None:
            self._kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        if self._timer is not None:
            self._timer.cancel()
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
        self._out.close()
        self._err.close()
        if self._feeding is not None:
            self._feeding.close()
        # the shell's control pipe comes last: no process is left that it could end
        elif self._process.stdin is not None:
            self._process.stdin.close()


def _kill(group: int, number: int) -> bool:
    """Signal a process group; return True if it exists."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def living_groups(session: int) -> set[int]:
    """Return the process groups with a living member in this session; unreaped zombies don't count.

    Without /proc: the session's own group while the system knows it.
    """
    if sys.platform != "linux":
        return _known(session)
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return _known(session)
    found = (_state(number) for number in numbers)
    return {group for state, group, its_session in found if its_session == session and state not in "ZX"}


def _known(session: int) -> set[int]:
    try:
        os.killpg(session, 0)
    except OSError:
        return set()
    return {session}


def _state(number: str) -> tuple[str, int, int]:
    """Return state, group and session of a process; an ended one has none."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            # the name in parentheses may contain anything, also parentheses
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[2]), int(fields[3])
    except (OSError, IndexError, ValueError):
        return "X", 0, 0
