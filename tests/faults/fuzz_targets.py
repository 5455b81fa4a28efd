"""What reads input of others, each as a function of bytes that raises only where something is wrong.

A refusal in the parser's own words is right; any other exception, a value that does not fit its promise, or deltas
without sense are not. Inputs of words that the parser knows come from `grammar`, large ones from `nasty`.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jp_tui.conversation import strict_json
from jp_tui.conversation.model import Delta, ModelError
from jp_tui.conversation.strict_json import JsonProblem, dump, parse, same
from jp_tui.headless.rpc import wire
from jp_tui.journal.port import NewEvent
from jp_tui.journal.repair.pages import KEPT, DatabasePages
from jp_tui.journal.repair.salvage import salvage
from jp_tui.journal.store import open_journal
from jp_tui.providers import catalogue
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.failures import MAX_DETAIL, Failures, retry_after
from jp_tui.providers.registry import make_wire
from jp_tui.providers.sse import EventStream
from jp_tui.providers.wire import ServerError
from jp_tui.questions import arguments as ask_user
from jp_tui.questions import reading
from jp_tui.questions.wire import recorded
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers import layers, toml
from jp_tui.tools.local import parameters
from jp_tui.tools.local.parameters import BadArguments
from jp_tui.view.schema.edit import field_text, get, set_field_text, set_value_at, skeleton
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.schema.lines import lines
from tests.faults.mutated import change
from tests.providers.decoding import HELLO, fold
from tests.providers.makers import SPEAKS


@dataclass(frozen=True)
class Target:
    """`one` reads an input, `words` are what its language is made of, `most` the largest input of chance, in bytes."""

    name: str
    one: Callable[[bytes], None]
    words: tuple[bytes, ...]
    most: int = 4_000


def _json_of(data: bytes, words: tuple[str, ...]) -> Any:
    """The JSON that these bytes are, or else one that chance makes of these words, the same for the same bytes."""
    try:
        return parse(data)
    except JsonProblem:
        return _made(random.Random(data), words, 4)


def _made(chance: random.Random, words: tuple[str, ...], depth: int) -> Any:
    kind = chance.randrange(9 if depth else 5)
    if kind > 6:
        return [_made(chance, words, depth - 1) for _ in range(chance.randrange(4))]
    if kind > 4:
        return {chance.choice(words): _made(chance, words, depth - 1) for _ in range(chance.randrange(5))}
    simple: list[Any] = [
        chance.choice(words),
        chance.choice([0, 1, -1, 10**18, 10**290, -(1 << 63)]),
        chance.choice([True, False, None]),
        chance.choice([0.5, 1e308, -0.0, 5e-324]),
        chance.choice(["", "\0", "\u2028", "é🙂", "x" * 5_000, "\ufeff", "a\nb"]),
    ]
    return simple[kind]


# --- streams -----------------------------------------------------------------------------------------------


def sse(data: bytes) -> None:
    """Cut anywhere the same events; never more kept than is allowed."""
    most, chance = 3_000, random.Random(len(data))
    whole, parts = EventStream(most), EventStream(most)
    try:
        events = whole.feed(data)
    except ModelError:
        return
    found, at = [], 0
    while at < len(data):
        step = chance.choice([1, 2, 7, 100, 5_000])
        with suppress(ModelError):
            found += parts.feed(data[at : at + step])
        assert len(parts._line) + parts._size <= most
        at += step
    assert found == events and parts.garbled == whole.garbled


def _wire(name: str) -> Callable[[bytes], None]:
    def one(data: bytes) -> None:
        decoder, deltas = make_wire(Endpoint("fuzz", name, "http://h")).decoder(HELLO), list[Delta]()
        events = data if data.startswith((b"data", b"event", b'{"')) else _stream(data, name)
        with suppress(ModelError, ServerError):
            for at in range(0, len(events), 61):
                deltas += decoder.feed(events[at : at + 61])
            deltas += decoder.end()
        fold(deltas)

    return one


_EVENTS = (
    "type", "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "index",
    "message_stop", "content_block", "delta", "text", "text_delta", "input_json_delta", "partial_json", "tool_use",
    "id",
    "name", "input", "usage", "stop_reason", "end_turn", "error", "thinking", "thinking_delta", "signature", "message",
)  # fmt: skip
_CHUNKS = (
    "choices", "delta", "content", "tool_calls", "index", "id", "function", "name", "arguments", "finish_reason",
    "stop",
    "length", "reasoning", "usage", "timings", "type", "thinking", "text", "error", "message", "refusal", "code",
    "{", "}",
)  # fmt: skip


_NEWER = ("openai-responses", "gemini", "ollama")
"""Wires whose streams are made by changes of sound ones."""


def _stream(data: bytes, name: str) -> bytes:
    """Events that nearly belong to the wire, by chance."""
    chance, found = random.Random(data), []
    if name in _NEWER:
        return change(name, SPEAKS[name](chance.random() < 0.5), chance).body
    words = _EVENTS if name == "anthropic" else _CHUNKS
    for _ in range(chance.randrange(1, 12)):
        made = _made(chance, words, 4)
        if chance.random() < 0.7:
            made = _likely(chance, name, made)
        found.append(b"data: " + json.dumps(made).encode() + b"\n\n")
    return b"".join([*found, b"data: [DONE]\n\n"] if chance.random() < 0.5 else found)


def _likely(chance: random.Random, name: str, odd: Any) -> Any:
    """An event as servers send it, but for one odd value."""
    index = chance.choice([0, 0, 0, 1, 2, odd])
    if name == "openai-chat":
        call = {"index": index, "id": chance.choice(["a", "b", odd]), "function": {"name": "t", "arguments": odd}}
        delta = {"content": chance.choice(["hi", odd, None]), "tool_calls": chance.choice([[call], [call, call], odd])}
        return {"choices": [{"delta": delta, "finish_reason": chance.choice([None, None, "stop", "tool_calls", odd])}]}
    kind = chance.choice(["text", "tool_use", "thinking", odd])
    delta = {"type": chance.choice(["text_delta", "input_json_delta", odd]), "text": odd, "partial_json": '{"a":'}
    return {
        "type": chance.choice(_EVENTS[1:5] + _EVENTS[5:8:2]),
        "index": index,
        "content_block": {"type": kind, "id": "a", "name": "t", "text": odd, "input": odd},
        "delta": {**delta, "stop_reason": chance.choice([None, "end_turn", odd])},
        "usage": odd,
        "message": {"usage": odd},
    }


# --- texts -------------------------------------------------------------------------------------------------


def gate(data: bytes) -> None:
    """What passes can be written and read again, and is the same."""
    for source in (data, data.decode("utf-8", "surrogateescape"), data.decode("latin-1")):
        with suppress(JsonProblem):
            value = parse(source)
            again = dump(value)
            again.encode()
            assert same(parse(again, max_depth=strict_json.MAX_DEPTH), value)


def settings(data: bytes) -> None:
    """A file of settings, of the user's and of a folder, and its pieces as values and keys."""
    for kind in ("user", "workspace"):
        with suppress(SettingsError):
            layers.from_text(kind, "fuzz.toml", data)  # type: ignore[arg-type]
    text = data.decode("utf-8", "replace")
    with suppress(SettingsError):
        toml.parse_value(text, "--cfg")
    with suppress(SettingsError):
        toml.parse_key(text, "--cfg")
    with suppress(SettingsError):
        layers.from_assignments([text])


