"""Arguments of `ask_user` (inquiries.md R161, R164, R165): a model's input → questions, or all problems.

Three shapes, one internal form. All problems are collected before anything is asked; each has a code, a JSON pointer
and one sentence. Knows no tool, asks nothing, and never repairs. Two checks run elsewhere: duplicate keys, refused by
the parser of traps.md T17 (V19), and usability of a schema, checked in a process (V9) and passed to `judged`.
"""

from __future__ import annotations

from collections.abc import Mapping

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import beyond, pointer, short
from jp_tui.questions.branch_rules import check_id, check_when
from jp_tui.questions.item_rules import SHAPES, Looked, look, strangers
from jp_tui.questions.items import FormItem as FormItem
from jp_tui.questions.items import ItemForm as ItemForm
from jp_tui.questions.items import ItemProblem as ItemProblem
from jp_tui.questions.items import RefusedForm as RefusedForm
from jp_tui.questions.items import Schemas as Schemas
from jp_tui.questions.items import Shape as Shape
from jp_tui.questions.items import When as When
from jp_tui.questions.outside import outside
from jp_tui.questions.refusals import sentences as sentences
from jp_tui.questions.types import SchemaAnswer

MAX_QUESTIONS = 50
ANSWER = "answer"
"""Id of the one question of the flat and the choices shape (R167)."""

_OWN: dict[Shape, frozenset[str]] = {
    "flat": SHAPES["flat"].keys,
    "list": frozenset({"questions"}),
    "choices": SHAPES["choices"].keys,
}
_EVERY = frozenset().union(*_OWN.values())


def read(arguments: Json) -> ItemForm | RefusedForm:
    """Return the questions in `arguments`, or their problems, as far as they are visible here."""
    if not isinstance(arguments, dict):
        return RefusedForm("list", (ItemProblem("V13", "", "The arguments must be a JSON object with `questions`."),))
    shape = shape_of(arguments)
    if beyond(arguments) is not None:
        return _out_of_bounds(arguments, shape)
    return _judged(arguments, shape)


def _judged(arguments: JsonObject, shape: Shape) -> ItemForm | RefusedForm:
    """Check all rules except those of V18 and V19 for the whole."""
    found: list[ItemProblem] = []
    items, schemas = _listed(arguments, found) if shape == "list" else _single(arguments, shape, found)
    _other_keys(arguments, shape, found)
    if found:
        return RefusedForm(shape, tuple(found), schemas)
    return ItemForm(shape, items, schemas)


def _out_of_bounds(arguments: JsonObject, shape: Shape) -> RefusedForm:
    """Check V18 and V19, and everything else that can still be checked, so that one reply suffices to fix all
    problems."""
    seen = outside(arguments)
    rest = _judged(seen.value, shape) if isinstance(seen.value, dict) else None
    others = [one for one in rest.problems if not seen.is_reported(one.path)] if isinstance(rest, RefusedForm) else []
    schemas = tuple((path, schema) for path, schema in (rest.schemas if rest else ()) if not seen.touches(path))
    return RefusedForm(shape, tuple(sorted([*seen.problems, *others], key=place)), schemas)


def judged(read: ItemForm | RefusedForm, verdicts: Mapping[str, str | None]) -> ItemForm | RefusedForm:
    """Add the verdicts on the schemas: by JSON pointer why one can't be used, None if it can (V9).

    A schema without a verdict can't be used.
    """
    wrong = []
    for path, _ in read.schemas:
        why = verdicts.get(path, "it wasn't checked")
        if why is not None:
            wrong.append(ItemProblem("V9", path, f"`schema` isn't usable: {why.rstrip('.')}."))
    if not wrong:
        return read
    known = read.problems if isinstance(read, RefusedForm) else ()
    return RefusedForm(read.shape, tuple(sorted([*known, *wrong], key=place)))


def shape_of(arguments: JsonObject) -> Shape:
    """Return the shape of arguments (R161). Null counts as absent, unless there is no other evidence."""
    shape = _shape_of({key for key, value in arguments.items() if value is not None})
    return shape or _shape_of(set(arguments)) or "list"


def _shape_of(present: set[str]) -> Shape | None:
    if "questions" in present:
        return "list"
    if "choices" in present:
        return "choices"
    return "flat" if "question" in present else None


def _single(arguments: JsonObject, shape: Shape, found: list[ItemProblem]) -> tuple[tuple[FormItem, ...], Schemas]:
    """Read the one question of the flat or the choices shape."""
    seen = look(arguments, "", SHAPES[shape], found)
    item = None if found else _item(ANSWER, seen, None)
    return (() if item is None else (item,)), ()


def _listed(arguments: JsonObject, found: list[ItemProblem]) -> tuple[tuple[FormItem, ...], Schemas]:
    """Read the questions of the list shape, with their schemas."""
    given = arguments.get("questions")
    if not isinstance(given, list) or not given:
        wrong = "is required: a list of questions" if given is None else "must be a list with at least one question"
        found.append(ItemProblem("V13", "/questions", f"`questions` {wrong}."))
        return (), ()
    if len(given) > MAX_QUESTIONS:
        found.append(ItemProblem("V18", "/questions", f"`questions` has more than {MAX_QUESTIONS} entries."))
        given = given[:MAX_QUESTIONS]
    ids = [one.get("id") if isinstance(one, dict) else None for one in given]
    items: list[FormItem] = []
    schemas: list[tuple[str, JsonObject]] = []
    earlier: dict[str, Looked] = {}
    for index, one in enumerate(given):
        path = f"/questions/{index}"
        if not isinstance(one, dict):
            found.append(ItemProblem("V13", path, f"`questions[{index}]` must be an object."))
            continue
        key = check_id(one, path, earlier, found)
        seen = look(one, path, SHAPES["list"], found)
        later = frozenset(id for id in ids[index + 1 :] if isinstance(id, str))
        when = check_when(one, path, key, earlier, later, found)
        strangers(one, path, SHAPES["list"].keys, found)
        if key is not None:
            earlier.setdefault(key, seen)
        if isinstance(seen.answer_type, SchemaAnswer):
            schemas.append((pointer(path, "schema"), seen.answer_type.schema))
        item = None if found else _item(key, seen, when)
        if item is not None:
            items.append(item)
    return tuple(items), tuple(schemas)


def _item(key: str | None, seen: Looked, when: When | None) -> FormItem | None:
    if key is None or seen.text is None or seen.answer_type is None:
        return None
    has_default = seen.default is not None
    return FormItem(key, seen.text, seen.answer_type, seen.context, seen.default, has_default, when)


def _other_keys(arguments: JsonObject, shape: Shape, found: list[ItemProblem]) -> None:
    """V14 for keys of another shape, where null counts as absent; V16 for unknown keys."""
    for name, value in arguments.items():
        if name in _OWN[shape]:
            continue
        if name not in _EVERY:
            strangers({name: value}, "", frozenset(), found)
        elif value is not None:
            wrong = f"`{short(name)}` belongs to another form of the arguments; use one of them at a time."
            found.append(ItemProblem("V14", pointer("", name), wrong))


def place(problem: ItemProblem) -> int:
    """Return the index of a problem's question; problems of none keep their place at an end."""
    parts = problem.path.split("/")
    if len(parts) > 2 and parts[1] == "questions" and parts[2].isdigit():
        return int(parts[2])
    return -1 if problem.path in ("", "/questions") else MAX_QUESTIONS
