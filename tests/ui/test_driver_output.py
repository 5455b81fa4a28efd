"""What goes to the terminal goes at once, in its order and whole, whoever writes and whether or not it is read (T8)."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import threading
import time
import tty
from collections.abc import Iterator
from typing import Any

import pytest

from jp_tui.ui.driver.output import TerminalOutput
from tests.limits import LIMIT


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """A terminal's master and its other end, raw."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, slave
    os.close(master)
    os.close(slave)


def read(master: int, until: bytes) -> bytes:
    """What was written, up to the end that is named."""
    found, end = b"", time.monotonic() + LIMIT
    while not found.endswith(until) and time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            found += os.read(master, 65536)
    assert found.endswith(until), found[-100:]
    return found


def test_what_a_terminal_takes_is_written_by_who_has_it(ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    by_thread: list[bytes] = []
    monkeypatch.setattr(TerminalOutput, "_put", lambda self, data: by_thread.append(data))
    output = TerminalOutput(ends[1], lambda: None)
    for number in range(50):
        output.write(f"<{number}é>")
    assert read(ends[0], b"<49\xc3\xa9>").count(b"<") == 50
    assert output.close() and b"".join(by_thread) == b""


def test_the_others_that_have_the_terminal_still_wait(ends: tuple[int, int]) -> None:
    output = TerminalOutput(ends[1], lambda: None)
    output.write("x")
    assert not fcntl.fcntl(ends[1], fcntl.F_GETFL) & os.O_NONBLOCK
    assert output.close()


def test_a_terminal_that_reads_late_gets_all_in_order(ends: tuple[int, int]) -> None:
    """More than it has room for: the rest of what was begun comes before what is written then."""
    output, texts = TerminalOutput(ends[1], lambda: None), [f"<{number}:{'é' * 3000}>" for number in range(30)]
    for text in texts:  # nobody reads yet: one that waited would wait for ever
        output.write(text)
    output.write("<end>")
    assert read(ends[0], b"<end>").decode() == "".join(texts) + "<end>"
    assert output.close()


def test_of_several_that_write_nothing_is_torn(ends: tuple[int, int]) -> None:
    """Another thread, and a signal's handler in the midst of a write."""
    output = TerminalOutput(ends[1], lambda: None)

    def handler(*_: object) -> None:
        output.write("[s]")

    def other() -> None:
        for number in range(500):
            output.write(f"[o{number}]")

    before = signal.signal(signal.SIGALRM, handler)
    thread = threading.Thread(target=other)
    reader_found: list[bytes] = []
    reader = threading.Thread(target=lambda: reader_found.append(read(ends[0], b"[end]")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        reader.start()
        thread.start()
        for number in range(500):
            output.write(f"[m{number}{'é' * 200}]")
        thread.join()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    output.write("[end]")
    reader.join(LIMIT)
    assert output.close()
    said = reader_found[0].decode()[1:-1].split("][")
    assert [one for one in said if one[0] == "m"] == [f"m{number}{'é' * 200}" for number in range(500)]
    assert [one for one in said if one[0] == "o"] == [f"o{number}" for number in range(500)]
    assert {one for one in said if one[0] not in "mo"} <= {"s", "end"}


def test_a_stalled_terminal_drops_frames_whole_and_tells_when_it_reads_again(ends: tuple[int, int]) -> None:
    told = threading.Event()
    output = TerminalOutput(ends[1], told.set)
    end, written = time.monotonic() + LIMIT, 0
    while not output._dropped and time.monotonic() < end:
        output.write(f"<{'x' * 2000}>")  # nobody reads: one that waited would wait for ever
        written += 1
        time.sleep(0.001)  # a terminal that is behind is told by time
    found: list[bytes] = []
    while not told.is_set() and time.monotonic() < end:
        if select.select([ends[0]], [], [], 0.05)[0]:
            found.append(os.read(ends[0], 65536))
    assert told.is_set()
    output.write("<end>")
    found.append(read(ends[0], b"<end>"))
    frames = b"".join(found).removesuffix(b"<end>")
    assert frames == f"<{'x' * 2000}>".encode() * (len(frames) // 2002) and len(frames) // 2002 < written
    assert output.close()


def test_without_a_second_way_the_thread_writes(ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """After `su` the terminal is somebody else's, and cannot be opened again."""

    def refused(*_: Any, **__: Any) -> int:
        raise PermissionError

    monkeypatch.setattr("jp_tui.ui.driver.output.os.open", refused)
    output = TerminalOutput(ends[1], lambda: None)
    output.write("one")
    output.write("two")
    assert read(ends[0], b"two") == b"onetwo"
    assert output.close()


def test_it_ends_with_a_terminal_that_is_gone() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    output = TerminalOutput(slave, lambda: None)
    os.close(master)
    output.write("nobody reads this")
    assert output.close()
    with pytest.raises(OSError):
        os.write(slave, b"x")
    os.close(slave)
