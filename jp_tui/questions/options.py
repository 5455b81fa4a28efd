"""One option of a question from its JSON form (inquiries.md R9). Decides nothing about the list it stands in."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json
from jp_tui.questions.bounds import visible
from jp_tui.questions.types import Option

_KEYS = frozenset({"value", "description", "preview", "recommended"})


def read_option(entry: Json, *, closed: bool = False) -> Option | str:
    """An option from a string or an object, or what is wrong with it. `closed`: keys that R9 does not name are wrong.

    The words go on from the option's place: "must not be blank".
    """
    if isinstance(entry, str):
        entry = {"value": entry}
    if not isinstance(entry, dict):
        return "must be text, or an object with `value`"
    value = entry.get("value")
    described, preview, recommended = (entry.get(key) for key in ("description", "preview", "recommended"))
    if not isinstance(value, str):
        return "needs a `value` that is text"
    if not visible(value):
        return "must not be blank"
    if closed and not _KEYS.issuperset(entry):
        return "has a key other than `value`, `description`, `preview` and `recommended`"
    if not isinstance(described, (str, type(None))) or not isinstance(preview, (str, type(None))):
        return "has a `description` or `preview` that is not text"
    if not isinstance(recommended, (bool, type(None))):
        return "has a `recommended` that is neither true nor false"
    return Option(value, described or "", preview or "", recommended or False)
