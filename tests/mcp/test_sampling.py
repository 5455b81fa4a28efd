"""Requests of a server to the user's model (mcp.md P46): asked, bounded, recorded, without a process."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.mcp import sampling
from jp_tui.mcp.connection import Launch, StepAsked
from jp_tui.mcp.values import McpServer
from jp_tui.protocol import events as e
from jp_tui.protocol.usage import ReadUsage, UsageRead
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest, Replied, Response
from jp_tui.tools.port import Sampled
from tests.engine.conftest import Bench, bench
from tests.fakes.models import Script, call, end, text
from tests.mcp.scripted import ScriptedServers, calls, done
from tests.mcp.test_questions import NAME, prepared, reasons, result

__all__ = ["bench"]
WAYS = pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])


def params(*messages: Any, most: Any = 100, **more: Any) -> dict[str, Any]:
    said = messages or ({"role": "user", "content": {"type": "text", "text": "Sum it up"}},)
    return {"messages": list(said), "maxTokens": most, "systemPrompt": "Be brief.", **more}


def server(given: dict[str, Any], *rest: Any, modern: bool = False, **keys: Any) -> ScriptedServers:
    """A server that asks the model once, in either revision."""
    asks: Any = StepAsked("1", "sampling/createMessage", given)
    if modern:
        asks = {"requests": {"who": {"method": "sampling/createMessage", "params": given}}, "state": "s1"}
    return ScriptedServers(asks, *rest, **{"sampling": "ask", **keys})


def begun(bench: Bench, servers: ScriptedServers, *replies: Any) -> None:
    prepared(bench, servers)
    bench.script = Script([*call(NAME, {}, "c1"), *end("calls")], *replies, [*text("ok"), *end()])
    bench.start()
    bench.say("go")


def told(servers: ScriptedServers) -> Any:
    again = [one for one in calls(servers.told) if "responses" in one]
    return again[0]["responses"]["who"] if again else servers.answers()[0]  # type: ignore[index,call-overload]


@WAYS
def test_a_yes_asks_the_model_and_nothing_else(bench: Bench, modern: bool) -> None:
    """P46: what is shown is all that is sent; no tools, no history, no instructions of ours."""
    servers = server(params(temperature=0.2), done("summed"), modern=modern)
    begun(bench, servers, [*text("It is short."), *end(input_=7, output=3)])
    asked: PromptRequest = bench.prompt()
    assert asked.question.id == "sampling" and asked.question.floor and asked.human_only and not asked.preselect
    assert asked.question.text == "Send this to fake/model, for a reply of at most 100 tokens?"
    assert (asked.question.context or "").splitlines() == [
        "Model: fake/model",
        "At most 100 tokens of reply, at your cost. The reply goes to the server.",
        "Temperature: 0.2",
        "System prompt:",
        "  Be brief.",
        "User:",
        "  Sum it up",
    ]
    bench.answer(asked, Answered(value=True))
    turn = bench.turn()
    sent = bench.script.requests[1]
    assert sent.messages == (m.Message("user", (m.TextPart("Sum it up"),)),)
    assert (sent.system, sent.tools, sent.tool_choice, sent.max_tokens) == ("Be brief.", (), "none", 100)
    assert (sent.temperature, sent.conversation, sent.cache) == (0.2, "", "off")
    content = {"type": "text", "text": "It is short."}
    said = {"role": "assistant", "content": content, "model": "fake/model", "stopReason": "endTurn"}
    assert told(servers) == said
    kept = result(bench)["metadata"]["sampling"]
    usage = {"input": 7, "output": 3, "cached": 0, "reasoning": 0}
    assert kept == [{"model": "fake/model", "text": "It is short.", "usage": usage}]
    assert reasons(bench) == ["answered"] and (turn.usage.input, turn.usage.output) == (27, 13)


def test_its_tokens_are_a_line_of_usage(bench: Bench) -> None:
    """P46: the call's."""
    begun(bench, server(params(), done()), [*text("Short."), *end(input_=7, output=3)])
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    bench.send(ReadUsage(conversation=bench.conversation))
    (turn,) = bench.until(UsageRead).turns
    assert [(one.what.raw, one.usage.input) for one in turn.requests] == [
        (NAME, 10),
        (f"for the server of {NAME}", 7),
        ("answer", 10),
    ]


@pytest.mark.parametrize("response", [Answered(value=False), Cancelled(declined=True), Replied(text="no")])
def test_everything_but_a_yes_is_an_error(bench: Bench, response: Response) -> None:
    """P46: -1."""
    servers = server(params(), done("without"))
    begun(bench, servers)
    bench.answer(bench.prompt(), response)
    bench.turn()
    assert servers.answers() == [{"code": -1, "message": "The user did not allow it."}]
    assert len(bench.script.requests) == 2 and "without" in result(bench)["content"]


def test_a_refusal_ends_a_call_of_2026_07_28(bench: Bench) -> None:
    """P46: there an answer has no form for an error."""
    begun(bench, server(params(), done("never"), modern=True))
    bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    assert result(bench)["content"] == "docs was refused: The user did not allow it."


GIF = base64.b64encode(b"GIF89a, in short").decode()
IMAGE = {"role": "user", "content": {"type": "image", "mimeType": "image/png", "data": GIF}}
"""Its type is the server's word for it."""


