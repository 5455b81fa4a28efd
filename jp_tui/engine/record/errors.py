"""A model's error in the log, and in the protocol's form. Pure."""

from __future__ import annotations

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import TurnError


def stored(error: m.ModelError) -> JsonObject:
    """Return the error in the log's form."""
    found: JsonObject = {"kind": error.kind, "message": error.message, "advice": error.advice}
    if error.detail:
        found["detail"] = error.detail
    return found


def turn_error(raw: JsonObject | None) -> TurnError | None:
    """Return the stored error in the protocol's form."""
    if raw is None:
        return None
    return TurnError(
        kind=str(raw.get("kind", "other")),
        message=str(raw.get("message", "")),
        advice=str(raw.get("advice", "")),
        detail=Foreign(str(raw.get("detail", ""))),
    )
