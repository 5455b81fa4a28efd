"""`python -m tests.faults --only rules`, fewer lines: what is allowed starts nothing that no rule allows."""

from __future__ import annotations

from tests.faults import rule_kills, rules

SEED = 5


def test_ar11_a_line_that_is_allowed_starts_only_what_a_rule_allows() -> None:
    told = rules.run_lines(rules.LINES, SEED, rules.allows, read_too=True)
    assert told.failed == [] and told.ran > rules.LINES // 10, f"seed {SEED}"


def test_a_plain_line_is_not_asked_about() -> None:
    assert [line for line in rules.PLAIN if not rules.allows(line)] == []


def test_a_naive_reader_fails_the_same_test() -> None:
    assert rules.run_lines(rules.LINES, SEED, rules.naive, read_too=False, enough=1).failed


def test_ar7_nothing_that_is_added_loosens() -> None:
    assert rules.loosened(30, SEED) == []


def test_ar22_killed_between_answer_rule_and_run_no_decision_and_no_fact_is_missing() -> None:
    """A sample; `python -m tests.faults --only rules --whole` kills 200 times."""
    told = rule_kills.results(SEED, 0, 20)
    assert [one for one in told if one["found"]] == []
    assert sum(one["killed"] for one in told) > 10
