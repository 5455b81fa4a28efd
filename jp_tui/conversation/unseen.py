"""Invisible characters in chat text: shown as `\\u{200B}`, except where a script or an emoji needs them (R195, Z22).

Kept are: joiners in scripts that join and in emoji sequences, a variation selector after a character that has variants,
the three flags made of tags, a soft hyphen inside a word, a zero-width space between letters of scripts without spaces.
One of each at a time: a run could hide a text. `Revealer` does this for text in pieces. Nothing is dropped without
being counted. Text for approval has stricter rules, in `visible.py`.
"""

from __future__ import annotations

import re

from jp_tui.conversation import visible
from jp_tui.conversation.patterns import later

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u17b3\u17b6-\u180a\u1820-\u18aa\u1980-\u1bff\u1c00-\u1c4f\ua800-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
"""Arabic, Syriac and similar, the scripts of India and South-East Asia, Mongolian."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3040-\u30ff\u3400-\u9fff"
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_VARIANTS = "\ufe00-\ufe02\U000e0100-\U000e010f"
"""Of ideographs: those in fonts. All 256 would carry a byte each."""
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ufe00-\ufe0f"
)
"""Format characters without a sign, fillers, variation selectors, tags, and Unicode's reserve for more of them."""
_MARKS = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_FLAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f" for name in ("gbeng", "gbsct", "gbwls")
)
_NOT_MORE = f"(?![{_INVISIBLE}])"
_TOKEN = later(
    rf"(?P<fine>(?<=\U0001f3f4)(?:{_FLAGS}){_NOT_MORE}"
    rf"|(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f](?!(?!\u200d)[{_INVISIBLE}])"
    rf"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    rf"|(?:(?<=[{_JOINING}])|(?<=[{_JOINING}][*_`~])|(?<=[{_JOINING}][*_~][*_~]))[\u200c\u200d]{_NOT_MORE}"
    rf"|(?<=[\u1820-\u18aa])[\u180b-\u180f]{_NOT_MORE}"
    rf"|(?<=[{_IDEOGRAPHS}])[{_VARIANTS}]{_NOT_MORE}"
    rf"|(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}])"
    r"|(?<=[^\W\d_])\u00ad(?=[^\W\d_])"
    r"|(?<=[\u2800-\u28ff])\u2800|\u2800(?=[\u2800-\u28ff])"
    r"|(?<=[\U00013000-\U0001342f])[\U00013430-\U00013455]"
    rf")|(?P<odd>[{_INVISIBLE}{visible.BIDI}])|(?P<marks>[{_MARKS}]+)|(?P<line>[\u2028\u2029])|(?P<half>[\ud800-\udfff])"
)
_ANY = later(f"[{_INVISIBLE}{_MARKS}{visible.BIDI}\u2028\u2029\ud800-\udfff]")
_TAIL = later(f"[{_INVISIBLE}]{{1,16}}\\Z")
"""Characters that depend on the next one; a longer run is always shown."""
BEFORE = 3
"""Preceding characters that matter: a letter and the Markdown signs that close its emphasis."""
MOST_MARKS, MOST_SIGNS = 8, 8
"""Combining marks per letter, and consecutive escapes, that are shown; the rest is counted."""


class Revealer:
    """Filter for one text in pieces: the results join to that of the whole. `before` are the preceding characters."""

    __slots__ = ("_held", "_last", "_marks", "_signs")

    def __init__(self, before: str = "") -> None:
        self._last = before
        self._held = ""
        self._signs = self._marks = 0  # of the run at the end

    def feed(self, text: str) -> str:
        """Return what can be shown of `text` now."""
        text = self._held + text
        tail = _TAIL.search(text) if text and not text[-1].isascii() else None
        self._held = "" if tail is None else tail.group()
        return self._shown(text if tail is None else text[: tail.start()], self._held)

    def finish(self) -> str:
        """Return the rest."""
        text, self._held = self._held, ""
        return self._shown(text, "") + self._counted()

    def _shown(self, text: str, after: str) -> str:
        if not text:
            return ""
        if not self._signs and not self._marks and _ANY.search(text) is None:
            self._last = (self._last + text)[-BEFORE:]
            return text
        found: list[str] = []
        whole = self._last + text + after
        done, end = len(self._last), len(self._last) + len(text)
        for match in _TOKEN.finditer(whole, done):
            start, stop = match.span()
            if start >= end:
                break
            if start > done:
                found += self._counted(), whole[done:start]
            found.append(self._token(match))
            done = stop
        if done < end:
            found += self._counted(), whole[done:end]
        self._last = whole[:end][-BEFORE:]
        return "".join(found)

    def _token(self, match: re.Match[str]) -> str:
        said = match.group()
        if match.lastgroup == "marks":
            front = self._counted(marks=False)
            room = max(MOST_MARKS - self._marks, 0)
            self._marks += len(said)
            return front + said[:room]
        if match.lastgroup == "odd":
            front = self._counted(signs=False)
            self._signs += 1
            return front + (visible.escape(said) if self._signs <= MOST_SIGNS else "")
        front = self._counted()
        return front + {"line": "\n", "half": "\ufffd"}.get(match.lastgroup or "", said)

    def _counted(self, *, signs: bool = True, marks: bool = True) -> str:
        """End a run: return how much of it isn't shown."""
        said = ""
        if signs:
            more, self._signs = self._signs - MOST_SIGNS, 0
            said += f"⟨{more:,} more invisible⟩" if more > 0 else ""
        if marks:
            more, self._marks = self._marks - MOST_MARKS, 0
            said += f"⟨{more:,} more marks⟩" if more > 0 else ""
        return said


def revealed(text: str, before: str = "") -> str:
    """Filter a whole text; `before` are the preceding characters."""
    if text.isascii() or _ANY.search(text) is None:
        return text
    revealer = Revealer(before)
    return revealer.feed(text) + revealer.finish()


def without_invisible(text: str) -> tuple[str, int]:
    """Return the text without the invisible characters that may not stay, and their number (K4)."""
    if text.isascii() or _ANY.search(text) is None:
        return text, 0
    count = 0

    def leave_out(match: re.Match[str]) -> str:
        nonlocal count
        if match.lastgroup != "odd":
            return match.group()
        count += 1
        return ""

    return _TOKEN.sub(leave_out, text), count
