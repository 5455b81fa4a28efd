"""A JSON answer as a numbered form in lines (issue 5, 10; R11, R164, R186; asking.md E14, E60)."""

from __future__ import annotations

import io
from typing import Any

import pytest

from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Response
from jp_tui.headless.question_loop import QuestionLoop
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn
from jp_tui.questions.types import SchemaAnswer
from tests.fakes.link import FakeLink
from tests.headless.asked import ask, prompt
from tests.headless.test_plain import Human

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["host", "port"],
    "properties": {
        "host": {"type": "string", "title": "Host name", "format": "hostname", "minLength": 3, "maxLength": 20,
                 "description": "Where it \x1b[2Jlistens."},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 80},
        "mode": {"enum": ["fast", "slow"]},
        "loud": {"type": "boolean"},
        "tags": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b", "c"]}},
        "names": {"type": "array", "maxItems": 3, "items": {"type": "string", "minLength": 1}},
        "tls": {"type": "object", "properties": {"cert": {"type": "string"}, "days": {"type": "number"}}},
        "users": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        "more": {"oneOf": [{"type": "integer"}, {"type": "object"}]},
    },
}  # fmt: skip
FORM = SchemaAnswer(SCHEMA)
BEGUN = {"port": 80}


def told(*typed: str, **more: Any) -> str:
    return ask(prompt(FORM, **more), *typed, ":s")[1]


def test_every_field_says_what_it_may_hold_and_what_it_holds() -> None:
    """Type, bounds, default, format, choices, description: nothing hidden in foreign words (R195)."""
    rows = told().split("Which?\n")[1].split("NUMBER selects")[0].splitlines()
    assert rows == [
        "  1  Host name [host] (text, host name, 3 to 20 characters, required): not set",
        "     Where it ␛[2Jlistens.",
        "  2  port (whole number, 1 to 65,535, required, default 80): 80",
        "  3  mode (one of fast, slow): not set",
        "  4  loud (yes or no): not set",
        "  5  tags (any of a, b, c): not set",
        "  6  names (list, at most 3 entries, each text, at least 1 character): not set",
        "  7  tls (object of 2 fields): not set",
        "  8  users (list, each object of 1 field): not set",
        "  9  more (JSON: one of several shapes): not set",
    ]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (["1 example.org"], {"host": "example.org", **BEGUN}),
        (["1", "example.org"], {"host": "example.org", **BEGUN}),
        (["1", '""'], {"host": "", **BEGUN}),
        (["1", "one\\", "two"], {"host": "one\ntwo", **BEGUN}),
        (["1", ""], BEGUN),
        (["1", ".", ":x"], BEGUN),
        (["2 8080"], {"port": 8080}),
        (["2 x", "2 1.5", "2", "many", "7"], {"port": 7}),
        (["3 2"], {**BEGUN, "mode": "slow"}),
        (["3", "9", "fast"], {**BEGUN, "mode": "fast"}),
        (["4 yes"], {**BEGUN, "loud": True}),
        (["4", "perhaps", "n"], {**BEGUN, "loud": False}),
        (["5 3,1"], {**BEGUN, "tags": ["a", "c"]}),
        (["5", "none"], {**BEGUN, "tags": []}),
        (["5 all"], {**BEGUN, "tags": ["a", "b", "c"]}),
        (["6", "+ x", "+", "y", "2 z", "..", "2 1"], {"port": 1, "names": ["x", "z"]}),
        (["6", "+ x", "+ y", "+ z", ":m 3 1", ":d 2"], {**BEGUN, "names": ["z", "y"]}),
        (["7", "1 c.pem", "2 1.5", ".."], {**BEGUN, "tls": {"cert": "c.pem", "days": 1.5}}),
        (["7.2 3"], {**BEGUN, "tls": {"days": 3}}),
        (["8", "+", "1 5", "..", "+", "1 6"], {**BEGUN, "users": [{"id": 5}, {"id": 6}]}),
        (["8", "+", "..", "..", "8.1.1 7"], {**BEGUN, "users": [{"id": 7}]}),
        (["9 {}", "9", "[1,", "2]"], {**BEGUN, "more": [1, 2]}),
        (["9 {", "9 3"], {**BEGUN, "more": 3}),
        (["4 y", ":d 4", ":d 99"], BEGUN),
        ([":j", '{"host":', '"x"}'], {"host": "x"}),
        ([":j", ""], BEGUN),
        (["12", "0", "x", "-1", "1.1", "7 x", "8 x"], BEGUN),
    ],
)
def test_what_is_typed(typed: list[str], value: Any) -> None:
    """Picked by number, walked into and out of; what is no value is told, and the answer stays as it was (E14)."""
    assert ask(prompt(FORM), *typed, "submit")[0] == Answered(value=value)


