"""Every prompt as `client/ask_user` shows it, and what an answer means (inquiries.md R240-R242, M12, M34, M35)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.rpc.answer_parser import Asks, InvalidAnswer, parse_response
from jp_tui.headless.rpc.question_text import choices, text
from jp_tui.protocol.values import (
    AgentInfo,
    Answered,
    Cancelled,
    ChosenRule,
    Delivered,
    Edited,
    EndTurn,
    Escalation,
    PartsTaken,
    Permitted,
    PromptRequest,
    Replied,
    Verdict,
    WentBack,
)
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
from tests.headless.asked import delivery, permission, prompt
from tests.view.test_rule_choice import SCOPES

BOOLEAN, TEXT, SECRET, SCHEMA = BooleanAnswer(), TextAnswer(), SecretAnswer(), SchemaAnswer({"type": "object"})
OPTIONS = (Option("red", "warm"), Option(" blue "), Option("[1]"))
SELECT, MULTI = SelectAnswer(OPTIONS), MultiSelectAnswer(OPTIONS)
OTHER = SelectAnswer(OPTIONS, allow_other=True)


@pytest.mark.parametrize(
    ("kind", "offered"),
    [
        (BOOLEAN, ("yes", "no")),
        (SELECT, ("red", " blue ", "[1]")),
        (OTHER, ("red", " blue ", "[1]")),
        (MULTI, ("red", " blue ", "[1]")),
        (TEXT, ()),
        (SCHEMA, ()),
        (SECRET, ()),
    ],
    ids=lambda value: getattr(value, "type", ""),
)
def test_r241_the_choices_of_each_type(kind: AnswerType, offered: tuple[str, ...]) -> None:
    asked = prompt(kind)
    assert choices(asked, "ask") == offered
    assert text(asked, "ask") == "Which?", "R241: the question is the text"


def test_r241_context_stands_before_the_question_and_a_reason_between() -> None:
    asked = prompt(BOOLEAN, context="+a\n-b", text="Apply?")
    assert text(asked, "ask") == "+a\n-b\n\nApply?"
    assert text(asked, "ask", "expected yes or no") == "+a\n-b\n\nNot accepted: expected yes or no.\n\nApply?"
    limited = prompt(BOOLEAN, deadline_secs=60)
    assert text(limited, "ask").startswith("60 s left."), "R243, E13: a deadline is shown"


BEFORE = Verdict(model="m", reason=Foreign("wide"))
AGAIN = (
    'Reviewer: small\nThe assistant recommended rejecting this change:\n"still"\n'
    "Before it knew the assistant's intent, it said: "
    '"wide"\nIt read it.\nYou decide.'
)


@pytest.mark.parametrize(
    ("told", "notice"),
    [
        (
            Escalation(model="acme/small", reason=Foreign("too wide"), ms=1200),
            'Reviewer: small · 1.2 s\nThe assistant recommended rejecting this change:\n"too wide"\nYou decide.',
        ),
        (
            Escalation(model="", reason=Foreign(" ")),
            'The assistant recommended rejecting this change:\n"(no reason given)"\nYou decide.',
        ),
        (
            Escalation(model="acme/small", reason=Foreign("still"), before=(BEFORE,), saw="it"),
            AGAIN,
        ),
        (
            Escalation(model="acme/small", reason=Foreign("no connection"), failed=True),
            "Reviewer: small\nThe reviewer couldn't decide, so you decide:\nno connection\nYou decide.",
        ),
        (
            Escalation(model="acme/small", reason=Foreign("I th"), failed=True, cause="taken_over"),
            'Reviewer: small\nYou took this over from the reviewer.\nIts reply so far: "I th"\nYou decide.',
        ),
        (
            Escalation(model="acme/small", reason=Foreign(""), failed=True, cause="too_long"),
            "Reviewer: small\nToo long for the reviewer, so you decide:\nYou decide.",
        ),
    ],
    ids=["no", "no-reason", "again", "failed", "taken-over", "too-long"],
)  # fmt: skip
def test_r150_r154_an_escalation_stands_above_the_context(told: Escalation, notice: str) -> None:
    """Who and how long, M12 to the letter, and that the human decides."""
    assert text(prompt(BOOLEAN, context="+a", escalation=told), "ask") == f"{notice}\n\n+a\n\nWhich?"


def test_prompts_show_what_is_decided_on() -> None:
    """R241: nobody approves what was not shown; the labels of M34 and M35 without those that remember."""
    asked = permission()
    assert text(asked, "ask") == '{\n  "path": "a.txt"\n}\n\nRun local paint tool?'
    assert choices(asked, "ask") == (
        "Run tool", "Skip running tool", "Print arguments as JSON", "Skip and reply", "Edit arguments",
    )  # fmt: skip
    rendered = permission(rendered=Foreign("paint a.txt"), tool_kind="mcp", server="files")
    assert text(rendered, "ask") == "paint a.txt\n\nRun mcp paint tool from files server?"
    assert text(rendered, "ask", arguments=True).startswith('{\n  "path"')
    assert text(rendered, "arguments").startswith('{\n  "path"')
    done = delivery()
    assert text(done, "ask") == "one\ntwo\n\nDeliver paint result to assistant?"
    assert choices(done, "ask") == ("Deliver result", "Skip delivery", "Edit result first")
    assert text(delivery(is_error=True), "ask").startswith("The tool failed with:\none\ntwo\n\n")
    for stage in ("reason", "arguments"):
        assert choices(asked, stage) == () and "goes back" in text(asked, stage)  # type: ignore[arg-type]
    assert choices(done, "result") == ()


def test_nothing_in_what_is_shown_is_hidden() -> None:
    """R195: a client prints it as it is; the choices are exact, since an answer is compared with them."""
    asked = prompt(SelectAnswer((Option("a\x1b[8m"),)), context="ok\x1b[8m rm -rf\x1b[0m\u202e", text="Sure?\rNo")
    shown = text(asked, "ask")
    assert "\x1b" not in shown and "\u202e" not in shown and "\r" not in shown and "rm -rf" in shown
    assert "found in this question: " in shown
    assert choices(asked, "ask") == ("a\x1b[8m",)


# --- answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        (BOOLEAN, "yes", True),
        (BOOLEAN, "NO", False),
        (BOOLEAN, " True\n", True),
        (BOOLEAN, "fAlse", False),
        (SELECT, "red", "red"),
        (SELECT, " blue ", " blue "),
        (OTHER, "green", "green"),
        (MULTI, '["red", " blue "]', ["red", " blue "]),
        (MULTI, "red\n blue ", ["red", " blue "]),
        (MULTI, "[1]\nred\n", ["[1]", "red"]),
        (MULTI, "[1]", ["[1]"]),
        (MULTI, "[]", []),
        (MULTI, '["green"]', ["green"]),
        (TEXT, "a\nb ", "a\nb "),
        (TEXT, "", ""),
        (SECRET, "hunter2", "hunter2"),
        (SCHEMA, ' {"a": [1, null]}', {"a": [1, None]}),
        (SCHEMA, "null", None),
    ],
)
def test_r241_an_answer_is_read_by_the_type(kind: AnswerType, answer: str, value: Any) -> None:
    """Whether a value is one of the type is the engine's to say; order and blanks are kept (R8)."""
    assert parse_response(prompt(kind), "ask", {"answer": answer}) == Answered(value=value)


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        (BOOLEAN, {"answer": "y"}),
        (BOOLEAN, {"answer": ""}),
        (BOOLEAN, {"answer": True}),
        (BOOLEAN, {"answer": 1}),
        (BOOLEAN, {}),
        (SELECT, {"answer": "Red"}),
        (SELECT, {"answer": "blue"}),
        (SELECT, {"answer": None}),
        (MULTI, {"answer": ""}),
        (MULTI, {"answer": "red, green"}),
        (MULTI, {"answer": '{"a": 1}'}),
        (SCHEMA, {"answer": ""}),
        (SCHEMA, {"answer": "{"}),
        (SCHEMA, {"answer": '{"a": NaN}'}),
        (SCHEMA, {"answer": {"a": 1}}),
        (SECRET, {"a": 1}),
        (TEXT, None),
        (TEXT, "words"),
        (TEXT, ["words"]),
        (TEXT, {"control": "leave", "answer": "a"}),
        (TEXT, {"answer": "a", "remember": True}),
        (TEXT, {"answer": "a", "note": 1}),
        (BOOLEAN, {"answer": "yes", "parts": ["1"]}),
        (BOOLEAN, {"answer": "yes", "parts": {"accepted": [1]}}),
    ],
)
def test_r241_what_does_not_fit_is_never_made_to_fit(kind: AnswerType, result: Any) -> None:
    """A blank, a number or a near miss is no consent (E14)."""
    asked = prompt(kind, controls=frozenset({"cancel"}))
    found = parse_response(asked, "ask", result)
    assert isinstance(found, InvalidAnswer) and found.why and "\n" not in found.why


