"""An error beside the app's messages, in a task, a callback, a thread or the painter: one redacted report, one line on
the screen, and the workspace goes on (Z27)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.link import strays
from jp_tui.protocol import events as ev
from jp_tui.ui.failures import crash_report
from jp_tui.ui.painting import painter
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, opened, until

SECRET = "zq-Planted/7x+key="
KEPT: list[Any] = []
"""Nothing here is collected as garbage: asyncio would report it only then."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strays, "SOON", 0.01)
    monkeypatch.setenv("PROBE_API_KEY", SECRET)


@asynccontextmanager
async def workspace(state: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """As it runs: exceptions of threads are handed to the app."""
    app = Host(FakeLink(), state=state)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr("sys.excepthook", threading.excepthook)
    crash_report.install_excepthook(state, app.failures.report_from_thread)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        yield app, pilot


def broken(*_: Any) -> None:
    raise RuntimeError(f"it \x1b[31mbroke\u202e with {SECRET}\nand more")


async def breaks() -> None:
    broken()


def task() -> None:
    KEPT.append(asyncio.get_running_loop().create_task(breaks()))


def callback() -> None:
    asyncio.get_running_loop().call_soon(broken)


def thread() -> None:
    threading.Thread(target=broken).start()


async def shown(app: Host, pilot: Pilot[None]) -> str:
    await until(pilot, lambda: "background task failed" in app.screen_text())
    return one_line(app)


def one_line(app: Host) -> str:
    """What the screen shows, without frames and line breaks."""
    return " ".join(app.screen_text().replace("▌", " ").replace("▏", " ").split())


@pytest.mark.parametrize("fails", [task, callback, thread])
async def test_it_is_said_once_and_the_workspace_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Callable[[], None]
) -> None:
    """(Z27) Also when it comes again and again; what the error says is untrusted text."""
    async with workspace(tmp_path, monkeypatch) as (app, pilot):
        for _ in range(3):
            fails()
        screen = await shown(app, pilot)
        assert r"RuntimeError: it broke\u{202E} with [redacted]" in screen and SECRET not in screen
        assert "\x1b[31m" not in screen and "\u202e" not in screen
        (file,) = (tmp_path / "crashes").iterdir()
        report = file.read_text()
        assert "in broken" in report and SECRET not in report
        await pilot.press("escape", "h", "i")
        await app.says(pilot, *scenes.started())
        assert app.composer.text == "hi" and "background task failed" not in app.screen_text()
        fails()
        await pilot.pause(0.1)
        assert "background task failed" not in app.screen_text()
        assert app.return_code is None


async def test_the_painter_goes_on_with_the_next_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z27) A desk whose work fails ends neither the painter nor the app."""
    work, failed = painter.PaintQueue.work, list[int]()

    def sometimes(self: painter.PaintQueue) -> None:
        if not failed:
            failed.append(1)
            broken()
        work(self)

    async with workspace(tmp_path, monkeypatch) as (app, pilot):
        monkeypatch.setattr(painter.PaintQueue, "work", sometimes)
        await app.says(pilot, *scenes.started())
        await shown(app, pilot)
        await app.says(pilot, *scenes.done())
        await until(pilot, lambda: "Nothing else links there." in app.screen_text())
        assert len(list((tmp_path / "crashes").iterdir())) == 1 and app.return_code is None


async def test_what_the_engine_reports_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z27)"""
    async with workspace(tmp_path, monkeypatch) as (app, pilot):
        await app.says(pilot, ev.BackgroundFailed(message="KeyError: \x1b[31mx", file="~/state/crashes/crash-1.txt"))
        screen = one_line(app)
        assert "A background task failed (KeyError:" in screen and "crash-1.txt" in screen and "\x1b" not in screen
        await app.says(pilot, ev.BackgroundFailed(message="KeyError: y"))
        assert "The report couldn't be saved." in app.screen_text()
