"""What was typed and that it was put off are one text, and come back as they were (E24, E51)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.view.questions.snooze import Snooze, packed, unpacked

OFFS = st.none() | st.builds(Snooze, st.none() | st.floats(0, 4e9), st.text(max_size=8))


@given(st.text(max_size=20) | st.just('{"typed": "x", "off": null}'), OFFS)
def test_both_come_back(text: str, off: Snooze | None) -> None:
    assert unpacked(packed(text, off)) == (text, off)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"typed": 1, "off": {}}', '{"typed": "", "off": {"until": true, "digest": ""}}', "{" * 9000],
)
def test_anything_else_is_what_was_typed(text: str) -> None:
    assert unpacked(text) == (text, None)
