"""Valid ids of configurable questions: every id that a tool may use (inquiries.md R44, R68).

`questions/reading.py` defines them, which this package can't import; a test keeps both equal. Ids are compared
unchanged.
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.schema.checks import BadValue, found, text

MAX_ID = 200
_BLANK_GLYPHS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")


def question_id(value: Any) -> str:
    """Check for 1 to 200 visible characters without leading or trailing blanks. Raises BadValue."""
    id_ = text(value)
    if not 0 < len(id_) <= MAX_ID or id_ != id_.strip() or any(map(_unseen, id_)):
        raise BadValue(f"expected 1 to {MAX_ID} visible characters without blanks at an end, found {found(id_)}")
    return id_


def _unseen(char: str) -> bool:
    if char.isascii():
        return not char.isprintable()
    import unicodedata  # most ids are ASCII

    return (
        unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        or char in _BLANK_GLYPHS
        or "\ufe00" <= char <= "\ufe0f"
        or "\u180b" <= char <= "\u180f"
        or "\U000e0000" <= char <= "\U000e0fff"
    )
