"""Questions of one session at the client: each a request, all at once, answered in any order (R240).

An invalid answer is asked again with a reason, three times at most; a question closed elsewhere is withdrawn. Decides
nothing and stores no answer. How a question is put is the dialect of the protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import shortened
from jp_tui.headless.forms.steps import Response
from jp_tui.headless.rpc import messages as m
from jp_tui.headless.rpc.answer_parser import Asks as Wanted
from jp_tui.headless.rpc.answer_parser import InvalidAnswer, Outcome, parse_response
from jp_tui.headless.rpc.peer import Peer, Then
from jp_tui.headless.rpc.question_text import Stage, choices, text
from jp_tui.headless.rpc.wire import RpcReply
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest, Unanswered
from jp_tui.view.questions.people import LOOKED_AT

AGAIN = 3
"""Repeats of a question after invalid answers (R241)."""
ROUNDS = 20
"""Maximum requests for one question, so that choices that lead back and forth end as well."""
MOST_WORDS = 2000
"""Characters of a client's error that the model reads."""


_Key = tuple[str, str]
"""Conversation and inquiry: a sub-agent has inquiry ids of its own."""


@dataclass(slots=True)
class OpenAsk:
    """One waiting prompt; `request` is the open request's id, empty while an answer is being sent; `last` that of the
    last one; `waiting` how many wait with it; `overrides` the person whose claim the next answer overrides (D16)."""

    prompt: PromptRequest
    stage: Stage = "ask"
    request: str = ""
    last: str = ""
    misfits: int = 0
    rounds: int = 0
    waiting: int = 0
    arguments: bool = False
    problem: str = ""
    overrides: str = ""


class Dialect(Protocol):
    """The form of a question in a client's protocol."""

    def given(self, ask: OpenAsk) -> Outcome | None:
        """Return what the client has answered already, with an earlier question of the same form."""

    def request(self, ask: OpenAsk, then: Then) -> str:
        """Send it to the client; `then` receives the reply, once. Return the request's id."""

    def read(self, ask: OpenAsk, result: Json) -> Outcome | Unanswered:
        """Interpret the client's reply."""

    def withdraw(self, request: str) -> bool:
        """Expect no reply any more; True if there was none yet."""

    def settled(self, ask: OpenAsk, request: str, how: str, by: str) -> None:
        """Report that a question needs no answer any more: `how` it ended, `by` whom."""


class RpcDialect:
    """`client/ask_user` (R240); `session` is the session's id."""

    def __init__(self, peer: Peer, session: Callable[[], str]) -> None:
        self._peer, self._session = peer, session

    def given(self, ask: OpenAsk) -> None:
        """Each question is a request of its own (R240)."""

    def request(self, ask: OpenAsk, then: Then) -> str:
        """Send it to the client."""
        prompt = ask.prompt
        shown = {**vars(prompt), "id": prompt.inquiry, "waiting": ask.waiting}
        params = m.wire(
            m.AskParams(
                session_id=self._session(),
                question=text(prompt, ask.stage, ask.problem, arguments=ask.arguments),
                choices=choices(prompt, ask.stage),
                inquiry=m.Inquiry(**shown),
                problem=ask.problem,
            )
        )
        if not ask.problem:
            del params["problem"]
        return self._peer.request(m.ASK, params, then)

    def read(self, ask: OpenAsk, result: Json) -> Outcome:
        """Interpret the client's reply."""
        return parse_response(ask.prompt, ask.stage, result)

    def withdraw(self, request: str) -> bool:
        """Expect no reply any more."""
        return self._peer.drop(request)

    def settled(self, ask: OpenAsk, request: str, how: str, by: str) -> None:
        """Notify the client."""
        inquiry = ask.prompt.inquiry
        said = {"session_id": self._session(), "request_id": request, "inquiry": inquiry, "how": how, "by": by}
        self._peer.notify(m.SETTLED, m.wire(m.AskSettled.model_validate(said)))


