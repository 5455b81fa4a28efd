"""`python -m tests.faults --only fuzz`, a few inputs of each parser: none raises, none takes long."""

from __future__ import annotations

import pytest

from tests.faults import fuzz
from tests.faults.fuzz_targets import TARGETS, Target

SEED = 11


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_input_of_chance_raises(target: Target) -> None:
    assert fuzz.by_hypothesis(target, 30, SEED)[1] == [], f"seed {SEED}"


def test_no_input_costs_much() -> None:
    """T15-T18, T21b: bounded, whatever its nesting, its numbers, its keys."""
    failed = [
        f"{target.name}, {what}: {wrong}"
        for what, target, data in fuzz.nasty(15_000)
        if (wrong := fuzz.judged(target, data))
    ]
    assert failed == []


def test_the_judge_finds_what_raises_and_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "CPU_SECS", 0.1)

    def for_ever(data: bytes) -> None:
        while True:
            pass

    def raises(data: bytes) -> None:
        if b"[" in data:
            raise IndexError("out of range")

    with pytest.raises(fuzz.TooLong), fuzz.watched(0.05):
        for_ever(b"")
    _, failed = fuzz.by_hypothesis(Target("odd", raises, (b"[", b"]")), 200, SEED)
    assert failed == ["odd, b'[': IndexError: out of range"], "and makes it small"
