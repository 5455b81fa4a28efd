"""Wires beside the official SDKs: reading a streamed reply of 1,000 tokens, and making a request of 1,000 messages.

Both read the same bytes, each in a process of its own, the SDKs as raw streams: once without a network, which is what
the decoders cost, and once from the same server through their own HTTP client. The SDKs are in a venv of their own,
which this part makes (JP_TUI_SDKS names one that is there). A request is compared with writing the same body as JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.model import Call, Message, ModelRequest, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.conversation.strict_json import dump
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.pacing import joined
from jp_tui.providers.registry import make_wire, open_provider
from tests.bench.program import NotHere
from tests.bench.report import Row
from tests.fakes.model_server import Answer, in_thread
from tests.providers import sdks
from tests.providers.decoding import HELLO
from tests.providers.makers import STRICT

if TYPE_CHECKING:
    from tests.bench.setting import Bench

SECONDS = 240.0
TOKENS, MESSAGES, REPS = 1_000, 1_000, 10
GOAL, BUILT = 0.5, 4.0
BASE = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": ""}
OURS = {"gemini": "/v1beta"}
"""Where our address of a wire ends elsewhere than the SDK's."""
SDKS = {"openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic", "gemini": "google-genai"}
SCRIPT = str(sdks.ROOT / "tests" / "bench" / "sdk_decoding.py")
ROUNDS = 3
PIECE = 1_400
"""Bytes that come at once."""
WORDS = ("The", " user", " sent", " a", " test", " message", ",", " which", ' "quotes"', " and", " ünïcode", ".\n")


def rows(bench: Bench) -> list[Row]:
    reps = 3 if bench.quick else REPS
    try:
        python = str(sdks.make())
    except (subprocess.CalledProcessError, OSError) as problem:
        raise NotHere(f"the SDKs can't be installed ({getattr(problem, 'stderr', None) or problem})"[-300:]) from None
    found: list[Row] = []
    for wire, base in BASE.items():
        body = reply(wire)
        file = bench.folder / f"{wire}.reply"
        file.write_bytes(body)
        with in_thread(Answer(pieces_of(body))) as server:
            both = (
                ("decoded", str(file), str(file)),
                ("read over HTTP", server.url + base, server.url + OURS.get(wire, base)),
            )
            for how, their_place, our_place in both:
                read: dict[str, Any] = {"ours": [], "theirs": []}
                for _ in range(1 if bench.quick else ROUNDS):  # in turns: a busy moment of the machine meets both
                    theirs = _read([python, "-I", SCRIPT], wire, their_place, reps)
                    ours = _read([sys.executable, "-m", "tests.bench.wires"], wire, our_place, reps)
                    read["ours"] += ours["seconds"]
                    read["theirs"] += theirs["seconds"]
                    bench.runs += 2
                assert ours["events"] >= TOKENS and theirs["events"] >= TOKENS
                against, goal = f"{SDKS[wire]} {theirs['version']}", GOAL if how == "decoded" else None
                found.append(Row(f"{TOKENS:,} tokens {how}, CPU, {wire}", **read, against=against, goal=goal))
                if how == "decoded":
                    speeds = {who: [ours["events"] / one for one in seconds] for who, seconds in read.items()}
                    found.append(Row(f"events decoded, {wire}", **speeds, against=against, unit="per second"))
    return found + [built(wire, reps) for wire in STRICT]


def _read(command: list[str], wire: str, url: str, reps: int) -> dict[str, Any]:
    ended = subprocess.run(
        [*command, wire, url, str(reps)], capture_output=True, text=True, timeout=SECONDS, cwd=sdks.ROOT, check=False
    )
    if ended.returncode:
        raise NotHere(f"{wire}: {ended.stderr.strip()[-300:]}")
    read: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return read


def pieces_of(body: bytes) -> list[bytes]:
    return [body[at : at + PIECE] for at in range(0, len(body), PIECE)]


# --- replies -----------------------------------------------------------------------------------------------


def reply(wire: str) -> bytes:
    """A reply of 1,000 tokens, each an event of its own, with all the fields that the real servers send."""
    words = [WORDS[at % len(WORDS)] for at in range(TOKENS)]
    return b"".join(_EVENTS[wire](words))


def _named(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _chat(words: list[str]) -> list[bytes]:
    about = {
        "created": 1780171782, "id": "chatcmpl-Pqpr1VWzsVduKaZMnBAaGwDJTLknWGax", "model": "qwen3",
        "system_fingerprint": "b8210-2cd20b72e", "object": "chat.completion.chunk",
    }  # fmt: skip
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": None}, None)]
    deltas += [*(({"content": word}, None) for word in words), ({}, "stop")]
    found = [{"choices": [{"finish_reason": end, "index": 0, "delta": delta}], **about} for delta, end in deltas]
    usage = {"completion_tokens": len(words), "prompt_tokens": 12, "total_tokens": 12 + len(words)}
    return [
        *(b"data: " + json.dumps(one).encode() + b"\n\n" for one in [*found, {"choices": [], "usage": usage, **about}]),
        b"data: [DONE]\n\n",
    ]


def _responses(words: list[str]) -> list[bytes]:
    state: dict[str, Any] = {
        "id": "resp_0f2c01036abf9111", "object": "response", "created_at": 1771419317, "status": "in_progress",
        "background": False, "error": None, "incomplete_details": None, "instructions": None, "max_output_tokens": None,
        "model": "gpt-5-mini-2025-08-07", "output": [], "parallel_tool_calls": True, "previous_response_id": None,
        "reasoning": {"effort": "low", "summary": "detailed"}, "store": False, "temperature": 1.0,
        "tool_choice": "auto", "text": {"format": {"type": "text"}, "verbosity": "medium"}, "tools": [], "top_p": 1.0,
        "usage": None, "truncation": "disabled", "user": None, "metadata": {},
    }  # fmt: skip
    whole = {"type": "output_text", "annotations": [], "logprobs": [], "text": "".join(words)}
    item = {"id": "msg_0f2c", "type": "message", "status": "in_progress", "content": [], "role": "assistant"}
    done = {**item, "status": "completed", "content": [whole]}
    at = {"item_id": "msg_0f2c", "output_index": 0, "content_index": 0}
    usage = {
        "input_tokens": 12, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": len(words),
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 12 + len(words),
    }  # fmt: skip
    made: list[dict[str, Any]] = [
        {"type": "response.created", "response": state},
        {"type": "response.in_progress", "response": state},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **at, "part": {**whole, "text": ""}},
        *(
            {"type": "response.output_text.delta", **at, "delta": word, "logprobs": [], "obfuscation": "Zq81Lm"}
            for word in words
        ),
        {"type": "response.output_text.done", **at, "text": "".join(words), "logprobs": []},
        {"type": "response.content_part.done", **at, "part": whole},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": {**state, "status": "completed", "output": [done], "usage": usage}},
    ]
    return [_named({**event, "sequence_number": number}) for number, event in enumerate(made)]


