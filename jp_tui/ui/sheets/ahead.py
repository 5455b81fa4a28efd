"""What sheets are made of, loaded a little at a time while the first answer of a model is awaited.

With the first question it would come in one go, while fifty sub-agents may be asking and somebody types (issue 7). It
decides nothing: a question that comes sooner loads what is missing by itself (`kinds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

SHEETS = "jp_tui.ui.sheets."
MODULES = (
    SHEETS + "field", SHEETS + "banner", SHEETS + "fields", SHEETS + "slots", SHEETS + "tabs",
    "jp_tui.ui.widgets.context", SHEETS + "reading", SHEETS + "area", SHEETS + "layout", SHEETS + "side_fields",
    SHEETS + "form_steps", SHEETS + "side_question", SHEETS + "menu", SHEETS + "sheet", SHEETS + "verdict",
    SHEETS + "boolean", SHEETS + "delivery", "jp_tui.ui.painting.hunks_outline", "jp_tui.ui.painting.hunks_stretches",
    "jp_tui.ui.painting.hunks", SHEETS + "hunk_view", SHEETS + "hunks", SHEETS + "options", SHEETS + "multi",
    SHEETS + "permission", SHEETS + "review", "jp_tui.view.schema.form", "jp_tui.view.schema.lines",
    SHEETS + "schema_state", SHEETS + "schema_paint", SHEETS + "json_editor", SHEETS + "schema_filter",
    SHEETS + "schema_faces", SHEETS + "schema", SHEETS + "text", SHEETS + "secret", SHEETS + "select",
    SHEETS + "kinds",
)  # fmt: skip
"""In an order in which each brings a few milliseconds of its own."""
BREATH = 0.002
"""Seconds between two of them."""


def load(later: Callable[[float, Callable[[], None]], object]) -> None:
    """Each in a step of its own; `later(seconds, step)` calls it."""
    _step(later, iter(MODULES))


def _step(later: Callable[[float, Callable[[], None]], object], names: Iterator[str]) -> None:
    if (name := next(names, "")) != "":
        import_module(name)
        later(BREATH, partial(_step, later, names))
