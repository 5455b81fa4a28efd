"""What the coordinator's machine does with each input: facts, effects, exact words (inquiries.md 6.2, 12, 14)."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled, InquiryRedacted, InquiryRequest
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.questions.types import BooleanAnswer, Option, Question, SecretAnswer, SelectAnswer, TextAnswer
from jp_tui.questions.wire import digest

APPLY = Question("apply_changes", "Apply?", BooleanAnswer(), context="+a", default=True, has_default=True)
ASK = Question("answer", "Name?", TextAnswer(), exclusive=True, persistence="none")


def begun(*calls: str, client: bool = True, most: int = 20) -> v.State:
    state = v.State(client=client, most=most)
    for call in calls:
        state, steps = decide(state, v.CallStarted(call, "tool"))
        assert steps == []
    return state


def raised(call: str = "c1", question: Question = APPLY, **more: object) -> v.QuestionRaised:
    return v.QuestionRaised(call, question, more.pop("source", "tool"), **more)  # type: ignore[arg-type]


def facts(steps: list[v.Step]) -> list[object]:
    return [step.event for step in steps if isinstance(step, v.Record)]


def test_a_question_is_recorded_before_it_is_asked() -> None:
    """R103, R26: the request first, with the id that everything else carries."""
    state, steps = decide(begun("c1"), raised())
    request, ask = steps
    assert isinstance(request, v.Record) and isinstance(request.event, InquiryRequest)
    assert request.event.id == "c1.apply_changes.1"
    assert request.event.source.wire() == {"source": "tool", "name": "tool"}
    assert isinstance(ask, v.AskHuman) and ask.open.inquiry == request.event.id and ask.remember
    assert [item.inquiry for item in state.waiting] == ["c1.apply_changes.1"]


def test_an_answer_runs_the_tool_again_with_it() -> None:
    """R97, R108."""
    state, _ = decide(begun("c1"), raised())
    state, steps = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), False, note="too long"))
    (answer,) = facts(steps)
    assert isinstance(answer, InquiryAnswered) and answer.answer is False and answer.explanation == "too long"
    again = steps[-1]
    assert isinstance(again, v.RunAgain)
    assert again.answers["apply_changes"] == v.Given(False, digest(APPLY), "too long")
    assert state.waiting == ()


def test_an_answer_to_what_was_not_shown_is_refused() -> None:
    """R235: by id and digest; R203: one response a request."""
    state, _ = decide(begun("c1"), raised())
    same, steps = decide(state, v.HumanAnswered("c1.apply_changes.1", "other", True))
    assert same == state and isinstance(steps[0], v.Refuse) and not steps[0].gone
    state, _ = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), True))
    same, steps = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), True))
    assert same == state and isinstance(steps[0], v.Refuse) and steps[0].gone


def test_an_answer_of_the_wrong_type_leaves_the_question_open() -> None:
    """R8: 1 is not true."""
    state, _ = decide(begun("c1"), raised())
    same, steps = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), 1))
    assert same == state and isinstance(steps[0], v.Refuse)


def test_remembering_answers_the_same_question_of_later_and_waiting_calls() -> None:
    """R113, R104, R252."""
    state = begun("c1", "c2", "c3")
    state, _ = decide(state, raised("c1"))
    state, _ = decide(state, raised("c2", replace(APPLY, context="+b")))
    state, steps = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), True, remember=True))
    assert [step.call for step in steps if isinstance(step, v.RunAgain)] == ["c1", "c2"]
    assert [fact.responder.kind for fact in facts(steps)] == ["user", "remembered"]
    _, steps = decide(state, raised("c3"))
    assert len(facts(steps)) == 2 and isinstance(steps[-1], v.RunAgain)
    assert steps[-1].answers["apply_changes"].unseen


def test_only_booleans_that_persist_are_remembered() -> None:
    """R113, R114, R6."""
    for question in (
        Question("q", "Which?", SelectAnswer((Option("a"),))),
        replace(APPLY, persistence="none"),
        replace(APPLY, floor=True),
    ):
        value = "a" if isinstance(question.answer_type, SelectAnswer) else True
        state, steps = decide(begun("c1"), raised(question=question))
        ask = steps[-1]
        assert isinstance(ask, v.AskHuman) and not ask.remember
        state, _ = decide(state, v.HumanAnswered(ask.open.inquiry, ask.open.digest, value, remember=True))
        assert not state.ledger.answers


def test_attempts_count_within_the_turn_also_for_a_reused_call_id() -> None:
    """R27, acceptance matrix 7."""
    state, _ = decide(begun("c1"), raised())
    state, _ = decide(state, v.HumanAnswered("c1.apply_changes.1", digest(APPLY), True))
    state, _ = decide(state, v.CallGone("c1"))
    state, _ = decide(state, v.CallStarted("c1", "other"))
    _, steps = decide(state, raised())
    (request, *_) = facts(steps)
    assert isinstance(request, InquiryRequest) and request.id == "c1.apply_changes.2"


def test_a_tool_that_never_accepts_is_stopped() -> None:
    """R98, M46: after as many answers in a row as allowed; another question starts the count anew."""
    state = begun("c1", most=2)
    for attempt in (1, 2):
        state, _ = decide(state, raised())
        state, _ = decide(state, v.HumanAnswered(f"c1.apply_changes.{attempt}", digest(APPLY), True))
    state, steps = decide(state, raised())
    (end,) = steps
    assert isinstance(end, v.Complete) and end.is_error
    assert end.content == (
        "tool asked the same question (`apply_changes`) 2 times in a row and never accepted the answer. "
        "Do not retry this tool call in this turn."
    )


def test_leaving_a_question() -> None:
    """R210, M4: cancelled by the user, a successful response."""
    state, _ = decide(begun("c1"), raised())
    state, steps = decide(state, v.HumanCancelled("c1.apply_changes.1", digest(APPLY)))
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and fact.reason == "user"
    assert v.Complete("c1", "Tool input cancelled by user.", False) in steps
    assert "c1" not in state.calls


def test_a_question_of_the_assistant_cannot_be_cancelled() -> None:
    """R248: ask_user has no Cancel."""
    state, _ = decide(begun("c1"), raised(question=ASK, source="assistant"))
    same, steps = decide(state, v.HumanCancelled("c1.answer.1", digest(ASK)))
    assert same == state and isinstance(steps[0], v.Refuse)


def test_replying_in_words() -> None:
    """R179 for ask_user, M47 for a tool's own question."""
    state, _ = decide(begun("c1"), raised(question=ASK, source="assistant"))
    state, steps = decide(state, v.HumanReplied("c1.answer.1", digest(ASK), " rather not "))
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and fact.reason == "user_reply"
    assert isinstance(steps[-1], v.RunAgain) and steps[-1].replied and steps[-1].reply == "rather not"
    state, _ = decide(begun("c1"), raised())
    _, steps = decide(state, v.HumanReplied("c1.apply_changes.1", digest(APPLY), "not now"))
    assert steps[-1] == v.Complete("c1", "Tool input cancelled by user: not now", False)


