"""The routing function of inquiries.md 6.3: rows that differ by one thing, and the words of why (E42).

What each row records and says to the model is in test_rows.py.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import MappingProxyType

import pytest

from jp_tui.inquiry.route import human_only, route
from jp_tui.inquiry.values import Ledger, Policy, RememberedAnswer, Rule, Target
from jp_tui.questions.types import Question
from tests.inquiry.play import APPLY, BARE, CHOICE, ESCALATES, EXCLUSIVE, FLOOR, HUSH, MODEL, PASS, pinned

SINCE = "2026-03-05 21:21:16.7"
REMEMBERED = Ledger(
    answers=MappingProxyType(
        {
            "t.apply_changes": RememberedAnswer("t", "apply_changes", True, "Apply?", SINCE, 2),
            "t.env": RememberedAnswer("t", "env", "gone"),
            "t.pass": RememberedAnswer("t", "pass", "x"),
        }
    )
)
NOTHING = Ledger()
NO_RULE = Rule()
POLICIES: tuple[Policy, ...] = ("unset", "auto", "defaults", "deny", "defer")


def of(
    question: Question,
    rule: Rule = NO_RULE,
    *,
    ledger: Ledger = NOTHING,
    client: bool = True,
    policy: Policy = "unset",
) -> tuple[str, str]:
    found = route("t", question, rule, ledger, client=client, policy=policy)
    return found.row, found.why


def test_exclusive_is_what_the_settings_say() -> None:
    """R35, R111, acceptance 2: on rows 4 and 8, in either direction; a secret cannot be softened."""
    free, bound = Rule(exclusive=False), Rule(exclusive=True)
    assert of(EXCLUSIVE, MODEL)[0] == "4" and of(EXCLUSIVE, replace(MODEL, exclusive=False))[0] == "5"
    assert of(EXCLUSIVE, replace(ESCALATES, exclusive=False))[0] == "6"
    assert of(APPLY, replace(MODEL, exclusive=True))[0] == "4"
    alone = {policy: of(EXCLUSIVE, client=False, policy=policy)[0] for policy in POLICIES}
    assert alone == {"unset": "8", "auto": "8", "defaults": "9", "deny": "8", "defer": "14"}
    alone = {policy: of(EXCLUSIVE, free, client=False, policy=policy)[0] for policy in POLICIES}
    assert alone == {"unset": "11", "auto": "11", "defaults": "12", "deny": "13", "defer": "14"}
    assert of(APPLY, bound, client=False)[0] == "8"
    assert of(PASS, free, client=False)[0] == "10" and of(PASS, replace(MODEL, exclusive=False))[0] == "4"
    assert human_only(PASS, free) and not human_only(EXCLUSIVE, free)


def test_the_cache_is_checked_against_the_question_of_now() -> None:
    """R104, R6, R12: a value that no longer fits, persistence none, a secret."""
    assert of(CHOICE, ledger=REMEMBERED)[0] == "7"
    assert of(replace(APPLY, persistence="none"), ledger=REMEMBERED)[0] == "7"
    assert of(PASS, ledger=REMEMBERED)[0] == "7"
    assert of(APPLY, ledger=REMEMBERED)[0] == "1"


def test_the_target_does_not_depend_on_who_is_there() -> None:
    """R110; only the escalating one escalates, which is row 6 (R148)."""
    for client, policy in itertools.product((True, False), POLICIES):
        assert of(APPLY, MODEL, client=client, policy=policy)[0] == "5"
        assert of(APPLY, ESCALATES, client=client, policy=policy)[0] == "6"


TARGETS: tuple[Target, ...] = ("user", "assistant", "assistant_with_escalation")


@pytest.mark.parametrize("question", [APPLY, BARE, EXCLUSIVE, CHOICE, PASS, FLOOR], ids=lambda question: question.id)
def test_every_combination_has_a_row_and_says_why(question: Question) -> None:
    """The table is complete, a person's question never ends at a model, and `why` never tells a pinned value."""
    rules = [
        Rule(target, has_answer, answer, exclusive=exclusive, place="f:1")
        for target in TARGETS
        for has_answer, answer in ((False, None), (True, HUSH), (True, True))
        for exclusive in (None, True, False)
    ]
    rows: set[str] = set()
    for rule, ledger, client, policy in itertools.product(rules, (NOTHING, REMEMBERED), (True, False), POLICIES):
        found = route("t", question, rule, ledger, client=client, policy=policy)
        rows.add(found.row)
        assert found.why and found.why.strip() == found.why and HUSH not in found.why and "\n" not in found.why
        assert (found.refusal != "") is (found.who == "nobody")
        if found.who == "reviewer":
            assert not human_only(question, rule) and not question.floor
        if found.who == "human":
            assert client
        if question.floor:
            assert found.row == ("0a" if client else "0b")
    assert len(rows) > 1