def test_r242_an_object_without_an_answer_is_text_where_text_is_free() -> None:
    assert parse_response(prompt(TEXT), "ask", {"a": [1, "ü"]}) == Answered(value='{"a":[1,"ü"]}')
    assert parse_response(prompt(OTHER), "ask", {"answer": 5}) == Answered(value='{"answer":5}')
    assert isinstance(parse_response(prompt(SELECT), "ask", {"a": 1}), InvalidAnswer)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"value": ["red"], "answer": "blue"}, Answered(value=["red"])),
        ({"value": None, "answer": "[]"}, Answered(value=[])),
        ({"value": None}, Answered(value=None)),
        ({"value": False}, Answered(value=False)),
        ({"answer": "red", "note": "why not"}, Answered(value=["red"], note="why not")),
        ({"answer": "red", "remember": True}, Answered(value=["red"], remember=True)),
        (
            {"value": True, "parts": {"accepted": ["1"], "comments": {"2": "no"}}},
            Answered(value=True, parts=PartsTaken(accepted=("1",), comments={"2": "no"})),
        ),
        ({"control": "back"}, WentBack()),
        ({"control": "reply", "answer": "rather not", "value": 1}, Replied(text="rather not")),
        ({"control": "reply"}, Replied(text=None)),
        ({"control": "end_turn"}, EndTurn()),
        ({"control": "cancel"}, Cancelled()),
        ({"control": None, "answer": "red"}, Answered(value=["red"])),
        ({"answer": "red", "unknown": 1}, Answered(value=["red"])),
    ],
)
def test_r241_value_wins_over_answer_and_a_control_answers_nothing(result: Any, said: Any) -> None:
    assert parse_response(prompt(MULTI), "ask", result) == said


