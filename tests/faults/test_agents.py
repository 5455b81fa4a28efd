"""`python -m tests.faults --only agents`, a few kills: nothing is allowed without a yes on record, nothing is left.

All of them, 200 by chance of each sort, with TESTS_WHOLE=1.
"""

from __future__ import annotations

import random

import pytest

from tests.faults import agents
from tests.sampling import partly, whole

CHANCE = random.Random(1)
SHARES = [CHANCE.random() for _ in range(200)]
"""Moments, as parts of a turn."""


def seconds(share: float) -> float:
    return share * (agents.turn_seconds() if whole() else 1.5)


@partly(110)
@pytest.mark.parametrize("at", [*range(3, agents.MESSAGES), *range(3), *SHARES])
def test_an_agent_is_killed(at: float | int) -> None:
    assert agents.agent_killed(at if isinstance(at, int) else seconds(at)) == []


@partly(200)
@pytest.mark.parametrize("at", SHARES[::-1])
def test_we_are_killed(at: float) -> None:
    assert agents.we_killed(seconds(at)) == []


@partly(110)
@pytest.mark.parametrize("at", [*range(9, agents.EDITED), *range(9), *SHARES])
def test_an_editor_goes_away(at: float | int) -> None:
    assert agents.editor_killed(at if isinstance(at, int) else seconds(at) / 4) == []
