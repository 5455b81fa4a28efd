"""Where the parts of a document stand in its JSON text, to go there and to mark what is wrong. Pure.

One walk over the text, whatever is looked for; a text that is no JSON gives what could be found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from jp_tui.view.schema_form_edit import Path

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def places(text: str, paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Line and column, from 1, of the key or entry at each path; of one that is not there, of what is around it."""
    wanted = {path[:end] for path in paths for end in range(len(path) + 1)}
    asked = list(paths)
    spots = _spots(text, wanted) if asked else {}
    found = {}
    for path in asked:
        at = next((spots[path[:end]] for end in range(len(path), -1, -1) if path[:end] in spots), None)
        if at is not None:
            found[path] = (text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
    return found


def _spots(text: str, wanted: set[Path]) -> dict[Path, int]:
    """Where each wanted path begins in the text."""
    found: dict[Path, int] = {}
    stack: list[list[str | int | None]] = []  # a key or a number for each container around
    lists: list[bool] = []
    key: tuple[str, int] | None = None
    for match in _TOKEN.finditer(text):
        token, at = match.group(), match.start()
        if token in (",", ":"):
            if token == "," and stack:
                last = stack[-1][0]
                stack[-1][0] = last + 1 if lists[-1] and isinstance(last, int) else None
            continue
        if token in "}]":
            if stack:
                stack.pop()
                lists.pop()
            continue
        if stack and not lists[-1] and stack[-1][0] is None and token[0] == '"':
            stack[-1][0] = _read(token)
            key = (token, at)
            continue
        path = tuple(step[0] for step in stack if step[0] is not None)
        begins = key[1] if key is not None else at
        key = None
        if path in wanted:
            found.setdefault(path, begins)
            if len(found) == len(wanted):
                break
        if token in "{[":
            stack.append([0 if token == "[" else None])
            lists.append(token == "[")
    return found


def _read(token: str) -> str:
    try:
        found = json.loads(token, strict=False)
    except ValueError:
        return token
    return found if isinstance(found, str) else token
