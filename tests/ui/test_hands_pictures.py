"""Pictures of what hands find: keys searched, a message marked, the palette with keys (issue 8, "Done when").

After a change that is meant: `pytest tests/ui/test_hands_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tests.fakes import scenes
from tests.sampling import sampled
from tests.ui.test_app_pictures import SIZES, host, steps

Compare = Callable[..., bool]
KEYS = {
    "keys-searched": "f1 slash t r a n s c r i p t",
    "keys-in-the-conversation": "tab f1",
    "message-marked": "tab { {",
}


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


SHOTS = list(itertools.product(KEYS, SIZES, ("jp-night", "jp-day", "jp-colourblind")))


@pytest.mark.parametrize(
    ("scene", "size", "theme"),
    sampled(SHOTS, 4),  # each scene, size and theme is among them
    ids=lambda value: value if isinstance(value, str) else f"{value[0]}x{value[1]}",
)
def test_hands(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host("tools", theme)
    assert snap_compare(app, terminal_size=size, run_before=steps(app, scenes.tools(), KEYS[scene]))
