"""Shortening of long results for the model: beginning and end, and how to read the rest (context.md K26).

Pure. The log keeps the tool's whole output; the same result is always shortened to the same text.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.record.sizes import TOKEN, size

LONG = 4_000
"""Characters of a result that is shortened before anything is summarised."""
KEPT = 2_000
"""Characters that are left of such a one."""
_BEGINNING = 2 / 3
"""The share of what is left that stands at the beginning."""


def limit_of(window: int | None) -> int | None:
    """Bytes that one result may have: a quarter of the window (tokens); None where that is not known."""
    return window // 4 * TOKEN if window is not None else None


def within(call: str, content: str, limit: int | None) -> str:
    """The result of `call` in at most about `limit` bytes."""
    if limit is None or len(content) * 4 <= limit or (whole := size(content)) <= limit:
        return content
    return shortened(call, content, len(content) * limit // whole)


def trimmed(call: str, content: str) -> str:
    """The result as it is sent where room is needed."""
    return shortened(call, content, KEPT) if len(content) > LONG else content


def shortened(call: str, content: str, kept: int) -> str:
    """Beginning and end of it, `kept` characters together with the words between them, if these are fewer."""
    words = _between(call, len(content))
    left = max(0, kept - len(words))
    begin = int(left * _BEGINNING)
    end = left - begin
    out = len(content) - begin - end
    if out <= len(words):
        return content
    return content[:begin] + _between(call, out) + (content[-end:] if end else "")


def _between(call: str, count: int) -> str:
    return f"\n[{count} characters left out; read_history(call_id={dump(call)}) shows them]\n"
