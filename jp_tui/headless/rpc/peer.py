"""The other end of the pipe: its requests and their replies, jp-tui's requests and its replies, in any order (S30,
R240).

It manages ids and answers a batch as one; methods are implemented elsewhere. A client's input never raises and is never
printed in messages.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.headless.rpc import wire
from jp_tui.headless.rpc.wire import INTERNAL, REQUEST, Id, Message, RpcCall, RpcError, RpcFault, RpcReply


class PendingReply:
    """Destination of the reply to one request; the first reply counts."""

    def __init__(self, id_: Id, put: Callable[[JsonObject | None], None]) -> None:
        self._id, self._put = id_, put
        self.done = False

    def result(self, value: Json) -> None:
        self._end(wire.result(self._id, value))

    def error(self, problem: RpcError) -> None:
        self._end(wire.error(self._id, problem))

    def _end(self, message: JsonObject) -> None:
        if not self.done:
            self.done = True
            self._put(message)


Methods = Callable[[RpcCall, PendingReply], None]
Then = Callable[[RpcReply], None]


class _Batch:
    """Replies sent together, in the order of their requests, once all are complete."""

    def __init__(self, count: int, write: Callable[[list[JsonObject]], None]) -> None:
        self._found: list[JsonObject | None] = [None] * count
        self._open, self._write = count, write

    def put(self, at: int, message: JsonObject | None) -> None:
        """Set a reply; None: no reply is due."""
        self._found[at] = message
        self._open -= 1
        said = [one for one in self._found if one is not None]
        if not self._open and said:
            self._write(said)


class Peer:
    """`write` sends one line, `methods` carries out a request, `tell` prints a message."""

    def __init__(self, write: Callable[[str], None], methods: Methods, tell: Callable[[str], None]) -> None:
        self._write, self._methods, self._tell = write, methods, tell
        self._running: set[Id] = set()
        self._asked: dict[Id, Then] = {}
        self._count = 0

    # --- input ------------------------------------------------------------------------------------------------

    def handle_line(self, line: bytes | None) -> None:
        """Process one line; None for an overlong one."""
        found = wire.read(line) if line is not None else wire.too_long()
        if not isinstance(found, list):
            self._message(found, self._put)
            return
        batch = _Batch(len(found), lambda said: self._write(wire.line(said)))
        for at, one in enumerate(found):
            self._message(one, lambda message, at=at: batch.put(at, message))  # type: ignore[misc]

    def _put(self, message: JsonObject | None) -> None:
        if message is not None:
            self._write(wire.line(message))

    def _message(self, one: Message, put: Callable[[JsonObject | None], None]) -> None:
        match one:
            case RpcFault(error=problem, id=id_, reply_to=asked):
                put(wire.error(id_ if id_ not in self._running else None, problem))
                if asked in self._asked:  # the waiting caller would wait forever (R242)
                    self._replied(RpcReply(asked, error=problem.message))
            case RpcReply():
                put(None)
                self._replied(one)
            case RpcCall(answered=False):
                put(None)
                self._carry_out(one, PendingReply(None, lambda _: None))
            case RpcCall(id=None):
                self._carry_out(one, PendingReply(None, put))
            case RpcCall(id=id_) if id_ in self._running:
                # under its own id it would pass for the reply to the first request
                put(wire.error(None, RpcError(REQUEST, "A request with this `id` is still open.", {"id": id_})))
            case RpcCall(id=id_):
                self._running.add(id_)
                self._carry_out(one, PendingReply(id_, lambda message: self._answered(id_, message, put)))

    def _answered(self, id_: Id, message: JsonObject | None, put: Callable[[JsonObject | None], None]) -> None:
        self._running.discard(id_)
        put(message)

    def _carry_out(self, call: RpcCall, slot: PendingReply) -> None:
        try:
            self._methods(call, slot)
        except RpcError as problem:
            slot.error(problem)
        except Exception as bug:  # a bug in one request doesn't affect others
            self._tell(f"{call.method[:80]} failed: {type(bug).__name__}")
            slot.error(RpcError(INTERNAL, f"Internal error: {type(bug).__name__}."))

    def _replied(self, reply: RpcReply) -> None:
        then = self._asked.pop(reply.id, None)
        if then is not None:
            then(reply)
        else:
            self._tell(f"unexpected or late reply to {neutralise(str(reply.id)[:80], 'line')}")

    # --- output -----------------------------------------------------------------------------------------------

    def request(self, method: str, params: JsonObject, then: Then) -> str:
        """Send a request to the client; `then` receives its reply, once. Return the request's id."""
        self._count += 1
        id_ = f"ask-{self._count}"
        self._asked[id_] = then
        self._put(wire.request(id_, method, params))
        return id_

    def drop(self, id_: str) -> bool:
        """Cancel a request; return True if there was no reply yet."""
        return self._asked.pop(id_, None) is not None

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification to the client."""
        self._put(wire.notification(method, params))
