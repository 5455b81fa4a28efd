"""Painting of one line of a form, and the meaning of a click on each piece of it (issue 5 "Schema"; asking.md E28,
E60).

All text of the schema and of the document goes through `ui/text.py`, bounded first (traps.md T4). Each colour has a
sign or word of the same meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, LiteralString

from textual.content import Content

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.text import blank, cells, cut, foreign, join, ours, styled
from jp_tui.view.schema.choices import odd_label
from jp_tui.view.schema.edit import ABSENT, field_text, odd, place_of
from jp_tui.view.schema.form import Shape
from jp_tui.view.schema.lines import ASIDE, FormLine

LEAST, BESIDE, MOST = 12, 32, 400
"""Least cells of a field and beside it, where there is room, and most characters of a value that are read."""
WRONG: Final = "✗ "
_HINT, _WRONG, _NEED, _KEY, _GREEN = (
    "$foreground-muted", "$text-error", "$text-warning", "bold $text-accent", "$text-success",
)  # fmt: skip
_BOX = "on $foreground 8%"
_HERE = "reverse"


@dataclass(frozen=True, slots=True)
class FormColumns:
    """The columns of a line: the cell where values begin, cells of a field, all cells."""

    at: int
    field: int
    width: int


@dataclass(slots=True)
class LineBuilder:
    """A line that is being painted, and its pieces for clicks."""

    content: Content = field(default_factory=blank)
    hits: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Cells so far."""
        return self.content.cell_length

    def put(self, content: Content, hit: str = "") -> None:
        """Add a piece, and the effect of a click on it."""
        start = self.end
        self.content = join(self.content, content)
        if hit:
            self.hits.append((start, self.end, hit))

    def to(self, column: int) -> None:
        """Add blanks up to a column, at least one after text."""
        gap = max(column - self.end, 1 if self.end else 0)
        if gap:
            self.put(ours(" " * gap))


def name(text: str, limit: int) -> Content:
    """Return text of the schema or the document on one line, nothing in it hidden."""
    if limit < 1:
        return blank()
    return foreign(Foreign(text[:MOST].replace("\n", "⏎").replace("\t", " ")), mode="approval", limit=limit)


def needed(label: str) -> str:
    """`Name is required`."""
    label = label[:60] or "an answer"
    return f"{label[:1].upper()}{label[1:]} is required"


