"""Questions of other programs: from the record to the screen; `ask` that a setting answers; a hook's notice.

The first counts from the time in the record, which is taken just before the commit, so it includes the commit. `ask` is
compared with what it can't do without: the start of `jp-tui --version`, and a process that opens the store. A notice
does nothing but write a small file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from jp_tui.conversation.ids import read_timestamp
from jp_tui.engine.record.inquiries import waiting
from jp_tui.journal.reader import open_reader
from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 90.0
SETTINGS = "[conversation.tools.'outside.*'.questions.quick]\nanswer = true\n"
OPENS = """import sys
from pathlib import Path
from jp_tui.journal.store import open_journal
open_journal(Path(sys.argv[1])).close()
"""
NOTICE = json.dumps({"hook_event_name": "Notification", "session_id": "s1", "cwd": "/", "message": "x"})


def rows(bench: Bench) -> list[Row]:
    """The screen, `ask` and `hook`."""
    home = bench.folder / "outside"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(SETTINGS)
    with bench.living_in(home):
        shown = on_the_screen(bench, home)
        asked, least, noticed = commands(bench, home)
    return [
        Row("from the record of a question to the workspace's screen", shown, [], within=0.25),
        Row("ask, answered by a setting", asked, least, against="--version and one store open", goal=1.3),
        Row("hook, a notice", noticed, [], within=0.2),
    ]


def on_the_screen(bench: Bench, home: Path) -> list[float]:
    """Seconds for each question, one after the other."""
    found = []
    database = home / "data" / "conversations.db"
    with bench.ours()() as program:
        program.first_key()
        program.settle(1.0)
        for number in range(3 if bench.quick else 12):
            text = f"zqask{number}"
            child = subprocess.Popen(
                [sys.executable, "-m", "jp_tui", "ask", text],
                env=bench.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            try:
                seen = program.wait(text) - time.monotonic() + time.time()
                reader = open_reader(database)
                ((_, request),) = [one for one in waiting(reader, None) if one[1].question["text"] == text]
                reader.close()
                found.append(max(seen - read_timestamp(request.timestamp).timestamp(), 0.0))
            finally:
                child.terminate()
                child.communicate()
            program.settle(0.3)
    return found


def commands(bench: Bench, home: Path) -> tuple[list[float], list[float], list[float]]:
    """Seconds of a whole process: `ask`, what it can't do without, and the notice; in turns, after one uncounted."""
    database = str(home / "data" / "conversations.db")
    found: dict[str, list[float]] = {"ask": [], "version": [], "open": [], "hook": []}
    words = {
        "ask": ["-m", "jp_tui", "ask", "--id", "quick", "Go on?"],
        "version": ["-m", "jp_tui", "--version"],
        "open": ["-c", OPENS, database],
        "hook": ["-m", "jp_tui", "hook", "claude"],
    }
    for _ in range(bench.reps + 1):
        for name, command in words.items():
            given = NOTICE if name == "hook" else ""
            begun = time.monotonic()
            bench.runs += 1
            subprocess.run(
                [sys.executable, *command], env=bench.env, input=given, text=True, check=True, capture_output=True
            )
            found[name].append(time.monotonic() - begun)
    least = [sum(both) for both in zip(found["version"][1:], found["open"][1:], strict=True)]
    return found["ask"][1:], least, found["hook"][1:]
