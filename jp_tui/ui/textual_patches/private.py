"""Reads of Textual's private attributes, each with its fallback.

Nothing is changed here, so none of it needs a version: a missing name costs a feature, named beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.binding import BindingsMap

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.driver import Driver
    from textual.screen import Screen
    from textual.strip import Strip


def keymap(app: App[Any]) -> Mapping[str, str]:
    """Return the user's own keys by action id, as given to `App.set_keymap`. Without: lines name the default keys."""
    found: Mapping[str, str] = getattr(app, "_keymap", {})
    return found


def class_bindings(kind: type[object]) -> BindingsMap:
    """Return the bindings of a class and those that it inherits. Without: those of all its bases."""
    found = getattr(kind, "_merged_bindings", None)
    return found if isinstance(found, BindingsMap) else _declared(kind)


def own_bindings(node: DOMNode) -> BindingsMap:
    """Return the bindings of one widget. Without: those of its class, so that a change is lost."""
    found = getattr(node, "_bindings", None)
    return found if isinstance(found, BindingsMap) else _declared(type(node))


def _declared(kind: type[object]) -> BindingsMap:
    declared = [base.__dict__.get("BINDINGS", []) for base in kind.__mro__]
    return BindingsMap.merge([BindingsMap(bindings) for bindings in declared])


def rendered(screen: Screen[Any]) -> list[Strip]:
    """Return the rows that are on the screen. Without: none, and the next start has no first frame."""
    compositor = getattr(screen, "_compositor", None)
    render = getattr(compositor, "render_strips", None)
    found: list[Strip] = render() if render is not None else []
    return found


def terminal_of(app: App[Any]) -> Driver | None:
    """Return the driver of an app with a terminal. Without: nothing but the screen is written to the terminal."""
    found: Driver | None = getattr(app, "_driver", None)
    return None if found is None or app.is_headless else found


def apply_again(app: App[Any], theme: str) -> None:
    """Apply a theme whose name is that of the current one. Without: parts that depend on the theme keep the old one."""
    getattr(app, "_watch_theme", lambda name: app.refresh_css(animate=False))(theme)


def set_clipboard(app: App[Any], text: str) -> None:
    """Set the text that Ctrl+V pastes in the app, without the terminal. Without: it pastes the previous copy."""
    app._clipboard = text
