"""Questions of a server in a turn (mcp.md P40-P45, P47), and results (P24), without a process."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from jp_tui.conversation import model as m
from jp_tui.inquiry.values import Rule
from jp_tui.mcp import questions
from jp_tui.mcp.connection import StepAsked, StepDone, StepFailed
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.tool import McpToolAdapter, OpenCalls
from jp_tui.mcp.values import McpServer, McpTool
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest, Replied, Response
from jp_tui.questions.types import BooleanAnswer, Question, SchemaAnswer
from tests.engine.conftest import Bench, bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.headless.asked import ask
from tests.headless.asked import prompt as lines_prompt
from tests.mcp.scripted import ScriptedConnection, ScriptedServers, asks, calls, done, form, requires

__all__ = ["bench"]
NAME = "mcp.docs.find"
TOOL = McpTool("find", input_schema={"type": "object", "properties": {"q": {"type": "string"}}})


def prepared(bench: Bench, servers: ScriptedServers, tool: McpTool = TOOL, **more: Any) -> list[str]:
    """The addresses that are opened."""
    opened: list[str] = []

    made = McpToolAdapter(cast(McpServers, servers), OpenCalls(bench.home / "open"), "docs", tool, NAME, opened.append)
    bench.tools = {NAME: tool_setup(NAME, made, kind="mcp", **more)}
    return opened


def turn(bench: Bench, *answers: Response, arguments: Any = None) -> dict[str, Any]:
    """The response of one call whose questions get these answers."""
    bench.script = Script([*call(NAME, arguments or {}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    for answer in answers:
        bench.answer(bench.prompt(), answer)
    bench.turn()
    return result(bench)


def result(bench: Bench) -> dict[str, Any]:
    (found,) = [one for one in bench.log() if one["type"] == "tool_call_response"]
    return found


def reasons(bench: Bench) -> list[str]:
    return [one.get("reason", one["outcome"]) for one in bench.log() if one["type"] == "inquiry_response"]


WAYS = pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])


def server(modern: bool, *rest: Any, params: Any = None) -> ScriptedServers:
    """A server that asks once, in either revision, and then says the rest."""
    given = params or form("Who are you?\nReally.")
    return ScriptedServers(requires(given) if modern else asks(given), *rest)


def answer_of(servers: ScriptedServers) -> Any:
    """The answer, whatever way it took."""
    again = [one for one in calls(servers.told) if "responses" in one]
    return cast(Any, again[0]["responses"])["who"] if again else servers.answers()[0]


@WAYS
def test_an_answer_goes_to_the_open_call(bench: Bench, modern: bool) -> None:
    """P40-P42: the same question and the same record, whatever the revision; the call isn't made twice."""
    servers = server(modern, done("hello Ann"))
    prepared(bench, servers)
    found = turn(bench, Answered(value={"name": "Ann"}), arguments={"q": "x"})
    assert (found["content"], found["is_error"]) == ("hello Ann", False)
    assert answer_of(servers) == {"action": "accept", "content": {"name": "Ann"}}
    if modern:
        assert [one.get("state") for one in calls(servers.told)] == [None, "s1"]
    else:
        assert len(calls(servers.told)) == 1
    (request,) = [one for one in bench.log() if one["type"] == "inquiry_request"]
    assert request["id"] == "c1.elicit.1" and request["source"] == {"source": "tool", "name": NAME}
    asked = request["question"]
    assert (asked["text"], asked["context"], asked["persistence"]) == ("Who are you?", "Who are you?\nReally.", "none")
    assert asked["exclusive"] is True and reasons(bench) == ["answered"]
    assert not list((bench.home / "open").glob("*"))


@WAYS
@pytest.mark.parametrize(
    ("response", "action", "reason", "content"),
    [
        (Cancelled(declined=True), "decline", "user_decline", "as you like"),
        (Cancelled(), "cancel", "user", "as you like"),
        (Replied(text="Ask Bob"), "cancel", "user_reply", "Tool input cancelled by user: Ask Bob\n\nas you like"),
    ],
)
def test_an_end_without_an_answer_completes_with_the_servers_result(
    bench: Bench, modern: bool, response: Response, action: str, reason: str, content: str
) -> None:
    """P42."""
    servers = server(modern, done("as you like"))
    prepared(bench, servers)
    found = turn(bench, response)
    assert (found["content"], found["is_error"]) == (content, False)
    assert answer_of(servers) == {"action": action} and reasons(bench) == [reason]


@WAYS
def test_without_a_client_the_server_is_told_and_its_result_is_not_delivered(bench: Bench, modern: bool) -> None:
    """P42: row 8."""
    servers = server(modern, done("never seen"))
    prepared(bench, servers)
    bench.client = False
    found = turn(bench)
    assert found["is_error"] and "cannot run because no interactive terminal" in found["content"]
    assert reasons(bench) == ["no_prompt_backend"] and servers.told[-1]["do"] == "cancel"


