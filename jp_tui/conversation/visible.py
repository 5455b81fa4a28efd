"""Display of text for approval: nothing hidden, nothing reordered, no tail out of sight (traps.md T3).

Returns pieces `(text, ours)`, where `ours` marks replacements of content, so that a front end can style them and
content can't forge them unnoticed. Pure; decides nothing about approval. Conversation text has milder rules, in
`neutral.py`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from jp_tui.conversation.patterns import later

Class = Literal[
    "control sequences", "bidirectional controls", "invisible characters", "unusual spaces",
    "private characters", "broken characters", "mixed scripts", "look-alike signs",
    "encoded names", "stacked marks", "padding",
]  # fmt: skip

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
_ALIKE = frozenset("\u2215\u2044\u29f8\u2216\u29f5\uff0f\uff3c\uff0e\u2024\ua789\u02d0\u2236\ufe55\ufe68\u037e")
_FULL = later("[\uff01-\uff5e]")
_VARIATION = later("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_BIDI = later(f"[{BIDI}]")
_CONTROL = later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LETTERS = later(r"[^\W\d_]+")
_HOST = later(r"(?<=://)[^\s/?#]+")
_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN", "LISU", "FULLWIDTH", "MATHEMATICAL")
SPACES, LINES, INDENT, MARKS = 8, 2, 64, 4
"""Maximum consecutive blanks, consecutive blank lines, blanks of indentation, combining marks on one letter."""

_FOLD = later(
    rf"(?P<lines>(?:(?<=\n)|\A)(?:[ \t]*\n){{{LINES + 1},}})|(?P<head>(?:(?<=\n)|\A)[ \t]{{{INDENT + 1},}})"
    rf"|(?P<indent>(?:(?<=\n)|\A)[ \t]+)|(?P<run>[ \t]{{{SPACES + 1},}})|(?P<odd>[^\x20-\x7e\n\t])"
    r"|(?P<encoded>\bxn--[A-Za-z0-9-]+)"
)

Pieces = list[tuple[str, bool]]


@lru_cache(maxsize=4096)
def escape(char: str) -> str:
    """Return `\\u{202E}` for a character."""
    return f"\\u{{{ord(char):04X}}}"


def picture(char: str) -> str:
    """Return a control as Unicode's sign for it; C1 and others as their code."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else escape(char)


@lru_cache(maxsize=4096)
def odd(char: str) -> Class | None:
    """Return why one character must be replaced in text for approval; None if it may stay."""
    if _CONTROL.match(char):
        return "control sequences"
    if _BIDI.match(char):
        return "bidirectional controls"
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp"):
        return "unusual spaces" if char != " " else None
    if category == "Co":
        return "private characters"
    if category in ("Cn", "Cs"):
        return "broken characters"
    if char in _ALIKE:
        return "look-alike signs"
    if category == "Cf" or char in _BLANK or _VARIATION.match(char):
        return "invisible characters"
    return None


def _script(char: str) -> str:
    if char.isascii():
        return "LATIN"
    name = unicodedata.name(char, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")


def _lookalikes(text: str) -> set[int]:
    """Return offsets of letters of another script inside a Latin word, and of anything not ASCII in a host."""
    found: set[int] = set()
    if text.isascii():
        return found
    for word in _LETTERS.finditer(text):
        letters = word.group()
        if letters.isascii():
            continue
        scripts = {_script(char) for char in letters}
        if "LATIN" in scripts and len(scripts - {""}) > 1:
            found.update(word.start() + i for i, char in enumerate(letters) if _script(char) not in ("LATIN", ""))
    for sign in _FULL.finditer(text):  # beside ASCII a full-width sign passes for the plain one
        at = sign.start()
        beside = text[at - 1 : at] + text[at + 1 : at + 2]
        if any(char.isascii() and char.isalnum() for char in beside):
            found.add(at)
    for host in _HOST.finditer(text):
        found.update(host.start() + i for i, char in enumerate(host.group()) if not char.isascii())
    return found


def _stacked(text: str, at: int) -> int:
    """Count consecutive combining marks from `at`."""
    end = at
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end - at


def pieces(text: str) -> Pieces:
    """Return text with everything odd in visible form, long blanks folded and counted."""
    if not _FOLD.search(text):
        return [(text, False)] if text else []
    alike, found, done = _lookalikes(text), Pieces(), 0
    for match in _FOLD.finditer(text):
        start, end = match.span()
        if start < done:
            continue
        shown = _replacement(text, match, alike)
        if shown is None:
            continue
        label, end = shown
        if start > done:
            found.append((text[done:start], False))
        found.append((label, True))
        done = end
    if done < len(text):
        found.append((text[done:], False))
    return found


def _replacement(text: str, match: re.Match[str], alike: set[int]) -> tuple[str, int] | None:
    """Return the replacement of a match and the next position; None if it stays."""
    start, end = match.span()
    if match.lastgroup == "lines":
        return f"⟨{match.group().count(chr(10)):,} blank lines⟩\n", end
    if match.lastgroup in ("head", "run"):
        return f"⟨{end - start:,} blanks⟩", end
    if match.lastgroup == "indent":
        return None
    if match.lastgroup == "encoded":
        return match.group(), end
    char = match.group()
    if unicodedata.combining(char):
        marks = _stacked(text, start)
        return (f"⟨{marks:,} marks⟩", start + marks) if marks > MARKS else None
    why = odd(char)
    if why is None and start not in alike:
        return None
    while end < len(text) and text[end] == char:
        end += 1
    sign = picture(char) if why == "control sequences" else escape(char)
    repeats = end - start
    return sign * repeats if repeats <= SPACES else f"{sign}⟨×{repeats:,}⟩", end


def warnings(text: str) -> tuple[Class, ...]:
    """Return the kinds of deception in a text, for a badge; empty for harmless text."""
    found: dict[Class, None] = {}
    marked = 0
    for match in _FOLD.finditer(text):
        if match.lastgroup in ("lines", "head", "run"):
            found["padding"] = None
        elif match.lastgroup == "encoded":
            found["encoded names"] = None
        elif match.lastgroup == "odd":
            char = match.group()
            if unicodedata.combining(char):
                if match.start() >= marked:  # a stack is counted once, whatever its height
                    high = _stacked(text, match.start())
                    marked = match.start() + high
                    if high > MARKS:
                        found["stacked marks"] = None
                continue
            why = odd(char)
            if why is not None:
                found[why] = None
    if _lookalikes(text):
        found["mixed scripts"] = None
    return tuple(found)
