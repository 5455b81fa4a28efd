"""Load the modules of sheets a little at a time, while the first answer of a model is awaited.

The first question would load them in one go, while fifty sub-agents may be asking and the user types (issue 7). A
question that comes sooner loads the missing modules (`registry.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

MODULES = (
    "jp_tui.ui.sheets.field",
    "jp_tui.ui.sheets.reviewer_banner",
    "jp_tui.ui.sheets.json.field",
    "jp_tui.ui.sheets.side_field",
    "jp_tui.ui.sheets.form_tabs",
    "jp_tui.ui.widgets.context",
    "jp_tui.ui.sheets.reading",
    "jp_tui.ui.sheets.area",
    "jp_tui.ui.sheets.layout",
    "jp_tui.ui.sheets.reply_fields",
    "jp_tui.ui.sheets.form_steps",
    "jp_tui.ui.sheets.side_question",
    "jp_tui.ui.sheets.menu",
    "jp_tui.ui.sheets.sheet",
    "jp_tui.ui.sheets.areas.yes_no",
    "jp_tui.ui.sheets.areas.boolean",
    "jp_tui.ui.sheets.areas.delivery",
    "jp_tui.ui.painting.hunks_outline",
    "jp_tui.ui.painting.hunks_stretches",
    "jp_tui.ui.painting.hunks",
    "jp_tui.ui.sheets.areas.hunk_view",
    "jp_tui.ui.sheets.areas.hunks",
    "jp_tui.ui.sheets.areas.options",
    "jp_tui.ui.sheets.areas.multi_select",
    "jp_tui.ui.sheets.areas.permission",
    "jp_tui.ui.sheets.areas.form_summary",
    "jp_tui.view.schema.form",
    "jp_tui.view.schema.lines",
    "jp_tui.ui.sheets.schema.document",
    "jp_tui.ui.sheets.schema.line",
    "jp_tui.ui.sheets.json.editor",
    "jp_tui.ui.sheets.schema.form_and_json",
    "jp_tui.ui.sheets.schema.keys",
    "jp_tui.ui.sheets.schema.area",
    "jp_tui.ui.sheets.areas.text",
    "jp_tui.ui.sheets.areas.secret",
    "jp_tui.ui.sheets.areas.select",
    "jp_tui.ui.sheets.registry",
)
"""Ordered so that each takes a few milliseconds."""
BREATH = 0.002
"""Seconds between two of them."""


def load(later: Callable[[float, Callable[[], None]], object]) -> None:
    """Load each module in a step of its own; `later(seconds, step)` calls it."""
    _step(later, iter(MODULES))


def _step(later: Callable[[float, Callable[[], None]], object], names: Iterator[str]) -> None:
    if (name := next(names, "")) != "":
        import_module(name)
        later(BREATH, partial(_step, later, names))
