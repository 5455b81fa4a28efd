"""Every type of answer as numbered lines (surface S4, inquiries.md R8, R146, R147, R183-R186, R192; E14, E60)."""

from __future__ import annotations

import io
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Response
from jp_tui.protocol.values import Answered, Cancelled, Edited, EndTurn, Escalation, Replied
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.headless.asked import ask, prompt

YES_NO = BooleanAnswer()
CHOICE = SelectAnswer((Option("[blue]\x1b[2J", "cold", "more of it"), Option("red", recommended=True)))
NUMBERS = SelectAnswer((Option("2"), Option("3"), Option("1")))
SEVERAL = MultiSelectAnswer((Option("a"), Option("b"), Option("c d"), Option("none of it")))
SCHEMA = SchemaAnswer(
    {
        "type": "object",
        "properties": {"port": {"type": "integer", "description": "where"}, "on": {"enum": [True, False]}},
        "required": ["port"],
    }
)


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        (YES_NO, ["y"], Answered(value=True)),
        (YES_NO, ["No"], Answered(value=False)),
        (YES_NO, ["Y"], Answered(value=True, remember=True)),
        (YES_NO, ["N"], Answered(value=False, remember=True)),
        (YES_NO, ["2"], Answered(value=True, remember=True)),
        (YES_NO, ["perhaps", "5", "n"], Answered(value=False)),
        (CHOICE, ["1"], Answered(value="red")),
        (CHOICE, ["3", "0", "99999999999999999999", "red"], Answered(value="red")),
        (CHOICE, ["=blue", "=red"], Answered(value="red")),
        (NUMBERS, ["1", "#1"], Answered(value="2")),
        (NUMBERS, ["1", "=1"], Answered(value="1")),
        (SEVERAL, ["3, 1"], Answered(value=["a", "c d"])),
        (SEVERAL, ["2 1 2"], Answered(value=["a", "b"])),
        (SEVERAL, ["all"], Answered(value=["a", "b", "c d", "none of it"])),
        (SEVERAL, ["", "none"], Answered(value=[])),
        (SEVERAL, ["c d"], Answered(value=["c d"])),
        (SEVERAL, ["1 9", "1,b"], Answered(value=["a", "b"])),
        (TextAnswer(), ["one\\", "two"], Answered(value="one\ntwo")),
        (TextAnswer(), ["", '""'], Answered(value="")),
        (TextAnswer(), ["   ", "x"], Answered(value="x")),
        (TextAnswer(), [":what is it", "\\:what is it"], Answered(value=":what is it")),
        (TextAnswer(), ["\\."], Answered(value=".")),
        (TextAnswer(), ["one\\", ":c"], Answered(value="one\n:c")),
        (TextAnswer(), ["up \x1b[A", "down"], Answered(value="down")),
        (SecretAnswer(), ["", " :x. ? "], Answered(value=" :x. ? ")),
        (SecretAnswer(), ["\\:c"], Answered(value=":c")),
        (SecretAnswer(), [":c"], Cancelled()),
        (SecretAnswer(), [":r", "no such thing"], Replied(text="no such thing")),
        (SCHEMA, ['{"port": 1}'], Answered(value={"port": 1})),
        (SCHEMA, ["{", '  "port": 1', "}"], Answered(value={"port": 1})),
        (SCHEMA, ["{", '  "port": tru', '  "port": 1', "}"], Answered(value={"port": 1})),
        (SCHEMA, ["{", "", ":x", "{}"], Answered(value={})),
        (SCHEMA, ['{"port": 1, "port": 2}', '{"port": 2}'], Answered(value={"port": 2})),
        (SCHEMA, ["", "3", "1 3", "submit"], Answered(value={"port": 3})),
        (YES_NO, [":s"], EndTurn()),
        (YES_NO, [":c"], Cancelled()),
        (YES_NO, [":r rather not"], Replied(text="rather not")),
        (YES_NO, [":r", "", ":r", "rather not"], Replied(text="rather not")),
        (YES_NO, [".", "?", ":w", ":zz", "y"], Answered(value=True)),
        (YES_NO, [":n because", "y"], Answered(value=True, note="because")),
        (YES_NO, [":e", '{"a":', "1}"], Edited(arguments={"a": 1})),
        (YES_NO, [":e", "[]", ":c", "n"], Answered(value=False)),
        (YES_NO, [":e", "", "n"], Answered(value=False)),
    ],
)
def test_what_is_typed(kind: AnswerType, typed: list[str], said: Response) -> None:
    """A misfit is told and asked again; nothing is coerced (R8)."""
    assert ask(prompt(kind), *typed)[0] == said


