"""The voice of a session for a client of `jp-tui rpc`: every event and delta, and the questions (S30, R240)."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation.events import Ending
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.asks import ClientQuestions, RpcDialect
from jp_tui.headless.rpc.peer import Peer, PendingReply
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import TurnError, UsageTotals


class RpcVoice:
    """`send` passes a command to the session's engine; `session` is the session's id."""

    def __init__(self, peer: Peer, send: Callable[[c.Command], None], session: Callable[[], str]) -> None:
        self._peer, self._session = peer, session
        self._asking = ClientQuestions(RpcDialect(peer, session), send)

    @property
    def waits(self) -> bool:
        """True if the client has a question to answer."""
        return self._asking.waits

    def hear(self, event: e.Event) -> None:
        """Report an event of the engine, or ask its question."""
        match event:
            case e.EventAppended():
                self._appended(event)
            case e.PartDelta() | e.PartDropped():
                self._delta(event)
            case e.QuestionAsked(prompt=prompt):
                self._asking.asked(prompt)
            case e.PromptChanged():
                self._asking.changed(event)
            case e.QuestionSettled():
                self._asking.remove_settled(event)
            case e.AnswerRefused():
                self._asking.refused(event)
            case _:
                pass

    def finish(self, slot: PendingReply, outcome: Ending, usage: UsageTotals, error: TurnError | None = None) -> None:
        """Reply to a prompt whose turn has ended."""
        slot.result(m.wire(m.PromptEnded(outcome=outcome, usage=usage, error=error)))

    def over(self) -> None:
        """Take back all questions: the turn has ended."""
        self._asking.over()

    def leave(self) -> None:
        """Stop asking and answering because the client left (Z9)."""
        self._asking.leave()

    def _appended(self, event: e.EventAppended) -> None:
        """Send an event in the form of S3."""
        stored = {**event.stored.event, "seq": event.stored.seq, "conversation": event.conversation}
        told: JsonObject = {"session_id": self._session(), "event": stored}
        self._peer.notify(m.EVENT, {**told, "closes": event.closes} if event.closes else told)

    def _delta(self, event: e.PartDelta | e.PartDropped) -> None:
        told: JsonObject = {"session_id": self._session(), "conversation": event.conversation, "part": event.part}
        if isinstance(event, e.PartDropped):
            told["dropped"] = True
        else:
            told.update(kind=event.kind, text=event.text.raw, turn=event.turn)
            told.update({key: value for key, value in (("call", event.call), ("tool", event.tool)) if value})
        self._peer.notify(m.DELTA, told)
