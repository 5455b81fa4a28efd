"""Problems of a value in plain language instead of the validator's. For the child only.

Values are quoted only from the schema: typed input is never repeated. Every text is one bounded line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from jsonschema.exceptions import ValidationError

from jp_tui.questions.bounds import pointer, short

_TYPES = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
    "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip
_FORMATS = {
    "date": "a date like 2026-03-05", "time": "a time like 21:21:16Z", "date-time": "a time like 2026-03-05T21:21:16Z",
    "email": "an e-mail address", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address", "uuid": "a UUID",
    "regex": "a regular expression", "uri": "a URL", "uri-reference": "a URL", "hostname": "a host name",
    "json-pointer": "a JSON pointer", "duration": "a duration like P1DT12H",
}  # fmt: skip
_NAMED = 8


def pointer_of(error: ValidationError) -> str:
    """Return the place as a JSON pointer into the value."""
    path = ""
    for name in error.absolute_path:
        path = pointer(path, str(name))
    return path if len(path) <= 300 else path[:299] + "…"


def words(error: ValidationError) -> str:
    """Describe the problem."""
    said = _WORDS.get(str(error.validator))
    limit = error.validator_value
    return said(limit, error) if said else "does not fit the schema"


def _shown(value: Any) -> str:
    """Return a value of the schema, as JSON on one line."""
    return short(json.dumps(value, ensure_ascii=False))


def _any_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _type(limit: Any, error: ValidationError) -> str:
    kinds = [limit] if isinstance(limit, str) else list(limit)
    return f"must be {_any_of([_TYPES.get(kind, short(str(kind))) for kind in kinds])}"


def _enum(limit: Any, error: ValidationError) -> str:
    named = [_shown(one) for one in limit[:_NAMED]]
    if not named:
        return "is not allowed: the schema allows no value"
    return (
        f"must be {_any_of(named)}"
        if len(limit) <= _NAMED
        else f"must be one of {', '.join(named)} and {len(limit) - _NAMED:,} more"
    )


def _count(what: str, least: bool) -> Callable[[Any, ValidationError], str]:
    def said(limit: Any, error: ValidationError) -> str:
        number = int(limit)
        if least and number == 1:
            return "must not be empty"
        name = what if number == 1 else {"entry": "entries", "key": "keys"}.get(what, f"{what}s")
        return f"must have at {'least' if least else 'most'} {number:,} {name}"

    return said


def _missing(limit: Any, error: ValidationError) -> str:
    instance = error.instance if isinstance(error.instance, dict) else {}
    # one error per key, which only its message names
    absent = [key for key in limit if key not in instance]
    named = [key for key in absent if error.message.startswith(repr(key))]
    return f"`{short((named or absent or ['a key'])[0])}` is missing"


def _extra(limit: Any, error: ValidationError) -> str:
    schema = error.schema if isinstance(error.schema, dict) else {}
    if not isinstance(error.instance, dict):
        return "has more entries than are allowed"
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    keys = [key for key in error.instance if key not in known and not any(re.search(one, key) for one in patterns)]
    more = f" and {len(keys) - _NAMED:,} more" if len(keys) > _NAMED else ""
    keys = [short(key) for key in keys[:_NAMED]]
    return f"has keys that are not allowed ({', '.join(keys)}{more})" if keys else "has keys that are not allowed"


def _forms(limit: Any, error: ValidationError) -> str:
    """Describe the nearest alternative if all of them differ only by type; else only that none fits."""
    tried: list[ValidationError] = list(error.context or ())
    if not tried:
        return "fits more than one of the allowed forms, and must fit exactly one"
    kinds = [one.validator_value for one in tried if one.validator == "type" and not one.path]
    if len(kinds) == len(tried) and all(isinstance(kind, str) for kind in kinds):
        return _type(list(dict.fromkeys(kinds)), error)
    own = [one for one in tried if one.validator != "type" or one.path]
    if len(own) == 1:
        where = "".join(f"/{part}" for part in own[0].path)
        return f"{words(own[0])} (at `{short(where)}`)" if where else words(own[0])
    return "fits none of the allowed forms"


_WORDS: dict[str, Callable[[Any, ValidationError], str]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda limit, error: f"must be {_shown(limit)}",
    "minimum": lambda limit, error: f"must be at least {_shown(limit)}",
    "maximum": lambda limit, error: f"must be at most {_shown(limit)}",
    "exclusiveMinimum": lambda limit, error: f"must be more than {_shown(limit)}",
    "exclusiveMaximum": lambda limit, error: f"must be less than {_shown(limit)}",
    "multipleOf": lambda limit, error: f"must be a multiple of {_shown(limit)}",
    "minLength": _count("character", True),
    "maxLength": _count("character", False),
    "minItems": _count("entry", True),
    "maxItems": _count("entry", False),
    "minProperties": _count("key", True),
    "maxProperties": _count("key", False),
    "uniqueItems": lambda limit, error: "must not have the same entry twice",
    "pattern": lambda limit, error: f"must match the pattern {short(getattr(limit, 'source', str(limit)))}",
    "format": lambda limit, error: f"must be {_FORMATS.get(str(limit), 'of the format ' + short(str(limit)))}",
    "required": _missing,
    "dependentRequired": lambda limit, error: "lacks a key that another of its keys needs",
    "additionalProperties": _extra,
    "unevaluatedProperties": _extra,
    "additionalItems": _extra,
    "unevaluatedItems": _extra,
    "items": lambda limit, error: "has more entries than are allowed",
    "contains": lambda limit, error: "has too few or too many entries of the wanted form",
    "minContains": lambda limit, error: "has too few entries of the wanted form",
    "maxContains": lambda limit, error: "has too many entries of the wanted form",
    "anyOf": _forms,
    "oneOf": _forms,
    "not": lambda limit, error: "must not be of this form" if limit else "is not allowed",
    "None": lambda limit, error: "is not allowed",
}
