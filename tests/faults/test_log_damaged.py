"""`python -m tests.faults --only log`, few changes of the store, each through a few commands (T17, STORE-006)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import log_damage, log_damaged
from tests.faults.log_runs import Ran, warm

SEED = 4


def test_a_damaged_or_foreign_store_is_told_or_right_again() -> None:
    found = log_damaged.tried(whole=False, seed=SEED)
    assert [wrong for one in found for wrong in one.failed] == [], f"seed {SEED}"
    assert [one.runs for one in found] == [log_damaged.BOUNDED * len(log_damaged.QUICK)] * 2


def test_a_sound_store_passes(tmp_path: Path) -> None:
    """The control: nothing was done to it, and everything is there."""
    log_damage.made(tmp_path)
    (tmp_path / "reply.toml").write_text(f'fallback = "{log_damaged.REPLY}"\n{log_damaged.SCRIPT}')
    with warm() as runs:
        for command, ran, wrong in log_damaged.judged(runs, tmp_path, log_damaged.QUICK, alone=True):
            assert (ran.code, wrong) == (0, []), command


@pytest.mark.parametrize(
    ("ran", "wrong"),
    [
        (Ran(None, "", "", 20.0), "did not end"),
        (Ran(70, "", "ouch", 0.1), "ended with 70"),
        (Ran(1, "", "Traceback (most recent call last)", 0.1), "traceback"),
        (Ran(0, "About good1\x1b[2J About good2", "", 0.1), "control character"),
        (Ran(2, "", "\n", 0.1), "said nothing"),
        (Ran(0, "About good1", "", 0.1), "lost About good2"),
    ],
)
def test_the_judge_does_not_pass_everything(ran: Ran, wrong: str) -> None:
    assert any(wrong in one for one in [*log_damaged._manners(ran), *log_damaged._rest("list", ran)])
