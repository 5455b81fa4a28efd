"""Every row of the routing table through the machine: what is recorded, what the model reads (acceptance 1 to 4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.events import InquiryRequest
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.answer_kind import verdict_key
from jp_tui.questions.types import Question, SchemaAnswer
from jp_tui.questions.wire import digest
from tests.inquiry.play import (
    APPLY,
    BARE,
    CHOICE,
    ESCALATES,
    EXCLUSIVE,
    FLOOR,
    HUSH,
    MODEL,
    PASS,
    Play,
    of,
    only,
    pinned,
)

M1 = (
    "tool cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue "
    "without user input or explain what information is missing."
)
M2 = "tool requires a human answer and cannot be routed to the assistant. Do not retry this tool call in this turn."
M3 = (
    "tool: the configured conversation.tools.tool.questions.apply_changes.answer value does not match the question's "
    "answer_type. Update the configuration; do not retry."
)
M5A = (
    "tool asked for input but no interactive user is available (detached policy: deny). Do not retry this tool call in "
    "this turn; continue without it or explain what information is missing."
)
M5B = (
    "tool asked for input that has no default and no interactive user is available (detached policy: defaults). Do not "
    "retry this tool call in this turn; continue without it or explain what information is missing."
)
M13 = (
    "The tool 'tool' asked a follow-up question (\"Apply?\") that was routed to a secondary assistant for resolution, "
    "but the secondary assistant failed to provide a valid answer. Error: no reviewing model is available. You may "
    "retry the tool call or end the turn."
)
NO_TARGET = v.Rule()


def play(client: bool, *, remembered: bool | None = None) -> Play:
    """A turn, in which an answer to `apply_changes` may be remembered."""
    made = Play(client=True)
    if remembered is not None:
        made.ask("c0")
        made.answer("c0", remembered, remember=True, at="2026-03-05 21:21:16.7")
    made.state = replace(made.state, client=client)
    made.records.clear()
    return made


def row(made: Play) -> str:
    (request, *_) = made.records
    assert isinstance(request, InquiryRequest)
    assert request.metadata["call"] == "c1" and request.metadata["tool"] == "tool"
    assert isinstance(request.metadata["why"], str) and request.metadata["why"]
    return str(request.metadata["row"])


@pytest.mark.parametrize(
    ("wanted", "question", "rule", "remembered", "policy", "recorded", "text"),
    [
        ("0b", FLOOR, NO_TARGET, True, "defaults", "no_prompt_backend", M1),
        ("0b", FLOOR, pinned(True), None, "auto", "no_prompt_backend", M1),
        ("0b", FLOOR, MODEL, None, "defer", "no_prompt_backend", M1),
        ("3", APPLY, pinned("yes"), None, "unset", "invalid_static_answer", M3),
        ("3", EXCLUSIVE, pinned(1), None, "unset", "invalid_static_answer", M3),
        ("4", EXCLUSIVE, MODEL, None, "auto", "assistant_routing_denied", M2),
        ("4", PASS, ESCALATES, None, "auto", "assistant_routing_denied", M2),
        ("4", APPLY, replace(MODEL, exclusive=True), None, "auto", "assistant_routing_denied", M2),
        ("8", EXCLUSIVE, NO_TARGET, None, "unset", "no_prompt_backend", M1),
        ("8", EXCLUSIVE, NO_TARGET, None, "auto", "no_prompt_backend", M1),
        ("8", APPLY, v.Rule(exclusive=True), None, "deny", "no_prompt_backend", M1),
        ("9", replace(BARE, exclusive=True), NO_TARGET, None, "defaults", "no_prompt_backend", M1),
        ("10", PASS, NO_TARGET, None, "defaults", "no_prompt_backend", M1),
        ("10", PASS, NO_TARGET, None, "defer", "no_prompt_backend", M1),
        ("12", BARE, NO_TARGET, None, "defaults", "no_prompt_backend", M5B),
        ("12", replace(APPLY, default="yes"), NO_TARGET, None, "defaults", "no_prompt_backend", M5B),
        ("13", APPLY, NO_TARGET, None, "deny", "no_prompt_backend", M5A),
        ("13", EXCLUSIVE, v.Rule(exclusive=False), None, "deny", "no_prompt_backend", M5A),
    ],
)
def test_refusals_without_a_client(
    wanted: str, question: Question, rule: v.Rule, remembered: bool | None, policy: v.Policy, recorded: str, text: str
) -> None:
    """R103 to R112, R201, R247: one pair, cancelled with its tag, and the exact words as an error of that call."""
    made = play(False, remembered=remembered)
    steps = made.ask("c1", question, rule=rule, policy=policy)
    assert row(made) == wanted
    assert made.pairs == [(f"c1.{question.id}.1", recorded)]
    assert only(s.Complete, steps) == s.Complete("c1", text, True)
    assert "c1" not in made.state.calls and not made.state.waiting


@pytest.mark.parametrize(
    ("wanted", "question", "rule", "recorded", "text"),
    [
        ("3", APPLY, pinned("yes"), "invalid_static_answer", M3),
        ("3", CHOICE, pinned("c"), "invalid_static_answer", M3.replace("apply_changes", "env")),
        ("3", APPLY, pinned(1, slot="answer"), "invalid_static_answer", M3.replace("apply_changes", "answer")),
        ("4", EXCLUSIVE, MODEL, "assistant_routing_denied", M2),
        ("4", EXCLUSIVE, ESCALATES, "assistant_routing_denied", M2),
    ],
)
def test_refusals_with_a_client(wanted: str, question: Question, rule: v.Rule, recorded: str, text: str) -> None:
    """Rows 3 and 4 hold whoever is there; M3 names the slot that held the value (R171)."""
    made = play(True)
    steps = made.ask("c1", question, rule=rule)
    assert (row(made), made.pairs) == (wanted, [(f"c1.{question.id}.1", recorded)])
    assert only(s.Complete, steps) == s.Complete("c1", text, True)


@pytest.mark.parametrize("client", [True, False])
@pytest.mark.parametrize(
    ("wanted", "question", "rule", "remembered", "policy", "recorded", "value"),
    [
        ("1", APPLY, pinned(False), True, "deny", "true remembered", True),
        ("1", EXCLUSIVE, MODEL, False, "deny", "false remembered", False),
        ("2", APPLY, pinned(False), None, "deny", "false static", False),
        ("2", EXCLUSIVE, pinned(True, target="assistant"), None, "deny", "true static", True),
        ("2", CHOICE, pinned("b"), None, "deny", '"b" static', "b"),
        ("2", PASS, pinned(HUSH), None, "deny", "redacted", HUSH),
    ],
)
def test_answers_that_nobody_is_asked_for(
    client: bool,
    wanted: str,
    question: Question,
    rule: v.Rule,
    remembered: bool | None,
    policy: v.Policy,
    recorded: str,
    value: Json,
) -> None:
    """Rows 1 and 2: whoever is there, whatever the target, exclusive or not; secrets redacted (R104, R105, R202)."""
    made = play(client, remembered=remembered)
    steps = made.ask("c1", question, rule=rule, policy=policy)
    assert (row(made), made.pairs) == (wanted, [(f"c1.{question.id}.1", recorded)])
    given = only(s.RunAgain, steps).answers[question.id]
    assert (given.value, given.unseen, given.digest) == (value, True, digest(question))


@pytest.mark.parametrize(
    ("wanted", "question", "rule"),
    [
        ("0a", FLOOR, pinned(True)),
        ("0a", FLOOR, ESCALATES),
        ("7", APPLY, NO_TARGET),
        ("7", EXCLUSIVE, v.Rule(prompt_label="git")),
        ("7", PASS, NO_TARGET),
        ("7", replace(APPLY, persistence="none"), NO_TARGET),
    ],
)
def test_the_human_is_asked(wanted: str, question: Question, rule: v.Rule) -> None:
    """Rows 0a and 7: a remembered answer does not cover what touches the floor, or what has persistence none."""
    remembered = True if wanted == "0a" or question.persistence == "none" else None
    made = play(True, remembered=remembered)
    ask = only(s.AskHuman, made.ask("c1", question, rule=rule, policy="deny"))
    assert (row(made), made.pairs, made.unanswered) == (wanted, [], [f"c1.{question.id}.1"])
    assert ask.label == rule.prompt_label and ask.why
    assert ask.open.human_only is (question.exclusive or question.floor or question is PASS)


@pytest.mark.parametrize(("question", "wanted"), [(EXCLUSIVE, "9"), (APPLY, "12")])
def test_the_default_by_policy(question: Question, wanted: str) -> None:
    """Rows 9 and 12 (R4): the default, if it is an answer."""
    made = play(False)
    steps = made.ask("c1", question, policy="defaults")
    assert (row(made), made.pairs) == (wanted, [("c1.apply_changes.1", "true default")])
    assert only(s.RunAgain, steps).answers["apply_changes"] == v.GivenAnswer(True, digest(question))


@pytest.mark.parametrize(
    ("wanted", "client", "rule", "policy"),
    [
        ("5", True, MODEL, "unset"),
        ("5", False, MODEL, "deny"),
        ("6", True, ESCALATES, "unset"),
        ("6", False, ESCALATES, "defer"),
        ("11", False, NO_TARGET, "unset"),
        ("11", False, NO_TARGET, "auto"),
    ],
)
def test_a_reviewer_is_asked(wanted: str, client: bool, rule: v.Rule, policy: v.Policy) -> None:
    """Rows 5, 6 and 11: recorded, then handed to the reviewer; nobody else can answer it meanwhile."""
    made = play(client)
    ask = only(s.AskReviewer, made.ask("c1", APPLY, rule=rule, policy=policy))
    assert (row(made), made.pairs, made.state.waiting) == (wanted, [], ())
    assert made.state.reviewed == (ask.open,)
    refusal = only(s.Refuse, made(v.HumanAnswered(ask.open.inquiry, ask.open.digest, True)))
    assert not refusal.gone


@pytest.mark.parametrize(("rule", "policy"), [(MODEL, "unset"), (ESCALATES, "deny"), (NO_TARGET, "auto")])
def test_no_reviewer_yet(rule: v.Rule, policy: v.Policy) -> None:
    """Rows 5, 6 and 11 without a reviewer in the product: backend_error and M13 (R137)."""
    made = play(False)
    made.ask("c1", APPLY, rule=rule, policy=policy)
    steps = made(v.ReviewerFailed("c1.apply_changes.1", "no reviewing model is available"))
    assert made.pairs == [("c1.apply_changes.1", "backend_error")]
    assert only(s.Complete, steps) == s.Complete("c1", M13, True)


@pytest.mark.parametrize("question", [APPLY, EXCLUSIVE])
def test_deferred(question: Question) -> None:
    """Row 14, R230: the request stays open; the end of the call leaves it so, the user's end of the turn does not."""
    made = play(False)
    steps = made.ask("c1", question, policy="defer")
    assert (row(made), made.pairs) == ("14", [])
    assert of(s.Defer, steps) == [s.Defer("c1")]
    assert only(s.Refuse, made(v.HumanAnswered("c1.apply_changes.1", digest(question), True))).gone is False
    assert made(v.CallGone("c1")) == [] and made.unanswered == ["c1.apply_changes.1"]
    made(v.HumanEndedTurn())
    assert made.pairs == [("c1.apply_changes.1", "user")]


def test_a_schema_is_answered_only_on_a_verdict() -> None:
    """R8, R105: a pinned value or a default that was not checked against the schema is no answer."""
    question = Question("shape", "Shape?", SchemaAnswer({"type": "integer"}), default=3, has_default=True)
    fits = {verdict_key({"type": "integer"}, 3): None}
    made = play(False)
    made.ask("c1", question, rule=pinned(3))
    made.ask("c2", question, rule=pinned(3), verdicts=fits)
    made.ask("c3", question, policy="defaults")
    made.ask("c4", question, policy="defaults", verdicts=fits)
    assert [what for _, what in made.pairs] == ["invalid_static_answer", "3 static", "no_prompt_backend", "3 default"]


def test_no_tool_is_special() -> None:
    """R109: the same inputs under any name give the same steps but for the name."""
    texts = {
        tool: only(s.Complete, Play(client=False).ask("c1", EXCLUSIVE, tool=tool)).content.replace(tool, "X")
        for tool in ("ask_user", "fs_modify_file", "anything")
    }
    assert len(set(texts.values())) == 1
