"""`@modelcontextprotocol/server-everything` 2026.8.31, a server of other authors, over stdio and streamable HTTP.

JP_TUI_MCP_NODE and JP_TUI_MCP_PROGRAMS as in `test_conformance.py`; else these tests skip.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.headless.rpc_peer import prompted, rpc
from tests.headless.running import LIMIT, OnTerminal, jp, latest, lines, log, on_terminal

NODE, PROGRAMS = os.environ.get("JP_TUI_MCP_NODE", ""), os.environ.get("JP_TUI_MCP_PROGRAMS", "")
SERVER = Path(PROGRAMS, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
pytestmark = [
    pytest.mark.skipif(not (NODE and SERVER.exists()), reason="JP_TUI_MCP_NODE and JP_TUI_MCP_PROGRAMS name nothing"),
    pytest.mark.slow,
]
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "echo": ({"message": "hi"}, "Echo: hi"),
    "get-sum": ({"a": 1, "b": 2}, "The sum of 1 and 2 is 3."),
    "get-tiny-image": ({}, "Here's the image you requested:\n\n[image/png, 4 KB]\n\n"),
    "get-structured-content": ({"location": "New York"}, '{"temperature":33,'),
    "get-resource-links": ({"count": 1}, "Here are 1 resource links"),
    "get-resource-reference": ({"resourceType": "Text", "resourceId": 1}, "Returning resource reference"),
    "get-annotated-message": ({"messageType": "error"}, "Error: Operation failed"),
    "trigger-long-running-operation": ({"duration": 1, "steps": 4}, "Long running operation completed."),
    "get-roots-list": ({}, ""),
    "trigger-elicitation-request": ({}, "✅ User provided the requested information!"),
}
"""What is called, and how the result begins. The form is answered by a setting."""
ANSWER = 'answer = { name = "Ann" }'


@contextlib.contextmanager
def over_http() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    server = subprocess.Popen(
        [NODE, str(SERVER), "streamableHttp"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
        yield f'url = "http://127.0.0.1:{port}/mcp"'
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_its_tools_are_called(way: str, tmp_path: Path) -> None:
    """P11, P24, P42, P46."""
    (tmp_path / "config").mkdir()
    words = [word for name, (given, _) in CALLS.items() for word in ("--call", name, json.dumps(given))]
    with over_http() if way == "http" else contextlib.nullcontext("") as url:
        where = url or f'command = "{NODE}"\nargs = ["{SERVER}", "stdio"]'
        asked = f'[conversation.tools."mcp.everything.*".questions.elicit]\n{ANSWER}\n'
        (tmp_path / "config" / "config.toml").write_text(f"[providers.mcp.everything]\n{where}\n{asked}")
        ran = jp(tmp_path, "mcp", "test", "everything", "--json", *words)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["server"]["name"] == "mcp-servers/everything" and len(found["tools"]) > 10
    assert found["resources"] and found["prompts"]
    for call in found["calls"]:
        begins = CALLS[call["tool"]][1]
        assert not call["is_error"] and call["content"].startswith(begins), (call["tool"], call["content"][:300])
    assert len(found["calls"]) == len(CALLS)


def home(folder: Path, calls: dict[str, dict[str, Any]], more: str = "") -> str:
    """A home with the server, and a scripted model that makes these calls; the model to use."""
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text(
        f'[providers.mcp.everything]\ncommand = "{NODE}"\nargs = ["{SERVER}", "stdio"]\nsampling = "ask"\n'
        f'[conversation.tools."mcp.everything.*"]\nrun = "unattended"\n{more}'
    )
    made = ", ".join(
        f'{{ name = "mcp.everything.{name}", arguments = {_inline(given)} }}' for name, given in calls.items()
    )
    script = folder / "script.toml"
    script.write_text(f'fallback = "So be it."\n[[turns]]\ntext = "I call."\ncalls = [{made}]\n')
    return f"demo/{script}"


def _inline(given: dict[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in given.items()) + " }"


FORM = "trigger-elicitation-request"
SAMPLE = "trigger-sampling-request"
SETTING = f'[conversation.tools."mcp.everything.*".questions.elicit]\n{ANSWER}\n'


def result(events: list[dict[str, Any]]) -> dict[str, str]:
    names = {one["id"]: one["name"].split(".", 2)[2] for one in events if one["type"] == "tool_call_request"}
    found = [one for one in events if one["type"] == "tool_call_response"]
    assert not any(one["is_error"] for one in found), found
    return {names[one["id"]]: one["content"] for one in found}


def test_each_of_its_tools_is_called_in_a_turn(tmp_path: Path) -> None:
    """P24, P42 by a setting, P46, P47: what `test` does, with a scripted model."""
    model = home(tmp_path, {name: given for name, (given, _) in CALLS.items()}, SETTING)
    ran = jp(tmp_path, "query", "--non-interactive", "--json", "--model", model, "go")
    assert ran.returncode == 0, ran.stderr
    found = result(lines(ran.stdout))
    assert set(found) == set(CALLS)
    for name, content in found.items():
        assert content.startswith(CALLS[name][1]), (name, content[:300])


def test_its_form_is_answered_over_rpc_and_its_request_to_the_model_too(tmp_path: Path) -> None:
    """P42, P46."""
    model = home(tmp_path, {FORM: {}, SAMPLE: {"prompt": "Sum it up", "maxTokens": 50}})
    with rpc(tmp_path, "--model", model) as running:
        turn = prompted(running, session := running.session())
        for _ in range(2):
            asked = running.asked()
            form = asked["params"]["inquiry"]["question"]["id"] == "elicit"
            running.answer(asked, value={"name": "Ann"} if form else True)
        running.reply(turn)
    found = result(log(tmp_path, session))
    assert found[FORM].startswith(CALLS[FORM][1]) and "Ann" in found[FORM]
    assert "This is the scripted reply to an MCP server." in found[SAMPLE]


def test_its_form_is_answered_from_another_process(tmp_path: Path) -> None:
    """P42: `answer`."""
    model = home(tmp_path, {FORM: {}})
    with rpc(tmp_path, "--model", model) as running:
        turn = prompted(running, session := running.session())
        running.asked()
        (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
        given = jp(tmp_path, "answer", f"{session}/{waits['id']}", '{"name": "Ann"}')
        assert given.returncode == 0, given.stderr
        running.reply(turn)
    assert "Ann" in result(log(tmp_path, session))[FORM]


def until(terminal: OnTerminal, words: str) -> None:
    """These words come, whatever their colours."""
    seen = ""
    end = time.monotonic() + LIMIT
    while words not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen):
        assert time.monotonic() < end, f"{words} never came"
        seen = (seen + terminal.read())[-40_000:]


def test_its_form_is_answered_in_a_sheet_by_keyboard_alone(tmp_path: Path) -> None:
    """P42."""
    model = home(tmp_path, {FORM: {}})
    with on_terminal(tmp_path, "--model", model, TERM="xterm-256color", COLUMNS="100", LINES="40") as terminal:
        until(terminal, "sk anything")
        terminal.type("go\r")
        until(terminal, "everything asks")
        until(terminal, "next field")  # the sheet takes keys, and its first field has them
        terminal.type("Ann")
        until(terminal, "Ann")
        terminal.type("\x13")
        until(terminal, "So be it")
        terminal.type("\x11")
        assert terminal.wait() == 0
    assert "Ann" in result(log(tmp_path, latest(tmp_path)))[FORM]