def test_nothing_is_sent_by_accident() -> None:
    """E14: Enter takes only what was offered, as long as it is that."""
    assert ask(prompt(FORM), "", "", ":s")[0] == EndTurn()
    offered = {"host": "abc", "port": 1}
    assert ask(prompt(FORM, default=offered), "")[0] == Answered(value=offered)
    said, shown = ask(prompt(FORM, default=offered), "2 5", "", "submit")
    assert said == Answered(value={"host": "abc", "port": 5}) and "Not sent yet" in shown
    assert ask(prompt(FORM, prefill=(offered,), default={}), "")[0] == Answered(value=offered), "R176"


def test_a_change_is_said_in_a_line_and_a_dot_reads_all_again() -> None:
    """E60."""
    shown = told("2 8080", ".", "7", ".", "..")
    assert "> port: 8080\n> " in shown.replace("> \n", "> ")
    assert shown.count("Which?") == 3 and shown.count("In tls:\n  1  cert (text): not set\n") == 2
    assert "  2  days (number): not set\n`..` goes up\n> " in shown and "The whole answer:\n  1  Host name" in shown
    assert "In users, entry 1:\n  1  id" in told("8", "+")
    assert "..  goes up" in told("7", "?") and "..  goes up" not in told("?")


def test_what_the_schema_does_not_know_is_shown() -> None:
    """Never to a wrong form: what is submitted was read out."""
    more = {"host": "abc", "port": 1, "mode": "odd", "delete_everything": True, "tls": {"deep": [1]}}
    shown = told("7", default=more)
    assert "  10  delete_everything (not in the schema): true\n" in shown
    assert '  3  mode (one of fast, slow): "odd"\n' in shown and "  3  deep (not in the schema): [1]\n" in shown
    assert ask(prompt(FORM, default=more), ":d 10", "7", ":d 3", "submit")[0] == Answered(
        value={"host": "abc", "port": 1, "mode": "odd", "tls": {}}
    )


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (["{", '  "port": tru', '{"port": 8}'], {"port": 8}),
        (["{", '  "port": tru', "{", '"port": 9}'], {"port": 9}),
        (["[", "1,", "tru", "[2]"], [2]),
        (["[", "{", "tru", '{"a": 1}'], None),
        (["{", '"a": {"b": tru', '"a": 1}'], {"a": 1}),
    ],
)
def test_a_whole_value_after_a_mistake_replaces_what_was_kept(typed: list[str], value: Any) -> None:
    """Audit 12: it is what it looks like; what could be the next line of what was kept is that."""
    said, _ = ask(prompt(FORM), *typed, *([":x", ":s"] if value is None else []))
    assert said == (EndTurn() if value is None else Answered(value=value))


@pytest.mark.parametrize(("word", "said"), [("s", EndTurn()), (":s", EndTurn())])
def test_words_work_while_json_is_not_whole(word: str, said: Response) -> None:
    """`.` shows what is kept; no word is taken for JSON."""
    found, shown = ask(prompt(FORM), "{", ".", "w", word)
    assert found == said and "Incomplete JSON:\n| {\n" in shown and "No remembered answer" in shown


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "array"}]}, "one of several shapes"),
        ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, "any key names"),
        ({}, "any JSON"),
    ],
)
def test_without_a_form_it_says_why_and_takes_json(schema: dict[str, Any], note: str) -> None:
    said, shown = ask(prompt(SchemaAnswer(schema)), "{", '"a": 1', "}")
    assert said == Answered(value={"a": 1}) and f"There is no form for this ({note})" in shown


