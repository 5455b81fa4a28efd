"""Import modules one at a time, so that a key typed meanwhile is painted between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from textual.message_pump import MessagePump

PAUSE = 0.002
"""Seconds between two imports: enough for a key that waits to be handled."""


def import_one_by_one(owner: MessagePump, names: Iterator[str], done: Callable[[], object]) -> None:
    """Import the modules by timers of `owner`, then call `done`."""
    name = next(names, None)
    if name is None:
        done()
    else:
        import_module(name)
        owner.set_timer(PAUSE, partial(import_one_by_one, owner, names, done))
