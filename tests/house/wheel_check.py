"""`python -m tests.house.wheel_check [--limit SECONDS] COMMAND…`: does it open the workspace, and leave it cleanly?

Runs a command in a real pty with an empty HOME and no credentials, waits until the composer and the tour's greeting
are on the screen, presses Ctrl+C twice, and wants status 0, a terminal as it was and nothing written outside HOME.
Used by `.ci/run` for the built wheel and for the README's first command; it is no test of pytest's.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.terminal import Terminal

EXPECTED = ("Welcome to jp-tui", "Ask anything", "demo/tour")
PASSED_ON = ("PATH", "LANG", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


def check(command: list[str], folder: Path, home: Path, limit: float) -> list[str]:
    """What went wrong, in words; empty when all is well."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith("PIP_") or name.lower().endswith("_proxy")
    }
    environment |= {"HOME": str(home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    terminal = Terminal(command, env=environment, cwd=folder, holder=False, size=(100, 30))
    try:
        end = time.monotonic() + limit
        while not all(text in terminal.text() for text in EXPECTED):
            if time.monotonic() > end or terminal.process.poll() is not None:
                return [f"never opened (status {terminal.process.poll()}):\n{terminal.text()}"]
            terminal.pump(0.2)
        terminal.type("\x03\x03")
        terminal.wait(lambda: terminal.process.poll() is not None, "the end after Ctrl+C twice")
        terminal.wait_quiet()  # what was written last may still be on its way
        wrong = [] if terminal.process.returncode == 0 else [f"status {terminal.process.returncode}"]
        if terminal.wrong():
            wrong.append(f"the terminal is not as before: {terminal.wrong()}")
        return wrong
    finally:
        terminal.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds until it has to be open")
    parser.add_argument("--folder", type=Path, help="the folder to run in (default: an empty one)")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home, empty = Path(made, "home"), Path(made, "workspace")
        home.mkdir()
        empty.mkdir()
        wrong = check(asked.command, asked.folder or empty, home, asked.limit)
        if any(empty.iterdir()):
            wrong.append(f"left in the workspace: {sorted(path.name for path in empty.iterdir())}")
    for words in wrong:
        print(words, file=sys.stderr)
    print("opened and left" if not wrong else "FAILED", " ".join(asked.command)[:120])
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
