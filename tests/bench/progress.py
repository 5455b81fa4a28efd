"""Keys while fifty tools run and each reports twenty times a second what it does, beside the same program at rest.

The tools are commands that the scripted model calls at once; each writes a line every 50 ms. What they cost themselves
is theirs: they sleep in between.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 25.0
TOOLS, RATE = 50, 20
TALK = f"""
import sys, time
number, at = 0, time.monotonic()
while True:
    number += 1
    print("zqstep", number, flush=True)
    time.sleep(max(0.0, at + number / {RATE} - time.monotonic()))
"""
ARGV = [sys.executable, "-I", "-S", "-c", TALK]
CONFIG = """
[conversation.tools.shell_run]
enable = true
run = "unattended"
options = { confirm = "never", sandbox = { mode = "off" } }
"""


def script() -> str:
    """All of them in one response."""
    argv = json.dumps(ARGV)
    call = f'{{ name = "shell_run", arguments = {{ argv = {argv} }} }},\n'
    return f'fallback = "zqover"\n[[turns]]\ntext = "zqgoing"\ncalls = [\n{call * TOOLS}]\n'


def rows(bench: Bench) -> list[Row]:
    """The median and the tail."""
    home = bench.folder / "progress"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(CONFIG)
    model = bench.folder / "progress.toml"
    model.write_text(script())
    with bench.living_in(home):
        allow = ["rules", "add", "allow", "--tool", "shell_run", "--args", json.dumps({"argv": ARGV}), "--everywhere"]
        subprocess.run([sys.executable, "-m", "jp_tui", *allow], env=bench.env, check=True, capture_output=True)
        rest, busy = rest_and_busy(bench, str(model), f"zqstep {2 * RATE}")
    what = f"key to paint while {TOOLS} tools report {RATE} times a second"
    return [Row(what, busy, rest, "itself at rest", tail=tail, goal=1.3) for tail in (False, True)]


def rest_and_busy(bench: Bench, script: str, begun: str) -> tuple[list[float], list[float]]:
    """Seconds from key to paint, at rest and from when a turn of the script shows `begun`."""
    rest: list[float] = []
    busy: list[float] = []
    for _ in range(1 if bench.quick else 2):
        with bench.ours("--model", f"demo/{script}")() as program:
            program.first_key()
            program.settle(0.3)
            program.pass_time(0.7)
            rest += program.keys(15 if bench.quick else 40)
            os.write(program.master, b"\x7f" * 60 + b"go")
            program.settle(0.3)
            os.write(program.master, b"\r")
            program.wait(begun)
            program.pass_time(1.0)
            busy += program.keys(until=time.monotonic() + (2.0 if bench.quick else 4.0), idle=False)
    return rest, busy