def rpc(data: bytes) -> None:
    """A line of a client."""
    found = wire.read(data)
    for one in found if isinstance(found, list) else [found]:
        if isinstance(one, wire.RpcFault):
            wire.line(wire.error(one.id, one.error)).encode()


def servers_words(data: bytes) -> None:
    """What a server says beside a stream: an error, a header, a list of models."""
    failures = Failures(Endpoint("fuzz", "anthropic", "http://h", "sk-secret-12345"))
    for status in (200, 400, 429, 500):
        assert len(failures.status(status, data, "m").detail) <= MAX_DETAIL + 100
    with suppress(JsonProblem):
        failures.not_a_stream("", data, "m")
    retry_after(data.decode("latin-1"), datetime(2025, 1, 1, tzinfo=UTC))
    catalogue.read(data)


# --- arguments, questions, schemas -------------------------------------------------------------------------

_SCHEMA = (
    "type", "object", "array", "string", "integer", "number", "boolean", "null", "properties", "items", "required",
    "enum",
    "const", "oneOf", "anyOf", "allOf", "$ref", "#", "#/$defs/a", "$defs", "a", "default", "additionalProperties",
    "prefixItems", "minimum", "maxLength", "pattern", "title", "description", "uniqueItems", "minItems", "format", "if",
)  # fmt: skip
_QUESTION = (
    "question", "questions", "text", "options", "value", "description", "multi_select", "schema", "type", "default",
    "when",
    "header", "id", "a", "equals", "boolean", "select", "answer_type", "allow_other", "preview", "recommended",
    "context",
    "label", "multiSelect", "one_of", "secret", "parts", "exclusive", "persistence", "body", "required", "key",
)  # fmt: skip


