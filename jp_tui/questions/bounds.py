"""Size limits of untrusted values, and the visible part of a text (inquiries.md V1, V15, V18, V19; traps.md T17).

Checks parsed values without recursion, so that deep ones can't crash it. Reports problems; repairs and cuts nothing.
"""

from __future__ import annotations

import math
import unicodedata

from jp_tui.conversation.strict_json import Json, dump

MAX_BYTES = 1_000_000
MAX_DEPTH = 64
MAX_DIGITS = 300
MAX_OPTIONS = 1000
MAX_TEXT = 2000
MAX_CONTEXT = 256 * 1024

BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_BLANK_GLYPHS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")


class BadQuestion(ValueError):
    """Question that can't be asked; `str(error)` is one sentence with the problem and its key."""


_Step = tuple["_Step", str | int] | None
"""Path to a value: from where, by which key or index. The pointer is only built for a problem."""


def beyond(
    value: Json, what: str = "the arguments", *, max_bytes: int = MAX_BYTES, max_nodes: int | None = None
) -> tuple[str, str, str] | None:
    """Check V18 and V19 over the whole value, without recursion: return the first (code, pointer, sentence), if any.

    `what` names the value in the plural: "the arguments".
    """
    todo: list[tuple[Json, _Step, int]] = [(value, None, 1)]
    seen = 0
    while todo:
        one, step, deep = todo.pop()
        seen += 1
        if max_nodes is not None and seen > max_nodes:
            return ("V18", "", f"{what} have more than {max_nodes:,} parts.")
        wrong = unwritable(one)
        if wrong:
            path = _path(step)
            return ("V19", path, f"{wrong} (at `{short(path) or '/'}`).")
        if not isinstance(one, (dict, list)):
            continue
        if deep > MAX_DEPTH:
            return ("V18", "", f"{what} are more than {MAX_DEPTH} levels deep.")
        inner = one.items() if isinstance(one, dict) else enumerate(one)
        todo.extend([(part, (step, name), deep + 1) for name, part in inner])
    if len(dump(value).encode()) > max_bytes:
        size = f"{max_bytes // 1_000_000} MB" if max_bytes >= 1_000_000 else f"{max_bytes // 1024} KiB"
        return ("V18", "", f"{what} are larger than {size}.")
    return None


def _path(step: _Step) -> str:
    names: list[str] = []
    while step is not None:
        step, name = step
        names.append(pointer("", str(name)))
    return "".join(reversed(names))


def unwritable(value: Json) -> str | None:
    """Return why a value can't be written as JSON and read again unchanged."""
    if isinstance(value, float) and not math.isfinite(value):
        return "a number is not finite"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**MAX_DIGITS:
        return f"an integer has more than {MAX_DIGITS} digits"
    texts = [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []
    if any(not text.isascii() and _lone(text) for text in texts):
        return "a text has a lone surrogate"
    return None


def _lone(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def visible(text: str) -> str:
    """Return `text` for comparison: NFC, without invisible characters and outer spaces (V1, V15)."""
    if text.isascii() and text.isprintable():
        return text.strip()
    odd = {char for char in set(text) if unicodedata.category(char) == "Cc" or _invisible(char)}
    plain = "".join(char for char in text if char not in odd) if odd else text
    return unicodedata.normalize("NFC", plain).strip()


def _invisible(char: str) -> bool:
    return (
        unicodedata.category(char) in ("Cf", "Zl", "Zp", "Cs")
        or char in _BLANK_GLYPHS
        or "\ufe00" <= char <= "\ufe0f"
        or "\u180b" <= char <= "\u180f"
        or "\U000e0000" <= char <= "\U000e0fff"
    )


def pointer(path: str, name: str) -> str:
    """Return the JSON pointer of a key or an index below `path`."""
    return f"{path}/{name.replace('~', '~0').replace('/', '~1')}"


def short(name: str) -> str:
    """Return an untrusted key for a sentence: one line, printable, at most 60 characters."""
    plain = name.encode("unicode_escape", "replace").decode() if not name.isprintable() else name
    return plain if len(plain) <= 60 else plain[:59] + "…"
