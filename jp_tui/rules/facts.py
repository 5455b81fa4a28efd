"""The facts of a call that rules match: which of its arguments are a command, paths or hosts (rules.md AR3).

The tool's settings (`covers`) name these arguments, so that no tool is known here by name. Pure, but for the resolving
of paths, which is passed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import isabs, join, normpath
from typing import Any
from urllib.parse import urlsplit

from jp_tui.rules.values import CallFacts

OUTSIDE = "/"
"""A path outside the workspace: no path rule allows it."""


@dataclass(frozen=True, slots=True)
class Covers:
    """The meaning of arguments: `command` is a shell's line, `argv` a program with its words, `cwd` the folder it runs
    in.

    `path` and `host` are lists of places, such as `patterns.*.paths` for those in a list of objects.
    """

    command: str = ""
    argv: str = ""
    cwd: str = ""
    path: tuple[str, ...] = ()
    host: tuple[str, ...] = ()

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Covers:
        """Read the settings of a tool."""
        return cls(
            said.get("command", ""), said.get("argv", ""), said.get("cwd", ""), tuple(said.get("path", ())),
            tuple(said.get("host", ())),
        )  # fmt: skip


def canonical_json(arguments: object) -> str:
    """Return arguments as JSON that is the same for the same values."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def call_facts(
    tool: str,
    arguments: Mapping[str, Any],
    covers: Covers,
    *,
    root: str,
    commands: bool,
    real: Callable[[str], str],
) -> CallFacts:
    """Return the facts of a call. `root` is the workspace, absolute and real; `real` resolves links in an absolute
    path."""
    line, argv = arguments.get(covers.command), arguments.get(covers.argv)
    cwd = arguments.get(covers.cwd) if covers.cwd else None
    at = real(normpath(join(root, cwd))) if isinstance(cwd, str) and cwd and "\0" not in cwd else root
    words = tuple(argv) if isinstance(argv, list) and argv and all(isinstance(word, str) for word in argv) else None
    return CallFacts(
        tool,
        canonical_json(dict(arguments)),
        at,
        line=line if covers.command and isinstance(line, str) else None,
        argv=words if covers.argv else None,
        paths=tuple(_relative(path, root, real) for place in covers.path for path in _texts(arguments, place)),
        hosts=tuple(_host(text) for place in covers.host for text in _texts(arguments, place)),
        commands=commands,
    )


def named_paths(arguments: Mapping[str, Any], covers: Covers) -> tuple[str, ...]:
    """Return the paths among the arguments as they are written."""
    return tuple(path for place in covers.path for path in _texts(arguments, place))


def _texts(found: Any, place: str) -> Iterator[str]:
    """Yield the texts at a place; a value that isn't a text becomes an empty one, which no rule allows."""
    head, _, rest = place.partition(".")
    if head == "*":
        for one in found if isinstance(found, list) else ():
            yield from _texts(one, rest) if rest else _leaf(one)
        return
    if not isinstance(found, Mapping) or head not in found or found[head] is None:
        return
    yield from _texts(found[head], rest) if rest else _leaf(found[head])


def _leaf(found: Any) -> Iterator[str]:
    if isinstance(found, list):
        for one in found:
            yield one if isinstance(one, str) else ""
    else:
        yield found if isinstance(found, str) else ""


def _relative(path: str, root: str, real: Callable[[str], str]) -> str:
    if not path or "\0" in path:
        return OUTSIDE
    found = real(normpath(path if isabs(path) else join(root, path)))
    if found == root:
        return "."
    return found[len(root.rstrip("/")) + 1 :] if found.startswith(root.rstrip("/") + "/") else OUTSIDE


def _host(text: str) -> str:
    """Return the host of an address, or the text itself if it isn't an address."""
    try:
        return (urlsplit(text).hostname or "") if "://" in text else text
    except ValueError:
        return ""