def tool_arguments(data: bytes) -> None:
    """Arguments of a call against the parameters of its tool, both odd."""
    made = _json_of(data, _SCHEMA)
    declared = _made(random.Random(data[::-1]), _SCHEMA, 4)
    rules = made if isinstance(made, dict) else {"a": declared}
    given = declared if isinstance(declared, dict) else {"a": made}
    rules = {name: rule for name, rule in rules.items() if isinstance(rule, dict)}
    with suppress(BadArguments):
        dump(parameters.checked_arguments(rules, given))


def questions(data: bytes) -> None:
    """What a model gives to ask people, and a question that a tool puts, with an answer to it."""
    made = _json_of(data, _QUESTION)
    ask_user.read(made)
    if isinstance(made, dict):
        ask_user.read({"questions": [made, made]})
        with suppress(reading.BadQuestion):
            asked = reading.read_question(made)
            dump(recorded(asked))
            asked.answer_type.problem(_made(random.Random(data), _QUESTION, 2))


def schema_form(data: bytes) -> None:
    """A form of any schema can be shown, filled and read back."""
    chance = random.Random(data)
    form = SchemaOutline(_json_of(data, _SCHEMA))
    document = skeleton(form)
    for one in (document, _made(chance, _SCHEMA, 3)):
        for line in lines(form, one, {}, lambda _: True)[:40]:
            field_text(line.shape, get(one, line.path))
            if line.writes:
                set_field_text(form, one, line.path, chance.choice(["1", "x", "", "1e400", "null", "9" * 400]))
    with suppress(KeyError, IndexError):
        dump(set_value_at(form, document, (), _made(chance, _SCHEMA, 2)))


@cache
def _database() -> bytes:
    """A sound one, with rows of one page and of several."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data", "conversations.db")
        journal = open_journal(path)
        journal.create("c1", workspace="/w", model="m", at="2026").result()
        for number in range(1, 30):
            text = "words " * (number if number % 7 else 2_000)
            journal.append("c1", [NewEvent("chat_response", 1, f'"{text}"', at="2026", text=text)]).result()
        journal.close()
        return path.read_bytes()


def pages(data: bytes) -> None:
    """A database, a log of one, or a sound one in which chance has written these bytes: rows are of a shape that can be
    stored, or left out."""
    chance, sound = random.Random(data), bytearray(_database())
    for _ in range(1 + len(data) % 9):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        where = chance.choice([chance.randrange(len(sound)), chance.randrange(len(sound) // 4096) * 4096])
        sound[where : where + end - at] = data[at:end]
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder, "file"), Path(folder, "log")
        for number, (one, other) in enumerate(((data, b""), (bytes(sound), data), (b"", data), (bytes(sound), b""))):
            file.write_bytes(one)
            log.write_bytes(other)
            try:
                found = DatabasePages(file, log)
                rows = [cell for page in found.numbers() for cell in found.cells(found.page(page))]
                rows += [cell for image in found.superseded() for cell in found.cells(image)]
                assert sum(len(str(one)) for cell in rows for one in cell.columns) < 100_000_000
                assert len(found.free()) <= len(sound) + len(data)
                if number == 3:
                    salvage(file, log, Path(folder, "new"), lambda db: None)
            finally:
                while KEPT:
                    os.close(KEPT.pop())


_JSON = (
    b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b"\\", b"\\u", b"\\ud800", b"\\udc00", b"1", b"-", b"1e400",
    b"NaN",
    b"0.1", b"true", b"null", b"Infinity", b"9" * 400, b"\xff", b"\xed\xa0\x80", b" ", b"\n", b"\x00", b"\xef\xbb\xbf",
    b'{"a":', b'{"a":1,"a":2}', b"[" * 70,
)  # fmt: skip
_TOML = (
    b"[", b"]", b"[[", b"]]", b"=", b".", b"a", b'"', b"'", b'"""', b"'''", b"\n", b"#", b"\\", b"{", b"}", b",",
    b"1", b"_",
    b"assistant", b"conversation", b"tools", b"providers.llm.x", b"run", b"true", b"inf", b"2020-01-01", b"0x", b"1e9",
    b"\\u0041", b"\\U0010ffff", b"\r", b"\xff", b"\x00", b"a." * 40, b"[" * 60, b"9" * 5_000,
    b"[conversation.tools.a]\n",
    b"inherit", b"model", b" ", b"\t", b"theme", b"+=", b"id",
)  # fmt: skip
_LINES = (
    b"data: ", b"data:", b"data", b"event: x", b"id: 1", b"retry: 9", b": c", b"\n", b"\r", b"\r\n", b"\n\n", b"{}",
    b"\xff",
    b"\xef\xbb\xbf", "\u2028🙂".encode(), b"\x00", b"[DONE]", b"x" * 900,
)  # fmt: skip
_RPC = (
    *_JSON, b'"jsonrpc":"2.0"', b'"id":', b'"method":"session/new"', b'"params":', b'"result":', b'"error":{"code":1}',
    b'{"jsonrpc":"2.0","id":1,"method":"initialize"}',
)  # fmt: skip
_WORDS = (*_JSON, b'{"error":{"message":"', b'"data":[{"id":"m"}]', b"<html>", b"Wed, 21 Oct 2015 07:28:00 GMT", b"7")

