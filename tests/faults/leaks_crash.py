"""Crashes of every face whose exceptions say all that was planted, and what they left: bytes by place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.faults import planted as p
from tests.faults.conftest import REAL
from tests.faults.leaks_run import configured
from tests.faults.terminal import Terminal
from tests.limits import LIMIT

SCRIPT = str(Path(__file__).with_name("crashing.py"))
KNOWN = (*p.ENVIRONMENT.values(), p.HEADER)
"""What a crash can know at all: what is typed is the engine's, which takes it out itself (tests/engine)."""


def run(folder: Path, *, whole: bool = False) -> dict[str, bytes]:
    """Everything that was left, by place; `whole` crashes the engine as well."""
    configured(folder, "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1")
    (folder / "script.toml").write_text('[[turns]]\ntext = "Hello."\n')
    (folder / "told.json").write_text(json.dumps([plant.planted for plant in KNOWN]))
    environment = REAL.environment(folder) | {name: plant.planted for name, plant in p.ENVIRONMENT.items()}
    environment["JP_TUI_HOME"] = str(folder / "home")
    words = ["--model", f"demo/{folder}/script.toml", "--workspace", f"{folder}/desk"]
    command = [sys.executable, SCRIPT]
    found = {"command": _command([*command, "command", f"{folder}/told.json", "query", *words, "hi"], environment)}
    for where in ("screen", "engine") if whole else ("screen",):
        found[where] = _screen(folder, [*command, where, f"{folder}/told.json", *words], environment, where)
    reports = list((folder / "home" / "state" / "crashes").iterdir())
    assert len(reports) == len(found), (reports, found)
    return found | {f"file: {file.relative_to(folder)}": file.read_bytes() for file in reports}


def _command(command: list[str], environment: dict[str, str]) -> bytes:
    done = subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT, check=False)
    assert done.returncode == 1 and b"stopped: RuntimeError" in done.stderr, done
    return done.stdout + done.stderr


def _screen(folder: Path, command: list[str], environment: dict[str, str], where: str) -> bytes:
    terminal = Terminal(command, env=environment, cwd=folder)
    try:
        terminal.wait_text(REAL.ready)
        terminal.type("\x1bOP" if where == "screen" else "hello\r")
        assert terminal.wait_event("code") == 1
        terminal.wait_clean()
        assert b"stopped" in terminal.seen
        return terminal.seen
    finally:
        terminal.close()
