"""Lines from a real terminal: nothing typed early or pasted answers, a secret is not echoed (E11, E27, R193)."""

from __future__ import annotations

import io
import os
import pty
import select
import termios
import threading
import time
from collections.abc import Iterator

import pytest

from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Response
from jp_tui.headless.input import Bell, Piped, Terminal
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.questions.types import BooleanAnswer, SchemaAnswer, SecretAnswer, TextAnswer
from tests.headless.asked import prompt
from tests.limits import LIMIT

YES_NO = BooleanAnswer()


class Keyboard:
    """A human at a pseudo-terminal, and the face that reads it."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.source = Terminal(self.slave, deaf=0.0)
        self.out = io.StringIO()
        self.lines = Lines(self.out, self.source)
        self.bell = Bell()

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def typed_early(self, text: str) -> None:
        """Typed, and with certainty in the terminal's buffer."""
        self.type(text)
        end = time.monotonic() + LIMIT
        while not select.select([self.slave], [], [], LIMIT)[0]:
            assert time.monotonic() < end

    def answer(self) -> Response | None:
        """What the next lines mean; None when the input ended."""
        while not self.source.over:
            assert self.bell.wait(self.source, LIMIT), f"nothing came after {self.out.getvalue()}"
            if (said := self.lines.take()) is not None:
                return said
        return None

    def heard(self) -> None:
        """One line was read and was no answer."""
        assert self.bell.wait(self.source, LIMIT)
        assert self.lines.take() is None

    def echoed(self) -> str:
        """What the terminal showed of its own accord."""
        found = b""
        while select.select([self.master], [], [], 0)[0]:
            found += os.read(self.master, 65536)
        return found.decode()

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def close(self) -> None:
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.bell.close()


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    made = Keyboard()
    yield made
    made.close()


def ask(keyboard: Keyboard, asked: PromptRequest, typed: str) -> Response | None:
    keyboard.lines.show(asked)
    keyboard.type(typed)
    return keyboard.answer()


def test_what_was_typed_before_a_question_answers_nothing(keyboard: Keyboard) -> None:
    """E11: also half a line, and what is left of the answer to the question before."""
    keyboard.typed_early("y\ny\n")
    assert ask(keyboard, prompt(YES_NO), "n\n") == Answered(value=False)
    assert "appeared: y⏎y\n> " in keyboard.out.getvalue(), "nothing that was typed is lost without a word"
    keyboard.typed_early("yes, but\nbut w")
    assert ask(keyboard, prompt(YES_NO), "n\n") == Answered(value=False)
    assert "appeared: yes, but⏎but w\n> " in keyboard.out.getvalue()
    assert keyboard.echoes and termios.tcgetattr(keyboard.slave)[3] & termios.ICANON
    keyboard.typed_early("hunter2\n")
    assert ask(keyboard, prompt(SecretAnswer()), "x\n") == Answered(value="x")
    assert "hunter2" not in keyboard.out.getvalue()


def test_z12_a_question_takes_no_key_for_half_a_second_and_until_a_pause(keyboard: Keyboard) -> None:
    """Keys come while it is shown, the last of them at the end of its first half second."""
    keyboard.lines.source = keyboard.source = Terminal(keyboard.slave)
    began = time.monotonic()

    def hurried() -> None:
        for _ in range(9):
            keyboard.type("y\n")
            time.sleep(0.05)

    typist = threading.Thread(target=hurried)
    typist.start()
    keyboard.lines.show(prompt(YES_NO))
    typist.join()
    assert time.monotonic() - began >= 0.5 and "appeared: y⏎y" in keyboard.out.getvalue()
    assert termios.tcgetattr(keyboard.slave)[3] & termios.ICANON
    keyboard.type("n\n")
    assert keyboard.answer() == Answered(value=False)


def test_a_paste_answers_nothing(keyboard: Keyboard) -> None:
    """E11: several lines at once; what was meant is typed again."""
    keyboard.lines.show(prompt(YES_NO))
    keyboard.type("y\ny\nand more\n")
    keyboard.heard()
    assert "a paste" in keyboard.out.getvalue()
    keyboard.type("n\n")
    assert keyboard.answer() == Answered(value=False)


