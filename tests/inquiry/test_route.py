"""The routing table of inquiries.md 6.3, row by row (acceptance matrix 1 to 3)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from jp_tui.inquiry.route import human_only, route
from jp_tui.inquiry.values import Ledger, Policy, Rule
from jp_tui.questions.types import BooleanAnswer, Option, Question, SecretAnswer, SelectAnswer

YES_NO = Question("confirm", "Go on?", BooleanAnswer(), default=True, has_default=True)
EXCLUSIVE = replace(YES_NO, exclusive=True)
SECRET = Question("pass", "Passphrase?", SecretAnswer())
CHOICE = Question("env", "Where?", SelectAnswer((Option("a"), Option("b"))))
FLOOR = replace(YES_NO, floor=True)
NO_DEFAULT = replace(YES_NO, default=None, has_default=False)
REMEMBERED = Ledger(answers=MappingProxyType({"t.confirm": True, "t.env": "gone", "t.pass": "x"}))
NOTHING = Ledger()
MODEL = Rule(target="assistant")
ESCALATES = Rule(target="assistant_with_escalation")


def fixed(value: object) -> Rule:
    return Rule(has_answer=True, answer=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "who", "question", "rule", "ledger", "client", "policy"),
    [
        ("0a", "human", FLOOR, fixed(True), REMEMBERED, True, "unset"),
        ("0b", "nobody", FLOOR, fixed(True), REMEMBERED, False, "defaults"),
        ("0b", "nobody", FLOOR, MODEL, NOTHING, False, "defer"),
        ("1", "remembered", YES_NO, fixed(False), REMEMBERED, True, "unset"),
        ("1", "remembered", EXCLUSIVE, MODEL, REMEMBERED, False, "deny"),
        ("2", "static", YES_NO, fixed(False), NOTHING, True, "unset"),
        ("2", "static", EXCLUSIVE, fixed(True), NOTHING, False, "deny"),
        ("2", "static", SECRET, fixed("s"), REMEMBERED, False, "deny"),
        ("2", "static", CHOICE, fixed("b"), REMEMBERED, True, "unset"),
        ("3", "nobody", YES_NO, fixed(1), NOTHING, True, "unset"),
        ("3", "nobody", CHOICE, fixed("c"), NOTHING, True, "unset"),
        ("4", "nobody", EXCLUSIVE, MODEL, NOTHING, True, "unset"),
        ("4", "nobody", EXCLUSIVE, ESCALATES, NOTHING, False, "auto"),
        ("4", "nobody", SECRET, MODEL, NOTHING, True, "unset"),
        ("5", "reviewer", YES_NO, MODEL, NOTHING, True, "unset"),
        ("5", "reviewer", YES_NO, MODEL, NOTHING, False, "deny"),
        ("6", "reviewer", YES_NO, ESCALATES, NOTHING, False, "deny"),
        ("7", "human", EXCLUSIVE, Rule(), NOTHING, True, "deny"),
        ("7", "human", SECRET, Rule(), REMEMBERED, True, "unset"),
        ("8", "nobody", EXCLUSIVE, Rule(), NOTHING, False, "auto"),
        ("8", "nobody", EXCLUSIVE, Rule(), NOTHING, False, "deny"),
        ("8", "nobody", EXCLUSIVE, Rule(), NOTHING, False, "unset"),
        ("9", "default", EXCLUSIVE, Rule(), NOTHING, False, "defaults"),
        ("9", "nobody", replace(NO_DEFAULT, exclusive=True), Rule(), NOTHING, False, "defaults"),
        ("10", "nobody", SECRET, Rule(), NOTHING, False, "defer"),
        ("10", "nobody", SECRET, Rule(), NOTHING, False, "defaults"),
        ("11", "reviewer", YES_NO, Rule(), NOTHING, False, "unset"),
        ("11", "reviewer", YES_NO, Rule(), NOTHING, False, "auto"),
        ("12", "default", YES_NO, Rule(), NOTHING, False, "defaults"),
        ("12", "nobody", NO_DEFAULT, Rule(), NOTHING, False, "defaults"),
        ("13", "nobody", YES_NO, Rule(), NOTHING, False, "deny"),
        ("14", "nobody", YES_NO, Rule(), NOTHING, False, "defer"),
        ("14", "nobody", EXCLUSIVE, Rule(), NOTHING, False, "defer"),
        # R111: a configured `exclusive = false` turns row 4 into 5 and rows 8 and 9 into 11 to 13.
        ("5", "reviewer", EXCLUSIVE, Rule(target="assistant", exclusive=False), NOTHING, True, "unset"),
        ("11", "reviewer", EXCLUSIVE, Rule(exclusive=False), NOTHING, False, "unset"),
        ("13", "nobody", EXCLUSIVE, Rule(exclusive=False), NOTHING, False, "deny"),
        ("10", "nobody", SECRET, Rule(exclusive=False), NOTHING, False, "unset"),
    ],
)
def test_rows_of_the_table(
    row: str, who: str, question: Question, rule: Rule, ledger: Ledger, client: bool, policy: Policy
) -> None:
    """R103 to R112, R247: the first matching row, with a reason in words."""
    found = route("t", question, rule, ledger, client=client, policy=policy)
    assert (found.row, found.who) == (row, who)
    assert found.why


def test_a_remembered_value_that_no_longer_fits_is_not_used() -> None:
    """R104: the cache is checked against the question that is asked now."""
    assert route("t", CHOICE, Rule(), REMEMBERED, client=True, policy="unset").row == "7"


def test_persistence_none_reads_no_cache() -> None:
    """R6."""
    question = replace(YES_NO, persistence="none")
    assert route("t", question, Rule(), REMEMBERED, client=True, policy="unset").row == "7"


def test_only_the_escalating_target_escalates() -> None:
    """R148."""
    assert route("t", YES_NO, ESCALATES, NOTHING, client=True, policy="unset").escalates
    assert not route("t", YES_NO, MODEL, NOTHING, client=True, policy="unset").escalates


def test_a_secret_cannot_be_softened() -> None:
    """R35."""
    assert human_only(SECRET, Rule(exclusive=False))
    assert not human_only(EXCLUSIVE, Rule(exclusive=False))
    assert human_only(YES_NO, Rule(exclusive=True))
