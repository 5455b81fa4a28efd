"""The reviewing model (inquiries.md R119-R139, acceptance row 8), over scripted models."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.model import (
    CallRefused,
    Finished,
    Message,
    ModelError,
    PartEnded,
    PartGrew,
    PartOpened,
    ReasoningPart,
    Result,
    TextPart,
    ToolSpec,
    Usage,
)
from jp_tui.engine.base.dependencies import ModelSetup, Prices
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.inquiry.values import ReviewerAnswered
from jp_tui.questions.types import (
    MultiSelectAnswer,
    Option,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.engine.subagents import APPLY, CUT, NO, YES, Heard, Review, native, prompt_of, told, verdict
from tests.engine.wires import accepted
from tests.fakes.models import Script, call, end, text

BOTH = (Option("a", "the first"), Option("b"))
CHOICE = Question("env", "Where?", SelectAnswer(BOTH))
REASON = {"type": "string", "description": "Brief explanation of why you chose this answer."}


async def test_r119_r140_an_answer_with_its_reason_and_what_it_took() -> None:
    review = Review(native(YES), prices=Prices(input=1.0, output=5.0, cached=0.1))
    assert await review.yes() == ReviewerAnswered(
        "c1.apply_changes.1",
        True,
        "It fits.",
        "acme/small",
        ms=250,
        usage={"input": 10, "output": 5, "cached": 0, "reasoning": 0, "cost_usd": 0.000035},
        saw="the whole change, 16 bytes, and 4 messages before it",
    )
    assert review.heard.models == ["acme/small"]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (APPLY.answer_type, {"type": "boolean"}),
        (SelectAnswer(BOTH), {"type": "string", "enum": ["a", "b"]}),
        (MultiSelectAnswer(BOTH), {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        (TextAnswer(), {"type": "string"}),
        (SchemaAnswer({"type": "integer", "const": 3}), {"type": "integer", "const": 3}),
        (SelectAnswer(BOTH, allow_other=True), {"type": "string"}),
    ],
)
async def test_row8_r124_r125_r126_the_schema_of_each_type(kind: Any, schema: Any) -> None:
    """`reason` first, nothing else, and no id: the same for every inquiry of a type."""
    review = Review(native(YES), verdict({}), native(YES), verdict({}))
    for name in ("c1", "c2"):
        await review(replace(APPLY, answer_type=kind), call=name)
    first, other = (request.output for request in review.requests if request.output is not None)
    assert first == other and first is not None
    assert list(first) == ["type", "properties", "required", "additionalProperties"]
    assert list(first["properties"].items()) == [("reason", REASON), ("answer", schema)]  # type: ignore[union-attr]
    assert first["required"] == ["reason", "answer"] and first["additionalProperties"] is False
    assert "c1" not in str(first)


async def test_r125_references_of_a_schema_still_find_what_they_mean() -> None:
    own = {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"$ref": {"$ref": "#"}}, "default": {"$ref": "#/x"}}}}
    review = Review(native(NO))
    await review(replace(APPLY, answer_type=SchemaAnswer(own)))  # type: ignore[arg-type]
    output = review.requests[0].output
    assert output is not None and output["properties"]["answer"] == {  # type: ignore[call-overload,index]
        "$ref": "#/properties/answer/$defs/a",
        "$defs": {"a": {"properties": {"$ref": {"$ref": "#/properties/answer"}}, "default": {"$ref": "#/x"}}},
    }
    assert own["$ref"] == "#/$defs/a", "the question's own is left alone"


async def test_row8_r121_the_snapshot_has_the_calls_as_they_stand_and_is_left_alone() -> None:
    review = Review(native(YES))
    snapshot = told()
    await review(told=snapshot)
    (request,) = review.requests
    assert request.messages[:-1] == snapshot[:-1] and snapshot == told()
    last = request.messages[-1]
    assert [part.content for part in last.parts if isinstance(part, Result)] == [
        "Tool paused: Apply?",
        "Tool is still running.",
    ]
    assert last.role == "user" and isinstance(last.parts[-1], TextPart)
    accepted(request)


async def test_r129_c20_tools_are_listed_for_the_same_model_only_and_never_callable() -> None:
    tools = (ToolSpec("edit", "Edits.", {"type": "object"}), ToolSpec("look", "Looks.", {"type": "object"}))
    other = Review(native(YES))
    await other(tools=tools)
    assert other.requests[0].tools == () and other.requests[0].tool_choice == "none"
    always = Review(native("prose"), verdict({"reason": "r", "answer": True}), list_tools=True)
    assert (await always.yes(tools=tools)).value is True
    first, second = always.requests
    assert first.tools == tools and first.tool_choice == "none" and first.output is not None
    assert [tool.name for tool in second.tools] == ["verdict"], "not every server keeps to a name among several"
    assert second.tool_choice == "verdict" and second.output is None
    same = Review(native(YES))
    same.model = replace(same.model, id="acme/big")
    await same(tools=tools)
    assert same.requests[0].tools == tools
    never = Review(native(YES), list_tools=False)
    never.model = replace(never.model, id="acme/big")
    await never(tools=tools)
    assert never.requests[0].tools == ()


async def test_r129_thoughts_go_along_to_the_model_that_had_them_only() -> None:
    thought = Message("assistant", (ReasoningPart("hm", {"signature": "s"}), TextPart("ok")))
    snapshot = (Message("user", (TextPart("a"),)), thought, *told(0))
    for name, kept in (("acme/small", False), ("acme/big", True)):
        review = Review(native(YES))
        review.model = replace(review.model, id=name)
        await review(told=snapshot)
        assert any(isinstance(part, ReasoningPart) for part in review.requests[0].messages[1].parts) is kept


async def test_r134_the_cache_ends_before_the_paused_response() -> None:
    review = Review(native(YES), native(YES), native(YES), cache="long")
    await review()
    request = review.requests[0]
    assert request.cache == "long" and request.cache_at == len(request.messages) - 2
    assert request.messages[request.cache_at].role == "assistant"
    await review(told=())
    assert review.requests[1].cache_at == -1, "there is nothing before it that is worth keeping"
    review.model = replace(review.model, cache="off")
    await review()
    assert (review.requests[2].cache, review.requests[2].cache_at) == ("off", None)


@pytest.mark.parametrize(
    ("setup", "tokens", "temperature"),
    [
        ({}, 8192, 0.0),
        ({"max_tokens": 16, "temperature": 0.7}, 1024, 0.7),
        ({"max_tokens": 9000}, 9000, 0.0),
        ({"window": 8192}, 1024, 0.0),
        ({"window": 200_000}, 8192, 0.0),
        ({"extra": {"thinking": {"budget_tokens": 16_000}}}, None, 0.0),
    ],
)
async def test_t30_room_for_an_answer_and_no_chance(setup: Any, tokens: Any, temperature: float) -> None:
    review = Review(native(YES), **setup)
    await review.yes()
    request = review.requests[0]
    assert (request.max_tokens, request.temperature) == (tokens, temperature)
    assert request.extra == setup.get("extra", {}) and request.inquiry == "edit.apply_changes"


async def test_t30_a_server_that_takes_no_temperature_gets_none_from_then_on() -> None:
    refusal = ModelError("bad_request", "Refused.", detail="Unsupported value: 'temperature' does not support 0")
    review = Review([refusal], native(YES), native(YES))
    assert (await review.yes()).value is True
    await review.yes()
    assert [request.temperature for request in review.requests] == [0.0, None, None] and review.slept == []
    own = Review([refusal], [refusal], temperature=0.3)
    await own.fails()
    assert [request.temperature for request in own.requests] == [0.3, 0.3], "what somebody set is sent as it is"


# --- replies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "Looks good to me.", "```json\n" + YES + "\n```", "Sure: " + YES, YES + " Done.", YES + YES, f"[{YES}]", "true",
        "", " \n", '{"reason":"x"}', '{"answer":true}', '{"reason":"","answer":true}', '{"reason":" ","answer":true}',
        '{"reason":"\\u200b\\u3164","answer":true}', '{"reason":5,"answer":true}', '{"reason":null,"answer":true}',
        '{"reason":"x","answer":1}', '{"reason":"x","answer":"true"}', '{"reason":"x","answer":null}',
        '{"reason":"x","answer":[true]}', '{"reason":"x","answer":false,"answer":true}',
        '{"reason":"x","reason":"y","answer":true}', '{"reason":"x","answer":true,"sure":true}',
        '{"reason":"x","Answer":true}', '{"reason":"x","answer":NaN}', '{"reason":"x\\ud800","answer":true}',
        '{"reason":"x","answer":True}', "{'reason':'x','answer':true}", '{"reason":"x","answer":true,}',
        '{"reason":"x","answer":true', '\ufeff{"reason":"x","answer":true}', '{"reason":"a\nb","answer":true}',
    ],
)  # fmt: skip
async def test_row8_r136_what_does_not_fit_exactly_is_asked_for_once_more_and_never_a_yes(reply: str) -> None:
    """Prose, Markdown, a missing answer, a yes without a reason, duplicate keys: one repair, by the forced tool."""
    review = Review(native(reply), verdict({"reason": "r", "answer": False}))
    assert (await review.yes()).value is False
    first, second = review.requests
    assert first.output is not None and second.output is None and second.tool_choice == "verdict"
    assert second.tools[-1].name == "verdict" and second.tools[-1].parameters == first.output
    said = second.messages[-1].parts[-1]
    assert isinstance(said, TextPart) and said.text.startswith("That was no answer: ")
    accepted(second)
    twice = Review(native(reply), verdict({}))
    failed = await twice.fails()
    assert failed.kind == "failed" and len(twice.requests) == 2, "exactly one repair"
    assert failed.error == "its answers weren't valid in two attempts: the key `answer` is missing"


async def test_row8_r136_a_no_without_a_reason_stands() -> None:
    for reason in ("", '"reason":"",', '"reason":3,', '"reason":null,', '"reason":" \\n",'):
        review = Review(native(f'{{{reason}"answer":false}}'))
        found = await review.yes()
        assert (found.value, found.reason) == (False, "") and len(review.requests) == 1
    for wrong in ('{"answer":0}', '{"answer":false,"x":1}', '{"answer":false,"answer":false}', '{"answer":"false"}'):
        assert (await Review(native(wrong), verdict({})).fails()).kind == "failed"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (SelectAnswer(BOTH), "a", ["c", "A", "", 1, ["a"], None]),
        (MultiSelectAnswer(BOTH), ["b"], [["a", "a"], ["c"], "a", [1]]),
        (TextAnswer(), "x", [1, None, True]),
    ],
)
async def test_row8_an_invalid_choice_is_none(kind: Any, good: Any, bad: list[Any]) -> None:
    question = replace(APPLY, answer_type=kind)
    for value in bad:
        review = Review(verdict({"reason": "r", "answer": value}), verdict({"reason": "r", "answer": good}))
        review.model = replace(review.model, structured="tool")
        assert (await review.yes(question)).value == good and len(review.requests) == 2
    assert (await Review(verdict({"answer": good}), verdict({}), structured="tool").fails(question)).kind == "failed"


async def test_s20b_the_forced_tool_where_no_schema_is_enforced() -> None:
    """Text beside the call counts for nothing, also when it is an answer by itself."""
    review = Review([*text(YES), *call("verdict", {"reason": "No.", "answer": False}, index=1), *end("tools")])
    review.model = replace(review.model, structured="tool")
    found = await review.yes()
    assert (found.value, found.reason) == (False, "No.")
    (request,) = review.requests
    assert request.output is None and request.tool_choice == "verdict"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (native(YES), "the tool `verdict` was not called"),
        (verdict({}), "the key `answer` is missing"),
        ([*call("verdict", {"reason": "r", "answer": True}), *call("edit", {}, "c2", 1), *end("tools")], "no other"),
        ([*call("verdict", {"reason": "r", "answer": True}), *call("verdict", {}, "c2", 1), *end("tools")], "no other"),
        (verdict({"reason": "r", "answer": True}, "edit"), "no other"),
        ([CallRefused(0, "c", "verdict", '{"answer":true', "it was cut off"), *end("tools")], "it was cut off"),
        ([PartOpened(0, "tool", "c", "verdict"), PartGrew(0, YES), *end("tools")], "it was cut off"),
        ([*call("verdict", {"reason": "r", "answer": True}), *end("length")], "the limit of output tokens"),
        ([*call("verdict", {"reason": "r", "answer": True}), *end("other")], "before it was whole"),
    ],
)
async def test_t30_a_call_that_is_none_is_no_answer(reply: Any, says: str) -> None:
    """The forced tool not called, called empty, twice, beside another, cut, or with refused arguments."""
    review = Review(reply, reply)
    review.model = replace(review.model, structured="tool")
    failed = await review.fails()
    assert says in failed.error and len(review.requests) == 2
    assert failed.usage["output"] == 10, "both are paid for"


@pytest.mark.parametrize(
    "reply",
    [
        [*text(YES), *call("edit", {}, index=1), *end("tools")],
        [*text(YES), *text(" more", 1), *end()],
        [*text('{"reason":"x",'), *text('"answer":true}', 1), *end()],
        [*text(YES), *end("length")],
        [*text(YES), *end("paused")],
        [PartOpened(0, "reasoning"), PartGrew(0, YES), PartEnded(0), *end()],
    ],
)
async def test_r136_a_native_reply_is_one_whole_text(reply: Any) -> None:
    review = Review(reply, verdict({"reason": "r", "answer": False}))
    assert (await review.yes()).value is False


async def test_what_was_said_is_shown_again_shortened_and_quoted_as_its_own() -> None:
    review = Review(native("word " * 1000), verdict({"reason": "r", "answer": True}))
    await review.yes()
    said = review.requests[1].messages[-2]
    assert said.role == "assistant" and isinstance(said.parts[0], TextPart)
    assert said.parts[0].text == f"{('word ' * 200)}… ⟨3,999 more characters⟩", "it says how much is left out (Z26)"


async def test_r132_a_server_that_refuses_the_schema_is_asked_by_the_tool() -> None:
    refusal = ModelError("bad_request", "response_format is not supported.")
    review = Review([refusal], verdict({"reason": "r", "answer": True}), verdict({"reason": "r", "answer": True}))
    assert (await review.yes()).value is True
    assert prompt_of(review.requests[1]).startswith("The tool `edit`") and len(review.requests[1].messages) == 5
    await review.yes()
    assert [request.output is None for request in review.requests] == [False, True, True], "and from then on at once"
    assert (await Review([refusal], [refusal]).fails()).error == "response_format is not supported"


async def test_r136_a_refused_schema_is_no_reply_and_leaves_the_one_repair() -> None:
    """Words never claim a repair that was not made."""
    refusal, good = ModelError("bad_request", "response_format is not supported."), {"reason": "r", "answer": True}
    review = Review([refusal], native("Fine with me."), verdict(good))
    assert (await review.yes()).value is True and len(review.requests) == 3
    amended = review.requests[2].messages[-1].parts[-1]
    assert isinstance(amended, TextPart) and amended.text.startswith("That was no answer: ")
    assert "That was no answer" not in prompt_of(review.requests[1])
    prose = Review([refusal], native("Fine."), native("Still fine."))
    assert "in two attempts" in (await prose.fails()).error and len(prose.requests) == 3


async def test_advice_names_the_settings_of_inquiries_and_is_for_people() -> None:
    advice = "Send it again, or raise assistant.request.stream_idle_timeout_secs."
    failed = await Review([ModelError("stalled", "acme sent nothing for 1 s.", advice)]).fails()
    assert failed.error == "acme sent nothing for 1 s"
    raised = "raise conversation.inquiry.assistant.request.stream_idle_timeout_secs"
    assert failed.advice == f"Send it again, or {raised}"


# --- failures ---------------------------------------------------------------------------------------------


async def test_row8_r135_a_transient_failure_is_tried_again() -> None:
    """Also a stream that ends without saying so."""
    review = Review([CUT], [*text('{"reason":"It')], native(YES))
    assert (await review.yes()).value is True
    assert len(review.slept) == 2 and review.script.closed == 3
    tired = Review([CUT], [CUT], [CUT])
    failed = await tired.fails()
    assert (failed.error, failed.advice, failed.model) == ("The reply broke off", "Try again", "acme/small")
    assert len(tired.slept) == 2, "three attempts in all"


async def test_r135_what_does_not_help_is_not_tried_again() -> None:
    for error in (ModelError("unauthorised", "The key was refused.", "Set another."), ModelError("refused", "No.")):
        review = Review([error])
        failed = await review.fails()
        assert (failed.error, failed.advice) == (error.message.rstrip("."), error.advice.rstrip("."))
        assert not review.slept
    filtered = Review([*text(YES), *end("refused")])
    assert "filter" in (await filtered.fails()).error and len(filtered.requests) == 1


async def test_r135_output_is_capped() -> None:
    endless = [PartOpened(0, "message"), *[PartGrew(0, "x" * 100_000)] * 11, *end()]
    review = Review(endless)
    assert "longer than 1,048,576 bytes" in (await review.fails()).error and review.script.closed == 1


async def test_r131_a_model_that_cannot_be_opened_says_which_override() -> None:
    async def refuses(overrides: Any, main: ModelSetup, tool: str, question: str) -> ModelSetup:
        raise ModelError("other", f"conversation.tools.{tool}.questions.{question}: no such model.", "Name another.")

    agent, heard = ReviewerModel(refuses), Heard()
    failed = await agent.inquire(Review().asked(), heard)
    assert failed.error == "conversation.tools.edit.questions.apply_changes: no such model"
    assert (failed.advice, failed.model) == ("Name another", "") and heard.models == []


async def test_r130_r131_each_inquiry_is_resolved_anew_and_what_was_opened_is_closed_once() -> None:
    """Settings may have changed since; the conversation's own connection stays open."""

    class Closing(Script):
        shut = 0

        async def close(self) -> None:
            self.shut += 1

    own, shared, other = Closing(native(YES)), Closing(native(YES), native(NO)), Closing(native(YES))
    main = ModelSetup("acme/big", "big", own)
    opened = iter([("a", shared), ("b", shared), ("c", other)])

    async def opens(overrides: Any, main: ModelSetup, tool: str, question: str) -> ModelSetup:
        if overrides:
            return replace(main, system="inherited")
        system, provider = next(opened)
        return ModelSetup("acme/small", "small", provider, system=system)

    agent, asked = ReviewerModel(opens), replace(Review().asked(), model=main)
    for _ in range(3):
        await agent.inquire(asked, Heard())
    await agent.inquire(replace(asked, overrides={"model": {"id": "inherit"}}), Heard())
    systems = [request.system for script in (shared, other, own) for request in script.requests]
    assert systems == ["a", "b", "c", "inherited"]
    assert (shared.shut, other.shut) == (0, 0)
    await agent.close()
    await agent.close()
    assert (shared.shut, other.shut, own.shut) == (1, 1, 0)