_PAGES = (
    b"SQLite format 3\0", b"\x0d", b"\x0a", b"\x02", b"\xff" * 9, b"\x81", b"\0" * 8, b"\x10\0\1\1",
    b"\x7f\xff\xff\xff", b"\x37\x7f\x06\x82", b"\0\0\0\2", b"\x0c\0\1\1\1\x17", b"conversations", b"\x0d\0\0\xff\xff",
)  # fmt: skip

TARGETS = (
    Target("event stream", sse, _LINES),
    Target("Anthropic's stream", _wire("anthropic"), (*_LINES, *_JSON)),
    Target("OpenAI's stream", _wire("openai-chat"), (*_LINES, *_JSON)),
    Target("stream of OpenAI's Responses", _wire("openai-responses"), (*_LINES, *_JSON)),
    Target("Gemini's stream", _wire("gemini"), (*_LINES, *_JSON)),
    Target("ollama's stream", _wire("ollama"), (*_LINES, *_JSON)),
    Target("JSON gate", gate, _JSON),
    Target("TOML and settings", settings, _TOML),
    Target("JSON-RPC line", rpc, _RPC),
    Target("a server's words", servers_words, _WORDS),
    Target("arguments of a tool", tool_arguments, _JSON),
    Target("questions and answers", questions, _JSON),
    Target("schema form", schema_form, _JSON),
    Target("pages of a database", pages, _PAGES),
)


def nasty(size: int) -> Iterator[tuple[str, Target, bytes]]:
    """Inputs of about this many bytes that cost much where somebody is careless."""
    by_name = {target.name: target for target in TARGETS}
    of_toml = {
        "a dotted key of 20,000 parts (T18)": b"a." * 20_000 + b"a = 1",
        "500 brackets (T21b)": b"a = " + b"[" * 500 + b"]" * 500,
        "brackets": b"a = " + b"[" * size,
        "inline tables": b"a = " + b"{a = " * (size // 5),
        "dotted keys": b"".join(b".".join([b"k%d" % n, *[b"a"] * 30]) + b"=1\n" for n in range(size // 75)),
        "tables": b"".join(b"[conversation.tools.t%d]\n" % n for n in range(size // 28)),
        "arrays of tables": b"[[a]]\n" * (size // 6),
        "quotes": b'"' * size,
        "escapes": b'a = """' + b"\\" * size,
        "ends that are none": b"a = '''" + b"'' " * (size // 3),
        "digits": b"a = " + b"9" * size,
        "a long key": b"a" * size + b" = 1",
        "comments in an array": b"a = [" + b"#\n" * (size // 2) + b"]",
        "blanks": b" " * size + b"=",
        "values": b"a = [" + b"1," * (size // 2) + b"]",
    }
    of_json = {
        "brackets": b"[" * size,
        "objects": b'{"a":' * (size // 5),
        "digits": b"9" * size,
        "an exponent": b"1e" + b"9" * size,
        "keys": b"{" + b",".join(b'"%d":1' % n for n in range(size // 12)) + b"}",
        "small lists": b"[" + b"[]," * (size // 3) + b"[]]",
        "deep lists": b"[" + b",".join([b"[" * 62 + b"]" * 62] * (size // 125 + 1)) + b"]",
        "halves": b'["' + b"\\ud83d\\ude00" * (size // 12) + b'"]',
        "one string": b'"' + b"\\u0041" * (size // 6) + b'"',
    }
    of_lines = {
        "line ends": b"\n" * size,
        "carriage returns": b"\r" * size,
        "empty data": b"data\n" * (size // 5),
        "events": b"data:\n\n" * (size // 7),
        "one line": b"data:" + b"x" * size,
    }
    names = {"TOML and settings": of_toml, "JSON gate": of_json, "event stream": of_lines}
    for name, inputs in names.items():
        yield from ((what, by_name[name], data) for what, data in inputs.items())
    for name in ("arguments of a tool", "questions and answers", "schema form", "JSON-RPC line", "a server's words"):
        yield from ((what, by_name[name], data) for what, data in of_json.items())
    for name in ("Anthropic's stream", "OpenAI's stream", "stream of OpenAI's Responses", "Gemini's stream"):
        yield from ((what, by_name[name], b"data: " + data + b"\n\n") for what, data in of_json.items())
    yield from ((what, by_name["ollama's stream"], data + b"\n") for what, data in of_json.items())
