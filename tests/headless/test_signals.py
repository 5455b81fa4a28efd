"""A signal that comes on the way into a wait is heard all the same, and Ctrl+C can be a key (surface S1)."""

from __future__ import annotations

import os
import signal

import pytest

from jp_tui.headless.endings import Ended, Endings
from jp_tui.headless.source import Bell, Piped


class Late(Piped):
    """The signal comes after everything was looked at, just before the wait."""

    def fileno(self) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return super().fileno()


def test_a_signal_just_before_a_wait_ends_it() -> None:
    read, write = os.pipe()
    bell = Bell()
    with pytest.raises(Ended) as ended, Endings(bell.rope) as endings, endings.heard():
        bell.wait(Late(read))
    assert ended.value.number == signal.SIGTERM
    bell.close()
    os.close(read)
    os.close(write)


def test_every_signal_rings() -> None:
    """Also where no code of ours runs between the signal and the wait: the interpreter itself writes to the rope."""
    bell, seen = Bell(), list[int]()
    with Endings(bell.rope, lambda: seen.append(1)):
        os.kill(os.getpid(), signal.SIGINT)
        assert os.read(bell._in, 16) == bytes([signal.SIGINT]) and seen == [1]
    assert signal.set_wakeup_fd(-1) == -1, "as it was before"
    bell.close()


def test_from_some_point_on_ctrl_c_ends_at_once() -> None:
    """While everything is closed: whoever presses it again means it."""
    noted: list[int] = []
    with Endings(-1, lambda: noted.append(1)) as endings:
        os.kill(os.getpid(), signal.SIGINT)
        endings.final()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert noted == [1] and signal.getsignal(signal.SIGINT) is not signal.SIG_DFL
