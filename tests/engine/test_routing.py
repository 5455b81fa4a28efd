"""Who answers (6.3) through the engine, with a client and without one: acceptance rows 1-6, 11, 25, 29."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.base.dependencies import Policies
from jp_tui.inquiry.values import Policy, Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled
from jp_tui.questions.types import (
    BooleanAnswer,
    FormView,
    Option,
    Place,
    Question,
    SchemaAnswer,
    SelectAnswer,
    TextAnswer,
)
from jp_tui.tools.port import NeedsInput, NeedsReview, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks, forever, series
from tests.limits import LIMIT

OK: list[Item] = [*text("Ok."), *end()]


def ask(bench: Bench, question: Question, *, rule: Rule | None = None, policy: Policy = "unset") -> Made:
    tool = Made(series(question))
    rules = {question.id: rule} if rule is not None else {}
    bench.tools["tool"] = tool_setup("tool", tool, rules=rules, policies=Policies(tool=policy))
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    return tool


def ended(bench: Bench) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """The request, its responses, the result; each request has the same number of responses (R200)."""
    bench.turn()
    requests = [event for event in bench.log() if event["type"] == "inquiry_request"]
    responses = [event for event in bench.log() if event["type"] == "inquiry_response"]
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert [event["id"] for event in requests] == [event["id"] for event in responses]
    return requests[0], responses, result


YES = Question("q", "Yes?", BooleanAnswer(), default=True, has_default=True)
ONLY = Question("q", "Yes?", BooleanAnswer(), exclusive=True)
FLOOR = Question("q", "Yes?", BooleanAnswer(), floor=True)
PICK = Question("q", "Which?", SelectAnswer((Option("a"),)))
TO_MODEL, PINNED = Rule(target="assistant"), Rule(has_answer=True, answer=True, place="config.toml:3")
ROWS: list[tuple[str, Question, Rule | None, Policy, str, str]] = [
    ("0b", FLOOR, PINNED, "defaults", "no_prompt_backend", "no interactive terminal"),
    ("2", YES, PINNED, "deny", "static", "heard True"),
    ("2", ONLY, PINNED, "unset", "static", "heard True"),
    ("3", PICK, PINNED, "unset", "invalid_static_answer", "conversation.tools.tool.questions.q.answer"),
    ("4", ONLY, TO_MODEL, "unset", "assistant_routing_denied", "cannot be routed to the assistant"),
    ("5", YES, TO_MODEL, "deny", "backend_error", "no reviewing model is available"),
    ("8", ONLY, None, "deny", "no_prompt_backend", "no interactive terminal"),
    ("11", YES, None, "unset", "backend_error", "no reviewing model is available"),
    ("12", YES, None, "defaults", "default", "heard True"),
    ("12", PICK, None, "defaults", "no_prompt_backend", "(detached policy: defaults)"),
    ("13", YES, None, "deny", "no_prompt_backend", "(detached policy: deny)"),
]


@pytest.mark.parametrize(("row", "question", "rule", "policy", "recorded", "said"), ROWS)
def test_each_row_without_a_client(
    bench: Bench, row: str, question: Question, rule: Rule | None, policy: Policy, recorded: str, said: str
) -> None:
    """One pair, the exact kind of end, words for the model, and the row and reason on record (E42)."""
    bench.client = False
    ask(bench, question, rule=rule, policy=policy)
    request, (response,), result = ended(bench)
    kind = response.get("responder", {}).get("kind") if response["outcome"] == "answered" else response["reason"]
    assert kind == recorded and said in result["content"]
    assert result["is_error"] is (response["outcome"] != "answered")
    assert request["metadata"]["row"] == row and request["metadata"]["why"]


@pytest.mark.parametrize("question", [YES, ONLY, FLOOR, PICK])
def test_with_a_client_the_person_is_asked(bench: Bench, question: Question) -> None:
    """Rows 0a and 7; the prompt says why (E42) and whether only a person may answer."""
    ask(bench, question, policy="deny")
    prompt = bench.prompt()
    assert prompt.why and prompt.human_only is (question in (ONLY, FLOOR))
    assert ("remember" in prompt.controls) is (question in (YES, ONLY))
    bench.answer(prompt, Answered(value="a" if question is PICK else False))
    _, (response,), result = ended(bench)
    assert response["responder"]["kind"] == "user" and result["content"] in ("heard a", "heard False")


def test_two_tools_two_people_prompts_and_a_reviewer_at_once(bench: Bench) -> None:
    """Row 6: prompts first in first out, a reviewer beside them, responses in the order of the requests (R95, R99)."""
    bench.reviewer = Reviews(free=(True, "fine"))
    bench.reviewer.gate.clear()
    for name, id_ in (("one", "a"), ("two", "b"), ("three", "free")):
        rules = {"free": TO_MODEL}
        bench.tools[name] = tool_setup(name, Made(series(Question(id_, f"{name}?", TextAnswer()))), rules=rules)
    bench.tools["three"] = tool_setup(
        "three", Made(series(Question("free", "?", BooleanAnswer()))), rules={"free": TO_MODEL}
    )
    calls = [item for at, name in enumerate(("three", "one", "two")) for item in call(name, {}, f"c{at}", at)]
    bench.script = Script([*calls, *end("tools")], OK)
    bench.start()
    bench.say("go")
    first, second = bench.prompt(), bench.prompt()
    assert [first.tool, second.tool] == ["one", "two"]
    bench.ever(e.CallChanged, lambda event: event.tool == "three" and event.state == "awaiting_assistant")
    bench.answer(second, Answered(value="2"))
    bench.answer(first, Answered(value="1"))
    bench.until(e.QuestionSettled, lambda event: event.inquiry == first.inquiry)
    bench.reviewer.gate.set()
    bench.turn()
    found = [(event["id"], event["content"]) for event in bench.log() if event["type"] == "tool_call_response"]
    assert found == [("c0", "heard True"), ("c1", "heard 1"), ("c2", "heard 2")]
    told = [event for event in bench.log() if event["type"] == "inquiry_response" and event["id"] == "c0.free.1"]
    assert told[0]["reason"] == "fine" and told[0]["responder"]["model"] == "judge"


ESCALATES = Rule(target="assistant_with_escalation")


@pytest.mark.parametrize(
    ("verdict", "response", "outcomes"),
    [
        ((True, "fine"), None, ["answered"]),
        ((False, "no"), Answered(value=True), ["answered", "answered"]),
        ((False, "no"), Cancelled(), ["answered", "cancelled"]),
        ("it broke", Answered(value=True), ["cancelled", "answered"]),
    ],
)
def test_escalation(bench: Bench, verdict: Any, response: Any, outcomes: list[str]) -> None:
    """Row 11: the tool runs once with the final answer; two pairs on record (R149), a failed one asks too (R155)."""
    bench.reviewer = Reviews(q=verdict)
    tool = ask(bench, YES, rule=ESCALATES)
    if response is not None:
        prompt = bench.prompt()
        assert prompt.escalation is not None and prompt.escalation.model == "judge"
        assert prompt.escalation.failed is isinstance(verdict, str)
        bench.answer(prompt, response)
    _, responses, _ = ended(bench)
    assert [one["outcome"] for one in responses] == outcomes
    answers = [one.answers["q"].value for one in tool.calls if "q" in one.answers]
    assert answers == ([] if isinstance(response, Cancelled) else [True])


def test_a_reviewer_is_called_off_with_its_call(bench: Bench) -> None:
    """R138: the pair is closed as cancelled/user, and a late verdict bothers nobody."""
    bench.reviewer = Reviews(q=(True, "fine"))
    bench.reviewer.gate.clear()
    ask(bench, YES, rule=TO_MODEL)
    assert bench.reviewer.asked.wait(LIMIT)
    bench.interrupt("stop")
    _, (response,), _ = ended(bench)
    assert (response["outcome"], response["reason"]) == ("cancelled", "user") and bench.reviewer.cancelled == 1
    assert not any(isinstance(event, e.AnswerRefused) for event in bench.events)


def test_a_reviewer_with_a_bug_is_no_verdict(bench: Bench) -> None:
    bench.reviewer = Reviews()
    ask(bench, YES, rule=TO_MODEL)
    _, (response,), result = ended(bench)
    assert response["reason"] == "backend_error" and "KeyError" in result["content"]


def test_a_deadline_of_the_users_passes(bench: Bench) -> None:
    """R243, M48: never an answer and never a no; shown so that it can be counted."""
    ask(bench, YES, rule=Rule(deadline_secs=0))
    prompt = bench.prompt()
    assert prompt.deadline_secs == 0
    _, (response,), result = ended(bench)
    assert (response["outcome"], response["reason"]) == ("cancelled", "timed_out")
    assert (result["content"], result["is_error"]) == ("No answer within the time limit set by the user.", False)


# --- bad tools -----------------------------------------------------------------------------------------------


class Odd:
    """Not an outcome."""


GARBAGE: list[Any] = [
    None, "text", Odd(), Success(3), NeedsInput("what?"),  # type: ignore[arg-type]
    NeedsInput(Question("", "?", BooleanAnswer())),
    NeedsInput(Question("q", 3, BooleanAnswer())),  # type: ignore[arg-type]
    NeedsInput(Question("q", "?", "boolean")),  # type: ignore[arg-type]
    NeedsInput(Question("q", "?", BooleanAnswer(), default=Odd(), has_default=True)),  # type: ignore[arg-type]
    NeedsInput(Question("q", "?", BooleanAnswer()), "form"),  # type: ignore[arg-type]
    NeedsInput(Question("q", "?", BooleanAnswer()), FormView((3,))),  # type: ignore[arg-type]
    NeedsReview(None),  # type: ignore[arg-type]
    NeedsReview(FormView((Place("q", "?", "gone"),))),  # type: ignore[arg-type]
    NeedsReview(FormView((Place("q", "?", "answered", Odd()),))),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize("odd", GARBAGE, ids=range(len(GARBAGE)))
def test_a_tool_that_returns_garbage_fails_alone(bench: Bench, odd: Any) -> None:
    async def run(call: ToolCall) -> Outcome:
        return odd  # type: ignore[no-any-return]

    bench.tools["tool"] = tool_setup("tool", Made(run))
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["is_error"] and result["content"].startswith("tool ")


def test_a_tool_that_asks_for_ever_is_stopped(bench: Bench) -> None:
    """R98, M46: at the limit, with words; the turn goes on."""

    async def run(call: ToolCall) -> Outcome:
        return NeedsInput(Question("q", "Again?", BooleanAnswer()))

    bench.tools["tool"] = tool_setup("tool", Made(run))
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    for number in range(1, 4):
        prompt = bench.prompt()
        assert prompt.inquiry == f"c1.q.{number}"
        bench.answer(prompt, Answered(value=True))
    _, responses, result = ended(bench)
    assert len(responses) == 3 and "asked the same question (`q`) 3 times in a row" in result["content"]


def test_two_questions_with_one_id_are_asked_both(bench: Bench) -> None:
    """R98: the later answer overwrites; R235: each has the digest of what was asked."""

    async def run(call: ToolCall) -> Outcome:
        given = call.answers.get("q")
        if given is None or given.value == "first":
            return NeedsInput(Question("q", "Second?" if given else "First?", TextAnswer()))
        return Success(f"heard {given.value}")

    bench.tools["tool"] = tool_setup("tool", Made(run))
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value="first"))
    bench.answer(bench.prompt(), Answered(value="second"))
    request, _, result = ended(bench)
    assert request["question"]["text"] == "First?" and result["content"] == "heard second"


# --- schemas -------------------------------------------------------------------------------------------------

PORT = SchemaAnswer({"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}})


def test_a_schema_answer_is_taken_only_on_a_verdict(bench: Bench) -> None:
    """R8 at the human's door; CheckAnswer says each problem with its place, for exactly that revision."""
    ask(bench, Question("q", "Where?", PORT))
    prompt = bench.prompt()
    value = {"port": "x"}
    check = c.CheckAnswer(conversation=bench.conversation, inquiry=prompt.inquiry, revision=4, value=value)
    bench.send(check)
    checked = bench.until(e.AnswerChecked)
    assert checked.revision == 4 and checked.problems[0][0] == "/port"
    bench.answer(prompt, Answered(value=value))
    assert not bench.until(e.AnswerRefused).gone
    bench.send(check.model_copy(update={"value": {"port": 1}}))
    assert bench.until(e.AnswerChecked).problems == ()
    bench.answer(prompt, Answered(value={"port": 1}))
    _, (response,), _ = ended(bench)
    assert response["answer"] == {"port": 1}
    bench.send(check)
    assert bench.until(e.Refused).command == "check_answer"


