"""How tests of the face wait: until nothing is left to be done, which is a fact of the loop, not a length of time.

Textual's own wait sleeps 20 ms at a time until the process uses little CPU. That is four fifths of these tests' time,
and on a busy machine it takes a process that got no CPU for one that has finished. Here the wait ends when no callback
is ready, no timer comes due that the 20 ms would have seen, and the painter has nothing on its desks. Nothing of the
program is replaced, and no timer of it runs faster. What a stylesheet made of a widget in one app is not worked out
again by the next (`tests/ui/stylesheets.py`), and garbage is looked for between tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual import _callback
from textual.app import ScreenStackError
from textual.message_pump import MessagePump
from textual.screen import UPDATE_PERIOD

from jp_tui.ui import gc_schedule
from jp_tui.ui.painting import painter
from tests.conftest import SELDOM
from tests.ui import stylesheets

NEAR = 0.02
"""Seconds from the beginning of a wait within which a timer is waited for: what Textual's own wait takes at least."""
REFRESH = UPDATE_PERIOD + 0.002
"""Seconds within which a timer is waited for later too: that is how often a changed screen is laid out."""
REFRESHES = 5
"""How often it is: what looks again and again at a clock that a test has stopped would not come to an end."""
_count = _callback._count_parameters
_heard = textual.pilot.Pilot._wait_for_screen
TURNS = 100
"""Turns of the loop in which what can run does, before it is looked at who is busy."""
LIMIT = 10.0
"""Seconds after which a wait ends whatever goes on."""


def painting() -> bool:
    """Whether a painter's thread is at work, or about to be."""
    return any(map(_paints, (painter._painter, painter._slow)))


def _paints(painter: painter._Painter) -> bool:
    with painter.lock:
        if painter._desks:
            return True
        frame = sys._current_frames().get(painter._thread.ident or 0) if painter._thread is not None else None
        return frame is not None and frame.f_code is not threading.Condition.wait.__code__


def next_due(loop: Any) -> float:
    """When the loop's next timer comes due, by the loop's clock."""
    return min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=float("inf"))


async def until_idle(min_sleep: float = NEAR, max_sleep: float = 1.0) -> None:
    """Wait until nothing is ready to run; takes the place of Textual's own wait, but is not over because time is."""
    loop: Any = asyncio.get_running_loop()
    began = loop.time()
    later = 0
    while loop.time() < began + LIMIT:
        await asyncio.sleep(0)
        if painting():
            await asyncio.sleep(0.001)
        elif not loop._ready:  # looked at after the painter: what it delivers makes something ready
            due = next_due(loop)
            if due > began + NEAR:
                if due > loop.time() + REFRESH or later == REFRESHES:
                    return
                later += 1
            await asyncio.sleep(max(0.0, due - loop.time()))


async def until_heard(pilot: textual.pilot.Pilot[Any], timeout: float = 30.0) -> bool:
    """Wait until each widget on the screen has handled what it was sent; takes the place of Textual's own wait, which
    sends all of them a message to find out: those that wait for a message have handled theirs."""
    loop: Any = asyncio.get_running_loop()
    for _ in range(TURNS):
        await asyncio.sleep(0)
        if not loop._ready:
            break
    with contextlib.suppress(ScreenStackError):
        screen = pilot.app.screen
        if any(map(_busy, (pilot.app, *screen.walk_children(with_self=True)))):
            return await _heard(pilot, timeout)
    return True


def _busy(pump: MessagePump) -> bool:
    queue = pump._message_queue
    return not queue.empty() or all(waiter.done() for waiter in queue.ready_event._waiters)


def parameters(function: Callable[..., object]) -> int:
    """How many parameters a function has; its code says so at once."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return _count(function)
    spread = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return int(code.co_argcount + code.co_kwonlyargcount) + spread


@pytest.fixture(autouse=True, scope="session")
def _waiting_for_facts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        stylesheets.remember(patch)
        patch.setattr(_callback, "_count_parameters", parameters)
        patch.setattr(gc_schedule, "OFTEN", SELDOM)
        patch.setattr(textual.pilot, "wait_for_idle", until_idle)
        patch.setattr(textual.pilot.Pilot, "_wait_for_screen", until_heard)
        patch.setattr(textual.app, "wait_for_idle", until_idle)
        yield
