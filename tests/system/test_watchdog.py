"""Debug mode tells what holds a loop up, with where it was, and nothing else; without it nothing is there."""

from __future__ import annotations

import asyncio
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jp_tui.startup import debugging
from jp_tui.system.watchdog import Watchdog

SECRET = "hunter2-of-the-argument"


def dawdle(seconds: float, said: str = "") -> None:
    """A callback that waits where it should not."""
    time.sleep(seconds)


@contextmanager
def watching(dog: Watchdog) -> Iterator[None]:
    """On the loop of the block, and gone afterwards."""
    before = asyncio.Handle._run
    dog.begin()
    try:
        yield
    finally:
        dog.end()
    assert asyncio.Handle._run is before


def run(callback: Callable[..., object], *arguments: object) -> None:
    """In a loop of its own, in a thread with a name."""

    async def main() -> None:
        asyncio.get_running_loop().call_soon(callback, *arguments)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="somewhere")
    thread.start()
    thread.join()


def test_a_late_callback_is_told_with_its_stack_and_without_its_arguments() -> None:
    told: list[str] = []
    with watching(Watchdog(told.append)):
        run(dawdle, 0.2, SECRET)
    (words,) = [one for one in told if "dawdle" in one]
    first, *stack = words.splitlines()
    assert re.search(r" somewhere: dawdle took \d{3,} ms, of which \d+ ms of work$", first)
    assert any("time.sleep(seconds)" in line for line in stack), words
    assert SECRET not in words and "in watched" not in words


def test_a_coroutine_is_told_by_its_name() -> None:
    async def slow() -> None:
        dawdle(0.2)

    told: list[str] = []
    with watching(Watchdog(told.append)):
        asyncio.run(slow())
    assert any("slow took " in one for one in told), told


def test_what_is_quick_and_what_waits_on_purpose_is_not_told() -> None:
    told: list[str] = []
    with watching(Watchdog(told.append, limit=0.15, patient=frozenset({dawdle.__code__}))):
        run(dawdle, 0.4)
    assert not any("dawdle" in one for one in told)
    with watching(Watchdog(told.append, limit=60.0)):
        run(dawdle, 0.0)
    assert not any("dawdle" in one for one in told)


@pytest.mark.parametrize("value", [None, "", "0", "off"])
def test_without_the_variable_nothing_is_watched(tmp_path: Path, value: str | None) -> None:
    before = asyncio.Handle._run
    assert not debugging.debug(tmp_path, {} if value is None else {"JP_TUI_DEBUG": value})
    assert asyncio.Handle._run is before and list(tmp_path.iterdir()) == []


def test_the_log_is_private_and_redacted_and_begun_anew_when_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says: list[Callable[[str], None]] = []

    class Kept(Watchdog):
        """Watches nothing."""

        def begin(self) -> None:
            says.append(self._say)

    monkeypatch.setattr("jp_tui.system.watchdog.Watchdog", Kept)
    assert debugging.debug(tmp_path, {"JP_TUI_DEBUG": "1", "MY_API_KEY": "abcd-1234-efgh"})
    (say,) = says
    say("took long in /x/abcd-1234-efgh\n")
    log = tmp_path / "logs" / "debug.log"
    assert "took long" in log.read_text() and "abcd-1234" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600 and stat.S_IMODE(log.parent.stat().st_mode) == 0o700
    say("again\n")
    assert log.read_text().count("\n") == 2
    log.write_text("x" * (debugging.LONG + 1))
    say("anew\n")
    assert log.read_text() == "anew\n"
