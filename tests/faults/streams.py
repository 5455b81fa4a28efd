"""Every recorded stream cut at every byte, in five ways: whole or a clear error, no doubled text, no tool run from half
a message (T19, T20), on each wire.

Three depths, from many to few: the decoder alone at every byte, the whole HTTP client on memory at every byte in every
way, real sockets. Streams of another wire than the configured one are refused, too. What the engine makes of a cut
reply stands in `cut_turns.py`, what chance changes beside cutting in `mutated.py`.
"""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jp_tui.conversation.model import Delta, ModelError
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import make_wire, open_provider
from tests.fakes.memory_server import ENDS, MemoryEnd, MemoryServer
from tests.fakes.model_server import Answer, End, ModelServer, split
from tests.faults import mutated
from tests.faults.cut_turns import told
from tests.faults.report import Found
from tests.limits import LIMIT
from tests.providers.decoding import HELLO, SAMPLES, decode, fixtures, fold
from tests.providers.made_recordings import chats
from tests.providers.makers import SPEAKS

IDLE = 7.25
"""Seconds that a server may say nothing; on memory nobody waits for them."""
SHORT = 0.3
"""The same on real sockets, of servers that stall."""
WIRES: dict[str, str] = {
    "anthropic": "anthropic",
    "llamacpp": "openai-chat",
    "openai": "openai-responses",
    "ollama": "ollama",
}
_SOCKETS: dict[End, set[str]] = {
    "fin": {"cut"}, "cut": {"cut"}, "rst": {"cut"}, "stall": {"stalled"}, "bad_chunk": {"cut"},
}  # fmt: skip


@dataclass(frozen=True)
class Stream:
    """One recorded response and what it says as a whole."""

    name: str
    wire: str
    body: bytes
    said: list[list[Any]]

    def decoder(self) -> Any:
        return make_wire(Endpoint("recorded", self.wire, "http://h")).decoder(HELLO)


def _bodies(folder: str) -> Iterator[tuple[str, bytes]]:
    for made in [one for where, one in chats() if where == folder]:
        for number, exchange in enumerate(made["exchanges"]):
            yield f"{folder}/{made['scenario']}#{number}", exchange["response"]["body"].encode()
    for path in sorted((fixtures() / "providers" / folder).glob("*.json")):
        recorded = json.loads(path.read_text("utf-8"))
        for number, exchange in enumerate(recorded["exchanges"] if recorded["kind"] == "chat" else ()):
            yield f"{folder}/{path.stem}#{number}", exchange["response"]["body"].encode()


def streams() -> list[Stream]:
    """Our own samples, and all recordings of wires that we speak, where there are any."""
    named: list[tuple[str, str, bytes]] = [
        (path.stem, "anthropic" if path.stem.startswith("anthropic") else "openai-chat", path.read_bytes())
        for path in sorted(Path(SAMPLES).glob("*.sse"))
    ]
    named += [(name, wire, body) for folder, wire in WIRES.items() for name, body in _bodies(folder)]
    for wire, speaks in SPEAKS.items():
        named += [(f"made/{wire}", wire, speaks(False)), (f"made/{wire} calls", wire, speaks(True))]
    found = []
    for name, wire, body in named:
        stream = Stream(name, wire, body, [])
        said, finished = fold(decode(stream.decoder(), [body]))
        assert finished is not None, name
        stream.said.extend(said)
        found.append(stream)
    return found


def judged(stream: Stream, deltas: Sequence[Delta], error: ModelError | None, kinds: set[str]) -> str:
    """What is wrong with this outcome of a cut, in words; empty when it is whole or a clear error of these kinds."""
    try:
        said, finished = fold(deltas)
    except AssertionError as broken:
        return f"deltas without sense: {broken}"
    if error is None:
        return "" if finished is not None and said == stream.said else f"ended as whole, but said {said!r:.300}"
    if finished is not None:
        return "whole and failed at once"
    if error.kind not in kinds or not error.transient or not (error.message and error.advice):
        return f"no clear error: {error.kind} {error.message!r} {error.advice!r}"
    return _beginning(said, stream.said)