async def test_r12_a_secret_is_asked_of_no_model() -> None:
    review = Review()
    failed = await review.fails(replace(APPLY, answer_type=SecretAnswer()))
    assert "secret" in failed.error and review.opened == [] and review.heard.models == []


async def test_row8_r138_cancelling_closes_the_stream() -> None:
    review = Review([PartOpened(0, "message"), PartGrew(0, '{"reason":"It'), asyncio.Event()])
    task = asyncio.create_task(review())
    await review.heard.spoke.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert review.script.closed == 1


async def test_row8_r99_two_inquiries_run_side_by_side() -> None:
    """Both are under way at once, each with its own verdict, whichever comes first."""
    gates = [asyncio.Event(), asyncio.Event()]
    replies = [YES, '{"reason":"Staging.","answer":"b"}']
    review = Review(
        *(
            [PartOpened(0, "message"), PartGrew(0, reply[:15]), gate, PartGrew(0, reply[15:]), PartEnded(0), *end()]
            for reply, gate in zip(replies, gates, strict=True)
        )
    )
    heard = [Heard(), Heard()]
    first = asyncio.create_task(review.agent.inquire(review.asked(), heard[0]))
    second = asyncio.create_task(review.agent.inquire(review.asked(CHOICE, call="c2"), heard[1]))
    for each in heard:
        await each.spoke.wait()
    gates[1].set()
    found = await second
    assert isinstance(found, ReviewerAnswered) and (found.inquiry, found.value) == ("c2.env.1", "b")
    assert not first.done()
    gates[0].set()
    found = await first
    assert isinstance(found, ReviewerAnswered) and (found.inquiry, found.value) == ("c1.apply_changes.1", True)
    assert [each.now() for each in heard] == ["It fits.", "Staging."]


