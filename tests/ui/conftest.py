"""How tests of the face wait: until nothing is left to be done, which is a fact of the loop, not a length of time.

Textual's own wait sleeps 20 ms at a time until the process uses little CPU. That is four fifths of these tests' time,
and on a busy machine it takes a process that got no CPU for one that has finished. Here the wait ends when no callback
is ready, no timer comes due that the 20 ms would have seen, and the painter has nothing on its desks. Nothing of the
program is replaced, and no timer of it runs faster. A stylesheet that one app has parsed is not parsed by the next,
no widget is given the rules again that it has, and garbage is looked for between tests.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import UPDATE_PERIOD

from jp_tui.ui import gc_schedule
from jp_tui.ui.painting import painter
from tests.conftest import SELDOM

NEAR = 0.02
"""Seconds from the beginning of a wait within which a timer is waited for: what Textual's own wait takes at least."""
REFRESH = UPDATE_PERIOD + 0.002
"""Seconds within which a timer is waited for later too: that is how often a changed screen is laid out."""
REFRESHES = 5
"""How often it is: what looks again and again at a clock that a test has stopped would not come to an end."""
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


_replace = Stylesheet.replace_rules.__func__  # type: ignore[attr-defined]


def replaced(cls: type[Stylesheet], node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    """Rules that a widget has already are not set again one by one."""
    if not animate and node.styles.base._rules == rules:
        node.notify_style_update()
    else:
        _replace(cls, node, rules, animate)


_parse = Stylesheet._parse_rules
_parsed: dict[object, list[RuleSet]] = {}
_known: dict[frozenset[tuple[str, str]], int] = {}


def variables(sheet: Stylesheet) -> int:
    """A number for a sheet's variables, hundreds of them; it gets other ones as a whole."""
    seen: tuple[object, int] | None = sheet.__dict__.get("_seen_variables")
    if seen is None or seen[0] is not sheet._variables:
        seen = (sheet._variables, _known.setdefault(frozenset(sheet._variables.items()), len(_known)))
        sheet.__dict__["_seen_variables"] = seen
    return seen[1]


def parsed(sheet: Stylesheet, css: str, read_from: object, *more: object, **named: object) -> list[RuleSet]:
    """What Textual's parser made of the same text with the same variables; it forgets that with each app."""
    key = (css, read_from, more, frozenset(named.items()), variables(sheet))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, css, read_from, *more, **named)  # type: ignore[arg-type]
    return _parsed[key]


@pytest.fixture(autouse=True, scope="session")
def _waiting_for_facts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        patch.setattr(Stylesheet, "replace_rules", classmethod(replaced))
        patch.setattr(RuleSet, "__hash__", object.__hash__)  # the same number, without a call
        patch.setattr(gc_schedule, "OFTEN", SELDOM)
        patch.setattr(textual.pilot, "wait_for_idle", until_idle)
        patch.setattr(textual.app, "wait_for_idle", until_idle)
        yield
