"""From stored JSON back to events (inquiries.md R51, R56-R58). Refuses to raise: a bad event becomes Unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict, cast, get_args

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject


class _Stamp(TypedDict):
    timestamp: str
    metadata: JsonObject


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


def _stamp(raw: JsonObject) -> _Stamp:
    at, metadata = raw.get("timestamp"), raw.get("metadata")
    return {
        "timestamp": at if isinstance(at, str) else "",
        "metadata": metadata if isinstance(metadata, dict) else {},
    }


def _source(raw: Json) -> ev.Source:
    if not isinstance(raw, dict) or raw.get("source") not in get_args(ev.SourceKind):
        raise ev.EventProblem("`source` is unknown")
    name = raw.get("name")
    return ev.Source(cast(ev.SourceKind, raw["source"]), name if isinstance(name, str) else "")


def _responder(raw: Json) -> ev.Responder | None:
    if not isinstance(raw, dict) or raw.get("kind") not in (
        "user",
        "assistant",
        "static",
        "remembered",
        "default",
    ):
        return None
    ms = raw.get("ms")
    return ev.Responder(
        kind=cast(Literal["user", "assistant", "static", "remembered", "default"], raw["kind"]),
        model=str(raw.get("model") or ""),
        escalated=raw.get("escalated") is True,
        via=str(raw.get("via") or ""),
        ms=ms if isinstance(ms, int) and not isinstance(ms, bool) else None,
    )


def _chat_response(raw: JsonObject) -> ev.Event:
    for kind in get_args(ev.ChatKind):
        if kind in raw:
            return ev.ChatResponse(kind=kind, content=raw[kind], **_stamp(raw))
    raise ev.EventProblem("none of message, reasoning, data")


def _extra(raw: JsonObject, known: tuple[str, ...]) -> JsonObject:
    return {key: value for key, value in raw.items() if key not in (*known, "timestamp", "type", "metadata")}


def _inquiry_response(raw: JsonObject) -> ev.Event:
    outcome, id_, stamp = raw.get("outcome"), _text(raw, "id"), _stamp(raw)
    reason = raw.get("reason")
    if outcome == "answered" or (outcome is None and "answer" in raw):
        if "answer" not in raw:
            raise ev.EventProblem("answered without `answer`")
        return ev.InquiryAnswered(
            id=id_,
            answer=raw["answer"],
            explanation=reason if isinstance(reason, str) else None,
            responder=_responder(raw.get("responder")),
            extra=_extra(raw, ("outcome", "id", "answer", "reason", "responder")),
            **stamp,
        )
    if outcome == "cancelled":
        return ev.InquiryCancelled(
            id=id_,
            reason=reason if isinstance(reason, str) else "user",
            responder=_responder(raw.get("responder")),
            extra=_extra(raw, ("outcome", "id", "reason", "responder")),
            **stamp,
        )
    if outcome == "redacted":
        return ev.InquiryRedacted(id=id_, **stamp)
    raise ev.EventProblem(f"unknown outcome {outcome!r}")


def _turn_outcome(raw: JsonObject) -> ev.Event:
    if raw.get("outcome") not in get_args(ev.Ending):
        raise ev.EventProblem("unknown outcome of a turn")
    usage, ms, error, model = raw.get("usage"), raw.get("ms"), raw.get("error"), raw.get("model")
    return ev.TurnOutcome(
        outcome=cast(ev.Ending, raw["outcome"]),
        model=model if isinstance(model, str) else "",
        usage=usage if isinstance(usage, dict) else {},
        ms=ms if isinstance(ms, int) else 0,
        error=error if isinstance(error, dict) else None,
        **_stamp(raw),
    )


_READERS: dict[str, Callable[[JsonObject], ev.Event]] = {
    "turn_start": lambda raw: ev.TurnStart(**_stamp(raw)),
    "chat_request": lambda raw: ev.ChatRequest(content=_text(raw, "content"), **_stamp(raw)),
    "chat_response": _chat_response,
    "tool_call_request": lambda raw: ev.ToolCallRequest(
        id=_text(raw, "id"), name=_text(raw, "name"), arguments=_object(raw, "arguments"), **_stamp(raw)
    ),
    "tool_call_response": lambda raw: ev.ToolCallResponse(
        id=_text(raw, "id"),
        content=_text(raw, "content"),
        is_error=raw.get("is_error") is True,
        **_stamp(raw),
    ),
    "inquiry_request": lambda raw: ev.InquiryRequest(
        id=_text(raw, "id"),
        source=_source(raw.get("source")),
        question=_object(raw, "question"),
        **_stamp(raw),
    ),
    "inquiry_response": _inquiry_response,
    "turn_outcome": _turn_outcome,
}


def read_event(raw: JsonObject) -> ev.Event:
    """The event in its stored form; what cannot be read comes back as Unknown with the problem (R51, R56)."""
    kind = raw.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return ev.Unknown(raw)
    try:
        return reader(raw)
    except ev.EventProblem as problem:
        return ev.Unknown(raw, str(problem))
