"""Patches of Textual, and classes that build on its private parts: all of them, with a guard for each.

**The table** `PATCHES` says for each patch what it changes, why, what is missing without it, and which row of
`tests/bench` includes its effect. `jp-tui doctor` names the patches that aren't applied.

**The guard.** A patch is applied once, and only if

- the installed version of Textual is within `TESTED`, the range that pyproject.toml allows, and
- the parts that it touches have the expected *shape*: the names exist, and functions take the parameters and use the
  names that the patch relies on (`shape.py`, microseconds for each check, without `inspect`).

If either check fails, jp-tui works without the patch. `tests/ui/test_textual_patches.py` runs the program with each
patched part altered in turn, and a plain Textual to see that it still has the fault: a patch whose fault is gone from
every version that is allowed can be deleted.

**The modules.** `faults.py` and `strips.py` change functions of Textual. `output_gate.py`, the last filter before the
terminal, wraps a public one and always applies. `compositing.py` and `text_colours.py` have classes to be used in place
of Textual's, and `crashes.py` functions for an app's own methods. The driver, which is larger, is
`ui/driver/workspace_driver.py`; its guard is its `check`. `private.py` only reads private attributes: nothing is
changed there, and each function names its fallback for a missing attribute, so it needs no guard. No other module uses
a private part of Textual (`tests/house/test_private.py`).

Python's own `dataclasses` are patched by `system/quick_classes.py`, with the same two guards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from jp_tui.ui.textual_patches.shape import Unfit, installed_version, is_within

if TYPE_CHECKING:
    from textual._compositor import Compositor

TESTED = ("8.2.5", "8.3")
"""The first version of Textual that is tested, and the first that isn't. pyproject.toml has the same range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A change of Textual. No issue in Textual's tracker is known for those without `upstream`."""

    name: str
    what: str
    why: str
    without: str
    install: str
    """MODULE:FUNCTION. The function applies the patch, or raises Unfit, AttributeError or ImportError. It is None for a
    class that is used in place of one of Textual's: then it only checks the shape."""
    bench: str = ""
    """The row of tests/bench that includes the effect, with other causes. Empty if the patch isn't for speed."""
    upstream: str = ""


_HERE = "jp_tui.ui.textual_patches"
PATCHES = (
    Patch(
        name="timer",
        what="A timer that fires once fires late instead of never, if the process is held up just as the timer begins.",
        why="Textual takes the only tick of such a timer for one that was missed, and skips it.",
        without="On a busy machine a start may stay without an engine.",
        install=f"{_HERE}.faults:fire_late_timers",
    ),
    Patch(
        name="style cache",
        what="The two backgrounds of a widget are cached by colour, not by widget.",
        why="The cache is a class's, but its key includes the cache object of one widget, which it keeps in memory.",
        without="The last thousand widgets that were closed stay in memory.",
        install=f"{_HERE}.faults:share_backgrounds",
        bench="memory after 1,000 turns",
    ),
    Patch(
        name="strips",
        what="A strip makes its seven caches when they are first used.",
        why="Most strips of a long transcript use none of them, and empty caches are most of what such a strip holds.",
        without="A long conversation needs more memory.",
        install=f"{_HERE}.strips:install",
        bench="memory after 1,000 turns",
    ),
    Patch(
        name="compositor",
        what="Only the widgets and rows that changed are painted again.",
        why="Textual asks every widget of the screen for all of its rows whenever one of them has changed.",
        without="A key or a token paints more of the screen.",
        install=f"{_HERE}.compositing:check",
        bench="CPU for 1,000 tokens at 200/s",
    ),
    Patch(
        name="text colours",
        what="A text area works out its colours when they change, not at each key.",
        why="Looking them up in the stylesheet for each row takes a quarter of the time from a key to its paint.",
        without="A key takes longer to paint.",
        install=f"{_HERE}.text_colours:check",
        bench="key to paint at rest",
    ),
    Patch(
        name="driver",
        what="The driver sleeps while nothing is typed, and a terminal that stops reading never blocks the app.",
        why="Textual's driver wakes ten times a second, and its parser types unknown sequences into a focused field.",
        without="Textual's driver is used: it polls, blocks with the terminal, and doesn't clean the terminal's input.",
        install="jp_tui.ui.driver.workspace_driver:check",
        bench="10 idle seconds, CPU",
    ),
    Patch(
        name="crashes",
        what="An unhandled exception ends in a short message and a report without secrets.",
        why="Textual prints a traceback with the values of all local variables, keys included.",
        without="The message comes with Textual's own traceback.",
        install=f"{_HERE}.crashes:check",
    ),
)
_INSTALL = {patch.name: patch.install for patch in PATCHES}
ALWAYS = ("timer", "style cache", "strips")
"""Those applied when a row or a screen is first made; the others are applied at their first use."""


@cache
def problem(name: str) -> str:
    """Apply the patch of that name if it wasn't yet. Return why it can't be applied, empty if it is."""
    if untested := _untested():
        return untested
    module, _, function = _INSTALL[name].partition(":")
    try:
        getattr(import_module(module), function)()
    except (Unfit, AttributeError, ImportError) as error:
        return str(error)
    return ""


@cache
def _untested() -> str:
    version = installed_version("textual")
    if is_within(version, TESTED):
        return ""
    return f"Textual {version or 'of an unknown version'} isn't tested, only {TESTED[0]} up to {TESTED[1]} (excluded)"


def applied(name: str) -> bool:
    """Apply the patch of that name if it wasn't yet. Return True if it is applied."""
    return not problem(name)


def problems() -> dict[str, str]:
    """Return by name why patches aren't applied. Applies all that can be."""
    return {patch.name: found for patch in PATCHES if (found := problem(patch.name))}


def compositor() -> type[Compositor] | None:
    """Return the class to use in place of a screen's compositor; None for Textual's own."""
    if not applied("compositor"):
        return None
    from jp_tui.ui.textual_patches.compositing import ChangesCompositor

    return ChangesCompositor


def install() -> None:
    """Apply the patches that must precede the first strip, widget or timer."""
    for name in ALWAYS:
        problem(name)
