"""Answer a recorded request without a running turn (surface S12): decided by the same machine on a state rebuilt from
the log, and appended durably. It calls no model and runs no tool: that is left to whoever resumes the turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.base.people import answerer, is_shared
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import digest_of
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery.offered_answers import ALONE, GONE, Settled, counted
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.approvals import decode_addressed, restored
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.escalations import decode_escalation
from jp_tui.inquiry.on_question import SERVES
from jp_tui.inquiry.people import OWNER, Addressed, Answerer, Vote
from jp_tui.questions.types import Question, SecretAnswer
from jp_tui.questions.wire import read_recorded


def parse_stored_answer(request: ev.InquiryRequest, text: str) -> tuple[Question, Json]:
    """Return the question, and the value of the text for it. Raises ValueError, TypeError or KeyError for an invalid
    text or question."""
    question = read_recorded(str(request.metadata.get("question", "")), request.question)
    return question, question.answer_type.typed(text)


async def answer_recorded(
    log: Log, checks: Checks, request: ev.InquiryRequest, text: str, note: str = "", *, decline: bool = False
) -> Settled:
    """Return the result. `log` must be at the request's turn and locked by this process. Raises JournalError."""
    asked = people_asked(log.setup, log.id, request, log.owner)
    decided = await decide_stored(log.setup, checks, request, text, note, decline=decline, asked=asked)
    if isinstance(decided, tuple):
        return decided
    await log.append(decided.events)
    return decided.settled


async def assign_recorded(log: Log, request: ev.InquiryRequest, to: str) -> Settled:
    """Hand a recorded request over (store.md D16); as `answer_recorded`."""
    decided = assign_stored(request, people_asked(log.setup, log.id, request, log.owner), to)
    if isinstance(decided, tuple):
        return decided
    await log.append(decided.events)
    return decided.settled


@dataclass(frozen=True, slots=True)
class RequestPeople:
    """People of a recorded request: whom it asks, the approvals so far, and who answers now; None for the owner of a
    store of one person."""

    asked: Addressed = OWNER
    votes: tuple[Vote, ...] = ()
    by: Answerer | None = None


@dataclass(frozen=True, slots=True)
class DecidedAnswer:
    """Events that an answer adds to the log, and its result once they are durable."""

    events: Sequence[ev.InquiryFact]
    settled: Settled


def people_asked(
    setup: EngineDependencies, conversation: str, request: ev.InquiryRequest, owner: Callable[[], str]
) -> RequestPeople:
    """Return which people a recorded request asks now, and this process's user. Raises JournalError."""
    if not is_shared(setup):
        return RequestPeople(decode_addressed(request.metadata))
    asked, votes = state_of(setup, conversation, request)
    return RequestPeople(asked, votes, answerer(setup, owner()))


def state_of(
    setup: EngineDependencies, conversation: str, request: ev.InquiryRequest
) -> tuple[Addressed, tuple[Vote, ...]]:
    """Return which people a recorded request asks now, and the approvals so far. Raises JournalError."""
    later: list[ev.Event] = []
    for row in setup.journal.inquiry_events(conversation, request.id):
        event = read_event(stored_event(row).event)
        later = [] if isinstance(event, ev.InquiryRequest) else [*later, event]  # ids may repeat (R29)
    return restored(request, later)


async def decide_stored(
    setup: EngineDependencies,
    checks: Checks,
    request: ev.InquiryRequest,
    text: str,
    note: str = "",
    *,
    ms: int | None = None,
    decline: bool = False,
    asked: RequestPeople | None = None,
) -> DecidedAnswer | Settled:
    """Return what the answer adds to the log, or why it isn't taken. `ms` since it was asked, if known;
    `decline`: its server reads a no; `asked`: which people it asks, and who answers."""
    asked = asked or RequestPeople(decode_addressed(request.metadata))
    extra, tool = request.metadata, str(request.metadata.get("tool") or request.source.name)
    try:
        if decline:
            question, value = read_recorded(str(extra.get("question", "")), request.question), None
            question = replace(question, serves=extra.get(SERVES) is True)
        else:
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
        asked=asked.asked,
        votes=asked.votes,
    )
    state = v.State(client=False, calls=MappingProxyType({call: v.Work(tool)}), waiting=(opened,))
    given: v.HumanAnswered | v.HumanCancelled = v.HumanCancelled(request.id, digest, declined=True, by=asked.by)
    if not decline:
        known = await verdicts(checks, question.answer_type, [value])
        at = timestamp(setup.now())
        given = v.HumanAnswered(
            request.id, digest, value, note=note, via="process", ms=ms, at=at, verdicts=known, by=asked.by
        )
    return _result(decide(state, given)[1])


def assign_stored(request: ev.InquiryRequest, asked: RequestPeople, to: str) -> DecidedAnswer | Settled:
    """Return what handing a recorded request over adds to the log, or why it can't be (store.md D16)."""
    if asked.by is None:
        return "invalid", ALONE
    try:
        question = read_recorded(str(request.metadata.get("question", "")), request.question)
    except (ValueError, TypeError, KeyError) as problem:
        return "invalid", str(problem)
    call, digest = str(request.metadata.get("call", "")), digest_of(request)
    opened = v.OpenQuestion(
        request.id, call, question, digest, request.source.kind, False, asked=asked.asked, votes=asked.votes
    )
    state = v.State(client=False, calls=MappingProxyType({call: v.Work("")}), waiting=(opened,))
    return _result(decide(state, v.HumanAssigned(request.id, digest, to, asked.by, "process"))[1])


def _result(steps: list[s.Step]) -> DecidedAnswer | Settled:
    for step in steps:
        if isinstance(step, s.Refuse):
            if step.not_yours:
                return "not_yours", step.reason
            return ("stale", GONE) if step.gone else ("invalid", step.reason)
    facts = [step.event for step in steps if isinstance(step, s.Record)]
    events = [fact for fact in facts if not isinstance(fact, ev.InquiryRequest)]
    changed = next((step.open for step in steps if isinstance(step, s.PeopleChanged)), None)
    return DecidedAnswer(
        events, ("accepted", "") if changed is None else ("counted", counted(changed.asked, changed.votes))
    )
