"""A small engine for the tests that try orders of events: calls, a log, crashes and re-opens around the machine.

It does what the shell around `decide` must do, and after each step holds the whole to the invariants of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from jp_tui.conversation import events as ev
from jp_tui.conversation.pairing import unanswered
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.recovery.close_turn import open_calls, resumable
from jp_tui.engine.recovery.resume_turn import cut_off
from jp_tui.inquiry import closing, refusals, repeats
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.refusals_replay import turn_resumed
from jp_tui.questions.types import FormView, Question
from jp_tui.questions.wire import digest
from tests.inquiry.play import HUSH

Phase = Literal["running", "asking", "permission", "delivery", "review", "deferred"]


@dataclass(slots=True)
class Call:
    """A call without a result: what it waits for, and what it asked last."""

    id: str
    tool: str
    phase: Phase = "running"
    question: Question | None = None
    arguments: JsonObject | None = None
    decision: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class World:
    """One conversation. `log` holds the turn of now; `seen` is every prompt that was shown in it."""

    client: bool = True
    on_failure: Literal["ask", "fail"] = "ask"
    again: bool = False
    state: v.State = field(init=False)
    log: list[ev.Event] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    seen: list[v.Waiting] = field(default_factory=list)
    reviewed: list[str] = field(default_factory=list)
    refusals: int = 0
    before: v.State = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.before = self.fresh()

    def fresh(self) -> v.State:
        return v.State(client=self.client, most=3, on_failure=self.on_failure, retry_with_intent=self.again)

    # --- what calls do ------------------------------------------------------------------------------------

    def start(self, call: str, tool: str) -> None:
        self.log.append(ev.ToolCallRequest(id=call, name=tool, arguments={}))
        self.calls[call] = Call(call, tool)
        self.feed(v.CallStarted(call, tool, repeats.identity(tool, {})))

    def ask(self, call: Call, question: Question, rule: v.Rule, policy: v.Policy, form: FormView | None = None) -> None:
        call.phase, call.question = "asking", question
        source: ev.SourceKind = "assistant" if question.exclusive else "tool"
        intent = "to be tidy" if self.again else ""
        self.feed(v.QuestionRaised(call.id, question, source, rule, policy, form=form, intent=intent))

    def want_review(self, call: Call, form: FormView) -> None:
        call.phase = "review"
        self.feed(v.ReviewWanted(call.id, f"form of {call.id}", form))

    def want_leave(self, call: Call, mode: v.AskMode, policy: v.Policy) -> None:
        call.phase = "permission"
        self.feed(v.PermissionWanted(call.id, call.tool, mode, f"args of {call.id}", policy))

    def want_delivery(self, call: Call, mode: v.AskMode, policy: v.Policy) -> None:
        call.phase = "delivery"
        self.feed(v.DeliveryWanted(call.id, call.tool, mode, f"result of {call.id}", policy))

    def finish(self, call: Call, *, failed: bool = False) -> None:
        who = repeats.rejecter(self.state, call.id) if failed else ""
        if failed:
            self.feed(v.CallFailed(call.id))
        self.feed(v.CallGone(call.id))
        self.respond(call.id, is_error=failed, rejected_by=who)

    def respond(self, call: str, content: str = "", *, is_error: bool = False, rejected_by: str = "") -> None:
        """Its result, after everything that it asked (R200)."""
        known = self.calls.pop(call)
        about: JsonObject = {"permission": known.decision} if known.decision else {}
        if known.arguments is not None:
            about["edited_arguments"] = known.arguments
        if rejected_by:
            about[repeats.REJECTED_BY] = rejected_by
        self.log.append(ev.ToolCallResponse(id=call, content=content, is_error=is_error, metadata=about))

    # --- the shell ----------------------------------------------------------------------------------------

    def feed(self, given: v.Input) -> None:
        before = self.before = self.state
        self.state, steps = decide(before, given)
        refused = [step for step in steps if isinstance(step, s.Refuse)]
        if refused:
            assert steps == refused and self.state == before, "what is refused changes nothing"
            self.refusals += 1
        acting = False
        for step in steps:
            if isinstance(step, s.RunAgain):
                self.goes_on(step, given)
            elif isinstance(step, s.Record):
                assert not acting, "a fact after an effect (R205)"
                assert HUSH not in dump(step.event.wire()), "a secret in the log (R202)"
                self.log.append(step.event)
            else:
                acting = True
                self.perform(step)
        self.hold()

    def perform(self, step: s.Step) -> None:
        match step:
            case s.AskHuman(opened) | s.AskPermission(opened) | s.AskDelivery(opened):
                assert step.why and self.client
                self.seen.append(opened)
            case s.AskReview(opened):
                assert self.client
                self.seen.append(opened)
            case s.AskReviewer(opened):
                assert step.why and not opened.human_only and not opened.question.floor
                self.reviewed.append(opened.inquiry)
            case s.Permit(id_, arguments, decision):
                call = self.suspended(id_, "permission")
                call.decision, call.arguments = decision, arguments or call.arguments
            case s.Deliver(id_):
                self.suspended(id_, "delivery")
                self.respond(id_)
            case s.Complete(id_, content, is_error, decision):
                assert content and HUSH not in content
                assert self.calls[id_].phase in ("asking", "permission", "delivery", "review")
                if self.calls[id_].phase == "permission" or decision == repeats.REFUSED:
                    self.calls[id_].decision = decision
                self.respond(id_, content, is_error=is_error)
            case s.Defer(id_):
                assert self.state.gone or self.calls[id_].phase == "asking"
                self.suspended(id_, "asking", "permission", "delivery", "review").phase = "deferred"
            case s.StopTurn():
                self.end_turn()
            case s.Settled() | s.Refuse() | s.LedgerChanged() | s.Record() | s.RunAgain():
                pass
            case _:
                assert_never(step)

    def goes_on(self, step: s.RunAgain, given: v.Input) -> None:
        """A call runs again: with an answer to what it asked, or moved about in its form."""
        review = self.calls[step.call].phase == "review"
        call = self.suspended(step.call, "asking", "review")
        if step.arguments is not None:
            call.arguments = step.arguments
            assert not step.answers and not review, "answers about other arguments (R97b)"
        elif isinstance(given, v.HumanWentBack | v.HumanRestored):
            work = self.state.calls[step.call]
            assert step.answers == work.answers and not {name for name, _ in work.discarded} & set(step.answers)
            assert bool(work.discarded) is isinstance(given, v.HumanWentBack)
        elif step.reviewed:
            assert review and not step.replied
        elif not step.replied:
            assert call.question is not None and not review
            self.check_answer(call.question, step.answers)
            self.check_floor(call, step.answers)

    def suspended(self, id_: str, *phases: Phase) -> Call:
        call = self.calls[id_]
        assert call.phase in phases, f"{id_} goes on from {call.phase}, not {phases}"
        call.phase = "running"
        return call

    def check_answer(self, question: Question, answers: Mapping[str, v.GivenAnswer]) -> None:
        """No answer reaches another question (R235)."""
        name, given = list(answers.items())[-1]
        assert (name, given.digest) == (question.id, digest(question))

    def check_floor(self, call: Call, answers: Mapping[str, v.GivenAnswer]) -> None:
        """Nothing but a person's yes lets through what the tool marked, or what was refused before (R247)."""
        question, last = call.question, self.state.calls[call.id].last
        assert question is not None and last is not None
        if list(answers.values())[-1].value is True:
            needs = question.floor or bool(refusals.refusal_reason(self.before.ledger, question))
            assert last.who.kind == "user" or not needs, (last, self.before.ledger.refused)

    def same_record(self) -> None:
        """What the record says was refused is what the machine knows (R237)."""
        found, ledger = turn_resumed(self.log), self.state.ledger
        assert dict(found.refused) == dict(ledger.refused), (found.refused, ledger.refused)
        assert dict(found.rejections) == dict(ledger.rejections)
        assert repeats.recorded(self.log) == dict(ledger.rejected), "what was rejected three times (Z17)"

    def end_turn(self) -> None:
        """Every unfinished call is over (R180), and everything that was asked has its one response."""
        for id_ in list(self.calls):
            self.state, steps = decide(self.state, v.CallGone(id_))
            self.log += [step.event for step in steps if isinstance(step, s.Record)]
            self.respond(id_)
        assert unanswered(self.log) == [] and open_calls(self.log) == []
        self.hold()
        self.same_record()
        self.new_turn()

    def new_turn(self) -> None:
        self.log, self.calls, self.state = [], {}, self.fresh()
        self.seen, self.reviewed = [], []

    def client_goes(self) -> None:
        """What waits for the user stays open, and nothing is recorded in the user's name (Z9)."""
        before, open_before = len(self.log), unanswered(self.log)
        self.feed(v.ClientLeft())
        assert not self.state.waiting and unanswered(self.log) == open_before
        for event in self.log[before:]:
            assert isinstance(event, ev.ToolCallResponse) and event.is_error
            assert event.metadata["permission"] == closing.CLIENT_GONE

    def crash(self, *, client: bool) -> None:
        """The process dies; the next one opens the conversation from what the log holds (R207, R237)."""
        self.client = client
        if not self.calls:
            return self.new_turn()
        if not resumable(self.log, ()):
            return self.discard()
        self.same_record()
        cut = cut_off(self.log)
        self.state, self.seen, self.reviewed = self.fresh(), [], []
        self.calls = {id_: Call(id_, call.tool, question=call.question) for id_, call in self.calls.items()}
        assert set(self.calls) == set(cut.order)
        taken_up: list[v.Input] = [cut.refusals]
        for over in cut.over:
            taken_up += [over, v.CallGone(over.call)]
        for given in (*taken_up, *cut.resumed):  # what is open is known again after the last of them
            self.state, steps = decide(self.state, given)
            assert steps == [], "to take a turn up records nothing"
        return self.hold()

    def discard(self) -> None:
        """Closed by appending (R204)."""
        self.log += [ev.InquiryCancelled(id=request.id) for request in unanswered(self.log)]
        for id_ in list(self.calls):
            self.respond(id_)
        self.new_turn()

    # --- what always holds --------------------------------------------------------------------------------

    def hold(self) -> None:
        requests = [event.id for event in self.log if isinstance(event, ev.InquiryRequest)]
        responses = [
            event.id
            for event in self.log
            if isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted)
        ]
        assert len(set(requests)) == len(requests), "an id is used twice in a turn"
        assert len(set(responses)) == len(responses), "two responses to one request"
        assert set(responses) <= set(requests), "a response without a request"
        state = self.state
        taken_up = [item.inquiry for work in state.calls.values() for item in work.recorded]
        asked = [item for item in (*state.waiting, *state.reviewed) if isinstance(item, v.OpenQuestion)]
        somewhere = [*(item.inquiry for item in asked), *state.deferred, *taken_up]
        assert sorted(somewhere) == sorted(set(requests) - set(responses)), "an open request that nobody knows"
        waiting = {item.call: item for item in (*state.waiting, *state.reviewed)}
        assert len(waiting) == len(state.waiting) + len(state.reviewed), "a call that waits for two things"
        kinds = {
            "asking": v.OpenQuestion,
            "permission": v.OpenPermission,
            "delivery": v.OpenDelivery,
            "review": v.OpenReview,
        }
        for call in self.calls.values():
            if (kind := kinds.get(call.phase)) is not None and call.id in waiting:
                assert isinstance(waiting[call.id], kind)
            assert not (call.phase in ("running", "deferred") and call.id in waiting)
        assert not (state.gone and state.waiting), "asked of a client that has gone (Z9)"
        for item in (*state.waiting, *state.reviewed):
            source = item.source if isinstance(item, v.OpenQuestion) else "tool"
            delivers = isinstance(item, v.OpenDelivery | v.OpenReview)
            again = repeats.refusal(state.ledger, state.calls[item.call].identity)
            assert not again or source != "tool" or delivers, "asked after three rejections (Z17)"
        for held in state.ledger.answers.values():
            assert isinstance(held.value, bool), "only booleans are remembered (R113)"

    def settled(self) -> None:
        """Between two inputs no call waits for nothing: each that asks is in a queue."""
        waiting = {item.call for item in (*self.state.waiting, *self.state.reviewed)}
        for call in self.calls.values():
            assert (call.phase in ("asking", "permission", "delivery", "review")) == (call.id in waiting), call
        assert waiting <= set(self.calls) and set(self.state.calls) <= set(self.calls)


def edited(opened: v.Waiting, number: int) -> v.HumanEdited:
    return v.HumanEdited(opened.inquiry, opened.digest, {"edited": number})


def stale(opened: v.Waiting) -> v.HumanAnswered:
    return v.HumanAnswered(opened.inquiry, f"{opened.digest} of another", True)


def variant(question: Question, number: int) -> Question:
    """The same question about something else."""
    return replace(question, context=f"+{number}")