# --- what is heard ----------------------------------------------------------------------------------------


async def test_e40_the_reason_is_heard_while_it_is_written_and_anew_after_a_retry() -> None:
    thinks = [PartOpened(0, "reasoning"), PartGrew(0, "Let me"), PartGrew(0, " see."), PartEnded(0)]
    review = Review(
        [*thinks, PartOpened(1, "message"), PartGrew(1, '{"reason":"Half'), CUT],
        [*text("Prose."), *end()],
        [PartOpened(0, "tool", "c", "verdict"), *map(_grew, ('{"rea', 'son":"It \\', 'u00e9 "', ',"answer":tr', "ue}")),
         PartEnded(0, {"reason": "It \u00e9 ", "answer": True}), *end("tools")],
    )  # fmt: skip
    assert (await review.yes()).reason == "It \u00e9"
    assert review.heard.said == [
        ("thought", "Let me", False), ("thought", " see.", False), ("reason", "Half", False), ("reason", "", True),
        ("reason", "It ", False), ("reason", "\u00e9 ", False),
    ]  # fmt: skip
    assert review.heard.now() == "It \u00e9 " and review.heard.models == ["acme/small"]


def _grew(piece: str) -> PartGrew:
    return PartGrew(0, piece)


async def test_e40_a_thousand_pieces_in_one_go_let_others_run() -> None:
    passed = []

    async def other() -> None:
        for number in range(5):
            await asyncio.sleep(0)
            passed.append(number)

    review = Review([PartOpened(0, "message"), *[PartGrew(0, " ")] * 1000, *text(YES, 0)[1:], *end()])
    beside = asyncio.create_task(other())
    await review.yes()
    assert len(passed) == 5
    await beside


async def test_usage_is_of_all_that_was_asked_and_what_came_from_a_cache_is_cheaper() -> None:
    used = Finished("end", Usage(input=1_000, output=100, cached=800, reasoning=60))
    review = Review([*text("no json"), used], verdict({"reason": "r", "answer": True}), prices=Prices(2.0, 10.0, 0.5))
    assert (await review.yes()).usage == {
        "input": 1_010, "output": 105, "cached": 800, "reasoning": 60, "cost_usd": 0.00187,
    }  # fmt: skip
    silent = Review([*text(YES), Finished("end")], prices=Prices(2.0, 10.0, 0.5))
    assert (await silent.yes()).usage == {}, "nothing is known, so nothing is said to cost nothing"
