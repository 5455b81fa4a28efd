"""Frontmatter of a command or skill: YAML between two lines of `---` (context.md K50). PyYAML is imported only when a
file has some.

No anchors, aliases or tags beyond YAML's own; at most 8 KiB. Files written for other agents often hold a value that
YAML reads otherwise (`argument-hint: [file]`, `description: Use when: …`): such a value of one line is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

MOST_BYTES = 8 * 1024
FENCE = "---"
_TEXTS = ("description", "argument-hint", "model", "name")
_LINE = re.compile(r"([\w-]+):[ \t]+([^\s'\"|>&*!%@`#].*?)[ \t]*")


class FrontmatterProblem(ValueError):
    """Unusable frontmatter; `line` counts from 1 in the file."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def split(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the frontmatter's table, empty if there is none, and the text after it. Raises FrontmatterProblem."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        return {}, text
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    head = "\n".join(lines[1:end])
    if end is None or len(head.encode("utf-8", "replace")) > MOST_BYTES:
        raise FrontmatterProblem(f"the frontmatter doesn't end within {MOST_BYTES // 1024} KiB")
    found = _read(_quoted(lines[1:end])) if head.strip() else None
    if found is None:
        found = {}
    if not isinstance(found, dict):
        raise FrontmatterProblem("the frontmatter isn't a table of `key: value` lines", 2)
    return found, "\n".join(lines[end + 1 :])


def _quoted(lines: list[str]) -> str:
    """The same with values in quotation marks where YAML would read something else than their text."""
    made: list[str] = []
    for at, line in enumerate(lines):
        match = _LINE.fullmatch(line)
        goes_on = at + 1 < len(lines) and lines[at + 1][:1] in (" ", "\t")
        if match and not goes_on and _text(match[1], match[2]):
            line = f"{match[1]}: {json.dumps(match[2])}"
        made.append(line)
    return "\n".join(made)


def _text(key: str, value: str) -> bool:
    """True for a value that is text whatever YAML takes it for."""
    if value[0] in "[{":
        return key in _TEXTS
    return ": " in value or value.endswith(":")


def _read(text: str) -> Any:
    try:
        return _loader()(text)
    except RecursionError:
        raise FrontmatterProblem("the frontmatter is nested too deeply") from None
    except Exception as problem:  # PyYAML raises its own errors, and ValueError and others for odd scalars
        mark = getattr(problem, "problem_mark", None)
        words = getattr(problem, "problem", None) or str(problem) or type(problem).__name__
        line = mark.line + 2 if mark is not None else 2
        raise FrontmatterProblem(f"the frontmatter isn't valid YAML: {words}", line) from None


@lru_cache(maxsize=1)
def _loader() -> Callable[[str], Any]:
    import yaml  # loaded with the first file that has frontmatter

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        """YAML's safe loader without anchors and aliases: they could grow a text without bounds."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            if getattr(event, "anchor", None):
                raise yaml.composer.ComposerError(None, None, "anchors and aliases aren't allowed", event.start_mark)
            return super().compose_node(parent, index)

    return lambda text: yaml.load(text, Loader)  # a safe loader
