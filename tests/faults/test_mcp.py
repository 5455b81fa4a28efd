"""MCP servers that break, and kills around them (mcp.md P5, P43, P50, P51). 18 scenarios and a kill of each kind in a
run; 2,070 and 50 with TESTS_WHOLE=1."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from tests.faults import mcp, mcp_kills
from tests.sampling import sampled, whole


@pytest.mark.parametrize("seed", range(mcp.SEEDS if whole() else 1))
async def test_whatever_breaks_each_call_ends_once_and_with_its_own_result(seed: int, tmp_path: Path) -> None:
    """P50, P51."""
    cases = mcp.scenarios()
    assert len(cases) >= 2_000
    wanted = [case for case in cases if case.seed == seed] if whole() else sampled(cases, 115)
    assert await mcp.run(wanted, tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("victim", mcp_kills.VICTIMS)
@pytest.mark.parametrize("seed", range(50 if whole() else 1))
def test_whatever_is_killed_nothing_stays_and_nothing_is_lost(victim: str, seed: int, tmp_path: Path) -> None:
    """P5, P43: kill -9 at a random moment of a turn in which a server asks."""
    assert mcp_kills.killed(victim, seed, tmp_path) == []
