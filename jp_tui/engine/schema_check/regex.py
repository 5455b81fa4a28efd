"""Translate ECMA-262 patterns of JSON Schema to Python (inquiries.md V9). For the child.

By code points: `\\d`, `\\w`, `\\b` mean ASCII, `$` the very end, `.` no line end of any kind, `[]` nothing; `\\p{L}`
and all general categories are expanded. Python-only syntax is refused, as are the few unsupported features:
variable-length look-behinds and scripts. One difference remains: captures keep their value between iterations of a
loop, as in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

from jp_tui.engine.schema_check.regex_letters import LAST, SETS, Ranges, complement, format_class, of_property
from jp_tui.questions.bounds import short

_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_GROUPS = re.compile(r"\\.|[\[\]]|\((?:\?<(?![=!])|(?!\?))", re.DOTALL)
_COUNT = re.compile(r"\{([0-9]+)(,[0-9]*)?\}")
_NAME = re.compile(r"<([^\W\d][\w$]*|[$_][\w$]*)>")
_HEX = re.compile(r"u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})")
_LOW = re.compile(r"\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_PROPERTY = re.compile(r"\{([A-Za-z_]+)(?:=([A-Za-z0-9_]+))?\}")


class NoPattern(ValueError):
    """Unusable pattern; the text gives the reason and continues "it" or "a pattern"."""


class TranslatedPattern(str):
    """Pattern translated for Python; `source` is the original."""

    source: str = ""


@lru_cache(maxsize=512)
def pattern(source: str) -> TranslatedPattern:
    """Translate a pattern for `re`. Raises NoPattern if it is invalid or can't be expressed."""
    made = TranslatedPattern(_Reader(source).read())
    made.source = source
    try:
        re.compile(made)
    except (re.error, OverflowError, RecursionError) as error:
        if "look-behind" in str(error):
            raise NoPattern("uses a look-behind of varying length, which is not supported") from None
        raise NoPattern(f"does not compile ({getattr(error, 'msg', error)})") from None
    return made


