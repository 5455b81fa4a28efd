"""Which keys are named under a form: those that do something on the line under the cursor (asking.md "Keys", E28).

It names them only; what they do is `schema_keys.py`'s.
"""

from __future__ import annotations

from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.schema.document import FormDocument


def line_hints(filling: FormDocument) -> list[Hint]:
    """The keys that work on the line under the cursor."""
    line = filling.line
    found: list[Hint] = []
    if line is None:
        return found
    if line.writes:
        found.append(Hint("enter", "write", "accept", keep=True))
    elif line.role == "field" and line.shape.kind == "many":
        found += [Hint("←→", "move", "option(1)"), Hint("space", "toggle", "take")]
    elif line.role == "field" and line.shape.kind != "null":
        found += [Hint("←→", "move", "option(1)"), Hint("space", "choose", "take")]
    elif line.role == "option":
        found.append(Hint("enter", "toggle" if line.shape.kind == "many" else "choose", "take", keep=True))
    elif line.role == "head":
        found.append(Hint("enter", "folds" if line.unfolded else "opens", "take", keep=True))
    elif line.role == "add":
        found.append(Hint("enter", "adds", "add", keep=True))
    elif line.role == "json":
        found.append(Hint("enter", "write it as JSON", "face", keep=True))
    elif line.role == "more":
        found.append(Hint("enter", "show them as JSON", "face", keep=True))
    if line.shape.kind == "list" and line.role == "head":
        found.append(Hint("+", "adds", "add"))
    found += _removal_hint(filling)
    if line.entry:
        found.append(Hint("alt+↑↓", "move it", "shift(1)"))
    return [*found, Hint("tab", "next field", "field(1)")]


def _removal_hint(filling: FormDocument) -> list[Hint]:
    line = filling.line
    does = filling.removal(line) if line is not None else ""
    if line is None or not does or (does == "unset" and line.required):
        return []
    return [Hint("del", does, "remove")]


def field_line_hints(filling: FormDocument, *, empty: bool) -> list[Hint]:
    """The same while a text is written; `empty`: there is none in the field."""
    line, found = filling.line, [Hint("tab", "next field", "field(1)", keep=True)]
    if line is not None and line.shape.nullable and empty:
        found += _removal_hint(filling)
    return [*found, Hint("alt+↑↓", "move entry", "shift(1)")] if line is not None and line.entry else found
