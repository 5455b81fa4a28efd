"""A form as lines, one for each part of the document that is unfolded, and where a verdict belongs among them (E28).

Lines are values that a face paints; they hold no text of the document, so that typing changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.choices import EnumChoice
from jp_tui.view.schema.edit import Path, get, odd, why_not
from jp_tui.view.schema.form import SchemaOutline, Shape
from jp_tui.view.schema.remainder import rest

FEW = 12
"""Parts of an object up to which it stands unfolded at first."""
Role = Literal["field", "head", "option", "add", "json", "more"]
ASIDE: tuple[Role, ...] = ("option", "add", "more")
"""Lines that stand for no part of their own."""
WHOLE = {
    "text": "the text", "integer": "the number", "number": "the number", "boolean": "the answer",
    "choice": "the choice", "many": "the choices", "list": "the list", "object": "the object", "null": "the value",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormLine:
    """One line: a field, the head of a list, an object or a long choice, one option of that, a place to add, what of
    an object or inside what is folded has no line.

    `name` is the property's, or the entry's number from 1; `required` only of a property; `more` counts the keys that
    have no line, and `keys` are the first of them.
    """

    path: Path
    shape: Shape
    role: Role
    name: str
    depth: int
    required: bool = False
    unfolded: bool = False
    option: int = 0
    note: str = ""
    more: int = 0
    keys: tuple[str, ...] = ()

    @property
    def entry(self) -> bool:
        """Whether it is an entry of a list, which can be moved and removed."""
        return bool(self.path) and isinstance(self.path[-1], int) and self.role not in ASIDE

    @property
    def writes(self) -> bool:
        """Whether text is typed in it."""
        return self.role == "field" and self.shape.kind in ("text", "integer", "number")

    @property
    def label(self) -> str:
        """What it is called: the title that the schema gives it, else its name; the whole answer by its kind."""
        return self.shape.title or self.name or ("" if self.path else WHOLE.get(self.shape.kind, ""))


@dataclass(frozen=True, slots=True)
class _Look:
    """`folds` is what was folded (False) and unfolded (True) by hand; `inline` tells whether a choice fits on one
    line, `kept` which values of a long one are listed."""

    folds: Mapping[Path, bool]
    inline: Callable[[Shape], bool]
    kept: Callable[[Path, EnumChoice], bool]


def _all(path: Path, choice: EnumChoice) -> bool:
    return True


def lines(
    form: SchemaOutline, document: Json, folds: Mapping[Path, bool], inline: Callable[[Shape], bool],
    kept: Callable[[Path, EnumChoice], bool] = _all,
) -> list[FormLine]:  # fmt: skip
    """All lines that are unfolded; the last three as in `_Look`."""
    root, look = form.root, _Look(folds, inline, kept)
    if root.kind == "object" and not root.nullable and not why_not(root, document):
        return list(_parts(root, document, (), 0, look))
    return list(_line(root, document, (), "", 0, False, look))


def _parts(shape: Shape, document: Json, path: Path, depth: int, look: _Look) -> Iterator[FormLine]:
    for name, part in shape.parts.items():
        yield from _line(part.shape, document, (*path, name), name, depth, part.required, look)
    yield from _rest(shape, document, path, depth, deep=False)


def _rest(shape: Shape, document: Json, path: Path, depth: int, *, deep: bool) -> Iterator[FormLine]:
    """What the lines above do not show of an object; `deep` of all that is folded there."""
    found = rest(shape, get(document, path), deep=deep)
    if found.total:
        yield FormLine(path, shape, "more", "", depth, more=found.total, keys=found.names)


def _line(
    shape: Shape, document: Json, path: Path, name: str, depth: int, required: bool, look: _Look
) -> Iterator[FormLine]:
    value = get(document, path)
    note = why_not(shape, value)
    if note:
        yield FormLine(path, shape, "json", name, depth, required, note=note)
    elif shape.kind == "object":
        new_entry = bool(path) and isinstance(path[-1], int)
        unfolded = look.folds.get(path, not path or (len(shape.parts) <= FEW and not new_entry and not shape.nullable))
        yield FormLine(path, shape, "head", name, depth, required, unfolded)
        if unfolded:
            yield from _parts(shape, document, path, depth + 1, look)
        else:
            yield from _rest(shape, document, path, depth + 1, deep=True)
    elif shape.kind == "list":
        unfolded = look.folds.get(path, not path)
        yield FormLine(path, shape, "head", name, depth, required, unfolded)
        if unfolded:
            for at in range(len(value) if isinstance(value, list) else 0):
                yield from _line(shape.item, document, (*path, at), str(at + 1), depth + 1, False, look)
            yield FormLine(path, shape, "add", "", depth + 1)
        else:
            yield from _rest(shape, document, path, depth + 1, deep=True)
    elif shape.kind in ("choice", "many") and (not look.inline(shape) or odd(shape, value)):
        unfolded = look.folds.get(path, not path)
        yield FormLine(path, shape, "head", name, depth, required, unfolded)
        if unfolded:
            for place, choice in enumerate(shape.choices):
                if not look.kept(path, choice):
                    continue
                yield FormLine(path, shape, "option", choice.label, depth + 1, option=place)
    else:
        yield FormLine(path, shape, "field", name, depth, required)


def path_of(document: Json, pointer: str) -> Path:
    """The path that a JSON pointer means in a document; it ends where the document does."""
    path: list[str | int] = []
    here: Json = document
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and step.isascii() and step.isdigit() and len(step) < 9:
            path.append(int(step))
            here = here[int(step)] if int(step) < len(here) else None
        else:
            path.append(step)
            here = here.get(step) if isinstance(here, dict) else None
    return tuple(path)


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong at a place; `missing` when there is nothing yet where something must be."""

    path: Path
    pointer: str
    words: str
    missing: bool = False


def problems(document: Json, verdict: Sequence[tuple[str, str]]) -> list[FieldProblem]:
    """A verdict on a document as the places where it belongs: what is missing belongs to the field that is empty."""
    found = []
    for pointer, words in verdict:
        path, key = path_of(document, pointer), w.missing(words)
        if key is None:
            found.append(FieldProblem(path, pointer, words))
        else:
            quoted = key.replace("~", "~0").replace("/", "~1")
            found.append(FieldProblem((*path, key), f"{pointer}/{quoted}", "is missing", True))
    return found


def line_of(rows: Sequence[FormLine], path: Path) -> int | None:
    """The line where a path is edited, else the nearest one around it."""
    best, where = -1, None
    for at, line in enumerate(rows):
        if line.role not in ASIDE[:2] and len(line.path) > best and path[: len(line.path)] == line.path:
            best, where = len(line.path), at
    return where


def pointer(path: Path) -> str:
    """A path as a JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
