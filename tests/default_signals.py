"""Signals as a terminal's shell leaves them, whatever started the tests.

`nohup` and a background job of a script start programs with SIGHUP or SIGINT ignored, and what is ignored is inherited
by every child: a test that sends one of these to a program would wait for an end that never comes.
"""

from __future__ import annotations

import signal

_PYTHONS = {signal.SIGPIPE, signal.SIGXFSZ}
"""Python ignores these by itself, and gives a child the defaults (`restore_signals` of subprocess)."""


def restore() -> None:
    """From here on this process, and each program that it starts, has default signals. Call it in the main thread."""
    for number in signal.valid_signals() - _PYTHONS:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