def test_ending_the_turn_closes_every_question() -> None:
    """R180."""
    state = begun("c1", "c2")
    state, _ = decide(state, raised("c1"))
    state, _ = decide(state, raised("c2", ASK, source="assistant"))
    state, steps = decide(state, v.HumanEndedTurn("c2.answer.1", digest(ASK)))
    assert [(fact.id, fact.reason) for fact in facts(steps)] == [
        ("c1.apply_changes.1", "user"),
        ("c2.answer.1", "user"),
    ]
    assert isinstance(steps[-1], v.EndTurn) and state.waiting == ()


def test_a_call_that_went_away_withdraws_its_question() -> None:
    """R118."""
    state, _ = decide(begun("c1"), raised())
    state, steps = decide(state, v.CallGone("c1"))
    assert [type(step) for step in steps] == [v.Record, v.Settled]
    assert steps[1] == v.Settled("c1.apply_changes.1", "withdrawn", "")


def test_secrets_are_redacted_on_record() -> None:
    """R202: also a static answer; the value reaches the tool only."""
    secret = Question("pass", "Passphrase?", SecretAnswer())
    rule = v.Rule(has_answer=True, answer="hunter2")
    _, steps = decide(begun("c1"), raised(question=secret, rule=rule))
    assert isinstance(facts(steps)[1], InquiryRedacted)
    assert isinstance(steps[-1], v.RunAgain) and steps[-1].answers["pass"].value == "hunter2"
    assert "hunter2" not in repr(facts(steps))


def test_refusals_say_the_exact_words() -> None:
    """M1, M2, M3, M5a, M5b, M13 with their recorded reasons (R201, rows 3, 4, 8, 11, 12, 13)."""
    exclusive = replace(APPLY, exclusive=True)
    bare = replace(APPLY, default=None, has_default=False)
    cases: list[tuple[v.QuestionRaised, str, str]] = [
        (
            raised(question=exclusive),
            "no_prompt_backend",
            "tool cannot run because no interactive terminal is available.",
        ),
        (
            raised(question=exclusive, rule=v.Rule(target="assistant")),
            "assistant_routing_denied",
            (
                "tool requires a human answer and cannot be routed to the assistant. Do not retry this tool call in "
                "this turn."
            ),
        ),
        (
            raised(rule=v.Rule(has_answer=True, answer="yes")),
            "invalid_static_answer",
            (
                "tool: the configured conversation.tools.tool.questions.apply_changes.answer value does not match the "
                "question's answer_type. Update the configuration; do not retry."
            ),
        ),
        (raised(policy="deny"), "no_prompt_backend", "(detached policy: deny)"),
        (raised(question=bare, policy="defaults"), "no_prompt_backend", "(detached policy: defaults)"),
        (
            raised(),
            "backend_error",
            "The tool 'tool' asked a follow-up question (\"Apply?\") that was routed to a secondary assistant",
        ),
    ]
    for given, reason, words in cases:
        _, steps = decide(begun("c1", client=False), given)
        request, response = facts(steps)
        assert isinstance(request, InquiryRequest)
        assert isinstance(response, InquiryCancelled) and response.reason == reason
        end = steps[-1]
        assert isinstance(end, v.Complete) and end.is_error and words in end.content


def test_deferring_leaves_the_request_open() -> None:
    """R230, row 14."""
    _, steps = decide(begun("c1", client=False), raised(policy="defer"))
    assert len(facts(steps)) == 1 and steps[-1] == v.Defer("c1")
