"""`jp-tui rpc --schema`: the whole protocol as one JSON Schema, generated from the models (surface S30).

Each exchanged line validates against the document itself; `methods` lists senders and results. One version always
prints the identical document.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.rpc import wire
from jp_tui.headless.rpc.messages import METHODS, PROTOCOL_VERSION, Method

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/{model}"
_ID: JsonObject = {"type": ["string", "number"]}
_VERSION: JsonObject = {"const": wire.VERSION}
ERRORS = {
    wire.PARSE: "the line isn't valid JSON",
    wire.REQUEST: "the JSON isn't a valid message",
    wire.METHOD: "unknown method",
    wire.PARAMS: "invalid params; see `data.problems`",
    wire.INTERNAL: "the request failed; see the message",
}


def document() -> JsonObject:
    """Return the whole document."""
    models = {model for method in METHODS.values() for model in (method.params, method.result) if model is not None}
    inputs: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        (model, "validation") for model in sorted(models, key=lambda one: one.__name__)
    ]
    _, definitions = models_json_schema(inputs, ref_template=_REF)
    shapes: dict[str, Any] = _as_written(definitions["$defs"])
    messages = {
        f"{name.replace('/', '.')}.{part}": shape
        for name, method in METHODS.items()
        for part, shape in _messages(name, method)
    }
    shapes = {**shapes, **messages, "error": _error(), "batch": _batch(messages)}
    return {
        "$schema": DIALECT,
        "title": "jp-tui rpc",
        "description": "JSON-RPC 2.0, one message a line, UTF-8. Every line is one of these messages.",
        "protocol_version": PROTOCOL_VERSION,
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in sorted([*messages, "error", "batch"])],
        "methods": {name: _described(method) for name, method in METHODS.items()},
        "errors": {str(code): words for code, words in ERRORS.items()},
        "$defs": {name: shapes[name] for name in sorted(shapes)},
    }


def _as_written(shape: Any) -> Any:
    """Convert defaults to their wire form, where untrusted text is plain text."""
    if isinstance(shape, dict):
        return {
            key: value["raw"]
            if key == "default" and isinstance(value, dict) and list(value) == ["raw"]
            else _as_written(value)
            for key, value in shape.items()
        }
    return [_as_written(one) for one in shape] if isinstance(shape, list) else shape


def _described(method: Method) -> JsonObject:
    found: JsonObject = {
        "sender": method.sender,
        "kind": "notification" if method.result is None else "request",
        "description": method.what,
        "params": _ref(method.params),
    }
    return found if method.result is None else {**found, "result": _ref(method.result)}


def _ref(model: type[BaseModel]) -> JsonObject:
    return {"$ref": _REF.format(model=model.__name__)}


def _messages(name: str, method: Method) -> list[tuple[str, JsonObject]]:
    """Return the lines of a method: the request or notification, and its result."""
    said: JsonObject = {"jsonrpc": _VERSION, "method": {"const": name}, "params": _ref(method.params)}
    asked: JsonObject = {
        "type": "object",
        "description": method.what,
        "required": ["jsonrpc", "method"],
        "properties": said if method.result is None else {**said, "id": _ID},
        "additionalProperties": False,
    }
    if method.result is None:
        return [("notification", asked)]
    came: JsonObject = {
        "type": "object",
        "required": ["jsonrpc", "id", "result"],
        "properties": {"jsonrpc": _VERSION, "id": _ID, "result": _ref(method.result)},
        "additionalProperties": False,
    }
    return [("request", asked), ("result", came)]


def _error() -> JsonObject:
    return {
        "type": "object",
        "description": "Sent instead of a result. The id is null if it couldn't be read.",
        "required": ["jsonrpc", "id", "error"],
        "properties": {
            "jsonrpc": _VERSION,
            "id": {"type": ["string", "number", "null"]},
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "data": {}},
            },
        },
        "additionalProperties": False,
    }


def _batch(messages: dict[str, JsonObject]) -> JsonObject:
    """Return several messages in one line; the replies arrive in one line, in the same order, once all are complete."""
    each: list[Json] = [{"$ref": f"#/$defs/{name}"} for name in sorted([*messages, "error"])]
    return {"type": "array", "minItems": 1, "items": {"anyOf": each}}
