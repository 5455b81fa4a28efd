"""Questions through the link, with the real tools: asked, answered, recorded, and the tool run again (R97-R118)."""

from __future__ import annotations

import json
import re

from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Replied
from tests.engine.conftest import Bench
from tests.fakes.models import Script, call, end, text

ASK = {"question": "Which colour?", "answer_type": "select", "options": ["red", "[blue]"]}
EDIT = {"path": "a.txt", "patterns": [{"old": "alpha", "new": "beta"}]}


def results(bench: Bench) -> list[dict[str, object]]:
    return [event for event in bench.log() if event["type"] == "tool_call_response"]


def test_ask_user_from_model_to_answer(bench: Bench) -> None:
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Blue it is."), *end()])
    bench.start()
    bench.say("paint")
    prompt = bench.prompt()
    assert prompt.source == "assistant" and prompt.human_only
    assert "cancel" not in prompt.controls and "remember" not in prompt.controls
    assert bench.kinds()[-1] == "inquiry_request", "recorded before it is shown (R205)"
    bench.answer(prompt, Answered(value="[blue]"))
    assert bench.turn().outcome == "done"
    assert json.loads(str(results(bench)[0]["content"])) == {"answer_type": "select", "answer": "[blue]"}
    kinds = bench.kinds()
    assert kinds.index("inquiry_response") < kinds.index("tool_call_response")
    request = next(event for event in bench.log() if event["type"] == "inquiry_request")
    assert request["id"] == "c1.answer.1" and request["source"] == {"source": "assistant"}


def test_a_change_is_written_only_after_yes(bench: Bench) -> None:
    """R234, R235."""
    file = bench.workspace / "a.txt"
    file.write_text("alpha\n")
    bench.script = Script(
        [*call("fs_modify_file", EDIT), *end("tools")],
        [*call("fs_modify_file", EDIT, "c2"), *end("tools")],
        [*text("Ok."), *end()],
    )
    bench.start()
    bench.say("edit")
    first = bench.prompt()
    assert first.question.id == "apply_changes" and "+beta" in (first.question.context or "")
    assert first.subject.raw == "a.txt"
    bench.answer(first, Answered(value=False))
    second = bench.prompt()
    assert file.read_text() == "alpha\n"
    bench.answer(second, Answered(value=True))
    bench.turn()
    assert file.read_text() == "beta\n"
    refused, done = results(bench)
    assert refused["content"] == (
        "The proposed file changes were reviewed and rejected. Changes were not applied. You may retry with "
        "different changes."
    )
    assert refused["is_error"] and not done["is_error"]


