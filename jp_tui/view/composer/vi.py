"""The vi keys of a text field, pure: a key, the text and the cursor in; an edit, a cursor and a mode out (S55).

Normal and insert mode, counts, motions, operators with motions and text objects, registers of one text. What vi has
beyond that (visual mode, marks, macros, `:`) is not here: an unknown key does nothing. It holds no text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
Act = Literal["", "undo", "redo", "older", "newer"]
MOST = 10_000
"""The largest count."""
_PAIRS = {"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}", "<": "<>", ">": "<>"}
_LINES = "jkG"
"""Motions that take whole lines with an operator; `gg` does, too."""


@dataclass(frozen=True, slots=True)
class ViStep:
    """Effect of a key: replace `span` by `text`, put the cursor at `cursor` (in the new text), or `act`. A `cursor` of
    -1 leaves it to whoever acts."""

    cursor: int = -1
    span: Span | None = None
    text: str = ""
    act: Act = ""


class ViKeys:
    """The state between two keys."""

    def __init__(self) -> None:
        self.inserting = True
        """Insert mode: keys write, except Esc."""
        self._pending = ""
        self._register = ""
        self._find: tuple[str, str] | None = None

    @property
    def pending(self) -> bool:
        """True if a command was begun."""
        return bool(self._pending)

    def insert(self) -> None:
        """Go to insert mode."""
        self.inserting, self._pending = True, ""

    def leave_insert(self, text: str, at: int) -> ViStep:
        """Go to normal mode; the cursor steps onto the last character."""
        self.inserting, self._pending = False, ""
        return ViStep(at - 1 if at > _begin(text, at) else at)

    def press(self, key: str, text: str, at: int) -> ViStep:
        """Take a key in normal mode: a character, `escape` or `ctrl+r`."""
        if key == "escape":
            self._pending = ""
            return ViStep(at)
        if key == "ctrl+r":
            self._pending = ""
            return ViStep(act="redo")
        self._pending += key
        step = self._command(text, at)
        if step is None:
            return ViStep(at)  # more keys are needed
        self._pending = ""
        return step

    # -- one command

    def _command(self, text: str, at: int) -> ViStep | None:
        """Carry out the pending keys; None while the command is incomplete."""
        count, given, rest = _counted(self._pending)
        if not rest:
            return None
        if rest[0] in "dcy":
            return self._operator(rest[0], rest[1:], count, text, at)
        if rest in ("g", "f", "F", "t", "T", "r"):
            return None
        if rest[0] == "r":
            return _replaced(rest[1], count, text, at)
        if rest in ("k", "j"):
            moved = _motion(rest, count, given, text, at, self)
            alone = moved is None or moved == at
            return ViStep(act="older" if rest == "k" else "newer") if alone else ViStep(_on(text, moved or 0))
        if (moved := _motion(rest, count, given, text, at, self)) is not None:
            return ViStep(_on(text, moved))
        simple = _SIMPLE.get(rest)
        return simple(self, count, text, at) if simple is not None else ViStep(at)

    def _operator(self, operator: str, keys: str, outer: int, text: str, at: int) -> ViStep | None:
        inner, given, keys = _counted(keys)
        count = min(outer * inner, MOST)
        if not keys or keys in ("g", "f", "F", "t", "T", "i", "a"):
            return None
        if keys == operator or keys in (*_LINES, "gg"):
            return self._whole_lines(operator, keys, count, given, text, at)
        if keys[0] in "ia":
            span = text_object(keys[0], keys[1], text, at)
        else:
            if operator == "c" and keys in ("w", "W") and not text[at : at + 1].isspace():
                keys = "e" if keys == "w" else "E"
            end = _motion(keys, count, given, text, at, self)
            if end is None:
                return ViStep(at)
            if keys in ("w", "W") and "\n" in text[at:end]:  # the last word of a line: not the next line's indent
                end = max(at + len(text[at:end].rstrip(" \t\n")), at + (text[at:end].find("\n") or 1))
            span = (min(at, end), min(max(at, end) + (keys[0] in "eEfFtT;,%" and end >= at), len(text)))
        if span is None or (span[0] == span[1] and operator != "c"):
            return ViStep(at)
        return self._done(operator, span, text)

    def _done(self, operator: str, span: Span, text: str) -> ViStep:
        start, end = span
        self._register = text[start:end]
        if operator == "y":
            return ViStep(start)
        if operator == "c":
            self.inserting = True
            return ViStep(start, span)
        left = text[:start] + text[end:]
        return ViStep(_on(left, start), span)

    def _whole_lines(self, operator: str, keys: str, count: int, given: bool, text: str, at: int) -> ViStep:
        first, last = at, at
        if keys == operator:
            for _ in range(count - 1):
                last = min(_end(text, last) + 1, len(text))
        else:
            to = _motion(keys, count, given, text, at, self)
            first, last = (at, at) if to is None else (min(at, to), max(at, to))
        start, end = _begin(text, first), _end(text, last)
        self._register = text[start:end] + "\n"
        if operator == "y":
            return ViStep(start if keys != operator else at)
        if operator == "c":
            self.inserting = True
            return ViStep(start, (start, end))
        if end < len(text):
            end += 1
        elif start:
            start -= 1
        left = text[:start] + text[end:]
        begin = _begin(left, min(start + (end == len(text) and start > 0), len(left)))
        return ViStep(_first(left, min(begin, len(left))), (start, end))

    # -- commands of one key

    def _insert_at(self, cursor: int, span: Span | None = None, text: str = "") -> ViStep:
        self.inserting = True
        return ViStep(cursor, span, text)

    def _put(self, text: str, at: int, count: int, *, after: bool) -> ViStep:
        said = self._register * count
        if not said:
            return ViStep(at)
        if self._register.endswith("\n"):
            if after:
                end = _end(text, at)
                return ViStep(_first(f"{text[:end]}\n{said}", end + 1), (end, end), "\n" + said[:-1])
            begin = _begin(text, at)
            return ViStep(_first(text[:begin] + said, begin), (begin, begin), said)
        place = min(at + 1, _end(text, at)) if after else at
        return ViStep(place + len(said) - 1, (place, place), said)


def _counted(keys: str) -> tuple[int, bool, str]:
    """The count before keys, whether one was given, and the rest."""
    size = 0
    while size < len(keys) and keys[size].isascii() and keys[size].isdigit() and (size or keys[size] != "0"):
        size += 1
    return (min(int(keys[:size][:6]), MOST) if size else 1), bool(size), keys[size:]


# -- places


def _begin(text: str, at: int) -> int:
    """The start of the line."""
    return text.rfind("\n", 0, at) + 1


def _end(text: str, at: int) -> int:
    """The end of the line, on its line break."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _first(text: str, at: int) -> int:
    """Return the place of the line's first character that isn't a blank."""
    begin, end = _begin(text, at), _end(text, at)
    line = text[begin:end]
    return begin + min(len(line) - len(line.lstrip(" \t")), max(len(line) - 1, 0))


