"""Questions through a pipe: misfits, errors, controls, any order, late answers, secrets (inquiries.md R240-R242)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import YES_NO, answers, configure, question, results
from tests.headless.rpc_peer import Message, Rpc, prompted, rpc
from tests.headless.running import jp, log

M4 = "Tool input cancelled by user."
LIST = [
    {"id": "one", "text": "One?", "answer_type": "select", "options": ["a", "b"]},
    {"id": "two", "text": "Two?", "answer_type": "boolean", "default": True},
]


def tool(name: str, answer_type: Any = YES_NO, **more: Any) -> dict[str, dict[str, Any]]:
    return {name: {"ask": question(answer_type, text=f"{name}?", **more)}}


def ask_user(home: Path, **arguments: Any) -> str:
    """A script in which the assistant asks; the model to use."""
    script = home / "assistant.toml"
    script.write_text(
        'rate = 0\nfallback = "Nothing to that."\n[[walks]]\nname = "go"\n[[walks.turns]]\ntext = "I ask."\n'
        "[[walks.turns.calls]]\nname = 'ask_user'\n[walks.turns.calls.arguments]\n"
        + "".join(f"{key} = {_toml(value)}\n" for key, value in arguments.items())
        + '[[walks.turns]]\ntext = "So be it."\n'
    )
    return f"demo/{script}"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def by_text(running: Rpc, count: int) -> dict[str, Message]:
    """So many questions that wait, by the last line of their text."""
    found = [running.asked() for _ in range(count)]
    return {one["params"]["question"].splitlines()[-1]: one for one in found}


def test_r240_all_that_wait_are_asked_at_once_and_answered_in_any_order(tmp_path: Path) -> None:
    """R99, R240: matched by id. R241: `inquiry` is the whole prompt; `value` wins; remembering catches up (R252)."""
    tools = {
        **tool("a", context="seen"),
        **tool("b", {"type": "text"}),
        **tool("c", {"type": "select", "options": ["x"]}),
    }
    model = configure(tmp_path, tools, "a", "b", "c", "a")
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        waits = [running.asked() for _ in range(4)]
        assert [one["params"]["inquiry"]["waiting"] for one in waits] == [1, 2, 3, 4]
        first, second, third, fourth = sorted(waits, key=lambda one: str(one["params"]["inquiry"]["id"]))
        inquiry = first["params"]["inquiry"]
        assert (inquiry["id"], inquiry["tool"], inquiry["kind"]) == ("demo_1.q.1", "a", "question")
        assert inquiry["digest"] and inquiry["question"]["context"] == "seen" and inquiry["source"] == "tool"
        assert inquiry["controls"] == ["cancel", "edit", "end_turn", "remember", "reply"]
        running.answer(third, answer="x")
        running.answer(second, value="typed", answer="not this")
        running.answer(first, answer="yes", remember=True, note="once for all")
        assert running.reply(turn)["result"]["outcome"] == "done"
        (settled,) = running.method("client/ask_user_settled")
        assert settled["request_id"] == fourth["id"] and settled["by"] == "remembered"
        running.answer(fourth, answer="no")
        stored = running.events()
        assert running.ends() == 0
    assert results(stored)["b"] == 'got "typed"' and results(stored)["c"] == 'got "x"'
    assert results(stored)["a"].startswith("got true")
    assert [event["answer"] for event in stored if event["type"] == "inquiry_response"].count(True) == 2
    assert answers(stored)["b"]["responder"]["via"] == "rpc"


def test_r241_three_times_again_then_cancelled(tmp_path: Path) -> None:
    """Recorded cancelled/user with M4, whoever asked; the reason stands in one line and is the engine's own words."""
    model = configure(tmp_path, tool("a", {"type": "schema", "schema": {"type": "integer"}}))
    mine = ask_user(tmp_path, question="Sure?", answer_type="boolean")
    with rpc(tmp_path) as running:
        for name, wrong in ((model, '"three"'), (mine, "maybe")):
            session = running.session(name)
            turn = prompted(running, session)
            seen = []
            for _ in range(4):
                asked = running.asked()
                seen.append(asked)
                running.answer(asked, answer=wrong)
            assert running.reply(turn)["result"]["outcome"] == "done"
            assert len({one["id"] for one in seen}) == 4 and "problem" not in seen[0]["params"]
            for again in seen[1:]:
                assert again["params"]["question"].startswith(f"Not accepted: {again['params']['problem']}.\n\n")
        stored = running.events()
        assert running.ends() == 0
    ended = [event for event in stored if event["type"] == "inquiry_response"]
    assert [(event["outcome"], event["reason"]) for event in ended] == [("cancelled", "user")] * 2
    told = [event for event in stored if event["type"] == "tool_call_response"]
    assert [(event["content"], event["is_error"]) for event in told] == [(M4, False)] * 2


