"""Rules for a single question of `ask_user` (inquiries.md R164: V1-V6, V8, V12, V15, V16, V18).

A shape is a row of `SHAPES`: its key for the text, its keys, its answer types. All problems are collected, nothing is
repaired. Usability of a schema is checked elsewhere (V9); its visible problems are reported here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.bounds import BREAKS, MAX_CONTEXT, MAX_OPTIONS, MAX_TEXT, pointer, short, visible
from jp_tui.questions.items import ItemProblem, Shape
from jp_tui.questions.options import read_option
from jp_tui.questions.types import KINDS, AnswerType, MultiSelectAnswer, Option, SchemaAnswer, SelectAnswer


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """Names and limits of a shape; `kind_default` is its default answer type."""

    text: str
    keys: frozenset[str]
    kinds: tuple[str, ...]
    kind_default: str | None
    options: str = "options"
    allow_other: bool = False


SHAPES: dict[Shape, QuestionShape] = {
    "flat": QuestionShape(
        text="question",
        keys=frozenset({"question", "context", "answer_type", "options", "default"}),
        kinds=("boolean", "select", "text"),
        kind_default="text",
    ),
    "list": QuestionShape(
        text="text",
        keys=frozenset({"id", "text", "answer_type", "context", "options", "schema", "default", "when"}),
        kinds=tuple(name for name, kind in KINDS.items() if kind.by_model),
        kind_default=None,
    ),
    "choices": QuestionShape(
        text="question",
        keys=frozenset({"question", "choices"}),
        kinds=(),
        kind_default="text",
        options="choices",
        allow_other=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Looked:
    """Readable parts of one question: `kind` as named, if known; None for unusable parts."""

    text: str | None
    kind: str | None
    answer_type: AnswerType | None
    context: str | None
    default: Json


def look(given: JsonObject, path: str, row: QuestionShape, found: list[ItemProblem]) -> Looked:
    """Read one question; add its problems to `found`. The caller reports unknown keys (V14, V16)."""
    text = _text(given, path, row, found)
    context = _context(given, path, found) if "context" in row.keys else None
    kind = _kind(given, path, row, found)
    options = _options(given, path, kind, row, found)
    schema = _schema(given, path, kind, found) if "schema" in row.keys else None
    default = given.get("default") if "default" in row.keys else None
    if default is not None and kind is not None:
        found.extend(_default_problems(default, kind, options, path))
    return Looked(text, kind, _answer_type(kind, options, schema, row), context, default)


def strangers(given: JsonObject, path: str, keys: frozenset[str], found: list[ItemProblem]) -> None:
    """V16: an unknown key is reported, because ignoring it would hide a mistake."""
    for name in given:
        if name not in keys:
            found.append(ItemProblem("V16", pointer(path, name), f"`{short(name)}` isn't a valid key here."))


def _text(given: JsonObject, path: str, row: QuestionShape, found: list[ItemProblem]) -> str | None:
    name = row.text
    value, where = given.get(name), pointer(path, name)
    if not isinstance(value, str):
        wrong = "is required" if value is None else "must be text"
        found.append(ItemProblem("V1", where, f"`{name}` {wrong}."))
        return None
    if not visible(value):
        found.append(ItemProblem("V1", where, f"`{name}` must not be blank."))
    if not BREAKS.isdisjoint(value):
        more = "; put anything longer in `context`" if "context" in row.keys else ""
        found.append(ItemProblem("V2", where, f"`{name}` must be a single line{more}."))
    if len(value) > MAX_TEXT:
        found.append(ItemProblem("V18", where, f"`{name}` has more than {MAX_TEXT} characters."))
    return value


def _context(given: JsonObject, path: str, found: list[ItemProblem]) -> str | None:
    value, where = given.get("context"), pointer(path, "context")
    if value is None or isinstance(value, str):
        if value is not None and len(value.encode()) > MAX_CONTEXT:
            found.append(ItemProblem("V18", where, f"`context` has more than {MAX_CONTEXT // 1024} KiB."))
        return value
    found.append(ItemProblem("V16", where, "`context` must be text."))
    return None


def _kind(given: JsonObject, path: str, row: QuestionShape, found: list[ItemProblem]) -> str | None:
    if not row.kinds:  # the options alone decide (R161 c); `_options` reports an invalid list
        return row.kind_default if given.get(row.options) in (None, []) else "select"
    value = given.get("answer_type")
    if value is None and row.kind_default is not None:
        return row.kind_default
    if isinstance(value, str) and value in row.kinds:
        return value
    names = ", ".join(f'"{kind}"' for kind in row.kinds)
    found.append(ItemProblem("V12", pointer(path, "answer_type"), f"`answer_type` must be one of {names}."))
    return None


def _options(
    given: JsonObject, path: str, kind: str | None, row: QuestionShape, found: list[ItemProblem]
) -> tuple[Option, ...] | None:
    """Return the options of a choice; None if there are none, or no usable ones."""
    name = row.options
    value, where = given.get(name), pointer(path, name)
    choice = kind in ("select", "multi_select")
    if value is None or value == []:  # empty where none are allowed counts as absent (R165)
        if choice:
            wrong = f'`{name}` is required and must not be empty when `answer_type` is "{kind}".'
            found.append(ItemProblem("V3", where, wrong))
        return None
    if kind is not None and not choice:
        found.append(ItemProblem("V4", where, f'`{name}` is not allowed when `answer_type` is "{kind}".'))
    if not isinstance(value, list):
        found.append(ItemProblem("V3", where, f"`{name}` must be a list."))
        return None
    if len(value) > MAX_OPTIONS:
        found.append(ItemProblem("V18", where, f"`{name}` has more than {MAX_OPTIONS} entries."))
        return None
    options: list[Option] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(value):
        option = read_option(entry, closed=True)
        if isinstance(option, str):
            found.append(ItemProblem("V15", f"{where}/{index}", f"`{name}[{index}]` {option}."))
            continue
        first = seen.setdefault(visible(option.value), index)
        if first != index:
            same = f"`{name}[{index}]` reads the same as `{name}[{first}]`."
            found.append(ItemProblem("V15", f"{where}/{index}", same))
        options.append(option)
    return tuple(options) if len(options) == len(value) else None


def _schema(given: JsonObject, path: str, kind: str | None, found: list[ItemProblem]) -> JsonObject | None:
    """Check V8, and the visible parts of V9 and V18; return the schema only if it must be checked."""
    value, where = given.get("schema"), pointer(path, "schema")
    if value is None:
        if kind == "schema":
            found.append(ItemProblem("V8", where, '`schema` is required when `answer_type` is "schema".'))
        return None
    if kind is not None and kind != "schema":
        found.append(ItemProblem("V8", where, f'`schema` is not allowed when `answer_type` is "{kind}".'))
        return None
    if not isinstance(value, dict):
        found.append(ItemProblem("V9", where, "`schema` must be a JSON object."))
        return None
    if len(dump(value).encode()) > MAX_CONTEXT:
        found.append(ItemProblem("V18", where, f"`schema` has more than {MAX_CONTEXT // 1024} KiB."))
        return None
    if _longest_enum(value) > MAX_OPTIONS:
        found.append(ItemProblem("V18", where, f"`schema` has an `enum` of more than {MAX_OPTIONS} entries."))
        return None
    return value


def _longest_enum(schema: JsonObject) -> int:
    longest, todo = 0, [schema]
    while todo:
        for name, value in todo.pop().items():
            if name == "enum" and isinstance(value, list):
                longest = max(longest, len(value))
            inner = value if isinstance(value, list) else [value]
            todo.extend(one for one in inner if isinstance(one, dict))
    return longest


def _answer_type(
    kind: str | None, options: tuple[Option, ...] | None, schema: JsonObject | None, row: QuestionShape
) -> AnswerType | None:
    match kind:
        case "select":
            return SelectAnswer(options, allow_other=row.allow_other) if options else None
        case "multi_select":
            return MultiSelectAnswer(options) if options else None
        case "schema":
            return None if schema is None else SchemaAnswer(schema)
        case _:
            return None if kind is None else KINDS[kind].read({}, bounded=True)


def _default_problems(default: Json, kind: str, options: tuple[Option, ...] | None, path: str) -> Iterator[ItemProblem]:
    """Check V5 and V6. A list is checked per element, so that the pointer names the wrong one."""
    if kind == "schema":  # a pre-fill, which may be incomplete (R164)
        return
    where = pointer(path, "default")
    wanted = {"boolean": "true or false", "multi_select": "a list of options"}.get(kind) or KINDS[kind].form or "text"
    members: list[tuple[str, Json]] = [(where, default)]
    if kind == "multi_select":
        fits = isinstance(default, list) and all(isinstance(one, str) for one in default)
        members = [(f"{where}/{i}", one) for i, one in enumerate(default)] if isinstance(default, list) else []
    elif kind == "select":
        fits = isinstance(default, str)
    else:
        fits = KINDS[kind].read({}, bounded=True).problem(default) is None
    if not fits:
        yield ItemProblem("V5", where, f'`default` must be {wanted} when `answer_type` is "{kind}".')
        return
    if options is None or kind not in ("select", "multi_select"):
        return
    left = {option.value for option in options}
    for place, one in members:
        if one not in left:
            yield ItemProblem("V6", place, "`default` must be among the `options`, each at most once.")
        left.discard(str(one))
