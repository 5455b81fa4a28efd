"""Questions of a server that are declined from elsewhere, and calls that run again (mcp.md P42, P43)."""

from __future__ import annotations

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted
from tests.engine.conftest import Bench, bench
from tests.fakes.models import Script, call, end, text
from tests.mcp.scripted import ScriptedServers, asks, calls, done, form
from tests.mcp.test_questions import NAME, WAYS, answer_of, deferred, prepared, reasons, result, server

__all__ = ["bench"]


def begun(bench: Bench) -> None:
    bench.script = Script([*call(NAME, {"q": "x"}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    bench.prompt()


def declines(bench: Bench, **more: str) -> e.OfferSettled:
    bench.send(c.OfferAnswer(inquiry="c1.elicit.1", decline=True, **{"conversation": "", "value": "", **more}))
    return bench.until(e.OfferSettled)


@WAYS
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "another process"])
def test_a_question_is_declined_by_a_command(bench: Bench, modern: bool, elsewhere: bool) -> None:
    """P42: `answer ID --decline`; the server reads a no, and its result is the call's."""
    servers = server(modern, done("as you like"))
    prepared(bench, servers)
    begun(bench)
    if elsewhere:
        other = bench.other()
        other.run()
        assert declines(other).status == "accepted"
        other.stop()
    else:
        assert declines(bench).status == "accepted"
    bench.turn()
    assert answer_of(servers) == {"action": "decline"} and reasons(bench) == ["user_decline"]
    assert (result(bench)["content"], result(bench)["is_error"]) == ("as you like", False)


@WAYS
def test_one_that_waits_for_a_later_start_is_declined_too(bench: Bench, modern: bool) -> None:
    """P42, P43: the resumed call tells the server, and nobody is asked again."""
    servers = server(modern, done("fine"), params=form())
    prepared(bench, servers)
    deferred(bench)
    servers.restarted()
    if not modern:
        servers.script.insert(0, asks(form()))
    bench.run()
    assert declines(bench).status == "accepted"
    bench.stop()
    bench.start("latest")
    bench.turn()
    assert result(bench)["content"] == "fine" and len(calls(servers.told)) == 2
    assert (answer_of(servers) if modern else servers.answers()[-1]) == {"action": "decline"}


def test_a_no_to_a_server_has_no_reason(bench: Bench) -> None:
    prepared(bench, server(False, done("x")))
    begun(bench)
    assert declines(bench, note="never").message == "An MCP server gets no reason. Decline without one."


def test_what_no_server_asked_cannot_be_declined(bench: Bench) -> None:
    from jp_tui.questions.types import BooleanAnswer, Question
    from tests.engine.conftest import tool_setup
    from tests.fakes.tools import Made, series

    bench.tools["tool"] = tool_setup("tool", Made(series(Question("q", "What?", BooleanAnswer()))))
    bench.script = Script([*call("tool", {}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    bench.prompt()
    bench.send(c.OfferAnswer(conversation="", inquiry="c1.q.1", value="", decline=True))
    assert bench.until(e.OfferSettled).status == "invalid"


def test_the_run_prompt_says_that_the_call_ran_before(bench: Bench) -> None:
    """P43: with a server that keeps no state, the call runs again from the start, through its prompt."""
    servers = ScriptedServers(asks(form("Who are you?")), asks(form("Who are you?")), done("hello"))
    prepared(bench, servers, run="ask")
    bench.script = Script([*call(NAME, {"q": "x"}, "c1"), *end("calls")], [*text("ok"), *end()])
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert "ran before" not in first.rendered.raw
    bench.answer(first, Permitted(run=True))
    bench.prompt()
    bench.stop()
    servers.restarted()
    bench.start("latest")
    again = bench.prompt()
    assert again.kind == "permission"
    assert again.rendered.raw == 'It ran before, up to this question: Who are you?\n\n{\n  "q": "x"\n}'
    assert again.digest != first.digest
    bench.answer(again, Permitted(run=True))
    bench.answer(bench.prompt(), Answered(value={"name": "Ann"}))
    bench.turn()
    assert result(bench)["content"] == "hello"