@WAYS
def test_a_setting_may_answer(bench: Bench, modern: bool) -> None:
    """P42: `questions.elicit.answer`."""
    servers = server(modern, done("hello"))
    prepared(bench, servers, rules={"elicit": Rule(has_answer=True, answer={"name": "Set"}, place="c.toml:3")})
    assert turn(bench)["content"] == "hello"
    assert answer_of(servers) == {"action": "accept", "content": {"name": "Set"}}


@WAYS
def test_a_password_is_declined_unasked(bench: Bench, modern: bool) -> None:
    """P44: on record, and no setting answers it."""
    servers = server(modern, done("without"), params=form("Log in", user={"type": "string"}, pin={"type": "string"}))
    prepared(bench, servers, rules={"elicit": Rule(has_answer=True, answer={"pin": "1"}, place="c.toml:3")})
    assert turn(bench)["content"] == "without"
    assert answer_of(servers) == {"action": "decline"} and reasons(bench) == ["secret_refused"]


@pytest.mark.parametrize(
    ("name", "schema", "secret"),
    [
        ("password", {}, True), ("apiKey", {}, True), ("API_KEYS", {}, True), ("user_pin", {}, True),
        ("code", {"title": "Your one-time OTP"}, True), ("x", {"format": "password"}, True),
        ("x", {"writeOnly": True}, True), ("spinning", {}, False), ("tokenizer", {}, False), ("opinion", {}, False),
        ("secretary", {}, False), ("x", {"title": "Pinned note"}, False), ("access-key", {}, True),
        ("pass\u200bword", {}, True), ("ｐａｓｓｗｏｒｄ", {}, True), ("p\u0301in", {}, True),
    ],
)  # fmt: skip
def test_names_of_secrets_are_whole_words(name: str, schema: dict[str, Any], secret: bool) -> None:
    """P44."""
    found = questions.secret_field({"properties": {name: {"type": "string", **schema}}})
    assert bool(found) is secret


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"properties": {"user": {"type": "object", "properties": {"password": {"type": "string"}}}}}, "password"),
        ({"properties": {"all": {"type": "array", "items": {"type": "string", "format": "password"}}}}, "all"),
        ({"properties": {"a": {"anyOf": [{"type": "string", "title": "PIN"}, {"type": "null"}]}}}, "a"),
        ({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string", "writeOnly": True}}}, "x"),
        ({"allOf": [{"properties": {"api_key": {"type": "string"}}}], "properties": {"a": {}}}, "api_key"),
        ({"title": "Token usage", "properties": {"a": {"enum": ["password"], "default": {"otp": 1}}}}, ""),
        ({"properties": {"a": {"items": True, "anyOf": "no", "properties": [1]}}}, ""),
    ],
)
def test_a_secret_is_found_at_any_depth(schema: dict[str, Any], name: str) -> None:
    """P44: a value, and the form's own title, ask for none."""
    assert questions.secret_field(schema) == name


def test_several_questions_of_a_call_are_asked_in_turn(bench: Bench) -> None:
    """P40, P47: and one too many ends the call."""
    servers = ScriptedServers(asks(form("One"), "1"), asks(form("Two"), "2"), asks(form("Three"), "3"), max_questions=2)
    prepared(bench, servers)
    found = turn(bench, Answered(value={"name": "1"}), Cancelled())
    assert found["content"] == "docs asked 3 questions in one call." and found["is_error"]
    assert [one["action"] for one in servers.answers()] == ["accept", "cancel", "cancel"]
    assert servers.told[-1]["do"] == "cancel"


def test_a_form_without_fields_is_a_yes_or_no(bench: Bench) -> None:
    """P42."""
    empty = {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}
    asked = questions.asks(questions.ELICIT, empty, host="")
    assert isinstance(asked, Question) and isinstance(asked.answer_type, BooleanAnswer) and asked.acts
    assert questions.accepted(asked, True) == {"action": "accept", "content": {}}
    assert questions.accepted(asked, False) == {"action": "decline"}


def test_defaults_and_other_calls_are_shown(bench: Bench) -> None:
    """P40, P42."""
    given = form("Port", port={"type": "integer", "default": 80}, host={"type": "string"})
    asked = questions.asks(questions.ELICIT, given, host="", of=3)
    assert isinstance(asked, Question) and isinstance(asked.answer_type, SchemaAnswer)
    assert asked.has_default and asked.default == {"port": 80} and "one of 3 calls" in (asked.context or "")


def page(url: str) -> dict[str, Any]:
    return {"mode": "url", "message": "Log in there", "url": url, "elicitationId": "e"}


