"""Permission for a call of a tool that its server changed (mcp.md P31): a person sees the change, and a yes accepts
it.

No setting, remembered answer, reviewer, rule or policy decides about such a call.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from jp_tui.conversation.text import shortened
from jp_tui.engine.asking.approval import permitted
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.prompt_builder import PromptContext
from jp_tui.engine.base.call_state import CallResult, ToolCallState
from jp_tui.engine.base.dependencies import ToolChange
from jp_tui.engine.record.log import Log
from jp_tui.engine.turn.call_rendering import MOST
from jp_tui.inquiry import messages

CHANGED = "This tool changed since you accepted it. Yes runs the call and accepts the change."


async def permit_changed(
    job: ToolCallState,
    change: ToolChange,
    log: Log,
    coordinator: Coordinator,
    asking: Callable[[ToolCallState], PromptContext],
    floor: tuple[str, ...] = (),
) -> CallResult | None:
    """Ask about a call of a changed tool; return its result if it may not run. Raises Deferred."""
    what = ", ".join(change.parts)
    if not log.setup.client:
        job.permission = {"choice": "skip", "by": "policy", "changed": list(change.parts)}
        return CallResult(messages.changed_tool(job.call.name, what, job.setup.server), True, "error")
    shown = log.secrets.text(shortened(change.shown, MOST, "not shown"), job.call.id)
    prompt = asking(job)
    rendered = f"{CHANGED}\n\n{shown.rstrip()}\n\nThe call:\n{prompt.rendered or readable(job)}"
    coordinator.now(job.call.id, replace(prompt, rendered=rendered, scopes=()))
    why = f"{job.call.name} changed since you accepted it ({what}): yes runs it and accepts the change"
    ended = await permitted(job, coordinator, floor, "always", why, shown)
    job.permission = {**job.permission, "changed": list(change.parts)}
    if ended is not None:
        return ended
    try:
        change.accept()
    except ValueError as problem:
        return CallResult(f"Tool '{job.call.name}' was not run: its change can't be stored: {problem}", True, "error")
    return None


def readable(job: ToolCallState) -> str:
    """Return the call's arguments as indented JSON."""
    return json.dumps(job.arguments, ensure_ascii=False, indent=2)
