"""The lines of a sheet's menu for keys that the last line has no room for: nothing needs a keyboard (asking.md E60).

What they are called is read from the bindings. What the wheel or a click on the thing itself does has no line here,
nor has what the menu offers anyway. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.key_line import Hint, KeyLine
from jp_tui.ui.text import ours
from jp_tui.view.wording import questions as w

SPARE = "do "
"""What the ids of these lines begin with; the action follows."""
KEYS = "keys"
"""The page of all keys, which the app shows."""
_ELSEWHERE = frozenset(
    {"move(1)", "move(-1)", "read(1)", "hunk(1)", "leave", "accept"}  # wheel and clicks; always in sight
    | {"reply", "note", "edit", "back", "restore", "ask_back", "end_turn"}
    | {"place(1)", "place(-1)"}  # lines of their own
)


def left_out(line: KeyLine, hints: Sequence[Hint]) -> list[Hint]:
    """Those of some hints for which the line has no room, in order of importance."""
    shown = {hint.action for row in line.rows(line.size.width or 1, hints) for *_, hint in row}
    return [hint for hint in hints if hint.action not in shown | _ELSEWHERE]


def rows(hints: Iterable[Hint], sheet: DOMNode, kind: Sequence[Binding]) -> list[ChoiceRow]:
    """A line for each, and one for the page of keys. `kind` are the bindings of the sheet's answer area."""
    bound = _bound(sheet, kind)
    found = [_row(hint, bound.get(hint.action)) for hint in hints]
    return [*found, ChoiceRow(SPARE + KEYS, ours(w.ALL_KEYS), detail=ours(w.ALL_KEYS_DOES))]


def _row(hint: Hint, binding: Binding | None) -> ChoiceRow:
    says = Foreign(binding.description if binding else hint.words.capitalize())
    does = Foreign((binding.tooltip if binding else "") or hint.words)
    short = len(hint.key) == 1
    detail = ours("{does}", does=does) if short else ours("{does} ({key})", does=does, key=ours(hint.key))
    return ChoiceRow(
        SPARE + hint.action, ours("{says}", says=says), key=ours(hint.key) if short else None, detail=detail
    )


def _bound(sheet: DOMNode, kind: Sequence[Binding]) -> dict[str, Binding]:
    """The bindings of a sheet and of the widgets around it, by action; the nearest counts."""
    around = [vars(one).get("BINDINGS", []) for node in sheet.ancestors_with_self for one in type(node).__mro__]
    found: dict[str, Binding] = {}
    for bindings in (kind, *around):
        for _, binding in BindingsMap(bindings):
            found.setdefault(binding.action, binding)
    return found
