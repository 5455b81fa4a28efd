"""Sets of characters as ranges of code points: escapes, Unicode general categories, and Python's class syntax.

Used by `regex.py`, which parses patterns. For the child only.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

Ranges = list[tuple[int, int]]

LAST = 0x10FFFF
_DIGITS: Ranges = [(48, 57)]
_WORD: Ranges = [(48, 57), (65, 90), (95, 95), (97, 122)]
_BLANKS: Ranges = [(9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
                   (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)]  # fmt: skip
SETS = {"d": _DIGITS, "w": _WORD, "s": _BLANKS}
_MAJOR = {"letter": "L", "mark": "M", "combining_mark": "M", "number": "N", "punctuation": "P", "punct": "P",
          "symbol": "S", "separator": "Z", "other": "C"}  # fmt: skip
_MINOR = {
    "uppercase_letter": "Lu", "lowercase_letter": "Ll", "titlecase_letter": "Lt", "cased_letter": "LC",
    "modifier_letter": "Lm", "other_letter": "Lo", "nonspacing_mark": "Mn", "spacing_mark": "Mc",
    "enclosing_mark": "Me", "decimal_number": "Nd", "digit": "Nd", "letter_number": "Nl", "other_number": "No",
    "connector_punctuation": "Pc", "dash_punctuation": "Pd", "open_punctuation": "Ps", "close_punctuation": "Pe",
    "initial_punctuation": "Pi", "final_punctuation": "Pf", "other_punctuation": "Po", "math_symbol": "Sm",
    "currency_symbol": "Sc", "modifier_symbol": "Sk", "other_symbol": "So", "space_separator": "Zs",
    "line_separator": "Zl", "paragraph_separator": "Zp", "control": "Cc", "cntrl": "Cc", "format": "Cf",
    "surrogate": "Cs", "private_use": "Co", "unassigned": "Cn",
}  # fmt: skip


def format_class(found: Ranges) -> str:
    """Return a Python class."""
    some = _sorted(found)
    if not some:
        return "(?!)"
    if some == [(0, LAST)]:
        return "(?s:.)"
    pieces = (_end(low) if low == high else f"{_end(low)}-{_end(high)}" for low, high in some)
    return f"[{''.join(pieces)}]"


def _end(code: int) -> str:
    return chr(code) if chr(code).isascii() and chr(code).isalnum() else f"\\U{code:08x}"


def _sorted(found: Ranges) -> Ranges:
    """Sort the ranges and join touching ones."""
    made: Ranges = []
    for low, high in sorted(found):
        if made and low <= made[-1][1] + 1:
            made[-1] = made[-1][0], max(high, made[-1][1])
        else:
            made.append((low, high))
    return made


def complement(found: Ranges) -> Ranges:
    """Return all other characters."""
    made, start = [], 0
    for low, high in _sorted(found):
        if start < low:
            made.append((start, low - 1))
        start = high + 1
    return [*made, (start, LAST)] if start <= LAST else made


def of_property(key: str, value: str | None) -> Ranges | None:
    """Return the characters of a Unicode property; None for an unknown one."""
    if value is None and key in ("Any", "ASCII"):
        return [(0, LAST if key == "Any" else 127)]
    if value is None or key in ("General_Category", "gc"):
        named = value or key
        code = _MAJOR.get(named.lower(), _MINOR.get(named.lower(), named))
        wanted = {"Lu", "Ll", "Lt"} if code == "LC" else {one for one in _categories() if one.startswith(code)}
        if wanted and len(code) < 3:
            return [one for category in wanted for one in _categories()[category]]
    return None


@lru_cache(maxsize=1)
def _categories() -> dict[str, Ranges]:
    """Return all characters by general category; takes 0.2 s, once, on first use."""
    found: dict[str, Ranges] = {}
    known, start = unicodedata.category("\0"), 0
    for code in range(1, LAST + 1):
        category = unicodedata.category(chr(code))
        if category != known:
            found.setdefault(known, []).append((start, code - 1))
            known, start = category, code
    found.setdefault(known, []).append((start, LAST))
    return found
