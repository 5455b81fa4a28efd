"""Answer a recorded request without a running turn (surface S12): decided by the same machine on a state rebuilt from
the log, and appended durably. It calls no model and runs no tool: that is left to whoever resumes the turn."""

from __future__ import annotations

from types import MappingProxyType

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import Json
from jp_tui.engine.record.inquiries import digest_of
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery.offered_answers import GONE, Settled
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.escalations import decode_escalation
from jp_tui.questions.types import Question, SecretAnswer
from jp_tui.questions.wire import read_recorded


def parse_stored_answer(request: ev.InquiryRequest, text: str) -> tuple[Question, Json]:
    """Return the question, and the value of the text for it. Raises ValueError, TypeError or KeyError for an invalid
    text or question."""
    question = read_recorded(str(request.metadata.get("question", "")), request.question)
    return question, question.answer_type.typed(text)


async def answer_recorded(log: Log, checks: Checks, request: ev.InquiryRequest, text: str, note: str = "") -> Settled:
    """Return the result. `log` must be at the request's turn and locked by this process. Raises JournalError."""
    extra, tool = request.metadata, str(request.metadata.get("tool") or request.source.name)
    try:
        question, value = parse_stored_answer(request, text)
    except (ValueError, TypeError, KeyError) as problem:
        return "invalid", str(problem)
    call, digest = str(extra.get("call", "")), digest_of(request)
    human = question.exclusive or isinstance(question.answer_type, SecretAnswer)
    opened = v.OpenQuestion(
        request.id,
        call,
        question,
        digest,
        request.source.kind,
        human,
        escalation=decode_escalation(request.metadata.get("escalation")),
    )
    state = v.State(client=False, calls=MappingProxyType({call: v.Work(tool)}), waiting=(opened,))
    known = await verdicts(checks, question.answer_type, [value])
    at = timestamp(log.setup.now())
    given = v.HumanAnswered(request.id, digest, value, note=note, via="process", at=at, verdicts=known)
    _, steps = decide(state, given)
    for step in steps:
        if isinstance(step, s.Refuse):
            return ("stale", GONE) if step.gone else ("invalid", step.reason)
    await log.append([step.event for step in steps if isinstance(step, s.Record)])
    return "accepted", ""
