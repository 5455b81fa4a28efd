"""Which keys are named under a form: those that do something on the line under the cursor (asking.md "Keys", E28).

It names them only; what they do is `schema_keys.py`'s.
"""

from __future__ import annotations

from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.schema_keys import FormKeys


class HintedForm(FormKeys):
    """A form that says its keys."""

    def line_hints(self) -> list[Hint]:
        """The keys that work on the line under the cursor."""
        line = self.filling.line
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
        found += self._removal_hint()
        if line.entry:
            found.append(Hint("alt+↑↓", "move it", "shift(1)"))
        return [*found, Hint("tab", "next field", "field(1)")]

    def _removal_hint(self) -> list[Hint]:
        line = self.filling.line
        does = self.filling.removal(line) if line is not None else ""
        if line is None or not does or (does == "unset" and line.required):
            return []
        return [Hint("del", does, "remove")]

    def field_line_hints(self) -> list[Hint]:
        """The same while a text is written."""
        found = [Hint("tab", "next field", "field(1)", keep=True)]
        if self._may_be_null() and not self.fields.entry.value:
            found += self._removal_hint()
        return [*found, Hint("alt+↑↓", "move entry", "shift(1)")] if self._empty_entry() else found
