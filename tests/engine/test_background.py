"""An error in a background task of the engine: a redacted report, one event, and everything else goes on (Z27)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine import hub
from jp_tui.link import strays
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.system.faults import MOST, SeenFailures
from tests.engine.conftest import Bench
from tests.fakes.models import Script, end, text

SECRET = "zq-Planted/7x+key="


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strays, "SOON", 0.01)
    monkeypatch.setenv("PROBE_API_KEY", SECRET)


def broken(*_: Any) -> None:
    raise RuntimeError(f"it broke with {SECRET}\nand more")


async def breaks(*_: Any) -> None:
    broken()


async def stray() -> None:
    """A task that nobody waits for."""
    KEPT.append(asyncio.create_task(breaks()))


async def callback() -> None:
    asyncio.get_running_loop().call_soon(broken)


KEPT: list[asyncio.Task[None]] = []
"""Nothing here is collected as garbage: asyncio would report it only then."""


def once(monkeypatch: pytest.MonkeyPatch, does: Callable[[], Awaitable[None]]) -> None:
    """The engine does this whenever it is asked for the history."""
    handle = hub.Engine._handle

    async def also(self: hub.Engine, command: c.Command) -> None:
        if isinstance(command, c.ReadHistory):
            await does()
        await handle(self, command)

    monkeypatch.setattr(hub.Engine, "_handle", also)


def works(bench: Bench) -> None:
    bench.say("hi")
    assert bench.turn().outcome == "done"


def reports(home: Path) -> list[str]:
    return [file.read_text() for file in (home / "state" / "crashes").iterdir()]


def failures(bench: Bench) -> list[e.BackgroundFailed]:
    return [one for one in bench.events if isinstance(one, e.BackgroundFailed)]


@pytest.mark.parametrize("does", [stray, callback])
def test_a_task_or_a_callback_that_nobody_waits_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, does: Callable[[], Awaitable[None]]
) -> None:
    """(Z27) One event and one redacted report, told once however often it comes; turns go on."""
    once(monkeypatch, does)
    bench.script = Script(*([*text("There."), *end()] for _ in range(3)))
    bench.start()
    bench.send(c.ReadHistory())
    told = bench.until(e.BackgroundFailed)
    assert told.message == "RuntimeError: it broke with [redacted]"
    (report,) = reports(bench.home)
    assert "in broken" in report and "RuntimeError" in report and SECRET not in report
    assert told.file.endswith(".txt") and Path(told.file).read_text() == report
    works(bench)
    for _ in range(3):
        bench.send(c.ReadHistory())
    works(bench)
    bench.stop()
    assert failures(bench) == [told] and len(reports(bench.home)) == 1
    assert not [one for one in bench.events if isinstance(one, e.EngineFailed)]


def test_a_command_that_is_carried_out_beside_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z27) Whoever sent it gets an answer each time; the report is written once."""
    monkeypatch.setattr("jp_tui.engine.desks.models.figures", breaks)
    bench.script = Script([*text("There."), *end()])
    bench.start()
    for _ in range(2):
        bench.send(c.ReadReviewers())
        refused = bench.until(e.Refused)
        assert (refused.command, refused.message) == ("read_reviewers", hub.UNEXPECTED)
    works(bench)
    assert len(failures(bench)) == 1 and len(reports(bench.home)) == 1


def test_what_fails_just_before_the_end_is_reported_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z27)"""
    monkeypatch.setattr(strays, "SOON", 3600.0)
    once(monkeypatch, stray)
    bench.start()
    bench.send(c.ReadHistory())
    bench.until(e.HistoryRead)
    bench.stop()
    assert len(failures(bench)) == 1 and isinstance(bench.events[-1], e.Stopped)


def test_an_exception_that_somebody_retrieves_is_no_stray(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z27)"""

    async def waited_for() -> None:
        task = asyncio.create_task(breaks())
        with pytest.raises(RuntimeError):
            await task

    once(monkeypatch, waited_for)
    bench.start()
    bench.send(c.ReadHistory())
    bench.until(e.HistoryRead)
    bench.stop()
    assert failures(bench) == []


def test_another_failure_is_reported_as_well_up_to_a_limit() -> None:
    """(Z27) By type and place; a program that fails in ever new ways fills no disk."""

    def raised(kind: type[Exception]) -> Exception:
        try:
            raise kind("x")
        except Exception as error:
            return error

    seen = SeenFailures()
    assert seen.new(raised(ValueError)) and not seen.new(raised(ValueError))
    assert seen.new(raised(KeyError)) and seen.new(ValueError("never raised"))
    kinds = [type(f"E{number}", (Exception,), {}) for number in range(2 * MOST)]
    assert sum(seen.new(raised(kind)) for kind in kinds) == MOST - 3
