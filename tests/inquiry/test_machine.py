"""The coordinator's machine under every order of events: whatever comes, the record stays whole (R102, R200, R203)."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from jp_tui.conversation.events import InquiryAnswered, InquiryRequest
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.questions.types import BooleanAnswer, Question, TextAnswer

QUESTIONS = (
    Question("apply", "Apply?", BooleanAnswer()),
    Question("apply", "Apply something else?", BooleanAnswer(), context="+x"),
    Question("name", "Name?", TextAnswer(), exclusive=True, persistence="none"),
    Question("floor", "Really?", BooleanAnswer(), floor=True),
)
POLICIES: tuple[v.Policy, ...] = ("unset", "auto", "defaults", "deny", "defer")


class Coordinator(RuleBasedStateMachine):
    """Runs `decide` and keeps a naive record beside it."""

    calls = Bundle("calls")
    shown = Bundle("shown")

    def __init__(self) -> None:
        super().__init__()
        self.state = v.State(client=True, most=3)
        self.requests: Counter[str] = Counter()
        self.responses: Counter[str] = Counter()
        self.resumed: Counter[str] = Counter()
        self.suspended: set[str] = set()
        self.number = 0

    def feed(self, given: v.Input) -> list[s.AskHuman]:
        self.state, steps = decide(self.state, given)
        asked: list[s.AskHuman] = []
        for step in steps:
            match step:
                case s.Record(event):
                    bag = self.requests if isinstance(event, InquiryRequest) else self.responses
                    bag[event.id] += 1
                    assert self.responses[event.id] <= self.requests[event.id], "a response without a request"
                    if isinstance(event, InquiryAnswered):
                        assert event.responder is not None
                case s.AskHuman():
                    asked.append(step)
                    assert self.requests[step.open.inquiry] == 1, "asked before it was recorded"
                case s.RunAgain(call) | s.Complete(call) | s.Defer(call):
                    assert call in self.suspended, "a call goes on that was not waiting"
                    self.suspended.discard(call)
                    if isinstance(step, s.Complete):
                        assert call not in self.state.calls
                case _:
                    pass
        return asked

    @rule(target=calls)
    def start(self) -> str:
        self.number += 1
        call = f"c{self.number}"
        self.feed(v.CallStarted(call, "tool"))
        return call

    @rule(target=shown, call=calls, question=st.sampled_from(QUESTIONS), policy=st.sampled_from(POLICIES))
    def ask(self, call: str, question: Question, policy: v.Policy) -> object:
        if call not in self.state.calls or call in self.suspended:
            return multiple()
        self.suspended.add(call)
        asked = self.feed(v.QuestionRaised(call, question, "tool", policy=policy))
        return multiple(*[ask.open for ask in asked])

    @rule(item=shown, value=st.sampled_from([True, False, "text", 1, None]), remember=st.booleans())
    def answer(self, item: v.Open, value: object, remember: bool) -> None:
        self.feed(v.HumanAnswered(item.inquiry, item.digest, value, remember))  # type: ignore[arg-type]

    @rule(item=shown)
    def cancel(self, item: v.Open) -> None:
        self.feed(v.HumanCancelled(item.inquiry, item.digest))

    @rule(item=shown, text=st.sampled_from([None, "", "words"]))
    def reply(self, item: v.Open, text: str | None) -> None:
        self.feed(v.HumanReplied(item.inquiry, item.digest, text))

    @rule(item=shown)
    def stale(self, item: v.Open) -> None:
        before = self.state
        self.feed(v.HumanAnswered(item.inquiry, "another digest", True))
        assert self.state == before

    @rule(call=consumes(calls))
    def gone(self, call: str) -> None:
        self.suspended.discard(call)
        self.feed(v.CallGone(call))

    @rule(item=shown)
    def end_turn(self, item: v.Open) -> None:
        if any(waiting.inquiry == item.inquiry for waiting in self.state.waiting):
            self.feed(v.HumanEndedTurn(item.inquiry, item.digest))
            self.suspended.clear()

    @invariant()
    def every_open_question_has_one_request_and_no_response(self) -> None:
        for item in self.state.waiting:
            assert self.requests[item.inquiry] == 1 and self.responses[item.inquiry] == 0

    @invariant()
    def no_id_is_used_twice(self) -> None:
        assert all(count == 1 for count in self.requests.values())
        assert all(count == 1 for count in self.responses.values())

    @invariant()
    def waiting_questions_belong_to_running_calls(self) -> None:
        assert all(item.call in self.state.calls for item in self.state.waiting)


Coordinator.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestCoordinator = Coordinator.TestCase