def _on(text: str, at: int) -> int:
    """A place on a character of its line, as normal mode has it."""
    at = min(max(at, 0), len(text))
    begin, end = _begin(text, at), _end(text, at)
    return min(at, max(end - 1, begin))


def _kind(char: str, big: bool) -> int:
    if char.isspace():
        return 0
    return 1 if big or char.isalnum() or char == "_" else 2


def _next_word(text: str, at: int, big: bool) -> int:
    kind = _kind(text[at], big) if at < len(text) else 0
    while at < len(text) and kind and _kind(text[at], big) == kind:
        at += 1
    while at < len(text) and text[at].isspace():
        at += 1
        if text[at - 1] == "\n" and text[at : at + 1] == "\n":
            break
    return at


def _word_before(text: str, at: int, big: bool) -> int:
    at -= 1
    while at > 0 and text[at].isspace():
        at -= 1
    if at <= 0:
        return 0
    kind = _kind(text[at], big)
    while at > 0 and _kind(text[at - 1], big) == kind:
        at -= 1
    return at


def _word_end(text: str, at: int, big: bool) -> int:
    at += 1
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return max(len(text) - 1, 0)
    kind = _kind(text[at], big)
    while at + 1 < len(text) and _kind(text[at + 1], big) == kind:
        at += 1
    return at


