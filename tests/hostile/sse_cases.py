"""The recorded group `sse`: what servers answer, as answers of a real socket, and old histories, as events of a log."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from tests.fakes.model_server import Answer, End

_ENDS: dict[str, End] = {"fin": "fin", "rst": "rst", "stall": "stall", "bad_chunk": "bad_chunk"}
_SILENT = ("blackhole", "stall_before_headers", "no_connect")
MOST = 20
"""How often a chunk that is repeated for an hour is repeated here."""


def params(cases: dict[str, dict[str, Any]], *kinds: str) -> list[Any]:
    """Those with a payload of these kinds."""
    return [pytest.param(case, id=id_) for id_, case in cases.items() if case["payload"]["kind"] in kinds]


def answers(payload: dict[str, Any]) -> list[Answer]:
    """What the server says to one request after another."""
    if payload["kind"] == "http_seq":
        return [answer for one in payload["responses"] for answer in answers(one)]
    pieces = [
        base64.b64decode(chunk["b64"]) for chunk in payload["chunks"] for _ in range(min(chunk.get("repeat", 1), MOST))
    ]
    if payload["end"] in _SILENT:
        return [Answer(blackhole=True)]
    return [Answer([one for one in pieces if one], payload["status"], payload["headers"], _ENDS[payload["end"]])]


def tools(cases: Iterable[dict[str, Any]]) -> set[str]:
    """The names of all tools that are called in them."""
    said = b"".join(
        piece
        for case in cases
        if case["payload"]["kind"].startswith("http")
        for answer in answers(case["payload"])
        for piece in answer.pieces
    )
    return {name.decode() for name in re.findall(rb'"name": ?"([a-z_]+)"', said)}


def history(messages: list[str]) -> list[ev.Event]:
    """A log of one turn that says this: `user`, `assistant tool_use t1,t2`, `tool_result t1`, `user image 20 MB` …"""
    found: list[ev.Event] = [ev.TurnStart()]
    if not messages[0].startswith("user"):
        found.append(ev.ChatRequest(content="go"))
    for one in messages:
        found += _events(one)
    return found


def _events(one: str) -> list[ev.Event]:
    if sized := re.fullmatch(r"user image (\d+) MB", one):
        data = "A" * (int(sized[1]) * 1_000_000 // 3 * 4)
        image: dict[str, Any] = {"type": "image", "media_type": "image/png", "data": data, "name": "a.png"}
        return [ev.ChatRequest(content="look", metadata={"attachments": [image]})]
    if sized := re.fullmatch(r"(\d+) MB of tool results", one):
        ids = [f"t{number}" for number in range(int(sized[1]) * 10)]
        asked: list[ev.Event] = [ev.ToolCallRequest(id=id_, name="fs_read_file", arguments={}) for id_ in ids]
        return [*asked, *(ev.ToolCallResponse(id=id_, content="x" * 100_000) for id_ in ids)]
    if quoted := re.fullmatch(r"tool_result '(.*)'", one):
        words = json.loads(f'"{quoted[1]}"')
        return [
            ev.ToolCallRequest(id="t1", name="fs_read_file", arguments={}),
            ev.ToolCallResponse(id="t1", content=words),
        ]
    who, _, ids_ = one.rpartition(" ")
    match who:
        case "assistant tool_use":
            return [ev.ToolCallRequest(id=id_, name="fs_read_file", arguments={}) for id_ in ids_.split(",")]
        case "tool_result":
            return [ev.ToolCallResponse(id=id_, content="ok") for id_ in ids_.split(",")]
        case "":
            assert one == "user", one
            return [ev.ChatRequest(content="do it")]
    raise AssertionError(f"a history that this test does not know: {one}")
