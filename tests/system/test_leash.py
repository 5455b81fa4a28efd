"""Commands on a leash: none outlasts us, whatever kills us, and a command does not notice (issue 8, lines 3 and 9)."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.system import child_keeper, children
from jp_tui.system.children import ChildExit, ChildProblem, run
from tests.faults.terminal import descendants
from tests.limits import LIMIT
from tests.system.test_children import PROJECT, alive, until

ours = pytest.mark.skipif(
    not child_keeper.works(), reason="only Linux lets a process take over what others leave behind"
)

_HOLDER = """
import asyncio, sys
from jp_tui.system.children import run
asyncio.run(run(["/bin/sh", "-c", sys.argv[1]], cwd=sys.argv[2], leashed=True))
"""


async def _leashed(script: str, cwd: Path, **named: object) -> ChildExit:
    return await run(["/bin/sh", "-c", script], cwd=cwd, leashed=True, **named)  # type: ignore[arg-type]


@pytest.fixture(params=["ours", "shell"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a keeper of our own, and with a shell, as on other systems."""
    if request.param == "shell":
        monkeypatch.setattr(child_keeper, "works", lambda: False)
    elif not child_keeper.works():
        pytest.skip("not here")
    return str(request.param)


@pytest.mark.parametrize("left", ["sleep 600 &", pytest.param("setsid sleep 600 &", marks=ours)])
async def test_nothing_outlasts_a_program_that_was_killed(tmp_path: Path, left: str) -> None:
    """kill -9: nobody is left to end the command, so it is ended by its keeper, with what ignores TERM and with what
    went into a session of its own."""
    script = f"trap '' TERM; {left} echo $$ $! > made; mv made pids; sleep 600; sleep 600"
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, script, str(tmp_path), cwd=PROJECT, start_new_session=True
    )
    pids: list[int] = []
    try:
        await until((tmp_path / "pids").exists)
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert all(map(alive, pids))
        os.kill(holder.pid, signal.SIGKILL)
        await holder.wait()
        await until(lambda: not any(map(alive, pids)))
    finally:
        if holder.returncode is None:
            holder.kill()
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGKILL)


async def test_a_command_on_a_leash_is_as_any_other(tmp_path: Path, kind: str) -> None:
    """No input, its own words, its own status, no child that it never started, nothing open that is ours."""
    done = await _leashed('cat; echo "$0" "$1"; exit 7', tmp_path)
    assert (done.status, done.stdout) == (7, b"/bin/sh \n")
    done = await run(["printf", "%s|", "a b", "$x", "'"], cwd=tmp_path, leashed=True)
    assert done.stdout == b"a b|$x|'|"
    asks = "import os\ntry:\n os.wait()\nexcept ChildProcessError:\n print('none', sorted(os.listdir('/dev/fd'))[:4])"
    done = await run([sys.executable, "-c", asks], cwd=tmp_path, leashed=True)
    assert done.stdout == b"none ['0', '1', '2', '3']\n"  # 3: the folder that it lists
    done = await _leashed("kill -SEGV $$", tmp_path)
    assert done.signal == signal.SIGSEGV


async def test_its_time_and_its_end_hold(tmp_path: Path, kind: str) -> None:
    done = await _leashed("sleep 600 & sleep 600", tmp_path, timeout=0.3)
    assert done.timed_out and done.signal == signal.SIGTERM
    before = len(os.listdir("/dev/fd"))
    done = await _leashed("sleep 600 & echo $!", tmp_path)
    assert done.status == 0 and not alive(int(done.stdout))
    assert len(os.listdir("/dev/fd")) == before


@ours
async def test_what_it_left_is_ended_with_it_wherever_it_went(tmp_path: Path) -> None:
    """A session of its own, a parent that has ended, and no pipe of ours: the command's end is its end."""
    script = "(setsid sh -c 'trap \"\" TERM; echo $$; exec >/dev/null 2>&1; while :; do sleep 1; done' &)"
    done = await _leashed(f"{script}; sleep 0.1", tmp_path)
    assert done.status == 0 and done.stdout and not alive(int(done.stdout))


@ours
async def test_one_that_ignores_term_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    script = "trap '' TERM; setsid sh -c 'echo $$; sleep 600; sleep 600'; sleep 600"
    done = await _leashed(script, tmp_path, timeout=0.3)
    assert done.timed_out and done.signal == signal.SIGKILL and not alive(int(done.stdout))


