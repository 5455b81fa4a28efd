"""Killed in any way, the terminal is as before and the status says how (T6, T26; issue: done when)."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from tests.faults.conftest import Start, Target
from tests.faults.terminal import Terminal, descendants, running
from tests.limits import LIMIT

pytestmark = pytest.mark.pty

ASKED = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
FATAL = [signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL]


def family(terminal: Terminal) -> tuple[int, int]:
    """The guardian's process and the app's."""
    guardian = terminal.wait_event("pid")
    (app, *_) = descendants(guardian)
    return guardian, app


@pytest.mark.parametrize("number", ASKED + FATAL, ids=lambda number: number.name)
def test_signal_to_the_app_leaves_a_clean_terminal(
    target: Target, start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    terminal = start(target)
    assert terminal.wrong(), "the screen was not up: the test would prove nothing"
    _, app = family(terminal)
    os.kill(app, number)
    assert terminal.wait_event("code") == 128 + number
    terminal.wait_clean()
    target.whole(tmp_path)


@pytest.mark.parametrize("number", [*ASKED, signal.SIGQUIT], ids=lambda number: number.name)
def test_signal_to_the_guardian_is_passed_on(
    target: Target, start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    terminal = start(target)
    guardian, app = family(terminal)
    os.kill(guardian, number)
    assert terminal.wait_event("code") == 128 + number
    assert not running(app)
    terminal.wait_clean()
    target.whole(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL], ids=lambda number: number.name)
def test_the_app_restores_and_ends_when_the_guardian_dies(
    target: Target, start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    terminal = start(target)
    guardian, app = family(terminal)
    os.kill(guardian, number)
    assert terminal.wait_event("signal") == number
    terminal.wait(lambda: not running(app), "the end of the app")
    terminal.wait_clean()
    target.whole(tmp_path)


@pytest.mark.parametrize("moment", [0.0, 0.002, 0.01])
def test_keys_that_come_as_the_guardian_dies_do_not_stop_the_app(
    target: Target, start: Start, tmp_path: Path, moment: float
) -> None:
    """Whoever reads them finds that a shell has the terminal. That is no stop by a shell, which would continue us: an
    orphan that stopped itself would stay so, with the terminal as it was."""
    terminal = start(target)
    guardian, app = family(terminal)
    os.kill(guardian, signal.SIGKILL)
    threading.Event().wait(moment)
    terminal.type("\x1b[I" * 200)
    assert terminal.wait_event("signal") == signal.SIGKILL
    terminal.wait(lambda: not there(app), "the end of the app")
    terminal.wait_clean()
    target.whole(tmp_path)


def there(pid: int) -> bool:
    """Whether a process has not ended; one that is stopped has not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_both_get_a_signal_that_is_sent_to_the_job(target: Target, start: Start, tmp_path: Path) -> None:
    terminal = start(target)
    guardian, _ = family(terminal)
    os.killpg(guardian, signal.SIGTERM)
    assert terminal.wait_event("code") == 128 + signal.SIGTERM
    terminal.wait_clean()
    target.whole(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_without_a_shell_above_it(target: Target, start: Start, number: signal.Signals) -> None:
    """The guardian leads the session, as under `xterm -e`."""
    terminal = start(target, holder=False)
    (app, *_) = descendants(terminal.process.pid)
    os.kill(app, number)
    terminal.wait(lambda: terminal.process.poll() is not None, "the end")
    assert terminal.process.returncode == 128 + number
    terminal.wait_clean()


def test_closing_the_terminal_leaves_no_process(target: Target, start: Start, tmp_path: Path) -> None:
    terminal = start(target, holder=False)
    (app, *_) = descendants(terminal.process.pid)
    os.close(terminal.slave)
    os.close(terminal.master)
    terminal.process.wait(LIMIT)
    assert terminal.process.returncode == 128 + signal.SIGHUP
    assert not running(app)
    target.whole(tmp_path)
