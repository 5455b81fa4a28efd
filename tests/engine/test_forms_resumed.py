"""Forms and parts of an approval after a kill (R237, R177, R251, E24), through the engine with the real tools."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Edited, PartsTaken, PromptRequest, Response, Restored, Submitted, WentBack
from jp_tui.questions.types import BooleanAnswer, Part, Question
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_forms import FORM, OK, go, take
from tests.engine.wires import accepted
from tests.fakes.models import Script, call, end
from tests.fakes.tools import Made, series


def cut(bench: Bench, how: str, name: str = "after") -> PromptRequest:
    """The program ends while something waits; what waits after the next start."""
    bench.stop() if how == "leave" else bench.kill(name)
    bench.start("latest")
    return bench.prompt()


def whole(bench: Bench) -> dict[str, Any]:
    """Each request has one response, no id comes twice, every wire takes what was told; the results by call."""
    bench.send(c.ReadEvents(conversation=bench.conversation, around=0, count=10_000))
    events = [stored.event for stored in bench.until(e.EventsRead).events]
    for kind in ("inquiry", "tool_call"):
        asked = [str(event["id"]) for event in events if event["type"] == f"{kind}_request"]
        assert len(set(asked)) == len(asked)
        assert sorted(asked) == sorted(str(event["id"]) for event in events if event["type"] == f"{kind}_response")
    for request in bench.script.requests:
        accepted(request)
    return {str(event["id"]): event["content"] for event in events if event["type"] == "tool_call_response"}


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_what_back_discarded_stays_away(bench: Bench, how: str) -> None:
    """R177, R237: killed at the target: its pre-fill, its draft and its undo are there, and no answer from it on."""
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, WentBack(to="deploy"), "note")
    shown = bench.prompt()
    bench.draft(shown.inquiry, "half")
    again = cut(bench, how)
    assert (again.inquiry, again.prefill, again.undo, again.back) == (shown.inquiry, (True,), shown.undo, "")
    assert bench.ever(e.ConversationOpened).drafts == {shown.inquiry: "half"}
    assert again.form is not None and [place.state for place in again.form.places] == ["current", "ahead", "ahead"]
    bench.answer(again, Answered(value=False))
    take(bench, Answered(value="n"), "note")
    assert bench.turn().outcome == "done"
    assert json.loads(whole(bench)["c1"]) == {"deploy": False, "env": None, "note": "n"}


def test_the_undo_works_after_a_kill_and_survives_one(bench: Bench) -> None:
    """E23: brought back after the restart; killed again, the answers are still there."""
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, WentBack(to="deploy"), "note")
    bench.prompt()
    bench.answer(cut(bench, "kill", "one"), Restored())
    assert bench.prompt().question.id == "note"
    last = cut(bench, "kill", "two")
    assert last.question.id == "note" and last.undo == () and last.back == "env"
    bench.answer(last, Answered(value="n"))
    assert bench.turn().outcome == "done"
    assert json.loads(whole(bench)["c1"]) == {"deploy": True, "env": "live", "note": "n"}


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_the_review_comes_back(bench: Bench, how: str) -> None:
    """R182b, R207: nothing of the review is on record, and all that it shows is."""
    bench.reviews = True
    go(bench, FORM)
    for asked, value in (("deploy", True), ("env", "live"), ("note", "n")):
        take(bench, Answered(value=value), asked)
    shown = bench.prompt()
    look = cut(bench, how)
    assert (look.kind, look.digest, look.back, look.form) == ("review", shown.digest, "note", shown.form)
    bench.answer(look, WentBack())
    take(bench, Answered(value="m"), "note")
    bench.answer(bench.prompt(), Submitted())
    assert bench.turn().outcome == "done"
    assert json.loads(whole(bench)["c1"])["note"] == "m"


def test_back_from_the_review_and_a_kill(bench: Bench) -> None:
    """The only record of that Back is the next showing (R181): the answer does not rise again."""
    bench.reviews = True
    go(bench, FORM)
    for asked, value in (("deploy", True), ("env", "live"), ("note", "n")):
        take(bench, Answered(value=value), asked)
    bench.answer(bench.prompt(), WentBack(to="env"))
    bench.prompt()
    again = cut(bench, "kill")
    assert again.question.id == "env" and again.prefill == ("live",) and again.undo == ("env", "note")
    bench.answer(again, Answered(value="staging"))
    take(bench, Answered(value="m"), "note")
    bench.answer(bench.prompt(), Submitted())
    assert bench.turn().outcome == "done"
    assert json.loads(whole(bench)["c1"]) == {"deploy": True, "env": "staging", "note": "m"}


def two(text: str = "A?") -> Made:
    return Made(series(Question("a", text, BooleanAnswer()), Question("b", "B?", BooleanAnswer())))


def test_a_tag_of_the_record_decides_nothing(bench: Bench) -> None:
    """R24: `user_edit` alone, as another program may write it, takes no answer away."""
    tool = two()
    bench.tools["tool"] = tool_setup("tool", tool)
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    second = bench.prompt()
    bench.kill()
    closing = {"type": "inquiry_response", "outcome": "cancelled", "id": second.inquiry, "reason": "user_edit"}
    with sqlite3.connect(bench.home / "conversations.db") as db:
        place, seq = db.execute("SELECT max(place), max(seq) FROM events").fetchone()
        db.execute(
            "INSERT INTO events SELECT ?, conversation, ?, turn, 'inquiry_response', inquiry, at, lines, characters,"
            " ?, '' FROM events WHERE place = ?",
            (place + 1, seq + 1, json.dumps(closing), place),
        )
        db.execute("UPDATE conversations SET last_seq = last_seq + 1, events = events + 1")
    db.close()
    bench.start("latest")
    again = bench.prompt()
    assert (again.question.id, again.inquiry) == ("b", "c1.b.2")
    bench.answer(again, Answered(value=False))
    bench.turn()
    assert whole(bench)["c1"] == "heard True False"


def test_edited_arguments_begin_anew_also_after_a_kill(bench: Bench) -> None:
    """R97b, R237: what was answered about other arguments is no answer, and the model's own run again."""
    tool = two()
    bench.tools["tool"] = tool_setup("tool", tool)
    bench.script = Script([*call("tool", {"n": 1}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.answer(bench.prompt(), Edited(arguments={"n": 2}))
    assert bench.prompt().inquiry == "c1.a.2"
    again = cut(bench, "kill")
    assert again.inquiry == "c1.a.2" and not tool.calls[-1].answers
    for value in (False, True):
        bench.answer(again, Answered(value=value))
        again = bench.prompt() if not value else again
    bench.turn()
    assert whole(bench)["c1"] == "heard False True"


HUNKS = (Part("1", "d1", "first", "@@ -1 +1 @@"), Part("2", "d2", "second", "@@ -9 +9 @@"))
CHANGE = Question("apply", "Apply?", BooleanAnswer(), parts=HUNKS)


async def by_hunk(call: ToolCall) -> Outcome:
    """Approves by parts, then asks one thing more, so that the answer must survive."""
    if (given := call.answers.get("apply")) is None:
        return NeedsInput(CHANGE)
    if "sure" not in call.answers:
        return NeedsInput(Question("sure", "Sure?", BooleanAnswer()))
    assert given.taken is not None
    return Success(f"{given.value} {given.taken.accepted} {dict(given.taken.comments)}")


@pytest.mark.parametrize("killed", [True, False])
def test_parts_reach_the_tool_and_the_record(bench: Bench, killed: bool) -> None:
    """R251, row 27: which were accepted and what was said of the others; a partial yes is never remembered."""
    bench.tools["tool"] = tool_setup("tool", Made(by_hunk))
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    shown = bench.prompt()
    assert shown.question.parts == HUNKS and "remember" in shown.controls
    for odd in (PartsTaken(accepted=("3",)), PartsTaken(accepted=())):
        bench.answer(shown, Answered(value=True, parts=odd))
        assert "part" in bench.until(e.AnswerRefused).reason
    taken = PartsTaken(accepted=("2",), comments={"1": "not this"})
    answer: Response = Answered(value=True, remember=True, parts=taken)
    bench.answer(shown, answer)
    recorded = bench.until(e.EventAppended, lambda event: event.stored.event["type"] == "inquiry_response")
    assert recorded.stored.event["parts"] == {"accepted": ["2"], "comments": {"1": "not this"}}
    last = bench.prompt()
    bench.answer(cut(bench, "kill") if killed else last, Answered(value=True))
    bench.turn()
    assert whole(bench)["c1"] == "True ('2',) {'1': 'not this'}"