def test_r242_an_error_reply_fails_the_call(tmp_path: Path) -> None:
    """Also "method not found" of a client that implements no questions: M38, cancelled/backend_error; a prompt too."""
    tools = {**tool("a"), "b": {"run": "ask"}, "c": {"result": "ask"}}
    model = configure(tmp_path, tools)
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        for _ in range(3):
            asked = running.asked()
            running.send(id=asked["id"], error={"code": -32601, "message": "Method not found"})
        assert running.reply(turn)["result"]["outcome"] == "done"
        stored = running.events()
        assert running.ends() == 0
    assert set(results(stored).values()) == {"User input request failed: Method not found"}
    assert all(event["is_error"] for event in stored if event["type"] == "tool_call_response")
    assert (answers(stored)["a"]["outcome"], answers(stored)["a"]["reason"]) == ("cancelled", "backend_error")


def test_r241_a_form_one_after_the_other_with_its_controls(tmp_path: Path) -> None:
    """R175, R176, R182b: progress in the inquiry, Back with the answer before; the last answer finishes, no review."""
    model = ask_user(tmp_path, questions=LIST)
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        one = running.asked()
        assert one["params"]["inquiry"]["progress"] == [1, 2] and not running.asks
        running.answer(one, control="back")
        one = running.asked()
        assert "Not accepted: " in one["params"]["question"], "R176: there is nothing before the first"
        running.answer(one, answer="a")
        two = running.asked()
        assert two["params"]["inquiry"]["progress"] == [2, 2] and "back" in two["params"]["inquiry"]["controls"]
        running.answer(two, control="back")
        one = running.asked()
        assert one["params"]["inquiry"]["prefill"] == ["a"]
        running.answer(one, value="b")
        running.answer(running.asked(), answer="no")
        assert running.reply(turn)["result"]["outcome"] == "done"
        assert json.loads(results(running.events())["ask_user"]) == {"one": "b", "two": False}

        session = running.session()
        turn = prompted(running, session)
        running.answer(running.asked(), answer="a")
        running.answer(running.asked(), control="cancel")
        refused = running.asked()
        assert "Not accepted: " in refused["params"]["question"], "R248: the assistant's questions have no Cancel"
        running.answer(refused, control="reply", answer="ask me later")
        assert running.reply(turn)["result"]["outcome"] == "done"
        replied = [event for event in running.events() if event["type"] == "tool_call_response"][-1]
        assert json.loads(replied["content"]) == {"cancelled": True, "answered": {"one": "a"}, "reply": "ask me later"}

        session = running.session()
        turn = prompted(running, session)
        running.answer(running.asked(), control="end_turn")
        assert running.reply(turn)["result"]["outcome"] == "interrupted"
        assert running.events()[-2]["content"] == "Turn ended by the user before this tool call completed."
        assert running.ends() == 0


def test_prompts_lead_to_words_and_edits(tmp_path: Path) -> None:
    """R86, R87, R93, M15, M34, M35: the choices that need more ask for it with a request of their own."""
    tools = {"a": {"run": "ask"}, "b": {"run": "ask"}, "c": {"result": "ask"}}
    model = configure(tmp_path, tools)
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        for said in ("Skip and reply", "too wide"):
            running.answer(running.asked(), answer=said)
        for said in ("Print arguments as JSON", "Edit arguments", "[1]", '{"path": "b"}'):
            asked = running.asked()
            running.answer(asked, answer=said)
            if said.startswith("{"):
                assert "Not accepted: arguments are one JSON object." in asked["params"]["question"]
        for said in ("Edit result first", "less"):
            asked = running.asked()
            running.answer(asked, answer=said)
        assert running.reply(turn)["result"]["outcome"] == "done"
        read = results(running.events())
        assert running.ends() == 0
    assert read["a"] == "Tool skipped by user: too wide" and read["c"] == "less"
    assert read["b"].startswith('got {"path": "b"}')


