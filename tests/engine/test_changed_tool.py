"""A tool that its server changed since it was accepted: every call is shown to a person first (mcp.md P31)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.engine.base.dependencies import Policies, ToolChange
from jp_tui.engine.turn.changed_tool import CHANGED
from jp_tui.inquiry.values import Rule
from jp_tui.protocol.values import Edited, Permitted, PromptRequest
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, at_once

OK = [*text("Ok."), *end()]
NAME = "mcp.docs.search"


class Server:
    """A server's tool with a change that waits for the user."""

    def __init__(self, bench: Bench, *, waits: bool = True, **more: Any) -> None:
        self.tool, self.waits, self.accepted = Made(at_once), waits, 0
        more = {"run": "unattended", **more}
        bench.tools[NAME] = tool_setup(NAME, self.tool, kind="mcp", server="docs", change=self.change, **more)
        self.bench = bench

    def change(self) -> ToolChange | None:
        return (
            ToolChange(("description",), "description:\n-Find pages.\n+Find \x1b]0;x\x07 all.\n", self.accept)
            if self.waits
            else None
        )

    def accept(self) -> None:
        self.waits, self.accepted = False, self.accepted + 1

    def calls(self, count: int = 1) -> None:
        made = [[*call(NAME, {"n": at}, f"c{at}"), *end("tools")] for at in range(count)]
        self.bench.script = Script(*made, OK)
        self.bench.start()
        self.bench.say("go")


def result(bench: Bench, at: int = 0) -> dict[str, Any]:
    return [event for event in bench.log() if event["type"] == "tool_call_response"][at]


def asked(bench: Bench) -> PromptRequest:
    prompt = bench.prompt()
    assert prompt.kind == "permission"
    assert prompt.rendered.raw.startswith(f"{CHANGED}\n\ndescription:\n-Find pages.\n+Find ")
    assert prompt.rendered.raw.endswith('The call:\n{\n  "n": 0\n}') and prompt.server == "docs"
    assert prompt.scopes == () and "remember" not in prompt.controls and not prompt.preselect
    return prompt


def test_p31_a_call_of_a_changed_tool_shows_the_change_and_a_yes_accepts_it(bench: Bench) -> None:
    """The tool runs unattended otherwise; the second call isn't asked about any more."""
    server = Server(bench)
    server.calls(2)
    prompt = asked(bench)
    assert "changed since you accepted it (description)" in prompt.why and not server.tool.calls
    bench.answer(prompt, Permitted(run=True))
    assert bench.turn().outcome == "done"
    assert (len(server.tool.calls), server.accepted) == (2, 1)
    permission = result(bench)["metadata"]["permission"]
    assert (permission["choice"], permission["by"], permission["changed"]) == ("run", "user", ["description"])


@pytest.mark.parametrize("response", [Permitted(run=False), Permitted(run=False, reason="no")])
def test_p31_a_no_accepts_nothing(bench: Bench, response: Permitted) -> None:
    server = Server(bench)
    server.calls()
    bench.answer(asked(bench), response)
    bench.turn()
    assert not server.tool.calls and server.waits and not server.accepted


def test_p31_an_edited_call_accepts_too(bench: Bench) -> None:
    server = Server(bench)
    server.calls()
    bench.answer(asked(bench), Edited(arguments={"n": 7}))
    bench.turn()
    assert [one.arguments for one in server.tool.calls] == [{"n": 7}] and server.accepted == 1


def test_p31_no_reviewer_stands_in(bench: Bench) -> None:
    bench.approval = Rule(target="assistant_with_escalation")
    server = Server(bench, run="ask")
    server.calls()
    bench.answer(asked(bench), Permitted(run=True))
    assert bench.turn().outcome == "done" and server.accepted == 1


@pytest.mark.parametrize("policy", ["auto", "unset", "defer", "deny"])
def test_p31_without_a_client_it_does_not_run(bench: Bench, policy: Any) -> None:
    bench.client = False
    server = Server(bench, policies=Policies(run=policy))
    server.calls()
    bench.turn()
    assert result(bench)["content"] == (
        "Tool 'mcp.docs.search' was not run: it changed since it was accepted (description). See jp-tui mcp accept "
        "docs. Do not retry this tool call in this turn."
    )
    assert result(bench)["is_error"] and not server.tool.calls and server.waits


def test_p31_a_change_between_the_permission_and_the_run_is_asked_about(bench: Bench) -> None:
    """The listing changes while the prompt is open."""
    server = Server(bench, waits=False, run="ask")
    server.calls()
    prompt = bench.prompt()
    assert not prompt.rendered
    server.waits = True
    bench.answer(prompt, Permitted(run=True))
    bench.answer(asked(bench), Permitted(run=True))
    assert bench.turn().outcome == "done" and len(server.tool.calls) == 1 and server.accepted == 1


def test_p31_a_change_that_cannot_be_stored_runs_nothing(bench: Bench) -> None:
    server = Server(bench)

    def full() -> None:
        raise ValueError("No space left on device")

    server.accept = full  # type: ignore[method-assign]
    server.calls()
    bench.answer(asked(bench), Permitted(run=True))
    bench.turn()
    assert "can't be stored: No space left" in result(bench)["content"] and not server.tool.calls
