"""Arguments of an own command in its text (context.md K50). Pure."""

from __future__ import annotations

import re
import shlex

_PLACE = re.compile(r"\$(ARGUMENTS\b|[1-9](?!\d))")


def fill_in(text: str, arguments: str) -> str:
    """Return the text with `$ARGUMENTS` as typed and `$1` to `$9` by shell quoting, missing ones empty; arguments that
    it has no place for follow at its end. Nothing in an argument is replaced again. Raises ValueError for a quotation
    mark without its end."""
    named = {match[1] for match in _PLACE.finditer(text)}
    if not named:
        return f"{text}\n\nArguments: {arguments}" if arguments else text
    given = _words(arguments) if named != {"ARGUMENTS"} else []

    def value(match: re.Match[str]) -> str:
        if match[1] == "ARGUMENTS":
            return arguments
        at = int(match[1]) - 1
        return given[at] if at < len(given) else ""

    return _PLACE.sub(value, text)


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:
        raise ValueError(
            "The arguments have a quotation mark without its end. Close it, or put \\ before it."
        ) from None
