"""Errors for calls refused before any tool ran (traps.md T20, inquiries.md V19, M25).

A truncated call must be sent again; problems of arguments that the JSON parser refused are listed, in the tool's own
form if it has one. Repairs and runs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.events import ToolCallRequest
from jp_tui.questions.bounds import short
from jp_tui.tools.port import Corrects

KEPT = 4096
"""Characters of refused arguments that are stored with the call."""


@dataclass(frozen=True, slots=True)
class RejectedCall:
    """Call that must not run: its id, the tool's name as called, the problem as text; `raw` is the text that the JSON
    parser refused, empty for a truncated call."""

    call: str
    tool: str
    problem: str
    raw: str = ""


def stored(request: ToolCallRequest) -> RejectedCall:
    """Return a refusal of an earlier run from its record (`engine/model/response_stream.py`). Arguments that weren't
    stored whole can't be checked again: then only the message remains."""
    raw, problem = request.metadata.get("raw"), str(request.metadata.get("refused"))
    whole = request.metadata.get("misread") is True and isinstance(raw, str) and len(raw) < KEPT
    return RejectedCall(request.id, request.name, problem, str(raw) if whole else "")


def rejection_text(refusal: RejectedCall, tool: object) -> str:
    """Return the error for the model, in the form of M25 for every `tool`, known or not; a tool may have its own
    (`port.Corrects`)."""
    from jp_tui.conversation.strict_json_faults import look
    from jp_tui.questions.items import ItemProblem
    from jp_tui.questions.refusals import structured

    found = look(refusal.raw) if refusal.raw else None
    if found is None or not found.faults:
        return f"The call was not run: {refusal.problem}. Send it again, complete."
    own = tool.misread(refusal.tool, found) if isinstance(tool, Corrects) else None
    if own is not None:
        return own
    problems = tuple(ItemProblem(fault.kind, fault.path, fault.message) for fault in found.faults)
    return structured(problems, short(refusal.tool), "arguments, and nothing was run")
