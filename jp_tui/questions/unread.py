"""Problems of M25 for `ask_user` arguments that the JSON parser refused (inquiries.md R164, V13, V18, V19).

The faults of the text, and every other rule violation in its readable part, so that one reply suffices to fix all of
them. Rules that depend on a duplicate key aren't checked. Nothing here is ever asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from jp_tui.conversation.strict_json_faults import FaultKind, Misread
from jp_tui.questions.arguments import place, read, shape_of
from jp_tui.questions.items import ItemProblem, RefusedForm

_CODES: Mapping[FaultKind, str] = {
    "duplicate_key": "V19",
    "not_finite": "V19",
    "too_many_digits": "V19",
    "lone_surrogate": "V19",
    "too_deep": "V18",
    "too_large": "V18",
    "not_json": "V13",
    "not_an_object": "V13",
}
_QUESTION = re.compile(r"/questions/\d+(?=/)")
_BETWEEN = frozenset({"V7", "V10", "V17", "V20"})
"""Rules between questions: one of them may be unreadable."""


def unread(found: Misread) -> RefusedForm:
    """Return all problems of the text, for its probable shape. `found` has at least one fault."""
    faults = [ItemProblem(_CODES[one.kind], one.path, one.message) for one in found.faults]
    if not isinstance(found.value, dict):
        return RefusedForm(shape_of(dict.fromkeys(found.keys, True)), tuple(faults))
    seen = read(found.value)
    others = _others(seen, found) if isinstance(seen, RefusedForm) else []
    return RefusedForm(seen.shape, tuple(sorted([*faults, *others], key=place)))


def _others(seen: RefusedForm, found: Misread) -> list[ItemProblem]:
    """Return the certain rule violations of the rest."""
    told = {fault.path for fault in found.faults}
    doubles = [fault.path for fault in found.faults if fault.kind == "duplicate_key"]
    within = [match.group() if (match := _QUESTION.match(path)) else "" for path in doubles]
    if "" in within:
        return []
    left = [one for one in seen.problems if one.path not in told and not (doubles and one.code in _BETWEEN)]
    return [one for one in left if not any(f"{one.path}/".startswith(f"{path}/") for path in within)]
