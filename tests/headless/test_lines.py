"""Questions as numbered lines (surface S4, inquiries.md R146, R147, R192; E14)."""

from __future__ import annotations

import io

import pytest

from jp_tui.headless.lines import Lines, Said
from jp_tui.protocol.values import Answered, Cancelled, Control, EndTurn, PromptRequest, Replied
from jp_tui.questions.types import AnswerType, BooleanAnswer, Option, Question, SelectAnswer, TextAnswer

YES_NO = BooleanAnswer()
CHOICE = SelectAnswer((Option("red"), Option("[blue]\x1b[2J", "cold")))


def prompt(kind: AnswerType, *, default: object = None, human_only: bool = False, **more: object) -> PromptRequest:
    question = Question("q", "Which?", kind, default=default, has_default=default is not None)  # type: ignore[arg-type]
    controls: frozenset[Control] = frozenset({"remember", "reply", "cancel", "end_turn"})
    return PromptRequest(
        conversation="c",
        inquiry="i",
        call="k",
        tool="paint",
        turn=1,
        digest="d",
        source="tool",
        question=question,
        human_only=human_only,
        controls=controls,
        remember_covers="every q",
    )


def ask(asked: PromptRequest, *typed: str) -> tuple[Said | None, str]:
    out, lines = io.StringIO(), list(typed)
    said = Lines(out, lambda: lines.pop(0) if lines else None).ask(asked)
    assert not lines, "not everything was read"
    return said, out.getvalue()


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        (YES_NO, ["y"], Answered(value=True)),
        (YES_NO, ["No"], Answered(value=False)),
        (YES_NO, ["Y"], Answered(value=True, remember=True)),
        (YES_NO, ["perhaps", "n"], Answered(value=False)),
        (CHOICE, ["1"], Answered(value="red")),
        (CHOICE, ["3", "0", "red"], Answered(value="red")),
        (TextAnswer(), ["one\\", "two"], Answered(value="one\ntwo")),
        (TextAnswer(), ["", '""'], Answered(value="")),
        (YES_NO, [":s"], EndTurn()),
        (YES_NO, [":c"], Cancelled()),
        (YES_NO, [":r rather not"], Replied(text="rather not")),
        (YES_NO, [".", "y"], Answered(value=True)),
    ],
)
def test_what_is_typed(kind: AnswerType, typed: list[str], said: Said) -> None:
    assert ask(prompt(kind), *typed)[0] == said


def test_nothing_is_answered_by_accident() -> None:
    """E14, R192: Enter takes a default only where there is one, and never in a human-only boolean."""
    assert ask(prompt(YES_NO, default=True), "")[0] == Answered(value=True)
    assert ask(prompt(YES_NO), "", "n")[0] == Answered(value=False)
    assert ask(prompt(YES_NO, default=True, human_only=True), "", "n")[0] == Answered(value=False)
    assert ask(prompt(CHOICE, default="red"), "")[0] == Answered(value="red")
    assert ask(prompt(YES_NO))[0] is None, "a terminal that went away answers nothing"


def test_what_is_shown_does_nothing_to_the_terminal() -> None:
    _, shown = ask(prompt(CHOICE), "1")
    assert "\x1b" not in shown and "[blue]" in shown and "1  red" in shown and "paint asks" in shown


def test_a_terminal_that_is_gone_answers_nothing() -> None:
    """Its window was closed: reading and writing fail, which is no answer and no failure of ours (R248)."""

    def gone() -> str | None:
        raise OSError(5, "Input/output error")

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    assert Lines(io.StringIO(), gone).ask(prompt(YES_NO)) is None
    assert Lines(Closed(), lambda: "y").ask(prompt(YES_NO)) is None
    Lines(Closed(), lambda: "y").refused("not that")
