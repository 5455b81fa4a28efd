"""How a turn ends with a response that asks for nothing, and errors in the protocol's words. Pure."""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.reply import Reply
from jp_tui.protocol.values import TurnError

Outcome = tuple[ev.Ending, JsonObject | None]
INTERRUPTED: Outcome = ("interrupted", None)


def ended(reply: Reply) -> Outcome:
    """The outcome of a turn whose last response this is."""
    match reply.finished.reason if reply.finished is not None else "end":
        case "length":
            message = "The answer reached the limit of output tokens and stops here."
            advice = "Ask it to go on, or raise assistant.model.parameters.max_tokens."
            return "failed", stored(m.ModelError("too_long", message, advice))
        case "refused":
            return "failed", stored(
                m.ModelError("refused", "The model declined to answer.", "Put the request differently.")
            )
        case _:
            return "done", None


def stored(error: m.ModelError) -> JsonObject:
    """The error as it stands in the log."""
    found: JsonObject = {"kind": error.kind, "message": error.message, "advice": error.advice}
    if error.detail:
        found["detail"] = error.detail
    return found


def turn_error(raw: JsonObject | None) -> TurnError | None:
    """The stored error in the protocol's words."""
    if raw is None:
        return None
    return TurnError(
        kind=str(raw.get("kind", "other")),
        message=str(raw.get("message", "")),
        advice=str(raw.get("advice", "")),
        detail=Foreign(str(raw.get("detail", ""))),
    )
