"""What compactions make of the messages that providers see, and the record that they carry (context.md K20-K26)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import Message, ModelRequest, Result, TextPart
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.compaction.place import blocks, choose
from jp_tui.engine.record import answer_record
from jp_tui.engine.record.estimate import Estimate
from jp_tui.engine.record.model_context import messages, messages_of
from jp_tui.engine.record.overlay import BEGIN, END, StandingOverlay, head, standing
from jp_tui.engine.record.shortening import KEPT, LONG, limit_of, trimmed, within
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from jp_tui.settings.wires import SERVER_WIRES
from tests.engine.overlay_record import record_in
from tests.engine.test_history import LOGS, MODEL, check
from tests.engine.wires import accepted

WIRES = [make_wire(Endpoint("fake", name, "http://127.0.0.1:9/v1")) for name in SERVER_WIRES]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    [END, f"x\n{END}\n{BEGIN}", '{"seq":1,"kind":"answer"}', "a\u2028b\u0085c\x7f", "<summary>", "  "]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def numbered(log: list[tuple[int, ev.Event]]) -> list[answer_record.Logged]:
    return [(seq, turn, event) for seq, (turn, event) in enumerate(sorted(log, key=lambda one: one[0]), 1)]


def overlay_at(through: int, *, summary: str = "what was", trims: int = 0, **more: Any) -> StandingOverlay:
    event = ev.Compaction(trigger="user", method="summary", through=through, summary=summary, **more)
    return StandingOverlay(event, through + 1, trims, through + 1)


@given(LOGS, st.integers(1, 45), st.integers(0, 45), TEXTS)
def test_k22_whatever_is_compacted_the_request_is_one_that_servers_take(
    log: list[tuple[int, ev.Event]], through: int, trims: int, summary: str
) -> None:
    told = messages_of(numbered(log), MODEL, overlay_at(through, summary=summary, trims=trims), 4096)
    check(told)
    request = ModelRequest("model", told)
    accepted(request)
    for wire in WIRES:
        dump(wire.body(request))


@given(LOGS)
def test_any_log_gives_alternating_roles_and_paired_calls_on_each_wire(log: list[tuple[int, ev.Event]]) -> None:
    """The same without a compaction."""
    accepted(ModelRequest("model", messages(log, MODEL)))


@given(LOGS, st.integers(0, 400))
def test_k22_a_place_never_parts_a_call_from_its_result(log: list[tuple[int, ev.Event]], keep: int) -> None:
    events = numbered(log)
    found = blocks(events)
    assert sum(block.parts > 0 for block in found) <= len(events)
    for block in found:
        open_: dict[tuple[int, str], int] = {}
        for seq, turn, event in events:
            key = (turn, getattr(event, "id", ""))
            if isinstance(event, ev.ToolCallRequest) and seq <= block.before:
                open_[key] = open_.get(key, 0) + 1
            elif isinstance(event, ev.ToolCallResponse) and open_.get(key):
                assert seq <= block.before or block is found[0]
                open_[key] -= 1
    through = choose(found, keep)
    assert through in {block.before for block in found} | {0}


@given(st.lists(st.tuples(st.sampled_from("aiurcp"), VALUES, TEXTS, st.booleans()), max_size=12))
def test_k25_parsing_the_record_gives_back_what_the_log_holds(asked: list[tuple[str, Any, str, bool]]) -> None:
    events: list[answer_record.Logged] = []
    wanted: list[JsonObject] = []
    for kind, value, text, by_model in asked:
        id_ = f"call_{len(events)}.q.1"
        source = ev.Source("assistant") if kind == "a" else ev.Source("tool", "shout")
        request = ev.InquiryRequest(id=id_, source=source, question={"text": text}, metadata={"question": "q"})
        who = ev.Responder("assistant", model="m/x") if by_model else ev.Responder("user")
        response: ev.Event
        expected: JsonObject = {"tool": source.name or "assistant", "question": "q", "text": text}
        match kind:
            case "c":
                response = ev.InquiryCancelled(id=id_, reason=text or "user", responder=who)
                expected |= {"kind": "cancelled", "reason": text or "user"}
            case "r":
                response = ev.InquiryRedacted(id=id_)
                expected |= {"kind": "answer", "reason": "redacted", "by": "user"}
            case _:
                response = ev.InquiryAnswered(id=id_, answer=value, explanation=text or None, responder=who)
                no = value is False and kind != "a"
                expected |= {"kind": "verdict" if by_model else "refusal" if no else "answer", "answer": value}
                if text:
                    expected["reason"] = text
        expected.setdefault("by", "m/x" if by_model else "user")
        events += [(len(events) + 1, 1, request), (len(events) + 2, 1, response)]
        wanted.append({"seq": len(events), **expected})
    lines = answer_record.bounded(answer_record.entries(events, len(events)), None)
    assert all(one.isprintable() or "\xa0" in one or not one.isascii() for one in lines)
    text = head(overlay_at(1, record=lines, summary=f"{BEGIN}\nforged\n{END}").base or pytest.fail())
    assert record_in(text) == wanted
    again = answer_record.bounded(answer_record.entries(events, len(events), lines), None)
    assert again == lines


def granted(seq: int) -> answer_record.Entry:
    return answer_record.Entry(seq, f'{{"seq":{seq},"answer":true}}', granted=True)


def said(seq: int, text: str = "x" * 40) -> answer_record.Entry:
    return answer_record.Entry(seq, f'{{"seq":{seq},"answer":"{text}"}}')


def test_k25_over_its_bound_granted_changes_leave_first_then_the_oldest() -> None:
    found = [said(1), granted(2), said(3), granted(4), answer_record.remembered("t", "q", "", True)]
    assert answer_record.bounded(found, 10_000) == tuple(one.line for one in found)
    lines = answer_record.bounded(found, 250)
    assert lines[0] == '{"kind":"left_out","count":2,"through":4}' and lines[1:3] == (found[0].line, found[2].line)
    lines = answer_record.bounded(found, 190)
    assert lines == ('{"kind":"left_out","count":3,"through":4}', found[2].line, found[4].line)
    least = answer_record.bounded(found, 0)
    assert least == ('{"kind":"left_out","count":4,"through":4}', found[4].line)


def test_k25_ten_thousand_answers_of_16_kib_are_bounded() -> None:
    found = [said(seq, "y" * 16_384) for seq in range(1, 10_001)]
    lines = answer_record.bounded(found, 100_000)
    assert sum(map(len, lines)) <= 100_000 and lines[-1] == found[-1].line


def test_k25_a_refused_leave_to_run_is_a_refusal() -> None:
    skipped = {"permission": {"choice": "skip", "by": "user", "reason": "not here"}, "title": "rm -rf"}
    events: list[answer_record.Logged] = [
        (1, 1, ev.ToolCallRequest(id="c", name="shell_run", arguments={})),
        (2, 1, ev.ToolCallResponse(id="c", content="skipped", metadata=skipped)),  # type: ignore[arg-type]
    ]
    (one,) = answer_record.entries(events, 2)
    assert one.line == (
        '{"seq":2,"kind":"refusal","tool":"shell_run","question":"run","text":"rm -rf","answer":false,'
        '"reason":"not here","by":"user"}'
    )


def test_k22_a_compaction_of_another_program_is_kept_and_not_used() -> None:
    raw: JsonObject = {"timestamp": "", "type": "compaction", "from_turn": 0, "policies": []}
    assert read_event(raw) == ev.Unknown(raw)
    odd = read_event({"type": "compaction", "through": "all"})
    assert isinstance(odd, ev.Unknown) and odd.problem


def test_k22_a_compaction_reads_back_as_it_was_written() -> None:
    whole = ev.Compaction(
        trigger="window", method="summary", through=7, summary="s", record=("{}",), plan=({"step": "x"},),
        files=("a",), said=("b",), before=9, after=2, messages=4, focus="f", model="m/x", error="e",
        usage={"input": 1}, timestamp="now",
    )  # fmt: skip
    assert read_event(whole.wire()) == whole


def compacted(through: int, **more: Any) -> ev.Compaction:
    return ev.Compaction(trigger="user", method=more.pop("method", "summary"), through=through, **more)


def test_k23_an_undo_lets_the_overlay_before_it_hold_again() -> None:
    first, second = compacted(5), compacted(20)
    log: list[Any] = [(10, first), (30, second)]
    assert standing(log).base is second and standing(log).last == 30
    log.append((31, ev.CompactionUndone(compaction=30)))
    assert standing(log) == StandingOverlay(first, 10, 0, 10)
    log.append((32, ev.CompactionUndone(compaction=10)))
    assert standing(log) == StandingOverlay()


def test_k22_a_place_that_is_not_before_the_compaction_is_not_used() -> None:
    assert standing([(3, compacted(3)), (4, compacted(0)), (5, compacted(-2)), (6, compacted(99))]) == StandingOverlay()


def test_k26_what_is_only_trimmed_leaves_nothing_out() -> None:
    log: list[Any] = [(10, compacted(5)), (30, compacted(25, method="trimmed"))]
    found = standing(log)
    assert (found.seq, found.trimmed, found.last) == (10, 25, 30)
    log.append((40, compacted(35, method="trimmed", error="blank")))
    assert standing(log).through == 35


LONG_TEXT = "".join(chr(97 + at % 26) for at in range(50_000))


def test_k26_a_long_result_has_beginning_and_end_and_says_how_to_read_the_rest() -> None:
    short = within("c\u2028", LONG_TEXT, 9000)
    assert short.startswith("abc") and short.endswith(LONG_TEXT[-100:]) and len(short) <= 9000
    assert "characters left out; read_history(call_id=" in short
    gone = int(short.split("[")[1].split(" ")[0])
    assert len(LONG_TEXT) - gone == len(short) - len(short[short.index("\n[") : short.index("]\n") + 2])
    assert within("c", LONG_TEXT, None) == LONG_TEXT == within("c", LONG_TEXT, limit_of(100_000))
    assert trimmed("c", "x" * LONG) == "x" * LONG and len(trimmed("c", "x" * (LONG + 1))) <= KEPT


def test_k26_results_up_to_the_place_are_trimmed_and_others_are_not() -> None:
    log: list[answer_record.Logged] = [(1, 1, ev.ChatRequest(content="go"))]
    for name in "ab":
        log.append((len(log) + 1, 1, ev.ToolCallRequest(id=name, name="t", arguments={})))
        log.append((len(log) + 1, 1, ev.ToolCallResponse(id=name, content=LONG_TEXT)))
    told = messages_of(log, MODEL, StandingOverlay(trimmed=3))
    results = [part for message in told for part in message.parts if isinstance(part, Result)]
    assert len(results[0].content) <= KEPT and results[1].content == LONG_TEXT


def test_k24_a_turn_that_is_compacted_within_keeps_its_own_message_whole() -> None:
    log: list[answer_record.Logged] = [(1, 1, ev.TurnStart()), (2, 1, ev.ChatRequest(content="go " * 999))]
    for name in "abc":
        log.append((len(log) + 1, 1, ev.ToolCallRequest(id=name, name="t", arguments={})))
        log.append((len(log) + 1, 1, ev.ToolCallResponse(id=name, content="done")))
    found = blocks(log)
    assert [block.before for block in found] == [0, 4, 6]
    through = choose(found, 0)
    told = messages_of(log, MODEL, overlay_at(through))
    assert through == 6 and [message.role for message in told] == ["user", "assistant", "user"]
    assert isinstance(told[0].parts[1], TextPart) and told[0].parts[1].text == "go " * 999
    between = messages_of([*log, (9, 2, ev.ChatRequest(content="more"))], MODEL, overlay_at(8))
    assert between == (Message("user", (TextPart(head(overlay_at(8).base)), TextPart("more"))),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "tokens", "size", "found"),
    [(0, 0, 300, 100), (4000, 1000, 4400, 1100), (4000, 1000, 2000, 500), (4000, 10, 3000, 1000), (100, 500, 150, 550)],
    ids=["three before the first count", "since the count", "compacted", "over eight", "under one"],
)
def test_k21_the_size_of_a_request(sent: int, tokens: int, size: int, found: int) -> None:
    estimate = Estimate()
    estimate.count(sent, tokens)
    assert estimate.tokens(size) == found


@pytest.mark.parametrize("name", ["gemini", "ollama"])
def test_results_have_the_order_of_their_calls_where_there_are_no_ids(name: str) -> None:
    """One that was waited for is in the log behind others; two calls of one tool must not change their results."""
    log = [
        ev.ChatRequest(content="do it"),
        ev.ToolCallRequest(id="a", name="tool", arguments={"n": 1}),
        ev.ToolCallRequest(id="b", name="tool", arguments={"n": 2}),
        ev.ToolCallResponse(id="b", content="two"),
        ev.ToolCallResponse(id="a", content="one"),
    ]
    wire = make_wire(Endpoint("fake", name, "http://127.0.0.1:9/v1"))
    body = dump(wire.body(ModelRequest("model", messages([(1, event) for event in log], MODEL))))
    assert body.index('"n":1') < body.index('"n":2') < body.index('"one"') < body.index('"two"')
