"""How a reply is held to a schema on each wire, and how much of a prompt may be kept (R68, R124-R129, R134, S20b)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.model import Call, Message, ModelRequest, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.anthropic.schemas import reply_format
from jp_tui.providers.openai_chat.request import OpenAIChat
from jp_tui.providers.schemas import one_valued
from jp_tui.providers.strict_schemas import fits_strict

from .decoding import HELLO, fixtures
from .made_recordings import chats

CHAT, OPENAI, ANTHROPIC = OpenAIChat("local", "127.0.0.1"), OpenAIChat("openai", "api.openai.com"), Anthropic()
TOOL = ToolSpec("t", "", {"type": "object"})


def asked(answer: Any) -> JsonObject:
    """R124."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {"reason": {"type": "string", "description": "Why."}, "answer": answer},
        "required": ["reason", "answer"],
    }


def request(answer: Any = None, **more: Any) -> ModelRequest:
    return replace(HELLO, output=asked(answer or {"type": "boolean"}), **more)


ANSWERS: list[JsonObject] = [  # R125
    {"type": "boolean"},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    {"type": "string"},
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_r124_r125_both_wires_send_the_schema_with_the_reason_first(answer: JsonObject) -> None:
    chat = CHAT.body(request(answer))["response_format"]
    assert chat == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "schema": asked(answer), "strict": True},
    }
    config = ANTHROPIC.body(request(answer))["output_config"]
    assert config == {"format": {"type": "json_schema", "schema": asked(answer)}}
    for sent in (dump(chat), dump(config)):
        assert sent.index('"reason":') < sent.index('"answer":'), "the order is what was asked (R124)"


def test_without_a_schema_nothing_is_added() -> None:
    assert ANTHROPIC.body(HELLO).keys() == {"model", "max_tokens", "messages", "stream"}
    assert CHAT.body(HELLO).keys() == {"model", "messages", "stream", "stream_options"}


def test_r129_tools_may_be_listed_and_not_called() -> None:
    listed = request(tools=(TOOL,), tool_choice="none")
    assert ANTHROPIC.body(listed)["tool_choice"] == {"type": "none"}
    assert CHAT.body(listed)["tool_choice"] == "none"
    assert "tools" in CHAT.body(listed) and "tools" in ANTHROPIC.body(listed)


def test_r129_one_forced_tool_instead() -> None:
    forced = replace(HELLO, tools=(TOOL, ToolSpec("verdict", "", asked({"type": "boolean"}))), tool_choice="verdict")
    assert ANTHROPIC.body(forced)["tool_choice"] == {"type": "tool", "name": "verdict"}
    assert CHAT.body(forced)["tool_choice"] == {"type": "function", "function": {"name": "verdict"}}
    for wire in (ANTHROPIC, CHAT):
        assert not wire.body(forced).keys() & {"output_config", "response_format"}


def test_parameters_of_its_own_stand_beside_the_schema_and_never_replace_it() -> None:
    more = request(extra={"output_config": {"effort": "low"}, "top_k": 4})
    config = ANTHROPIC.body(more)["output_config"]
    assert isinstance(config, dict) and config.keys() == {"effort", "format"}
    more = request(extra={"response_format": {"type": "text"}, "seed": 4})
    body = CHAT.body(more)
    assert body["response_format"] != {"type": "text"} and body["seed"] == 4
    assert CHAT.body(replace(more, output=None))["response_format"] == {"type": "text"}


