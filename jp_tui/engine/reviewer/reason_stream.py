"""Extract the `reason` of a reviewer while it streams: the string at that top-level key of growing JSON.

For display only (asking.md E40): the verdict is parsed strictly from the whole reply. Text that doesn't begin as one
JSON object is ignored, and extraction stops at the first invalid character.
"""

from __future__ import annotations

import re

_BLANK = " \t\n\r"
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = frozenset("0123456789abcdefABCDEF")
_LOST = "\ufffd"


class Reason:
    """Feed it the reply as it arrives; it returns new text of the reason, whole characters only."""

    def __init__(self) -> None:
        self._depth = 0
        self._key = False  # at the top level a key comes next
        self._keyed = ""  # the top-level key whose value comes
        self._string = False
        self._escape = ""  # an incomplete escape, with its backslash
        self._half = ""  # the first of two UTF-16 surrogates
        self._name: list[str] = []
        self._told = False  # the reason was read: a second one doesn't count
        self._over = False

    def feed(self, text: str) -> str:
        """Process more of the reply."""
        found: list[str] = []
        at = 0
        while at < len(text) and not self._over:
            at = self._inside(text, at, found) if self._string else self._outside(text, at)
        return "".join(found)

    def _outside(self, text: str, at: int) -> int:
        char = text[at]
        if self._depth == 0 and char not in _BLANK and char != "{":
            self._over = True  # not JSON
        elif char == '"':
            self._string = True
            if self._named:
                self._name = []
        elif char in "{[":
            self._depth += 1
            self._key = self._depth == 1
            self._over = self._depth > 1_000
        elif char in "}]":
            self._depth -= 1
            self._over = self._depth <= 0
        elif self._depth == 1 and char == ",":
            self._key = True
        elif self._depth == 1 and char == ":":
            self._key, self._keyed = False, "".join(self._name)
        return at + 1

    @property
    def _named(self) -> bool:
        """True if a string here is a key of the top level."""
        return self._depth == 1 and self._key

    @property
    def _wanted(self) -> bool:
        """True if a string here is the reason."""
        return self._depth == 1 and not self._key and self._keyed == "reason" and not self._told

    def _inside(self, text: str, at: int, found: list[str]) -> int:
        """Process the inside of a string: plain text, one character of an escape, or its end."""
        if self._escape:
            self._escaped(text[at], found)
            return at + 1
        if plain := _PLAIN.match(text, at):
            self._report(plain.group(), found)
            return plain.end()
        if text[at] == "\\":
            self._escape = "\\"
        elif text[at] == '"':
            self._end(found)
        else:
            self._over = True  # a bare control character
        return at + 1

    def _escaped(self, char: str, found: list[str]) -> None:
        if self._escape == "\\" and char != "u":
            self._escape = ""
            if char not in _SIMPLE:
                self._over = True
            else:
                self._report(_SIMPLE[char], found)
            return
        if self._escape != "\\" and char not in _HEX:
            self._over = True
            return
        self._escape += char
        if len(self._escape) == 6:
            unit, self._escape = chr(int(self._escape[2:], 16)), ""
            self._unit(unit, found)

    def _unit(self, unit: str, found: list[str]) -> None:
        """Process one UTF-16 unit: a character, or one surrogate."""
        if "\ud800" <= unit <= "\udbff":
            self._whole(found)
            self._half = unit
        elif "\udc00" <= unit <= "\udfff":
            half, self._half = self._half, ""
            pair = (half + unit).encode("utf-16", "surrogatepass").decode("utf-16") if half else _LOST
            self._report(pair, found)
        else:
            self._report(unit, found)

    def _whole(self, found: list[str]) -> None:
        """Emit a replacement for a lone surrogate."""
        if self._half:
            self._half = ""
            self._put(_LOST, found)

    def _report(self, text: str, found: list[str]) -> None:
        self._whole(found)
        self._put(text, found)

    def _put(self, text: str, found: list[str]) -> None:
        if self._named:
            self._name.append(text[:100])
        elif self._wanted:
            found.append(text)

    def _end(self, found: list[str]) -> None:
        self._whole(found)
        self._string = False
        if self._wanted:
            self._told = True
