"""One history of several makers: every ordered pair of wires, between turns and inside one (wires.md W6).

Each maker speaks in its own stream; what it says is stored as the engine stores it, and sent to the next one. The
server that receives it refuses what the real APIs refuse.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import (
    Finished,
    Message,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartOpened,
    ReasoningPart,
    TextPart,
    ToolSpec,
)
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.record.model_context import messages
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from tests.fakes import strict_server

from .decoding import HELLO, decode
from .makers import ARGUMENTS, SPEAKS, STRICT

PAIRS = [(one, other) for one in STRICT for other in STRICT]
TOOLS = (ToolSpec("look", "Look at it.", {"type": "object", "properties": {"at": {"type": "string"}}}),)


def said(wire: str, calls: bool, used: set[str]) -> list[ev.Event]:
    """What a model of this wire says, as the engine stores it: ids are unique in the conversation (Z1)."""
    decoder = make_wire(Endpoint(wire, wire, "http://h")).decoder(HELLO)
    parts: dict[int, PartOpened] = {}
    texts: dict[int, str] = {}
    found: list[ev.Event] = []
    deltas = decode(decoder, [SPEAKS[wire](calls)])
    assert isinstance(deltas[-1], Finished)
    for delta in deltas:
        match delta:
            case PartOpened(index):
                parts[index], texts[index] = delta, ""
            case PartGrew(index, text):
                texts[index] += text
            case PartEnded(index, arguments, opaque):
                part = parts[index]
                came: JsonObject = {"provider": wire, "opaque": opaque} if opaque else {}
                if part.kind == "tool":
                    assert arguments is not None
                    id_ = part.id or "call"
                    while id_ in used:
                        id_ += "_"
                    used.add(id_)
                    found.append(ev.ToolCallRequest(id=id_, name=part.name, arguments=arguments, metadata=came))
                else:
                    kind: ev.ChatKind = "message" if part.kind == "message" else "reasoning"
                    found.append(ev.ChatResponse(kind=kind, content=texts[index], metadata={"provider": wire, **came}))
    return found


def results(events: list[ev.Event]) -> Iterator[ev.Event]:
    """The results of the calls: the second one failed."""
    calls = [event for event in events if isinstance(event, ev.ToolCallRequest)]
    for at, event in enumerate(calls):
        yield ev.ToolCallResponse(id=event.id, content="" if at else "seen", is_error=bool(at))


_IMAGE: JsonObject = {"type": "image", "media_type": "image/png", "data": "iVBORw0KGgo=", "name": "x"}
PICTURE: JsonObject = {"attachments": [_IMAGE]}


def history(first: str, second: str, *, inside: bool) -> list[tuple[int, ev.Event]]:
    """A turn of `first` with two calls, then one of `second`; `inside`: both in one turn, and it isn't over."""
    used: set[str] = set()
    found: list[tuple[int, ev.Event]] = [(1, ev.ChatRequest(content="look", metadata=PICTURE))]
    for turn, wire in ((1, first), (1 if inside else 2, second)):
        if turn == 2:
            found.append((2, ev.ChatRequest(content="again")))
        calls = said(wire, True, used)
        found += [(turn, event) for event in (*calls, *results(calls))]
        if not inside:
            found += [(turn, event) for event in said(wire, False, used)]
    return found if inside else [*found, (3, ev.ChatRequest(content="and now?"))]


