"""What `!` means, and what a command said as part of a message (issue 8, 3)."""

from __future__ import annotations

import pytest

from jp_tui.view.composer.shell import TOLD, Ran, describe_end, line_of, output_message


@pytest.mark.parametrize(
    ("text", "line"), [("!ls -l", "ls -l"), ("! ls ", "ls"), ("!", ""), ("!!ls", None), ("ls", None), (" !ls", None)]
)
def test_what_is_a_command(text: str, line: str | None) -> None:
    assert line_of(text) == line


def test_output_ends_no_fence_and_colours_nothing() -> None:
    said = output_message(
        Ran(line="cat x", text="\x1b[31mred\x1b[0m\n```\n\x1b]0;title\x07end\n", ended="exit status 0")
    )
    assert said == "````\n$ cat x\nred\n```\nend\n[exit status 0]\n````"


def test_of_long_output_both_ends_are_told() -> None:
    said = output_message(Ran(line="yes", text="a" * TOLD + "b" * TOLD, ended="stopped"))
    assert len(said) < TOLD + 200 and f"{TOLD:,} characters omitted" in said and "ab" not in said


def test_how_it_ended() -> None:
    assert describe_end(status=0, signal=None, problem="", stopped=False) == ("exit status 0", True)
    assert describe_end(status=2, signal=None, problem="", stopped=False) == ("exit status 2", False)
    assert describe_end(status=None, signal=9, problem="", stopped=False) == ("killed by signal 9", False)
    assert describe_end(status=None, signal=15, problem="", stopped=True) == ("stopped", False)