def _beginning(said: list[list[Any]], whole: list[list[Any]]) -> str:
    if len(said) > len(whole):
        return f"parts that were never sent: {said!r:.300}"
    for got, want in zip(said, whole, strict=False):
        if got[0] not in ("tool", want[0]) or (got[0] == "tool" and want[0] not in ("tool", "refused")):
            return f"another kind of part: {got!r:.200}"
        if got[0] == "tool":
            if not isinstance(got[3], str):
                return f"a call that may run, of half a message: {got!r:.200}"
            if got[1:3] != want[1:3]:
                return f"another call: {got!r:.200}"
        elif not want[1].startswith(got[1]):
            return f"other text than was sent: {got[1][-80:]!r}"
    return ""


# --- the decoder alone -------------------------------------------------------------------------------------


def decoded(stream: Stream, cuts: set[int] | None) -> Iterator[str]:
    """One decoder fed byte by byte; at each byte (or those in `cuts`) a copy of it is told that the stream ends."""
    decoder, deltas, known = stream.decoder(), list[Delta](), -1
    for at in range(len(stream.body) + 1):
        if cuts is None or at in cuts:
            error, last = None, list[Delta]()
            try:
                last = copy.deepcopy(decoder).end()
            except ModelError as raised:
                error = raised
            same, known = error is not None and known == len(deltas), len(deltas)
            if wrong := judged(stream, [] if same else [*deltas, *last], error, {"cut"}):
                yield f"{stream.name} ends after byte {at}: {wrong}"
        deltas += decoder.feed(stream.body[at : at + 1])


# --- the whole client --------------------------------------------------------------------------------------


async def taken(provider: Provider) -> tuple[list[Delta], ModelError | None]:
    """All that came, and the failure at its end."""
    found: list[Delta] = []
    try:
        async for delta in provider.stream(HELLO):
            found.append(delta)
    except ModelError as error:
        return found, error
    return found, None


class Memory:
    """A provider for each of our wires, and the server on memory that they reach."""

    def __init__(self) -> None:
        self.server = MemoryServer()
        self.providers = {
            wire: self.server.provider(Endpoint("recorded", wire, "http://h.invalid", stream_idle_timeout_secs=IDLE))
            for wire in SPEAKS
        }

    async def close(self) -> None:
        for provider in self.providers.values():
            await provider.close()


async def on_memory(memory: Memory, stream: Stream, cuts: Sequence[int], seed: int) -> list[str]:
    """The real provider on memory: these cuts × every way to end, in pieces that chance cuts."""
    chance, wrong = random.Random(f"{seed} {stream.name}"), list[str]()
    for at in cuts:
        for end in ENDS:
            wrong += await _one(stream, memory.server, memory.providers[stream.wire], at, end, chance)
    return wrong


async def _one(
    stream: Stream, server: MemoryServer, provider: Provider, at: int, end: MemoryEnd, chance: random.Random
) -> list[str]:
    half = stream.body[:at]
    server.received.clear()
    marks = [chance.randrange(1, at) for _ in range(chance.randrange(4))] if at > 1 else []
    server.answers(split(half, marks), end)
    deltas, error = await taken(provider)
    where = f"{stream.name} cut after byte {at}, {end}, in pieces at {marks}"
    found = []
    if wrong := judged(stream, deltas, error, {"stalled"} if end == "stall" else {"cut"}):
        found.append(f"{where}: {wrong}")
    if end == "stall" and error is not None and server.waited[-1] != IDLE:
        found.append(f"{where}: it waits {server.waited[-1]} s instead of the limit")
    if server.open > (end == "end" or error is None):
        found.append(f"{where}: {server.open} connections left open")
    return found


