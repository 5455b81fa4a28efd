"""The group `runtime` of the hostile cases: signals, endings, floods and broken input at the real program in a real
terminal (RUN-…). Each case by its id, and more of its class; what takes long is in `python -m tests.faults`."""

from __future__ import annotations

import base64
import itertools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults import soak
from tests.faults.conftest import REAL, Start, Target
from tests.faults.conftest import start as start
from tests.faults.terminal import Reports, Terminal, descendants, running
from tests.hostile.recorded import ours
from tests.limits import LIMIT
from tests.sampling import whole

pytestmark = pytest.mark.pty
CRASHING = Path(__file__).resolve().parents[1] / "faults" / "crashing.py"
ITEMS = 5_000


@pytest.fixture
def found() -> dict[str, dict[str, Any]]:
    return ours("runtime")


def test_each_case_has_its_test(found: dict[str, dict[str, Any]]) -> None:
    numbers = {
        number for name in globals() if name.startswith("test_run_") for number in re.findall(r"(?<=_)\d{3}(?=_)", name)
    }
    assert {f"RUN-{number}" for number in numbers} == found.keys()


def scripted(folder: Path, text: str, *options: str) -> Target:
    """jp-tui with this script for its model, and the first message sent."""
    (folder / "script.toml").write_text(text)
    command = [*REAL.command(folder), *options, "--model", f"demo/{folder}/script.toml"]
    return Target("jp-tui", lambda _: command, REAL.environment, REAL.ready)


def clean_at_its_end(terminal: Terminal) -> int:
    """The status; when it is known the terminal is as before, without another moment."""
    code = terminal.wait_event("code")
    terminal.pump(0)
    while terminal.wrong():
        before = len(terminal.seen)
        terminal.pump(0.2)
        assert len(terminal.seen) > before or not terminal.wrong(), f"left on: {terminal.wrong()}"
    return code


@pytest.mark.parametrize("name", ["SIGHUP", "SIGABRT", "SIGBUS", "SIGUSR1"])
def test_run_002_004_signals_leave_the_terminal_as_it_was(start: Start, name: str) -> None:
    """And the status names the cause; for what is no way to leave the words do, too."""
    number = signal.Signals[name]
    terminal = start(REAL)
    assert terminal.wrong(), "the screen was not up"
    (app, *_) = descendants(terminal.wait_event("pid"))
    os.kill(app, number)
    assert clean_at_its_end(terminal) == 128 + number
    if number != signal.SIGHUP:
        words = f"ended by signal {int(number)}".encode()
        terminal.wait(lambda: words in terminal.seen, "the cause")  # a terminal hands over what was written in pieces


@pytest.mark.parametrize("where", ["restoring", "closing"])
def test_run_011_an_exception_while_restoring_is_made_good(start: Start, tmp_path: Path, where: str) -> None:
    """The driver's own restore failed, and the guardian believed that all was done."""
    (tmp_path / "told.json").write_text('["no such mode"]')
    command = [sys.executable, str(CRASHING), where, f"{tmp_path}/told.json", "--model", "demo/tour"]
    terminal = start(Target("jp-tui", lambda _: command, REAL.environment, REAL.ready))
    leave(terminal)
    assert clean_at_its_end(terminal) == 1
    assert b"stopped: RuntimeError: no such mode" in terminal.seen


def leave(terminal: Terminal) -> None:
    """Ask it to end; a Ctrl+C that comes too late would go to the shell."""
    app = next(pid for pid in descendants(terminal.wait_event("pid")))
    os.kill(app, signal.SIGTERM)


@pytest.mark.parametrize("words", [(), ("-c",), ("--model", "demo/tour")], ids=lambda words: " ".join(words) or "none")
def test_run_014_no_tty_at_all_is_said(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = without_tty(tmp_path, *words)
    assert done.returncode == 2 and not done.stdout
    assert "needs a terminal" in done.stderr and "jp-tui query" in done.stderr and "Traceback" not in done.stderr


def test_run_014_no_tty_is_no_hindrance_to_what_needs_none(tmp_path: Path) -> None:
    done = without_tty(tmp_path, "query", "--model", "demo/tour", "hello")
    assert done.returncode == 0 and done.stdout.strip() and "Traceback" not in done.stderr


def without_tty(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*REAL.command(folder), *words],
        env=REAL.environment(folder),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        start_new_session=True,
        check=False,
    )


