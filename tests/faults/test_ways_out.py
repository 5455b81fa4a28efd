"""Eleven endings in mid-turn: terminal as before, status right, no process left, log whole (issue 9; T6, T7, T8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.endings import ENDINGS, ended
from tests.sampling import partly

pytestmark = pytest.mark.pty


@partly(3)
@pytest.mark.parametrize("name", ENDINGS)
def test_an_ending(name: str, tmp_path: Path) -> None:
    ended(ENDINGS[name], tmp_path)
