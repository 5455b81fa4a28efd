"""R116, R117, E12: first come, first shown; and drafts, which must come back as they were (E24)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jp_tui.protocol.values import AgentInfo, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.view.questions.drafts import Draft, restored
from jp_tui.view.questions.queue import Queue
from jp_tui.view.wording import questions as wording


def prompt(inquiry: str, *, digest: str = "d", turn: int = 1) -> PromptRequest:
    return PromptRequest(
        conversation="c", inquiry=inquiry, call="k", tool="t", turn=turn, digest=digest, source="tool",
        question=Question(id="q", text="?", answer_type=BooleanAnswer()),
    )  # fmt: skip


def queue(*inquiries: str) -> Queue:
    found = Queue()
    for inquiry in inquiries:
        found = found.added(prompt(inquiry))
    return found


def test_e12_a_second_does_not_replace_the_first() -> None:
    two = queue("a", "b")
    assert (two.current, two.place, len(two)) == (("c", "a"), 1, 2)
    assert two.head is not None and two.head.inquiry == "a"


def test_the_next_follows_the_one_that_went() -> None:
    assert queue("a", "b", "c").without(("c", "a")).current == ("c", "b")
    assert queue("a", "b", "c").turned().without(("c", "b")).current == ("c", "c")
    assert queue("a", "b", "c").turned().turned().without(("c", "c")).current == ("c", "a")
    assert queue("a", "b").without(("c", "b")).current == ("c", "a")
    assert queue("a").without(("c", "a")) == Queue()
    assert queue("a").without(("c", "unknown")) == queue("a")


def test_turning_goes_round() -> None:
    three = queue("a", "b", "c")
    assert [three.turned().current, three.turned().turned().current] == [("c", "b"), ("c", "c")]
    assert three.turned().turned().turned() == three
    assert Queue().turned() == Queue()


def test_asked_anew_it_keeps_its_place() -> None:
    again = queue("a", "b").turned().added(prompt("a", digest="other"))
    assert [waiting.digest for waiting in again.prompts] == ["other", "d"]
    assert again.current == ("c", "b")


def test_r248_counts_what_ending_the_turn_would_close() -> None:
    waiting = queue("a", "b").added(prompt("c", turn=2))
    assert len(waiting.others_of_turn(waiting.prompts[0])) == 1


def test_r249_ending_the_turn_closes_what_its_sub_agents_and_their_tools_ask_too() -> None:
    agent = AgentInfo(conversation="child", parent="c", call="s", turn=1)
    of_its_tool = prompt("a").model_copy(update={"conversation": "child", "turn": 7, "agent": agent})
    handed_on = prompt("d").model_copy(update={"agent": agent})
    others = queue("a").added(of_its_tool).added(handed_on)
    assert others.others_of_turn(of_its_tool) == (("c", "a"), ("c", "d"))
    assert [len(others.others_of_turn(one)) for one in others.prompts] == [2, 2, 2]
    another = of_its_tool.model_copy(update={"agent": agent.model_copy(update={"turn": 2})})
    assert queue("a").added(another).others_of_turn(another) == ()


@given(st.none() | st.text(), st.text())
def test_e24_a_draft_comes_back_as_it_was(answer: str | None, reply: str) -> None:
    assert restored(Draft(answer, reply).stored()) == Draft(answer, reply)


@given(st.text(min_size=1))
def test_e24_a_draft_of_any_other_form_is_kept_as_an_answer(text: str) -> None:
    found = restored(text)
    assert found.answer == text or found.stored()


def test_nothing_typed_is_forgotten() -> None:
    assert Draft().stored() == ""
    assert Draft(answer="").stored() != "", "a default that was emptied is something typed"


def test_m33_and_m42_are_exact() -> None:
    assert [wording.YES_ONCE, wording.YES_TURN, wording.NO_ONCE, wording.NO_TURN] == [
        "yes, just this once", "yes, and remember for this turn",
        "no, just this once", "no, and remember for this turn",
    ]  # fmt: skip
    assert [wording.ANSWER, wording.BACK, wording.REPLY, wording.END_TURN] == ["Answer", "Back", "Reply", "End Turn"]
    assert wording.PROGRESS.format(n=2, m=4) == "[2/4]"


def test_e51_one_that_is_put_off_waits_beside_the_queue_and_comes_back_as_the_last() -> None:
    off = queue("a", "b", "c").put_off(("c", "a"))
    assert ([one.inquiry for one in off.prompts], off.current) == (["b", "c"], ("c", "b"))
    assert off.get(("c", "a")) is not None and len(off) == 2
    back = off.brought_back(("c", "a"))
    assert ([one.inquiry for one in back.prompts], back.current, back.aside) == (["b", "c", "a"], ("c", "b"), ())
    assert queue("a").put_off(("c", "a")).brought_back(("c", "a")) == queue("a")
    assert queue("a").put_off(("c", "unknown")) == queue("a") == queue("a").brought_back(("c", "unknown"))


def test_one_that_is_put_off_goes_when_it_is_settled_and_counts_in_its_turn() -> None:
    """R248: ending the turn closes it, too."""
    off = queue("a", "b").put_off(("c", "a"))
    assert len(off.others_of_turn(off.prompts[0])) == 1
    assert off.without(("c", "a")) == queue("b") and off.without(("c", "b")).aside == off.aside


def test_asked_anew_it_stays_put_off_unless_it_is_another_question() -> None:
    """R235."""
    off = queue("a", "b").put_off(("c", "a"))
    assert off.added(prompt("a")) == off
    other = off.added(prompt("a", digest="other"))
    assert other.aside == () and [one.inquiry for one in other.prompts] == ["b", "a"]


def test_r117_the_user_turns_to_any_of_them_also_to_one_that_was_put_off() -> None:
    assert queue("a", "b", "c").with_current(("c", "c")).current == ("c", "c")
    assert queue("a", "b").with_current(("c", "x")) == queue("a", "b")
    back = queue("a", "b").put_off(("c", "b")).with_current(("c", "b"))
    assert (back.current, back.aside) == (("c", "b"), ())


def test_r29_two_conversations_with_inquiries_of_one_id() -> None:
    other = prompt("a").model_copy(update={"conversation": "c2"})
    two = queue("a").added(other)
    assert len(two) == 2 and two.turned().head == other
    assert two.without(("c2", "a")) == queue("a")
    assert two.others_of_turn(other) == ()
