"""What a tool writes while it runs is seen while it runs (issue 8, line 9), without the secrets in it."""

from __future__ import annotations

from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as e
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import builtin
from jp_tui.view.activity.activity import Activity, applied
from jp_tui.view.activity.lines import lines
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made


async def speaks(call_: ToolCall) -> Success:
    call_.progress("compiling 3 of 7")
    return Success("done")


def test_the_last_line_is_told_while_it_runs_and_gone_behind_it(bench: Bench) -> None:
    bench.tools["build"] = tool_setup("build", Made(speaks))
    bench.script = Script([*call("build", {}, "c1"), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.turn()
    changed = [event for event in bench.events if isinstance(event, e.CallChanged) and event.call == "c1"]
    assert [one.said.raw for one in changed if one.state == "running"] == ["", "compiling 3 of 7"]
    assert changed[-1].state == "completed" and not changed[-1].said


def test_a_command_speaks_as_it_runs(bench: Bench) -> None:
    """Its output comes line by line, long before its result."""
    tool = builtin()["shell_run"]
    options = {"sandbox": {"mode": "off"}, "confirm": "never"}
    bench.tools["shell_run"] = tool_setup("shell_run", tool, options=options)
    arguments = {"command": "echo began; while [ ! -e go ]; do sleep 0.02; done"}
    bench.script = Script([*call("shell_run", arguments, "c1"), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.CallChanged, lambda event: event.said.raw == "began")
    (bench.workspace / "go").touch()
    assert bench.turn().outcome == "done"


def test_the_sidebar_shows_it_below_the_call_that_runs() -> None:
    def changed(state: str, said: str = "") -> e.CallChanged:
        told = {"conversation": "c", "turn": 1, "call": "c1", "tool": "build", "state": state, "said": Foreign(said)}
        return e.CallChanged.model_validate(told)

    activity = applied(Activity(), changed("running"), 0.0)
    activity = applied(activity, changed("running", "compiling 3 of 7"), 1.0)
    shown = lines(activity, 2.0)
    at = next(number for number, line in enumerate(shown) if line.text.raw == "build")
    assert (shown[at + 1].text.raw, shown[at + 1].depth, shown[at].right) == ("compiling 3 of 7", 1, "2 s")
    done = applied(activity, changed("completed"), 3.0)
    assert all(line.text.raw != "compiling 3 of 7" for line in lines(done, 3.0))