def main_thread_ms(pid: int) -> float:
    """Processor time of a process's main thread: what a face has to do before it can react."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e6


def test_run_016_ctrl_c_is_seen_while_a_list_of_5000_items_arrives(start: Start, tmp_path: Path) -> None:
    """Between the key and the menu the face has less than 100 ms of work, whatever else the machine does."""
    items = "\\n".join(f"{number}. item *{number}* and `code` [x](y)" for number in range(ITEMS))
    target = scripted(tmp_path, f'rate = 8000\n[[turns]]\ntext = "{items}"\n')
    terminal = start(Target("jp-tui", lambda _: [*target.command(tmp_path), "go"], REAL.environment, "item"))
    (app, *_) = descendants(terminal.wait_event("pid"))
    work = []
    for key in ("\x03", "\x1b", "\x1b"):  # a second Ctrl+C within a second leaves; Esc opens the same menu
        before = main_thread_ms(app)
        terminal.type(key)
        terminal.wait_text("Esc continues")
        work.append(main_thread_ms(app) - before)
        terminal.type("\x1b")
        terminal.wait(lambda: "Esc continues" not in terminal.text(), "the end of the menu")
    assert sorted(work)[1] <= 100, work


def test_run_017_a_tool_that_ignores_every_request_is_ended(start: Start, tmp_path: Path) -> None:
    """The menu is there at once although the tool answers nothing; stopping it is not waited for; nothing is left."""
    script = tmp_path / "stubborn.sh"
    script.write_text(f"trap '' TERM INT HUP\necho $$ >{tmp_path}/pid\nwhile :; do sleep 600; done\n")
    tool = "conversation.tools.stubborn"
    options = (
        *("--cfg", f'{tool}.source="local"', "--cfg", f"{tool}.run=unattended"),
        *("--cfg", f'{tool}.command={{program="/bin/sh", args=["{script}"]}}'),
    )
    calls = 'calls = [{name = "stubborn", arguments = {}}]'
    target = scripted(tmp_path, f'[[turns]]\ntext = "I call it."\n{calls}\n[[turns]]\ntext = "It ended."\n', *options)
    terminal = start(Target("jp-tui", lambda _: [*target.command(tmp_path), "go"], REAL.environment, REAL.ready))
    terminal.wait(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip(), "the tool")
    terminal.wait_text("stubborn")
    terminal.wait_text("Esc interrupt")  # the face knows of it, too
    pid = int((tmp_path / "pid").read_text())
    terminal.type("\x03")
    terminal.wait_text("Esc continues")
    assert running(pid), "it must run still: else nothing was tried"
    terminal.type("3")
    terminal.wait(lambda: not running(pid), "the end of the tool")
    leave(terminal)
    assert clean_at_its_end(terminal) == 128 + signal.SIGTERM


@pytest.mark.parametrize("reports", list(Reports), ids=str)
def test_run_018_resizes_by_the_thousand_are_outlived(start: Start, reports: Reports) -> None:
    """Alive afterwards, at the last size, with the keys heard, however it learns of them (T31)."""
    terminal = start(REAL, reports=reports)
    terminal.wait(lambda: "?2048" in terminal.wrong() or reports == Reports.NONE, "the mode")
    sizes = itertools.cycle([(80, 24), (200, 60), (1, 1), (300, 10), (120, 36), (20, 5), (30, 200), (500, 2)])
    for columns, rows in itertools.islice(sizes, 1000 if whole() else 80):
        terminal.resize(columns, rows)
        terminal.pump(0.001)
    terminal.resize(90, 30)
    terminal.wait(lambda: "F1 keys" in terminal.screen.display[29], "the last size")
    terminal.type("still here")
    terminal.wait_text("still here")
    leave(terminal)
    assert clean_at_its_end(terminal) == 128 + signal.SIGTERM


def test_run_021_a_soak_leaks_nothing() -> None:
    """As many turns as there is time for here; ten thousand with `python -m tests.faults --only soak --whole`."""
    (row,) = soak.tried(False, 1)
    assert not row.failed, row


def test_run_022_malformed_bytes_are_ignored(start: Start, tmp_path: Path, found: dict[str, dict[str, Any]]) -> None:
    """More of the class: tests/ui/test_driver_input.py."""
    terminal = start(REAL)
    terminal.wait_text("two sub-agents ask")
    terminal.wait_quiet()
    empty = terminal.text()
    os.write(terminal.master, base64.b64decode(found["RUN-022"]["payload"]["b64"]))
    terminal.wait_quiet()
    assert terminal.text() == empty, "something was typed"
    terminal.type("\x1b[99999999999u\x1b[97;99999999999u\x1b[48;0;0;0;0t\x1b[48;65000;65000;1;1t\x1b[<;;M\x1b]0;x\x07")
    terminal.wait_quiet()
    assert terminal.text() == empty, "something was typed"
    terminal.type("heard")
    terminal.wait_text("heard")
    leave(terminal)
    assert clean_at_its_end(terminal) == 128 + signal.SIGTERM
