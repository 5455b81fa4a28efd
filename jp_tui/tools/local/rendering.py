"""Render the templates of a local tool's command (inquiries.md R83).

Runs in the child that `worker.py` starts: Jinja's sandbox, and a process with limited time and memory, so that no value
can block or exhaust the program. A template is configuration; its values are untrusted data and never parsed as
templates. In a shell line every text becomes one quoted word; inside quotes and similar places the line is refused, not
repaired.
"""

from __future__ import annotations

import contextlib
import json
import resource
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from jp_tui.conversation.text import shortened
from jp_tui.tools.shell.line import Unsafe, check

MEMORY = 512 << 20
_MOST = 16 << 20
_MARK = "\0"


class _Quoted(str):
    """Text that a shell reads as one word (or that the template's author vouches for)."""

    __slots__ = ()


def render(job: Mapping[str, Any]) -> dict[str, object]:
    """Render `templates` (each {text, shell}) with `values` → {texts}, or {problem} as text without the values."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.path.extend(job["path"])
    texts: list[str] = []
    for one in job["templates"]:
        try:
            texts.append(_one(one["text"], one["shell"], job["values"]))
        except Exception as error:
            return {"problem": f"{_excerpt(one['text'])}: {_words(error)}"}
        if sum(map(len, texts)) > _MOST:
            return {"problem": f"more than {_MOST >> 20} MiB come out of the templates"}
    return {"texts": texts}


def _one(text: str, shell: bool, values: Mapping[str, Any]) -> str:
    if _MARK in text:
        raise Unsafe("a NUL stands in it")
    template = _environment(shell).from_string(text)
    pieces, size = [], 0
    for piece in template.generate(values):
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise Unsafe(f"more than {_MOST >> 20} MiB come out of it")
    said = "".join(pieces)
    return check(said.split(_MARK)) if shell else said


def _environment(shell: bool) -> Any:
    """Return the Jinja environment: mapping keys precede methods, and undefined values are errors."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Missing(StrictUndefined):
        @property
        def _undefined_message(self) -> str:
            return f"there is no {str(self._undefined_name)[:80]!r}; where it may be missing, write `| default('')`"

    class Environment(ImmutableSandboxedEnvironment):
        def getattr(self, obj: Any, attribute: str) -> Any:
            # `tool.arguments.items` is the argument with that name, if there is one
            return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)

    made = Environment(undefined=Missing, keep_trailing_newline=True, finalize=_shell_word if shell else _printed)
    made.globals = {name: made.globals[name] for name in ("range", "dict", "namespace")}
    made.filters |= {"tojson": _json, "q": _quote, "shell_quote": _quote, "as_is": _Quoted, "join": _join}
    del made.filters["random"]
    return made


def _printed(value: Any) -> Any:
    """Return a value as template output: composites, booleans and null as JSON (R83)."""
    from jinja2 import Undefined

    if isinstance(value, (str, Undefined)):
        return str(value)
    return _json(value)


def _json(value: Any) -> str:
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        str(value)  # raises for a missing value
    if isinstance(value, Iterable) and not isinstance(value, (str, dict, list)):
        value = list(value)  # the result of `map` and similar filters
    if not isinstance(value, (str, int, float, dict, list)) and value is not None:
        raise Unsafe(f"a {type(value).__name__} cannot be printed")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _quote(value: Any) -> _Quoted:
    text = _printed(value)
    if _MARK in text:
        raise Unsafe("a value holds a NUL, which no argument can")
    return _Quoted(shlex.quote(text))


def _join(values: Iterable[Any], between: str = "", attribute: str | None = None) -> str:
    """As Jinja's own; words that are all quoted remain quoted if joined by spaces."""
    items = [one[attribute] for one in values] if attribute is not None else list(values)
    joined = str(between).join(one if isinstance(one, str) else _printed(one) for one in items)
    quoted = all(isinstance(one, _Quoted) for one in items) and not str(between).strip(" ")
    return _Quoted(joined) if quoted and (between or len(items) < 2) else joined


def _shell_word(value: Any) -> str:
    """Quote a value for a shell line and mark it, so that `check` can find its place."""
    if isinstance(value, _Quoted):
        return f"{_MARK}{value}{_MARK}"
    if isinstance(value, (bool, int, float)):
        return _printed(value)  # type: ignore[no-any-return]
    return f"{_MARK}{_quote(value)}{_MARK}"


def _words(error: Exception) -> str:
    """Return the error without the values, which Python's own messages may quote."""
    from jinja2 import TemplateError

    if isinstance(error, (Unsafe, TemplateError)):
        return shortened(str(error), 300) or type(error).__name__
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    return f"it cannot be rendered ({type(error).__name__})"


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line if len(line) <= 80 else line[:79] + '…'}`"
