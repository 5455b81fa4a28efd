"""Sessions over one pipe: several at once, cancelled, resumed, listed, looked on, parked (surface S12, S30)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jp_tui.headless.rpc.sessions import MOST_IDLE
from tests.fakes.model_server import Answer, in_thread
from tests.headless.asking_tools import YES_NO, answers, configure, question, results
from tests.headless.rpc_peer import prompted, rpc
from tests.headless.running import jp, lines, log

ASKS = {"a": {"ask": question(YES_NO, text="Sure?")}}


def say(home: Path, name: str, text: str) -> str:
    """A model that says this."""
    script = home / f"{name}.toml"
    script.write_text(f'rate = 0\nfallback = "{text}"\n[[walks]]\nname = "-"\n[[walks.turns]]\ntext = "-"\n')
    return f"demo/{script}"


def test_s30_several_sessions_at_once(tmp_path: Path) -> None:
    """Each with its folder and model; a question that waits in one holds up none; ids tell them apart."""
    asking = configure(tmp_path, ASKS)
    other = tmp_path / "other"
    other.mkdir()
    with rpc(tmp_path, "--model", asking) as running:
        first, second = running.session(), running.session()
        third = running.session(say(tmp_path, "third", "Third."), workspace=str(other))
        opened = running.heard[-1]["result"]
        assert opened["workspace"] == str(other) and opened["model"].endswith("third.toml")
        turns = {session: prompted(running, session) for session in (first, second)}
        waits = {one["params"]["session_id"]: one for one in (running.asked(), running.asked())}
        assert set(waits) == {first, second}
        ended = running.call("session/prompt", session_id=third, prompt="hello")
        assert ended["outcome"] == "done" and set(ended) == {"outcome", "usage"} and ended["usage"]["output"] > 0
        running.answer(waits[second], answer="no")
        assert running.reply(turns[second])["result"]["outcome"] == "done"
        running.answer(waits[first], answer="yes")
        assert running.reply(turns[first])["result"]["outcome"] == "done"
        for session, read in ((first, "got true"), (second, "got false")):
            stored = [event for event in running.events() if event["conversation"] == session]
            assert stored == log(tmp_path, session) and results(stored)["a"] == read
        listed = running.call("session/list")["sessions"]
        assert {row["session_id"] for row in listed} == {first, second, third}
        (row,) = running.call("session/list", workspace=str(other), limit=5)["sessions"]
        assert (row["session_id"], row["title"], row["turns"]) == (third, "hello", 1)
        assert running.ends() == 0


def test_one_prompt_at_a_time_and_cancel(tmp_path: Path) -> None:
    """S30: the prompt answers interrupted; what waits is cancelled, told and too late; one alone at a time."""
    with rpc(tmp_path, "--model", configure(tmp_path, ASKS)) as running:
        session = running.session()
        assert running.call("session/cancel", session_id=session) == {"cancelled": False}
        context = running.call("session/context", session_id=session)  # K12
        parts = [one["part"] for one in context["parts"]]
        assert parts == ["system", "tools", "messages"] and context["tokens"] > 0
        turn = prompted(running, session)
        asked = running.asked()
        assert running.refused("session/prompt", session_id=session, prompt="more")["code"] == -32603
        assert running.call("session/cancel", session_id=session) == {"cancelled": True}
        assert running.reply(turn)["result"]["outcome"] == "interrupted"
        (settled,) = running.method("client/ask_user_settled")
        assert settled["request_id"] == asked["id"] and settled["how"] == "withdrawn"
        running.answer(asked, answer="yes")
        turn = prompted(running, session)
        running.asked()
        running.send(method="session/cancel", params={"session_id": session})
        assert running.reply(turn)["result"]["outcome"] == "interrupted", "as a notification, too"
        assert running.call("session/prompt", session_id=session, prompt="bye")["outcome"] == "done"
        assert running.ends() == 0
    assert [event["outcome"] for event in log(tmp_path, session) if event["type"] == "turn_outcome"] == [
        "interrupted", "interrupted", "done",
    ]  # fmt: skip


def test_resume_goes_on_where_it_was_and_tells_what_was_missed(tmp_path: Path) -> None:
    """R207, S30: killed at a question, asked again under the same id; `after` brings the events that were not seen."""
    model = configure(tmp_path, ASKS)
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        prompted(running, session)
        before = running.asked()["params"]["inquiry"]
        running.process.kill()
        running.process.wait()
        seen = running.events()[:2]
    with rpc(tmp_path) as running:
        resumed = running.call("session/resume", session_id=session[:5], after=2)
        assert resumed["session_id"] == session and resumed["model"] == model and resumed["title"] == "go"
        asked = running.asked()
        assert (asked["params"]["inquiry"]["id"], asked["params"]["inquiry"]["digest"]) == (
            before["id"],
            before["digest"],
        )
        turn = prompted(running, session, "and then")
        assert running.refused("session/prompt", session_id=session, prompt="more")["code"] == -32603
        running.answer(asked, answer="yes")
        assert running.reply(turn)["result"]["outcome"] == "done"
        again = running.call("session/resume", session_id=session)
        assert again["turns"] == 2 and again["last_seq"] == running.events()[-1]["seq"]
        assert [*seen, *running.events()] == log(tmp_path, session), "every event once"
        assert running.ends() == 0


def test_s12_whoever_comes_second_looks_on(tmp_path: Path) -> None:
    """One writer: events come, a prompt is refused with who holds it; once it is free, resuming takes it."""
    model = configure(tmp_path, ASKS)
    with rpc(tmp_path, "--model", model) as holder, rpc(tmp_path) as other:
        session = holder.session()
        turn = prompted(holder, session)
        asked = holder.asked()
        held = other.call("session/resume", session_id=session)
        assert "jp-tui rpc" in held["held_by"]
        refused = other.refused("session/prompt", session_id=session, prompt="mine")
        assert refused["code"] == -32603 and "jp-tui rpc" in refused["message"]
        holder.answer(asked, answer="yes")
        assert holder.reply(turn)["result"]["outcome"] == "done"
        other.until(lambda one: one.get("params", {}).get("event", {}).get("type") == "turn_outcome")
        assert holder.ends() == 0
        assert other.call("session/resume", session_id=session)["held_by"] == ""
        assert other.call("session/prompt", session_id=session, prompt="mine")["outcome"] == "done"
        assert other.ends() == 0


def test_idle_sessions_are_parked_and_come_back(tmp_path: Path) -> None:
    """A limited number keeps its engine; the next prompt opens one again, with all that was said."""
    model = say(tmp_path, "short", "Yes.")
    with rpc(tmp_path, "--model", model) as running:
        sessions = [running.session() for _ in range(MOST_IDLE + 2)]
        turns = [prompted(running, session, f"hello {session}") for session in sessions]
        assert {running.reply(turn)["result"]["outcome"] for turn in turns} == {"done"}
        threads = len(list(Path(f"/proc/{running.process.pid}/task").iterdir()))
        running.session()
        assert len(list(Path(f"/proc/{running.process.pid}/task").iterdir())) < threads, "engines have ended"
        assert running.call("session/cancel", session_id=sessions[0]) == {"cancelled": False}
        assert running.call("session/prompt", session_id=sessions[0], prompt="again")["outcome"] == "done"
        assert running.ends() == 0
    said = [event["content"] for event in log(tmp_path, sessions[0]) if event["type"] == "chat_request"]
    assert said == [f"hello {sessions[0]}", "again"]


def test_a_failed_turn_says_why(tmp_path: Path) -> None:
    """S30: the prompt is answered with the outcome and the error in words; stdout stays whole."""
    config = 'providers.llm.here={wire="openai-chat",base_url="http://127.0.0.1:9/v1"}'
    with rpc(tmp_path, "--cfg", config, "--cfg", "assistant.request.max_retries=0") as running:
        session = running.session("here/m")
        ended = running.call("session/prompt", session_id=session, prompt="hi")
        assert ended["outcome"] == "failed" and "127.0.0.1:9" in json.dumps(ended["error"])
        assert running.ends() == 0
    assert lines(jp(tmp_path, "conversations", "list", "--json").stdout)[0]["id"] == session


def _chunks(*deltas: Any, finish: str) -> Answer:
    """One response of a chat-completions server."""
    bodies = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    bodies.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return Answer([*(f"data: {json.dumps(one)}\n\n".encode() for one in bodies), b"data: [DONE]\n\n"])


def test_s30_no_request_to_a_model_begins_after_the_end_of_input(tmp_path: Path) -> None:
    """The question stays open (Z9), and the model is asked nothing more."""
    configure(tmp_path, {"a": {"ask": question(YES_NO)}})
    called = {"index": 0, "id": "a1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    asks = _chunks({"role": "assistant", "tool_calls": [called]}, finish="tool_calls")
    with in_thread(asks, _chunks({"role": "assistant", "content": "So be it."}, finish="stop")) as server:
        more = {"JP_TUI_PROVIDERS__LLM__OPENAI__BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-none"}
        with rpc(tmp_path, "--model", "openai/some-model", **more) as running:
            session = running.session()
            turn = prompted(running, session)
            running.asked()
            before = len(server.received)
            assert running.ends() == 3 and running.told == ""
            assert running.reply(turn)["result"]["outcome"] == "deferred"
        assert len(server.received) == before == 1
    stored = running.events()
    assert answers(stored)["a"] == {} and results(stored) == {}