def test_one_value_says_what_it_may_be() -> None:
    said, shown = ask(prompt(SchemaAnswer({"type": "integer", "minimum": 3})), "5")
    assert said == Answered(value=5) and "  whole number, at least 3\n" in shown


def test_what_may_be_null_is_made_null_and_begun_again() -> None:
    nullable = {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["integer", "null"]}}, "type": "object"}
    answer = SchemaAnswer(nullable)
    assert ask(prompt(answer), "1 x", "2 4", ":d 1", "2 null", "submit")[0] == Answered(value={"a": None, "b": None})
    assert ask(prompt(answer, default={"a": None}), "1 x", "submit")[0] == Answered(value={"a": "x"})


def test_what_does_not_fit_is_named_by_field() -> None:
    """R164, R186: all at once, with the numbers that lead there, and again at each field; a mended one is silent."""
    link, out = FakeLink(), io.StringIO()
    human = Human("7.2 0", "submit", ".", "2 5", ".", "7", ".")
    interview = QuestionLoop(link, Lines(out, human))
    asked = prompt(FORM)
    verdict = (("", "`host` is missing"), ("/port", "must be at least 1"), ("/tls/days", "must be more than 0"))

    def refused(_: c.AnswerQuestion) -> list[e.Event]:
        return [e.AnswerRefused(conversation="c1", inquiry=asked.inquiry, reason="`/port` must be at least 1")]

    def checked(command: c.CheckAnswer) -> list[e.Event]:
        late = e.AnswerChecked(conversation="c1", inquiry=asked.inquiry, revision=0, problems=(("/loud", "is late"),))
        return [late, late.model_copy(update={"revision": command.revision, "problems": verdict})]

    link.answers |= {c.AnswerQuestion: refused, c.CheckAnswer: checked}
    interview.asked(asked)
    interview.present()
    while human.entries or human.ready:
        human.fill()
        interview.read_lines()
        while came := link.collect():
            for event in came:
                if isinstance(event, e.AnswerRefused):
                    interview.refused(event)
                elif isinstance(event, e.AnswerChecked):
                    interview.handle(event)
    (check,) = link.of(c.CheckAnswer)
    assert check.value == {"port": 80, "tls": {"days": 0}}
    said = out.getvalue()
    assert "Not accepted: `/port` must be at least 1\n" in said and "is late" not in said
    assert "  1  host: is missing\n  2  port: must be at least 1\n  7.2  days: must be more than 0\n" in said
    first, second, third = said.split("days: must be more than 0\n")[1].split("Which?\n")[1:]
    assert "default 80): 80\n     ! must be at least 1\n" in first and "     ! 1 problem inside\n" in first
    assert "must be at least 1" not in second and "     ! is missing\n" in second
    assert "  2  days (number): 0\n     ! must be more than 0\n" in third


def test_a_huge_form_is_listed_in_part_and_whole_to_fill() -> None:
    """V18, E28: the limit is one of the list, not of the answer."""
    many = {"type": "object", "properties": {f"f{n}": {"type": "integer"} for n in range(5_000)}}
    said, shown = ask(prompt(SchemaAnswer(many)), "5000 7", "submit")
    assert said == Answered(value={"f4999": 7}) and "  200  f199 (" in shown and "  201  f200" not in shown
    assert "… 4800 more; their numbers work too" in shown


def test_pasted_lines_are_one_value_in_a_field_and_as_a_whole() -> None:
    """E11: a paste into the form is JSON, into a text it is text, sent when that is said; elsewhere it is nothing."""
    for burst, last, value in (
        (["{", '"host": "x"', "}"], None, {"host": "x"}),
        (["two", "lines"], "", {"host": "two\nlines", **BEGUN}),
    ):
        human = Human(*(["1"] if last is not None else []), burst, *([last, "submit"] if last is not None else []))
        lines = Lines(io.StringIO(), human)
        lines.show(prompt(FORM))
        said = None
        while said is None and (human.entries or human.ready):
            human.fill()
            said = lines.take()
        assert said == Answered(value=value)
