"""Questions for other people at the machine: routing, votes, withdrawing, handing over (store.md D14-D16)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryAssigned, InquiryCancelled, InquiryRequest, InquiryVote
from jp_tui.conversation.reading import read_event
from jp_tui.inquiry import approvals
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.people import NOT_ASKED, OWN, OWNER, Addressed, Answerer, People, Person, Vote, WantedPeople
from jp_tui.inquiry.replay import recorded, voted
from jp_tui.questions.types import BooleanAnswer, Part, Question, Taken
from tests.inquiry.play import APPLY, ASK, ESCALATES, MODEL, Play, of, only, pinned

OPS = frozenset({"ops"})
TEAM = People(
    MappingProxyType(
        {
            one.name: one
            for one in (
                Person("owner"), Person("lead"), Person("second", OPS), Person("third", OPS), Person("fourth"),
            )
        }
    ),
    "owner",
)  # fmt: skip
LEAD = WantedPeople("lead", "conversation.tools.tool.to (c.toml:2)")
TWO = WantedPeople("role:ops", "to", 2, "conversation.tools.tool.approvals (c.toml:3)")
YES = Question("apply_changes", "Apply?", BooleanAnswer(), persistence="turn")


def by(name: str, people: People = TEAM) -> Answerer:
    return Answerer(name, people, "there", 7)


def asked(wanted: WantedPeople, question: Question = YES, *, client: bool = True, **more: object) -> Play:
    play = Play(client=client)
    rule = replace(more.pop("rule", v.Rule()), people=wanted)  # type: ignore[type-var]
    play.ask("c1", question, rule=rule, people=TEAM, asker="owner", **more)
    return play


def request(play: Play) -> InquiryRequest:
    (found,) = [one for one in play.records if isinstance(one, InquiryRequest)]
    return found


def votes(play: Play) -> list[InquiryVote]:
    return [one for one in play.records if isinstance(one, InquiryVote)]


def answered(play: Play) -> InquiryAnswered | None:
    return next((one for one in play.records if isinstance(one, InquiryAnswered)), None)


# --- who is asked (D14)


def test_the_record_says_who_is_asked_and_why() -> None:
    play = asked(LEAD)
    assert request(play).metadata["to"] == "lead" and request(play).metadata["asked_by"] == "owner"
    assert "approvals" not in request(play).metadata
    assert play.why["c1.apply_changes.1"].endswith("conversation.tools.tool.to (c.toml:2) asks lead.")


def test_a_question_without_these_settings_is_recorded_as_before() -> None:
    play = Play()
    play.ask("c1", YES)
    assert not {"to", "approvals", "asked_by"} & set(request(play).metadata)


def test_routing_comes_first() -> None:
    """D14: it says which human, after routing."""
    assert answered(asked(LEAD, rule=pinned(True))) is not None
    assert of(s.AskReviewer, asked(LEAD, rule=MODEL).steps)
    play = asked(LEAD, client=False, policy="defer")
    assert request(play).metadata["to"] == "lead" and play.unanswered
    assert str(request(play).metadata["why"]).endswith("asks lead.")


def test_the_owner_withdraws_but_does_not_answer() -> None:
    play = asked(LEAD)
    assert only(s.Refuse, play.answer("c1")) == s.Refuse("c1.apply_changes.1", NOT_ASKED, False, not_yours=True)
    opened = play.open["c1"]
    assert only(s.Refuse, play(v.HumanAnswered(opened.inquiry, opened.digest, False, by=by("owner")))).not_yours
    play(v.HumanCancelled(opened.inquiry, opened.digest))
    assert isinstance(play.records[-1], InquiryCancelled)


def test_the_addressee_answers_and_the_record_says_who() -> None:
    play = asked(LEAD)
    play.answer("c1", True, by=by("lead"), via="process")
    found = answered(play)
    assert found is not None and found.responder is not None
    assert (found.responder.who, found.responder.machine, found.responder.offer) == ("lead", "there", 7)


def test_a_stranger_answers_nothing_not_even_an_unaddressed_question() -> None:
    """D14: the default is the conversation's owner."""
    play = Play()
    play.ask("c1", YES)
    assert only(s.Refuse, play.answer("c1", by=by("fourth"))).reason == NOT_ASKED
    assert only(s.Refuse, play.answer("c1", by=by("nobody"))).not_yours
    play.answer("c1", by=by("owner"))
    assert answered(play) is not None


def test_a_decline_from_elsewhere_needs_standing_too() -> None:
    play = asked(LEAD, replace(YES, serves=True))
    opened = play.open["c1"]
    assert only(s.Refuse, play(v.HumanCancelled(opened.inquiry, opened.digest, True, by("fourth")))).not_yours
    play(v.HumanCancelled(opened.inquiry, opened.digest, True, by("lead")))
    assert isinstance(closed := play.records[-1], InquiryCancelled) and closed.responder is not None
    assert closed.responder.who == "lead"


# --- approvals (D15)