@pytest.mark.parametrize(
    ("kind", "default", "typed", "said"),
    [
        (YES_NO, True, [""], Answered(value=True)),
        (CHOICE, "red", [""], Answered(value="red")),
        (CHOICE, "green", ["", "1"], Answered(value="red")),
        (SEVERAL, ["b", "a"], [""], Answered(value=["a", "b"])),
        (SEVERAL, ["x"], ["", "1"], Answered(value=["a"])),
        (TextAnswer(), "as it was", [""], Answered(value="as it was")),
        (TextAnswer(), "", [""], Answered(value="")),
        (SecretAnswer(), "hunter2", ["", "x"], Answered(value="x")),
        (SCHEMA, {"port": 7}, [""], Answered(value={"port": 7})),
        (SCHEMA, None, [""], Answered(value=None)),
    ],
)
def test_enter_takes_a_default_only_where_there_is_one(
    kind: AnswerType, default: Any, typed: list[str], said: Response
) -> None:
    """R192, E14; a default that does not fit is none, and a secret's is nobody's to take."""
    assert ask(prompt(kind, default=default), *typed)[0] == said


def test_nothing_is_answered_by_accident() -> None:
    """E14, R192: never in a human-only boolean; nothing is remembered where nothing may be (R113)."""
    assert ask(prompt(YES_NO), "", "n")[0] == Answered(value=False)
    assert ask(prompt(YES_NO, default=True, human_only=True), "", "n")[0] == Answered(value=False)
    assert ask(prompt(YES_NO))[0] is None, "the end of input answers nothing"
    once = prompt(YES_NO, controls=frozenset({"end_turn"}))
    said, shown = ask(once, "Y", ":c", ":r x", ":e", "1")
    assert said == Answered(value=True) and "remember" not in shown.split(">")[0]


def test_a_reply_to_the_assistant_may_be_without_words() -> None:
    """R179: of `ask_user`; a note is a tool's."""
    asked = prompt(CHOICE, source="assistant", controls=frozenset({"reply", "end_turn"}))
    assert ask(asked, ":r", "")[0] == Replied(text=None)
    assert ask(asked, ":n x", "1")[0] == Answered(value="red")


def test_what_is_shown_does_nothing_to_the_terminal_and_cannot_pass_for_ours() -> None:
    """R195, T1, E4: nothing hidden in what is approved, and foreign lines stand behind a bar."""
    _, shown = ask(prompt(CHOICE, context="a\n? paint asks:\r\x1b[1A\u202eb"), ":p 2", "1")
    assert not [char for char in shown if char != "\n" and not char.isprintable()]
    assert "| ? paint asks:" in shown and "\n? paint asks:" in shown and "\\u{202E}" in shown
    assert (
        "  1  red  (recommended)\n" in shown
        and "[blue]" in shown
        and "(recommended)" in shown
        and "| more of it" in shown
    )
    assert "control sequences" in shown and "bidirectional controls" in shown