@WAYS
def test_a_page_is_opened_only_after_a_yes(bench: Bench, modern: bool) -> None:
    """P45: the whole address is shown, with what is odd about it."""
    url = "http://user@exämple.com/x?y=1"
    servers = server(modern, done("seen"), params=page(url))
    opened = prepared(bench, servers)
    bench.script = Script([*call(NAME, {}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    prompt: PromptRequest = bench.prompt()
    shown = prompt.question.context or ""
    assert shown.split("\n")[0] == url and "xn--exmple-cua.com" in shown
    assert "isn't encrypted" in shown and "user part" in shown and prompt.question.floor
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    assert opened == [url] and answer_of(servers) == {"action": "accept"} and result(bench)["content"] == "seen"


@WAYS
@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a.b/\x1b[31m", "https://"])
def test_other_addresses_are_declined_unasked(bench: Bench, modern: bool, url: str) -> None:
    """P45."""
    servers = server(modern, done("no"), params=page(url))
    opened = prepared(bench, servers)
    assert turn(bench)["content"] == "no" and not opened
    assert answer_of(servers) == {"action": "decline"} and reasons(bench) == []


def test_a_page_that_the_call_needs_is_asked_before_it_is_sent_again(bench: Bench) -> None:
    """P45: error -32042."""
    needs = StepFailed("answered with an error: log in", -32042, {"elicitations": [page("https://a.b/1")]})
    servers = ScriptedServers(needs, done("in"))
    opened = prepared(bench, servers)
    assert turn(bench, Answered(value=True))["content"] == "in"
    assert opened == ["https://a.b/1"] and len(calls(servers.told)) == 2


def test_a_page_that_is_refused_ends_the_call(bench: Bench) -> None:
    needs = StepFailed("answered with an error: log in", -32042, {"elicitations": [page("https://a.b/1")]})
    servers = ScriptedServers(needs, done("in"))
    prepared(bench, servers)
    found = turn(bench, Answered(value=False))
    assert found["is_error"] and found["content"] == "docs needs a page that you didn't open."


def test_arguments_are_checked_before_anybody_is_asked(bench: Bench) -> None:
    """P22, M28: the server never hears of it."""
    servers = ScriptedServers(done())
    prepared(bench, servers, run="ask")
    found = turn(bench, arguments={"q": 7})
    assert found["is_error"] and found["content"].startswith("Invalid arguments: `/q` must be text\n\nYou can call")
    assert servers.told == []


def test_a_result_that_breaks_its_own_schema_is_an_error(bench: Bench) -> None:
    """P24."""
    tool = McpTool("find", output_schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    servers = ScriptedServers(done("x", structuredContent={"n": "one"}))
    prepared(bench, servers, tool)
    found = turn(bench)
    said = f"{NAME}: the result does not match the server's own output schema at /n: must be a whole number"
    assert found["is_error"] and found["content"] == said


def test_structured_content_is_kept(bench: Bench) -> None:
    """P24: delivered where no text says the same."""
    servers = ScriptedServers(done("one", structuredContent={"n": 1}))
    prepared(bench, servers)
    found = turn(bench)
    assert found["content"] == 'one\n\n{"n":1}' and found["metadata"]["structured"] == {"n": 1}


def deferred(bench: Bench) -> PromptRequest:
    """A turn whose question waits when the program ends."""
    bench.script = Script([*call(NAME, {"q": "x"}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    bench.stop()
    return prompt


@WAYS
def test_a_question_outlives_the_program(bench: Bench, modern: bool) -> None:
    """P43: with the server's state the same call goes on; without one it runs again up to the same question."""
    servers = ScriptedServers(*([requires(form())] if modern else [asks(form())]), done("hello"))
    prepared(bench, servers)
    before = deferred(bench)
    servers.restarted()
    if not modern:
        servers.script.insert(0, asks(form()))
    bench.start("latest")
    after = bench.prompt()
    assert (after.inquiry, after.digest) == (before.inquiry, before.digest)
    bench.answer(after, Answered(value={"name": "Ann"}))
    bench.turn()
    assert result(bench)["content"] == "hello"
    again = calls(servers.told)
    if modern:  # the first call, and the one with the answer: nothing was sent at the restart
        assert [one.get("state") for one in again] == [None, "s1"] and len(again) == 2
    else:
        assert len(again) == 2 and servers.answers()[-1] == {"action": "accept", "content": {"name": "Ann"}}
    assert not list((bench.home / "open").glob("*"))


def test_a_state_that_the_server_refuses_runs_the_call_again(bench: Bench) -> None:
    """P43: the answer is given when the same question comes."""
    servers = ScriptedServers(requires(form()))
    prepared(bench, servers)
    deferred(bench)
    servers.restarted()
    servers.script += [StepFailed("answered with an error: no such state", -32602), requires(form(), "s2"), done("ok")]
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value={"name": "Ann"}))
    bench.turn()
    assert result(bench)["content"] == "ok"
    assert [one.get("state") for one in calls(servers.told)] == [None, "s1", None, "s2"]


def test_a_kept_state_is_private(bench: Bench) -> None:
    """P43."""
    servers = ScriptedServers(requires(form()))
    prepared(bench, servers)
    deferred(bench)
    (file,) = Path(bench.home / "open").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and '"state": "s1"' in file.read_text()


def test_questions_of_a_call_that_ends_are_cancelled_at_the_server(bench: Bench) -> None:
    """P40: with earlier revisions a question of another call may be in it, and must not wait for ever."""
    servers = ScriptedServers(asks(form("One"), "1"))
    prepared(bench, servers)
    bench.script = Script([*call(NAME, {}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    bench.prompt()
    bench.interrupt("stop")
    bench.turn()
    assert servers.answers() == [{"action": "cancel"}] and servers.told[-1]["do"] == "cancel"


def test_a_server_may_be_told_no_in_lines() -> None:
    """P42: `:n`, and the menu."""
    shown = lines_prompt(BooleanAnswer(), controls=frozenset({"cancel", "decline", "end_turn"}))
    assert ask(shown, ":n")[0] == Cancelled(declined=True)
    assert ask(shown, ":c")[0] == Cancelled()
    plain = lines_prompt(BooleanAnswer(), controls=frozenset({"cancel", "end_turn"}))
    assert ask(plain, ":n", ":c")[0] == Cancelled()


PNG = "iVBORw0KGgoAAAANSUhEUg=="


@pytest.mark.parametrize("sees", [True, False, None])
def test_images_of_a_result_go_to_models_that_take_them(bench: Bench, sees: bool | None) -> None:
    """P24: by their bytes, whatever the server calls them; every other one is a line, as are broken ones."""
    bench.sees_images = sees
    images = [
        {"type": "image", "mimeType": "image/jpeg", "data": PNG},
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
        {"type": "image", "mimeType": "image/png", "data": "no base64"},
    ]
    servers = ScriptedServers(StepDone({"content": images}))
    prepared(bench, servers)
    found = turn(bench)
    assert found["content"].startswith("[image/jpeg, 16 bytes]\n\n[image/png, 2 bytes]")
    sent = [part for part in bench.script.requests[1].messages[-1].parts if isinstance(part, m.Picture)]
    assert sent == ([m.Picture("image/png", PNG)] if sees else [])
    kept = found["metadata"].get("attachments", [])
    assert [one["media_type"] for one in kept] == (["image/png"] if sees else [])


def test_an_answer_that_nobody_waits_for_is_told(bench: Bench) -> None:
    """P42: the server ended the call while the user was still asked."""
    servers = ScriptedServers([asks(form()), done("I went on.")])
    prepared(bench, servers)
    found = turn(bench, Answered(value={"name": "Ada"}))
    assert found["content"] == "[docs no longer waited for the user's answer, and didn't get it.]\n\nI went on."
    assert servers.answers() == []


def test_a_server_may_give_a_request_any_key(bench: Bench) -> None:
    """P40: on 2026-07-28, also none."""
    servers = ScriptedServers(requires(form(), key=""), done("Hello"))
    prepared(bench, servers)
    assert turn(bench, Answered(value={"name": "Ada"}))["content"] == "Hello"
    assert calls(servers.told)[1]["responses"] == {"": {"action": "accept", "content": {"name": "Ada"}}}


def test_an_answer_that_another_call_may_wait_for_is_delivered(bench: Bench) -> None:
    """P40, P42: with several open calls nobody knows whose question it is, also when one of them has ended."""
    servers = ScriptedServers([asks(form(), of=2), done("I went on.")])
    prepared(bench, servers)
    found = turn(bench, Answered(value={"name": "Ada"}))
    assert found["content"] == "I went on." and servers.answers() == [{"action": "accept", "content": {"name": "Ada"}}]


async def test_a_question_that_the_server_withdraws_is_not_asked() -> None:
    """P42: one that waits behind another."""
    script: list[Any] = [[asks(form("One"), "1"), asks(form("Two"), "2"), asks(form("Three"), "3")]]
    made = ScriptedConnection(McpServer("docs", "program"), script, [])
    call = made.call("find", {})
    first = await call.step()
    for number in (1, 2, 7):
        made._take({"say": "withdrawn", "question": number})
    second = await call.step()
    assert isinstance(first, StepAsked) and isinstance(second, StepAsked) and (first.key, second.key) == ("1", "3")
    assert not call.waits("1") and call.waits("3") and call.questions == 2
