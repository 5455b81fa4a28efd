"""A running worker, whose lines are read one by one."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment

SOON = {"JP_TUI_STORE__POLL_SECS": "0.2"}


class Serving:
    """A running worker, whose lines are read one by one."""

    def __init__(self, home: Path, *words: str, as_json: bool = True, **more: str) -> None:
        env = environment(home, **SOON, **more)
        self.process = Forked(
            [*words, *(["--json"] if as_json else [])], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        self._read = b""
        atexit.register(self.kill)  # a test that fails leaves none behind

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)

    def line(self, seconds: float = LIMIT) -> dict[str, Any] | None:
        """The next line; None at the end, or after that time."""
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        while b"\n" not in self._read:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            if not (data := os.read(self.process.stdout.fileno(), 65536)):
                return None
            self._read += data
        first, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(first)
        return found

    def lines(self, quiet: float) -> Iterator[dict[str, Any]]:
        """Its lines until it says nothing for that many seconds."""
        while (found := self.line(quiet)) is not None:
            yield found

    def until(self, kind: str) -> dict[str, Any]:
        while (found := self.line()) is not None:
            if found["type"] == kind:
                return found
        raise AssertionError(f"no {kind}: {self.said()}")

    def text_until(self, words: str) -> str:
        """All that it printed, up to these words."""
        assert self.process.stdout is not None
        found = b""
        while words.encode() not in found:
            assert select.select([self.process.stdout], [], [], LIMIT)[0], found
            found += os.read(self.process.stdout.fileno(), 65536)
        return found.decode()

    def problem(self) -> str:
        """What it printed on stderr since the last look; waits for something."""
        assert self.process.stderr is not None
        assert select.select([self.process.stderr], [], [], LIMIT)[0], "it said nothing"
        return os.read(self.process.stderr.fileno(), 65536).decode()

    def said(self) -> str:
        self.process.kill()
        _, err = self.process.communicate(b"", timeout=LIMIT)
        return err.decode()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Its status after a signal."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT)
