"""Pending verdicts, one future per tool call (HOUSE: futures exist only here)."""

from __future__ import annotations

import asyncio

from jp_tui.inquiry.effects import Complete, Defer, Deliver, Permit, RunAgain

Verdict = RunAgain | Complete | Defer | Permit | Deliver


class SuspendedCalls:
    """Calls suspended until the coordinator decides how to continue."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Verdict]] = {}

    def wait(self, call: str) -> asyncio.Future[Verdict]:
        """Return the future of the verdict on this call; a second wait for the same call replaces the first."""
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        if (old := self._waiting.get(call)) is not None:
            old.cancel()
        self._waiting[call] = future
        return future

    def settle(self, verdict: Verdict) -> None:
        """Deliver the verdict; a cancelled call is skipped."""
        future = self._waiting.pop(verdict.call, None)
        if future is not None and not future.done():
            future.set_result(verdict)
