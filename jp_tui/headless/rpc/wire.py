"""JSON-RPC 2.0 as values: parse a line; format a message as a line (surface S30). Pure.

All input passes the strict JSON parser. Nothing is guessed: an invalid message is a fault with the standard's code, and
an id is echoed only if it was read from a request.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.headless.output import json_line

PARSE, REQUEST, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
VERSION = "2.0"
MOST_BYTES = 16 << 20
"""Longest line that is parsed; a longer one is refused unread."""
MOST_IN_BATCH = 1000

Id = str | int | float | None


class RpcError(Exception):
    """Reason why a request fails: a code of the standard, a message, and data for programs."""

    def __init__(self, code: int, message: str, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True)
class RpcCall:
    """Request, or, if `answered` is false, a notification."""

    method: str
    params: Json
    id: Id = None
    answered: bool = True


@dataclass(frozen=True, slots=True)
class RpcReply:
    """Reply to one of jp-tui's requests; `error` is its message if it is an error."""

    id: Id
    result: Json = field(default=None, repr=False)  # it may be a secret
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RpcFault:
    """Invalid message, with the error to send; `reply_to`: the request of jp-tui's that it should have answered."""

    error: RpcError
    id: Id = None
    reply_to: Id = None


Message = RpcCall | RpcReply | RpcFault


def read(line: bytes) -> Message | list[Message]:
    """Parse a line; return a list for a batch, which is never empty."""
    try:
        found = parse(line, max_bytes=MOST_BYTES)
    except JsonProblem as problem:
        where: JsonObject = {"line": problem.line, "column": problem.column} if problem.line is not None else {}
        return RpcFault(RpcError(PARSE, f"The JSON isn't valid: {problem.message}", where or None))
    if not isinstance(found, list):
        return _message(found)
    if not found:
        return _wrong("A batch must not be empty.")
    if len(found) > MOST_IN_BATCH:
        return _wrong(f"A batch of more than {MOST_IN_BATCH} messages.")
    return [_message(one) for one in found]


def too_long() -> RpcFault:
    """Return the fault for an unread line."""
    return RpcFault(RpcError(PARSE, f"The line is longer than {MOST_BYTES >> 20} MiB and was ignored."))


def _wrong(words: str, id_: Id = None) -> RpcFault:
    return RpcFault(RpcError(REQUEST, words), id_)


def is_id(value: Json) -> bool:
    """True for text or a number; true isn't a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _message(found: Json) -> Message:
    if not isinstance(found, dict):
        return _wrong("A message is an object.")
    if "method" not in found:
        return _reply(found)
    given = found.get("id")
    id_: Id = given if is_id(given) else None  # type: ignore[assignment]
    if found.get("jsonrpc") != VERSION:
        return _wrong('`jsonrpc` must be "2.0".', id_)
    method, params = found["method"], found.get("params", {})
    if "result" in found or "error" in found:
        return _wrong("A message with `method` has neither `result` nor `error`.", id_)
    if not isinstance(method, str):
        return _wrong("`method` must be text.", id_)
    if given is not None and not is_id(given):
        return _wrong("`id` must be text or a number.")
    if not isinstance(params, dict | list):
        return _wrong("`params` must be an object.", id_)
    return RpcCall(method, params, id_, "id" in found)


def _reply(found: JsonObject) -> Message:
    given = found.get("id")
    id_: Id = given if is_id(given) else None  # type: ignore[assignment]
    if found.get("jsonrpc") != VERSION:
        return _broken('`jsonrpc` must be "2.0".', id_)
    told = [name for name in ("result", "error") if name in found]
    if len(told) == 2:  # the previous version had both, one of them null
        told = [name for name in told if found[name] is not None]
    if len(told) != 1:
        return _broken("A message has `method`, or one of `result` and `error`.", id_)
    if id_ is None:
        return _wrong("A reply has the `id` of a request.")
    return RpcReply(id_, error=_words(found["error"])) if told == ["error"] else RpcReply(id_, found["result"])


def _broken(words: str, id_: Id) -> RpcFault:
    """Return the fault for an invalid reply. Its id is one of jp-tui's, so no reply may use it."""
    return RpcFault(RpcError(REQUEST, words, None if id_ is None else {"id": id_}), reply_to=id_)


def _words(error: Json) -> str:
    """Return an error's message; any value may be one."""
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) and said.strip() else dump(error)


def sentences(message: str, advice: str) -> str:
    """Return what happened and the first line of advice, as one line."""
    said = [message.strip(), advice.strip().partition("\n")[0]]
    return " ".join(one if one[-1] in ".!?" else f"{one}." for one in said if one)


# --- output -----------------------------------------------------------------------------------------------------


def result(id_: Id, value: Json) -> JsonObject:
    return {"jsonrpc": VERSION, "id": id_, "result": value}


def error(id_: Id, problem: RpcError) -> JsonObject:
    told: JsonObject = {"code": problem.code, "message": problem.message}
    if problem.data is not None:
        told["data"] = problem.data
    return {"jsonrpc": VERSION, "id": id_, "error": told}


def notification(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": VERSION, "method": method, "params": params}


def request(id_: str, method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": VERSION, "id": id_, "method": method, "params": params}


def line(message: JsonObject | list[JsonObject]) -> str:
    """Format one message, or the replies to a batch, as a line in which nothing controls a terminal (S2)."""
    if isinstance(message, list):
        return f"[{','.join(map(json_line, message))}]\n"
    return f"{json_line(message)}\n"
