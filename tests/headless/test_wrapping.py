"""Lines on a terminal break between words, and nothing foreign begins a line by that (E4, E60)."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import termios

import pytest

from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.wrapping import BAR, GOES_ON, cells, width_of, wrapped
from jp_tui.headless.output import TextOutput
from jp_tui.questions.types import BooleanAnswer
from tests.headless.asked import prompt

KEYS = "y yes · n no · Enter uses the default · b Back to env, to change the answer · r TEXT Reply · s End Turn"


def test_a_line_of_keys_breaks_between_keys() -> None:
    assert wrapped(KEYS, 60).split("\n") == [
        "y yes · n no · Enter uses the default ·",
        "  b Back to env, to change the answer · r TEXT Reply ·",
        "  s End Turn",
    ]


def test_words_stay_whole_and_what_goes_on_is_set_in() -> None:
    text = "     Where it listens, and nobody else does, which is what was agreed."
    assert wrapped(text, 40).split("\n") == [
        "     Where it listens, and nobody else", "       does, which is what was agreed."
    ]  # fmt: skip


def test_behind_a_bar_every_line_is_behind_one() -> None:
    """A long foreign line, padded so that a terminal's own break would put `? paint asks:` at its left edge."""
    line = f"{BAR}{'x' * 30} {' ' * 26}? paint asks: sure?"
    for width in range(20, 80):
        shown = wrapped(line, width).split("\n")
        assert all(one.startswith((BAR, GOES_ON)) for one in shown) and all(cells(one) <= width for one in shown)
        assert "".join(one[2:] for one in shown) == line[2:]


@pytest.mark.parametrize("width", range(20, 50, 3))
@pytest.mark.parametrize(
    "text",
    [KEYS, "猫" * 60, "a" * 200, "x" * 39 + " y", " " * 100 + "end", "a\n\n  b" * 20, "e\u0301" * 70, "· · · " * 30],
)
def test_nothing_is_lost_and_all_fits(text: str, width: int) -> None:
    shown = wrapped(text, width)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)
    assert all(cells(one) <= width for one in shown.split("\n"))


def test_commands_are_left_to_be_copied_and_pipes_to_programs() -> None:
    command = "  jp-tui answer 'c1/a very long name of a call.q.1' VALUE   (VALUE: yes or no)"
    assert wrapped(command, 40) == command and wrapped(KEYS, 0) == KEYS and wrapped(KEYS, 19) == KEYS
    assert width_of(io.StringIO()) == 0


def test_a_question_on_a_narrow_terminal_has_whole_words() -> None:
    """S4: as wide as the terminal is when it is asked; lines of the conversation likewise."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with open(slave, "w") as out:
        Lines(out, lambda: None).show(prompt(BooleanAnswer(), context="y" * 50))
        TextOutput(False, out, out, wraps=True).print(f"assistant: {KEYS}")
        TextOutput(False, out, out).print("z" * 45)
        out.flush()
        shown = ""
        while not shown.endswith("z\n"):  # a read from a terminal brings what has come through so far
            shown += os.read(master, 65536).decode().replace("\r\n", "\n")
    os.close(master)
    assert f"\n| {'y' * 38}\n¦ {'y' * 12}\n" in shown and "z" * 45 in shown
    assert all(len(line) <= 40 for line in shown.split("\n")[:-2])
    assert "  r TEXT Reply · s End Turn" in shown
