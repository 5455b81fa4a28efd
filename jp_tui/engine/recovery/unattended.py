"""Select calls that can resume with no client (inquiries.md R207, R230, surface S6).

A call with an open question stays unchanged, unless a setting now answers it: an unattended end is never a "no" (E52).
Read-only; the machine decides again when the call asks.
"""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.engine.base.dependencies import EngineDependencies, ToolSetup
from jp_tui.engine.recovery.resume_turn import ResumableTurn
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.inquiry import values as v
from jp_tui.inquiry.route import route
from jp_tui.questions.wire import read_recorded


async def waiting_calls(cut: ResumableTurn, setup: EngineDependencies, checks: Checks) -> frozenset[str]:
    """Return the calls that wait for a person; all of them if an open question belongs to none."""
    if setup.client:
        return frozenset()
    names = {call.id: call.name for call in cut.calls}
    found: set[str] = set()
    for request in cut.waits:
        call = str(request.metadata.get("call"))
        if call not in names:
            return frozenset(cut.order)
        tool = setup.tools.get(names[call])
        if call in cut.hidden or not await _answered(request, tool, checks):
            found.add(call)
    return frozenset(found | {call for call in cut.held if _waits_for_leave(setup.tools.get(names.get(call, "")))})


async def _answered(request: ev.InquiryRequest, tool: ToolSetup | None, checks: Checks) -> bool:
    """True if row 2 answers it, and no permission is needed before or after it."""
    if tool is None or tool.tool is None or _asks_leave(tool) or _waits_for_leave(tool):
        return False
    name = str(request.metadata.get("question", ""))
    rule = tool.rules.get(name)
    if rule is None or not rule.has_answer:
        return False
    try:
        question = read_recorded(name, request.question)
    except (ValueError, TypeError, KeyError):
        return False
    known = await verdicts(checks, question.answer_type, [rule.answer])
    found = route(tool.name, question, rule, v.Ledger(), client=False, policy=tool.policies.tool, verdicts=known)
    return found.who == "static"


def _asks_leave(tool: ToolSetup) -> bool:
    return tool.run == "skip" or (tool.run in ("ask", "edit") and tool.policies.run != "auto")


def _waits_for_leave(tool: ToolSetup | None) -> bool:
    """True unless policy `deliver` lets the result pass without a person (R145); any other would discard a result kept
    for a person."""
    return tool is not None and tool.result in ("ask", "edit") and tool.policies.deliver != "auto"