def _motion(keys: str, count: int, given: bool, text: str, at: int, vi: ViKeys) -> int | None:
    """Return the target of a motion; None if it isn't one or has no target."""
    if keys[0] in "fFtT" and len(keys) == 2:
        vi._find = keys[0], keys[1]
        return _found(keys[0], keys[1], count, text, at)
    if keys in (";", ",") and vi._find is not None:
        how, char = vi._find
        return _found(how if keys == ";" else how.swapcase(), char, count, text, at, again=True)
    if keys == "gg" or (keys == "G" and given):
        place = 0
        for _ in range(count - 1 if given else 0):
            if (end := text.find("\n", place)) < 0:
                break
            place = end + 1
        return _first(text, place)
    if keys == "G":
        return _first(text, len(text))
    if keys == "0":
        return _begin(text, at)
    if keys in ("^", "_"):
        return _first(text, at)
    if keys == "$":
        return _end(text, at)
    if keys == "%":
        return _partner(text, at)
    step = _STEPS.get(keys)
    if step is None:
        return None
    for _ in range(count):
        moved = step(text, at)
        if moved == at:
            break
        at = moved
    return at


def _found(how: str, char: str, count: int, text: str, at: int, *, again: bool = False) -> int | None:
    """The place of a character of the line, or beside it."""
    ahead, beside = how in "ft", how in "tT"
    place = at
    for number in range(count):
        skip = 1 + (beside and again and number == 0)
        if ahead:
            place = text.find(char, place + skip, _end(text, at))
        else:
            place = text.rfind(char, _begin(text, at), max(place - skip + 1, 0))
        if place < 0:
            return None
    return place - (1 if ahead else -1) if beside else place


def _partner(text: str, at: int) -> int | None:
    """The other bracket of the first one from here on in the line."""
    for place in range(at, _end(text, at)):
        for one, other in ("()", "[]", "{}"):
            if text[place] in (one, other):
                step = 1 if text[place] == one else -1
                depth, here = 0, place
                while 0 <= here < len(text):
                    depth += step * ((text[here] == one) - (text[here] == other))
                    if depth == 0:
                        return here
                    here += step
                return None
    return None


def _down(text: str, at: int, step: int) -> int:
    begin = _begin(text, at)
    column = at - begin
    if step > 0:
        end = _end(text, at)
        if end == len(text):
            return at
        begin = end + 1
    else:
        if begin == 0:
            return at
        begin = _begin(text, begin - 1)
    return min(begin + column, max(_end(text, begin) - 1, begin))


_STEPS: dict[str, Callable[[str, int], int]] = {
    "h": lambda text, at: max(at - 1, _begin(text, at)),
    "l": lambda text, at: min(at + 1, _end(text, at)),
    " ": lambda text, at: min(at + 1, len(text)),
    "w": lambda text, at: _next_word(text, at, False),
    "W": lambda text, at: _next_word(text, at, True),
    "b": lambda text, at: _word_before(text, at, False),
    "B": lambda text, at: _word_before(text, at, True),
    "e": lambda text, at: _word_end(text, at, False),
    "E": lambda text, at: _word_end(text, at, True),
    "j": lambda text, at: _down(text, at, 1),
    "k": lambda text, at: _down(text, at, -1),
}


def text_object(how: str, what: str, text: str, at: int) -> Span | None:
    """The word, quoted or bracketed text around a place: `i` without, `a` with what surrounds it."""
    if what in "wW":
        return _word_object(how, what == "W", text, at)
    if what in "\"'`":
        return _quoted(how, what, text, at)
    pair = _PAIRS.get(what)
    return _bracketed(how, pair, text, at) if pair else None


