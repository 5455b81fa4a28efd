"""Who let a call run is on the disk before it runs (R205), whatever becomes of the call."""

from __future__ import annotations

import json
from typing import Any

from jp_tui.engine.record.unlogged_results import LEAVE
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Permitted
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.journals import Refused
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, at_once


def leaves(bench: Bench) -> list[dict[str, Any]]:
    """What is kept beside the log, by another connection."""
    reader = open_reader(bench.home / "conversations.db")
    try:
        parts = reader.partials(bench.conversation)
        return [json.loads(part.text)["metadata"]["permission"] for part in parts if part.kind == LEAVE]
    finally:
        reader.close()


def asked(bench: Bench, *runs: Any) -> None:
    """A conversation in which `quick` asks for leave, and gets it."""
    bench.tools["quick"] = tool_setup("quick", Made(*runs), run="ask")
    bench.script = Script([*call("quick", {}), *end("tools")], [*text("Done."), *end()], [*text("Fine."), *end()])
    bench.start()
    bench.say("go")


def test_r205_leave_is_on_the_disk_while_the_call_runs(bench: Bench) -> None:
    seen: list[dict[str, Any]] = []

    def look(given: Any) -> Any:
        seen.extend(leaves(bench))
        return at_once(given)

    asked(bench, look)
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert [(one["choice"], one["by"]) for one in seen] == [("run", "user")]
    assert not leaves(bench), "the response says it now"


def test_r205_a_call_whose_result_cannot_be_recorded_keeps_its_leave(bench: Bench) -> None:
    """It ran, and the log failed: what closes it says who allowed it, also after the program was started again."""
    asked(bench, at_once)
    bench.journal.refuse = lambda kind: kind == "tool_call_response"
    bench.answer(bench.prompt(), Permitted(run=True))
    assert bench.turn().outcome == "failed"
    assert [one["by"] for one in leaves(bench)] == ["user"]
    bench.stop()
    opened = bench.start("latest")
    (response,) = [one.event for one in opened.page if one.event["type"] == "tool_call_response"]
    assert response["is_error"] and response["metadata"]["permission"]["choice"] == "run"
    assert not leaves(bench)


def test_r205_what_cannot_be_put_on_record_does_not_run(bench: Bench) -> None:
    ran: list[int] = []

    def note(given: Any) -> Any:
        ran.append(1)
        return at_once(given)

    asked(bench, note)
    prompt = bench.prompt()
    bench.journal.partial = lambda *_, **__: Refused()  # type: ignore[attr-defined]
    bench.answer(prompt, Permitted(run=True))
    assert "full" in bench.until(e.StorageFailed).message
    assert bench.turn().outcome == "failed" and not ran