@pytest.mark.parametrize("inside", [False, True], ids=["between turns", "inside one"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_w6_no_server_refuses_what_another_maker_said(first: str, second: str, inside: bool) -> None:
    log = history(first, second, inside=inside)
    for target in (first, second):
        wire = make_wire(Endpoint(target, target, "http://h"))
        request = ModelRequest("m", messages(log, f"{target}/m"), "Be short.", TOOLS)
        STRICT[target](dump(wire.body(request)).encode())


@pytest.mark.parametrize("inside", [False, True])
def test_w6_reasoning_goes_back_unchanged_and_only_to_its_own_provider(inside: bool) -> None:
    for maker in STRICT:
        for other in STRICT:
            log = history(maker, maker, inside=inside)
            wire = make_wire(Endpoint(other, other, "http://h"))
            sent = dump(wire.body(ModelRequest("m", messages(log, f"{other}/m"))))
            marks = {"openai-responses": ("enc-1", "rs_1", "One.", "msg_1"), "gemini": ("sig-",)}.get(maker, ("Hm.",))
            for mark in marks:
                own = other == maker and (inside or maker in ("openai-responses", "anthropic", "gemini"))
                if mark == "msg_1" and inside:
                    continue  # nothing was said in words
                assert (mark in sent) == own, (maker, other, mark)


def test_w6_a_signature_goes_back_to_the_model_that_made_it_only() -> None:
    log = history("gemini", "gemini", inside=True)
    wire = make_wire(Endpoint("gemini", "gemini", "http://h"))
    own = dump(wire.body(ModelRequest("m", messages(log, "gemini/m"))))
    other = dump(wire.body(ModelRequest("n", messages(log, "gemini/n"))))
    assert own.count("sig-1") == 2 and strict_server.UNSIGNED not in own
    assert "sig-1" not in other and other.count(strict_server.UNSIGNED) == 2  # one for each step


def test_w5_nothing_is_stored_and_no_tool_is_strict() -> None:
    log = history("openai-responses", "openai-responses", inside=True)
    wire = make_wire(Endpoint("openai-responses", "openai-responses", "http://h"))
    body = wire.body(ModelRequest("m", messages(log, "openai-responses/m"), tools=TOOLS))
    assert body["store"] is False and "previous_response_id" not in body
    assert isinstance(tools := body["tools"], list) and '"strict":false' in dump(tools[0])


def test_w5_a_summary_in_parts_goes_back_in_parts() -> None:
    log = history("openai-responses", "openai-responses", inside=True)
    wire = make_wire(Endpoint("openai-responses", "openai-responses", "http://h"))
    body = wire.body(ModelRequest("m", messages(log, "openai-responses/m")))
    items = body["input"]
    assert isinstance(items, list)
    (first, *_) = [item for item in items if isinstance(item, dict) and item["type"] == "reasoning"]
    assert first["summary"] == [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]


@pytest.mark.parametrize("wire", STRICT)
@pytest.mark.parametrize("calls", [False, True])
def test_w9_cut_at_every_byte_no_half_reply_is_whole_and_no_cut_call_runs(wire: str, calls: bool) -> None:
    raw, made = SPEAKS[wire](calls), make_wire(Endpoint(wire, wire, "http://h"))
    whole = len(decode(made.decoder(HELLO), [raw]))
    for at in range(len(raw)):
        decoder = made.decoder(HELLO)
        found = decoder.feed(raw[:at])
        try:
            found += decoder.end()
        except Exception as error:
            assert type(error).__name__ == "ModelError", error
            assert not any(isinstance(one, PartEnded) and one.arguments is not None for one in found)
        else:
            assert len(found) == whole, (at, raw[:at][-60:])
    pieces = [raw[at : at + 1] for at in range(len(raw))]
    arguments = [one.arguments for one in decode(made.decoder(HELLO), pieces) if isinstance(one, PartEnded)]
    assert [one for one in arguments if one is not None] == (ARGUMENTS if calls else [])


@pytest.mark.parametrize("maker", ["openai-responses", "anthropic", "gemini"])
def test_w6_a_refused_signature_is_left_out_of_every_part(maker: str) -> None:
    log = history(maker, maker, inside=True)
    wire = make_wire(Endpoint(maker, maker, "http://h"))
    changed = wire.amended(ModelRequest("m", messages(log, f"{maker}/m")), "the encrypted signature is not valid")
    assert changed is not None
    sent = dump(wire.body(changed))
    assert not any(mark in sent for mark in ("sig-", "enc-1", '"signature"'))
    STRICT[maker](sent.encode())
    assert wire.amended(changed, "the encrypted signature is not valid") is None


def test_w6_gemini_roles_alternate_where_a_message_has_nothing_to_send() -> None:
    said, nothing = Message("user", (TextPart("a"),)), Message("assistant", (ReasoningPart("Hm."),))
    wire = make_wire(Endpoint("gemini", "gemini", "http://h"))
    STRICT["gemini"](dump(wire.body(ModelRequest("m", (said, nothing, said)))).encode())
