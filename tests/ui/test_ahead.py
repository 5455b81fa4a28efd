"""Sheets are there before the first question, and no step of loading them is a long one (issue 7 "Reliability")."""

from __future__ import annotations

import subprocess
import sys

from tests.limits import LIMIT

STEPS = """
import sys
import jp_tui.ui.transcript.conversation_controller, jp_tui.ui.sheets.dock.dock
from jp_tui.ui.sheets import preload as ahead
ours = lambda: {name for name in sys.modules if name.startswith("jp_tui.")}
before, steps, most = ours(), [], 0
ahead.load(lambda seconds, step: steps.append((seconds, step)))
while steps:
    seconds, step = steps.pop()
    assert seconds > 0
    now = ours()
    step()
    most = max(most, len(ours() - now))
assert "jp_tui.ui.sheets.registry" in ours() - before
print(len(ours() - before), most, len(ahead.MODULES))
"""


def test_the_sheets_come_in_small_steps_and_whole() -> None:
    """Each step brings a few modules; the last one, that needs all of them, brings but itself."""
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True, timeout=LIMIT)
    new, most, steps = map(int, done.stdout.split())
    assert new > 35 and most <= 5 and steps > 25
