"""Error text that a model reads after a "no" (inquiries.md R141-R143, M8, M9, Z6).

The text names who refused and why, then quotes the tool's own error unless that only repeats the refusal. Only the
call's last inquiry counts (C54). Results and jp-tui's own messages about a call stay unchanged. After three rejections
of one intent the text tells the assistant to stop and ask.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import messages
from jp_tui.inquiry.refusals import STOPS, short
from jp_tui.inquiry.state import Last, State

APPLY = "apply_changes"
"""Id of the question whose subject is a file (R142)."""


@dataclass(frozen=True, slots=True)
class DenialText:
    """Text for the model. `noted`: the question whose note is already in `text`, so that it isn't repeated (R182).
    `rejections`: how often this intent was rejected if the model must stop, else 0. `enriched`: `text` begins with M8
    or M9 (R143), else with the tool's own error."""

    text: str
    enriched: bool
    noted: str = ""
    rejections: int = 0


def denial_text(
    state: State, call: str, arguments: JsonObject, error: str, *, declined: bool = False
) -> DenialText | None:
    """Build the text for a call that ended in the tool error `error`; call it before the call is dropped. `arguments`
    are those that ran. `declined`: the error only reports the refusal. Return None if the error needs no change."""
    work = state.calls.get(call)
    last = work.last if work is not None else None
    if work is None or last is None or not last.rejects:
        return None
    text = _rejected(work.tool, last, arguments)
    noted = last.question if text and last.who.kind == "user" and last.reason else ""
    times = state.ledger.rejections.get(last.intent, 0)
    stop = times if times >= STOPS else 0
    if not text and not stop:
        return None
    parts = [text or error]
    if text and not declined:
        parts.append(messages.tool_error_text(error))
    parts += [messages.stop(stop)] if stop else []
    return DenialText("\n\n".join(parts), bool(text), noted, stop)


def _rejected(tool: str, last: Last, arguments: JsonObject) -> str:
    """Return M8 or M9, or an empty string if the tool's own error is used (R143)."""
    path = arguments.get("path")
    subject = path if last.question == APPLY and isinstance(path, str) else None
    if last.who.kind == "assistant":
        return messages.rejected_by_model(tool, subject, short(last.who.model), last.reason)
    if last.who.kind == "user" and last.overruled:
        return messages.rejected_by_user(tool, subject, last.reason, last.comments)
    return ""
