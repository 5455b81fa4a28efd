"""Streams of every wire that chance changes: words or a clear error, never half a message as whole, never a cut call.

What may be changed: bytes, lines, events doubled, left out, swapped or cut short, any value of an event replaced by
null, by an error object or by another odd one. A stream of which the end is missing may never count as whole, and where
no value was changed a call may only run as it was asked for.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jp_tui.conversation.model import Delta, ModelError
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from jp_tui.providers.wire import ServerError
from tests.faults.report import Found
from tests.providers.decoding import HELLO, fold
from tests.providers.makers import ARGUMENTS, SPEAKS

ODD: tuple[Any, ...] = (
    None, True, -1, 0.5, 1 << 70, "", "x" * 5_000, "\0", [], {}, [None], {"error": {}}, {"error": None},
    {"message": "Overloaded", "type": "overloaded_error", "code": 503}, [[]] * 50, "error", "tool_use", "done",
)  # fmt: skip
TALES = (b"data: [DONE]", b"", b": ping", b"event: x", b'{"error":"x"}', b"\xff\xfe")


@dataclass
class Changed:
    """`ends`: the event that makes a stream whole is still there; `kept`: so are all values, where they are there."""

    body: bytes
    ends: bool
    how: str
    kept: bool = True


def _events(wire: str, body: bytes) -> list[bytes]:
    return [line for line in body.split(b"\n") if line] if wire == "ollama" else body.strip().split(b"\n\n")


def _joined(wire: str, events: list[bytes]) -> bytes:
    return b"".join(one + (b"\n" if wire == "ollama" else b"\n\n") for one in events)


def _value(event: bytes) -> Any:
    return json.loads(event.removeprefix(b"data: "))


def _places(value: Any) -> list[Callable[[Any], None]]:
    """A setter for each place in a value."""
    found: list[Callable[[Any], None]] = []
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():

        def put(odd: Any, at: Any = key, into: Any = value) -> None:
            into[at] = odd

        found += [put, *_places(value[key])]
    return found


def change(wire: str, body: bytes, chance: random.Random) -> Changed:
    """The stream with one change."""
    events = _events(wire, body)
    last, at = len(events) - 1, chance.randrange(len(events))
    if wire == "openai-responses" and chance.random() < 0.2:  # an order of its own
        chance.shuffle(shuffled := events[:-1])
        return Changed(_joined(wire, [*shuffled, events[-1]]), True, "shuffled")
    match chance.randrange(7):
        case 0:
            events.insert(at, events[at])
            return Changed(_joined(wire, events), True, f"event {at} twice")
        case 1:
            del events[at]
            return Changed(_joined(wire, events), at != last, f"without event {at}")
        case 2:
            other = chance.randrange(len(events))
            events[at], events[other] = events[other], events[at]
            return Changed(_joined(wire, events), True, f"events {at} and {other} swapped")
        case 3:
            events.insert(at, tale := chance.choice(TALES))
            return Changed(_joined(wire, events), True, f"{tale!r} before event {at}")
        case 4:
            raw = bytearray(body)
            place = chance.randrange(len(raw))
            raw[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
            return Changed(bytes(raw), True, f"other bytes at {place}", False)
        case 5:
            place = chance.randrange(len(_joined(wire, events[:-1])))
            return Changed(body[:place], False, f"cut after byte {place}")
        case _:
            value = _value(events[at])
            number = chance.randrange(len(places := _places(value)))
            places[number](odd := chance.choice(ODD))
            start = b"" if wire == "ollama" else b"data: "
            events[at] = start + json.dumps(value).encode()
            return Changed(_joined(wire, events), True, f"{str(odd)[:40]!r} at place {number} of event {at}", False)


def judged(wire: str, changed: Changed) -> str:
    """What is wrong with what the wire made of it, in words; empty when nothing is."""
    decoder, deltas, error = make_wire(Endpoint("x", wire, "http://h")).decoder(HELLO), list[Delta](), None
    try:
        for at in range(0, len(changed.body), 17):
            deltas += decoder.feed(changed.body[at : at + 17])
        deltas += decoder.end()
    except (ModelError, ServerError) as refused:
        error = refused
    said, finished = fold(deltas)
    if error is None and finished is None:
        return "neither whole nor an error"
    if error is not None and finished is not None:
        return "whole and failed at once"
    if finished is not None and not changed.ends:
        return f"half a message as whole: {said!r:.300}"
    for part in said:
        if part[0] == "tool" and isinstance(part[3], dict) and part[3] not in ARGUMENTS and changed.kept:
            return f"a call may run that was never asked for: {part!r:.200}"
    return ""


def everywhere(wire: str, odd: Any) -> list[Changed]:
    """Each stream of the wire with this value at one place, for each place."""
    found = []
    for body in (SPEAKS[wire](True), SPEAKS[wire](False)):
        events = _events(wire, body)
        for at, event in enumerate(events):
            for number in range(len(_places(_value(event)))):
                value = _value(event)
                _places(value)[number](odd)
                made = [*events[:at], (b"" if wire == "ollama" else b"data: ") + json.dumps(value).encode()]
                how = f"{odd!r} at place {number} of event {at}"
                found.append(Changed(_joined(wire, [*made, *events[at + 1 :]]), True, how, False))
    return found


def tried(runs: int, seed: int) -> list[Found]:
    """`runs` changes of each wire's streams, a row a wire."""
    rows = []
    for wire, speaks in SPEAKS.items():
        chance, found = random.Random(f"{seed} {wire}"), Found(f"{wire}: a stream that chance changed", 0)
        bodies, whole = (speaks(True), speaks(False)), 0
        for _ in range(runs):
            changed = change(wire, chance.choice(bodies), chance)
            found.runs += 1
            if wrong := judged(wire, changed):
                found.failed.append(f"{changed.how}: {wrong}")
            whole += changed.ends
        found.figures = {"still with an end": str(whole)}
        rows.append(found)
    return rows
