"""What Textual keeps of widgets that are gone, and a timer that it loses: put right once, when this is imported.

A cache of two styles that was meant for a class is one of each widget, and holds the last thousand of them with what
they painted. A signal, and an attribute that is watched, hold whoever listens until the next change, which for a theme
may never come. So every sheet and page that was ever open would weigh on memory and on each collection of garbage.

A timer that is to fire once takes its only tick for one that was missed, and never fires, when the process is held up
for as long as it waits just as it begins: of a start on a busy machine one in some hundreds would stay without engine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.dom import DOMNode
from textual.signal import Signal
from textual.style import Style
from textual.timer import Timer

_subscribe, _watch, _run = Signal.subscribe, DOMNode.watch, Timer._run


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    """The inner and the outer background; of no widget."""
    return Style(background=base_background + background), Style(background=base_background)


def _listens(self: Signal[Any], node: DOMNode, callback: Callable[[Any], object], immediate: bool = False) -> None:
    """`Signal.subscribe`, in place of those that no longer run."""
    for gone in [one for one in list(self._subscriptions) if not one.is_running]:
        self.unsubscribe(gone)
    _subscribe(self, node, callback, immediate)


def _watches(self: DOMNode, obj: DOMNode, attribute_name: str, callback: Callable[..., Any], init: bool = True) -> None:
    """`DOMNode.watch`, in place of those that are closed."""
    watchers = getattr(obj, "__watchers", {}).get(attribute_name, [])
    watchers[:] = [one for one in watchers if not one[0]._closed]
    _watch(self, obj, attribute_name, callback, init)


async def _runs(self: Timer) -> None:
    """`Timer._run`, where what is to happen once is late rather than left out."""
    if self._repeat == 0:
        self._skip = False
    await _run(self)


def install() -> None:
    """Put it in place."""
    Timer._run = _runs  # type: ignore[method-assign]
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign, assignment]
    Signal.subscribe = _listens  # type: ignore[method-assign]
    DOMNode.watch = _watches  # type: ignore[method-assign]


install()
