"""Decode a question: in flight from a tool (inquiries.md R44-R46), or recorded in a log (R48, R49).

Old forms are accepted, unknown keys are ignored; a known key with an unknown value is an error and never a default, so
that no restriction of a tool is weakened silently. Nothing is cut, split or moved (R2). A tool's opinion about who
should answer is ignored (R18).
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.bounds import BREAKS, MAX_CONTEXT, MAX_TEXT, BadQuestion, beyond, short, visible
from jp_tui.questions.types import KINDS, AnswerType, Part, Persistence, Question, SchemaAnswer

MAX_ID = 200
_RESERVED = ("__permission__", "__delivery__")
"""Ids under which jp-tui's own prompts are counted (R39)."""
_OLD = {
    "Boolean": "boolean", "Text": "text", "Secret": "secret",
    "Select": "select", "MultiSelect": "multi_select", "Schema": "schema",
}  # fmt: skip
_TYPES = " and ".join(", ".join(KINDS).rsplit(", ", 1))


def read_question(raw: JsonObject) -> Question:
    """Decode a question in flight, from a local tool or a snapshot.

    Raises BadQuestion for a broken rule or a bound of V18, V19. Usability of its schema is checked elsewhere (V9).
    Parts (R251) aren't a key of it: a tool's process receives only a value, and must not mistake a partial yes for a
    whole one.
    """
    if not isinstance(raw, dict):
        raise BadQuestion("The question is not an object.")
    outside = beyond(raw, "the contents of the question")
    if outside is not None:
        raise BadQuestion(outside[2][:1].upper() + outside[2][1:])
    id_, text = _id(raw.get("id")), _text(raw)
    if not visible(text):
        raise BadQuestion("`text` must not be blank.")
    # one line is short; old tools put their whole material here, and it is drawn whole (R2)
    if len(text) > (MAX_TEXT if BREAKS.isdisjoint(text.strip()) else MAX_CONTEXT):
        raise BadQuestion(f"`text` is longer than {MAX_TEXT:,} characters; put extra material in `context`.")
    context = _context(raw)
    if context is not None and len(context.encode("utf-8", "surrogatepass")) > MAX_CONTEXT:
        raise BadQuestion(f"`context` is larger than {MAX_CONTEXT // 1024} KiB.")
    kind = _answer_type(raw.get("answer_type"), bounded=True)
    default = raw.get("default")
    return Question(
        id=id_,
        text=text,
        answer_type=kind,
        context=context,
        default=default,
        # null is a default only where null is an answer
        has_default="default" in raw and (default is not None or isinstance(kind, SchemaAnswer)),
        exclusive=_exclusive(raw),
        persistence=_persistence(raw),
    )


def read_recorded(id: str, raw: JsonObject) -> Question:
    """Decode the question of a recorded request, to be asked again as `id`, with its recorded digest.

    Without bounds: it was asked already. Raises BadQuestion for an unanswerable one, such as options that aren't text
    (R9, R10). Whether any text is an answer (R226) isn't recorded.
    """
    return Question(
        id=id,
        text=_text(raw),
        answer_type=_answer_type(raw.get("answer_type"), bounded=False),
        context=_context(raw),
        default=raw.get("default"),
        has_default="default" in raw,
        exclusive=_exclusive(raw),
        persistence=_persistence(raw),
        parts=_parts(raw),
    )


def _id(value: Json) -> str:
    if not isinstance(value, str):
        raise BadQuestion("`id` is missing or not text.")
    if not visible(value):
        raise BadQuestion("`id` must not be blank.")
    if len(value) > MAX_ID:
        raise BadQuestion(f"`id` is longer than {MAX_ID} characters.")
    if visible(value) != unicodedata.normalize("NFC", value):
        raise BadQuestion("`id` has invisible characters, or spaces at an end.")
    if value in _RESERVED:
        raise BadQuestion(f"`id` must not be `{value}`, which has a meaning of its own.")
    return value


def _text(raw: JsonObject) -> str:
    value = raw.get("text")
    if not isinstance(value, str):
        raise BadQuestion("`text` is missing or not text.")
    return value


def _context(raw: JsonObject) -> str | None:
    """R3: `pre_amble` is its old name, read only if `context` is absent."""
    key = "context" if raw.get("context") is not None else "pre_amble"
    value = raw.get(key)
    if not isinstance(value, (str, type(None))):
        raise BadQuestion(f"`{key}` is not text.")
    return value


def _exclusive(raw: JsonObject) -> bool:
    value = raw.get("exclusive")
    if not isinstance(value, (bool, type(None))):
        raise BadQuestion("`exclusive` must be true or false.")
    return bool(value)


def _persistence(raw: JsonObject) -> Persistence:
    value = raw.get("persistence")
    known: dict[Json, Literal["none", "turn"]] = {"none": "none", "turn": "turn"}
    if value is None:
        return "turn"
    if not isinstance(value, str) or value not in known:
        raise BadQuestion('`persistence` must be "none" or "turn".')
    return known[value]


def _parts(raw: JsonObject) -> tuple[Part, ...]:
    """R251, as recorded: any fault is an error, because the answer would be bound to something that wasn't shown."""
    listed = raw.get("parts")
    if listed is None:
        return ()
    found: list[Part] = []
    for index, one in enumerate(listed if isinstance(listed, list) else [None]):
        told = [one.get(key) for key in ("id", "digest", "title", "diff")] if isinstance(one, dict) else []
        id, digest, title, diff = told or (None, None, None, None)
        if not (isinstance(id, str) and isinstance(digest, str) and isinstance(title, str) and isinstance(diff, str)):
            raise BadQuestion(f"`parts[{index}]` is not an object with `id`, `digest`, `title` and `diff`.")
        found.append(Part(id, digest, title, diff))
    if len({one.id for one in found}) < len(found):
        raise BadQuestion("`parts` has a duplicate id.")
    return tuple(found)


def _answer_type(raw: Json, *, bounded: bool) -> AnswerType:
    """R45; the older forms of R46: a bare name, or the name as the one key of an object."""
    body: JsonObject = {}
    if isinstance(raw, str):
        name: Json = raw
    elif isinstance(raw, dict) and "type" not in raw and len(raw) == 1:
        name = next(iter(raw))
        inner = raw[name]
        body = inner if isinstance(inner, dict) else {}
    elif isinstance(raw, dict):
        name, body = raw.get("type"), raw
    else:
        raise BadQuestion(f"`answer_type` is missing or unknown. The types are {_TYPES}.")
    kind = KINDS.get(_OLD.get(name, name)) if isinstance(name, str) else None
    if kind is None:
        shown = f"`{short(name)}` isn't a type of answer" if isinstance(name, str) else "`answer_type` has no type"
        raise BadQuestion(f"{shown}. The types are {_TYPES}.")
    return kind.read(body, bounded=bounded)
