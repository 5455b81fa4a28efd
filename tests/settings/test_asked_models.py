"""What is configured reaches the servers: parameters and cache of the main model, and all of a reviewer (R68, R130)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Answer, in_thread
from tests.headless.running import jp, lines

MAIN = """\
[[turns]]
calls = [{ name = "fs_create_file", arguments = { path = "notes.txt", content = "tea\\n" } }]
[[turns]]
text = "{user}: done"
"""


def chat(text: str) -> Answer:
    pieces: list[Mapping[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}},
    ]
    return Answer([f"data: {json.dumps(each)}\n\n".encode() for each in pieces] + [b"data: [DONE]\n\n"])


def server(url: str, wire: str = "openai-chat") -> str:
    return f"[providers.llm.mine]\nwire = '{wire}'\nbase_url = '{url}/v1'\n"


def write(home: Path, text: str, models: str = "") -> None:
    folder = home / "config"
    folder.mkdir()
    (folder / "config.toml").write_text(text)
    (folder / "models.toml").write_text(models)


def test_r68_parameters_that_are_not_ours_go_to_the_main_model(tmp_path: Path) -> None:
    with in_thread(chat("Hello.")) as it:
        write(
            tmp_path,
            "[assistant.model]\nid = 'mine/m'\nparameters = { seed = 7, logit = { a = 1 } }\n" + server(it.url),
        )
        done = jp(tmp_path, "query", "--non-interactive", "hi")
    assert done.returncode == 0, done.stderr
    (body,) = [one.json for one in it.received]
    assert (body["seed"], body["logit"]) == (7, {"a": 1})


@pytest.mark.parametrize("value", [True, False])
def test_r130_a_reviewer_on_a_server_of_its_own_decides(tmp_path: Path, value: bool) -> None:
    """The request has what is configured for it alone; the record who said what, how long it took and what it cost."""
    (tmp_path / "main.toml").write_text(MAIN)
    (tmp_path / "ws").mkdir()
    with in_thread(chat(json.dumps({"reason": "It is only tea.", "answer": value}))) as it:
        write(
            tmp_path,
            "[conversation.inquiry.assistant]\nsystem_prompt = 'Judge.'\nmodel.id = 'mine/judge'\n"
            "model.parameters = { max_tokens = 2000, seed = 3 }\n" + server(it.url),
            '["mine/judge"]\nstructured = "native"\nwindow = 50000\ninput = 2\noutput = 10\n',
        )
        words = ("query", "--workspace", str(tmp_path / "ws"), "--json", "--non-interactive")
        done = jp(tmp_path, *words, "--model", f"demo/{tmp_path}/main.toml", "hi")
    assert done.returncode == 0, done.stderr
    (body,) = [one.json for one in it.received]
    assert (body["model"], body["max_tokens"], body["seed"]) == ("judge", 2000, 3)
    assert body["messages"][0] == {"role": "system", "content": "Judge."}
    assert "tea" in body["messages"][-1]["content"], "what is decided on (R123)"
    sent = body["response_format"]["json_schema"]
    assert sent["strict"] is True and list(sent["schema"]["properties"]) == ["reason", "answer"]
    rows = lines(done.stdout)
    (answered,) = [row for row in rows if row["type"] == "inquiry_response"]
    responder = answered["responder"]
    assert responder["model"] == "mine/judge"
    assert responder["usage"]["cost_usd"] == pytest.approx(0.003)
    assert (tmp_path / "ws" / "notes.txt").exists() is value