def test_a_file_that_changed_meanwhile_is_asked_about_again(bench: Bench) -> None:
    """R235: what is approved is what is written."""
    file = bench.workspace / "a.txt"
    file.write_text("alpha\n")
    bench.script = Script([*call("fs_modify_file", EDIT), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("edit")
    first = bench.prompt()
    file.write_text("alpha\nmore\n")
    bench.answer(first, Answered(value=True))
    second = bench.prompt()
    assert second.inquiry == "c1.apply_changes.2" and second.digest != first.digest
    bench.answer(second, Answered(value=True))
    bench.turn()
    assert file.read_text() == "beta\nmore\n"


def test_two_questions_wait_and_are_answered_in_any_order(bench: Bench) -> None:
    """R99, R116, R95."""
    calls = [*call("ask_user", ASK, "c1", 0), *call("ask_user", {"question": "Name?"}, "c2", 1)]
    bench.script = Script([*calls, *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("ask")
    first, second = bench.prompt(), bench.prompt()
    bench.answer(second, Answered(value="Ann"))
    bench.until(e.QuestionSettled)
    bench.answer(first, Answered(value="red"))
    bench.turn()
    assert [event["id"] for event in results(bench)] == ["c1", "c2"]


def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(bench: Bench) -> None:
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("ask")
    prompt = bench.prompt()
    bench.answer(prompt, Answered(value="green"))
    refused = bench.until(e.AnswerRefused)
    assert not refused.gone
    bench.send(
        c.AnswerQuestion(
            conversation=bench.conversation, inquiry=prompt.inquiry, digest="x", response=Answered(value="red")
        )
    )
    assert "changed" in bench.until(e.AnswerRefused).reason
    bench.answer(prompt, Answered(value="red"))
    bench.turn()
    bench.answer(prompt, Answered(value="red"))
    assert bench.until(e.AnswerRefused).gone


def test_leaving_replying_and_ending(bench: Bench) -> None:
    """M4, R179, R180 with M32."""
    (bench.workspace / "a.txt").write_text("alpha\n")
    bench.script = Script(
        [*call("fs_modify_file", EDIT), *end("tools")],
        [*call("ask_user", ASK, "c2"), *end("tools")],
        [*call("ask_user", ASK, "c3", 0), *call("ask_user", ASK, "c4", 1), *end("tools")],
        [*text("After."), *end()],
    )
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Cancelled())
    bench.answer(bench.prompt(), Replied(text="any colour"))
    third = bench.prompt()
    bench.prompt()
    bench.answer(third, EndTurn())
    done = bench.turn()
    assert done.outcome == "interrupted" and len(bench.script.requests) == 3
    contents = [str(event["content"]) for event in results(bench)]
    assert contents[0] == "Tool input cancelled by user."
    assert json.loads(contents[1]) == {"cancelled": True, "answered": {}, "reply": "any colour"}
    assert contents[2] == contents[3] == "Turn ended by the user before this tool call completed."
    reasons = [event["reason"] for event in bench.log() if event["type"] == "inquiry_response"]
    assert reasons == ["user", "user_reply", "user", "user"]
    bench.say("next")
    assert bench.turn().outcome == "done", "the log is valid for the next request (R180)"


def test_interrupting_tools(bench: Bench) -> None:
    """R212 with M37 and M27, R213."""
    bench.script = Script(
        [*call("ask_user", ASK), *end("tools")],
        [*call("ask_user", ASK, "c2"), *end("tools")],
        [*call("ask_user", ASK, "c3"), *end("tools")],
    )
    bench.start()
    bench.say("go")
    bench.prompt()
    bench.send(c.InterruptTurn(conversation=bench.conversation, action="respond", text="use red"))
    bench.prompt()
    bench.send(c.InterruptTurn(conversation=bench.conversation, action="restart"))
    again = bench.prompt()
    assert again.inquiry == "c2.answer.2"
    bench.answer(again, Answered(value="red"))
    bench.prompt()
    bench.send(c.InterruptTurn(conversation=bench.conversation, action="stop"))
    assert bench.turn().outcome == "interrupted"
    contents = [str(event["content"]) for event in results(bench)]
    assert contents[0] == "Tool run cancelled by user with a custom message:\n\nuse red"
    assert contents[2].startswith("This tool request was intentionally rejected by the user.")
    pairs = re.findall("request|response", " ".join(kind for kind in bench.kinds() if kind.startswith("inquiry")))
    assert pairs.count("request") == pairs.count("response") == 4


def test_without_a_client(bench: Bench) -> None:
    """Row 8: M1, recorded as no_prompt_backend; the turn goes on."""
    bench.client = False
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Then not."), *end()])
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    assert str(results(bench)[0]["content"]).startswith("ask_user cannot run because no interactive terminal")
    assert not any(isinstance(event, e.QuestionAsked) for event in bench.events)


def test_a_deferred_question_ends_the_run_and_stays_open(bench: Bench) -> None:
    """R230, row 14: the other calls finish; the request has no response."""
    bench.client = False
    bench.policy("ask_user", "defer")
    calls = [*call("ask_user", ASK, "c1", 0), *call("nope", {}, "c2", 1)]
    bench.script = Script([*calls, *end("tools")])
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "deferred"
    assert [event["id"] for event in results(bench)] == ["c2"]
    assert bench.kinds().count("inquiry_request") == 1 and "inquiry_response" not in bench.kinds()


def test_a_pinned_answer_is_used_without_asking(bench: Bench) -> None:
    """Row 2."""
    bench.rule("ask_user", "answer", Rule(has_answer=True, answer="red", place="config.toml:3"))
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.turn()
    response = next(event for event in bench.log() if event["type"] == "inquiry_response")
    assert response["responder"] == {"kind": "static"} and response["answer"] == "red"
