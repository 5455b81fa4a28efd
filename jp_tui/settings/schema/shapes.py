"""Checks for structured values: commands, path rules, sections of a prompt.

They extend those in `checks.py`. A command stays as written, text or table; the code that runs it interprets it. No
check tests whether a program or a path exists.
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.schema.checks import BadValue, Check, boolean, describe_value, inside, text


def _line(value: Any) -> str:
    """Accept non-blank text without NUL, because it is passed to a system call."""
    if "\0" in text(value) or not value.strip():
        raise BadValue(f"expected text that is not empty, found {describe_value(value)}")
    return str(value)


def _words(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise BadValue(f"expected a list of texts, found {describe_value(value)}")
    for number, word in enumerate(value):
        if "\0" in inside(number, text, word):
            raise BadValue("expected text without a NUL", inside=(number,))
    return value


def _table(value: dict[str, Any], keys: dict[str, Check], needed: str) -> dict[str, Any]:
    """Accept a table with these keys. A missing `needed` key or an unknown key is an error with the nearest name."""
    for key, item in value.items():
        if key not in keys:
            from jp_tui.settings.errors import nearest

            near = nearest(key, keys)
            raise BadValue("isn't a valid key", () if near else tuple(keys), (key,), near)
        inside(key, keys[key], item)
    if needed not in value:
        raise BadValue(f"has no {needed}")
    return value


_COMMAND: dict[str, Check] = {"program": _line, "args": _words, "shell": boolean, "stdin": text}


def command(value: Any) -> Any:
    """Accept a command line, or {program, args, shell, stdin}."""
    if isinstance(value, dict):
        return _table(value, _COMMAND, "program")
    if isinstance(value, str):
        return _line(value)
    raise BadValue(f"expected text, or a table of {', '.join(_COMMAND)}; found {describe_value(value)}")


def paths(value: Any) -> list[str]:
    """Accept paths in a workspace."""
    for number, path in enumerate(_words(value)):
        inside(number, _line, path)
    return list(value)


def places(value: Any) -> list[str]:
    """Accept paths on the machine: "default", or a path that begins with ~/ or /."""
    for number, place in enumerate(_words(value)):
        if place != "default" and not place.startswith(("~/", "/")):
            raise BadValue(
                f'expected "default", or a path that begins with ~/ or /, found {describe_value(place)}',
                inside=(number,),
            )
    return list(value)


def argv(value: Any) -> list[str]:
    """Accept a program and its arguments, run without a shell; empty for none."""
    words = _words(value)
    if words:
        inside(0, _line, words[0])
    return words


SHOWN = ("json", "function_call", "off")


def shown_parameters(value: Any) -> Any:
    """Accept one of three forms, or a command that formats the parameters (R68, R90)."""
    try:
        return command(value)  # each of the three would also be a valid command
    except BadValue as bad:
        if isinstance(value, dict):
            raise
        raise BadValue(
            f"found {describe_value(value)}", (*SHOWN, "a command, as text or as a table with program")
        ) from bad


_RULE: dict[str, Check] = {"path": _line} | dict.fromkeys(
    ("read", "write", "create", "update", "delete", "execute"), boolean
)


def path_rules(value: Any) -> list[dict[str, Any]]:
    """Accept the access rules of a local tool by path of the workspace."""
    if not isinstance(value, list):
        raise BadValue(f"expected a list of tables with path, found {describe_value(value)}")
    for number, rule in enumerate(value):
        if not isinstance(rule, dict):
            raise BadValue(f"expected a table with path, found {describe_value(rule)}", inside=(number,))
        inside(number, lambda item: _table(item, _RULE, "path"), rule)
    return value


_SECTION: dict[str, Check] = {"title": text, "content": text}


def sections(value: Any) -> list[Any]:
    """Accept additions to a system prompt: texts, or tables of title and content."""
    if not isinstance(value, list):
        raise BadValue(f"expected a list of texts or tables, found {describe_value(value)}")
    for number, section in enumerate(value):
        inside(
            number, lambda item: _table(item, _SECTION, "content") if isinstance(item, dict) else text(item), section
        )
    return value


_UNITS = ("ms", "s", "m", "h", "d")


def cache(value: Any) -> str:
    """Accept false or off, true or short, long, or a duration like 90s, 10m, 1h."""
    if isinstance(value, bool):
        return "short" if value else "off"
    if value in ("off", "short", "long") and isinstance(value, str):
        return str(value)
    if isinstance(value, str) and len(value) < 12:
        number = value.rstrip("dhms")
        if number.isascii() and number.isdigit() and value.removeprefix(number) in _UNITS:
            return value
    raise BadValue(
        f"found {describe_value(value)}", ("true", "false", "off", "short", "long", "a duration like 10m or 1h")
    )


def auto_or_boolean(value: Any) -> Any:
    if isinstance(value, bool) or value == "auto":
        return value
    raise BadValue(f"found {describe_value(value)}", ("auto", "true", "false"))