LEAVE = permission()
RESULT = delivery()


@pytest.mark.parametrize(
    ("asked", "stage", "result", "said"),
    [
        (LEAVE, "ask", {"answer": "Run tool"}, Permitted(run=True)),
        (LEAVE, "ask", {"answer": "skip running tool"}, Permitted(run=False)),
        (LEAVE, "ask", {"answer": "Print arguments as JSON"}, Asks("ask", arguments=True)),
        (LEAVE, "ask", {"answer": "Skip and reply"}, Asks("reason")),
        (LEAVE, "ask", {"answer": "Edit arguments"}, Asks("arguments")),
        (LEAVE, "ask", {"answer": "Run tool", "remember": True}, Permitted(run=True, remember=True)),
        (LEAVE, "ask", {"value": True}, Permitted(run=True)),
        (LEAVE, "ask", {"value": {"path": "b"}}, Edited(arguments={"path": "b"})),
        (LEAVE, "ask", {"control": "cancel"}, Cancelled()),
        (LEAVE, "reason", {"answer": "too wide"}, Permitted(run=False, reason="too wide")),
        (LEAVE, "reason", {"answer": " "}, Asks("ask")),
        (LEAVE, "reason", {"control": "cancel"}, Asks("ask")),
        (LEAVE, "arguments", {"answer": '{"path": "b"}'}, Edited(arguments={"path": "b"})),
        (LEAVE, "arguments", {"answer": ""}, Asks("ask")),
        (LEAVE, "arguments", {"control": "cancel"}, Permitted(run=False, reason="Edit cancelled")),
        (RESULT, "ask", {"answer": "Deliver result"}, Delivered(deliver=True)),
        (RESULT, "ask", {"answer": "Skip delivery"}, Delivered(deliver=False)),
        (RESULT, "ask", {"answer": "Edit result first"}, Asks("result")),
        (RESULT, "ask", {"value": "shorter"}, Delivered(deliver=True, text="shorter")),
        (RESULT, "ask", {"value": False}, Delivered(deliver=False)),
        (RESULT, "result", {"answer": "shorter"}, Delivered(deliver=True, text="shorter")),
        (RESULT, "result", {"answer": ""}, Asks("ask")),
        (RESULT, "result", {"control": "cancel"}, Delivered(deliver=True)),
    ],
)
def test_leave_to_run_and_to_deliver(asked: PromptRequest, stage: Any, result: Any, said: Any) -> None:
    """M34, M35, R86, R87, R93: an emptied edit goes back, a cancelled one skips, or delivers the original."""
    assert parse_response(asked, stage, result) == said


