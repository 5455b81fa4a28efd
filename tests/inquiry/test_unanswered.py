"""A client that was to ask has no answer (inquiries.md R241, R242, M38), or cannot be asked for a secret (row 10)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.events import InquiryCancelled, InquiryRequest
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import Question
from tests.inquiry.play import APPLY, ASK, PASS, Play, facts, of, only
from tests.inquiry.test_permission import delivery, permission

ASKED = [(APPLY, "tool"), (ASK, "assistant"), (PASS, "tool")]


def unanswered(play: Play, error: str = "") -> list[s.Step]:
    opened = play.open["c1"]
    return play(v.HumanUnanswered(opened.inquiry, opened.digest, error))


@pytest.mark.parametrize(("question", "source"), ASKED)
def test_an_error_fails_the_call(question: Question, source: str) -> None:
    """R242: M38 of the direct path, recorded cancelled/backend_error; whoever asked."""
    play = Play()
    play.ask("c1", question, source=source)
    steps = unanswered(play, "no such method")
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and (fact.reason, fact.responder) == ("backend_error", None)
    assert only(s.Complete, steps) == s.Complete("c1", "User input request failed: no such method", True)


@pytest.mark.parametrize(("question", "source"), ASKED)
def test_no_answer_that_fits_is_a_cancelled_question(question: Question, source: str) -> None:
    """R241: cancelled/user and M4, also of the assistant, which a person cannot cancel (R248)."""
    play = Play()
    play.ask("c1", question, source=source)
    steps = unanswered(play)
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and fact.reason == "user"
    assert only(s.Complete, steps) == s.Complete("c1", "Tool input cancelled by user.", False)


@pytest.mark.parametrize(
    ("wanted", "content"), [(permission(), "Tool skipped by user."), (delivery(), "Result delivery cancelled.")]
)
def test_prompts_end_as_cancelled_or_failed(wanted: v.PermissionWanted | v.DeliveryWanted, content: str) -> None:
    """R241, R242: nothing runs and nothing is delivered without a decision (M14, M20, M38)."""
    for error, text in (("", content), ("gone", "User input request failed: gone")):
        play = Play()
        play(wanted)
        done = only(s.Complete, unanswered(play, error))
        assert (done.content, done.is_error) == (text, bool(error))
        assert not of(s.Permit, play.steps) and not of(s.Deliver, play.steps) and not play.records


def test_it_comes_too_late_or_for_something_else() -> None:
    """R235: the digest of what was shown; the first response has won."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    assert not only(s.Refuse, play(v.HumanUnanswered(opened.inquiry, "other"))).gone
    assert not only(s.Refuse, play(v.HumanUnanswered(opened.inquiry, opened.digest, "\ud800"))).gone
    play.answer("c1")
    assert only(s.Refuse, unanswered(play)).gone


def test_a_secret_where_none_can_be_asked_for() -> None:
    """R241: row 10 for a client that named no `secret`; every other question reaches it."""
    play = Play(v.State(client=True, secrets=False))
    steps = play.ask("c1", PASS)
    request, response = facts(steps)
    assert isinstance(request, InquiryRequest) and request.metadata["row"] == "10"
    assert isinstance(response, InquiryCancelled) and response.reason == "no_prompt_backend"
    assert only(s.Complete, steps).content.startswith("tool cannot run because no interactive terminal")
    assert of(s.AskHuman, play.ask("c2")) and of(s.AskPermission, play(permission("c3")))
