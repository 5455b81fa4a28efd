"""What of a turn that was cut off goes on while nobody is there to answer (inquiries.md R207, R230, surface S6).

A call whose question waits is left as it is, unless a setting answers it now: an unattended end is never a "no" (E52).
Reads only; the machine decides again when the call asks.
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
    """The calls that wait for a person; all of them while a question waits that belongs to none."""
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
    """Whether row 2 answers it, and nothing before or after it needs leave."""
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
    """What policy `deliver` lets through needs nobody (R145); anything else would take a result away that was kept for
    a person."""
    return tool is not None and tool.result in ("ask", "edit") and tool.policies.deliver != "auto"
