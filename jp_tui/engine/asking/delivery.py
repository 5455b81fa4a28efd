"""Permission to deliver a result (inquiries.md 5.3). The prompt shows exactly what the model would read."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.engine.asking.approval import shown_digest
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.base.call_state import CallResult, Deferred, ToolCallState
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v


async def delivered(job: ToolCallState, done: CallResult, coordinator: Coordinator) -> CallResult:
    """Request permission; return the result, unchanged, edited or replaced (R93). Raises Deferred."""
    call = job.call
    asked: v.AskMode = "edit" if job.setup.result == "edit" else "ask"
    digest = shown_digest(f"{done.is_error}\n{done.content}")
    wanted = v.DeliveryWanted(call.id, call.name, asked, digest, job.setup.policies.deliver, job.setup.result_place)
    verdict = await coordinator.ask(wanted)
    match verdict:
        case s.Deliver(_, text, decision):
            job.delivery = decision
            return done if text is None else replace(done, content=text)
        case s.Complete(_, content, is_error, decision):
            job.delivery = decision
            return CallResult(content, is_error, "error" if is_error else "skipped")
        case s.Defer():
            raise Deferred
        case _:
            raise AssertionError(f"no answer to a result prompt: {type(verdict).__name__}")
