"""Local tools that ask one question each, a configuration that holds them, and a script that calls them (S22, R83)."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TOOL = """
import json, sys
tool = json.load(sys.stdin)
question = tool["options"].get("question")
if question is not None and question["id"] not in tool["answers"]:
    print(json.dumps({"type": "needs_input", "question": question}))
else:
    got = tool["answers"].get("q", tool["arguments"])
    print(json.dumps({"type": "success", "content": "got " + json.dumps(got)}))
"""
YES_NO = {"type": "boolean"}


def question(answer_type: Mapping[str, Any] = YES_NO, **more: Any) -> dict[str, Any]:
    """What a tool asks under the id `q`."""
    return {"id": "q", "text": "Sure?", "answer_type": answer_type, **more}


def configure(home: Path, tools: Mapping[str, Mapping[str, Any]], *calls: str) -> str:
    """Write the tools to the user's file and a script whose walk `go` calls `calls` (all of them when none is named);
    the model to use. A tool is its settings, and `ask`, the question it puts."""
    (home / "config").mkdir(exist_ok=True)
    program = home / "ask.py"
    program.write_text(_TOOL)
    lines: list[str] = []
    for name, settings in tools.items():
        table = {"source": "local", "summary": name, "run": "unattended", "result": "unattended", **settings}
        asked = table.pop("ask", None)
        table["options"] = {"question": asked} if asked is not None else {}
        table["command"] = {"program": sys.executable, "args": [str(program)], "stdin": "{{ tool }}"}
        table["parameters"] = {"path": {"type": "string"}}
        lines.append(f"[conversation.tools.{name}]")
        lines += [f"{key} = {inline(value)}" for key, value in table.items()]
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n")
    called = ", ".join(f'{{ name = "{name}", arguments = {{ path = "a" }} }}' for name in calls or tools)
    script = home / "asking.toml"
    script.write_text(
        'rate = 0\nfallback = "Nothing to that."\n[[walks]]\nname = "go"\n[[walks.turns]]\ntext = "I ask."\n'
        f'calls = [{called}]\n[[walks.turns]]\ntext = "So be it."\n'
    )
    return f"demo/{script}"


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {inline(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


def results(events: list[dict[str, Any]]) -> dict[str, str]:
    """What the model read of each tool, by its name."""
    names = {event["id"]: event["name"] for event in events if event["type"] == "tool_call_request"}
    return {names[event["id"]]: event["content"] for event in events if event["type"] == "tool_call_response"}


def answers(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What was recorded of each tool's question, by the tool's name."""
    responses = {event["id"]: event for event in events if event["type"] == "inquiry_response"}
    asked = [event for event in events if event["type"] == "inquiry_request"]
    return {event["metadata"]["tool"]: responses.get(event["id"], {}) for event in asked}
