"""Lines of a form, one for each visible part of the document, and the place of a verdict among them (E28).

Lines are values that a front end paints; they contain no document text, so typing changes none of them.
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
"""Properties up to which an object is unfolded at first."""
Role = Literal["field", "head", "option", "add", "json", "more"]
ASIDE: tuple[Role, ...] = ("option", "add", "more")
"""Lines without a part of their own."""
WHOLE = {
    "text": "the text", "integer": "the number", "number": "the number", "boolean": "the answer",
    "choice": "the choice", "many": "the choices", "list": "the list", "object": "the object", "null": "the value",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormLine:
    """One line: a field, the head of a list, an object or a long choice, one of its options, a place to add, or the
    hidden rest of an object.

    `name` is the property's, or the entry's number from 1; `required` only for a property; `more` counts the keys
    without a line, and `keys` are the first of them.
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
        """True for an entry of a list, which can be moved and removed."""
        return bool(self.path) and isinstance(self.path[-1], int) and self.role not in ASIDE

    @property
    def writes(self) -> bool:
        """True if text is typed in it."""
        return self.role == "field" and self.shape.kind in ("text", "integer", "number")

    @property
    def label(self) -> str:
        """Return its label: the schema's title, else its name; for the whole answer its kind."""
        return self.shape.title or self.name or ("" if self.path else WHOLE.get(self.shape.kind, ""))


@dataclass(frozen=True, slots=True)
class _Look:
    """`folds` are parts folded (False) and unfolded (True) by the user; `inline` tells whether a choice fits on one
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
    """Return all visible lines; the last three arguments as in `_Look`."""
    root, look = form.root, _Look(folds, inline, kept)
    if root.kind == "object" and not root.nullable and not why_not(root, document):
        return list(_parts(root, document, (), 0, look))
    return list(_line(root, document, (), "", 0, False, look))


def _parts(shape: Shape, document: Json, path: Path, depth: int, look: _Look) -> Iterator[FormLine]:
    for name, part in shape.parts.items():
        yield from _line(part.shape, document, (*path, name), name, depth, part.required, look)
    yield from _rest(shape, document, path, depth, deep=False)


def _rest(shape: Shape, document: Json, path: Path, depth: int, *, deep: bool) -> Iterator[FormLine]:
    """Line for the keys of an object without lines above; `deep` includes everything folded."""
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
    """Return the path of a JSON pointer in a document; it stops where the document does."""
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
    """Problem at a place; `missing` if a required value is absent."""

    path: Path
    pointer: str
    words: str
    missing: bool = False


def problems(document: Json, verdict: Sequence[tuple[str, str]]) -> list[FieldProblem]:
    """Assign a verdict on a document to places: a missing value belongs to the empty field."""
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
    """Return the line where a path is edited, else that of the nearest parent."""
    best, where = -1, None
    for at, line in enumerate(rows):
        if line.role not in ASIDE[:2] and len(line.path) > best and path[: len(line.path)] == line.path:
            best, where = len(line.path), at
    return where


def pointer(path: Path) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