async def on_sockets(tries: Sequence[tuple[Stream, int, End]]) -> list[str]:
    """The same through the kernel, many at a time."""

    async def one(stream: Stream, at: int, end: End) -> str:
        pieces = [stream.body[:at]] if at else []  # an empty chunk would be the end of all
        async with ModelServer(Answer(pieces, end=end)) as server:
            idle = SHORT if end == "stall" else 60.0
            endpoint = Endpoint("recorded", stream.wire, server.url, stream_idle_timeout_secs=idle)
            provider = open_provider(endpoint)
            deltas, error = await taken(provider)
            await asyncio.wait_for(provider.close(), LIMIT)
        # a reset may overtake what was sent before it: then less was said, which is no fault
        wrong = judged(stream, deltas, error, _SOCKETS[end])
        return f"{stream.name} cut after byte {at}, {end}, on a socket: {wrong}" if wrong else ""

    found: list[str] = []
    for first in range(0, len(tries), 40):
        found += await asyncio.gather(*(one(*each) for each in tries[first : first + 40]))
    return [wrong for wrong in found if wrong]


async def foreign(memory: Memory, known: Sequence[Stream], chance: random.Random, cuts: int) -> tuple[int, list[str]]:
    """Each stream to the other wires: a clear error, and nothing of it is said."""
    runs, wrong = 0, list[str]()
    for stream in known:
        for wire, provider in memory.providers.items():
            size = len(stream.body) if wire != stream.wire else 0
            for at in [size, *(chance.randrange(size) for _ in range(cuts))] if size else ():
                memory.server.answers([stream.body[:at]], "end")
                deltas, error = await taken(provider)
                runs += 1
                if deltas or error is None or not (error.message and error.advice):
                    wrong.append(f"{stream.name} as {wire}, cut after byte {at}: {error!r}, {deltas!r:.200}")
    return runs, wrong


# --- the part ----------------------------------------------------------------------------------------------


def tried(whole: bool, seed: int) -> list[Found]:
    """`whole`: every byte; else a few of each stream that chance picks."""
    chance, known = random.Random(seed), streams()
    absent = not (fixtures() / "providers").is_dir()
    alone = Found("a recorded stream ends at a byte: the decoder", 0)
    for stream in known:
        size = len(stream.body)
        some = None if whole or size < 2_000 else {chance.randrange(size + 1) for _ in range(15)}
        alone.runs += size + 1 if some is None else len(some)
        alone.failed += decoded(stream, some)
    alone.figures = {"streams": str(len(known)), "bytes": f"{sum(len(stream.body) for stream in known):,}"}
    if absent:
        alone.figures["recordings"] = "none here"
    some_ends: list[End] = [*_SOCKETS]
    tries = [
        (stream := chance.choice(known), chance.randrange(len(stream.body) + 1), chance.choice(some_ends))
        for _ in range(500 if whole else 8)
    ]
    turns = Found("a turn whose reply is cut: asked for again, said once, no call run", len(tries), told(tries))
    changed = mutated.tried(20_000 if whole else 200, seed)
    return [alone, turns, *asyncio.run(_through_the_client(known, chance, seed, whole=whole)), *changed]


async def _through_the_client(known: list[Stream], chance: random.Random, seed: int, *, whole: bool) -> list[Found]:
    memory = Memory()
    cut = Found("a recorded stream cut at a byte × end, hang-up, reset, stall, bad chunk: the whole client", 0)
    for stream in known:
        size = len(stream.body)
        cuts = range(size + 1) if whole else [chance.randrange(size + 1) for _ in range(2)]
        cut.runs += len(cuts) * len(ENDS)
        cut.failed += await on_memory(memory, stream, cuts, seed)
    runs, wrong = await foreign(memory, known, chance, 20 if whole else 0)
    await memory.close()
    tries = [
        (stream := chance.choice(known), chance.randrange(len(stream.body) + 1), chance.choice([*_SOCKETS]))
        for _ in range(2_000 if whole else 16)
    ]
    sockets = Found("the same on a real socket", len(tries), await on_sockets(tries))
    return [cut, sockets, Found("streams of another wire than the configured one", runs, wrong)]
