"""Commands on a leash: none outlasts us, whatever kills us, and a command does not notice (issue 8, lines 3 and 9)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from jp_tui.system.children import Finished, run
from tests.system.test_children import PROJECT, alive, until

_HOLDER = """
import asyncio, sys
from jp_tui.system.children import run
asyncio.run(run(["/bin/sh", "-c", sys.argv[1]], cwd=sys.argv[2], leashed=True))
"""


async def _leashed(script: str, cwd: Path, **named: object) -> Finished:
    return await run(["/bin/sh", "-c", script], cwd=cwd, leashed=True, **named)  # type: ignore[arg-type]


async def test_nothing_outlasts_a_program_that_was_killed(tmp_path: Path) -> None:
    """kill -9: nobody is left to end the command, so it ends itself, also what ignores TERM."""
    script = "trap '' TERM; sleep 600 & echo $$ $! > made; mv made pids; sleep 600; sleep 600"
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


async def test_a_command_on_a_leash_is_as_any_other(tmp_path: Path) -> None:
    """No input, its own words, its own status, no child that it never started, nothing open that is ours."""
    done = await _leashed('cat; echo "$0" "$1"; exit 7', tmp_path)
    assert (done.status, done.stdout) == (7, b"/bin/sh \n")
    done = await run(["printf", "%s|", "a b", "$x", "'"], cwd=tmp_path, leashed=True)
    assert done.stdout == b"a b|$x|'|"
    asks = "import os\ntry:\n os.wait()\nexcept ChildProcessError:\n print('none', sorted(os.listdir('/dev/fd'))[:4])"
    done = await run([sys.executable, "-c", asks], cwd=tmp_path, leashed=True)
    assert done.stdout == b"none ['0', '1', '2', '3']\n"  # 3: the folder that it lists


async def test_its_time_and_its_end_hold(tmp_path: Path) -> None:
    done = await _leashed("sleep 600 & sleep 600", tmp_path, timeout=0.1)
    assert done.timed_out and done.signal == signal.SIGTERM
    before = len(os.listdir("/dev/fd"))
    done = await _leashed("sleep 600 & echo $!", tmp_path)
    assert done.status == 0 and not alive(int(done.stdout))
    assert len(os.listdir("/dev/fd")) == before
