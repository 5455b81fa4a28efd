"""JSON-RPC 2.0 as values, lines as they come, and the schema of all of it (surface S30). No process, no engine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from jp_tui.headless.rpc import wire
from jp_tui.headless.rpc.messages import METHODS
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.headless.rpc.pipes import PipeLines
from jp_tui.headless.rpc.schema import document
from jp_tui.headless.rpc.wire import RpcCall, RpcFault, RpcReply

CALL = '{"jsonrpc":"2.0","id":1,"method":"m"}'


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        ("{", -32700, None),
        ('{"jsonrpc":"2.0","method":"m","id":1', -32700, None),
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}', -32700, None),
        ('{"jsonrpc":"2.0","id":NaN,"method":"m"}', -32700, None),
        ('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, None),
        ("[" * 100 + "]" * 100, -32700, None),
        ("1", -32600, None),
        ('"m"', -32600, None),
        ("[]", -32600, None),
        ("{}", -32600, None),
        ('{"id":1,"method":"m"}', -32600, 1),
        ('{"jsonrpc":"1.0","id":"x","method":"m"}', -32600, "x"),
        ('{"jsonrpc":2.0,"id":1,"method":"m"}', -32600, 1),
        ('{"jsonrpc":"2.0","id":1,"method":2}', -32600, 1),
        ('{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}', -32600, 1),
        ('{"jsonrpc":"2.0","id":1,"method":"m","params":null}', -32600, 1),
        ('{"jsonrpc":"2.0","id":true,"method":"m"}', -32600, None),
        ('{"jsonrpc":"2.0","id":[1],"method":"m"}', -32600, None),
        ('{"jsonrpc":"2.0","id":1,"method":"m","result":1}', -32600, 1),
        ('{"jsonrpc":"2.0","id":1}', -32600, None),
        ('{"jsonrpc":"2.0","id":1,"result":1,"error":{}}', -32600, None),
        ('{"jsonrpc":"2.0","result":1}', -32600, None),
        ('{"id":"ask-1","result":{}}', -32600, None),
        ('{"jsonrpc":"2.0","id":1,"result":null,"error":null}', -32600, None),
        ("[" + ",".join(["1"] * 1001) + "]", -32600, None),
    ],
)
def test_what_is_no_message_has_the_standards_code(line: str, code: int, id_: Any) -> None:
    """S30: -32700 for what is no sound JSON (the strict gate), -32600 for what is no message."""
    found = wire.read(line.encode())
    assert isinstance(found, RpcFault) and (found.error.code, found.id) == (code, id_)


def test_bytes_that_are_no_text() -> None:
    found = wire.read(b'{"jsonrpc":"2.0","method":"\xff"}')
    assert isinstance(found, RpcFault) and found.error.code == -32700


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (CALL, RpcCall("m", {}, 1)),
        ('{"jsonrpc":"2.0","method":"m","params":{"a":1}}', RpcCall("m", {"a": 1}, None, answered=False)),
        ('{"jsonrpc":"2.0","id":null,"method":"m"}', RpcCall("m", {}, None)),
        ('{"jsonrpc":"2.0","id":"x","method":"m","params":[1]}', RpcCall("m", [1], "x")),
        ('{"jsonrpc":"2.0","id":1.5,"method":"m","more":1}', RpcCall("m", {}, 1.5)),
        ('{"jsonrpc":"2.0","id":"ask-1","result":{"answer":"a"}}', RpcReply("ask-1", {"answer": "a"})),
        ('{"jsonrpc":"2.0","id":"ask-1","result":null}', RpcReply("ask-1", None)),
        ('{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}', RpcReply(2, error="no")),
        ('{"jsonrpc":"2.0","id":2,"error":{"code":1}}', RpcReply(2, error='{"code":1}')),
        ('{"jsonrpc":"2.0","id":2,"error":null}', RpcReply(2, error="null")),
        ('{"jsonrpc":"2.0","id":2,"result":{"answer":"a"},"error":null}', RpcReply(2, {"answer": "a"})),
        ('{"jsonrpc":"2.0","id":2,"result":null,"error":{"message":"no"}}', RpcReply(2, error="no")),
    ],
)
def test_messages(line: str, message: wire.Message) -> None:
    assert wire.read(line.encode()) == message


def test_a_batch_is_a_list_of_whatever_stands_in_it() -> None:
    found = wire.read(f'[{CALL},1,{{"jsonrpc":"2.0","id":"ask-1","result":1}}]'.encode())
    assert isinstance(found, list)
    assert [type(one) for one in found] == [RpcCall, RpcFault, RpcReply]


# --- the other side ---------------------------------------------------------------------------------------


class Talk:
    """A peer whose methods wait until the test lets them go; `said` is what it wrote."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.told: list[str] = []
        self.slots: dict[str, PendingReply] = {}
        self.peer = Peer(lambda line: self.said.append(json.loads(line)), self._method, self.told.append)

    def _method(self, call: RpcCall, slot: PendingReply) -> None:
        if call.method == "bug":
            raise ZeroDivisionError("secret")
        self.slots[call.method] = slot

    def take(self, message: Any) -> None:
        self.peer.handle_line(json.dumps(message).encode())