def test_why_the_human_is_asked() -> None:
    """E42."""
    assert of(APPLY)[1] == "No remembered answer, setting or reviewer covers this question."
    assert of(EXCLUSIVE)[1] == ("Only you can answer this: the tool allows only the user to answer it.")
    assert of(APPLY, Rule(exclusive=True))[1].endswith("your settings allow only the user to answer it.")
    assert of(PASS)[1].endswith("it is a secret.")
    assert of(FLOOR, pinned(True))[1] == ("This call always needs your approval.")


def test_why_the_human_was_not_asked() -> None:
    """E42: who, which setting with file and line, remembered since when and which answer, default, policy."""
    assert of(APPLY, ledger=REMEMBERED)[1] == (
        "You answered `yes` at 2026-03-05 21:21:16.7 UTC and chose to remember it until the turn ends, and it answered "
        "2 before."
    )
    assert of(APPLY, pinned(True))[1] == (
        "The setting conversation.tools.t.questions.apply_changes.answer (/u/config.toml:7) answers it."
    )
    assert "questions.answer.answer (/u/config.toml:7) isn't a valid answer" in of(APPLY, pinned(1, slot="answer"))[1]
    assert of(APPLY, MODEL)[1] == (
        "The setting conversation.tools.t.questions.apply_changes.target (/u/config.toml:3) sends it to a reviewer."
    )
    assert of(APPLY, ESCALATES)[1].endswith("sends it to a reviewer; you decide if it rejects.")
    assert of(EXCLUSIVE, MODEL)[1] == (
        "The setting conversation.tools.t.questions.apply_changes.target (/u/config.toml:3) sends it to a model, "
        "but the tool allows only the user to answer it."
    )
    alone = {policy: of(APPLY, client=False, policy=policy)[1] for policy in POLICIES}
    assert alone == {
        "unset": ("No user was available and no policy is set for questions without a user, so a reviewer decides."),
        "auto": "No user was available and the policy is `auto`, so a reviewer decides.",
        "defaults": "No user was available, and the policy `defaults` uses the question's default.",
        "deny": "No user was available, and the policy is `deny`.",
        "defer": "No user was available, and the policy `defer` keeps it open.",
    }
    assert of(replace(BARE, exclusive=True), client=False, policy="defaults")[1] == (
        "No user was available, the tool allows only the user to answer it, the policy is "
        "`defaults`, and it has no valid default."
    )
    assert "no valid default" in of(BARE, client=False, policy="defaults")[1]


def test_why_names_the_line_of_a_policy() -> None:
    """E42: in every row that a policy decides, with its file and line."""
    for question, policy in itertools.product((APPLY, BARE, EXCLUSIVE), POLICIES[1:]):
        found = route("t", question, NO_RULE, NOTHING, client=False, policy=policy, policy_place="/u/config.toml:9")
        assert f"the policy `{policy}` (/u/config.toml:9)" in found.why.replace("is ", ""), found