def columns(lines: list[FormLine], width: int) -> FormColumns:
    """Return the columns at a width: values begin beside the longest label, but never beyond two fifths.

    Fields are as wide as there is room for them and, beside them, for the longest hint.
    """
    most = max(width * 2 // 5, 8)
    longest = hint = 0
    for line in lines:
        if line.role not in ASIDE:
            label = cells(Foreign(line.label[:60])) if longest < most else 0
            longest = max(longest, 2 + 2 * line.depth + min(label, most) + 2 * line.required)
            hint = max(hint, len(line.shape.hint) + 4 if line.writes else 0)
    at = min(max(longest, 8), most) + 2
    rest = width - at
    beside = min(max(hint, min(BESIDE, rest * 2 // 5)), rest // 2) if rest >= 36 else 0
    return FormColumns(at, max(rest - beside, LEAST), width)


def fits(shape: Shape, room: int) -> bool:
    """Return True if the choices fit on one line with so many cells for them."""
    choices = shape.choices
    if shape.kind == "boolean":
        return True
    return len(choices) <= 12 and sum(7 + cells(Foreign(one.label[:MOST])) for one in choices) <= room + 3


def paint(line: FormLine, document: FormDocument, place: FormColumns, *, here: bool, written_in: bool) -> LineBuilder:
    """Paint a line. `here`: the cursor is on it; `written_in`: a field is in its place."""
    row = LineBuilder()
    row.put(ours("▸ ", "bold $text-accent") if here else ours("  "))
    row.put(ours("  " * min(line.depth, 10)))
    if line.role == "add":
        row.put(ours("+ add an entry", _KEY if here else _HINT), "add")
        return row
    if line.role == "option":
        _option(row, line, document, here)
        return row
    if line.role == "more":
        _more(row, line, place, here)
        _beside(row, line, document, place, here)
        return row
    label = name(line.label, place.at - row.end - (4 if line.required else 2))
    row.put(styled(label, "bold") if here else label)
    if line.required:
        row.put(ours(" *", _NEED))
    row.to(place.at)
    _VALUES[line.role](row, line, document, place, here, written_in)
    _beside(row, line, document, place, here)
    return row


def _option(row: LineBuilder, line: FormLine, document: FormDocument, here: bool) -> None:
    value, many = document.value_at(line), line.shape.kind == "many"
    choice = line.shape.choices[line.option]
    listed = value if many and isinstance(value, list) else [] if many else [value]
    on = any(place_of(line.shape, one) == line.option for one in listed)
    row.put(_sign(on, many), "option")
    row.put(styled(name(choice.label, 200), _HERE if here else ""), "option")
    if choice.about:
        row.put(ours("  {about}", _HINT, about=name(choice.about, 200)))


def _more(row: LineBuilder, line: FormLine, place: FormColumns, here: bool) -> None:
    """Paint the count of keys that have no line; they are in the answer too."""
    row.put(ours("+ {n} more: ", _NEED, n=line.more), "json")
    names = join(*(name(one, 40) for one in line.keys), sep=ours(", "))
    names = join(names, ours(", …")) if line.more > len(line.keys) else names
    row.put(cut(names, max(place.width - row.end - 7, LEAST)), "json")
    row.put(ours(" (F6)", _KEY if here else _HINT), "json")


def _sign(on: bool, many: bool) -> Content:
    if many:
        return ours("■ ", _GREEN) if on else ours("□ ", _HINT)
    return ours("(•) ", _GREEN) if on else ours("( ) ", _HINT)


def _field(
    row: LineBuilder, line: FormLine, document: FormDocument, place: FormColumns, here: bool, written_in: bool
) -> None:
    shape, value = line.shape, document.value_at(line)
    if not line.writes:
        _choices(row, line, document, here)
        return
    text = field_text(shape, value if not isinstance(value, str) or len(value) <= MOST else value[:MOST]) or ""
    if written_in:
        row.to(place.at + place.field)
        return
    shown = name(text, place.field - 2)
    if not text and shape.nullable:
        shown = ours("null" if value is None else "", _HINT)
    boxed = join(ours(" "), shown).pad_right(max(place.field - 1 - shown.cell_length, 0))
    row.put(styled(boxed, _BOX), "write")


def _choices(row: LineBuilder, line: FormLine, document: FormDocument, here: bool) -> None:
    """Paint all choices on one line."""
    shape, value = line.shape, document.value_at(line)
    if shape.kind == "null":
        row.put(ours("null", _HINT))
        return
    many = shape.kind == "many"
    listed = value if isinstance(value, list) and many else []
    on = {place_of(shape, one) for one in listed} if many else {place_of(shape, value)}
    if many and value is None:
        row.put(ours("null   "))
    labels: list[Content] = [name(one.label, 60) for one in shape.choices]
    if shape.kind == "boolean":
        labels = [ours("yes"), ours("no")] + ([ours("null")] if shape.nullable else [])
    for at, label in enumerate(labels):
        row.put(_sign(at in on, many), f"option:{at}")
        row.put(styled(label, _HERE if here and at == document.option else ""), f"option:{at}")
        row.put(ours("   "))
    if odd(shape, value):
        row.put(_odd(shape, value, 40))


def _odd(shape: Shape, value: object, limit: int) -> Content:
    """Return a value that no choice shows."""
    return ours("{value} · not an option", _WRONG, value=name(odd_label(shape.choices, value), limit))


def _head(
    row: LineBuilder, line: FormLine, document: FormDocument, place: FormColumns, here: bool, written_in: bool
) -> None:
    shape, value = line.shape, document.value_at(line)
    row.put(ours("▾ " if line.unfolded else "▸ ", _KEY), "fold")
    if shape.kind == "choice":
        at = place_of(shape, value)
        said = name(shape.choices[at].label, place.field) if at is not None else ours("none selected", _HINT)
        said = _odd(shape, value, max(place.field - 28, LEAST)) if odd(shape, value) else said
        row.put(join(said, ours(" · {n} choices", _HINT, n=len(shape.choices))), "fold")
    elif shape.kind == "many":
        chosen = len(value) if isinstance(value, list) else 0
        counted = ours("{n} of {m} selected", n=chosen, m=len(shape.choices))
        row.put(ours("null") if value is None else counted, "fold")
    elif shape.kind == "list":
        count = len(value) if isinstance(value, list) else 0
        counted = ours("{n} entry" if count == 1 else "{n} entries", n=count)
        row.put(ours("null") if value is None else counted, "fold")
    elif value is ABSENT:
        row.put(ours("not set", _HINT), "fold")
    elif value is None:
        row.put(ours("null"), "fold")
    elif not line.unfolded:
        row.put(styled(name(preview(value), place.width - row.end - 12), _HINT), "fold")
    if shape.choices and document.letters and line.path == document.narrowed:
        row.put(ours(" · {n} found", "$text-accent", n=document.found or 0), "fold")
    if here and not line.unfolded:
        row.put(ours(" · Enter open", _HINT), "fold")
    if shape.kind == "list":
        row.put(ours(" · ", _HINT))
        row.put(ours("+ adds", _HINT), "add")


def _json(
    row: LineBuilder, line: FormLine, document: FormDocument, place: FormColumns, here: bool, written_in: bool
) -> None:
    value = document.value_at(line)
    if value is not ABSENT:
        row.put(styled(name(preview(value), max(place.field - 2, LEAST)), _BOX), "json")
        row.put(ours(" "))
    row.put(ours("F6 JSON", _KEY if here else _HINT), "json")
    room = place.width - row.end - 3
    if room > 8 and document.problem_at(line) is None:
        row.put(ours(" · {note}", _HINT, note=name(line.note, room)), "json")


_VALUES = {"field": _field, "head": _head, "json": _json}


def preview(value: Json | object) -> str:
    """Return a value in few characters; a large one is not written out in full first."""
    if isinstance(value, str):
        return dump(value[:MOST])
    if isinstance(value, dict) and value:
        pieces = [f"{key[:40]}: {preview(one) if not isinstance(one, (dict, list)) else '…'}"
                  for key, one in list(value.items())[:4]]  # fmt: skip
        return (", ".join(pieces)[:MOST]) + (f", … {len(value) - 4} more" if len(value) > 4 else "")
    if isinstance(value, list) and value:
        inner = [preview(one) if not isinstance(one, (dict, list)) else "…" for one in value[:4]]
        return f"[{', '.join(inner)}{', …' if len(value) > 4 else ''}]"[:MOST]
    try:
        return dump(value)
    except ValueError:
        return "…"


def _beside(row: LineBuilder, line: FormLine, document: FormDocument, place: FormColumns, here: bool) -> None:
    """Paint the problem there, else the hint; on the cursor's line also the buttons of an entry."""
    tools: list[tuple[LiteralString, str]] = []
    value = document.value_at(line)
    if here and line.entry:
        tools = [(" ↑ ", "up"), (" ↓ ", "down"), (" ✕ ", "remove")]
    elif here and line.path and document.removal(line) and not (line.required and not line.shape.nullable):
        tools = [(" ✕ ", "remove")]
    room = place.width - row.end - 2 - 3 * len(tools)
    problem, hint = document.problem_at(line), line.shape.hint if line.role in ("field", "head") else ""
    if problem is not None and room > 5:
        sign, style, said = WRONG, _WRONG, problem.words
        if problem.path != line.path and line.shape.kind != "many":
            said = "something is missing inside" if problem.missing else "wrong inside"
        elif problem.missing:
            said = needed(line.label)
            if not document.started(problem.path):  # the user did nothing wrong yet
                sign, style, said = "", _HINT, "required"
        row.put(ours("  {sign}{said}", style, sign=ours(sign), said=name(said, room - len(sign))), "write")
        room -= len(sign) + len(said) + 3
        if hint and room >= len(hint) and not (value is None and line.shape.nullable):
            row.put(ours(" · {hint}", _HINT, hint=name(hint, room)))
    elif value is None and line.shape.nullable:  # the value shows it, except in a field that is written in
        row.put(ours("  is null" if line.writes and here else "", _HINT))
    elif hint and room > 5:
        row.put(ours("  {hint}", _HINT, hint=name(hint, room)))
    if tools:
        row.to(place.width - 3 * len(tools))
        for sign, hit in tools:
            row.put(ours(sign, _KEY), hit)
