"""Requests of a server as questions, and answers as what the protocol wants (mcp.md P41, P42, P44, P45).

Pure. A message is the server's, whatever it says; what frames it comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from unicodedata import category, normalize
from urllib.parse import urlsplit

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.questions.bounds import MAX_TEXT
from jp_tui.questions.types import BooleanAnswer, Question, SchemaAnswer

FORM, URL, SAMPLING = "elicit", "url", "sampling"
"""Ids of questions (P41)."""
ELICIT, SAMPLE = "elicitation/create", "sampling/createMessage"
URL_REQUIRED = -32042
End = Literal["decline", "cancel"]
_SECRET_NAMES = re.compile(
    r"password|passphrase|passcode|secret|token|credential|api key|private key|access key|cvc|cvv|otp|pin"
)
_FIELDS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_INNER = (
    "items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
    "propertyNames", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
)  # fmt: skip
"""Keys of a schema with further schemas: by name, and as they are."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[^a-z0-9]+")
_PLURAL = re.compile(r"s\b")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\ud800-\udfff\\]")


@dataclass(frozen=True, slots=True)
class UnaskedRequest:
    """A request that is answered without a person, and why."""

    action: End
    words: str


def asks(method: str, params: Mapping[str, Json], *, host: str, of: int = 1) -> Question | UnaskedRequest:
    """Return the question for a request; `host` is the server's own, empty for a program. `of` calls are open."""
    if params.get("mode") == "url":
        return _page(params, host, of)
    return _form(params, of)


def accepted(question: Question, value: Json) -> JsonObject:
    """Return the result for an answered question: a no declines."""
    if isinstance(question.answer_type, SchemaAnswer):
        return {"action": "accept", "content": value}
    if value is not True:
        return {"action": "decline"}
    return {"action": "accept", "content": {}} if question.id == FORM else {"action": "accept"}


def ended(end: End) -> JsonObject:
    """Return the result for a question without an answer."""
    return {"action": end}


def addresses(data: Json) -> list[JsonObject]:
    """Return the requests of an error -32042, in order."""
    found = data.get("elicitations") if isinstance(data, dict) else None
    listed = found if isinstance(found, list) else []
    return [one for one in listed if isinstance(one, dict) and isinstance(one.get("url"), str)]


def secret_field(schema: Mapping[str, Json]) -> str:
    """Return the name of a field that asks for a secret (P44), at any depth; empty if there is none."""
    waiting: list[tuple[str, Json]] = [("", dict(schema))]
    while waiting:
        name, one = waiting.pop()
        if isinstance(one, list):
            waiting += [(name, each) for each in one]
        if not isinstance(one, dict):
            continue
        title = one.get("title") if name else None
        marked = one.get("format") == "password" or one.get("writeOnly") is True
        if marked or _named_secret(name) or (isinstance(title, str) and _named_secret(title)):
            return name or "value"
        for key, value in one.items():
            fields = value if isinstance(value, dict) else {}
            if key in _FIELDS:
                waiting += [(str(field), each) for field, each in fields.items()]
            elif key in _INNER:
                waiting.append((name, value))
    return ""


def _named_secret(name: str) -> bool:
    """Return whether one of the words is there as a whole word, as it looks: `pinCode` and `API_KEYS` have one,
    `spinning` has none."""
    seen = "".join(one for one in normalize("NFKD", name) if category(one) not in ("Cf", "Mn"))
    words = _BETWEEN.sub(" ", _HUMP.sub(" ", seen).lower()).strip()
    joined = [words, _PLURAL.sub("", words)]
    pattern = rf"\b(?:{_SECRET_NAMES.pattern})\b"
    return any(re.search(pattern, one) or re.search(pattern, one.replace("apikey", "api key")) for one in joined)


def _form(params: Mapping[str, Json], of: int) -> Question | UnaskedRequest:
    schema = params.get("requestedSchema")
    if not isinstance(schema, dict):
        return UnaskedRequest("cancel", "the form has no schema")
    secret = secret_field(schema)
    text, context = _message(params, of)
    if not schema.get("properties"):
        return Question(
            FORM, text, BooleanAnswer(), context, exclusive=True, persistence="none", acts=True, serves=True
        )
    defaults = _defaults(schema)
    return Question(
        FORM,
        text,
        SchemaAnswer(schema),
        context,
        default=defaults,
        has_default=bool(defaults),
        exclusive=True,
        persistence="none",
        serves=True,
        refused=bool(secret),
    )


def _defaults(schema: Mapping[str, Json]) -> JsonObject:
    properties = schema.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    return {name: one["default"] for name, one in fields.items() if isinstance(one, dict) and "default" in one}


def _page(params: Mapping[str, Json], host: str, of: int) -> Question | UnaskedRequest:
    url = params.get("url")
    if not isinstance(url, str) or _bad_address(url):
        return UnaskedRequest("decline", "its address can't be opened")
    text, context = _message(params, of)
    lines = address_lines(url, host)
    shown = "\n".join(lines) if not context else "\n".join([*lines, "", context])
    return Question(
        URL, text, BooleanAnswer(), shown, exclusive=True, persistence="none", floor=True, acts=True, serves=True
    )


def _bad_address(url: str) -> str:
    if _CONTROL.search(url):
        return "characters that no address has"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "no address"
    return "" if parts.scheme in ("http", "https") and host else "another scheme"


def address_lines(url: str, own_host: str) -> list[str]:
    """Return an address whole, its host as it is sent, and what a person should know about it (P45)."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    said = [url, f"Host: {host}"]
    if not host.isascii():
        try:
            said[1:] = [f"Host: {host} ({host.encode('idna').decode('ascii')})"]
        except UnicodeError:
            said[1:] = [f"Host: {host} (not a valid name)"]
    if parts.scheme == "http":
        said.append("Warning: the connection isn't encrypted (http).")
    if "@" in parts.netloc:
        said.append("Warning: the address has a user part; the host is what follows the @.")
    if own_host and host.lower() != own_host.lower():
        said.append(f"Warning: this isn't the server's own host ({own_host}).")
    return said


def _message(params: Mapping[str, Json], of: int) -> tuple[str, str | None]:
    """Return the first line, and all of the message where there is more."""
    message = params.get("message")
    said = message if isinstance(message, str) and message.strip() else "The server sent no message."
    line = first_line(said)[:MAX_TEXT] or "The server sent no message."
    context = said if said.strip() != line else None
    if of > 1:
        note = f"It may belong to any of the {of} open calls of this server (one of {of} calls)."
        context = note if context is None else f"{note}\n\n{context}"
    return line, context
