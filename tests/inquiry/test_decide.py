"""A question from its request to the next run of its tool: answers, memory, attempts, ends (inquiries.md 6, 12)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled, InquiryRequest
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.answer_kind import verdict_key
from jp_tui.questions.types import Option, Question, SchemaAnswer, SelectAnswer, TextAnswer
from jp_tui.questions.wire import digest
from tests.inquiry.play import APPLY, ASK, FLOOR, HUSH, PASS, Play, begun, facts, of, only, raised


def test_a_question_is_recorded_before_it_is_asked() -> None:
    """R103, R26, R20: the request first, with the id that everything else carries, and who and why beside it."""
    play = Play(begun("c1"))
    request, ask = play(raised())
    assert isinstance(request, s.Record) and isinstance(request.event, InquiryRequest)
    assert request.event.id == "c1.apply_changes.1"
    assert request.event.source.wire() == {"source": "tool", "name": "tool"}
    assert isinstance(ask, s.AskHuman) and ask.open.inquiry == request.event.id and ask.remember
    assert request.event.metadata == {
        "call": "c1",
        "question": "apply_changes",
        "tool": "tool",
        "digest": digest(APPLY),
        "row": "7",
        "why": ask.why,
    }
    assert [item.inquiry for item in play.state.waiting] == ["c1.apply_changes.1"]


def test_the_record_is_the_question_as_it_was_asked() -> None:
    """R20: what the configuration makes of it decides who answers, and stands in no record."""
    play = Play()
    play.ask("c1", ASK, rule=v.Rule(exclusive=False))
    play.ask("c2", APPLY, rule=v.Rule(exclusive=True))
    first, second = (event for event in play.records if isinstance(event, InquiryRequest))
    assert first.question["exclusive"] is True and "exclusive" not in second.question


def test_an_answer_runs_the_tool_again_with_it() -> None:
    """R97, R108, R182: with its note, its way (R25) and how long it took."""
    play = Play()
    play.ask("c1")
    steps = play.answer("c1", False, note="too long", via="process", ms=1200)
    (answer,) = facts(steps)
    assert isinstance(answer, InquiryAnswered) and answer.responder is not None
    assert (answer.answer, answer.explanation) == (False, "too long")
    assert answer.responder.wire() == {"kind": "user", "via": "process", "ms": 1200}
    assert only(s.RunAgain, steps).answers["apply_changes"] == v.GivenAnswer(False, digest(APPLY), "too long")
    assert only(s.Settled, steps) == s.Settled("c1.apply_changes.1", "answered", "user")
    assert play.state.waiting == () and play.state.calls["c1"].last == v.Last(
        "apply_changes", False, "too long", answer.responder, rejects=True, intent="tool.apply_changes"
    )


def test_one_two_and_three_questions() -> None:
    """Acceptance 5: answers add up in the order given; a re-ask is attempt 2 and its answer the one that counts."""
    play = Play()
    names = [Question(name, f"{name}?", TextAnswer()) for name in ("a", "b", "c")]
    for question in (*names, names[0]):
        play.ask("c1", question)
        play.answer("c1", f"{question.id}{len(play.steps)}")
    answers = of(s.RunAgain, play.steps)[-1].answers
    assert list(answers) == ["b", "c", "a"]
    assert [event.id for event in play.records[::2]] == ["c1.a.1", "c1.b.1", "c1.c.1", "c1.a.2"]
    assert answers["a"].value == play.records[-1].answer  # type: ignore[union-attr]


def test_an_answer_to_what_was_not_shown_is_refused() -> None:
    """R235: by id and digest."""
    play = Play()
    play.ask("c1")
    refusal = only(s.Refuse, play(v.HumanAnswered("c1.apply_changes.1", "other", True)))
    assert refusal == s.Refuse("c1.apply_changes.1", "the question has changed since it was shown", False)


@pytest.mark.parametrize("value", [1, 0, "true", None, [], {}])
def test_an_answer_of_the_wrong_type_leaves_the_question_open(value: Json) -> None:
    """R8: 1 is not true."""
    play = Play()
    play.ask("c1")
    assert only(s.Refuse, play.answer("c1", value)).gone is False
    assert play.unanswered == ["c1.apply_changes.1"]


def test_the_first_response_wins() -> None:
    """Late answers are told by whom it was settled; nothing falls back to what waits now (R203)."""
    play = Play()
    play.ask("c1")
    first = play.open["c1"]
    play.answer("c1", True)
    play.ask("c2")
    assert play(v.HumanAnswered(first.inquiry, first.digest, False)) == [
        s.Refuse(first.inquiry, "already answered", True, "user")
    ]
    for late in (v.HumanCancelled(first.inquiry, first.digest), v.HumanReplied(first.inquiry, first.digest, "no")):
        assert only(s.Refuse, play(late)).gone
    assert only(s.Refuse, play(v.HumanAnswered("zzz", first.digest, True))) == s.Refuse(
        "zzz", "no such open question", True
    )
    play(v.CallGone("c2"))
    assert only(s.Refuse, play.answer("c2")) == s.Refuse("c2.apply_changes.1", "withdrawn", True)


def test_remembering_answers_the_same_question_of_later_and_waiting_calls() -> None:
    """R113, R104, R252: counted, with since when, and not shown."""
    play = Play()
    play.ask("c1")
    play.ask("c2", replace(APPLY, context="+b"))
    play.ask("c3", replace(APPLY, floor=True))
    play.ask("c4", tool="other")
    steps = play.answer("c1", True, remember=True, at="2026-03-05 21:21:16.7")
    assert [step.call for step in of(s.RunAgain, steps)] == ["c1", "c2"]
    assert [step.by for step in of(s.Settled, steps)] == ["remembered", "user"]  # before a face would show it: R252
    assert len(of(s.LedgerChanged, steps)) == 1
    assert [item.call for item in play.state.waiting] == ["c3", "c4"], "the floor and another tool are asked"
    steps = play.ask("c5")
    assert only(s.RunAgain, steps).answers["apply_changes"].unseen and of(s.LedgerChanged, steps)
    held = play.state.ledger.answers["tool.apply_changes"]
    assert held == v.RememberedAnswer("tool", "apply_changes", True, "Apply?", "2026-03-05 21:21:16.7", 2)
    assert play.pairs == [
        ("c1.apply_changes.1", "true user"),
        ("c2.apply_changes.1", "true remembered"),
        ("c5.apply_changes.1", "true remembered"),
    ]


def test_what_is_remembered_can_be_taken_back() -> None:
    """E43, R236: it is asked again; what was answered stays."""
    play = Play()
    play.ask("c1")
    play.answer("c1", False, remember=True)
    assert play(v.Revoked("tool.other")) == []
    assert play(v.Revoked("tool.apply_changes")) == [s.LedgerChanged()]
    assert of(s.AskHuman, play.ask("c2")) and not play.state.ledger.answers


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (Question("q", "Which?", SelectAnswer((Option("a"),))), "a"),
        (replace(APPLY, persistence="none"), True),
        (FLOOR, True),
        (PASS, HUSH),
        (ASK, "x"),
    ],
    ids=["select", "persistence none", "floor", "secret", "text"],
)
def test_only_booleans_that_persist_are_remembered(question: Question, value: Json) -> None:
    """R113, R114, R6, R247."""
    play = Play()
    assert not only(s.AskHuman, play.ask("c1", question)).remember
    play.answer("c1", value, remember=True)
    assert not play.state.ledger.answers
    assert of(s.AskHuman, play.ask("c2", question))


def test_attempts_count_within_the_turn_also_for_a_reused_call_id() -> None:
    """R27, R29, acceptance 7."""
    play = Play()
    play.ask("c1")
    play.answer("c1")
    play(v.CallGone("c1"))
    play.ask("c1", tool="other")
    assert play.unanswered == ["c1.apply_changes.2"]


def test_ids_of_other_parts_that_read_the_same_are_told_apart() -> None:
    """R29: an id is used once in a turn, whatever calls and questions are named."""
    play = Play()
    play.ask("a", replace(APPLY, id="b.c"))
    play.ask("a.b", replace(APPLY, id="c"))
    assert play.unanswered == ["a.b.c.1", "a.b.c.2"]


def test_a_call_asks_one_thing_at_a_time() -> None:
    """Two questions of one call, also under one id: the later one replaces the earlier, which is closed."""
    play = Play()
    play.ask("c1")
    play.ask("c1", replace(APPLY, context="+b"))
    play.ask("c1", ASK)
    assert play.pairs == [("c1.apply_changes.1", "user"), ("c1.apply_changes.2", "user")]
    assert [item.inquiry for item in play.state.waiting] == ["c1.answer.1"]


def test_a_tool_that_never_accepts_is_stopped() -> None:
    """R98, M46: after as many answers in a row as allowed; another question starts the count anew."""
    play = Play(begun("c1", most=2))
    for question in (APPLY, ASK, APPLY, APPLY):
        play.ask("c1", question)
        play.answer("c1", "x" if question is ASK else True)
    assert only(s.Complete, play.ask("c1")) == s.Complete(
        "c1",
        "tool asked the same question (`apply_changes`) 2 times in a row and never accepted the answer. "
        "Do not retry this tool call in this turn.",
        True,
    )
    assert not play.unanswered and "c1" not in play.state.calls


def test_what_was_not_an_answer_does_not_count_for_the_limit() -> None:
    """R98: edits and the same call id later in the turn start anew."""
    play = Play(begun("c1", most=1))
    play.ask("c1")
    play.answer("c1")
    play(v.CallGone("c1"))
    assert of(s.AskHuman, play.ask("c1"))
    opened = play.open["c1"]
    play(v.HumanEdited(opened.inquiry, opened.digest, {"path": "b"}))
    assert of(s.AskHuman, play.ask("c1"))


DEEP: list[Json] = []
for _ in range(3_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "question",
    [
        replace(APPLY, text="half \ud800"),
        replace(APPLY, id="\udfff"),
        replace(APPLY, default=float("nan")),
        Question("q", "Deep?", SchemaAnswer({"enum": DEEP})),
        Question("q", "Big?", SchemaAnswer({"maximum": 10**400})),
    ],
    ids=["surrogate", "id", "nan", "deep", "digits"],
)
def test_a_question_that_no_log_could_hold_ends_its_call(question: Question) -> None:
    """Nothing crashes, nothing is recorded, the model is told."""
    play = Play()
    done = only(s.Complete, play.ask("c1", question))
    assert done.is_error and "Do not retry" in done.content and play.records == []


@pytest.mark.parametrize("value", [float("inf"), "\ud800", DEEP, 10**400], ids=["inf", "surrogate", "deep", "digits"])
def test_a_value_that_no_log_could_hold_is_no_answer(value: Json) -> None:
    """From a person, from a setting, as a default."""
    schema: dict[str, Json] = {}
    question = Question("q", "Any?", SchemaAnswer(schema), default=None, has_default=True)
    play = Play()
    play.ask("c1", question)
    assert only(s.Refuse, play.answer("c1", value)).reason == "it can't be written as JSON"
    play.ask("c2", question, rule=v.Rule(has_answer=True, answer=value))
    assert play.pairs == [("c2.q.1", "invalid_static_answer")]


def test_a_schema_answer_needs_its_verdict() -> None:
    """R8: exactly that value against exactly that schema."""
    schema: dict[str, Json] = {"type": "integer"}
    play = Play()
    play.ask("c1", Question("n", "How many?", SchemaAnswer(schema)))
    assert only(s.Refuse, play.answer("c1", 3)).reason == "it wasn't checked against the schema"
    misfit = {verdict_key(schema, "x"): "`x` is not of type integer", verdict_key(schema, 3): None}
    assert only(s.Refuse, play.answer("c1", "x", verdicts=misfit)).reason == "`x` is not of type integer"
    assert only(s.RunAgain, play.answer("c1", 3, verdicts=misfit)).answers["n"].value == 3


def test_a_secret_reaches_the_tool_and_nothing_else() -> None:
    """R202, R12: redacted on record, without the note, and never kept for later texts."""
    play = Play()
    play.ask("c1", PASS)
    steps = play.answer("c1", HUSH, note=HUSH)
    assert play.pairs == [("c1.pass.1", "redacted")]
    assert only(s.Settled, steps).how == "redacted"
    assert only(s.RunAgain, steps).answers["pass"].value == HUSH
    last = play.state.calls["c1"].last
    assert last is not None and last.value is None
    play.ask("c2", PASS, rule=v.Rule(has_answer=True, answer=HUSH))
    play.ask("c3", replace(PASS, floor=True), rule=v.Rule(has_answer=True, answer=HUSH))
    assert HUSH not in repr(play.state.waiting) and HUSH not in repr(v.HumanAnswered("c3.pass.1", "d", HUSH))


def test_a_call_that_went_away_withdraws_what_it_asks() -> None:
    """R118: of the human and of a reviewer; by nobody."""
    play = Play()
    play.ask("c1")
    play.ask("c2", rule=v.Rule(target="assistant"))
    for call in ("c1", "c2"):
        steps = play(v.CallGone(call))
        (fact,) = facts(steps)
        assert isinstance(fact, InquiryCancelled) and (fact.reason, fact.responder) == ("user", None)
        assert only(s.Settled, steps) == s.Settled(f"{call}.apply_changes.1", "withdrawn", "")
    assert play.state.waiting == play.state.reviewed == () and play.state.calls == {}


def test_a_question_of_a_call_that_is_over_is_ignored() -> None:
    """A tool that was called off may still come to its question."""
    play = Play()
    play.ask("c1")
    play(v.CallGone("c1"))
    assert play(raised()) == []


def test_the_queue_is_first_in_first_out() -> None:
    """R99, R116, acceptance 6."""
    play = Play()
    for call in ("c1", "c2", "c3"):
        play.ask(call)
    play.answer("c2")
    play.ask("c2", ASK)
    assert [item.call for item in play.state.waiting] == ["c1", "c3", "c2"]
