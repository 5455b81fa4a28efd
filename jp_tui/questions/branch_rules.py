"""Rules across the questions of a list: ids and conditions (inquiries.md R164: V7, V10, V11, V13, V16, V17, V20).

Only earlier questions can be referred to, so a form can't contain a cycle. Reports problems, walks nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import pointer, short, visible
from jp_tui.questions.item_rules import Looked, strangers
from jp_tui.questions.items import ItemProblem, When
from jp_tui.questions.types import MultiSelectAnswer, SchemaAnswer, SelectAnswer

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_RESERVED = frozenset({"__permission__", "__delivery__", "__review__"})
"""Ids under which jp-tui's own prompts are counted (R39)."""
_WHEN = frozenset({"question_id", "equals"})


def check_id(given: JsonObject, path: str, earlier: Mapping[str, Looked], found: list[ItemProblem]) -> str | None:
    """Return the id of a question, also an invalid one, so that references to it aren't reported as well; None if it
    has none."""
    value, where = given.get("id"), pointer(path, "id")
    if not isinstance(value, str) or not visible(value):
        wrong = "is required" if value is None else "must be text that is not blank"
        found.append(ItemProblem("V13", where, f"`id` {wrong}."))
        return None
    if value in earlier:
        found.append(ItemProblem("V7", where, f"`id` `{short(value)}` is the id of an earlier question already."))
    elif unicodedata.normalize("NFC", value) in {unicodedata.normalize("NFC", one) for one in earlier}:
        found.append(
            ItemProblem("V17", where, f"`id` `{short(value)}` reads the same as the id of an earlier question.")
        )
    elif not _ID.match(value):
        found.append(ItemProblem("V17", where, "`id` must be 1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`."))
    elif value in _RESERVED:
        found.append(ItemProblem("V17", where, f"`id` must not be `{value}`, which has a meaning of its own."))
    return value


def check_when(
    given: JsonObject, path: str, own: str | None, earlier: Mapping[str, Looked], later: frozenset[str],
    found: list[ItemProblem],
) -> When | None:  # fmt: skip
    """Return the predicate of a question, if it has a usable one; `later` are the ids after it."""
    value, where = given.get("when"), pointer(path, "when")
    if value is None:
        return None
    if not isinstance(value, dict):
        found.append(ItemProblem("V11", where, "`when` must be an object with `question_id` and `equals`."))
        return None
    strangers(value, where, _WHEN, found)
    if "equals" not in value:
        wrong = "`when.equals` is required; it may be null."
        found.append(ItemProblem("V11", pointer(where, "equals"), wrong))
    named, place = value.get("question_id"), pointer(where, "question_id")
    if named is None:
        found.append(ItemProblem("V11", place, "`when.question_id` is required."))
        return None
    if not isinstance(named, str) or named not in earlier:
        why = "it must be text" if not isinstance(named, str) else _no_earlier(named, own, later)
        found.append(ItemProblem("V10", place, f"`when.question_id` must name an earlier question; {why}."))
        return None
    if "equals" not in value:
        return None
    never = _never(earlier[named], value["equals"])
    if never:
        wrong = f"`when.equals` is never an answer to `{short(named)}`, which accepts {never}."
        found.append(ItemProblem("V20", pointer(where, "equals"), wrong))
    return When(named, value["equals"])


def _no_earlier(named: str, own: str | None, later: frozenset[str]) -> str:
    told = f"`{short(named)}`"
    if named == own:
        return f"{told} is this same question"
    return f"{told} comes later" if named in later else f"no question has the id {told}"


def _never(asked: Looked, value: Json) -> str | None:
    """V20: return the question's valid values if `value` isn't one of them. A skipped question has null."""
    if value is None:
        return None
    match asked.kind:
        case "boolean":
            return None if isinstance(value, bool) else "true, false or null"
        case "text":
            return None if isinstance(value, str) else "text or null"
        case "select" if isinstance(asked.answer_type, SelectAnswer):
            known = {option.value for option in asked.answer_type.options}
            return None if isinstance(value, str) and value in known else "one of its options or null"
        case "multi_select" if isinstance(asked.answer_type, MultiSelectAnswer):
            known = {option.value for option in asked.answer_type.options}
            listed = value if isinstance(value, list) else [None]
            texts = [one for one in listed if isinstance(one, str) and one in known]
            fits = len(texts) == len(listed) == len(set(texts))
            return None if fits else "a list of its options, each at most once, or null"
        case _:
            kind = asked.answer_type
            if kind is None or isinstance(kind, SchemaAnswer) or kind.problem(value) is None:
                return None
            return f"{kind.form or 'text'} or null"
