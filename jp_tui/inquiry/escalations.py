"""Stored form of an escalation and the banner above its question (inquiries.md R149, R207).

A damaged record decodes to an escalation with fewer details, never to another verdict.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonObject, integer_of, text_of
from jp_tui.conversation.text import first_line
from jp_tui.inquiry import messages
from jp_tui.inquiry import values as v


def encode_escalation(told: v.EscalationCause) -> JsonObject:
    """Return the stored form, without empty fields."""
    found: JsonObject = {"model": told.model, "reason": told.reason, "failed": told.failed, "ms": told.ms}
    if told.cause:
        found["cause"] = told.cause
    if told.saw:
        found["saw"] = told.saw
    if told.before:
        found["before"] = encode_verdicts(told.before)
    return found


def encode_verdicts(before: tuple[v.EarlierVerdict, ...]) -> list[Json]:
    """Encode the reviewer's earlier verdicts."""
    return [{"model": one.model, "reason": one.reason, "ms": one.ms} for one in before]


def decode_verdicts(found: Json) -> tuple[v.EarlierVerdict, ...]:
    """Decode stored verdicts."""
    return tuple(
        v.EarlierVerdict(text_of(one.get("model")), text_of(one.get("reason")), integer_of(one.get("ms")))
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
    )


def decode_escalation(found: Json) -> v.EscalationCause | None:
    """Decode a stored escalation; None if there is none."""
    if not isinstance(found, dict):
        return None
    cause = found.get("cause")
    return v.EscalationCause(
        model=text_of(found.get("model")),
        reason=text_of(found.get("reason")),
        failed=found.get("failed") is True,
        ms=integer_of(found.get("ms")),
        cause="too_long" if cause == "too_long" else "taken_over" if cause == "taken_over" else "",
        before=decode_verdicts(found.get("before")),
        saw=text_of(found.get("saw")),
    )


def banner(told: v.EscalationCause) -> str:
    """Return the text above the question. If the reviewer refused, its first line is exactly M12 (R154)."""
    if not told.failed:
        return messages.recommended_no(told.reason)
    return "\n".join([*(messages.recommended_no(one.reason) for one in told.before[-1:]), *_lines(told)])


def _lines(told: v.EscalationCause) -> list[str]:
    who = told.model or "the reviewing model"
    match told.cause:
        case "taken_over":
            heard = [f'So far it had said: "{told.reason}"'] if told.reason else []
            return [f"You took this over from {who}.", *heard]
        case "too_long":
            return [f"This is too long to be shown to {who} whole, so it comes to you."]
        case "":
            return [f"{told.model or 'The reviewing model'} could not decide this: {first_line(told.reason)}"]