def call(method: str, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, **more}


def test_a_batch_is_answered_as_one_in_its_order_when_all_are_there() -> None:
    """JSON-RPC 2.0, 6: notifications have no place in it, what is no message has."""
    talk = Talk()
    talk.take([call("a", id=1), call("b"), 7, call("c", id="x")])
    talk.slots["b"].result("nobody reads this")
    talk.slots["c"].result("c")
    assert talk.said == []
    talk.slots["a"].result("a")
    (said,) = talk.said
    assert [one.get("result") or one["error"]["code"] for one in said] == ["a", -32600, "c"]
    assert [one["id"] for one in said] == [1, None, "x"]
    talk.take([call("b"), call("b")])
    talk.slots["b"].result(1)
    assert len(talk.said) == 1, "a batch of notifications is not answered"


def test_duplicate_ids() -> None:
    """The second is refused, and not under the id, which would pass for the answer to the first; 1 is 1.0."""
    talk = Talk()
    for id_ in (1, 1.0, 1):
        talk.take(call("a", id=id_))
    assert [(one["id"], one["error"]["code"]) for one in talk.said] == [(None, -32600)] * 2
    talk.slots["a"].result("late")
    talk.slots["a"].result("twice")
    assert talk.said[2:] == [{"jsonrpc": "2.0", "id": 1, "result": "late"}]
    talk.take(call("a", id=1))
    talk.slots["a"].result("again")
    assert talk.said[-1]["result"] == "again", "an id that was answered is free"


def test_replies_come_once_and_for_what_was_asked() -> None:
    talk, found = Talk(), []
    first = talk.peer.request("ask", {}, found.append)
    second = talk.peer.request("ask", {}, found.append)
    assert talk.peer.drop(first) and not talk.peer.drop(first)
    for id_ in (second, first, second, "ask-99"):
        talk.take({"jsonrpc": "2.0", "id": id_, "result": {"answer": "hunter2"}})
    assert [reply.id for reply in found] == [second]
    assert len(talk.told) == 3 and "hunter2" not in "".join(talk.told), "late ones are said, without what they held"


@pytest.mark.parametrize("broken", [{}, {"result": 1, "error": {}}, {"jsonrpc": "1", "result": {"answer": "hunter2"}}])
def test_r242_a_reply_that_is_none_fails_what_it_was_to_answer(broken: dict[str, Any]) -> None:
    """Nobody waits for ever; the error says which reply it was, under no id that could be a request of the client's."""
    talk, found = Talk(), []
    asked = talk.peer.request("ask", {}, found.append)
    talk.take({"jsonrpc": "2.0", "id": asked, **broken})
    assert [(reply.id, reply.result) for reply in found] == [(asked, None)] and found[0].error
    told = talk.said[-1]
    assert (told["id"], told["error"]["code"], told["error"]["data"]) == (None, -32600, {"id": asked})
    assert "hunter2" not in str(told) + str(found)
    talk.take({"jsonrpc": "2.0", "id": "nobody", **broken})
    assert len(found) == 1 and talk.said[-1]["error"]["code"] == -32600