@pytest.mark.parametrize(
    ("answer", "strict", "openai"),
    [
        ({"type": "object"}, False, False),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, False, False),
        ({"type": "object", "additionalProperties": False, "properties": {"a": {"type": "string"}}}, False, False),
        (asked({"type": "string"}), True, True),
        ({"type": "string", "minLength": 2}, False, False),
        ({"type": "integer", "minimum": 1}, False, True),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1}, False, True),
        ({"type": "array"}, False, False),
        ({"type": ["string", "null"]}, False, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True, True),
        ({"anyOf": []}, False, False),
        ({"$ref": "#/$defs/a"}, False, False),
        ({"enum": ["a"]}, False, False),
        ({"type": "string", "const": "a"}, True, True),
        ({"type": "string", "default": "a"}, False, False),
        ({"type": "string", "enum": []}, False, False),
        (True, False, False),
    ],
)
def test_r128_strict_only_where_every_part_of_the_schema_fits_it(answer: Any, strict: bool, openai: bool) -> None:
    for wire, wanted in ((CHAT, strict), (OPENAI, openai)):
        sent = wire.body(request(answer))["response_format"]["json_schema"]
        assert isinstance(sent, dict) and sent.get("strict") is (True if wanted else None)


def test_a_strict_mode_takes_no_schema_that_is_nested_too_deep() -> None:
    deep: Any = {"type": "string"}
    for _ in range(5):
        deep = asked(deep)
    assert fits_strict(deep) and not fits_strict(asked(deep))


def test_r128_const_becomes_an_enum_of_one_and_names_and_values_stay() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"const": {"const": 3}, "b": {"enum": [{"const": 1}], "default": {"const": 2}}},
        "$defs": {"x": {"anyOf": [{"const": "y", "enum": ["y", "z"]}]}},
    }
    assert one_valued(schema) == {
        "type": "object",
        "properties": {"const": {"enum": [3]}, "b": {"enum": [{"const": 1}], "default": {"const": 2}}},
        "$defs": {"x": {"anyOf": [{"enum": ["y"]}]}},
    }
    assert schema["properties"]["const"] == {"const": 3}, "what was given is not changed"


def test_r128_what_anthropic_does_not_enforce_is_a_hint() -> None:
    said = reply_format(
        asked(
            {
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "minimum": 1, "maximum": 5, "description": "How many."},
                    "s": {"type": "string", "format": "regex", "const": "x"},
                    "l": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "minLength": 3}},
                    "o": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]},
                },
            }
        )
        | {"$defs": {"a": {"type": "object", "properties": {"z": {"type": "null"}}}}, "$schema": "x"}
    )
    assert said is not None and said["properties"]["answer"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "n": {"type": "integer", "description": "How many.\n\n{minimum: 1, maximum: 5}"},
            "s": {"type": "string", "enum": ["x"], "description": '{format: "regex"}'},
            "l": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "description": "{minLength: 3}"},
                "description": "{maxItems: 2}",
            },
            "o": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]},
        },
    }
    assert said["$defs"] == {
        "a": {"type": "object", "properties": {"z": {"type": "null"}}, "additionalProperties": False}
    }
    assert reply_format(said) == said


@pytest.mark.parametrize(
    "answer",
    [
        {},
        True,
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": ["object", "null"]},
        {"$ref": "#"},
        {"$ref": "https://example.org/s.json"},
        {"$ref": "#/$defs/nowhere"},
        {"allOf": [{"$ref": "#/$defs/x"}]},
        {"type": "array", "items": True},
    ],
)
def test_what_anthropic_cannot_say_is_not_said(answer: Any) -> None:
    """A wire that cannot send a schema sends none; the reply is checked anyway (R136)."""
    schema = asked(answer) | {"$defs": {"x": {"type": "string"}}}
    assert reply_format(schema) is None
    assert "output_config" not in ANTHROPIC.body(replace(HELLO, output=schema))


