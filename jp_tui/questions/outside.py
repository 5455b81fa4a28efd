"""Out-of-bounds parts of a model's arguments (inquiries.md V18, V19), and a copy that can be checked (R164).

The copy has 0 for unstorable numbers, escapes for lone surrogates, nothing below the deepest level. It is used to
report further problems, never to ask. Without recursion, so that a deep value can't crash it.
"""

from __future__ import annotations

from typing import NamedTuple

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.questions.bounds import MAX_BYTES, MAX_DEPTH, pointer, short, unwritable
from jp_tui.questions.items import ItemProblem

MOST = 200
"""Places that are reported."""


class Outside(NamedTuple):
    """`problems` in the order of the value; `value` is the copy, `cut`: its deepest parts are missing."""

    problems: tuple[ItemProblem, ...]
    value: Json
    cut: bool

    def touches(self, path: str) -> bool:
        """True if something out of bounds is at a JSON pointer or below it."""
        return self.cut or any(f"{one.path}/".startswith(f"{path}/") for one in self.problems if one.path)

    def is_reported(self, path: str) -> bool:
        """True if the problem at a pointer, or around it, is already reported."""
        return any(f"{path}/".startswith(f"{one.path}/") for one in self.problems if one.path)


def outside(arguments: Json) -> Outside:
    """Return all problems of V18 and V19 in the whole arguments."""
    found: list[ItemProblem] = []
    root: list[Json] = [None]
    cut = False
    todo: list[tuple[Json, str, int, list[Json] | dict[str, Json], int | str]] = [(arguments, "", 1, root, 0)]
    while todo:
        one, path, deep, into, key = todo.pop()
        wrong = unwritable(one)
        if wrong and len(found) < MOST:
            found.append(ItemProblem("V19", path, f"{wrong} (at `{short(path) or '/'}`)."))
        if not isinstance(one, (dict, list)):
            _put(into, key, _kept(one) if wrong else one)
        elif deep > MAX_DEPTH:
            cut = True
        elif isinstance(one, list):
            entries: list[Json] = [None] * len(one)
            _put(into, key, entries)
            todo += [(one[at], f"{path}/{at}", deep + 1, entries, at) for at in reversed(range(len(one)))]
        else:
            parts: dict[str, Json] = {_plain(name): None for name in one}
            _put(into, key, parts)
            todo += [(one[name], pointer(path, _plain(name)), deep + 1, parts, _plain(name)) for name in reversed(one)]
    if cut:
        found.insert(0, ItemProblem("V18", "", f"the arguments are more than {MAX_DEPTH} levels deep."))
    if len(dump(root[0]).encode()) > MAX_BYTES:
        found.insert(0, ItemProblem("V18", "", f"the arguments are larger than {MAX_BYTES // 1_000_000} MB."))
    return Outside(tuple(found), root[0], cut)


def _put(into: list[Json] | dict[str, Json], key: int | str, value: Json) -> None:
    into[key] = value  # type: ignore[index]  # a list has its index, an object its name


def _kept(value: Json) -> Json:
    return _plain(value) if isinstance(value, str) else 0


def _plain(text: str) -> str:
    """Write lone surrogates as escapes, so that the text can be encoded."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
