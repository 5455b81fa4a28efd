"""The look over a whole form, and the other ways out of one: Reply and End Turn at every place of it.

inquiries.md R179-R182b, R248; acceptance 19.
"""

from __future__ import annotations

import pytest

from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages
from jp_tui.inquiry import values as v
from jp_tui.questions.types import FormView, Place
from tests.inquiry.form import Filled, Form, Forms, text, yes_no
from tests.inquiry.play import APPLY, Play, begun, of, only, pinned

THREE: Form = (yes_no("a"), text("b"), yes_no("c"))
VALUES = (True, "x", False)
FORM = FormView((Place("a", "a?", "answered"),))


def filled(count: int, form: Form = THREE) -> Forms:
    forms = Forms()
    forms.start("c", form)
    for value in VALUES[:count]:
        forms.answer(value)
    return forms


def test_review_is_not_recorded() -> None:
    """R182b: after the last of several; its id counts like any other; submitting finishes."""
    forms = filled(3)
    asked = forms.review()
    assert asked.open.inquiry == "c.__review__.1" and asked.back == "c" and asked.open.source == "assistant"
    recorded = len(forms.play.records)
    steps = forms.submit()
    assert steps[0] == s.Settled("c.__review__.1", "answered", "user")
    again = only(s.RunAgain, steps)
    assert again.reviewed and [given.value for given in again.answers.values()] == list(VALUES)
    assert forms.results["c"] == Filled({"a": True, "b": "x", "c": False}) and len(forms.play.records) == recorded
    assert only(s.Refuse, forms.feed(v.HumanSubmitted("c.__review__.1", asked.open.digest))).by == "user"


def test_back_from_review() -> None:
    """R182b, R176: to any answered question; the review is no record, so the next showing says what is discarded."""
    forms = filled(3)
    steps = forms.back("b")
    assert steps[0] == s.Settled("c.__review__.1", "cancelled", "user") and not of(s.Record, steps)
    opened = forms.open()
    assert (opened.question.id, opened.prefill, opened.undo, opened.back) == ("b", ("x",), ("b", "c"), "a")
    assert forms.play.records[-1].metadata["discards"] == ["b", "c"]
    forms.answer("y")
    forms.answer(True)
    assert forms.review().open.inquiry == "c.__review__.2"


def test_undo_leads_to_the_review_again() -> None:
    """E23."""
    forms = filled(3)
    forms.back("a")
    forms.restore()
    assert forms.review().open.inquiry == "c.__review__.2" and list(forms.answers().values()) == list(VALUES)


def test_a_crash_in_the_middle_brings_nothing_back() -> None:
    """R207, R237, R177: what Back took away, from a question or in review, stays away; its undo is still there."""
    forms = filled(3)
    forms.back("b")
    forms.crash()
    opened = forms.open()
    assert (opened.inquiry, opened.prefill, opened.undo) == ("c.b.2", ("x",), ("b", "c"))
    forms.answer("y")
    forms.crash()
    assert forms.open().question.id == "c" and forms.open().prefill == ()
    forms.back()
    forms.restore()
    forms.crash()
    assert forms.answers() == {"a": True, "b": "y"} and forms.open().undo == ()


def test_where_nobody_is_the_last_answer_finishes() -> None:
    """R182b: no review without a client."""
    state = begun("c1", client=False)
    play = Play(state)
    steps = play(v.ReviewWanted("c1", "d", FORM))
    assert steps == [s.RunAgain("c1", play.state.calls["c1"].answers, reviewed=True)]


def test_a_tool_that_wants_a_review_again_and_again() -> None:
    """R98: it ends, with a client and without one; a call that is unknown has none."""
    for client in (True, False):
        play = Play(v.State(client=client, most=3))
        play(v.CallStarted("c1", "tool"))
        for number in range(1, 4):
            steps = play(v.ReviewWanted("c1", "d", FORM))
            if client:
                steps = play(v.HumanSubmitted(f"c1.__review__.{number}", "d"))
            assert only(s.RunAgain, steps).reviewed
        assert only(s.Complete, play(v.ReviewWanted("c1", "d", FORM))).is_error
        assert play(v.ReviewWanted("c1", "d", FORM)) == []


