"""A plugin of pytest: which blocks each test reached, and how long it took (`probes.py`).

Started as `-p tests.mutants.recorder` with JP_MUTANTS_HITS, the mapped file, and JP_MUTANTS_FOUND, where a line of
JSON a test goes. What a fixture of a whole file reaches when it is made counts for every test of that file.
"""

from __future__ import annotations

import base64
import json
import mmap
import os
import time
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest


class Recorder:
    """Reads and clears the bytes around each test."""

    def __init__(self, hits: Path, found: Path) -> None:
        with hits.open("r+b") as file:
            self._hits = mmap.mmap(file.fileno(), 0)
        self._size = len(self._hits)
        self._found = found.open("a")
        self._begun = 0.0
        self._item = ""
        self._mine = bytearray(self._size)
        self._ended: dict[str, str] = {}

    def _take(self) -> bytes:
        data = self._hits[:]
        self._hits[:] = bytes(self._size)
        return data

    def _write(self, **said: Any) -> None:
        self._found.write(json.dumps(said) + "\n")
        self._found.flush()

    def _packed(self, data: bytes) -> str:
        return base64.b64encode(zlib.compress(data)).decode()

    def _add(self, data: bytes) -> None:
        both = int.from_bytes(self._mine, "big") | int.from_bytes(data, "big")
        self._mine[:] = both.to_bytes(self._size, "big")

    def _keep(self) -> None:
        data = self._take()
        if any(data):
            self._mine[:] = (int.from_bytes(self._mine, "big") | int.from_bytes(data, "big")).to_bytes(
                self._size, "big"
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._take()
        self._mine = bytearray(self._size)
        self._begun = time.monotonic()
        done = yield
        self._keep()
        seconds = round(time.monotonic() - self._begun, 3)
        ended = self._ended.pop(item.nodeid, "?")
        self._write(test=item.nodeid, s=seconds, ended=ended, hits=self._packed(bytes(self._mine)))
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            return (yield)
        self._keep()
        done = yield
        data = self._take()
        if any(data):
            self._write(file=request.node.nodeid.partition("::")[0], hits=self._packed(data))
            self._mine[:] = (int.from_bytes(self._mine, "big") | int.from_bytes(data, "big")).to_bytes(
                self._size, "big"
            )
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed" or report.when == "call":
            self._ended[report.nodeid] = report.outcome


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(
        Recorder(Path(os.environ["JP_MUTANTS_HITS"]), Path(os.environ["JP_MUTANTS_FOUND"])), "mutants-recorder"
    )
