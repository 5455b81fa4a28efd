"""Part `soak` of `python -m tests.faults`: turns by the thousand in one process, and what it holds on to.

`jp-tui rpc` with a scripted model that calls a tool in each turn; memory, open files, threads and children are read
from /proc after a beginning and at the end. The whole is 10,000 turns.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.faults.report import Found
from tests.faults.terminal import descendants
from tests.headless.rpc_peer import prompted, rpc

WHOLE, BOUNDED = (500, 10_000), (15, 40)
"""Turns before the first look, and in all."""
MOST_MIB = 50
SCRIPT = """\
fallback = "And so on."
[[walks]]
name = "go"
[[walks.turns]]
text = "I look."
calls = [{name = "fs_read_file", arguments = {path = "notes.txt"}}]
[[walks.turns]]
text = "It says tea."
"""


@dataclass(frozen=True)
class Held:
    """What a process holds: memory in MiB, and counts."""

    mib: float
    files: int
    threads: int
    children: int


def held(pid: int) -> Held:
    """From /proc."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Held(int(status["VmRSS"].split()[0]) / 1024, files, int(status["Threads"]), len(descendants(pid)))


def tried(whole: bool, seed: int) -> list[Found]:
    """One long life."""
    first, last = WHOLE if whole else BOUNDED
    row = Found("turns in one process", last)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "desk").mkdir()
        (folder / "desk" / "notes.txt").write_text("tea at four\n")
        (folder / "script.toml").write_text(SCRIPT)
        with rpc(folder / "home", "--workspace", f"{folder}/desk") as running:
            running.call("initialize", capabilities=[])
            session = running.session(f"demo/{folder}/script.toml")
            for number in range(last):
                if number == first:
                    early = held(running.process.pid)
                outcome = running.reply(prompted(running, session, "go"))
                assert outcome["result"]["outcome"] == "done", outcome
                running.heard.clear()
            late = held(running.process.pid)
            if status := running.ends():
                row.failed.append(f"it ended with {status}")
    row.figures = {"memory": f"{early.mib:.0f} → {late.mib:.0f} MiB", "files": f"{late.files}"}
    if late.mib - early.mib > MOST_MIB:
        row.failed.append(f"memory grew by {late.mib - early.mib:.0f} MiB")
    for what in ("files", "threads", "children"):
        if getattr(late, what) > getattr(early, what):
            row.failed.append(f"{what}: {getattr(early, what)} became {getattr(late, what)}")
    return [row]