class ClientQuestions:
    """`send` passes a command to the session's engine."""

    def __init__(self, dialect: Dialect, send: Callable[[c.Command], None]) -> None:
        self._dialect, self._send = dialect, send
        self._waiting: dict[_Key, OpenAsk] = {}
        self._answered: dict[_Key, OpenAsk] = {}
        self._leaving = False

    @property
    def waits(self) -> bool:
        """True if any question is open."""
        return bool(self._waiting)

    # --- events of the engine ---------------------------------------------------------------------------------

    def asked(self, prompt: PromptRequest) -> None:
        """OpenAsk a waiting question once, even if reported twice."""
        key = prompt.conversation, prompt.inquiry
        known = self._waiting.get(key)
        if self._leaving or (known is not None and known.prompt.digest == prompt.digest):
            return
        if known is not None:
            self._take_back(key, "withdrawn", "")
        ask = self._waiting[key] = OpenAsk(prompt)
        self._request(ask)

    def changed(self, event: e.PromptChanged) -> None:
        """Update which people a question asks, and who looks at it; a request that is open stays."""
        if (ask := self._waiting.get((event.conversation, event.inquiry))) is not None:
            told = {"to": event.to, "claimed_by": event.claimed_by, "approvals": event.approvals, "yours": event.yours}
            ask.prompt = ask.prompt.model_copy(update={**told, "why": event.why or ask.prompt.why})

    def remove_settled(self, event: e.QuestionSettled) -> None:
        """Close a question: notify the client if its request is open. An answer being sent may be the one that counted,
        or not."""
        key = event.conversation, event.inquiry
        if (ask := self._waiting.get(key)) is not None and not ask.request:
            self._answered[key] = self._waiting.pop(key)
        self._take_back(key, event.how, event.by)

    def refused(self, event: e.AnswerRefused) -> None:
        """Handle a refused answer."""
        key = event.conversation, event.inquiry
        ask = self._waiting.get(key) or self._answered.get(key)
        if ask is None or ask.request:
            return
        if not event.gone:
            self._refuse_value(ask, event.reason.rstrip("."))
            return
        self._waiting.pop(key, None)
        self._answered.pop(key, None)
        self._dialect.settled(ask, ask.last, "answered" if event.by else "withdrawn", event.by)

    def over(self) -> None:
        """Close everything with the turn."""
        for key in list(self._waiting):
            self._take_back(key, "withdrawn", "")
        self._answered.clear()

    def leave(self) -> None:
        """Stop asking and answering because the client left (Z9)."""
        self._leaving = True
        for ask in self._waiting.values():
            if ask.request:
                self._dialect.withdraw(ask.request)
        self._waiting.clear()

    # --- input of the client ----------------------------------------------------------------------------------

    def _request(self, ask: OpenAsk) -> None:
        if (known := self._dialect.given(ask)) is not None:
            self._take(ask, known)
            return
        ask.rounds += 1
        ask.waiting = len(self._waiting)
        ask.request = ask.last = self._dialect.request(ask, lambda reply: self._replied(ask, reply))

    def _replied(self, ask: OpenAsk, reply: RpcReply) -> None:
        ask.request, ask.problem = "", ""
        if reply.error is not None:
            self._respond(ask, Unanswered(error=shortened(reply.error, MOST_WORDS)))
            return
        self._take(ask, self._dialect.read(ask, reply.result))

    def _take(self, ask: OpenAsk, found: Outcome | Unanswered) -> None:
        if isinstance(found, InvalidAnswer):
            self._refuse_value(ask, found.why)
        elif isinstance(found, Answered) and ask.prompt.claimed_by not in ("", ask.overrides) and ask.prompt.yours:
            ask.overrides = ask.prompt.claimed_by
            ask.problem = LOOKED_AT.format(who=ask.overrides)
            self._request(ask)
        elif not isinstance(found, Wanted):
            self._respond(ask, found)
        elif ask.rounds < ROUNDS:
            ask.stage, ask.arguments = found.stage, found.arguments
            self._request(ask)
        else:
            self._respond(ask, Unanswered())

    def _refuse_value(self, ask: OpenAsk, why: str) -> None:
        ask.misfits += 1
        ask.problem = why
        if ask.misfits > AGAIN:
            self._respond(ask, Unanswered())
        else:
            self._request(ask)

    def _respond(self, ask: OpenAsk, response: Response | Unanswered) -> None:
        prompt = ask.prompt
        ask.request = ""
        self._send(
            c.AnswerQuestion(
                conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
            )
        )

    def _take_back(self, key: _Key, how: str, by: str) -> None:
        ask = self._waiting.pop(key, None)
        if ask is not None and ask.request and self._dialect.withdraw(ask.request):
            self._dialect.settled(ask, ask.request, how, by)