@pytest.mark.parametrize(("value", "fits"), [({"port": 1}, True), ({}, False)])
def test_a_pinned_schema_answer_is_checked(bench: Bench, value: Any, fits: bool) -> None:
    """R105: valid is used, else M3."""
    ask(bench, Question("q", "Where?", PORT), rule=Rule(has_answer=True, answer=value))
    _, (response,), result = ended(bench)
    assert response["outcome"] == ("answered" if fits else "cancelled") and result["is_error"] is not fits


@pytest.mark.parametrize(("value", "fits"), [({"port": 1}, True), ({}, False)])
def test_a_schema_default_is_checked(bench: Bench, value: Any, fits: bool) -> None:
    bench.client = False
    ask(bench, Question("q", "Where?", PORT, default=value, has_default=True), policy="defaults")
    _, (response,), _ = ended(bench)
    assert response["outcome"] == ("answered" if fits else "cancelled")


def test_a_schema_that_cannot_be_used_fails_the_call(bench: Bench) -> None:
    ask(bench, Question("q", "Where?", SchemaAnswer({"type": "no such type"})))
    bench.turn()
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["is_error"] and "a schema that cannot be used" in result["content"]
    assert "inquiry_request" not in bench.kinds()


def test_a_check_that_takes_long_keeps_nobody_waiting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    class Slow:
        async def usable(self, schema: object) -> None:
            return None

        async def problems(self, schema: object, value: object) -> list[tuple[str, str]]:
            import asyncio

            await asyncio.to_thread(gate.wait)
            return []

        async def close(self) -> None:
            pass

    monkeypatch.setattr("jp_tui.engine.schema_check.process.SchemaChecker", Slow)
    ask(bench, Question("q", "Where?", PORT))
    prompt = bench.prompt()
    bench.send(c.CheckAnswer(conversation=bench.conversation, inquiry=prompt.inquiry, revision=1, value={}))
    bench.send_and_wait()
    bench.interrupt("stop")
    assert bench.turn().outcome == "interrupted"
    gate.set()
    assert bench.until(e.AnswerChecked).problems == ()


def test_what_still_runs_is_stopped_at_once_beside_fifty_questions(bench: Bench) -> None:
    """13.1, row 25: every prompt is withdrawn, every call answered in order."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    calls = [item for at in range(50) for item in call("slow" if at % 2 else "ask", {}, f"c{at}", at)]
    bench.script = Script([*calls, *end("tools")])
    bench.start()
    bench.say("go")
    for _ in range(25):
        bench.prompt()
    bench.interrupt("stop")
    bench.turn()
    asked = {event.prompt.inquiry for event in bench.events if isinstance(event, e.QuestionAsked)}
    gone = {
        event.inquiry for event in bench.events if isinstance(event, e.QuestionSettled) and event.how == "withdrawn"
    }
    assert asked == gone and len(asked) == 25
    results = [event["id"] for event in bench.log() if event["type"] == "tool_call_response"]
    assert results == [f"c{at}" for at in range(50)]
