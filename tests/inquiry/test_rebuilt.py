"""What the record of one call says of its answers (inquiries.md R24, R177, R237)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry import values as v
from jp_tui.inquiry.replay import ReplayedState
from tests.inquiry.play import APPLY, ESCALATES, MODEL, PASS, Play, begun, pinned

NO: JsonObject = {}


def recorded(question: str, number: int = 1) -> v.Recorded:
    return v.Recorded(f"c.{question}.{number}", question, f"digest of {question}")


def answered(question: str, value: Json = True, kind: ev.ResponderKind = "user") -> ev.InquiryAnswered:
    return ev.InquiryAnswered(id=f"c.{question}.1", answer=value, responder=ev.Responder(kind))


def read(*names: str) -> ReplayedState:
    found = ReplayedState()
    for name in names:
        found.asked(name, NO)
        found.closed(recorded(name), answered(name))
    return found


def left(reason: str = "user_back", **about: Json) -> ev.InquiryCancelled:
    return ev.InquiryCancelled(id="c.z.1", reason=reason, metadata=about)


def test_a_tag_alone_means_nothing() -> None:
    """R24: whatever the tag says, only what stands beside it changes an answer."""
    for tag in ("user_back", "user_edit", "user_reply", "user", "something else"):
        found = read("a", "b")
        found.asked("z", NO)
        found.closed(recorded("z"), left(tag))
        assert list(found.answers) == ["a", "b"] and found.in_order() == ()


def test_discarded_and_brought_back() -> None:
    """R177: until the next answer, also of a secret."""
    found = read("a", "b", "c")
    found.closed(recorded("z"), left(discards=["b", "c"]))
    assert list(found.answers) == ["a"] and [name for name, _ in found.in_order()] == ["b", "c"]
    found.closed(recorded("z"), left(discards=["a", "b", "c"]))
    assert list(found.answers) == [] and [name for name, _ in found.in_order()] == ["a", "b", "c"]
    found.closed(recorded("z"), left(restores=["a", "b", "c"]))
    assert list(found.answers) == ["a", "b", "c"] and found.in_order() == ()
    for response in (answered("z"), ev.InquiryRedacted(id="c.z.1")):
        found = read("a", "b")
        found.asked("a", {"discards": ["a", "b"]})
        assert [name for name, _ in found.in_order()] == ["a", "b"]
        found.closed(recorded("z"), response)
        assert found.in_order() == () and "b" not in found.answers


def test_a_call_that_began_anew_with_other_arguments() -> None:
    """R97b: as the machine writes it."""
    play = Play(begun("c1"))
    play.ask("c1", replace(APPLY, id="first"))
    play.answer("c1")
    play.ask("c1")
    opened = play.open["c1"]
    play(v.HumanEdited(opened.inquiry, opened.digest, {"path": "b"}))
    event = play.records[-1]
    assert isinstance(event, ev.InquiryCancelled)
    found = read("a", "b")
    found.closed(recorded("z"), event)
    assert found.answers == {} and found.in_order() == () and play.state.calls["c1"].answers == {}


@pytest.mark.parametrize("how", ["user", "static", "reviewer", "escalated", "default"])
def test_whose_answer_it_is(how: str) -> None:
    """R172, R176, R236: the same as in the machine, whoever gave it."""
    rules = {"static": pinned(True), "reviewer": MODEL, "escalated": ESCALATES}
    play = Play(begun("c1", client=how != "default"))
    play.ask("c1", APPLY, rule=rules.get(how, v.Rule()), policy="defaults")
    if how in ("reviewer", "escalated"):
        play.verdict("c1.apply_changes.1", how == "reviewer")
    if how in ("user", "escalated"):
        play.answer("c1", note="well")
    found, waits = ReplayedState(), dict[str, v.Recorded]()
    for event in play.records:
        if isinstance(event, ev.InquiryRequest):
            told = v.EscalationCause("acme/small", "no") if "escalation" in event.metadata else None
            waits[event.id] = v.Recorded(event.id, "apply_changes", str(event.metadata["digest"]), told)
            found.asked("apply_changes", event.metadata)
        else:
            found.closed(waits[event.id], event)
    work = play.state.calls["c1"]
    assert found.answers == work.answers and found.unasked == work.unasked
    assert bool(found.unasked) is (how != "user")


def test_a_secret_is_not_answered() -> None:
    """R237: it is asked again."""
    found = read("a")
    found.asked(PASS.id, NO)
    found.closed(recorded(PASS.id), ev.InquiryRedacted(id="c.pass.1"))
    assert list(found.answers) == ["a"]


@pytest.mark.parametrize("names", [None, True, "b", {"b": 1}, [1, None], ["nowhere"], [[]]])
def test_a_damaged_record_gives_no_answer_that_was_not_given(names: Json) -> None:
    """R209: nor does it raise."""
    found = read("a", "b")
    found.closed(recorded("z"), left(discards=names, restores=names, restarts="yes"))
    assert list(found.answers) == ["a", "b"] and found.in_order() == ()
