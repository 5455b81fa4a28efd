"""The argument rules of `ask_user` (inquiries.md R161, R164, V-codes): what a model sent → a list of questions.

All problems are collected before anything is asked; each has a code, a JSON pointer and one sentence. A shape is
a row of `_SHAPES` (its key for the text, its keys, its answer types), so another one is another row plus the rules
only it has. Knows no tool, asks nothing, and never repairs: a wish that would not be honoured is a problem (V16).
Here too: duplicate keys cannot be seen any more, the gate of traps.md T17 has refused them (V19).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import BREAKS, MAX_CONTEXT, MAX_OPTIONS, MAX_TEXT, beyond, pointer, short, visible
from jp_tui.questions.options import read_option
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    SelectAnswer,
    TextAnswer,
)

Shape = Literal["flat"]

_TOLD = 40  # problems that are told one by one; the rest is counted


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule: its code (V1…), where (JSON pointer), and one sentence."""

    code: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Item:
    """One question a model wants asked; `id` keys its answer."""

    id: str
    text: str
    answer_type: AnswerType
    context: str | None = None
    default: Json = None
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Arguments that keep every rule, in the one internal form of R161."""

    shape: Shape
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Arguments that break rules; never empty, in the order in which they stand."""

    shape: Shape
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """What a shape calls things and allows."""

    text: str
    keys: frozenset[str]
    kinds: tuple[str, ...]
    kind_default: str | None


_SHAPES: dict[Shape, _Row] = {
    "flat": _Row(
        text="question",
        keys=frozenset({"question", "context", "answer_type", "options", "default"}),
        kinds=("boolean", "select", "text"),
        kind_default="text",
    )
}


def read(arguments: JsonObject) -> Form | Refused:
    """The questions that `arguments` ask for, or all that is wrong with them."""
    shape: Shape = "flat"
    outside = beyond(arguments)
    if outside is not None:
        return Refused(shape, (Problem(*outside),))  # what is out of bounds is not looked at any closer
    found: list[Problem] = []
    item = _item(arguments, "", "answer", _SHAPES[shape], found)
    if found or item is None:
        return Refused(shape, tuple(found))
    return Form(shape, (item,))


def sentences(problems: tuple[Problem, ...], tool: str = "ask_user") -> str:
    """The plain text of M25b, one sentence a line."""
    lines = [f"{tool}: {problem.message}" for problem in problems[:_TOLD]]
    if len(problems) > _TOLD:
        lines.append(f"{tool}: {len(problems) - _TOLD} more problems of this kind were found.")
    return "\n".join(lines)


def _item(given: JsonObject, path: str, key: str, row: _Row, found: list[Problem]) -> Item | None:
    """One question, its problems added to `found`; None when it cannot be made."""
    text = _text(given, path, row.text, found)
    context = _context(given, path, found)
    kind = _kind(given, path, row, found)
    options = _options(given, path, kind, found)
    answer_type = _answer_type(kind, options)
    default = given.get("default")
    if default is not None and kind is not None:
        found.extend(_default_problems(default, kind, options, path))
    for name in given:
        if name not in row.keys:
            found.append(Problem("V16", pointer(path, name), f"`{short(name)}` is not a key of this tool."))
    if found or text is None or answer_type is None:
        return None
    return Item(key, text, answer_type, context, default, has_default=default is not None)


def _text(given: JsonObject, path: str, name: str, found: list[Problem]) -> str | None:
    value, where = given.get(name), pointer(path, name)
    if not isinstance(value, str):
        wrong = "is required" if value is None else "must be text"
        found.append(Problem("V1", where, f"`{name}` {wrong}."))
        return None
    if not visible(value):
        found.append(Problem("V1", where, f"`{name}` must not be blank."))
    if not BREAKS.isdisjoint(value):
        found.append(Problem("V2", where, f"`{name}` must be a single line; put anything longer in `context`."))
    if len(value) > MAX_TEXT:
        found.append(Problem("V18", where, f"`{name}` has more than {MAX_TEXT} characters."))
    return value


def _context(given: JsonObject, path: str, found: list[Problem]) -> str | None:
    value, where = given.get("context"), pointer(path, "context")
    if value is None or isinstance(value, str):
        if value is not None and len(value.encode()) > MAX_CONTEXT:
            found.append(Problem("V18", where, f"`context` has more than {MAX_CONTEXT // 1024} KiB."))
        return value
    found.append(Problem("V16", where, "`context` must be text."))
    return None


def _kind(given: JsonObject, path: str, row: _Row, found: list[Problem]) -> str | None:
    value = given.get("answer_type")
    if value is None and row.kind_default is not None:
        return row.kind_default
    if isinstance(value, str) and value in row.kinds:
        return value
    names = ", ".join(f'"{kind}"' for kind in row.kinds)
    found.append(Problem("V12", pointer(path, "answer_type"), f"`answer_type` must be one of {names}."))
    return None


def _options(given: JsonObject, path: str, kind: str | None, found: list[Problem]) -> tuple[Option, ...] | None:
    """The options of a choice; None when there are none, or none that can be used."""
    value, where = given.get("options"), pointer(path, "options")
    choice = kind in ("select", "multi_select")
    if value is None or value == []:
        if choice:
            wrong = f'`options` is required and must not be empty when `answer_type` is "{kind}".'
            found.append(Problem("V3", where, wrong))
        return None
    if kind is not None and not choice:
        found.append(Problem("V4", where, f'`options` is not allowed when `answer_type` is "{kind}".'))
    if not isinstance(value, list):
        found.append(Problem("V3", where, "`options` must be a list."))
        return None
    if len(value) > MAX_OPTIONS:
        found.append(Problem("V18", where, f"`options` has more than {MAX_OPTIONS} entries."))
        return None
    options: list[Option] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(value):
        option = read_option(entry, closed=True)
        if isinstance(option, str):
            found.append(Problem("V15", f"{where}/{index}", f"`options[{index}]` {option}."))
            continue
        first = seen.setdefault(visible(option.value), index)
        if first != index:
            same = f"`options[{index}]` reads the same as `options[{first}]`."
            found.append(Problem("V15", f"{where}/{index}", same))
        options.append(option)
    return tuple(options) if len(options) == len(value) else None


def _answer_type(kind: str | None, options: tuple[Option, ...] | None) -> AnswerType | None:
    match kind:
        case "boolean":
            return BooleanAnswer()
        case "text":
            return TextAnswer()
        case "select":
            return SelectAnswer(options) if options else None
        case "multi_select":
            return MultiSelectAnswer(options) if options else None
        case _:
            return None


def _default_problems(default: Json, kind: str, options: tuple[Option, ...] | None, path: str) -> Iterator[Problem]:
    """V5 and V6. A list is looked at element by element, so that the pointer names the wrong one."""
    where = pointer(path, "default")
    wanted = {"boolean": "true or false", "multi_select": "a list of options"}.get(kind, "text")
    members: list[tuple[str, Json]] = [(where, default)]
    if kind == "boolean":
        fits = isinstance(default, bool)
    elif kind == "multi_select":
        fits = isinstance(default, list) and all(isinstance(one, str) for one in default)
        members = [(f"{where}/{i}", one) for i, one in enumerate(default)] if isinstance(default, list) else []
    else:
        fits = isinstance(default, str)
    if not fits:
        yield Problem("V5", where, f'`default` must be {wanted} when `answer_type` is "{kind}".')
        return
    if options is None or kind not in ("select", "multi_select"):
        return
    left = {option.value for option in options}
    for place, one in members:
        if one not in left:
            yield Problem("V6", place, "`default` must be among the `options`, each at most once.")
        left.discard(str(one))
