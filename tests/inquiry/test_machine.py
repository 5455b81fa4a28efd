"""The machine under random orders of events, crashes and re-opens included: whatever comes, the record stays whole.

Ten thousand steps in a normal run; many more with `--hypothesis-profile=long`. The rules draw, `world.py` checks.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import repeats
from jp_tui.inquiry import values as v
from jp_tui.questions.answer_kind import verdict_key
from jp_tui.questions.types import FormView, Part, Place, Question, SchemaAnswer, Taken
from tests.inquiry.play import APPLY, ASK, BARE, CHOICE, ESCALATES, FLOOR, HUSH, MODEL, PASS
from tests.inquiry.world import Call, World, edited, stale, variant
from tests.sampling import whole

SHAPE = Question("shape", "Shape?", SchemaAnswer({"type": "integer"}))
FILE = replace(variant(APPLY, 2), targets=("a/b",))
FOLDER = replace(variant(BARE, 3), id="drop", targets=("a",))
HUNKS = replace(FILE, parts=(Part("h1", "d", "1", "-a"), Part("h2", "d", "2", "-b")))
QUESTIONS = (APPLY, FILE, FILE, FOLDER, HUNKS, variant(APPLY, 1), BARE, ASK, CHOICE, FLOOR, PASS, SHAPE)
RULES = (
    v.Rule(),
    v.Rule(),
    v.Rule(),
    MODEL,
    ESCALATES,
    ESCALATES,
    v.Rule(has_answer=True, answer=True),
    v.Rule(has_answer=True, answer=HUSH),
    v.Rule(exclusive=False),
    v.Rule(exclusive=True),
)
FORM = FormView(tuple(Place(name, "", "ahead") for name in ("answer", "env", "pass", "apply_changes")))
CHECKED = {verdict_key({"type": "integer"}, 3): None}
POLICIES: tuple[v.Policy, ...] = ("unset", "auto", "defaults", "deny", "defer")
VALUES: tuple[Json, ...] = (True, False, 1, "a", None, [], float("nan"), "\ud800")
TOOLS = ("edit", "push")

anything = st.integers(min_value=0, max_value=10**6)
policies = st.sampled_from(POLICIES)
modes = st.sampled_from(("ask", "edit"))


class Orders(RuleBasedStateMachine):
    """What may happen, in any order."""

    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.number = 0

    @initialize(
        client=st.sampled_from((True, True, True, False)),
        on_failure=st.sampled_from(("ask", "fail")),
        again=st.booleans(),
    )
    def open(self, client: bool, on_failure: str, again: bool) -> None:
        self.world = World(client=client, on_failure=on_failure, again=again)  # type: ignore[arg-type]

    # --- who is meant -------------------------------------------------------------------------------------

    def running(self) -> list[Call]:
        return [call for call in self.world.calls.values() if call.phase == "running"]

    def shown(self, pick: int) -> v.Waiting:
        """A prompt that was shown in this turn, most likely one that still waits."""
        waiting = self.world.state.waiting
        if waiting and pick % 4:
            return waiting[pick % len(waiting)]
        return self.world.seen[pick % len(self.world.seen)]

    def something_runs(self) -> bool:
        return bool(self.running())

    def anything_shown(self) -> bool:
        return bool(self.world.seen)

    def fitting(self, opened: v.Waiting, pick: int, remember: bool, via: str) -> v.Input:
        yes, inquiry, shown = bool(pick % 2), opened.inquiry, opened.digest
        if isinstance(opened, v.OpenPermission):
            return v.HumanPermitted(inquiry, shown, yes, remember, None if pick % 3 else "not now", via)
        if isinstance(opened, v.OpenDelivery):
            return v.HumanDelivered(inquiry, shown, yes, None if pick % 3 else "less", via)
        if isinstance(opened, v.OpenReview):
            return v.HumanSubmitted(inquiry, shown)
        values: dict[str, Json] = {"answer": "x", "env": "b", "pass": HUSH, "shape": 3}
        value, taken = values.get(opened.question.id, yes), None
        if opened.question.parts and pick % 3:
            taken = Taken(("h1", "h2")[: pick % 3] if yes else (), {"h2": "not so"})
        return v.HumanAnswered(inquiry, shown, value, remember, "note", via, verdicts=CHECKED, taken=taken)

    # --- calls --------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.world.calls) < 6)
    @rule(tool=st.sampled_from(TOOLS), again=st.booleans())
    def start(self, tool: str, again: bool) -> None:
        """A new call, or one under an id that was used before in this turn (R27)."""
        self.number += not again
        call = f"c{self.number}"
        if call not in self.world.calls:
            self.world.start(call, tool)

    @precondition(something_runs)
    @rule(pick=anything, question=st.sampled_from(QUESTIONS), rule_=st.sampled_from(RULES), policy=policies)
    def ask(self, pick: int, question: Question, rule_: v.Rule, policy: v.Policy) -> None:
        running = self.running()
        call = running[pick % len(running)]
        if call.question is not None and pick % 5 < 3:
            question = call.question  # a tool that runs again asks the same, as after a crash
        if rule_.answer == HUSH and question is not PASS:
            rule_ = v.Rule()  # only a secret is nobody's business
        self.world.ask(call, question, rule_, policy, FORM if pick % 7 < 5 else None)

    @precondition(something_runs)
    @rule(pick=anything, mode=modes, policy=policies, leave=st.booleans())
    def want(self, pick: int, mode: v.AskMode, policy: v.Policy, leave: bool) -> None:
        running = self.running()
        wanted = self.world.want_leave if leave else self.world.want_delivery
        wanted(running[pick % len(running)], mode, policy)

    @precondition(something_runs)
    @rule(pick=anything)
    def want_review(self, pick: int) -> None:
        running = self.running()
        self.world.want_review(running[pick % len(running)], FORM)

    @precondition(something_runs)
    @rule(pick=anything, failed=st.booleans())
    def finish(self, pick: int, failed: bool) -> None:
        running = self.running()
        self.world.finish(running[pick % len(running)], failed=failed)

    @precondition(lambda self: self.world.calls)
    @rule(pick=anything, again=st.booleans())
    def interrupt(self, pick: int, again: bool) -> None:
        """A call is called off, or run again from the start (R212, R213)."""
        calls = list(self.world.calls.values())
        call = calls[pick % len(calls)]
        if call.phase == "deferred":
            return
        if again:
            call.phase, call.arguments, call.decision = "running", None, {}
            self.world.feed(v.CallStarted(call.id, call.tool, repeats.identity(call.tool, {})))
        else:
            self.world.finish(call)

    # --- people -------------------------------------------------------------------------------------------

    @precondition(lambda self: self.world.state.waiting)
    @rule(pick=anything, remember=st.booleans(), via=st.sampled_from(("", "process")))
    def decide(self, pick: int, remember: bool, via: str) -> None:
        """What the prompt asks for, of one that waits."""
        waiting = self.world.state.waiting
        self.world.feed(self.fitting(waiting[pick % len(waiting)], pick // 8, remember, via))

    @precondition(lambda self: self.world.state.waiting)
    @rule(pick=anything, how=st.sampled_from(("leave", "reply", "edit", "deadline")))
    def leave(self, pick: int, how: str) -> None:
        """Out of a prompt that waits without what it asks for."""
        waiting = self.world.state.waiting
        opened = waiting[pick % len(waiting)]
        match how:
            case "leave":
                self.world.feed(v.HumanCancelled(opened.inquiry, opened.digest))
            case "reply":
                self.world.feed(v.HumanReplied(opened.inquiry, opened.digest, "words" if pick % 3 else None))
            case "edit":
                self.world.feed(edited(opened, pick))
            case _:
                self.world.feed(v.DeadlinePassed(opened.inquiry))

    @precondition(lambda self: self.world.state.waiting)
    @rule(pick=anything, to=st.sampled_from(("", "", "", "answer", "env", "nowhere")), undo=st.booleans())
    def move(self, pick: int, to: str, undo: bool) -> None:
        """Back in a form, and its undo (R176, R177)."""
        waiting = self.world.state.waiting
        opened = waiting[pick % len(waiting)]
        back = v.HumanWentBack(opened.inquiry, opened.digest, to)
        self.world.feed(v.HumanRestored(opened.inquiry, opened.digest) if undo else back)

    @precondition(anything_shown)
    @rule(pick=anything, value=st.sampled_from(VALUES))
    def meddle(self, pick: int, value: Json) -> None:
        """Anything to anything that was shown in this turn, also long ago."""
        opened = self.shown(pick)
        inquiry, shown = opened.inquiry, opened.digest
        choices: tuple[v.Input, ...] = (
            v.HumanAnswered(inquiry, shown, value, remember=bool(pick % 2)),
            v.HumanPermitted(inquiry, shown, bool(pick % 2), remember=bool(pick % 3)),
            v.HumanDelivered(inquiry, shown, bool(pick % 2), "less"),
            v.HumanCancelled(inquiry, shown),
            v.HumanReplied(inquiry, shown, "words"),
            edited(opened, pick),
            v.DeadlinePassed(inquiry),
            v.HumanWentBack(inquiry, shown),
            v.HumanRestored(inquiry, shown),
            v.HumanSubmitted(inquiry, shown),
        )
        self.world.feed(choices[pick // 16 % len(choices)])

    @precondition(anything_shown)
    @rule(pick=anything)
    def answer_what_was_not_shown(self, pick: int) -> None:
        before = self.world.refusals
        self.world.feed(stale(self.shown(pick)))
        assert self.world.refusals == before + 1

    @precondition(lambda self: self.world.state.ledger.answers or self.world.state.ledger.permissions)
    @rule(pick=anything)
    def revoke(self, pick: int) -> None:
        ledger = self.world.state.ledger
        keys = [*ledger.answers, *ledger.permissions, "nothing"]
        self.world.feed(v.Revoked(keys[pick % len(keys)]))

    @precondition(lambda self: self.number % 5 == 4)
    @rule(pick=anything)
    def end_turn(self, pick: int) -> None:
        self.number += 1
        self.world.feed(v.HumanEndedTurn())
        assert not self.world.log and not self.world.calls

    @rule(picks=st.lists(anything, min_size=2, max_size=8))
    def go_on(self, picks: list[int]) -> None:
        """What mostly happens: calls ask, people answer, move about in a form, and submit it."""
        for pick in picks:
            waiting, running = self.world.state.waiting, self.running()
            if waiting:
                opened = waiting[pick % len(waiting)]
                match pick // 8 % 8:
                    case 0 | 1:
                        self.world.feed(v.HumanWentBack(opened.inquiry, opened.digest))
                    case 2:
                        self.world.feed(v.HumanRestored(opened.inquiry, opened.digest))
                    case _:
                        self.world.feed(self.fitting(opened, pick // 64, pick % 5 == 0, ""))
            elif running and pick % 9 == 0:
                self.world.want_review(running[0], FORM)
            elif running:
                question = QUESTIONS[pick // 16 % len(QUESTIONS)]
                self.world.ask(running[pick % len(running)], question, v.Rule(), "unset", FORM)
            elif len(self.world.calls) < 6:
                self.number += 1
                self.world.start(f"c{self.number}", TOOLS[pick % 2])

    # --- reviewers and accidents --------------------------------------------------------------------------

    @precondition(lambda self: self.world.reviewed)
    @rule(
        pick=anything,
        value=st.sampled_from((True, False, False, "b", 1)),
        reason=st.sampled_from(("because", "because", "")),
    )
    def verdict(self, pick: int, value: Json, reason: str) -> None:
        """Of a review that runs, or late."""
        known = [item.inquiry for item in self.world.state.reviewed] if pick % 4 else []
        known = known or self.world.reviewed
        self.world.feed(v.ReviewerAnswered(known[pick % len(known)], value, reason, "acme/small"))

    @precondition(lambda self: self.world.reviewed)
    @rule(pick=anything)
    def no_verdict(self, pick: int) -> None:
        """It fails, was shown too little, or is taken over (R155, R156, R247)."""
        inquiry = self.world.reviewed[pick // 4 % len(self.world.reviewed)]
        match pick % 4:
            case 0:
                self.world.feed(v.ReviewerFailed(inquiry, "gone", "acme/small"))
            case 1:
                self.world.feed(v.ReviewerFailed(inquiry, "900,000 tokens", kind="too_long"))
            case _:
                self.world.feed(v.HumanTookOver(inquiry, "acme/small", "It looks", pick))

    @precondition(lambda self: self.world.calls and self.world.client)
    @rule(pick=anything)
    def client_goes(self, pick: int) -> None:
        """Nobody answers in anybody's name (Z9)."""
        if pick % 4 == 0:
            self.world.client_goes()

    @precondition(lambda self: self.world.calls)
    @rule(client=st.sampled_from((True, True, False)))
    def crash(self, client: bool) -> None:
        self.world.crash(client=client)

    @invariant()
    def the_record_is_whole(self) -> None:
        type(self).steps += 1
        self.world.hold()
        self.world.settled()

    def teardown(self) -> None:
        self.world.feed(v.HumanEndedTurn())
        assert not self.world.log and not self.world.calls, "every request has exactly one response in the end"


LONG = settings.default is not None and settings.default.max_examples > 1_000


TURNS = 190 if whole() else 70


@pytest.mark.timeout(1800)  # a long run may take its time
def test_thousands_of_steps() -> None:
    """Any interleaving of calls, people, reviewers, interruptions, crashes and re-opens (R102, R200, R203, R237)."""
    Orders.steps = 0
    run_state_machine_as_test(
        Orders,
        settings=settings(
            max_examples=4_000 if LONG else TURNS,
            stateful_step_count=100,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
        ),
    )
    assert Orders.steps >= TURNS * 50
