"""What a crash report and its message may hold (T7): no locals, no keys, no home folder; never a second crash."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui import guardian
from jp_tui.ui.failures.crash_report import redact, report_text, short_message, write_report
from tests.faults.crash_app import CrashApp
from tests.limits import LIMIT

SECRET = "q7Zk2mPw9xRt4vBn"
ENVIRONMENT = {
    "HOME": "/home/ada",
    "SOME_API_KEY": SECRET,
    "db_password": "corr\\ect",
    "A_TOKEN_FLAG": "1",
    "LANG": "C.UTF-8",
}


@pytest.mark.parametrize(
    "text",
    [
        f"plain {SECRET} text",
        f"url https://host/?q={SECRET}&b",
        r"repr 'corr\\ect' of a password",
        "Authorization: Bearer abc def ghi",
        "{'authorization': 'Basic YWRhOmFkYQ=='}",
        "bearer Zm9vYmFy",
        "x-api-key: Zm9vYmFy",
        '{"api_key": "Zm9vYmFy"}',
        "MY_SECRET=Zm9vYmFy",
        "password='Zm9vYmFy'",
        "https://ada:Zm9vYmFy@host/path",
        "key sk-ant-Zm9vYmFyZm9v",
        "key ghp_Zm9vYmFyZm9vZm9v",
        "key gsk_Zm9vYmFyZm9vZm9v",
        "key AKIAZ0Z0Z0Z0Z0Z0Z0Z0",
        "jwt eyJhbGciOiJI.Zm9vYmFy.Zm9v",
        "digest " + "0a1b2c3d" * 4,
        "blob " + "Zm9vYmFy12" * 4,
        "-----BEGIN RSA PRIVATE KEY-----\nZm9vYmFy\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_secrets_do_not_survive(text: str) -> None:
    clean = redact(text, ENVIRONMENT)
    assert "[redacted]" in clean
    for piece in (SECRET, "corr", "Zm9vYmFy", "abc def", "YWRh", "0a1b2c3d", "Z0Z0"):
        assert piece not in clean


@pytest.mark.parametrize(
    "text",
    [
        'File "/usr/lib/python3.11/asyncio/base_events.py", line 653, in run_until_complete',
        "ValueError: expected 3 items, got 1",
        "max 4096 characters of conversation 0f3a",
        "in test_a_terminal_that_takes_nothing_is_given_up",
    ],
)
def test_what_is_needed_stays(text: str) -> None:
    assert redact(text, ENVIRONMENT) == text


def test_the_home_folder_is_shortened() -> None:
    assert redact("/home/ada/x /home/ada2/x /home/ada", ENVIRONMENT) == "~/x /home/ada2/x ~"


@pytest.mark.parametrize(
    "piece", ["token", "eyJ-", "+a", "sk-", "://a:", "Bearer ", "password=", "-----BEGIN KEY-----", "Aa1"]
)
def test_hostile_text_does_not_hold_the_crash_up(piece: str) -> None:
    """A quadratic pattern would take minutes here and meet the suite's limit."""
    redact(piece * (250_000 // len(piece)), ENVIRONMENT)


def raised(error: Exception) -> Exception:
    """`error` with a traceback through a frame that holds a secret."""
    local = "".join(("zebra", "fish"))
    try:
        assert local
        raise error
    except type(error) as caught:
        return caught


def test_causes_are_told_and_locals_are_not() -> None:
    try:
        try:
            raise raised(KeyError("inner"))
        except KeyError as inner:
            raise RuntimeError("outer") from inner
    except RuntimeError as error:
        text = report_text(error, ENVIRONMENT)
    assert "KeyError: 'inner'" in text
    assert "RuntimeError: outer" in text
    assert "in raised" in text
    assert "zebrafish" not in text


def test_an_exception_that_cannot_be_printed_is_reported(tmp_path: Path) -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    message = short_message(raised(Broken()), tmp_path)
    assert message.startswith("jp-tui stopped: Broken\n")
    (report,) = (tmp_path / "crashes").iterdir()
    assert "Broken" in report.read_text()


def test_endless_and_huge_ones_are_cut(tmp_path: Path) -> None:
    def deeper(n: int) -> int:
        return deeper(n + 1)

    try:
        deeper(0)
    except RecursionError as error:
        assert write_report(error, tmp_path).stat().st_size < 300_000
    assert len(report_text(raised(ValueError("x y " * 1_000_000)), ENVIRONMENT)) < 300_000
    assert len(short_message(raised(ValueError("x y " * 1_000_000)), tmp_path)) < 1000


def test_a_state_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = short_message(raised(ValueError("bad")), tmp_path / "file")
    assert message.splitlines()[0] == "jp-tui stopped: ValueError: bad"
    assert message.splitlines()[1].startswith("The report couldn't be saved: ")


def test_a_command_without_a_screen(tmp_path: Path) -> None:
    """Two lines and status 1 for the program, two lines for a thread; Ctrl+C leaves no report."""
    script = (
        "import sys, threading, pathlib; from jp_tui.ui.failures.crash_report import install_excepthook\n"
        f"install_excepthook(pathlib.Path({str(tmp_path)!r}))\n"
        "t = threading.Thread(target=lambda: 1 / 0, name='engine'); t.start(); t.join()\n"
        "assert 'textual' not in sys.modules\n"
        "raise {}('no')\n"
    )
    root = Path(__file__).resolve().parents[2]

    def run(what: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script.format(what)]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=LIMIT)

    failed = run("OSError")
    assert failed.returncode == 1
    lines = failed.stderr.splitlines()
    assert [line for line in lines if "stopped" in line] == [
        "jp-tui stopped: ZeroDivisionError: division by zero",
        "jp-tui stopped: OSError: no",
    ]
    reports = sorted((tmp_path / "crashes").iterdir())
    assert len(reports) == 2
    assert all(stat.S_IMODE(report.stat().st_mode) == 0o600 for report in reports)
    assert any("in engine" in report.read_text() for report in reports)
    assert len(run("KeyboardInterrupt").stderr.splitlines()) == 2  # the thread's
    assert len(list((tmp_path / "crashes").iterdir())) == 3


class Crashing(CrashApp):
    """Crashes at the key x, panics at p, and tries to leave with 0 after it crashed."""

    def key_x(self) -> None:
        try:
            raise ValueError("at x")
        finally:
            self.exit(return_code=0)

    def key_p(self) -> None:
        self.panic("a picture of a failure")


@pytest.mark.parametrize(("key", "said"), [("x", "ValueError: at x"), ("p", "RuntimeError: a picture of a failure")])
async def test_the_app_ends_with_1_and_says_it_once(
    tmp_path: Path, key: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app = Crashing(tmp_path)
    with pytest.raises((ValueError, RuntimeError)):  # Textual's pilot raises what ended the app
        async with app.run_test() as pilot:
            await pilot.press(key)
    assert app.return_code == 1
    assert capsys.readouterr() == ("", "")
    guardian.print_exit_text()
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == f"jp-tui stopped: {said}"
    assert len(lines) == 3
    assert len(list((tmp_path / "crashes").iterdir())) == 1
