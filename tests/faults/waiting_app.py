"""A program that never gets beyond its guardian's skeleton: what the tests of that kill, stop and resize.

It says something on stderr, then waits; `python waiting_app.py plain` ends at once instead.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jp_tui import guardian
from jp_tui.first_frame.early_screen import EarlyScreen, Start


def program() -> int:
    print("words from before", file=sys.stderr, flush=True)
    Path("said").touch()
    if "plain" in sys.argv:
        return 2
    while True:
        signal.pause()


if __name__ == "__main__":
    sys.exit(guardian.run_guarded(program, EarlyScreen(Start())))
