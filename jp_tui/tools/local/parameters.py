"""Check a local tool's arguments against its declared parameters (inquiries.md R82, M28).

Text that contains JSON of the declared type is converted, missing arguments get their defaults, remaining problems are
reported. Only the keys of R68 are checked (type, required, default, enum, items, properties); other keys are for the
model. No other conversions.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse, same
from jp_tui.questions.bounds import beyond, short

_TOLD = 20
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class BadArguments(Exception):
    """Invalid arguments; `str(error)` lists all problems, a sentence each."""


def checked_arguments(parameters: Mapping[str, Json], arguments: JsonObject) -> JsonObject:
    """Return the arguments as the tool gets them. Raises BadArguments. `arguments` isn't changed."""
    if outside := beyond(arguments, max_bytes=4 << 20):
        raise BadArguments(outside[2])
    problems: list[str] = []
    found = _object(parameters, arguments, "", problems)
    if problems:
        more = len(problems) - _TOLD
        raise BadArguments(" ".join(problems[:_TOLD]) + (f" {more} more problems were found." if more > 0 else ""))
    return found


def refusal(tool: str, detail: str) -> str:
    """M28."""
    return (
        f"Invalid arguments: {detail}\n\n"
        f'You can call `describe_tools(tools: ["{tool}"])` to learn more about how to use the tool correctly.'
    )


def _object(declared: Mapping[str, Json], given: JsonObject, path: str, problems: list[str]) -> JsonObject:
    """Check a closed object: every declared key in its order, no other."""
    found: JsonObject = {}
    for name, one in declared.items():
        rule = one if isinstance(one, dict) else {}
        where = f"{path}{name}"
        value = given.get(name)
        # models often send null for an omitted optional argument
        absent = name not in given or (value is None and rule.get("required") is not True and not _fits(rule, None))
        if absent and "default" in rule:
            value, absent = copy.deepcopy(rule["default"]), False
        if not absent:
            found[name] = _value(rule, value, where, problems)
        elif rule.get("required") is True:
            problems.append(f"`{where}` is required.")
    known = ", ".join(f"`{name}`" for name in declared) or "none"
    for name in given:
        if name not in declared:
            problems.append(f"`{path}{short(name)}` is not a parameter; known are: {known}.")
    return found


def _value(rule: JsonObject, given: Json, where: str, problems: list[str]) -> Json:
    value = _coerced(rule, given)
    if not _fits(rule, value):
        wanted = " or ".join(_KINDS[kind] for kind in _types(rule))
        problems.append(f"`{where}` must be {wanted}, and is {_value_text(value)}.")
        return value
    if isinstance(value, float) and "integer" in _types(rule) and "number" not in _types(rule):
        value = int(value)
    allowed = rule.get("enum")
    if isinstance(allowed, list) and not any(same(value, one) for one in allowed):
        problems.append(f"`{where}` must be one of {', '.join(map(dump, allowed))}, and is {_value_text(value)}.")
    properties, items = rule.get("properties"), rule.get("items")
    if isinstance(value, dict) and isinstance(properties, dict):
        return _object(properties, value, f"{where}.", problems)
    if isinstance(value, list) and isinstance(items, dict):
        return [_value(items, one, f"{where}[{index}]", problems) for index, one in enumerate(value)]
    return value


def _coerced(rule: JsonObject, given: Json) -> Json:
    """Convert text to the declared non-text type (R82)."""
    kinds = _types(rule)
    if not isinstance(given, str) or not kinds or "string" in kinds:
        return given
    try:
        value = parse(given)
    except JsonProblem:
        return given
    return value if _fits(rule, value) else given


def _types(rule: JsonObject) -> tuple[str, ...]:
    """Return the known declared types; none means any type."""
    kind = rule.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return tuple(one for one in kinds if isinstance(one, str) and one in _KINDS)


def _fits(rule: JsonObject, value: Json) -> bool:
    kinds = _types(rule)
    return not kinds or any(_is(kind, value) for kind in kinds)


def _is(kind: str, value: Json) -> bool:
    if isinstance(value, bool):  # true is not 1
        return kind == "boolean"
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        case "number":
            return isinstance(value, (int, float))
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
        case _:
            return False


def _value_text(value: Json) -> str:
    """Return a value for a sentence, shortened."""
    if isinstance(value, str):
        return f'the text "{short(value)}"'
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return short(dump(value))
