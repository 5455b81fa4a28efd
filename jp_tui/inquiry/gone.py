"""Handling of a client that left (Z9).

Questions stay open, and so does everything a resumable call waits for. Only a call that can't be resumed is closed: one
that waits for permission and has asked nothing yet. No policy replaces the user who was there.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, transitions
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, complete

DECISION: JsonObject = {"choice": "cancel", "by": "system", "reason": "client gone"}
"""Decision recorded with the response of an undecided call."""
PROMPTS = (v.PERMISSION, v.DELIVERY, v.REVIEW)


def client_gone(state: v.State) -> Decision:
    """Leave open what waits for the user, and close what cannot be resumed."""
    state = transitions.without_client(state)
    steps: list[s.Step] = []
    for item in state.waiting:
        if isinstance(item, v.OpenQuestion | v.OpenReview) and item.asks:
            continue  # a sub-agent's question: its own machine leaves it open
        state, more = leave_open(state, item)
        steps += more
    return state, steps


def leave_open(state: v.State, item: v.Waiting) -> Decision:
    """Leave this open for the next client, or close it where the call could not be resumed."""
    if isinstance(item, v.OpenQuestion):
        return transitions.defer_request(state, item), [s.Defer(item.call)]
    if isinstance(item, v.OpenPermission) and not _resumable(state, item.call):
        state = transitions.close_inquiry(state, item.inquiry, "system")
        settled = s.Settled(item.inquiry, "withdrawn", "system")
        state, steps = complete(state, item.call, messages.NO_ONE_ANSWERED, is_error=True, decision=DECISION)
        return state, [settled, *steps]
    return transitions.dequeue_prompt(state, item.inquiry), [s.Defer(item.call)]


def _resumable(state: v.State, call: str) -> bool:
    """True if the log has an inquiry of this call, so that it can be resumed (R207)."""
    asked = any(name == call and question not in PROMPTS for name, question in state.ledger.attempts)
    work = state.calls.get(call)
    return asked or bool(work is not None and work.recorded)
