"""Decode stored JSON to events (inquiries.md R51, R56-R58).

Never raises: an invalid event becomes Unknown. Whatever an event wouldn't write back goes into its `extra`, so that
nothing is lost: keys of newer versions (R209), and known keys with a value of the wrong type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast, get_args

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject, same, text_of


def _text(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str):
        raise ev.EventProblem(f"`{key}` is not text")
    return value


def _object(raw: JsonObject, key: str) -> JsonObject:
    value = raw.get(key)
    if not isinstance(value, dict):
        raise ev.EventProblem(f"`{key}` is not an object")
    return value


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _left(raw: JsonObject, written: JsonObject) -> JsonObject:
    """Return the part of `raw` that wouldn't be written back."""
    return {
        key: value
        for key, value in raw.items()
        if key not in written or not (written[key] is value or same(written[key], value))
    }


def _source(raw: Json) -> ev.Source:
    if not isinstance(raw, dict) or raw.get("source") not in get_args(ev.SourceKind):
        raise ev.EventProblem("`source` is unknown")
    name = raw.get("name")
    found = ev.Source(cast(ev.SourceKind, raw["source"]), name if isinstance(name, str) else "")
    return replace(found, extra=_left(raw, found.wire()))


def _responder(raw: Json) -> ev.Responder | None:
    if not isinstance(raw, dict) or raw.get("kind") not in get_args(ev.ResponderKind):
        return None
    usage = raw.get("usage")
    found = ev.Responder(
        kind=cast(ev.ResponderKind, raw["kind"]),
        model=text_of(raw.get("model")),
        escalated=raw.get("escalated") is True,
        via=text_of(raw.get("via")),
        ms=_count(raw.get("ms")),
        usage=usage if isinstance(usage, dict) else {},
        who=text_of(raw.get("who")),
        machine=text_of(raw.get("machine")),
        on_behalf=text_of(raw.get("for")),
        offer=_count(raw.get("offer")) or 0,
    )
    return replace(found, extra=_left(raw, found.wire()))


def _chat_response(raw: JsonObject) -> ev.Event:
    for kind in get_args(ev.ChatKind):
        if kind in raw:
            return ev.ChatResponse(kind=kind, content=raw[kind])
    raise ev.EventProblem("none of message, reasoning, data")


def _inquiry_response(raw: JsonObject) -> ev.Event:
    outcome, id_ = raw.get("outcome"), _text(raw, "id")
    reason, responder = raw.get("reason"), _responder(raw.get("responder"))
    if outcome == "answered" or (outcome is None and "answer" in raw):
        if "answer" not in raw:
            raise ev.EventProblem("answered without `answer`")
        told = reason if isinstance(reason, str) else None
        return ev.InquiryAnswered(id=id_, answer=raw["answer"], explanation=told, responder=responder)
    if outcome == "cancelled":
        return ev.InquiryCancelled(id=id_, reason=reason if isinstance(reason, str) else "user", responder=responder)
    if outcome == "redacted":
        return ev.InquiryRedacted(id=id_)
    raise ev.EventProblem("`outcome` is missing" if outcome is None else "`outcome` is unknown")


def _inquiry_vote(raw: JsonObject) -> ev.Event:
    vote, reason = raw.get("vote"), raw.get("reason")
    if not isinstance(vote, bool):
        raise ev.EventProblem("`vote` is not true or false")
    said = reason if isinstance(reason, str) else None
    return ev.InquiryVote(id=_text(raw, "id"), vote=vote, explanation=said, responder=_responder(raw.get("responder")))


def _turn_outcome(raw: JsonObject) -> ev.Event:
    if raw.get("outcome") not in get_args(ev.Ending):
        raise ev.EventProblem("unknown outcome of a turn")
    usage, error, model = raw.get("usage"), raw.get("error"), raw.get("model")
    return ev.TurnOutcome(
        outcome=cast(ev.Ending, raw["outcome"]),
        model=model if isinstance(model, str) else "",
        usage=usage if isinstance(usage, dict) else {},
        ms=_count(raw.get("ms")) or 0,
        error=error if isinstance(error, dict) else None,
    )