def _word_object(how: str, big: bool, text: str, at: int) -> Span | None:
    if at >= len(text) or text[at] == "\n":
        return (at, at)
    kind, low, high = _kind(text[at], big), _begin(text, at), _end(text, at)
    start, end = at, at + 1
    while start > low and _kind(text[start - 1], big) == kind:
        start -= 1
    while end < high and _kind(text[end], big) == kind:
        end += 1
    if how == "a":
        after = end
        while after < high and text[after].isspace():
            after += 1
        if after > end:
            return start, after
        while start > low and text[start - 1].isspace():
            start -= 1
    return start, end


def _quoted(how: str, mark: str, text: str, at: int) -> Span | None:
    begin, end = _begin(text, at), _end(text, at)
    places = [place for place in range(begin, end) if text[place] == mark]
    for one, other in zip(places[::2], places[1::2], strict=False):
        if at <= other:
            return (one, other + 1) if how == "a" else (one + 1, other)
    return None


def _bracketed(how: str, pair: str, text: str, at: int) -> Span | None:
    one, other = pair[0], pair[1]
    depth, start = 0, at
    while start >= 0:
        char = text[start : start + 1]
        if char == one and depth == 0:
            break
        depth += (char == other and start != at) - (char == one)
        start -= 1
    if start < 0:
        return None
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] == one) - (text[end] == other)
        if depth == 0:
            return (start, end + 1) if how == "a" else (start + 1, end)
    return None


# -- commands of one key


def _replaced(char: str, count: int, text: str, at: int) -> ViStep:
    if at + count > _end(text, at):
        return ViStep(at)
    return ViStep(at + count - 1, (at, at + count), char * count)


def _swapped(_: ViKeys, count: int, text: str, at: int) -> ViStep:
    end = min(at + count, _end(text, at))
    return ViStep(_on(text, end), (at, end), text[at:end].swapcase()) if end > at else ViStep(at)


def _joined(_: ViKeys, count: int, text: str, at: int) -> ViStep:
    end = _end(text, at)
    if end == len(text):
        return ViStep(at)
    after = end + 1
    while after < len(text) and text[after] in " \t":
        after += 1
    blank = "" if text[after : after + 1] in ("", "\n", ")") or text[end - 1 : end] in ("", " ", "\n") else " "
    return ViStep(end if blank else max(end - 1, 0), (end, after), blank)


def _cut(operator: str, motion: str) -> Callable[[ViKeys, int, str, int], ViStep]:
    """A key that is short for an operator and a motion."""

    def run(vi: ViKeys, count: int, text: str, at: int) -> ViStep:
        if motion == "line":
            return vi._whole_lines(operator, operator, count, False, text, at)
        if motion == "h":
            span = (max(at - count, _begin(text, at)), at)
        else:
            span = (at, _end(text, at) if motion == "$" else min(at + count, _end(text, at)))
        return vi._done(operator, span, text) if span[0] < span[1] or operator == "c" else ViStep(at)

    return run


_SIMPLE: dict[str, Callable[[ViKeys, int, str, int], ViStep]] = {
    "i": lambda vi, count, text, at: vi._insert_at(at),
    "I": lambda vi, count, text, at: vi._insert_at(_first(text, at) if text[_begin(text, at) : _end(text, at)] else at),
    "a": lambda vi, count, text, at: vi._insert_at(min(at + 1, _end(text, at))),
    "A": lambda vi, count, text, at: vi._insert_at(_end(text, at)),
    "o": lambda vi, count, text, at: vi._insert_at(_end(text, at) + 1, (_end(text, at), _end(text, at)), "\n"),
    "O": lambda vi, count, text, at: vi._insert_at(_begin(text, at), (_begin(text, at), _begin(text, at)), "\n"),
    "x": _cut("d", "l"),
    "X": _cut("d", "h"),
    "D": _cut("d", "$"),
    "C": _cut("c", "$"),
    "s": _cut("c", "l"),
    "S": _cut("c", "line"),
    "Y": _cut("y", "line"),
    "p": lambda vi, count, text, at: vi._put(text, at, min(count, 100), after=True),
    "P": lambda vi, count, text, at: vi._put(text, at, min(count, 100), after=False),
    "~": _swapped,
    "J": _joined,
    "u": lambda vi, count, text, at: ViStep(act="undo"),
}