def test_a_bug_in_one_method_is_an_internal_error_and_no_more() -> None:
    talk = Talk()
    talk.take(call("bug", id=1))
    talk.take(call("a", id=2))
    assert talk.said[0]["error"]["code"] == -32603 and "secret" not in str(talk.said) and talk.slots["a"]


# --- lines ------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=8), st.data())
def test_lines_come_whole_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    """Blank ones are none, too long ones are None; what stands after the last end comes at the end of input."""
    text = b"\n".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    reader, found = PipeLines(8), []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        found += reader.feed(text[start:end])
    found += reader.finish()
    clean = [None if len(line) > 8 else line.strip(b" \t\r") for line in lines]
    assert found == [line for line in clean if line != b""]


def test_a_line_that_is_too_long_is_not_kept() -> None:
    """A 50 MB line: refused, and what comes after it is read."""
    reader = PipeLines(1 << 20)
    for _ in range(50):
        assert reader.feed(b"x" * (1 << 20)) == []
        assert len(reader._rest) <= 2 << 20
    assert reader.feed(b"x\nnext\n") == [None, b"next"]


# --- the schema -------------------------------------------------------------------------------------------


def test_the_schema_is_one_sound_document_and_always_the_same() -> None:
    """S30: every method with its params and result; each reference leads somewhere."""
    found = document()
    Draft202012Validator.check_schema(found)
    assert json.dumps(found) == json.dumps(document())
    assert set(found["methods"]) == set(METHODS) >= {"initialize", "session/new", "session/resume", "session/list",
        "session/prompt", "session/cancel", "session/event", "session/delta", "client/ask_user"}  # fmt: skip
    text = json.dumps(found)
    names = {part.partition('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert names <= set(found["$defs"]) and not any("/" in name for name in names)
    values = {name for name in found["$defs"] if name[0].isupper()}
    assert values == {
        "AgentInfo", "Approvals", "AskParams", "AskResult", "AskSettled", "BooleanAnswer", "CancelParams",
        "CompactParams", "ContextParams", "SessionCompacted",
        "ContextPart", "Escalation", "FormView", "SessionContext",
        "InitializeParams", "Initialized", "Inquiry", "ListParams", "MultiSelectAnswer", "NewParams", "Option", "Part",
        "PartsTaken", "Place", "PromptEnded", "PromptParams", "Question", "ResumeParams", "SchemaAnswer",
        "SecretAnswer", "SelectAnswer", "Server", "SessionCancelled", "SessionDelta", "SessionEvent", "SessionInfo",
        "SessionOpened", "SessionResumed", "SessionsListed", "TextAnswer", "TurnError", "UsageTotals", "Verdict",
        "ChosenRule", "RuleCoverage", "RuleOffer",
    }, "names that clients may generate code from"  # fmt: skip
    ask = found["$defs"]["AskParams"]
    assert set(ask["required"]) == {"session_id", "question", "choices"}, "R240: the rest is optional"
    assert found["methods"]["client/ask_user"]["sender"] == "server"
    assert found["$defs"]["Inquiry"]["properties"]["rendered"]["default"] == ""


def test_the_schema_takes_messages_and_nothing_else() -> None:
    valid = Draft202012Validator(document()).is_valid
    assert valid(call("initialize", id=1, params={"capabilities": ["secret"]}))
    assert valid(
        {"jsonrpc": "2.0", "id": 1, "result": {"protocol_version": 1, "server": {"name": "a", "version": "b"}}}
    )
    assert valid({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "m"}})
    assert valid([call("session/list", id=1)])
    assert not valid(call("session/prompt", id=1, params={"session_id": "s"}))
    assert not valid(call("initialise", id=1))
    assert not valid({"method": "initialize"})
