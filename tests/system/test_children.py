"""Child processes: their end, their output, their environment (traps.md T9, T10)."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.system.children import ChildExit, ChildProblem, child_environment, run
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]


@pytest.fixture(params=["pidfd", "asking"], autouse=True)
def watch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test runs with a pidfd and without one, as on other systems."""
    if request.param == "asking":
        monkeypatch.delattr(os, "pidfd_open")
    return str(request.param)


async def sh(script: str, tmp_path: Path, **named: object) -> ChildExit:
    return await run(["/bin/sh", "-c", script], cwd=tmp_path, **named)  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has fetched yet does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


async def until(fact: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT):
        while not fact():  # noqa: ASYNC110  other processes set no event of ours
            await asyncio.sleep(0.005)


async def until_dead(pid: int) -> None:
    await until(lambda: not alive(pid))


async def test_status_and_both_outputs(tmp_path: Path) -> None:
    done = await sh("echo out; echo err >&2; pwd; exit 3", tmp_path)
    assert (done.status, done.signal, done.ok, done.truncated) == (3, None, False, False)
    assert done.stdout == f"out\n{tmp_path}\n".encode() and done.stderr == b"err\n"
    assert (await sh("true", tmp_path)).ok


async def test_death_by_signal(tmp_path: Path) -> None:
    done = await sh("kill -SEGV $$", tmp_path)
    assert (done.status, done.signal) == (None, signal.SIGSEGV)


async def test_input_is_given_or_empty(tmp_path: Path) -> None:
    """SHELL-089: without given bytes a reader is at the end at once."""
    data = os.urandom(300_000)
    assert (await run(["cat"], cwd=tmp_path, stdin=data)).stdout == data
    assert (await run(["cat"], cwd=tmp_path, stdin=b"")).stdout == b""
    assert (await sh("read x; echo [$x]", tmp_path)).stdout == b"[]\n"
    assert (await run(["true"], cwd=tmp_path, stdin=data)).ok


async def test_a_background_child_that_holds_the_pipe_does_not_hold_us(tmp_path: Path) -> None:
    """T9: asyncio's own communicate() waits for it for ever."""
    done = await sh("sleep 300 & echo $!", tmp_path)
    assert done.status == 0
    await until_dead(int(done.stdout))


async def test_what_is_left_in_the_group_is_ended_even_if_it_ignores_term(tmp_path: Path) -> None:
    script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 300; done' >pid 2>&1 </dev/null & "
    done = await sh(script + "while [ ! -s pid ]; do :; done", tmp_path)
    assert done.ok
    await until_dead(int((tmp_path / "pid").read_text()))


async def test_jobs_with_groups_of_their_own_are_ended_too(tmp_path: Path) -> None:
    """A shell with job control gives each job a group; the session is still ours."""
    done = await sh("set -m; sleep 300 & echo $!", tmp_path)
    assert done.ok
    await until_dead(int(done.stdout))


async def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    done = await sh("sleep 300 & echo $!; wait", tmp_path, timeout=0.3)
    assert done.timed_out and done.signal == signal.SIGTERM and not done.ok
    await until_dead(int(done.stdout))


async def test_kill_follows_term(tmp_path: Path) -> None:
    """SHELL-082."""
    done = await sh("trap '' TERM; echo ready; while :; do sleep 300; done", tmp_path, timeout=0.3)
    assert done.timed_out and done.signal == signal.SIGKILL and done.stdout == b"ready\n"


async def test_called_off(tmp_path: Path) -> None:
    cancel = asyncio.Event()
    task = asyncio.create_task(sh("echo $$ >pid; sleep 300", tmp_path, cancel=cancel))
    await until((tmp_path / "pid").exists)
    cancel.set()
    done = await task
    assert done.cancelled and not done.timed_out and done.signal == signal.SIGTERM


async def test_a_cancelled_task_leaves_no_process(tmp_path: Path) -> None:
    task = asyncio.create_task(sh("trap '' TERM; sleep 300 & echo $! >pid; wait", tmp_path))
    await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_dead(int((tmp_path / "pid").read_text()))


async def test_a_cancelled_task_leaves_no_job_of_the_session(tmp_path: Path) -> None:
    """Jobs with groups of their own, also while what they left behind is being ended."""
    for script in (
        "set -m; sleep 300 & echo $! >pid; wait",
        "set -m; sh -c 'trap \"\" TERM; sleep 300' & echo $! >pid",
    ):
        task = asyncio.create_task(sh(script, tmp_path))
        await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until_dead(int((tmp_path / "pid").read_text()))
        (tmp_path / "pid").unlink()