def test_circles_of_references_are_not_sent() -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "null"}]}}}
    circle = asked({"$ref": "#/$defs/a"}) | {"$defs": {"a": node, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}
    assert reply_format(circle) is None
    deep: Any = {"type": "string"}
    for _ in range(500):
        deep = {"anyOf": [deep]}
    assert reply_format(asked(deep)) is None


def test_definitions_are_found_wherever_the_schema_of_an_answer_stands() -> None:
    """A schema of the user's keeps its own definitions inside the one that is sent."""
    own = {
        "$ref": "#/properties/answer/$defs/tea",
        "$defs": {
            "tea": {"type": "object", "properties": {"cup": {"$ref": "#/properties/answer/$defs/cup"}}},
            "cup": {"type": "string", "const": "white"},
        },
    }
    said = reply_format(asked(own))
    assert said is not None and said["properties"]["answer"] == {"$ref": "#/$defs/tea"}
    assert said["$defs"] == {
        "tea": {"type": "object", "properties": {"cup": {"$ref": "#/$defs/cup"}}, "additionalProperties": False},
        "cup": {"type": "string", "enum": ["white"]},
    }
    assert reply_format(asked({"type": "array", "items": {"$ref": "#/properties/answer"}})) is None


def _sent() -> list[Any]:
    """What servers were sent for a reply by a schema, by folder: ours, and what is recorded beside the project."""
    made = [(folder, one) for folder, one in chats() if "structured" in one["scenario"]]
    paths = [
        (folder, fixtures() / "providers" / folder / "structured_output.json") for folder in ("anthropic", "llamacpp")
    ]
    recorded = [(folder, json.loads(path.read_text())) for folder, path in paths if path.exists()]
    return [(folder, one["exchanges"][0]["request"]["json"]) for folder, one in (*made, *recorded)]


@pytest.mark.parametrize(("folder", "sent"), _sent())
def test_recorded_requests_for_a_schema_say_the_same(folder: str, sent: Any) -> None:
    if folder == "anthropic":
        schema = sent["output_config"]["format"]["schema"]
        assert ANTHROPIC.body(replace(HELLO, output=schema))["output_config"] == sent["output_config"]
    else:
        asks = sent["response_format"]["json_schema"]
        mine = OPENAI.body(replace(HELLO, output=asks["schema"]))["response_format"]
        assert mine == {"type": "json_schema", "json_schema": {**asks, "name": "verdict"}}


# --- how long and up to where a prompt may be kept ------------------------------------------------------------

SHORT, HOUR = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}


@pytest.mark.parametrize(
    ("cache", "hint"),
    [("short", SHORT), ("long", HOUR), ("5m", SHORT), ("300s", SHORT), ("90000ms", SHORT), ("10m", HOUR), ("1h", HOUR),
     ("1d", HOUR), ("off", None), ("0s", None)],
)  # fmt: skip
def test_r68_how_long_the_prompt_may_be_kept(cache: str, hint: Any) -> None:
    body = ANTHROPIC.body(replace(HELLO, system="Be short.", cache=cache))
    text = body["messages"][0]["content"][0]
    assert text.get("cache_control") == hint and body["system"][0].get("cache_control") == hint
    assert "cache_control" not in dump(CHAT.body(replace(HELLO, cache=cache)))


TALK = (
    Message("user", (TextPart("one"),)),
    Message("assistant", (ReasoningPart("hm", {"anthropic_thinking_signature": "s"}), Call("c1", "t", {}))),
    Message("user", (Result("c1", "t", "done", False),)),
    Message("user", (TextPart("question"),)),
)


def marks(at: int | None, talk: tuple[Message, ...] = TALK) -> list[Any]:
    """The blocks that carry a hint."""
    body = ANTHROPIC.body(ModelRequest("m", talk, cache_at=at))
    blocks: Any = [block for message in body["messages"] for block in message["content"]]
    return [block["type"] + ":" + str(block.get("text", block.get("content", ""))) for block in blocks
            if "cache_control" in block]  # fmt: skip


def test_r134_the_hint_goes_on_the_message_that_is_named() -> None:
    assert marks(None) == ["text:question"]
    assert marks(3) == ["text:question"]
    assert marks(2) == ["tool_result:done"]
    assert marks(1) == ["tool_use:"]
    assert marks(0) == ["text:one"]
    assert marks(-1) == []
    silent = (*TALK[:1], Message("assistant", (TextPart(" "), ReasoningPart("x"))), *TALK[3:])
    assert marks(1, silent) == ["text:one"], "the last before it that can carry one"
