"""Document content without a line in its form, so that nothing unseen is submitted (issue 5).

Unknown keys are listed where they are; inside folded parts they are counted too. Only names and numbers, never values.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from jp_tui.conversation.strict_json import Json
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.form import Shape

NAMED = 20
"""Keys listed by name; the others are counted."""


class Rest(NamedTuple):
    """Number of keys, and the paths of the first of them."""

    total: int
    names: tuple[str, ...]


NOTHING = Rest(0, ())


def rest(shape: Shape, value: Json | object, *, deep: bool) -> Rest:
    """Return the keys of an object without a line; `deep` includes those inside it, which is folded."""
    found = _deep(shape, value, "") if deep else _own(shape, value, "")
    names = list(islice(found, NAMED))
    return Rest(len(names) + sum(1 for _ in found), tuple(names)) if names else NOTHING


def first_key(shape: Shape, value: Json | object) -> str | None:
    """Return the first key of an object without a line."""
    return next((str(key) for key in value if key not in shape.parts), None) if isinstance(value, dict) else None


def _own(shape: Shape, value: Json | object, way: str) -> Iterator[str]:
    if shape.kind == "object" and isinstance(value, dict):
        known = shape.parts
        yield from (f"{way}{key[: w.LONG]}" for key in value if key not in known)


def _deep(shape: Shape, value: Json | object, way: str) -> Iterator[str]:
    yield from _own(shape, value, way)
    if shape.kind == "object" and isinstance(value, dict):
        for key, part in shape.parts.items():
            if isinstance(value.get(key), (dict, list)):
                yield from _deep(part.shape, value[key], f"{way}{key[: w.LONG]}/")
    elif shape.kind == "list" and isinstance(value, list) and shape.item.kind in ("object", "list"):
        for place, one in enumerate(value):
            yield from _deep(shape.item, one, f"{way}{place}/")
