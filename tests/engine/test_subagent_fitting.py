"""How much of the conversation a reviewer is told (inquiries.md R133, R247), and that what is asked is never cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.model import Call, Message, ModelError, ModelRequest, Result, TextPart, ToolSpec
from jp_tui.engine.reviewer import context_budget as fitting
from tests.engine.subagents import APPLY, YES, Review, native, prompt_of, told
from tests.engine.wires import accepted

LONG = ModelError("too_long", "The conversation is too long for this model.")


def bytes_of(request: ModelRequest) -> int:
    return fitting.measure(request.messages) + fitting.listed(request.tools) + len(request.system)


def first(request: ModelRequest) -> str:
    part = request.messages[0].parts[0]
    assert isinstance(part, TextPart)
    return part.text


async def test_r133_what_fits_is_told_whole() -> None:
    review = Review(native(YES), native(YES), window=8192)
    found = await review.yes(told=told(5))
    assert review.requests[0].messages[:-1] == told(5)[:-1]
    assert found.saw == "the whole change, 16 bytes, and 12 messages before it"
    plain = replace(APPLY, context=None, targets=())
    assert (await review.yes(plain, told=())).saw == "the question"


async def test_row8_r133_the_cut_is_stable_between_two_inquiries() -> None:
    """The oldest goes, down to four fifths of the room, in steps of a tenth: the next question shares the beginning."""
    review = Review(*[native(YES)] * 6, window=8192)
    past = told(40, 500)
    cuts = []
    for number in range(6):
        more = [Message(role, (TextPart(f"more {number}"),)) for role in ("user", "assistant") for _ in range(1)]
        question = replace(APPLY, context="+x\n" * number, id=f"q{number}")
        found = await review.yes(question, told=(*past, *more * number, *told(0)))
        request = review.requests[-1]
        accepted(request)
        assert bytes_of(request) < 8192 * 3 * 8 // 10 + 1000
        cuts.append(first(request))
        assert " older left out)" in found.saw
    assert len(set(cuts)) == 1 and cuts[0].startswith("user "), "they all begin with the same message"
    assert not cuts[0].startswith("user 0 ")


@pytest.mark.parametrize("extra", range(0, 3_000, 250))
async def test_r133_growing_by_less_than_a_step_cuts_at_the_same_place_or_one_step_later(extra: int) -> None:
    room, step = 20_000, 1_600
    begins = []
    for size in (0, extra):
        fitted = fitting.fit((*told(40, 500), Message("user", (TextPart("y" * size),))), 100, room)
        assert fitting.measure(fitted.messages) + 100 <= room * 8 // 10
        begins.append(fitted.left_out)
    assert 0 <= begins[1] - begins[0] <= 2 * -(-(extra + step) // 500)


async def test_r133_the_snapshot_is_mended_and_tools_count() -> None:
    """Results whose calls are gone go with them; it begins with words of the user's."""
    cycle = (
        Message("user", (TextPart("Begin."),)),
        Message("assistant", (Call("old", "look", {"x": "y" * 5_000}),)),
        Message("user", (Result("old", "look", "z" * 5_000, False), TextPart("And now?"))),
        Message("assistant", (TextPart("Now this."),)),
    )
    tools = (ToolSpec("edit", "d" * 12_000, {"type": "object"}),)
    review = Review(native(YES), list_tools=True, window=8192)
    found = await review.yes(told=(*cycle, *told(0)), tools=tools)
    request = review.requests[0]
    accepted(request)
    assert first(request) == "And now?" and bytes_of(request) < 8192 * 3 * 9 // 10
    assert found.saw == "the whole change, 16 bytes, and 4 messages before it (2 older left out)"
    roomy = Review(native(YES), window=8192)
    await roomy.yes(told=(*cycle, *told(0)), tools=tools)
    assert first(roomy.requests[0]) == "Begin.", "tools that are not listed take no room"


async def test_r133_with_no_words_of_the_user_left_the_question_goes_alone_with_the_calls_arguments() -> None:
    """What the call is about was in the snapshot; it is evidence, so it goes along."""
    big = Message("assistant", (Call("c1", "edit", {"path": "a", "text": "+" * 4_000}),))
    waits = Message("user", (Result("c1", "edit", "Tool paused: Apply?", False),))
    review = Review(native(YES), window=8192)
    found = await review.yes(told=(Message("user", (TextPart("u" * 20_000),)), big, waits))
    (request,) = review.requests
    assert len(request.messages) == 1 and request.cache_at == -1
    text = prompt_of(request)
    assert ': the arguments of the call\n{"path":"a","text":"++++' in text and "+" * 4_000 in text
    assert "\n--- a\n+++ b\n+new\n" in text
    assert found.saw == "the whole change, 4.0 KB, and none of the 2 messages before it"


