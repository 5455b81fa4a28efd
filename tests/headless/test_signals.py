"""A signal that comes on the way into a wait is heard all the same, and Ctrl+C can be a key (surface S1)."""

from __future__ import annotations

import linecache
import os
import select
import signal
import sys
import threading

import pytest

from jp_tui.headless.input import Bell
from jp_tui.headless.signals import Ended, Endings
from tests.limits import LIMIT

HEARD = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Elsewhere:
    """A thread to which a signal comes once the main thread is in its wait, so that no system call is interrupted: only
    the rope can end that wait. One that is not ended is ended here after a while, and `missed` says so."""

    def __init__(self, number: int, bell: Bell) -> None:
        self.missed = False
        self._number, self._bell = number, bell
        self._out = threading.Event()
        self._main = threading.get_ident()
        self._thread = threading.Thread(target=self._send)

    def __enter__(self) -> Elsewhere:
        self._thread.start()
        signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
        return self

    def __exit__(self, *_: object) -> None:
        self._out.set()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
        self._thread.join()

    def _send(self) -> None:
        while not self._in_the_wait() and not self._out.wait(0.001):
            pass
        signal.pthread_kill(threading.get_ident(), self._number)
        if not self._out.wait(LIMIT):
            self.missed = True
            self._bell.ring()

    def _in_the_wait(self) -> bool:
        """Who holds the interpreter and sees another thread at this line, sees it in the call or not yet there."""
        frame = sys._current_frames()[self._main]
        return "select.select(" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


@pytest.mark.parametrize("number", HEARD)
def test_a_signal_on_the_way_into_a_wait_ends_it(number: int) -> None:
    """The interpreter has noted it and no code of ours has run yet: without the rope the wait would go on for ever."""
    bell = Bell()
    ends = pytest.raises(Ended)
    with ends as ended, Endings(bell.rope) as endings, Elsewhere(number, bell) as other, endings.raised():
        bell.wait(None)
    assert ended.value.number == number and not other.missed
    bell.close()


def test_a_key_on_the_way_into_a_wait_ends_it() -> None:
    """The same where Ctrl+C is noted and nothing ends: the wait is over, and the note is looked at."""
    bell, noted = Bell(), list[int]()
    with Endings(bell.rope, lambda: noted.append(1)) as endings, Elsewhere(signal.SIGINT, bell) as other:
        with endings.raised():
            assert bell.wait(None) is False
        assert noted == [1] and not other.missed
    bell.close()


@pytest.mark.parametrize("number", HEARD)
def test_a_signal_between_two_waits_ends_the_next_before_it_begins(number: int) -> None:
    """Nothing that is done in between is cut in the middle; the first signal gives the status."""
    bell, done = Bell(), list[str]()
    before = signal.set_wakeup_fd(-1)
    with pytest.raises(Ended) as ended, Endings(bell.rope) as endings:
        os.kill(os.getpid(), number)
        done.append("a whole line")
        assert select.select([bell._in], [], [], 0)[0], "and it rang"
        with endings.raised():
            done.append("a wait")
    assert ended.value.number == number and done == ["a whole line"]
    assert signal.set_wakeup_fd(before) == -1, "as it was before"
    bell.close()


def test_from_some_point_on_ctrl_c_ends_at_once() -> None:
    """While everything is closed: whoever presses it again means it."""
    noted: list[int] = []
    with Endings(-1, lambda: noted.append(1)) as endings:
        os.kill(os.getpid(), signal.SIGINT)
        endings.final()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert noted == [1] and signal.getsignal(signal.SIGINT) is not signal.SIG_DFL