def _anthropic(words: list[str]) -> list[bytes]:
    usage = {"input_tokens": 38, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 3}
    message = {
        "model": "claude-haiku-4-5-20251001", "id": "msg_018seD6jcRrJrKHcjyeh3akR", "type": "message",
        "role": "assistant", "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    made: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}} for word in words),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {**usage, "output_tokens": len(words)},
        },
        {"type": "message_stop"},
    ]
    return [_named(event) for event in made]


def _gemini(words: list[str]) -> list[bytes]:
    found = []
    for number, word in enumerate(words, 1):
        candidate: dict[str, Any] = {"content": {"parts": [{"text": word}], "role": "model"}, "index": 0}
        if number == len(words):
            candidate["finishReason"] = "STOP"
        usage = {
            "promptTokenCount": 12, "candidatesTokenCount": number, "totalTokenCount": 12 + number,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
        }  # fmt: skip
        chunk = {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "gemini-3-pro",
            "responseId": "mAitaLmkHPPlz7IP",
        }
        found.append(b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n")
    return found


_EVENTS = {"openai-chat": _chat, "openai-responses": _responses, "anthropic": _anthropic, "gemini": _gemini}


# --- requests ----------------------------------------------------------------------------------------------


def request(count: int, provider: str) -> ModelRequest:
    """A conversation of so many messages: a question, a reply with reasoning and a call, its result, an answer."""
    opaque: dict[str, dict[str, Any]] = {
        "anthropic": {"anthropic_thinking_signature": "c2ln" * 40},
        "openai-responses": {"openai_item_id": "rs_1", "openai_encrypted_content": "enc-" + "x" * 200},
        "gemini": {"gemini_thought_signature": "sig-" + "x" * 200, "gemini_model": "m"},
    }
    messages: list[Message] = []
    came = opaque.get(provider, {})
    for number in range(count // 4):
        id_, on_call = f"call_{number}", came if provider == "gemini" else {}
        thought = ReasoningPart("The user wants to know. " * 5, {} if on_call else came)
        call = Call(id_, "fs_read_file", {"path": f"a/{number}.py"}, on_call)
        messages += [
            Message("user", (TextPart(f"What is in file {number}? " * 4),)),
            Message("assistant", (thought, TextPart("I'll look."), call)),
            Message("user", (Result(id_, "fs_read_file", "def answer() -> int:\n    return 42\n" * 10, False),)),
            Message("assistant", (TextPart("It has a function that returns *42*. " * 6),)),
        ]
    tool = ToolSpec("fs_read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
    return ModelRequest("m", (*messages, Message("user", (TextPart("And now?"),))), "Be short.", (tool,))


def built(wire: str, reps: int) -> Row:
    made, asked = make_wire(Endpoint(wire, wire, "http://h")), request(MESSAGES, wire)
    ours, theirs = list[float](), list[float]()
    body = made.body(asked)
    STRICT[wire](dump(body).encode())
    for _ in range(reps):
        began = time.process_time()
        dump(made.body(asked)).encode("utf-8", "replace")
        between = time.process_time()
        json.dumps(body).encode()
        ours.append(between - began)
        theirs.append(time.process_time() - between)
    return Row(
        f"a request of {MESSAGES:,} messages, {wire}",
        ours,
        theirs,
        against="json.dumps of its body",
        goal=BUILT,
        runs=reps,
    )


# --- ours, in a process of its own -------------------------------------------------------------------------


async def read(wire: str, where: str, reps: int) -> dict[str, Any]:
    """As `sdk_decoding.py`: the processor time of each reply, from a server or a file, and the events of the server in
    one."""
    endpoint, seconds = Endpoint("bench", wire, where if where.startswith("http") else "http://h", "k"), list[float]()
    provider, made = open_provider(endpoint), make_wire(endpoint)
    pieces = [] if where.startswith("http") else pieces_of(Path(where).read_bytes())  # noqa: ASYNC240 nothing else runs
    for number in range(reps + 2):
        began = time.process_time()
        if pieces:
            decoder = made.decoder(HELLO)
            for piece in pieces:
                joined(decoder.feed(piece))
            decoder.end()
        else:
            async for _ in provider.stream(HELLO):
                pass
        if number > 1:
            seconds.append(time.process_time() - began)
    await provider.close()
    return {"events": reply(wire).count(b"data: {"), "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(read(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
