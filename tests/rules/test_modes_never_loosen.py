"""Modes over a policy never loosen, and let nothing run but what they are for (rules.md AR7, AR9, AR30)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given, settings

from jp_tui.rules.decide import RuleLayers, decide
from jp_tui.rules.offers import offers
from jp_tui.rules.values import MODES, CallFacts, Mode, Nowhere, Situation
from tests.rules import loosening as lo


def with_mode(layers: RuleLayers, mode: Mode, most: Mode = "unattended") -> RuleLayers:
    return replace(layers, user=replace(layers.user, mode=mode), max_mode=most)


MAKE = CallFacts("run", "{1}", "/w", line="make", commands=True)


@settings(max_examples=300, deadline=None)
@given(lo.LAYERS, lo.CALLS, lo.SITUATIONS)
@example(RuleLayers(), MAKE, Situation("/w", walls=True))
@example(RuleLayers(), MAKE, Situation("/w", walls=True, network=True))
@example(RuleLayers(), replace(MAKE, line="cd / && make"), Situation("/w", walls=True))
def test_ar30_a_mode_lets_nothing_run_but_what_it_is_for(
    layers: RuleLayers, call: CallFacts, situation: Situation
) -> None:
    before = lo.strictness(call, with_mode(layers, "ask"), situation)
    for mode in MODES:
        decision = decide(call, with_mode(layers, mode), situation, lo.DANGERS, Nowhere())
        if lo.STRICT[decision.choice] >= before:
            continue
        walled = call.commands and situation.walls and not situation.network and mode == "unattended"
        assert decision.choice == "run" and not situation.refused and not decision.once
        assert (call.edits and mode != "ask") or walled


@settings(max_examples=300, deadline=None)
@given(lo.LAYERS, lo.CALLS, lo.SITUATIONS, lo.STRICTER)
def test_ar7_no_mode_loosens_what_a_policy_says(
    layers: RuleLayers, call: CallFacts, situation: Situation, more: object
) -> None:
    policy = lo.with_policy(layers, more)  # type: ignore[arg-type]
    floor = lo.strictness(call, lo.only_policy(policy), situation)
    for mode in MODES:
        for most in MODES:
            found = lo.strictness(call, with_mode(policy, mode, most), situation)
            lowest: Mode = min(mode, most, key=MODES.index)
            assert found >= floor
            assert found == lo.strictness(call, with_mode(policy, lowest), situation)


@settings(max_examples=150, deadline=None)
@given(lo.LAYERS, lo.CALLS, lo.SITUATIONS)
def test_ar18_what_is_offered_lets_this_call_run_and_nothing_that_asks_always_is_offered(
    layers: RuleLayers, call: CallFacts, situation: Situation
) -> None:
    decision = decide(call, layers, situation, lo.DANGERS, Nowhere())
    found = offers(call, decision, layers, situation, lo.DANGERS, Nowhere())
    if decision.choice != "ask" or decision.once or situation.refused:
        assert not found
    for one in found:
        user = replace(layers.user, rules=type(layers.user.rules)((*layers.user.rules.rules, *one.rules)))
        assert decide(call, replace(layers, user=user), situation, lo.DANGERS, Nowhere()).choice == "run"
