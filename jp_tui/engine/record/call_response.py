"""Stored response of a call: what the model reads, and what a reloaded conversation needs to look like the live one,
and who decided what (R87, R93, R97b)."""

from __future__ import annotations

from jp_tui.conversation.events import ToolCallResponse
from jp_tui.conversation.images import ATTACHED, stored
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.call_state import CallResult, ToolCallState
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.engine.record import subagent_events
from jp_tui.inquiry import repeats
from jp_tui.inquiry.messages import STOPPED_WITH_WORDS

UNFINISHED = "Turn ended by the user before this tool call completed."
"""M32."""


def with_words(message: str) -> str:
    """M37."""
    return f"{STOPPED_WITH_WORDS}\n\n{message}"


def response(call: str, done: CallResult, job: ToolCallState | None, setup: ToolSetup | None) -> ToolCallResponse:
    """`metadata`: ms, end, title, hidden, permission, delivery, edited_arguments (those that ran), rendered, tool_error
    (the tool's own text, if the model reads another), rejected_by, stop (the model must stop and ask), agent (its
    sub-agent); structured (a server's structured content, P24), sampling (the model's replies to its server,
    with their tokens, P46), attachments (images that the model sees, P24); each only if it has a value."""
    extra: JsonObject = {}
    if job is not None and job.ms is not None:
        extra["ms"] = job.ms
    if done.end not in ("ok", "error"):
        extra["end"] = done.end
    if job is not None:
        told: JsonObject = {
            "title": job.title,
            "permission": job.permission,
            "delivery": job.delivery,
            "edited_arguments": job.arguments if job.edited else None,
            "rendered": job.rendered,
            "tool_error": job.tool_error,
            repeats.REJECTED_BY: job.rejected_by,
            "stop": {"rejections": job.rejections} if job.rejections else None,
            "sampling": list(job.sampled),
            subagent_events.AGENT: subagent_events.written(job.agent) if job.agent is not None else None,
        }
        extra |= {name: value for name, value in told.items() if value or (job.edited and name == "edited_arguments")}
    if done.structured is not None:
        extra["structured"] = done.structured
    if done.images:
        extra[ATTACHED] = [stored(image) for image in done.images]
    if setup is not None and setup.hidden:
        extra["hidden"] = True
    return ToolCallResponse(id=call, content=done.content, is_error=done.is_error, metadata=extra)
