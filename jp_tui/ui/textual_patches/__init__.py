"""Patches of Textual, and classes that build on its private parts: one table, with a guard for each.

A patch is applied once, and only if the version of Textual is one that this project is tested with and the parts that
it touches have the expected shape. Otherwise jp-tui works without it: `without` says what is missing then. `jp-tui
doctor` names those that aren't applied. Python's own `dataclasses` are patched by `system/quick_classes.py`, which has
the same two guards.
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


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of Textual. No issue in Textual's tracker is known for those without `upstream`."""

    name: str
    what: str
    without: str
    install: str
    """MODULE:FUNCTION. The function applies the patch, or raises Unfit, AttributeError or ImportError. It is None for a
    class that is used in place of one of Textual's: then it only checks the shape."""
    upstream: str = ""


_HERE = "jp_tui.ui.textual_patches"
PATCHES = (
    Patch(
        "timer",
        "A timer that fires once fires late instead of never, if the process is held up just as the timer begins.",
        "On a busy machine a start may stay without an engine.",
        f"{_HERE}.timers:install",
    ),
    Patch(
        "style cache",
        "The two backgrounds of a widget are cached by colour, not by widget.",
        "The last thousand widgets that were closed stay in memory.",
        f"{_HERE}.leaks:share_backgrounds",
    ),
    Patch(
        "signals",
        "A signal drops subscribers that no longer run when somebody subscribes.",
        "Closed widgets that listened to a signal stay in memory until it is next published.",
        f"{_HERE}.leaks:drop_subscribers",
    ),
    Patch(
        "watchers",
        "A watched attribute drops watchers that are closed when somebody watches it.",
        "Closed widgets that watched an attribute stay in memory until it next changes.",
        f"{_HERE}.leaks:drop_watchers",
    ),
    Patch(
        "strips",
        "A strip makes its seven caches when they are first used.",
        "A long conversation needs more memory.",
        f"{_HERE}.strips:install",
    ),
    Patch(
        "gate",
        "The last filter before the terminal reads a strip's segments and its cache directly.",
        "The filter works by public methods, which takes longer.",
        "jp_tui.ui.gate:install_quick",
    ),
    Patch(
        "compositor",
        "Only the widgets and rows that changed are painted again.",
        "A key or a token paints more of the screen.",
        f"{_HERE}.compositing:check",
    ),
    Patch(
        "text colours",
        "A text area works out its colours when they change, not at each key.",
        "A key takes longer to paint.",
        "jp_tui.ui.textual_patches.text_colours:check",
    ),
    Patch(
        "driver",
        "The terminal driver sleeps while nothing is typed, and a terminal that stops reading never blocks the app.",
        "Textual's own driver is used: it polls, blocks with the terminal, and doesn't clean what a terminal sends.",
        "jp_tui.ui.driver:check",
    ),
    Patch(
        "crashes",
        "An unhandled exception ends in a short message and a report without secrets.",
        "The message comes with Textual's own traceback.",
        "jp_tui.ui.crash:check",
    ),
)
_PLACES = {patch.name: patch.install for patch in PATCHES}
ALWAYS = ("timer", "style cache", "signals", "watchers", "strips")
"""Those that are applied when a row or a screen is first made; the others when what they are for is first used."""


@cache
def problem(name: str) -> str:
    """Apply the patch of that name if it wasn't yet. Return why it can't be applied, empty if it is."""
    if untested := _untested():
        return untested
    module, _, function = _PLACES[name].partition(":")
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
    """By name, why patches aren't applied. Applies all that can be."""
    return {patch.name: found for patch in PATCHES if (found := problem(patch.name))}


def compositor() -> type[Compositor] | None:
    """The class to use in place of a screen's compositor; None for Textual's own."""
    if not applied("compositor"):
        return None
    from jp_tui.ui.textual_patches.compositing import Frugal

    return Frugal


def install() -> None:
    """Apply what has to be in place before the first strip, widget or timer is made."""
    for name in ALWAYS:
        problem(name)
