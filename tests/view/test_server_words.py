"""A server's words about its failure: the beginning in sight, how much more there is, and where all of it is (Z26)."""

from __future__ import annotations

import pytest

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign, shortened
from jp_tui.view.export.events import plain
from jp_tui.view.wording.server_errors import server_error_lines


@pytest.mark.parametrize(
    ("detail", "conversation", "said"),
    [
        ("", "c1", []),
        (" \n", "c1", []),
        ("no", "c1", ["The server said: no"]),
        ("no\n\nand why", "c1", ["The server said: no", "", "  and why"]),
        ("x" * 1600, "c1",
         ["The server said: " + "x" * 600, "  ⟨1,000 more characters: jp-tui conversations show c1 has all⟩"]),
        ("x" * 601, "", ["The server said: " + "x" * 600, "  ⟨1 more characters: the log has all⟩"]),
    ],
)  # fmt: skip
def test_in_lines(detail: str, conversation: str, said: list[str]) -> None:
    assert list(server_error_lines(Foreign(detail), conversation)) == said


def test_the_command_that_is_named_shows_all_of_it() -> None:
    error = {"kind": "server", "message": "It failed.", "advice": "Again.", "detail": "first\n" + "x" * 5000 + "end"}
    text = plain(stored.TurnOutcome(outcome="failed", model="m", usage={}, ms=1, error=error))
    assert text.startswith("Turn failed: It failed. Again.\n  The server said: first\n  xx") and text.endswith("xend")


def test_a_shortened_text_says_how_much_is_left_out_and_where_it_is() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd" * 1000, 3) == "abc… ⟨3,997 more characters⟩"
    assert shortened("abcd", 3, "not kept") == "abc… ⟨1 more characters, not kept⟩"
