"""`python -m tests.faults --only agents`, a few kills: nothing is allowed without a yes on record, nothing is left."""

from __future__ import annotations

from tests.faults import agents


def test_an_agent_is_killed() -> None:
    assert agents.agent_killed(3) + agents.agent_killed(6) == []


def test_we_are_killed_and_an_editor_goes_away() -> None:
    assert agents.we_killed(0.9) + agents.editor_killed(0.2) == []