def test_two_yes_settle_it_and_the_record_names_both() -> None:
    play = asked(TWO)
    assert request(play).metadata["approvals"] == 2
    changed = only(s.PeopleChanged, play.answer("c1", by=by("third"), note="fine"))
    assert [one.who for one in changed.open.votes] == ["third"] and answered(play) is None
    (vote,) = votes(play)
    assert vote.wire() == {
        "timestamp": "",
        "type": "inquiry_vote",
        "id": "c1.apply_changes.1",
        "vote": True,
        "reason": "fine",
        "responder": {"kind": "user", "who": "third", "machine": "there", "offer": 7},
        "metadata": {"digest": play.open["c1"].digest},
    }
    assert read_event(vote.wire()) == vote
    play.answer("c1", by=by("second"))
    found = answered(play)
    assert found is not None and found.extra == {"approved_by": ["third", "second"]}
    assert read_event(found.wire()) == found


def test_the_first_no_settles_it() -> None:
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    play.answer("c1", False, by=by("second"))
    found = answered(play)
    assert found is not None and found.answer is False and found.extra == {}


def test_who_voted_yes_may_still_say_no() -> None:
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    play.answer("c1", False, by=by("third"))
    assert (found := answered(play)) is not None and found.answer is False


def test_a_second_yes_of_one_person_changes_nothing() -> None:
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    before = len(play.records)
    assert only(s.PeopleChanged, play.answer("c1", by=by("third"))).open.votes == (Vote("third"),)
    assert len(play.records) == before


@pytest.mark.parametrize("who", ["owner", "lead"])
def test_neither_owner_nor_a_stranger_counts(who: str) -> None:
    play = asked(TWO)
    refused = only(s.Refuse, play.answer("c1", by=by(who)))
    assert refused.not_yours and refused.reason == (OWN if who == "owner" else NOT_ASKED)


def test_in_a_store_of_one_person_it_stays_open() -> None:
    play = Play()
    play.ask("c1", YES, rule=v.Rule(people=TWO))
    assert only(s.Refuse, play.answer("c1")).reason == OWN
    assert "only you use this store" in play.why["c1.apply_changes.1"]
    assert "nobody could give one" in play.why["c1.apply_changes.1"]


def test_a_vote_counts_only_for_the_digest_that_was_shown() -> None:
    play = asked(TWO)
    opened = play.open["c1"]
    assert only(s.Refuse, play(v.HumanAnswered(opened.inquiry, "other", True, by=by("third")))).reason.startswith(
        "the question has changed"
    )


def test_a_part_of_a_change_is_not_approved_by_several() -> None:
    hunks = replace(YES, parts=(Part("a", "d", "1", "-a"), Part("b", "d", "2", "-b")))
    play = asked(TWO, hunks)
    assert only(s.Refuse, play.answer("c1", by=by("third"), taken=Taken(("a",)))).reason == approvals.WHOLE
    play.answer("c1", by=by("third"), taken=Taken(("a", "b")))
    assert len(votes(play)) == 1


@pytest.mark.parametrize("rule", [pinned(True), MODEL, ESCALATES])
def test_nothing_but_people_counts(rule: v.Rule) -> None:
    """No setting, no reviewer, no rule, no remembered answer, no default."""
    play = asked(TWO, APPLY, rule=rule)
    assert play.open["c1"].asked.needed == 2  # type: ignore[union-attr]
    ruled = v.Ruled("A rule allows it.", ("r1",))
    assert answered(asked(TWO, APPLY, ruled=ruled)) is None
    for policy in ("unset", "auto", "defaults", "deny"):
        play = asked(TWO, APPLY, client=False, policy=policy)
        assert play.pairs == [("c1.apply_changes.1", "no_prompt_backend")], policy
    assert asked(TWO, APPLY, client=False, policy="defer").unanswered


def test_a_remembered_yes_neither_answers_nor_is_made() -> None:
    play = Play()
    play.ask("c0", YES)
    play.answer("c0", remember=True)
    play.ask("c1", YES, rule=v.Rule(people=TWO), people=TEAM, asker="owner")
    assert "c1" in play.open
    play.answer("c1", by=by("second"), remember=True)
    play.answer("c1", by=by("third"), remember=True)
    assert len(play.state.ledger.answers) == 1


def test_rules_and_answers_given_meanwhile_do_not_count_either() -> None:
    """R252."""
    play = asked(TWO)
    play.ask("c2", YES)
    play.answer("c2", remember=True)
    assert answered(play) is not None and answered(play).id == "c2.apply_changes.1"  # type: ignore[union-attr]
    assert play(v.RuleDecided("c1.apply_changes.1", True, ("r1",))) == []
    play(v.RuleDecided("c1.apply_changes.1", False, ("r1",)))
    assert play.pairs[-1] == ("c1.apply_changes.1", "false remembered")


def test_a_rules_no_still_holds() -> None:
    play = asked(TWO, ruled=v.Ruled("no", ("r1",), value=False, reason="never"))
    assert play.pairs == [("c1.apply_changes.1", "false remembered")]


