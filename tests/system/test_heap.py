"""What was freed goes back to the system (issue 9, "a day of work")."""

from __future__ import annotations

import os
import sys

import pytest

from jp_tui.system.heap import _malloc_trim, release_free_memory


def resident() -> int:
    """Bytes."""
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux" or _malloc_trim() is None, reason="a C library without malloc_trim")
def test_what_lies_between_things_in_use_is_given_back() -> None:
    """40 MB of which one in fifty stays: the library by itself gives nothing back of it."""
    things: list[bytes | None] = [bytes(2_000) for _ in range(20_000)]
    for at in range(len(things)):
        if at % 50:
            things[at] = None
    before = resident()
    release_free_memory()
    assert before - resident() > 10_000_000
    assert things[0] == bytes(2_000)


def test_without_such_a_call_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.system.heap._malloc_trim", lambda: None)
    release_free_memory()