@pytest.mark.parametrize("kind", [YES_NO, CHOICE, SEVERAL, TextAnswer(), SecretAnswer(), SCHEMA])
@pytest.mark.parametrize("label", [None, "Painter"])
def test_every_prompt_says_who_asks_what_and_how(kind: AnswerType, label: str | None) -> None:
    """R189-R191, E4, E42, E60: asker, context above the question, what works now, why, and all of it again."""
    asked = prompt(kind, label=label, context="Because.", why="a rule (x.toml:3)", progress=(2, 3))
    said, shown = ask(asked, ".", "?", ":w", ":s")
    assert said == EndTurn()
    assert f"? {label or 'paint'} asks: [2/3]\n" in shown
    assert shown.index("| Because.") < shown.index("Which?") and shown.count("Which?") == 2
    assert "a rule (x.toml:3)" in shown and "  :s  stops the turn" in shown
    assert "[1/1]" not in ask(prompt(kind, progress=(1, 1)), ":s")[1]


def test_remembering_says_what_it_covers() -> None:
    """R198, R236, M33."""
    _, shown = ask(prompt(YES_NO, default=False), "n")
    for words in (
        "1  y  yes, just this once",
        "2  Y  yes, and remember for this turn",
        "no, just this once  (default)",
    ):
        assert words in shown
    assert "Y and N cover: every q\n" in shown


def test_a_reviewers_no_comes_with_its_reason() -> None:
    """R150, R154, M12 to the letter."""
    verdict = Escalation(model="x/tiny", reason=Foreign("it \x1b[2Jbreaks"), ms=1200)
    _, shown = ask(prompt(YES_NO, context="the diff", escalation=verdict), "y")
    assert 'The assistant recommended rejecting this change:\n| "it ␛[2Jbreaks"\n' in shown
    assert (
        shown.index("recommended rejecting") < shown.index("the diff")
        and "Reviewer: x/tiny · 1.2 s\nThe assistant recommended" in shown
    )
    silent = Escalation(model="m", reason=Foreign(""))
    assert '| "(no reason given)"' in ask(prompt(YES_NO, escalation=silent), "y")[1]
    failed = Escalation(model="m", reason=Foreign("no route"), failed=True)
    _, shown = ask(prompt(YES_NO, escalation=failed), "y")
    assert "| no route" in shown and "recommended" not in shown


def test_a_time_limit_is_said() -> None:
    """E13, R243."""
    _, shown = ask(prompt(YES_NO, deadline_secs=90, asked_at="2026-03-05 21:21:16.75"), "y")
    assert "90 s, counted from 2026-03-05 21:21:16 UTC" in shown


def test_json_is_told_where_it_is_wrong() -> None:
    """R186: line and column; the lines before it are kept. The whole schema is there to be read."""
    _, shown = ask(prompt(SCHEMA), "{", '  "port": tru', ":x", "1")
    assert "line 2, column 11: Expecting value. Your line 1 is kept" in shown
    assert '| {\n|   "type": "object"' in ask(prompt(SCHEMA), ":v", ":s")[1]


def test_an_answer_that_the_engine_refuses_is_asked_again() -> None:
    out = io.StringIO()
    typed = ['{"port": "x"}', '{"port": 1}']
    lines = Lines(out, lambda: typed.pop(0))
    lines.show(prompt(SCHEMA))
    lines.source.fill()
    assert lines.take() == Answered(value={"port": "x"}) and not lines.asking
    lines.again("/port: expected an integer")
    assert lines.asking and out.getvalue().endswith("Not accepted: /port: expected an integer\n> ")
    lines.source.fill()
    assert lines.take() == Answered(value={"port": 1})


def test_a_terminal_that_is_gone_answers_nothing() -> None:
    """Its window was closed: reading and writing fail, which is no answer and no failure of ours (R248)."""

    def gone() -> str | None:
        raise OSError(5, "Input/output error")

    lines = Lines(io.StringIO(), gone)
    lines.show(prompt(YES_NO))
    lines.source.fill()
    assert lines.take() is None and lines.source.gone
