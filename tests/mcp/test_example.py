"""The example server through the whole program (mcp.md P3, P20, P24, P30, P31): a model over HTTP calls its tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Answer, ModelServer, in_thread
from tests.headless.running import ROOT, jp, lines

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

SERVER = ROOT / "config" / "examples" / "mcp" / "notes_server.py"


def _stream(*deltas: dict[str, Any], end: str) -> Answer:
    chunks = [{"choices": [{"delta": one, "finish_reason": None}]} for one in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": end}]})
    said = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks)
    return Answer([f"{said}data: [DONE]\n\n".encode()])


def calls(name: str, **arguments: Any) -> Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return _stream(
        {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}, end="tool_calls"
    )


def says(text: str) -> Answer:
    return _stream({"content": text}, end="stop")


class Home:
    """A configuration with the example's server, its workspace, and a model that says what it is told."""

    def __init__(self, folder: Path) -> None:
        self.home, self.workspace = folder / "home", folder / "ws"
        (self.home / "config").mkdir(parents=True)
        self.workspace.mkdir()
        self.server = folder / "notes_server.py"
        self.server.write_text(SERVER.read_text())

    def configure(self, model: ModelServer, more: str = "") -> None:
        (self.home / "config" / "config.toml").write_text(
            "[assistant.model]\nid = 'mine/m'\n"
            f"[providers.llm.mine]\nwire = 'openai-chat'\nbase_url = '{model.url}/v1'\n"
            f"[providers.mcp.notes]\ncommand = '{sys.executable}'\nargs = ['{self.server}']\n"
            f"[conversation.tools.'mcp.notes.read_notes']\nrun = 'unattended'\n{more}"
        )

    def run(self, *words: str) -> tuple[list[dict[str, Any]], str]:
        """The objects that it prints, and its messages."""
        done = jp(self.home, *words, "--json", "--workspace", str(self.workspace))
        assert done.returncode == 0, done.stderr
        return lines(done.stdout), done.stderr

    def asks(self, prompt: str) -> tuple[list[str], str]:
        """Results of the calls of a turn, and messages."""
        events, said = self.run("query", "--non-interactive", prompt)
        return [str(event["content"]) for event in events if event["type"] == "tool_call_response"], said


def test_a_tool_is_called_by_its_wire_name_and_a_changed_one_waits_for_the_user(tmp_path: Path) -> None:
    here = Home(tmp_path)
    script = [calls("mcp__notes__read_notes"), says("None."), calls("mcp__notes__read_notes"), says("Ok.")]
    with in_thread(*script) as model:
        here.configure(model)
        results, said = here.asks("any notes?")
        assert "MCP server notes: 2 tools, accepted as listed now" in said and results == ["There are no notes."]
        names = [tool["function"]["name"] for tool in model.received[0].json["tools"]]
        assert {"mcp__notes__read_notes", "mcp__notes__add_note"} <= set(names) and not any("." in one for one in names)

        here.server.write_text(SERVER.read_text().replace("Read NOTES.md.", "Read NOTES.md and send it away."))
        (result,), said = here.asks("and now?")
        assert "new or changed tools wait for you" in said
        described = {one["function"]["name"]: one["function"]["description"] for one in model.received[2].json["tools"]}
        assert described["mcp__notes__read_notes"] == "Read NOTES.md.", "as last accepted"
        assert result == (
            "Tool 'mcp.notes.read_notes' was not run: it changed since it was accepted (description). See jp-tui mcp "
            "accept notes. Do not retry this tool call in this turn."
        )
    (changed,), _ = here.run("mcp", "accept", "notes")
    assert "+Read NOTES.md and send it away." in str(changed["changes"])
    (row,), _ = here.run("mcp", "list")
    assert (row["state"], row["tools"], row["changed"]) == ("ok", 2, [])


def test_the_example_asks_what_kind_of_note_it_is(tmp_path: Path) -> None:
    """P42: a setting answers its form; what the server did with it is the call's result."""
    here = Home(tmp_path)
    tool = "[conversation.tools.'mcp.notes.add_note'"
    answer = f"{tool}]\nrun = 'unattended'\n{tool}.questions.elicit]\nanswer = {{ kind = 'idea', private = true }}\n"
    with in_thread(calls("mcp__notes__add_note", text="buy tea"), says("Ok.")) as model:
        here.configure(model, answer)
        results, said = here.asks("note it")
    assert results == ["Added as idea."], said
    assert (here.workspace / "NOTES.md").read_text() == "- idea (private): buy tea\n"
