"""Which rules Y and N make: widening, narrowing, how long, and the sentence about it (rules.md AR18, AR19)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ChosenRule, PromptRequest, RuleCoverage, RuleLifetime, RuleOffer
from jp_tui.view.questions.rule_choice import RuleChoice, figures
from tests.fakes import scenes

ALL: tuple[RuleLifetime, ...] = ("turn", "conversation", "folder")


def offer(scope: str, label: str, width: int, lifetimes: tuple[RuleLifetime, ...] = ALL, **covered: int) -> RuleOffer:
    counts = RuleCoverage(**covered)
    return RuleOffer(scope=scope, label=Foreign(label), rules=(), lifetimes=lifetimes, covered=counts, width=width)


SCOPES = (
    offer("command", "`git log …`", 2, matched=14, refused=2, of=20),
    offer("exact command", "`git log -3`", 1, of=20),
    offer("program", "`git …`", 3, ("turn",), matched=20, of=20),
)


def prompt(*scopes: RuleOffer, **more: Any) -> PromptRequest:
    return scenes.prompt("boolean").model_copy(update={"scopes": scopes, **more})


def test_ar18_the_best_comes_first_and_the_others_are_narrower_or_wider() -> None:
    choice = RuleChoice.of(prompt(*SCOPES))
    assert choice is not None and choice.chosen == ChosenRule(scope="command", lifetime="turn")
    assert choice.sentence().raw == (
        "Y allows, N denies `git log …` this turn · would have covered 14 of your last 20, 2 of them you refused"
    )
    assert choice.moved(-1).scope.scope == choice.moved(-5).scope.scope == "exact command"
    assert choice.moved(1).scope.scope == choice.moved(5).scope.scope == "program"
    assert choice.moved(-1).sentence().raw.endswith("this turn · nothing like it was asked before")


def test_ar4_the_lifetime_goes_round_and_fits_the_scope() -> None:
    choice = RuleChoice.of(prompt(*SCOPES))
    assert choice is not None
    lasts = [choice.lifetime, choice.longer().lifetime, choice.longer().longer().lifetime]
    assert lasts == list(ALL) and choice.longer().longer().longer() == choice
    assert choice.longer().moved(1).lifetime == "turn"  # the wide scope has no other
    assert choice.longer().sentence().raw.startswith("Y allows, N denies `git log …` in this conversation · ")


@pytest.mark.parametrize(("key", "scope"), [("+", "program"), ("-", "exact command"), ("l", "command"), ("y", "")])
def test_ar18_keys_in_lines(key: str, scope: str) -> None:
    choice = RuleChoice.of(prompt(*SCOPES))
    assert choice is not None
    changed = choice.pressed(key)
    assert (changed.scope.scope if changed else "") == scope


def test_ar9_without_offers_there_is_nothing_to_choose() -> None:
    assert RuleChoice.of(prompt()) is None
    assert RuleChoice.of(prompt(*SCOPES, controls=frozenset({"reply"}))) is None


def test_ar19_figures() -> None:
    assert figures(RuleCoverage()) == figures(RuleCoverage(of=9)) == "nothing like it was asked before"
    assert figures(RuleCoverage(matched=7, of=9)) == "would have covered 7 of your last 9"