async def test_r247_what_cannot_be_shown_whole_is_not_asked() -> None:
    """REV-031: danger after the budget. By the window, or by a limit where it is not known."""
    for window, context, words in (
        (8192, "safe\n" * 6_000 + "rm -rf /", "does not fit whole: about 10,"),
        (None, "safe\n" * 80_000 + "rm -rf /", "has 400,020 characters, and more than 400,000 are shown to no model"),
    ):
        review = Review(window=window)
        failed = await review.fails(replace(APPLY, context=context))
        assert failed.kind == "too_long" and words in failed.error and failed.model == "acme/small"
        assert review.requests == [] and failed.usage == {} and failed.saw == ""
    large = Review(native(YES), window=1_000_000)
    await large.yes(replace(APPLY, context="safe\n" * 80_000 + "rm -rf /"))


async def test_r247_arguments_that_cannot_be_shown_whole_are_evidence_too() -> None:
    for window in (None, 8192):
        call = Message("assistant", (Call("c1", "edit", {"text": "x" * 400_001}),))
        waits = Message("user", (Result("c1", "edit", "Tool paused: Apply?", False),))
        review = Review(window=window)
        failed = await review.fails(told=(Message("user", (TextPart("Do."),)), call, waits))
        assert failed.kind == "too_long" and review.requests == []


async def test_a_server_that_finds_it_too_long_gets_less_and_keeps_getting_less() -> None:
    """Half as much each time, then the question alone; what was learned holds for the next inquiry."""
    review = Review([LONG], [LONG], native(YES), native(YES))
    await review.yes(told=told(40, 500))
    sizes = [bytes_of(request) for request in review.requests]
    assert sizes[1] <= sizes[0] // 2 and sizes[2] <= sizes[0] // 4 and len(sizes) == 3
    await review.yes(told=told(40, 500))
    assert first(review.requests[3]) == first(review.requests[2])
    for request in review.requests:
        accepted(request)


async def test_r247_a_server_that_does_not_take_the_question_alone() -> None:
    review = Review(*[[LONG]] * 9)
    failed = await review.fails(told=told(3))
    assert failed.kind == "too_long" and failed.error.startswith("The conversation is too long")
    assert len(review.requests[-1].messages) == 1 and "the arguments of the call" in prompt_of(review.requests[-1])
    assert len(review.requests) < 9


def test_r133_sizes_are_three_bytes_a_token_and_a_long_answer_takes_its_room() -> None:
    assert fitting.size("abc", "caf\u00e9", "\u65e5") == 3 + 5 + 3
    assert fitting.budget(100_000, 1_024, 3_000) == 90_000 * 3 - 3_000
    assert fitting.budget(100_000, 32_000, 0) == 68_000 * 3
    assert fitting.budget(1_000, 2_000, 0) == 0


@st.composite
def snapshots(draw: Any) -> tuple[Message, ...]:
    found: list[Message] = []
    for number in range(draw(st.integers(0, 12))):
        size = draw(st.integers(1, 300))
        match draw(st.integers(0, 2)):
            case 0:
                fitting.add(found, Message("user", (TextPart("u" * size),)))
                fitting.add(found, Message("assistant", (TextPart("a" * size),)))
            case 1 if found:
                calls = tuple(Call(f"k{number}.{at}", "t", {"x": "c" * size}) for at in range(draw(st.integers(1, 2))))
                fitting.add(found, Message("assistant", calls))
                fitting.add(found, Message("user", tuple(Result(one.id, "t", "r" * size, False) for one in calls)))
            case _:
                fitting.add(found, Message("user", (TextPart("w"),)))
    return tuple(found)


@given(snapshots(), st.integers(0, 500), st.one_of(st.none(), st.integers(500, 6_000)))
def test_r133_whatever_is_left_is_a_tail_that_servers_take(past: tuple[Message, ...], question: int, room: Any) -> None:
    fitted = fitting.fit(past, question, room)
    kept = fitted.messages
    assert fitted.left_out == len(past) - len(kept)
    assert room is None or fitting.measure(kept) + question <= room
    if kept:
        assert kept[1:] == past[len(past) - len(kept) + 1 :]
        messages = list(kept)
        fitting.add(messages, Message("user", (TextPart("?"),)))
        accepted(ModelRequest("m", tuple(messages)))
