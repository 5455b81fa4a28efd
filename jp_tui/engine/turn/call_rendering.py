"""How a call looks by its tool's own formatter (inquiries.md R90): before leave is asked only with `format =
unattended`, else once the call may run. A formatter that fails is a tool that fails (M30)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from jp_tui.conversation.text import shortened
from jp_tui.engine.base.call_state import CallResult, ToolCallState, Usable
from jp_tui.engine.record.log import Log
from jp_tui.tools.port import RenderFailed, ToolCall

MOST = 64 * 1024
"""Characters of a rendered call that are shown and kept."""


async def render_before(job: ToolCallState, log: Log, usable: Usable) -> CallResult | None:
    """For the prompt, where the user's configuration allows it; what went wrong."""
    return await _render(job, log, usable) if job.setup.format == "unattended" else None


async def render_after(job: ToolCallState, log: Log, usable: Usable) -> CallResult | None:
    """For the record, of what really runs; what went wrong."""
    return await _render(job, log, usable) if job.rendered is None else None


async def _render(job: ToolCallState, log: Log, usable: Usable) -> CallResult | None:
    render = getattr(job.tool, "render", None)
    if render is None:
        return None
    formats = cast(Callable[[ToolCall], Awaitable[str]], render)
    try:
        said = log.secrets.text(str(await formats(job.execution(usable))), job.call.id)
        job.rendered = shortened(said, MOST, "not kept; the arguments as JSON are whole")
    except RenderFailed as problem:
        words = f"Tool '{job.call.name}' was not executed because the argument formatter failed: {problem}"
        return CallResult(log.secrets.text(words, job.call.id), True, "error")
    return None