def test_what_a_review_is_not() -> None:
    """R182b, R248: it takes no answer, no decision about a call, no edit, and it cannot be cancelled."""
    forms = filled(3)
    opened = forms.review().open
    at, shown = opened.inquiry, opened.digest
    wrong: tuple[v.Input, ...] = (
        v.HumanAnswered(at, shown, True),
        v.HumanPermitted(at, shown, True),
        v.HumanDelivered(at, shown, True),
        v.HumanEdited(at, shown, {}),
        v.HumanCancelled(at, shown),
        v.HumanSubmitted(at, "what was not shown"),
    )
    for given in wrong:
        assert not only(s.Refuse, forms.feed(given)).gone
    assert forms.feed(v.DeadlinePassed(at)) == []


@pytest.mark.parametrize("given", range(4))
@pytest.mark.parametrize("words", [None, "ask me later"])
def test_reply_everywhere(given: int, words: str | None) -> None:
    """R179, R181: at the first, a middle, the last question and in review; what was answered so far goes along."""
    forms = filled(given)
    forms.reply(words)
    so_far: dict[str, Json] = dict(zip("abc", VALUES[:given], strict=False))
    assert forms.results["c"] == Filled(so_far, cancelled=True, words=words)
    tags = [how for _, how in forms.play.pairs if how.startswith("user_")]
    assert tags == ([] if given == 3 else ["user_reply"]) and not forms.play.unanswered


def test_reply_while_going_back() -> None:
    """R177: nothing from the target on is reported; a pinned answer before it is."""
    form: Form = (text("p", rule=pinned("eu")), *THREE)
    forms = filled(3, form)
    forms.back("b")
    forms.reply("other")
    assert forms.results["c"] == Filled({"p": "eu", "a": True}, cancelled=True, words="other")


@pytest.mark.parametrize("given", range(4))
def test_end_turn_everywhere(given: int) -> None:
    """R180, R181: the open pair closes as `user`; whatever else runs is closed with it."""
    forms = filled(given)
    forms.play.ask("other", APPLY)
    opened = forms.opened("c")
    forms.feed(v.HumanEndedTurn(opened.inquiry, opened.digest))
    assert forms.ended and not forms.play.unanswered and not forms.play.state.waiting
    closed = [at for at, how in forms.play.pairs if how == "user"]
    assert closed == [*(["c." + "abc"[given] + ".1"] if given < 3 else []), "other.apply_changes.1"]
    assert not of(s.Complete, forms.play.steps)


def test_end_turn_while_going_back() -> None:
    """R177, R180."""
    forms = filled(3)
    forms.back("a")
    forms.feed(v.HumanEndedTurn())
    assert forms.play.pairs[-1] == ("c.a.2", "user") and forms.ended


def test_no_question_of_a_form_can_be_cancelled() -> None:
    """R182, R248."""
    forms = filled(1)
    opened = forms.open()
    assert "ends the turn" in only(s.Refuse, forms.feed(v.HumanCancelled(opened.inquiry, opened.digest))).reason


@pytest.mark.parametrize("words", ["rather not", "  "])
def test_the_form_of_a_tool_of_its_own(words: str) -> None:
    """R182: Reply at a tool's own ends its call with the words (M47, M4); only the assistant's form hears of them."""
    play = Play(begun("c1"))
    play(v.ReviewWanted("c1", "d", FORM, "tool"))
    done = only(s.Complete, play(v.HumanReplied("c1.__review__.1", "d", words)))
    assert not done.is_error
    assert done.content == (messages.replied("rather not") if words.strip() else messages.CANCELLED)


def test_a_call_that_goes_away_withdraws_its_review() -> None:
    """R118: and so does one that asks something else or begins anew."""
    for given in (v.CallGone("c1"), v.CallStarted("c1", "tool"), v.QuestionRaised("c1", APPLY, "tool")):
        play = Play(begun("c1"))
        play(v.ReviewWanted("c1", "d", FORM))
        assert s.Settled("c1.__review__.1", "withdrawn", "") in play(given)
        assert play.pairs == []
