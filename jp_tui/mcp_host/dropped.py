"""Bound what a server may send (mcp.md P51).

What is too much is counted in its log and dropped. A flood is read in pieces with pauses, so that the server waits and
leaves the processor to others.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import mcp_types as types

from jp_tui.mcp_host.log_file import LogFile

MESSAGES, FLOODED = 1000, 100
"""Most messages a second, and as many at once; most of them a second in a flood."""
FLOOD = "notifications above 1,000 a second"
UNANSWERED = 1000
"""Most requests of a server that wait for an answer."""
_WAITING = "requests while 1,000 wait for an answer"
_REUSED = "requests with the id of one that waits"
_NAMED = 5
_PAUSE = 0.05
"""Seconds after a piece of a flood."""
_STINT, _RESTS = 0.005, 4
"""Seconds of our own work after which there is a pause, and times that the pause is longer."""
_CALM = 1.0
"""Seconds without too many messages, after which reading goes on without pauses."""


class Pace:
    """The pace at which the output of one server is read."""

    def __init__(self) -> None:
        self._left, self._counted = float(MESSAGES), time.monotonic()
        self._floods_until = self._worked = 0.0

    def exceeded(self, count: int = 1) -> bool:
        """Count messages; return True if there are too many."""
        now = time.monotonic()
        rate = FLOODED if self.floods else MESSAGES
        left = min(self._left + (now - self._counted) * rate, MESSAGES)
        self._left, self._counted = (left - count if left >= count else min(left, 1.0)), now
        if left >= count:
            return False
        if now >= self._floods_until:
            self._worked = time.process_time()
        self._floods_until = now + _CALM
        return True

    @property
    def floods(self) -> bool:
        """Return whether there were too many in the last second."""
        return time.monotonic() < self._floods_until

    async def rest(self, *, piece: bool = False) -> None:
        """Wait a moment if there were too many messages, after a piece of output or some work."""
        if not self.floods:
            return
        worked = time.process_time() - self._worked
        if piece or worked >= _STINT:
            await asyncio.sleep(max(_PAUSE if piece else 0.0, _RESTS * worked))
            self._worked = time.process_time()


class Dropped:
    """The dropped messages of one server, by what they were."""

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self._counts: dict[str, int] = {}
        self._waiting: set[str | int] = set()
        self.pace = Pace()

    def refuses(self, message: Any, *, exceeded: bool) -> bool:
        """Return True, and drop a message of the server, if it may not send it; `exceeded`: it sent too many."""
        why = ""
        if isinstance(message, types.JSONRPCNotification):
            why = FLOOD if exceeded else ""
            if message.method == "notifications/cancelled":
                self._waiting.discard((message.params or {}).get("requestId", ""))
        elif isinstance(message, types.JSONRPCRequest):
            why = _REUSED if message.id in self._waiting else _WAITING if len(self._waiting) >= UNANSWERED else ""
            self._waiting |= {message.id} if not why else set()
        if why:
            self.add(why)
        return bool(why)

    def answered(self, message: Any) -> None:
        """Take a message to the server: its request waits no longer if this is the answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._waiting.discard(message.id)

    def add(self, what: str, text: str = "") -> None:
        """Drop a message; the first few with their text, the others only counted."""
        count = self._counts[what] = self._counts.get(what, 0) + 1
        if count <= _NAMED and text:
            self._log.write(f"dropped a line that is no JSON-RPC: {text!r}")
        elif count == 1:
            self._log.write(f"drops {what}")

    def close(self) -> None:
        """Write the counts."""
        for what, count in self._counts.items():
            self._log.write(f"dropped {count:,} {what}")
