"""Questions at an editor (N51): permission requests, forms, and text that the next prompt answers.

How a question is put depends on its kind and on what the editor declares. Nothing that an editor sends beside one of
the offered options is taken for an answer (N52).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Protocol

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse
from jp_tui.headless.acp import forms, updates
from jp_tui.headless.acp import shapes as s
from jp_tui.headless.rpc.answer_parser import Outcome, parse_response
from jp_tui.headless.rpc.asks import OpenAsk
from jp_tui.headless.rpc.messages import read_params
from jp_tui.headless.rpc.peer import Peer, Then
from jp_tui.headless.rpc.question_text import text
from jp_tui.headless.rpc.wire import RpcError, RpcReply
from jp_tui.protocol.values import Answered, Cancelled, Delivered, Permitted, PromptRequest, Replied, Unanswered
from jp_tui.questions.types import BooleanAnswer, SelectAnswer
from jp_tui.view.wording import questions as w

YES, ALWAYS, NO = "yes", "always", "no"
MOST_OPTIONS = 20
"""Options of a select that are buttons; a longer one is answered with text."""
UNKNOWN = "The editor chose an unknown option."
AS_TEXT = "Answer with your next message."


class Client(Protocol):
    """The editor and its session, as a question sees them."""

    @property
    def session(self) -> str:
        """The session's id."""

    @property
    def folder(self) -> str:
        """The conversation's folder."""

    @property
    def forms(self) -> bool:
        """True if the editor shows forms."""

    def update(self, update: JsonObject) -> None:
        """Send a `session/update`."""

    def await_prompt(self, words: str) -> None:
        """Show a question as text, and end the running prompt: the next one answers."""