def test_approvals_of_another_question_are_a_mistake_of_its_settings() -> None:
    """D15: of the question itself; what it inherits is for yes-or-no questions only."""
    own = WantedPeople("", "", 2, "conversation.tools.tool.questions.answer.approvals (c.toml:9)", own=True)
    play = asked(own, ASK)
    assert play.pairs == [("c1.answer.1", "invalid_approvals")]
    done = only(s.Complete, play.steps)
    assert done.is_error and "c.toml:9" in done.content
    assert asked(TWO, ASK).open["c1"].asked == Addressed("role:ops", 1, "owner")  # type: ignore[union-attr]


# --- handing over (D16)


def test_a_hand_over_is_recorded_and_changes_who_answers() -> None:
    play = asked(LEAD)
    opened = play.open["c1"]
    changed = only(s.PeopleChanged, play(v.HumanAssigned(opened.inquiry, opened.digest, "role:ops", by("lead"))))
    assert changed.open.asked == Addressed("role:ops", 1, "owner", first="lead")
    assert changed.why == "lead handed it over to role:ops (second, third)."
    (event,) = [one for one in play.records if isinstance(one, InquiryAssigned)]
    assert (event.sender, event.to) == ("lead", "role:ops") and read_event(event.wire()) == event
    assert only(s.Refuse, play.answer("c1", by=by("lead"))).reason == NOT_ASKED
    play.answer("c1", by=by("third"))
    assert answered(play) is not None


@pytest.mark.parametrize(
    ("wanted", "who", "to", "reason"),
    [
        (LEAD, "fourth", "second", NOT_ASKED),
        (LEAD, "lead", "cook", "cook is nobody who answers questions of this store"),
        (LEAD, "lead", "role:cooks", "role:cooks is nobody who answers questions of this store"),
        (LEAD, "lead", "", "an empty name is nobody who answers questions of this store"),
        (TWO, "third", "owner", "it needs 2 approvals, and owner asks it"),
    ],
)
def test_a_hand_over_that_may_not_be(wanted: WantedPeople, who: str, to: str, reason: str) -> None:
    play = asked(wanted)
    opened = play.open["c1"]
    assert only(s.Refuse, play(v.HumanAssigned(opened.inquiry, opened.digest, to, by(who)))).reason == reason


def test_the_owner_hands_over_and_takes_back() -> None:
    play = asked(LEAD)
    opened = play.open["c1"]
    play(v.HumanAssigned(opened.inquiry, opened.digest, "second", by("owner")))
    play(v.HumanAssigned(opened.inquiry, opened.digest, "owner", by("owner")))
    play.answer("c1")
    assert answered(play) is not None


# --- a turn that is resumed (R237)


def again(play: Play, wanted: WantedPeople, question: Question = YES) -> Play:
    """The same question once more, in a process that knows only the log."""
    found = recorded(request(play))
    for event in play.records:
        if isinstance(event, InquiryVote | InquiryAssigned):
            found = voted(found, event)
    resumed = Play()
    resumed.requests.update([found.inquiry])
    resumed(v.CallResumed("c1", "tool", {}, {question.id: 1}, (found,)))
    resumed.ask("c1", question, rule=v.Rule(people=wanted), people=TEAM, asker="owner")
    return resumed


def test_votes_and_hand_overs_survive_the_end_of_a_process() -> None:
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    resumed = again(play, TWO)
    assert resumed.open["c1"].votes == (Vote("third"),)  # type: ignore[union-attr]
    resumed.answer("c1", by=by("third"))
    assert answered(resumed) is None
    resumed.answer("c1", by=by("second"))
    assert (found := answered(resumed)) is not None and found.extra == {"approved_by": ["third", "second"]}

    play = asked(LEAD)
    opened = play.open["c1"]
    play(v.HumanAssigned(opened.inquiry, opened.digest, "second", by("lead")))
    resumed = again(play, LEAD)
    assert resumed.open["c1"].asked == Addressed("second", 1, "owner", first="lead")  # type: ignore[union-attr]
    assert not resumed.records, "it is asked under its own id"


@pytest.mark.parametrize("wanted", [LEAD, replace(TWO, approvals=3), WantedPeople()])
def test_other_settings_ask_it_anew(wanted: WantedPeople) -> None:
    """Approvals count only for what was asked of these people."""
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    resumed = again(play, wanted)
    assert resumed.open["c1"].votes == () and resumed.open["c1"].inquiry == "c1.apply_changes.2"  # type: ignore[union-attr]


def test_what_the_log_says_of_votes_is_read_with_care() -> None:
    play = asked(TWO)
    play.answer("c1", by=by("third"))
    first, (vote,) = request(play), votes(play)
    other = replace(vote, metadata={"digest": "other"})
    nobody = replace(vote, responder=None)
    no = replace(vote, vote=False)
    assert approvals.restored(first, [vote, vote, other, nobody, no])[1] == (Vote("third"),)
    assert approvals.restored(first, [other, nobody, no])[1] == ()
    elsewhere = replace(vote, id="c9.q.1")
    assert approvals.restored(first, [elsewhere])[1] == ()
    broken = replace(first, metadata={**first.metadata, "approvals": "2"})
    assert approvals.restored(broken, [])[0].needed == approvals.MOST, "no number is enough by mistake"
    assert approvals.decode_addressed({}) == OWNER
