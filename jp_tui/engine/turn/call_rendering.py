"""Display of a call by its tool's own formatter (inquiries.md R90): before permission only with `format = unattended`,
else once the call may run. A failing formatter counts as a failing tool (M30)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from jp_tui.conversation.text import shortened
from jp_tui.engine.base.call_state import CallResult, ToolCallState, Usable
from jp_tui.engine.record.log import Log
from jp_tui.tools.port import RenderFailed, ToolCall

MOST = 64 * 1024
"""Characters of a rendered call that are shown and stored."""


async def render_before(job: ToolCallState, log: Log, usable: Usable) -> CallResult | None:
    """Render for the prompt, if the user's settings allow it; return the error."""
    return await _render(job, log, usable) if job.setup.format == "unattended" else None


async def render_after(job: ToolCallState, log: Log, usable: Usable) -> CallResult | None:
    """Render what really runs, for the log; return the error."""
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