class EditorDialect:
    """The protocol's form of a question; see `rpc.asks.Dialect`."""

    def __init__(self, peer: Peer, client: Client) -> None:
        self._peer, self._client = peer, client
        self._texts: dict[str, tuple[OpenAsk, Then]] = {}
        self._open: set[str] = set()
        self._forms = forms.FilledForms()
        self._shown = ""
        self._numbers = count(1)

    # --- the questions ------------------------------------------------------------------------------------------

    def request(self, ask: OpenAsk, then: Then) -> str:
        """Send it as a permission request, a form, or, once nothing else is open, as text."""
        prompt = ask.prompt
        self._forms.asks(prompt)
        if fields := self._several(prompt):
            words = text(prompt, ask.stage, ask.problem, about="", several=[one.question for one in fields])
            form: JsonObject = {"message": words, "requestedSchema": forms.schema_of(fields, prompt)}
            return self._asks(s.ELICITATION, {"mode": "form", **form}, then)
        options = self._options(prompt)
        if options:
            return self._asks(s.PERMISSION, {"toolCall": self._tool_call(ask), "options": options}, then)
        if self._client.forms:
            form = {"message": self._words(ask), "requestedSchema": forms.schema(prompt)}
            return self._asks(s.ELICITATION, {"mode": "form", **form}, then)
        id_ = f"{TEXT}{next(self._numbers)}"
        self._texts[id_] = (ask, then)
        self._next_text()
        return id_

    def _several(self, prompt: PromptRequest) -> tuple[forms.FormField, ...]:
        """Return the questions that are asked at once; empty for one alone."""
        return self._forms.open(prompt) if self._client.forms else ()

    def given(self, ask: OpenAsk) -> Outcome | None:
        """Return what a form that was filled in before says about this question."""
        return self._forms.given(ask.prompt)

    def forget(self) -> None:
        """Drop the rest of filled forms: the turn has ended."""
        self._forms.forget()

    def _asks(self, method: str, params: JsonObject, then: Then) -> str:
        def replied(reply: RpcReply) -> None:
            self._open.discard(id_)
            then(reply)
            self._next_text()

        id_ = self._peer.request(method, {"sessionId": self._client.session, **params}, replied)
        self._open.add(id_)
        return id_

    def _next_text(self) -> None:
        """Show the oldest question that is answered with text, once no other request is open."""
        if self._shown or self._open or not self._texts:
            return
        self._shown = next(iter(self._texts))
        ask, _ = self._texts[self._shown]
        self._client.await_prompt(f"{self._words(ask)}\n\n{AS_TEXT}")

    def _options(self, prompt: PromptRequest) -> list[Json]:
        """Return the options of a permission request; empty if the question needs another form."""
        if _yes_or_no(prompt):
            return list(self._yes_no(prompt))
        kind = prompt.question.answer_type
        if self._client.forms or not isinstance(kind, SelectAnswer) or len(kind.options) > MOST_OPTIONS:
            return []
        found: list[Json] = [_option(f"choice-{at}", one.value, "allow_once") for at, one in enumerate(kind.options)]
        return [*found, _option(NO, "no answer", "reject_once")]

    def _yes_no(self, prompt: PromptRequest) -> Iterator[Json]:
        yes, always, no = _LABELS.get(prompt.kind, (w.YES, w.YES_TURN, w.NO))
        yield _option(YES, yes, "allow_once")
        if always and "remember" in prompt.controls:
            yield _option(ALWAYS, always, "allow_always")
        yield _option(NO, no, "reject_once")

    def _tool_call(self, ask: OpenAsk) -> JsonObject:
        """Return the call that a permission request is about, with everything that must be seen."""
        prompt = ask.prompt
        shown = prompt.rendered.raw if prompt.kind == "permission" else prompt.question.context or ""
        before, changes = updates.diffs(shown, self._client.folder)
        told = self._words(ask, before if changes else None)
        own = prompt.conversation == self._client.session and prompt.call
        call: JsonObject = {
            "toolCallId": prompt.call if own else f"{prompt.conversation}/{prompt.call or prompt.inquiry}",
            "title": updates.title(prompt.tool, _arguments(prompt)),
            "kind": updates.kind(prompt.tool),
            "status": "pending",
            "content": [updates.content(told), *changes],
        }
        return {**call, "rawInput": _arguments(prompt)} if prompt.arguments.raw else call

    def _words(self, ask: OpenAsk, about: str | None = None) -> str:
        return text(ask.prompt, ask.stage, ask.problem, about=about)

    # --- the replies --------------------------------------------------------------------------------------------

    @property
    def awaits_text(self) -> bool:
        """True if the next prompt answers a question."""
        return bool(self._shown)

    def answer(self, words: str) -> None:
        """Answer the question that was shown as text."""
        shown, self._shown = self._shown, ""
        _, then = self._texts.pop(shown)
        then(RpcReply(shown, {"answer": words}))
        self._next_text()

    def read(self, ask: OpenAsk, result: Json) -> Outcome | Unanswered:
        """Interpret the reply to what `request` sent. A question of the model isn't cancelled: a Reply without words
        ends its form (R179)."""
        prompt = ask.prompt
        found = self._read(ask, result)
        if isinstance(found, Cancelled) and prompt.kind == "question" and "cancel" not in prompt.controls:
            return Replied()
        return found

    def _read(self, ask: OpenAsk, result: Json) -> Outcome | Unanswered:
        prompt = ask.prompt
        if ask.last.startswith(TEXT):
            return parse_response(prompt, ask.stage, result)
        try:
            if fields := self._several(prompt):
                found = read_params(s.AcpElicited, result)
                accepts = found.action == "accept"
                return self._forms.filled(prompt, fields, found) if accepts else forms.left(found)
            if not self._options(prompt):
                return forms.answer(prompt, read_params(s.AcpElicited, result))
            outcome = result.get("outcome") if isinstance(result, dict) else None
            chosen = read_params(s.AcpSelected, outcome)
        except RpcError:
            return Unanswered(error="The editor's reply isn't valid.")
        return Cancelled() if chosen.outcome == "cancelled" else self._chosen(prompt, chosen.option_id)

    def _chosen(self, prompt: PromptRequest, id_: str) -> Outcome | Unanswered:
        offered = {one["optionId"]: one["name"] for one in self._options(prompt) if isinstance(one, dict)}
        if id_ not in offered:
            return Unanswered(error=UNKNOWN)
        if not _yes_or_no(prompt):
            return Cancelled() if id_ == NO else Answered(value=offered[id_])
        match prompt.kind:
            case "permission":
                return Permitted(run=id_ != NO, remember=id_ == ALWAYS)
            case "delivery":
                return Delivered(deliver=id_ != NO)
            case _:
                return Answered(value=id_ != NO, remember=id_ == ALWAYS)

    def withdraw(self, request: str) -> bool:
        """Expect no reply any more; True if there was none yet."""
        if self._texts.pop(request, None) is not None:
            if self._shown == request:
                self._shown = ""
            return True
        self._open.discard(request)
        return self._peer.drop(request)

    def settled(self, ask: OpenAsk, request: str, how: str, by: str) -> None:
        """Withdraw the request, and say who answered. What is left of its form is asked again."""
        self._forms.drop(ask.prompt)
        if not request.startswith(TEXT):
            self._peer.notify(s.CANCEL_REQUEST, {"requestId": request})
        elif by:
            self._client.update(updates.message(f"\n\n_Answered in jp-tui by {by}._\n\n"))
        self._next_text()


TEXT = "text-"
"""Beginning of the ids of questions that no request asks."""
_LABELS = {"permission": (w.RUN, w.RUN_TURN, w.SKIP), "delivery": (w.DELIVER, "", w.SKIP_DELIVERY)}


def _yes_or_no(prompt: PromptRequest) -> bool:
    return prompt.kind in _LABELS or (
        prompt.kind == "question" and isinstance(prompt.question.answer_type, BooleanAnswer)
    )


def _option(id_: str, name: str, kind: str) -> JsonObject:
    return {"optionId": id_, "name": name, "kind": kind}


def _arguments(prompt: PromptRequest) -> JsonObject:
    try:
        found = parse(prompt.arguments.raw) if prompt.arguments.raw else {}
    except JsonProblem:
        return {}
    return found if isinstance(found, dict) else {}
