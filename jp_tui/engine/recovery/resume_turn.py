"""State needed to resume an unfinished turn, read from its events (inquiries.md R207, R237).

`inquiry.replay` decodes the answers of a call, with the effects of Back. Nothing remembered or permitted survives, nor
do edited arguments: the tool asks again before it acts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.conversation.model import Call, Usage
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.call_state import MAY_HAVE_RUN, ResumedCalls
from jp_tui.engine.base.rejected_calls import RejectedCall, stored
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.event_codec import sampled, totals
from jp_tui.engine.record.log import note_asked
from jp_tui.engine.record.unlogged_results import BegunRun
from jp_tui.engine.recovery.close_turn import open_calls
from jp_tui.inquiry import repeats
from jp_tui.inquiry import values as v
from jp_tui.inquiry.on_question import SERVES
from jp_tui.inquiry.refusals_replay import turn_resumed
from jp_tui.inquiry.replay import ReplayedState, recorded, voted
from jp_tui.protocol.values import AgentInfo

NOTHING_REFUSED = v.TurnResumed({}, {})


@dataclass(slots=True)
class _Known:
    """One call: its latest request, its answers, its attempts by question, its open requests; `hidden`: it received a
    secret; `text` is its latest question's, if its server asked it."""

    request: ev.ToolCallRequest
    rebuilt: ReplayedState = field(default_factory=ReplayedState)
    attempts: Counter[str] = field(default_factory=Counter)
    asked: dict[str, list[v.Recorded]] = field(default_factory=dict)
    hidden: bool = False
    text: str = ""

    def recorded(self) -> tuple[v.Recorded, ...]:
        return tuple(item for items in self.asked.values() for item in items)


@dataclass(frozen=True, slots=True)
class ResumableTurn:
    """Resumable turn.

    `calls` run again, `refused` get the same error as before; `over` are calls with a result. `text` is the user's
    message, `usage` and `context` the tokens so far, `waits` the requests without a response, `asides` the side
    questions and which were sent, `held` results that wait for permission. `hidden` are calls that received a secret,
    which is asked again; `stays` those left unchanged this time; `refusals` its refused targets; `agents` the
    sub-agents of its calls; `asked` the latest question of each call whose server asked one. `questions` are those of
    each call by name; `unsure` are calls that may have run, each with the user's decision about it, empty where there
    is none yet (store.md D21).
    """

    text: str
    order: tuple[str, ...]
    calls: tuple[Call, ...]
    refused: tuple[RejectedCall, ...]
    resumed: tuple[v.CallResumed, ...]
    over: tuple[v.CallResumed, ...]
    waits: tuple[ev.InquiryRequest, ...]
    asides: tuple[ev.Event, ...]
    held: Mapping[str, ev.ToolCallResponse]
    usage: Usage
    context: int
    hidden: frozenset[str] = frozenset()
    stays: frozenset[str] = frozenset()
    refusals: v.TurnResumed = NOTHING_REFUSED
    agents: Mapping[str, AgentInfo] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, list[str]] = field(default_factory=dict)
    unsure: Mapping[str, str] = field(default_factory=dict)


def cut_off(
    turn: Sequence[ev.Event],
    held: Mapping[str, ev.ToolCallResponse] | None = None,
    begun: Mapping[str, BegunRun] | None = None,
) -> ResumableTurn:
    """Return the state of a resumable turn; `held` are the results that wait for permission to be delivered, `begun`
    the marked runs of its calls."""
    known = _known(turn)
    order = tuple(dict.fromkeys(open_calls(turn)))
    calls: list[Call] = []
    refused: list[RejectedCall] = []
    for id_ in order:
        request = known[id_].request
        if "refused" in request.metadata:
            refused.append(stored(request))
        else:
            calls.append(Call(id_, request.name, request.arguments))
    usage, context = _usage(turn)
    questions: dict[str, list[str]] = {}
    for event in turn:
        if isinstance(event, ev.InquiryRequest):
            note_asked(questions, event)
    decided = {
        id_: _unsure(known[id_], questions.get(id_, ()), run) for id_, run in (begun or {}).items() if id_ in known
    }
    return ResumableTurn(
        text=next((_typed(event) for event in turn if isinstance(event, ev.ChatRequest)), ""),
        order=order,
        calls=tuple(calls),
        refused=tuple(refused),
        resumed=tuple(_resumed(id_, known[id_]) for id_ in order),
        over=tuple(_resumed(id_, call) for id_, call in known.items() if id_ not in order and call.attempts),
        waits=tuple(pairing.unanswered(turn)),
        asides=tuple(event for event in turn if isinstance(event, ev.ChatRequest | ev.Unknown)),
        held=dict(held or {}),
        usage=usage,
        context=context,
        hidden=frozenset(id_ for id_ in order if known[id_].hidden),
        refusals=replace(turn_resumed(turn), rejected=repeats.recorded(turn)),
        agents=subagent_events.running(turn),
        asked={id_: known[id_].text for id_ in order if known[id_].text},
        questions=questions,
        unsure={id_: decision for id_, decision in decided.items() if decision is not None},
    )


