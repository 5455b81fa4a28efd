"""An error in a background task, as the faces without a screen report it: one line for people, a redacted report, and
the work goes on (Z27)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.headless.running import LIMIT, ROOT, environment, lines

SECRET = "zq-Planted/7x+key="
WORDS = "A background task failed (RuntimeError: it broke with [redacted]). jp-tui keeps running."
BROKEN = """
import asyncio, os, sys
from jp_tui.engine import hub
from jp_tui.link import strays
from jp_tui.main import main

kept, handle, strays.SOON = [], hub.Engine._handle, float(os.environ["PROBE_SOON"])

async def breaks():
    raise RuntimeError("it broke with " + os.environ["PROBE_API_KEY"] + "\\nand more")

async def also(self, command):
    kept.append(asyncio.create_task(breaks()))
    await handle(self, command)

hub.Engine._handle = also
sys.exit(main())
"""
"""The program, with a task in its engine that fails at each command."""


def broken(home: Path, *words: str, stdin: str = "", soon: float = 0.01) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BROKEN, *words], input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=LIMIT,
        env=environment(home, PROBE_API_KEY=SECRET, PROBE_SOON=str(soon)),
    )  # fmt: skip


def one_report(home: Path, told: str) -> None:
    """It is written once, it is named in the line, and holds no secret."""
    (file,) = (home / "state" / "crashes").iterdir()
    (line,) = [line for line in told.splitlines() if "background" in line]
    assert WORDS in line and str(file.name) in line, told
    report = file.read_text()
    assert "in breaks" in report and SECRET not in report + told
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "script.toml").write_text(
        'rate = 0\nfallback = "Done."\n[[walks]]\nname = "-"\n[[walks.turns]]\ntext = "-"\n'
    )
    return f"demo/{tmp_path / 'script.toml'}"


def test_query_says_it_on_stderr_and_goes_on(tmp_path: Path, model: str) -> None:
    """(Z27)"""
    ran = broken(tmp_path, "query", "--model", model, "hello")
    assert (ran.returncode, ran.stdout) == (0, "Done.\n"), ran.stderr
    one_report(tmp_path, ran.stderr)


def test_query_json_keeps_its_output(tmp_path: Path, model: str) -> None:
    """(Z27)"""
    ran = broken(tmp_path, "query", "--json", "--model", model, "hello")
    assert ran.returncode == 0 and lines(ran.stdout)[-1]["outcome"] == "done"
    one_report(tmp_path, ran.stderr)


def test_plain_says_it_in_one_line_and_goes_on(tmp_path: Path, model: str) -> None:
    """(Z27)"""
    ran = broken(tmp_path, "--plain", "--model", model, stdin="hello\n")
    assert ran.returncode == 0 and "Done." in ran.stdout
    one_report(tmp_path, ran.stdout + ran.stderr)


@pytest.mark.parametrize("words", [("query", "hello"), ("--plain",)])
def test_what_fails_at_the_very_end_is_said_too(tmp_path: Path, model: str, words: tuple[str, ...]) -> None:
    """(Z27) The loop ends before anybody would have looked at the task."""
    ran = broken(tmp_path, words[0], "--model", model, *words[1:], stdin="hello\n", soon=3600)
    assert ran.returncode == 0
    one_report(tmp_path, ran.stdout + ran.stderr)


def test_rpc_says_it_on_stderr_and_answers(tmp_path: Path, model: str) -> None:
    """(Z27) The messages stay what they are: the client gets its results."""
    asked = [
        {"id": 1, "method": "initialize", "params": {"protocol_version": 1}},
        {"id": 2, "method": "session/new", "params": {"model": model}},
        {"id": 3, "method": "session/list", "params": {}},
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    ran = broken(tmp_path, "rpc", stdin=given)
    answers = {row["id"]: row for row in lines(ran.stdout) if "id" in row}
    assert ran.returncode == 0 and all("result" in answers[number] for number in (1, 2, 3)), ran
    told = [line for line in ran.stderr.splitlines() if "background" in line]
    assert len(told) == 2 and all(WORDS in line and "crash-" in line for line in told), "each engine says it once"
    assert len(list((tmp_path / "state" / "crashes").iterdir())) == 2 and SECRET not in ran.stderr
