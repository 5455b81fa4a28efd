"""Answers by parts (inquiries.md R251, E26; acceptance 27): which are taken, recorded, remembered and told the tool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import parts
from jp_tui.inquiry import values as v
from jp_tui.inquiry.replay import ReplayedState
from jp_tui.questions.types import Part, Question, Taken
from jp_tui.questions.wire import digest
from tests.inquiry.play import APPLY, CHOICE, ESCALATES, MODEL, Play, begun, facts, of, only, pinned

HUNKS = tuple(Part(name, f"digest of {name}", f"a.py {name}", f"+{name}") for name in ("1", "2", "3"))
BY_HUNK = replace(APPLY, parts=HUNKS)


def asked(question: Question = BY_HUNK) -> Play:
    play = Play(begun("c1"))
    play.ask("c1", question)
    return play


def taken(*accepted: str, **comments: str) -> Taken:
    return Taken(accepted, {name.removeprefix("at"): words for name, words in comments.items()})


TAKEN = [
    (True, taken("1", "2", "3"), {"accepted": ["1", "2", "3"], "comments": {}}),
    (True, taken("2"), {"accepted": ["2"], "comments": {}}),
    (True, taken("3", "1", at2="not this"), {"accepted": ["1", "3"], "comments": {"2": "not this"}}),
    (True, taken("1", at3=" b ", at1="a", at2=" \n"), {"accepted": ["1"], "comments": {"1": "a", "3": "b"}}),
    (False, taken(), {"accepted": [], "comments": {}}),
    (False, taken(at1="no \x1b[31m"), {"accepted": [], "comments": {"1": "no \x1b[31m"}}),
]


@pytest.mark.parametrize(("value", "given", "written"), TAKEN)
def test_what_is_recorded_and_told(value: bool, given: Taken, written: JsonObject) -> None:
    """R251: in the order of the question, beside the value, on the wire and to the tool; whatever was typed is kept."""
    play = asked()
    steps = play.answer("c1", value, taken=given)
    (event,) = facts(steps)
    assert isinstance(event, ev.InquiryAnswered) and event.answer is value
    assert event.wire()["parts"] == written and read_event(event.wire()) == event
    told = only(s.RunAgain, steps).answers["apply_changes"].taken
    assert told is not None and parts.encode_parts(told) == written and parts.decode_parts(written) == told


MISNAMED = [
    (True, taken("1", "4"), "an unknown part"),
    (True, taken("1", at4="x"), "an unknown part"),
    (True, taken("1", "2", "1"), "a part twice"),
    (False, taken("1"), "a yes when at least one part is accepted"),
    (True, taken(), "a yes when at least one part is accepted"),
    (True, taken("1", at1="\ud800"), "can't be written as JSON"),
    (1, taken("1"), ""),
]


@pytest.mark.parametrize(("value", "given", "why"), MISNAMED)
def test_what_is_refused(value: Json, given: Taken, why: str) -> None:
    """R251: known parts, each once, and a value that says the same."""
    play = asked()
    refusal = only(s.Refuse, play.answer("c1", value, taken=given))
    assert why in refusal.reason and not refusal.gone


def test_only_what_has_parts_is_answered_by_parts() -> None:
    """R251: not a question without any, nor one of another type."""
    for question, value in ((APPLY, True), (replace(CHOICE, parts=HUNKS), "a")):
        refusal = only(s.Refuse, asked(question).answer("c1", value, taken=taken("1")))
        assert refusal.reason == "this is answered as a whole, not by its parts"


@pytest.mark.parametrize(
    ("value", "given", "kept"),
    [
        (True, None, True),
        (False, None, True),
        (True, taken("3", "2", "1"), True),
        (True, taken("1", "2", "3", at1="well done"), True),
        (False, taken(at1="no"), True),
        (True, taken("1"), False),
        (True, taken("1", "2", at3="no"), False),
    ],
)
def test_a_partial_yes_is_never_remembered(value: bool, given: Taken | None, kept: bool) -> None:
    """R251, R113: it is taken, and nothing is kept; a whole yes or no with comments is one."""
    play = asked()
    play.answer("c1", value, taken=given, remember=True)
    held = play.state.ledger.answers.get("tool.apply_changes")
    assert (held is not None) is kept and play.pairs == [("c1.apply_changes.1", f"{str(value).lower()} user")]
    steps = play.ask("c2", BY_HUNK)
    assert bool(of(s.AskHuman, steps)) is not kept
    if kept:
        assert only(s.RunAgain, steps).answers["apply_changes"].taken is None


def test_whoever_else_answers_takes_the_whole() -> None:
    """R251: a setting, a reviewer, a default; and a person who names no parts."""
    play = Play(begun("c1", "c2", "c3"))
    steps = play.ask("c1", BY_HUNK, rule=pinned(True))
    play.ask("c2", BY_HUNK, rule=MODEL)
    steps += play.verdict("c2.apply_changes.1", True)
    play.ask("c3", BY_HUNK)
    steps += play.answer("c3")
    alone = Play(begun("c4", client=False))
    steps += alone.ask("c4", BY_HUNK, policy="defaults")
    told = [step.answers["apply_changes"].taken for step in of(s.RunAgain, steps)]
    assert told == [None] * 4 and not any("parts" in event.wire() for event in facts(steps))


def test_parts_over_a_reviewers_no() -> None:
    """R151, R251: an escalated question is answered by parts like any other."""
    play = Play(begun("c1"))
    play.ask("c1", BY_HUNK, rule=ESCALATES)
    play.verdict("c1.apply_changes.1", False)
    steps = play.answer("c1", True, taken=taken("2"))
    assert only(s.RunAgain, steps).answers["apply_changes"].taken == taken("2")
    assert play.pairs[-1] == ("c1.apply_changes.2", "true user escalated")


def test_they_are_read_back_from_the_record() -> None:
    """R237: a resumed call is told the same parts."""
    play = asked()
    play.answer("c1", True, taken=taken("3", at1="later"))
    request, response = play.records
    found = ReplayedState()
    found.asked("apply_changes", request.metadata)
    assert isinstance(response, ev.InquiryAnswered)
    found.closed(v.Recorded(request.id, "apply_changes", digest(BY_HUNK)), response)
    assert found.answers == play.state.calls["c1"].answers


@pytest.mark.parametrize(
    "found",
    [None, True, [], {}, {"accepted": "1"}, {"accepted": [1]}, {"accepted": ["1"], "comments": []},
     {"accepted": ["1"], "comments": {"1": 2}}],
)  # fmt: skip
def test_a_damaged_record_names_no_parts(found: Json) -> None:
    """R209: it is never read as less or more than was said."""
    assert parts.decode_parts(found) is None
    assert parts.decode_parts({"accepted": ["1"], "more": 1}) == Taken(("1",))