def _unsure(call: _Known, asked: Sequence[str], run: BegunRun) -> str | None:
    """Return the decision about a call whose run has no result, empty if there is none yet; None if that run had
    returned with another question."""
    doubts = sum(question == MAY_HAVE_RUN for question in asked)
    if len(asked) - doubts > run.asked:
        return None
    given = call.rebuilt.answers.get(MAY_HAVE_RUN)
    return str(given.value) if given is not None and doubts > run.doubts else ""


def _typed(event: ev.ChatRequest) -> str:
    """The message as it was typed, also an own command (context.md K50)."""
    name, arguments = event.metadata.get("command"), event.metadata.get("arguments")
    return f"/{name} {arguments or ''}".rstrip() if isinstance(name, str) and name else event.content


def earlier(cut: ResumableTurn) -> ResumedCalls:
    """Return the answers and results of its calls."""
    answers = {call.call: call.answers for call in cut.resumed}
    declined = {call.call: call.declined for call in cut.resumed}
    return ResumedCalls(
        answers,
        cut.held,
        begun=True,
        stays=cut.stays,
        agents=cut.agents,
        unsure=cut.unsure,
        declined=declined,
        asked=cut.asked,
    )


def still_waits(cut: ResumableTurn, conversation: str) -> tuple[str, str, tuple[str, ...]]:
    """Return why such a turn accepts no new message: what it waits for, how to answer that, and the inquiries."""
    if not cut.waits:
        message = "A result in this conversation waits for your approval."
        return message, "Open the conversation in the workspace to review it.", ()
    asked = "; ".join(f'"{first_line(str(request.question.get("text", "")))}"' for request in cut.waits)
    ids = tuple(request.id for request in cut.waits)
    advice = f"Answer it: `jp-tui answer {conversation}/{ids[0]} VALUE`, or open the conversation in the workspace."
    return f"A question in this conversation is open: {asked}.", advice, ids


def _resumed(id_: str, call: _Known) -> v.CallResumed:
    found = call.rebuilt
    return v.CallResumed(
        id_,
        call.request.name,
        dict(found.answers),
        dict(call.attempts),
        call.recorded(),
        found.in_order(),
        frozenset(found.unasked),
        found.last,
        repeats.identity(call.request.name, call.request.arguments),
        frozenset(found.declined),
    )


def _known(turn: Sequence[ev.Event]) -> dict[str, _Known]:
    known: dict[str, _Known] = {}
    asked: dict[str, list[tuple[str, v.Recorded]]] = {}  # by inquiry: ids of older logs may repeat (R29)
    for event in turn:
        match event:
            case ev.ToolCallRequest(id=id_):
                before = known.get(id_)
                known[id_] = _Known(event, attempts=before.attempts if before is not None else Counter())
            case ev.InquiryRequest(id=id_, metadata=extra):
                if (call := known.get(str(extra.get("call")))) is not None:
                    found = recorded(event)
                    call.attempts[found.question] += 1
                    call.rebuilt.asked(found.question, extra, event)
                    call.asked.setdefault(id_, []).append(found)
                    call.text = str(event.question.get("text", "")) if extra.get(SERVES) is True else ""
                    asked.setdefault(id_, []).append((str(extra["call"]), found))
            case ev.InquiryAnswered(id=id_) | ev.InquiryCancelled(id=id_) | ev.InquiryRedacted(id=id_):
                if waiting := asked.get(id_):
                    call_id, found = waiting.pop(0)
                    _close(known[call_id], found, event)
            case ev.InquiryVote(id=id_) | ev.InquiryAssigned(id=id_):
                if waiting := asked.get(id_):
                    call_id, found = waiting[0]
                    waiting[0] = call_id, _voted(known[call_id], found, event)
            case _:
                pass
    return known


def _close(call: _Known, asked: v.Recorded, event: ev.InquiryResponse) -> None:
    if asked in (waiting := call.asked.get(asked.inquiry, [])):
        waiting.remove(asked)
    call.rebuilt.closed(asked, event)
    call.hidden = call.hidden or isinstance(event, ev.InquiryRedacted)


def _voted(call: _Known, asked: v.Recorded, event: ev.InquiryVote | ev.InquiryAssigned) -> v.Recorded:
    found, waiting = voted(asked, event), call.asked.get(asked.inquiry, [])
    if asked in waiting:
        waiting[waiting.index(asked)] = found
    return found


def _usage(turn: Sequence[ev.Event]) -> tuple[Usage, int]:
    """Return the tokens of the responses so far, stored with the last call of each."""
    usage, context = Usage(), 0
    for event in turn:
        if isinstance(event, ev.ToolCallRequest) and "usage" in event.metadata:
            counts = totals(event.metadata["usage"])
            usage = usage + Usage(counts.input, counts.output, counts.cached, counts.reasoning)
            context = counts.input + counts.output
        elif isinstance(event, ev.ToolCallResponse):
            for counts in sampled(event):
                usage = usage + Usage(counts.input, counts.output, counts.cached, counts.reasoning)
    return usage, context