def test_row_28_an_escalated_question_says_who_said_no(tmp_path: Path) -> None:
    """R149-R151, R154, M9, M12: the notice stands before the context; the last word is the human's."""
    escalates = {"questions": {"q": {"target": "assistant_with_escalation"}}}
    model = configure(tmp_path, {"a": {"ask": question(YES_NO, text="Sure?", context="one"), **escalates}})
    with (tmp_path / "asking.toml").open("a") as script:
        script.write('[[verdicts]]\nquestion = "q"\nanswer = false\nreason = "It breaks the build."\n')
    with rpc(tmp_path, "--model", model) as running:
        turn = prompted(running, running.session())
        waits = running.asked()
        asked = waits["params"]
        notice, context, text = asked["question"].split("\n\n")
        reviewer, m12 = notice.split("\n", 1)
        assert m12.startswith('The assistant recommended rejecting this change:\n"It breaks the build."\n')
        assert notice.endswith("You decide.") and reviewer.startswith("Reviewer: asking")
        assert (context, text, asked["choices"]) == ("one", "Sure?", ["yes", "no"])
        assert asked["inquiry"]["escalation"]["reason"] == "It breaks the build."
        running.answer(waits, answer="yes")
        assert running.reply(turn)["result"]["outcome"] == "done"
        stored = running.events()
        assert running.ends() == 0
    ended = [event for event in stored if event["type"] == "inquiry_response"]
    assert [(event["answer"], event["responder"]["kind"]) for event in ended] == [(False, "assistant"), (True, "user")]
    assert ended[1]["responder"]["escalated"] is True and results(stored)["a"] == "got true"


def test_a_client_that_only_goes_round_in_circles_comes_to_an_end(tmp_path: Path) -> None:
    """No choice can be led around for ever: the call is skipped in the end."""
    model = configure(tmp_path, {"a": {"run": "ask"}})
    with rpc(tmp_path, "--model", model) as running:
        turn, rounds = prompted(running, running.session()), 0
        while running.until(lambda one: "id" in one).get("method"):
            rounds += 1
            running.answer(running.asks.pop(), answer="Edit arguments" if rounds % 2 else "")
        assert rounds == 20 and running.reply(turn)["result"]["outcome"] == "done"
        assert results(running.events())["a"] == "Tool skipped by user."


def test_e53_another_process_answers_first(tmp_path: Path) -> None:
    """S12: `jp-tui inquiries` and `answer` work while rpc holds the conversation; the client is told, and is late."""
    model = configure(tmp_path, {**tool("a"), **tool("b")})
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        waits = by_text(running, 2)
        pending = jp(tmp_path, "inquiries", "--pending", "--json")
        assert {json.loads(line)["id"] for line in pending.stdout.splitlines()} == {"demo_1.q.1", "demo_2.q.1"}
        ran = jp(tmp_path, "answer", f"{session}/demo_1.q.1", "yes")
        assert ran.returncode == 0, ran.stderr
        settled = running.until(lambda one: one.get("method") == "client/ask_user_settled")["params"]
        assert settled["request_id"] == waits["a?"]["id"] and (settled["how"], settled["by"]) == ("answered", "user")
        running.answer(waits["a?"], answer="no")
        running.answer(waits["b?"], answer="no")
        assert running.reply(turn)["result"]["outcome"] == "done"
        late = jp(tmp_path, "answer", f"{session}/demo_2.q.1", "yes")
        assert late.returncode == 1 and "already" in late.stderr
        assert running.ends() == 0
    assert "late reply" in running.told and "Traceback" not in running.told
    stored = answers(log(tmp_path, session))
    assert (stored["a"]["answer"], stored["a"]["responder"]["via"]) == (True, "process")
    assert (stored["b"]["answer"], stored["b"]["responder"]["via"]) == (False, "rpc")


@pytest.mark.parametrize("capable", [True, False])
def test_r241_secrets_go_to_clients_that_named_them_alone(tmp_path: Path, capable: bool) -> None:
    """Else routing row 10: M1, cancelled/no_prompt_backend. With it: redacted, and in no line that comes back."""
    model = configure(tmp_path, tool("a", {"type": "secret"}))
    with rpc(tmp_path, "--model", model) as running:
        running.call("initialize", capabilities=["secret", "future"] if capable else ["future"])
        session = running.session()
        turn = prompted(running, session)
        if capable:
            asked = running.asked()
            assert asked["params"]["choices"] == []
            running.answer(asked, answer="hunter2")
        assert running.reply(turn)["result"]["outcome"] == "done"
        stored = running.events()
        assert len(running.asks) == 0 and running.ends() == 0
    assert "hunter2" not in json.dumps(running.heard) + running.told
    if capable:
        assert answers(stored)["a"]["outcome"] == "redacted"
    else:
        assert answers(stored)["a"]["reason"] == "no_prompt_backend"
        assert results(stored)["a"].startswith("a cannot run because no interactive terminal is available.")