def test_a_pasted_text_is_sent_only_when_that_is_said(keyboard: Keyboard) -> None:
    """Blank lines in it end nothing; an empty line of its own sends, `:x` forgets."""
    for last, said in (("\n", Answered(value="one\n\ntwo\nthree")), (":x\n", None)):
        keyboard.lines.show(prompt(TextAnswer()))
        keyboard.type("one\n\ntwo\n")
        keyboard.heard()
        assert "3 lines arrived at once" in keyboard.out.getvalue()
        keyboard.type("three\n")
        keyboard.heard()
        keyboard.type(last)
        if said is None:
            keyboard.heard()
            keyboard.type("typed\n")
            said = Answered(value="typed")
        assert keyboard.answer() == said


def test_pasted_json_is_one_value(keyboard: Keyboard) -> None:
    assert ask(keyboard, prompt(SchemaAnswer({})), '{\n\n "a": [1,\n 2]\n}\n') == Answered(value={"a": [1, 2]})


def test_a_secret_is_not_echoed_and_the_terminal_is_as_before(keyboard: Keyboard) -> None:
    """R193, E27: not while it is typed, not in what we write, not in what is kept of us."""
    asked = prompt(SecretAnswer())
    keyboard.lines.show(asked)
    assert not keyboard.echoes
    keyboard.type("hunter2\n")
    assert keyboard.answer() == Answered(value="hunter2")
    assert keyboard.echoes
    assert keyboard.echoed() == "\r\n", "only Enter is seen"
    assert "hunter2" not in keyboard.out.getvalue() and b"hunter2" not in bytes(keyboard.source._buffer._bytes)
    keyboard.lines.show(asked)
    keyboard.lines.leave("gone")
    assert keyboard.echoes, "also when somebody else answers, or a signal ends it"
    keyboard.lines.show(asked)
    keyboard.type(":r\n")
    keyboard.heard()
    assert keyboard.echoes, "words for the model are no secret"


def test_a_secret_is_asked_again_without_echo(keyboard: Keyboard) -> None:
    keyboard.lines.show(prompt(SecretAnswer()))
    keyboard.type("\n")
    keyboard.heard()
    assert not keyboard.echoes
    keyboard.type("x\n")
    assert keyboard.answer() == Answered(value="x") and keyboard.echoes


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (b"y\x1b[D\n", "arrow keys"),
        (b"\xff\xfe\n", "isn't valid UTF-8"),
        (b"a" * 4094 + b"\n" + b"", ""),
        (b"a" * 5000 + b"\n", "at most 4,095"),
    ],
)
def test_a_line_that_is_not_what_was_meant_is_not_taken(keyboard: Keyboard, typed: bytes, why: str) -> None:
    """A cut answer is none, and a key that does not edit is no part of one."""
    keyboard.lines.show(prompt(TextAnswer()))
    os.write(keyboard.master, typed)
    if why:
        keyboard.heard()
        assert why in keyboard.out.getvalue()
        keyboard.type("again\n")
    assert keyboard.answer() == Answered(value="again" if why else "a" * 4094)


def test_the_end_of_input_is_not_the_end_of_the_terminal(keyboard: Keyboard) -> None:
    """Ctrl+D: the next question can be answered; a closed window answers nothing more."""
    keyboard.lines.show(prompt(YES_NO))
    keyboard.type("\x04")
    assert keyboard.answer() is None and not keyboard.source.gone
    assert ask(keyboard, prompt(YES_NO), "y\n") == Answered(value=True)
    keyboard.lines.show(prompt(YES_NO))
    os.close(keyboard.master)
    keyboard.master = -1
    assert keyboard.answer() is None and keyboard.source.gone


def test_a_bell_wakes_a_wait_for_keys(keyboard: Keyboard) -> None:
    """What the engine says is heard while somebody thinks."""
    keyboard.bell.ring()
    keyboard.bell.ring()
    assert keyboard.bell.wait(keyboard.source, LIMIT) is False
    assert keyboard.bell.wait(keyboard.source, 0) is False
    keyboard.type("y\n")
    assert keyboard.bell.wait(keyboard.source, LIMIT) is True


def test_every_line_of_a_pipe_counts() -> None:
    """Nothing is thrown away, and the last line needs no end."""
    read, write = os.pipe()
    os.write(write, b'y\r\n{\n"a": 1}\nlast')
    os.close(write)
    source = Piped(read)
    lines, found = Lines(io.StringIO(), source), []
    for asked in (prompt(YES_NO), prompt(SchemaAnswer({})), prompt(TextAnswer())):
        lines.show(asked)
        said = lines.take()
        while said is None and not source.over:
            source.fill()
            said = lines.take()
        found.append(said)
    os.close(read)
    assert found == [Answered(value=True), Answered(value={"a": 1}), Answered(value="last")]