@pytest.mark.parametrize(
    ("asked", "stage", "result"),
    [
        (LEAVE, "ask", {"answer": "yes"}),
        (LEAVE, "ask", {"answer": "Run tool, remember for this turn"}),
        (LEAVE, "ask", {"answer": ""}),
        (LEAVE, "ask", {"a": 1}),
        (LEAVE, "ask", {"value": "yes"}),
        (LEAVE, "arguments", {"answer": "[1]"}),
        (LEAVE, "arguments", {"answer": "{"}),
        (permission(controls=frozenset({"edit"})), "ask", {"answer": "Run tool", "remember": True}),
        (RESULT, "ask", {"answer": "y"}),
        (RESULT, "ask", {"value": {}}),
    ],
)
def test_nothing_runs_by_a_near_miss(asked: PromptRequest, stage: Any, result: Any) -> None:
    assert isinstance(parse_response(asked, stage, result), InvalidAnswer)


@pytest.mark.parametrize(
    ("source", "name", "first"),
    [
        ("assistant", "mole", "Assistant › mole asks:"),
        ("tool", "mole", "Assistant › mole asks (paint):"),
        ("tool", "", "Assistant › dig deep asks (paint):"),
        ("tool", "m\x1b[2Jole", "Assistant › mole asks (paint):"),
    ],
)
def test_the_first_line_says_which_sub_agent_asks(source: str, name: str, first: str) -> None:
    """Z8: a client shows nothing but the text."""
    agent = AgentInfo(
        conversation="c9", parent="c1", call="s1", turn=1, name=Foreign(name), task=Foreign("dig deep"), model="m"
    )
    asked = prompt(BooleanAnswer(), source=source, agent=agent)
    assert text(asked, "ask").splitlines()[0] == first
    assert text(permission(agent=agent), "ask").splitlines()[0].startswith("Assistant › ")
    assert not text(prompt(BooleanAnswer()), "ask").startswith("Assistant")


SCOPED = {"scopes": SCOPES, "controls": frozenset({"remember", "edit", "end_turn"})}


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"value": True, "rule": {"scope": "command", "lifetime": "folder"}},
         Permitted(run=True, rule=ChosenRule(scope="command", lifetime="folder"))),
        ({"value": False, "rule": {"scope": "program"}}, Permitted(run=False, rule=ChosenRule(scope="program"))),
        ({"value": True, "remember": True}, Permitted(run=True, remember=True)),
        ({"value": True, "rule": {"scope": "program", "lifetime": "folder"}}, None),
        ({"value": True, "rule": {"scope": "tool"}}, None),
        ({"value": True, "rule": {"scope": ["command"]}}, None),
        ({"value": True, "rule": {"scope": "command", "lifetime": ["turn"]}}, None),
        ({"value": True, "rule": "command"}, None),
    ],
)  # fmt: skip
def test_ar20_a_rule_is_one_of_the_offers(result: dict[str, Any], found: Permitted | None) -> None:
    outcome = parse_response(permission().model_copy(update=SCOPED), "ask", result)
    if found is None:
        assert isinstance(outcome, InvalidAnswer) and "`scopes`" in outcome.why
    else:
        assert outcome == found


def test_ar20_the_offers_go_over_the_wire_best_first() -> None:
    told = permission().model_copy(update=SCOPED).model_dump(mode="json")["scopes"]
    assert [one["scope"] for one in told] == ["command", "exact command", "program"]
    assert told[0]["covered"] == {"matched": 14, "refused": 2, "of": 20} and told[0]["lifetimes"][-1] == "folder"
    assert parse_response(prompt(BOOLEAN).model_copy(update={"scopes": SCOPES}), "ask", {
        "answer": "yes", "rule": {"scope": "command"},
    }) == Answered(value=True, rule=ChosenRule(scope="command"))  # fmt: skip
