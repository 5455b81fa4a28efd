"""Lines of a worker about what failed: with the advice and the report's file (store.md D20)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from jp_tui.headless.output import TextOutput
from jp_tui.headless.serve import ServeRun, WorkerFacts
from jp_tui.protocol import events as e


class _Link:
    """A worker that has these events, and ends."""

    def __init__(self, *found: e.Event) -> None:
        self._found = [*found, e.Stopped()]

    def start(self, ready: Callable[[], None]) -> None:
        ready()

    def collect(self) -> list[e.Event]:
        found, self._found = self._found, []
        return found

    def close(self, _: float) -> bool:
        return True


def test_what_failed_is_said_with_its_advice_and_its_report() -> None:
    link: Any = _Link(
        e.BackgroundFailed(message="ValueError: x", file="/state/report.txt"),
        e.UserNotice(message="The store was repaired.", advice="Look at the copy."),
        e.StorageFailed(message="No space left on device", advice="Free disk space."),
    )
    out, err = io.StringIO(), io.StringIO()
    facts = WorkerFacts("w", "here", ("/w",), 0.0)
    assert ServeRun(link, facts, TextOutput(True, out, err), {}).run() == 0
    said = err.getvalue()
    assert "(ValueError: x)" in said and "/state/report.txt" in said
    assert "The store was repaired. Look at the copy." in said
    assert "No space left on device Free disk space." in said
