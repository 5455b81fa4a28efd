"""`python -m tests.faults --only history`, with shorter strings: no stored string makes a conversation useless."""

from __future__ import annotations

import asyncio
from unittest import mock

import pytest

from jp_tui.conversation.model import Call, Message, ModelRequest, Part, Result, TextPart
from jp_tui.providers.request_ids import fitting
from tests.faults import history

LARGE = 20_000


def test_a_string_of_every_kind_at_every_place_is_told_so_that_servers_take_it() -> None:
    found = asyncio.run(history.told(LARGE))
    assert found.failed == [] and found.runs > 400


def test_it_is_stored_reopened_and_told_again() -> None:
    assert history.kept(LARGE).failed == []


@pytest.mark.skipif(not history.LLAMA, reason="JP_TUI_LLAMA does not name a llama.cpp server")
def test_a_real_server_takes_it() -> None:
    assert asyncio.run(history.real(1_000)).failed == []


def test_without_the_repair_servers_would_refuse_it() -> None:
    """The judge itself."""
    with mock.patch("jp_tui.providers.anthropic.request.fitting", lambda request: request):
        assert len(asyncio.run(history.told(10, whole=True, only=("empty", "NUL"))).failed) > 4


def _told(*ids: str) -> list[str]:
    """The ids of calls and results, after the repair, of calls one after another."""
    messages = [Message("user", (TextPart("go"),))]
    for id_ in ids:
        asked: tuple[Part, ...] = (Call(id_, "tool", {}),)
        messages += [Message("assistant", asked), Message("user", (Result(id_, "tool", "ok", False),))]
    made = fitting(ModelRequest("m", tuple(messages)))
    parts = [part for message in made.messages for part in message.parts if isinstance(part, Call | Result)]
    assert [part.id for part in parts[::2]] == [part.id for part in parts[1::2]], "a result names its call"
    return [part.id for part in parts[::2]]


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        (["toolu_1", "call-2"], ["toolu_1", "call-2"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a.b", "a_b", "a b"], ["a_b_2", "a_b", "a_b_3"]),
        (["", "", "call"], ["call_2", "call_3", "call"]),
        (["x" * 200, "x" * 201], ["x" * 32, f"{'x' * 32}_2"]),
    ],
)
def test_ids_fit_and_are_unique(ids: list[str], told: list[str]) -> None:
    """R29: ids are opaque and may repeat over turns; servers want each once, and short."""
    assert _told(*ids) == told


def test_what_fits_is_left_alone_and_many_of_one_id_cost_little() -> None:
    request = ModelRequest("m", (Message("user", (TextPart("go"),)), Message("assistant", (Call("a", "b", {}),))))
    assert fitting(request) is request
    assert len(set(_told(*["same"] * 3_000))) == 3_000
