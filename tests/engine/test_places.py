"""Why something is asked, or not, names the place of the setting that decided (asking.md E42)."""

from __future__ import annotations

import pytest

from jp_tui.engine.base.dependencies import Policies
from jp_tui.inquiry.values import Policy
from jp_tui.protocol.values import Delivered, Permitted
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, at_once

OK = [*text("Ok."), *end()]


def test_leave_is_asked_for_by_a_setting_with_its_place(bench: Bench) -> None:
    bench.tools["tool"] = tool_setup(
        "tool", Made(at_once), run="ask", result="edit", run_place="a.toml:3", result_place="b.toml:5"
    )
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    leave = bench.prompt()
    assert "run is `ask` (a.toml:3)" in leave.why
    bench.answer(leave, Permitted(run=True))
    result = bench.prompt()
    assert "result is `edit` (b.toml:5)" in result.why
    bench.answer(result, Delivered(deliver=True))
    assert bench.turn().outcome == "done"


@pytest.mark.parametrize("policy", ["deny", "defer", "defaults"])
def test_a_policy_stands_with_its_place(bench: Bench, policy: Policy) -> None:
    bench.client = False
    policies = Policies(tool=policy, places={"run": "no.toml:1", "tool": "c.toml:7"})
    bench.tools["tool"] = tool_setup("tool", Made(asks), policies=policies)
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.turn()
    (request,) = [event for event in bench.log() if event["type"] == "inquiry_request"]
    assert f"`{policy}` (c.toml:7)" in request["metadata"]["why"]