async def test_a_flood_may_begin_at_the_limit(tmp_path: Path) -> None:
    """What is not to be cut is ended at once; the other output keeps its own measure."""
    done = await sh("head -c 10001 /dev/zero; sleep 300", tmp_path, output_limit=10_000, flood=10_000)
    assert done.flooded and not done.ok
    done = await sh("head -c 10000 /dev/zero; head -c 20000 /dev/zero >&2", tmp_path, output_limit=10_000, flood=10_000)
    assert done.ok and len(done.stdout) == 10_000 and done.dropped == 10_000


async def test_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('a' * 5000 + 'x' * 300000 + 'z' * 5000); sys.stderr.write('e' * 10)"
    done = await run([sys.executable, "-c", code], cwd=tmp_path, output_limit=10_000)
    assert done.stdout == b"a" * 5000 + b"z" * 5000
    assert done.stderr == b"e" * 10 and done.dropped == 300_000 and done.truncated and done.ok


@pytest.mark.parametrize("size", [0, 1, 9_999, 10_000, 10_001, 75_537, 140_000])
async def test_output_at_every_size_adds_up(tmp_path: Path, size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    done = await run(["cat"], cwd=tmp_path, stdin=data, output_limit=10_000)
    assert len(done.stdout) + done.dropped == size
    assert done.stdout == (data if size <= 10_000 else data[:5000] + data[-5000:])


async def test_a_flood_is_ended(tmp_path: Path) -> None:
    """SHELL-087: memory stays bounded and the child is killed long before any timeout."""
    done = await run(["yes"], cwd=tmp_path, output_limit=10_000, timeout=LIMIT)
    assert done.flooded and not done.timed_out and not done.ok and len(done.stdout) == 10_000


async def test_the_environment_is_an_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10: keys and whatever else we know stay with us."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("TERM", "xterm-kitty")
    done = await run(["env"], cwd=tmp_path, env_extra={"GIT_OPTIONAL_LOCKS": "0"})
    found = dict(line.split("=", 1) for line in done.stdout.decode().splitlines())
    allowed = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM", "GIT_OPTIONAL_LOCKS"}
    assert not [name for name in found if name not in allowed and not name.startswith("LC_")]
    assert (found["TERM"], found["LC_TIME"], found["GIT_OPTIONAL_LOCKS"]) == ("dumb", "C", "0")
    assert child_environment({}) == {"PATH": os.defpath, "TERM": "dumb"}


def test_programs_come_from_absolute_folders_only() -> None:
    """Any other would be a folder of the workspace that we run in."""
    assert child_environment({"PATH": ".:/a::bin:/b:"})["PATH"] == "/a:/b"
    assert child_environment({"PATH": "."})["PATH"] == os.defpath


async def test_no_terminal_and_a_session_of_its_own(tmp_path: Path) -> None:
    """SHELL-090: a password prompt cannot reach the user's terminal, though we have one."""
    code = (
        "import asyncio, sys\n"
        "open('/dev/tty').close()\n"
        "from jp_tui.system.children import run\n"
        "done = asyncio.run(run(['/bin/sh', '-c', '(: </dev/tty) 2>/dev/null && echo tty || echo none'], cwd='/'))\n"
        "sys.stderr.write(done.stdout.decode())\n"
    )
    ours, theirs = pty.openpty()

    def adopt() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    try:
        process = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", code],
            cwd=PROJECT,
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            preexec_fn=adopt,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert process.stderr == b"none\n"
    own = await run([sys.executable, "-c", "import os; print(os.getpid(), os.getpgid(0), os.getsid(0))"], cwd="/")
    assert len(set(own.stdout.split())) == 1


@pytest.mark.parametrize("argv", [[], ["no-such-program-here"], ["./not-executable"], ["a\0b"], ["/"]])
async def test_what_cannot_be_started_is_said(tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "not-executable").write_text("")
    with pytest.raises(ChildProblem):
        await run(argv, cwd=tmp_path)
    with pytest.raises(ChildProblem, match="none"):
        await run(["true"], cwd=tmp_path / "none")


async def test_many_at_once_leave_nothing_open(tmp_path: Path) -> None:
    await sh("true", tmp_path)
    before = len(os.listdir("/dev/fd"))
    done = await asyncio.gather(*(sh(f"sleep 0.05; echo {number}", tmp_path) for number in range(20)))
    assert [int(one.stdout) for one in done] == list(range(20))
    assert len(os.listdir("/dev/fd")) == before


async def test_the_loop_is_never_held(tmp_path: Path, watch: str) -> None:
    """While a child floods and dies, a neighbour on the loop is woken all along."""
    gaps: list[float] = []

    async def neighbour() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()  # what the loop worked meanwhile
            gaps.append(now - last)
            last = now

    task = asyncio.create_task(neighbour())
    await run(["yes"], cwd=tmp_path, output_limit=1_000_000, timeout=LIMIT)
    task.cancel()
    assert len(gaps) > 10 and sorted(gaps)[len(gaps) // 2] < 0.1
