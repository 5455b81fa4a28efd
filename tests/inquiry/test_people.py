"""Who is asked and who may answer, as values (store.md D14, D15, D17)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from jp_tui.inquiry.people import (
    NOBODY,
    NOT_ASKED,
    OWN,
    OWNER,
    Addressed,
    People,
    Person,
    Vote,
    WantedPeople,
    addressed,
    counts,
    in_words,
    standing,
    targets,
    too_few,
)

OPS = frozenset({"ops"})


def people(*found: Person, owner: str = "owner") -> People:
    return People(MappingProxyType({one.name: one for one in (Person(owner), *found)}), owner)


TEAM = people(Person("lead"), Person("second", OPS), Person("third", OPS), Person("fourth"))
PLACE = "conversation.tools.deploy.to (config.toml:3)"


def who_may(asked: Addressed, people: People) -> tuple[str, ...]:
    """Everyone who may answer now, deputies too."""
    return tuple(one for one in sorted(people.persons) if standing(asked, people, one).may)


def test_without_a_setting_nothing_is_asked_of_the_store() -> None:
    assert addressed(WantedPeople(), None) == (OWNER, "")
    assert addressed(WantedPeople(), TEAM) == (OWNER, "")


@pytest.mark.parametrize(
    ("to", "found", "why"),
    [
        ("lead", "lead", f"{PLACE} asks lead."),
        ("role:ops", "role:ops", f"{PLACE} asks role:ops (second, third)."),
        ("owner", "", f"{PLACE} asks owner."),
        ("nobody", "", f"{PLACE} names nobody, and nobody isn't in this store, so its owner owner decides."),
        (
            "role:cooks",
            "",
            f"{PLACE} names role:cooks, and nobody in this store is a member of cooks, so its owner owner decides.",
        ),
    ],
)
def test_an_addressee_is_a_person_or_a_group_and_an_unknown_one_is_the_owner(to: str, found: str, why: str) -> None:
    """D14: unknown role: the owner, and why."""
    assert addressed(WantedPeople(to, PLACE), TEAM) == (Addressed(found), why)


@pytest.mark.parametrize("to", ["nobody", "role:cooks", "owner"])
def test_of_an_unknown_group_no_others_approve(to: str) -> None:
    """D15: too few who could, and it stays open."""
    asked, why = addressed(WantedPeople(to, PLACE, 2, "approvals"), TEAM)
    assert asked == Addressed(to, 2) and who_may(asked, TEAM) == ()
    assert why.endswith("It needs 2 approvals, and nobody could give one. It stays open.")
    assert "decides" not in why


def test_in_a_store_of_one_person_that_person_decides() -> None:
    asked, why = addressed(WantedPeople("lead", PLACE), None)
    assert asked == OWNER
    assert why == f"{PLACE} names lead, and only you use this store, so you decide."


def test_the_default_is_the_owner_who_alone_may_answer() -> None:
    assert who_may(OWNER, TEAM) == ("owner",)
    assert standing(OWNER, TEAM, "lead").why == NOT_ASKED


def test_an_addressed_question_is_the_addressees_and_not_the_owners() -> None:
    """D14: the owner sees it, and doesn't answer it, unless the group has the owner too."""
    assert who_may(Addressed("lead"), TEAM) == ("lead",)
    assert who_may(Addressed("role:ops"), TEAM) == ("second", "third")
    assert standing(Addressed("lead"), TEAM, "owner").why == NOT_ASKED
    both = people(Person("second", OPS))
    both = replace(both, persons={**both.persons, "owner": Person("owner", OPS)})
    assert who_may(Addressed("role:ops"), both) == ("owner", "second")


def test_who_is_no_person_of_the_store_any_more_may_not_answer() -> None:
    """A role that was revoked while its sheet is open, a worker, an auditor."""
    assert standing(Addressed("lead"), people(), "lead").why == NOBODY


def test_of_several_neither_owner_nor_asker_counts() -> None:
    """D15: without an addressee everyone else may approve."""
    asked = Addressed("", 2, "fourth")
    assert who_may(asked, TEAM) == ("lead", "second", "third")
    assert standing(asked, TEAM, "owner").why == standing(asked, TEAM, "fourth").why == OWN
    both = replace(TEAM, persons={**TEAM.persons, "owner": Person("owner", OPS)})
    assert who_may(Addressed("role:ops", 2), both) == ("second", "third")


def test_a_deputy_answers_while_a_person_is_away_and_there_are_no_chains() -> None:
    """D17."""
    away = people(Person("lead", away="2026-12-01", deputy="second"), Person("second", away="later", deputy="third"))
    away = replace(away, persons={**away.persons, "third": Person("third")})
    assert who_may(Addressed("lead"), away) == ("lead", "second")
    assert standing(Addressed("lead"), away, "second").stands_for == "lead"
    assert standing(Addressed("lead"), away, "third").why == NOT_ASKED
    back = replace(away, persons={**away.persons, "lead": Person("lead", deputy="second")})
    assert who_may(Addressed("lead"), back) == ("lead",)
    assert in_words("lead", away) == "lead (away until 2026-12-01; second answers too)"


def test_the_owners_deputy_answers_the_owners_questions_but_never_approves_for_the_owner() -> None:
    """D15, D17."""
    away = people(Person("second"), owner="owner")
    away = replace(away, persons={**away.persons, "owner": Person("owner", away="later", deputy="second")})
    assert standing(OWNER, away, "second") == standing(Addressed(""), away, "second")
    assert standing(OWNER, away, "second").stands_for == "owner"
    assert "owner" not in targets(Addressed("", 2), away)
    assert standing(Addressed("", 2), away, "second").stands_for == ""


def test_nobody_counts_twice_neither_as_a_deputy_nor_by_one() -> None:
    """D15."""
    assert counts(Vote("second"), [])
    assert not counts(Vote("second"), [Vote("second")])
    assert not counts(Vote("second", "lead"), [Vote("second")]), "one person in two names"
    assert not counts(Vote("lead"), [Vote("second", "lead")]), "one name by two persons"
    assert counts(Vote("third"), [Vote("second", "lead")])


def test_a_deputy_votes_for_the_one_whose_vote_is_missing() -> None:
    ops = people(Person("lead", OPS, away="later", deputy="second"), Person("boss", OPS, away="later", deputy="second"))
    ops = replace(ops, persons={**ops.persons, "second": Person("second")})
    asked = Addressed("role:ops", 2)
    assert standing(asked, ops, "second").stands_for == "boss"
    assert standing(asked, ops, "second", [Vote("boss")]).stands_for == "lead"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Addressed("", 3), ""),
        (Addressed("", 5), "It needs 5 approvals, and only 4 people could give one. It stays open."),
        (Addressed("lead", 2), "It needs 2 approvals, and only 1 person could give one. It stays open."),
        (Addressed("role:ops", 2), ""),
        (Addressed("lead"), ""),
    ],
)
def test_too_few_is_said_at_once(asked: Addressed, said: str) -> None:
    """D15; a deputy makes no second person of one."""
    assert too_few(asked, TEAM) == said
    assert too_few(Addressed("", 2), people()) == "It needs 2 approvals, and nobody could give one. It stays open."
