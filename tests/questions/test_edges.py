"""What the mutation sampler found untested about questions (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

from jp_tui.questions.outside import outside


def test_v19_of_many_texts_that_cannot_be_written_two_hundred_are_named() -> None:
    """The model reads them all; more would tell it nothing."""
    found = outside({"texts": ["\ud800"] * 500})
    assert len(found.problems) == 200
    assert len(outside({"texts": ["\ud800"] * 199}).problems) == 199