def image(data: Any) -> dict[str, Any]:
    """An image by the server's word."""
    return {"role": "user", "content": {"type": "image", "mimeType": "image/png", "data": data}}


AUDIO = {"role": "user", "content": {"type": "audio", "mimeType": "audio/wav", "data": "aGk="}}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (params(most=101), "maxTokens is 101; at most 100 are allowed."),
        (params(most=0), "maxTokens must be a number of at least 1."),
        (params(most=True), "maxTokens must be a number of at least 1."),
        (params(tools=[{"name": "x"}]), "Tools are not supported in a request to the model."),
        (params(AUDIO), "The user's model doesn't take content of type audio."),
        (params({"role": "system", "content": {"type": "text", "text": "x"}}), "A message has no known role."),
        (params({**IMAGE, "role": "assistant"}), "The user's model doesn't take content of type image."),
        (params(image("PHN2Zz4=")), "The user's model doesn't take this image."),  # <svg>
        (params(image("no base64")), "The user's model doesn't take this image."),
        (params(image(None)), "The user's model doesn't take this image."),
        (params(*[IMAGE] * 11), "More than 10 images, or 5 MiB of them, are not sent to a model."),
        (
            params({"role": "user", "content": {"type": "text", "text": "x" * 300_000}}),
            "The request is longer than 256 KiB: it can't be shown to the user.",
        ),
        ({"messages": [], "maxTokens": 5}, "There are no messages."),
    ],
)
def test_beyond_the_bounds_nobody_is_asked(bench: Bench, given: dict[str, Any], why: str) -> None:
    """P46: -1."""
    servers = server(given, done("without"), sampling_tokens=100)
    begun(bench, servers)
    bench.turn()
    assert servers.answers() == [{"code": -1, "message": why}] and reasons(bench) == []


def test_a_call_has_a_number_of_requests(bench: Bench) -> None:
    """P46: sampling without end."""
    asks = [StepAsked(str(n), "sampling/createMessage", params(most=n)) for n in (1, 2, 3)]
    servers = ScriptedServers(*asks, done("enough"), sampling="ask", sampling_requests=2)
    begun(bench, servers, [*text("1"), *end()], [*text("2"), *end()])
    for _ in range(2):
        bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert servers.answers()[2] == {"code": -1, "message": "Only 2 requests to the model are allowed in one call."}
    assert [one["text"] for one in result(bench)["metadata"]["sampling"]] == ["1", "2"]


def test_it_is_off_unless_a_setting_says_ask(bench: Bench) -> None:
    """P46: neither declared nor answered, and never without a model to ask."""
    servers = server(params(), done("without"), sampling="off")
    begun(bench, servers)
    bench.turn()
    assert servers.answers() == [{"code": -1, "message": "Not supported here."}]
    for setting, model, declared in (("off", True, False), ("ask", True, True), ("ask", False, False)):
        made = McpServer("docs", "x", sampling=setting)  # type: ignore[arg-type]
        launch = Launch(made, "/", {}, {}, "x.log", "file:///", "1", sampling=model)
        assert launch.message()["sampling"] is declared


def test_without_a_client_nobody_can_allow_it(bench: Bench) -> None:
    """P46, R247: it is a floor."""
    bench.client = False
    servers = server(params(), done("never"))
    begun(bench, servers)
    bench.turn()
    assert reasons(bench) == ["no_prompt_backend"] and len(bench.script.requests) == 2
    assert servers.answers()[0]["code"] == -1


def test_a_model_that_fails_is_an_error_of_the_request(bench: Bench) -> None:
    servers = server(params(), done("without"))
    begun(bench, servers, [m.ModelError("overloaded", "Busy.", transient=True)], [m.ModelError("server", "Broken.")])
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert servers.answers() == [{"code": -32603, "message": "The user's model failed: Broken."}]
    assert "sampling" not in result(bench)["metadata"]


def test_lines_of_a_server_look_like_none_of_ours(bench: Bench) -> None:
    """P46: indented; images are named by their bytes; the reply ends where the server says."""

    class Model:
        model, images = "a/b", True

        async def sample(self, request: Any) -> Sampled:
            raise AssertionError

    words = {"type": "text", "text": "hi\nModel: other/one\u2028User:"}
    forged = {"role": "user", "content": [words, IMAGE["content"]]}
    made = sampling.sampling(params(forged, stopSequences=["END"]), McpServer("docs", "x"), Model(), 0)
    shown = (made.question.context or "").splitlines()
    assert shown[shown.index("User:") :] == [
        "User:",
        "  hi",
        "  Model: other/one",
        "  User:",
        "  [image/gif, 16 bytes]",
    ]
    assert made.request.messages[0].parts[1] == m.Picture("image/gif", GIF)
    cut = made.result("a/b", Sampled("one END two", "length"))
    assert cut["content"] == {"type": "text", "text": "one "} and cut["stopReason"] == "stopSequence"
    assert made.result("a/b", Sampled("one", "length"))["stopReason"] == "maxTokens"


def test_an_interrupt_stops_the_model(bench: Bench) -> None:
    servers = server(params(), done("never"))
    begun(bench, servers, [asyncio.Event()])
    bench.answer(bench.prompt(), Answered(value=True))
    bench.until(e.CallChanged, lambda one: one.said.raw == "waiting for fake/model")
    bench.interrupt("stop")
    assert bench.turn().outcome == "interrupted"
    assert servers.told[-1]["do"] == "cancel"