class _Reader:
    """One pass over a pattern."""

    def __init__(self, source: str) -> None:
        self._text, self._at = source, 0
        self._names: dict[str, int] = {}
        self._groups = self._begun = 0
        self._called = ""  # prefix of group names if there are references, because patterns are joined by `|`
        self._open: list[int] = []  # the groups open here, 0 for those without a number
        self._count()

    def _count(self) -> None:
        """Count the groups and collect their names, because references may precede them."""
        inside = False
        for match in _GROUPS.finditer(self._text):
            sign = match.group()
            if sign in "[]":
                inside = sign == "["
            elif inside:
                continue
            elif sign[0] == "\\" and sign[1] in "123456789k":
                self._called = f"g{crc32(self._text.encode('utf-8', 'backslashreplace')):x}_"
            elif sign[0] == "(":
                self._groups += 1
                name = _NAME.match(self._text, match.end() - 1) if len(sign) > 1 else None
                if name is not None and name.group(1) in self._names:
                    raise NoPattern(f"has two groups of the name `{short(name.group(1))}`, which is not supported")
                if name is not None:
                    self._names[name.group(1)] = self._groups

    def read(self) -> str:
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        text = self._text
        while self._at < len(text):
            sign = text[self._at]
            self._at += 1
            if sign == "\\":
                yield self._escape()
            elif sign == "[":
                yield self._class()
            elif sign == "(":
                start = self._group()
                self._begun += start == "("
                self._open.append(self._begun if start == "(" else 0)
                yield f"(?P<{self._called}{self._begun}>" if start == "(" and self._called else start
            elif sign == ")":
                if not self._open:
                    raise NoPattern("does not compile (a `)` that closes nothing)")
                self._open.pop()
                yield sign
            elif sign in "*+?{":
                yield self._repeat(sign)
            elif sign == ".":
                yield "[^\\n\\r\\u2028\\u2029]"
            elif sign == "$":
                yield "\\Z"
            else:
                yield "\\" + sign if sign in "]}" else sign

    def _repeat(self, sign: str) -> str:
        """Translate a quantifier; an invalid brace is a literal one."""
        if sign == "{":
            found = _COUNT.match(self._text, self._at - 1)
            if found is None:
                return "\\{"
            sign, self._at = found.group(), found.end()
        after = self._text[self._at : self._at + 1]
        if after == "+":
            raise NoPattern(f"repeats what is repeated already (`{sign}+`), which ECMA-262 does not know")
        if after == "?":
            self._at += 1
            return sign + after
        return sign

    def _group(self) -> str:
        text, at = self._text, self._at
        if not text.startswith("?", at):
            return "("
        for start in ("?:", "?=", "?!", "?<=", "?<!"):
            if text.startswith(start, at):
                self._at += len(start)
                return "(" + start
        name = _NAME.match(text, at + 1)
        if name is None:
            raise NoPattern(f"uses `({short(text[at : at + 3])}`, which is not ECMA-262 or not supported")
        self._at = name.end()
        return "("

    # Escapes

    def _escape(self) -> str:
        """Translate an escape outside a class."""
        sign = self._next()
        if sign in "bB":  # Python has neither of them in an empty text
            return "(?a:\\b)" if sign == "b" else "(?!(?a:\\b))"
        if sign in "123456789":
            digits = sign
            while (more := self._text[self._at : self._at + 1]).isascii() and more.isdigit():
                digits += more
                self._at += 1
            return self._reference(int(digits) if len(digits) < 5 else self._groups + 1, f"\\{short(digits)}")
        if sign == "k":
            name = _NAME.match(self._text, self._at)
            if name is None:
                raise NoPattern("does not compile (`\\k` without a name)")
            self._at = name.end()
            return self._reference(self._names.get(name.group(1), 0), f"\\k{short(name.group())}")
        found = self._set(sign)
        if found is not None:
            return format_class(found)
        return _one(self._character(sign))

    def _reference(self, number: int, said: str) -> str:
        """Translate a reference; a group that took no part matches the empty text everywhere."""
        if not 0 < number <= self._groups:
            raise NoPattern(f"does not compile (`{said}` refers to no group)")
        if number in self._open or number > self._begun:
            return "(?:)"
        return f"(?({self._called}{number})(?P={self._called}{number})|)"

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise NoPattern("does not compile (it ends in a backslash)")
        self._at += 1
        return self._text[self._at - 1]

    def _set(self, sign: str) -> Ranges | None:
        """Return the characters of an escape for several."""
        if sign in "dDwWsS":
            some = SETS[sign.lower()]
        elif sign in "pP":
            found = _PROPERTY.match(self._text, self._at)
            if found is None:
                raise NoPattern(f"does not compile (`\\{sign}` without a property in braces)")
            self._at = found.end()
            known = of_property(found.group(1), found.group(2))
            if known is None:
                what = f"uses `\\{sign}{short(found.group())}`, and only general categories"
                raise NoPattern(f"{what} like \\p{{L}} or \\p{{Nd}} are supported")
            some = known
        else:
            return None
        return some if sign.islower() else complement(some)

    def _character(self, sign: str) -> int:
        """Return the character of an escape for one."""
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign == "0" and not self._text[self._at : self._at + 1].isdigit():
            return 0
        if sign == "c" and re.match("[A-Za-z]", self._text[self._at : self._at + 1]):
            return ord(self._next()) % 32
        found = _HEX.match(self._text, self._at - 1)
        if found is not None:
            code = int(next(one for one in found.groups() if one), 16)
            if code > LAST:
                raise NoPattern(f"does not compile (`\\{short(found.group())}` is no character)")
            self._at = found.end()
            low = _LOW.match(self._text, self._at) if found.group(2) and 0xD800 <= code < 0xDC00 else None
            if low is None:
                return code
            self._at = low.end()
            return 0x10000 + (code - 0xD800) * 0x400 + int(low.group(1), 16) - 0xDC00
        if sign.isalnum():
            raise NoPattern(f"uses `\\{short(sign)}`, which is not ECMA-262")
        return ord(sign)

    # Classes

    def _class(self) -> str:
        """Return the characters of a class in brackets."""
        negated = self._text.startswith("^", self._at)
        self._at += negated
        found: Ranges = []
        while True:
            if self._at >= len(self._text):
                raise NoPattern("does not compile (a `[` that nothing closes)")
            if self._text[self._at] == "]":
                self._at += 1
                return format_class(complement(found) if negated else found)
            low = self._member()
            ranged = self._text[self._at : self._at + 1] == "-" and self._text[self._at + 1 : self._at + 2] not in "]"
            if not ranged or not isinstance(low, int):
                found += [(low, low)] if isinstance(low, int) else low
                continue
            self._at += 1
            high = self._member()
            if not isinstance(high, int):  # a set as an end of a range: the dash is literal
                found += [(low, low), (45, 45), *high]
            elif high < low:
                raise NoPattern(f"does not compile (the range {short(chr(low))}-{short(chr(high))} is upside down)")
            else:
                found.append((low, high))

    def _member(self) -> int | Ranges:
        sign = self._next()
        if sign != "\\":
            return ord(sign)
        sign = self._next()
        if sign == "b":
            return 8
        found = self._set(sign)
        return self._character(sign) if found is None else found


def _one(code: int) -> str:
    sign = chr(code)
    if sign.isascii() and sign.isprintable():
        return re.escape(sign)
    return f"\\U{code:08x}"
