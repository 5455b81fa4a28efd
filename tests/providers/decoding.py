"""What the tests of this room share: samples, random splits, and deltas folded back into what was said."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jp_tui.conversation.model import (
    CallRefused,
    Delta,
    Finished,
    Message,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartOpened,
    TextPart,
)
from jp_tui.providers.wire import Decoder

SAMPLES = Path(__file__).parent / "samples"
HELLO = ModelRequest("m", (Message("user", (TextPart("Hello"),)),))


def fixtures() -> Path:
    """Where the recordings are, if anywhere."""
    named = os.environ.get("JP_TUI_FIXTURES")
    return Path(named) if named else Path(__file__).parents[3] / "shared" / "fixtures"


def sample(name: str) -> tuple[bytes, dict[str, Any]]:
    expected = json.loads((SAMPLES / f"{name}.json").read_text())
    return (SAMPLES / f"{name}.sse").read_bytes(), expected


def decode(decoder: Decoder, pieces: Iterable[bytes]) -> list[Delta]:
    found: list[Delta] = []
    for piece in pieces:
        found += decoder.feed(piece)
    return found + decoder.end()


def random_offsets(body: bytes, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.randrange(1, len(body)) for _ in range(chance.randrange(1, 40))]


def fold(deltas: Iterable[Delta]) -> tuple[list[list[Any]], Finished | None]:
    """What was said, part by part in their order; also asserts the grammar of deltas."""
    parts: dict[int, list[Any]] = {}
    opened: dict[int, PartOpened] = {}
    ended: set[int] = set()
    finished = None
    for delta in deltas:
        assert finished is None, "nothing comes after Finished"
        match delta:
            case PartOpened(index, kind, id_, name):
                assert index == len(opened), "parts are numbered in the order they open"
                opened[index] = delta
                parts[index] = ["tool", id_, name, ""] if kind == "tool" else [kind, ""]
            case PartGrew(index, text):
                assert index not in ended and text
                parts[index][-1] += text
            case PartEnded(index, arguments, opaque):
                assert index not in ended
                ended.add(index)
                if opened[index].kind == "tool":
                    assert arguments is not None
                    parts[index][-1] = arguments
                elif opaque:
                    parts[index].append(opaque)
            case CallRefused(index, id_, name, raw, problem):
                assert index not in ended and problem
                ended.add(index)
                assert parts[index] == ["tool", id_, name, raw]
                parts[index][0] = "refused"
            case Finished():
                finished = delta
    assert finished is None or ended == set(opened), "a whole reply leaves no part open"
    return [parts[index] for index in sorted(parts)], finished