def _config_delta(raw: JsonObject) -> ev.Event:
    # the oldest files have the settings flattened into the event itself: kept unchanged
    return ev.ConfigDelta(delta=_object(raw, "delta")) if "delta" in raw else ev.Unknown(raw)


def _texts(found: Json) -> tuple[str, ...]:
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _compaction(raw: JsonObject) -> ev.Event:
    through, trigger, method = _count(raw.get("through")), raw.get("trigger"), raw.get("method")
    if "through" not in raw:
        return ev.Unknown(raw)  # another program's: kept, and not used
    if through is None or trigger not in get_args(ev.Trigger) or method not in get_args(ev.Method):
        raise ev.EventProblem("not a compaction that this version knows")
    carried, usage = raw.get("carried"), raw.get("usage")
    carried = carried if isinstance(carried, dict) else {}
    plan = carried.get("plan")
    return ev.Compaction(
        trigger=cast(ev.Trigger, trigger),
        method=cast(ev.Method, method),
        through=through,
        record=_texts(raw.get("record")),
        plan=tuple(one for one in plan if isinstance(one, dict)) if isinstance(plan, list) else (),
        files=_texts(carried.get("files")),
        said=_texts(carried.get("said")),
        before=_count(raw.get("before")) or 0,
        after=_count(raw.get("after")) or 0,
        messages=_count(raw.get("messages")) or 0,
        focus=text_of(raw.get("focus")),
        model=text_of(raw.get("model")),
        summary=text_of(raw.get("summary")),
        error=text_of(raw.get("error")),
        usage=usage if isinstance(usage, dict) else {},
    )


def _compaction_undone(raw: JsonObject) -> ev.Event:
    number = _count(raw.get("compaction"))
    if number is None:
        raise ev.EventProblem("`compaction` is not a number")
    return ev.CompactionUndone(compaction=number)


_READERS: dict[str, Callable[[JsonObject], ev.Event]] = {
    "turn_start": lambda raw: ev.TurnStart(),
    "chat_request": lambda raw: ev.ChatRequest(content=_text(raw, "content")),
    "chat_response": _chat_response,
    "tool_call_request": lambda raw: ev.ToolCallRequest(
        id=_text(raw, "id"), name=_text(raw, "name"), arguments=_object(raw, "arguments")
    ),
    "tool_call_response": lambda raw: ev.ToolCallResponse(
        id=_text(raw, "id"), content=_text(raw, "content"), is_error=raw.get("is_error") is True
    ),
    "inquiry_request": lambda raw: ev.InquiryRequest(
        id=_text(raw, "id"), source=_source(raw.get("source")), question=_object(raw, "question")
    ),
    "inquiry_response": _inquiry_response,
    "inquiry_vote": _inquiry_vote,
    "inquiry_assigned": lambda raw: ev.InquiryAssigned(
        id=_text(raw, "id"),
        sender=_text(raw, "from"),
        to=_text(raw, "to"),
        responder=_responder(raw.get("responder")),
    ),
    "turn_outcome": _turn_outcome,
    "config_delta": _config_delta,
    "compaction": _compaction,
    "compaction_undone": _compaction_undone,
}


def read_event(raw: JsonObject) -> ev.Event:
    """Decode an event; an unreadable one becomes Unknown with the problem (R51, R56)."""
    kind = raw.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return ev.Unknown(raw)
    try:
        found = reader(raw)
    except ev.EventProblem as problem:
        return ev.Unknown(raw, str(problem))
    if isinstance(found, ev.Unknown):
        return found
    at, metadata = raw.get("timestamp"), raw.get("metadata")
    found = replace(
        found,
        timestamp=at if isinstance(at, str) else "",
        metadata=metadata if isinstance(metadata, dict) else {},
    )
    left = _left(raw, found.wire())
    if isinstance(found, ev.InquiryRedacted):
        left.pop("answer", None)
    return replace(found, extra=left) if left else found
