"""The key of an endpoint: from a variable, or printed by a command of the user's own (wires.md W3).

A key from a command stays in memory only, for as long as the endpoint says. Its output is in no message.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence

from jp_tui.conversation.model import ModelError
from jp_tui.providers.endpoint import Endpoint
from jp_tui.system.children import ChildProblem, run

SECONDS = 10.0
"""Time limit of the command (W3)."""
_MOST = 64 * 1024
"""Bytes of its output that are read."""
_LONGEST = 16 * 1024
"""Characters of a key: no server takes a longer header, and a token of an identity provider has a few thousand."""


class EndpointKey:
    """The key of one endpoint. `get` may run a command; `expire` makes the next `get` run it again."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._command, self._seconds = endpoint.key_command, endpoint.key_secs
        self._at = f"providers.llm.{endpoint.name}.api_key_command"
        self._key = (endpoint.key or "").strip() or None
        self._until = 0.0
        self._lock: asyncio.Lock | None = None

    @property
    def renewable(self) -> bool:
        """True if a refused key may be replaced by a new one."""
        return bool(self._command)

    def expire(self) -> None:
        """Run the command again before the next request."""
        self._until = 0.0

    async def get(self) -> str | None:
        """Return the key, None without one. Raises ModelError if the command gives none."""
        if not self._command:
            return self._key
        self._lock = self._lock or asyncio.Lock()  # made on the loop that uses it
        async with self._lock:
            if time.monotonic() >= self._until:
                self._key = await self._printed(self._command)
                self._until = time.monotonic() + self._seconds
            return self._key

    async def _printed(self, command: Sequence[str]) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in ("PATH", "TERM")}
        try:
            ended = await run(
                command, cwd="/", timeout=SECONDS, output_limit=_MOST, env_extra=environment, leashed=True
            )
        except ChildProblem as problem:
            raise self._failed(str(problem)) from None
        if ended.timed_out:
            raise self._failed(f"it printed no key within {SECONDS:.0f} s")
        if ended.flooded:
            raise self._failed("it printed too much")
        if not ended.ok:
            how = f"status {ended.status}" if ended.status is not None else f"signal {ended.signal}"
            raise self._failed(f"it ended with {how}")
        first = ended.stdout.partition(b"\n")[0].decode("utf-8", "replace").strip()
        if not first:
            raise self._failed("it printed nothing")
        if len(first) > _LONGEST:
            raise self._failed(f"its first line is longer than {_LONGEST:,} characters")
        return first

    def _failed(self, why: str) -> ModelError:
        return ModelError(
            "no_credentials",
            f"{self._at} gave no key: {why}.",
            "Run the command in a terminal to see what it needs, for example a new login.",
        )