@ours
async def test_one_that_is_called_off_is_gone_with_all_that_it_started(tmp_path: Path) -> None:
    script = "setsid sh -c 'echo $$ > made; mv made pid; sleep 600'"
    task = asyncio.create_task(_leashed(script, tmp_path))
    await until((tmp_path / "pid").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not alive(int((tmp_path / "pid").read_text())))


@ours
async def test_it_can_be_given_input_and_says_why_it_could_not_be_run(tmp_path: Path) -> None:
    done = await run(["cat"], cwd=tmp_path, stdin=b"x" * 200_000, leashed=True)
    assert done.ok and done.stdout == b"x" * 200_000
    (tmp_path / "text").write_text("no program")
    for program, why in (("no-such-program", "No such file"), (str(tmp_path / "text"), "Permission denied")):
        with pytest.raises(ChildProblem, match=f"{program}.*{why}"):
            await run([program], cwd=tmp_path, leashed=True)
    with pytest.raises(ChildProblem, match="in /no/such"):
        await run(["true"], cwd="/no/such", leashed=True)


@ours
async def test_the_command_dies_with_its_keeper(tmp_path: Path) -> None:
    """Whoever kills the keeper has not freed the command."""
    done = await _leashed("kill -KILL $PPID; sleep 600", tmp_path)
    assert done.signal == signal.SIGKILL


_SEARCHER = """
import asyncio, sys
from jp_tui.tools.worker import ask
job = {"root": sys.argv[1], "pattern": "(a+)+$", "files": ["long"], "folders": [], "context": 0, "rules": [],
       "bytes": 1000}
asyncio.run(ask("search", job, seconds=600))
"""


@ours
async def test_a_pattern_without_an_end_does_not_outlast_a_program_that_was_killed(tmp_path: Path) -> None:
    """T21c: the child that tries it hears of nothing; the kernel ends it."""
    (tmp_path / "long").write_text("a" * 64 + "b\n")
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SEARCHER, str(tmp_path), cwd=PROJECT, start_new_session=True
    )
    jobs: list[int] = []
    try:
        await until(lambda: bool(jobs.extend(descendants(holder.pid)) or (jobs and _busy(jobs[0]))))
        os.kill(holder.pid, signal.SIGKILL)
        await holder.wait()
        await until(lambda: not any(map(alive, jobs)))
    finally:
        if holder.returncode is None:
            holder.kill()
        for pid in filter(alive, jobs):
            os.kill(pid, signal.SIGKILL)


def _busy(pid: int) -> bool:
    """Whether it has read its job and works: a third of a second of CPU."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) > os.sysconf("SC_CLK_TCK") / 3


@pytest.fixture
def ignoring() -> Iterator[None]:
    """As under nohup and in the background of a script: what ends a program is ignored; and one more is held back."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, signal.SIGTTOU)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)


@ours
@pytest.mark.usefixtures("ignoring")
async def test_a_command_finds_default_signals_whatever_we_were_started_with(tmp_path: Path) -> None:
    """What we ignore or hold back is not handed on: a command that expects to be interrupted can be."""
    done = await _leashed("grep -E '^Sig(Blk|Ign):' /proc/self/status", tmp_path)
    assert [line.split()[1].strip(b"0") for line in done.stdout.splitlines()] == [b"", b""]
    ended = [await _leashed(f"kill -{name} $$; echo went on", tmp_path) for name in ("HUP", "INT", "USR1", "USR2")]
    assert [one.signal for one in ended] == [signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2]


@ours
@pytest.mark.usefixtures("ignoring")
async def test_a_command_that_was_started_so_is_still_ended(tmp_path: Path) -> None:
    """Its own end does not depend on what we ignore either."""
    done = await _leashed("sleep 600", tmp_path, timeout=0.2)
    assert done.timed_out and done.signal == signal.SIGTERM


@ours
def test_a_program_that_is_killed_before_the_first_word_leaves_nothing() -> None:
    """The keeper ends what the command has started even where nobody listens to it any more (T9)."""
    ours, theirs = socket.socketpair()
    ours.close()
    root = str(Path(__file__).parents[2])
    start = [sys.executable, "-I", "-S", "-c", children._KEEPER, root, str(theirs.fileno()), "all", "-1"]
    with theirs:
        done = subprocess.run(
            [*start, "sleep", "1000"], pass_fds=(theirs.fileno(),), stderr=subprocess.PIPE, timeout=LIMIT, check=False
        )
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")
