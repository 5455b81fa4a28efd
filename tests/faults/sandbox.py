"""Part `sandbox` of `python -m tests.faults`: ways out of the sandbox of `shell_run`, each in a world of its own.

By the tool itself, in a real bubblewrap. What a command did is judged on the host (`sandbox_world.py`). Bounded: one of
sixteen, by chance; the whole: all of them, and those that need the kernel with an older bubblewrap, too. Repeat one:
`python -m tests.faults.sandbox NAME`.
"""

from __future__ import annotations

import asyncio
import os
import pty
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.system.sandbox.command import Bubblewrap
from jp_tui.system.sandbox.probe import SandboxProbe as Found_
from jp_tui.system.sandbox.probe import probed
from jp_tui.tools.port import ToolCall
from jp_tui.tools.shell_run import ShellRun
from tests.faults.report import Found
from tests.faults.sandbox_more_ways import more_ways
from tests.faults.sandbox_ways import Way, ways
from tests.faults.sandbox_world import PYTHON, READ_ONLY, SLEEP, VISIBLE, Listeners, World, world

SHARE = 32
SECONDS = 15


@cache
def not_here() -> str:
    """Why no sandbox can be tried on this machine; empty where it can."""
    return asyncio.run(probed()).reason


def every_way() -> list[Way]:
    """All of them, by name."""
    found = [*ways(), *more_ways()]
    assert len({way.name for way in found}) == len(found) >= 200
    return found


def tried(whole: bool, seed: int) -> list[Found]:
    row = Found("ways out of the sandbox", 0, not_here=not_here())
    old = Found("the same without the newest options of bubblewrap", 0, not_here=not_here())
    if row.not_here:
        return [row, old]
    ways_, kernel = every_way(), [one for one in every_way() if any(word in one.name for word in KERNEL)]
    if not whole:
        chance = random.Random(f"ways {seed}")
        ways_, kernel = chance.sample(ways_, len(ways_) // SHARE), chance.sample(kernel, len(kernel) // SHARE)
    for found, chosen, tool in ((row, ways_, ShellRun()), (old, kernel, older())):
        for way in chosen:
            wrong, _ = out(way, tool)
            found.runs += 1
            found.failed += [f"{way.name}: {words}" for words in wrong]
    row.figures = {"ways": f"{len(every_way())}"}
    return [row, old]


KERNEL = (
    "bound over",
    "uncovered",
    "namespace",
    "mounts",
    "another root",
    "another user",
    "by number",
    "our own program",
)
"""Of names: what tries to undo mounts, or to get past them."""


def older() -> ShellRun:
    """With an older bubblewrap: one that can't forbid further namespaces."""
    tool = ShellRun()
    found = asyncio.run(probed())
    assert found.bubblewrap is not None
    tool._sandbox._sandboxes._found = Found_(Bubblewrap(found.bubblewrap.program, userns=False, size=False))
    return tool


def out(way: Way, tool: ShellRun) -> tuple[list[str], str]:
    """Try one: what is wrong afterwards, and what reached the model."""
    ours, theirs = pty.openpty()
    try:
        with world() as made:
            listeners = Listeners(made)
            try:
                made.before = made.picture()
                lines = [_line(one, made, listeners, os.ttyname(theirs)) for one in (way.line, *way.then, way.beside)]
                output = asyncio.run(_all(lines, made, tool, way.network))
                wrong = [*made.judge(output), *listeners.reached()]
            finally:
                listeners.close()
        newest = tool._sandbox._sandboxes._found
        says = way.says if newest is None or newest.bubblewrap is None or newest.bubblewrap.userns else ()
        wrong += [f"it said {words!r}" for words in says if words in output]
        wrong += ["something was typed into a terminal"] if select.select([ours], [], [], 0)[0] else []
        wrong += ["a process is left"] if _left() else []
        if not way.beside and not output.startswith(("Exit status", "It was ended after")):
            wrong.append(f"it did not run: {output[:300]}")
        return wrong, output
    finally:
        os.close(ours)
        os.close(theirs)


def _line(line: str, made: World, listeners: Listeners, terminal: str) -> str:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    names = {
        "HOME": made.home, "ROOT": made.root, "OUT": made.outside, "TMP": made.temporary, "JP": made.base / "jp",
        "PY": PYTHON, "PORT": listeners.port, "PID": listeners.process.pid, "SLEEP": SLEEP, "PTY": terminal,
        "NAME": made.base.name, "ABSTRACT": f"jp-{made.base.name}", "EIGHTH": memory // 8192 + 4,
    }  # fmt: skip
    for name, value in names.items():
        line = line.replace(f"@{name}@", str(value))
    return line


async def _all(lines: list[str], made: World, tool: ShellRun, network: bool) -> str:
    """Each call; the last line is that of the one beside, if any."""
    beside = asyncio.create_task(_ran(lines[-1], made, tool, network)) if lines[-1] else None
    if beside is not None:
        await asyncio.to_thread(_begun, made.root / "begun", beside.done)
    said = [await _ran(line, made, tool, network) for line in lines[:-1]]
    return "\n".join([*said, *([await beside] if beside is not None else [])])


def _begun(file: Path, over: Callable[[], bool]) -> None:
    while not file.exists() and not over():
        time.sleep(0.01)


async def _ran(line: str, made: World, tool: ShellRun, network: bool) -> str:
    options = {"sandbox": {"mode": "required", "network": network, "read_only": READ_ONLY, "visible": VISIBLE}}
    call = ToolCall({"command": line, "timeout_secs": SECONDS}, made.root, options=options, leave=True)
    done = await tool.run(call)
    assert isinstance(done, Success | Failure), done
    return done.content if isinstance(done, Success) else done.message


def _left() -> bool:
    """Whether a process of a command still runs."""
    for number in os.listdir("/proc"):
        if number.isdigit():
            try:
                words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", SLEEP.encode()]:
                os.kill(int(number), signal.SIGKILL)
                return True
    return False


if __name__ == "__main__":
    shared = ShellRun()
    for one in every_way():
        if not sys.argv[1:] or any(word in one.name for word in sys.argv[1:]):
            faults, said = out(one, shared)
            print(f"{'BROKEN' if faults else 'held'}: {one.name}: {faults}")
            if faults or len(sys.argv) == 2:
                print("   ", said[:1500].replace("\n", "\n    "))
