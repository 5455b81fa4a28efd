"""Options of a question and their JSON form (inquiries.md R9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import MAX_OPTIONS, BadQuestion, visible

_KEYS = frozenset({"value", "description", "preview", "recommended"})


@dataclass(frozen=True, slots=True)
class Option:
    """A choice; the answer is always `value` (R9)."""

    value: str
    description: str = ""
    preview: str = ""
    recommended: bool = False

    def recorded(self) -> JsonObject:
        """Return the form stored in the log."""
        found: JsonObject = {"value": self.value}
        if self.description:
            found["description"] = self.description
        if self.preview:
            found["preview"] = self.preview
        if self.recommended:
            found["recommended"] = True
        return found

    def mapped(self, text: Callable[[str], str]) -> Option:
        """Return the same option with all its texts replaced."""
        return Option(text(self.value), text(self.description), text(self.preview), self.recommended)


def recorded_options(options: tuple[Option, ...]) -> JsonObject:
    """Return the options of a recorded answer type."""
    return {"options": [option.recorded() for option in options]}


def read_options(body: JsonObject, *, bounded: bool) -> tuple[Option, ...]:
    """Decode the options of a recorded answer type. Raises BadQuestion."""
    listed = body.get("options")
    if not isinstance(listed, list) or not listed:
        raise BadQuestion("`answer_type.options` must be a list with at least one option.")
    if bounded and len(listed) > MAX_OPTIONS:
        raise BadQuestion(f"`answer_type.options` has more than {MAX_OPTIONS:,} entries.")
    found: list[Option] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(listed):
        option = read_option(entry)
        if isinstance(option, str):
            raise BadQuestion(f"`answer_type.options[{index}]` {option}.")
        first = seen.setdefault(visible(option.value), index)
        if first != index and bounded:
            same = f"`answer_type.options[{index}]` reads the same as `answer_type.options[{first}]`."
            raise BadQuestion(same)
        found.append(option)
    return tuple(found)


def read_option(entry: Json, *, closed: bool = False) -> Option | str:
    """Decode an option from a string or an object, or return its problem.

    `closed`: keys that R9 doesn't name are invalid. The text continues the option's place: "must not be blank".
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
