"""Side questions about what waits for the user (asking.md E30): a plain request to a model without tools.

The question stays open, and nothing here answers it. Each exchange is logged as an `inquiry_aside` event, which no
provider reads; exchanges that the user sends become a user message after the results of the calls. If the question
closes, its side question ends, and the reply so far is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.side_messages import (
    Finished,
    SideExchange,
    exchanges_text,
    paused,
    snapshot_results,
    subject,
    talk,
)
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.model.response_retry import retried
from jp_tui.engine.model.text_response import text_deltas
from jp_tui.engine.record.errors import stored, turn_error
from jp_tui.engine.record.event_codec import SENT, storable
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import AsideDelta, AsideEnded, Retrying
from jp_tui.protocol.values import PromptRequest

KIND = "inquiry_aside"
CANCELLED: JsonObject = {"kind": "cancelled", "message": "The question is closed.", "advice": ""}
SILENT = m.ModelError("other", "The model sent an empty reply.", "Ask again in other words.")


@dataclass(slots=True)
class _Talk:
    """Exchanges about one question; `about` is the question in one line, `send`: they are sent with the results."""

    about: str = ""
    exchanges: list[SideExchange] = field(default_factory=list)
    send: bool = False


@dataclass(slots=True)
class _Running:
    """A side question being answered: the model, and the reply so far."""

    asked: str
    began: float
    model: str = ""
    said: list[str] = field(default_factory=list)


class SideModel:
    """Model for side questions: the one from `opens`, opened once, else the conversation's `own`."""

    def __init__(self, opens: Callable[[], Awaitable[ModelSetup]] | None, own: ModelSetup) -> None:
        self._opens, self._own = opens, own
        self._opened: ModelSetup | None = None

    async def get(self) -> ModelSetup:
        """Return the model. Raises ModelError."""
        if self._opens is None:
            return self._own
        if self._opened is None:
            self._opened = await self._opens()
        return self._opened

    @property
    def opened(self) -> list[ModelSetup]:
        """Return what was opened here and must be closed."""
        return [self._opened] if self._opened is not None else []


class SideQuestions:
    """Side questions of one turn. `model` answers them, `finished` supplies results; `before` are the events of a
    resumed turn."""

    def __init__(self, log: Log, model: SideModel, finished: Finished, before: Iterable[ev.Event] = ()) -> None:
        self._log, self._model, self._finished = log, model, finished
        self._talks: dict[str, _Talk] = {}
        self._running: dict[str, tuple[asyncio.Task[None], asyncio.Task[None]]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        for event in before:
            self._recall(event)

    def _recall(self, event: ev.Event) -> None:
        raw, sent = event.wire(), event.metadata.get(SENT)
        if raw.get("type") == KIND and isinstance(raw.get("id"), str):
            talk = self._talks.setdefault(str(raw["id"]), _Talk())
            talk.about = str(event.metadata.get("about", talk.about))
            asked, said = raw.get("question"), raw.get("answer")
            if isinstance(asked, str) and isinstance(said, str):
                talk.exchanges.append(SideExchange(asked, said))
            else:
                talk.send = raw.get("send") is True
        elif isinstance(event, ev.ChatRequest) and isinstance(sent, list):
            for inquiry in sent:
                self._talks.pop(str(inquiry), None)

    # --- input of the user ------------------------------------------------------------------------------------

    def ask(self, prompt: PromptRequest | None, text: str) -> None:
        """Start a side question about a prompt. Raises ValueError with a message."""
        if prompt is None:
            raise ValueError("This question is closed.")
        if prompt.kind == "delivery":
            raise ValueError("You can't ask a model about a result before it is delivered.")
        if prompt.inquiry in self._running:
            raise ValueError("The previous side question is still being answered.")
        if not text.strip():
            raise ValueError("The side question is empty.")
        words = self._log.secrets.text(storable(text), prompt.call)
        running = _Running(words, self._log.setup.monotonic())
        speaks = asyncio.create_task(self._speak(prompt, running))
        self._running[prompt.inquiry] = speaks, asyncio.create_task(self._keep(prompt, running, speaks))

    async def send(self, inquiry: str, *, send: bool) -> None:
        """Choose whether the exchanges about this question are sent with the results. Raises ValueError with a message,
        JournalError."""
        talk = self._talks.get(inquiry)
        if talk is None and inquiry not in self._running:
            raise ValueError("There is no side question to send with the answer.")
        await self._record(inquiry, {"send": send})
        self._talks.setdefault(inquiry, _Talk()).send = send

    # --- the question's outcome -------------------------------------------------------------------------------

    def drop(self, inquiry: str) -> None:
        """The question closed: stop its side question."""
        if (running := self._running.pop(inquiry, None)) is not None:
            speaks, keeps = running
            self._ending.add(keeps)
            keeps.add_done_callback(self._ending.discard)
            speaks.cancel()

    async def wait_stopped(self) -> None:
        """Wait until stopped exchanges are logged."""
        while self._ending:
            await asyncio.wait(list(self._ending))

    async def close(self) -> None:
        """End everything."""
        for inquiry in list(self._running):
            self.drop(inquiry)
        await self.wait_stopped()

    async def due(self) -> list[ev.ChatRequest]:
        """Return the messages to send now that the calls have their results; each is sent once."""
        await self.wait_stopped()
        found: list[ev.ChatRequest] = []
        for inquiry in [inquiry for inquiry in self._talks if inquiry not in self._running]:
            talk = self._talks.pop(inquiry)
            said = [exchange for exchange in talk.exchanges if exchange.said.strip()]
            if talk.send and said:
                found.append(ev.ChatRequest(content=exchanges_text(talk.about, said), metadata={SENT: [inquiry]}))
        return found

    # --- one exchange -----------------------------------------------------------------------------------------

    async def _speak(self, prompt: PromptRequest, running: _Running) -> None:
        model = await self._model.get()
        running.model = model.id
        await self._stream(model, await self._request(model, prompt, running.asked), prompt.inquiry, running.said)

    async def _keep(self, prompt: PromptRequest, running: _Running, speaks: asyncio.Task[None]) -> None:
        """Record the exchange at its end of any kind; in its own task, so that a cancellation can't stop it."""
        log, inquiry = self._log, prompt.inquiry
        await asyncio.wait([speaks])
        error = self._error(speaks)
        answer = log.secrets.text(storable("".join(running.said)), prompt.call)
        told: JsonObject = {"question": running.asked, "answer": answer, "model": running.model}
        told["ms"] = int((log.setup.monotonic() - running.began) * 1000)
        about: JsonObject = {"call": prompt.call, "tool": prompt.tool, "about": subject(prompt)}
        failed: JsonObject = {} if error is None else {"error": error}
        try:
            await self._record(inquiry, {**told, **failed, "metadata": about})
        except JournalError as problem:
            error = {"kind": "storage", "message": str(problem), "advice": "Free disk space or fix the folder."}
        found = self._talks.setdefault(inquiry, _Talk())
        found.about = subject(prompt)
        found.exchanges.append(SideExchange(running.asked, answer))
        if inquiry in self._running and self._running[inquiry][0] is speaks:
            del self._running[inquiry]
        log.publish(AsideEnded(conversation=log.id, inquiry=inquiry, error=turn_error(error)))

    def _error(self, speaks: asyncio.Task[None]) -> JsonObject | None:
        """Return why it stopped. A bug is reported like any failure: the turn continues."""
        if speaks.cancelled():
            return CANCELLED
        match speaks.exception():
            case None:
                return None
            case m.ModelError() as problem:
                return stored(problem)
            case bug:
                return stored(m.ModelError("other", self._log.secrets.text(f"{type(bug).__name__}: {bug}")))

    async def _request(self, model: ModelSetup, prompt: PromptRequest, text: str) -> m.ModelRequest:
        """Build the request. Tools are listed and none may be called (R129): servers refuse earlier calls of unknown
        tools."""
        log = self._log
        told = await log.model_messages(snapshot_results(prompt.call, paused(prompt), self._finished))
        before = self._talks.get(prompt.inquiry, _Talk()).exchanges
        return m.ModelRequest(
            model=model.name,
            messages=talk(told, prompt, before, text, thoughts=model.id == log.model),
            system=log.briefing.after(model.system),
            tools=tuple(tool.spec for tool in log.offered()),
            tool_choice="none",
            max_tokens=model.max_tokens,
            temperature=model.temperature,
            cache=model.cache,
            effort=model.effort,
            extra=model.extra,
        )

    async def _stream(self, model: ModelSetup, request: m.ModelRequest, inquiry: str, said: list[str]) -> None:
        read = partial(self._read_response, model, request, inquiry, said)
        await retried(read, model.retry, partial(self._waits, inquiry), began=lambda: bool(said))
        if not said:
            raise SILENT

    def _waits(self, inquiry: str, detail: str, wait: float | None) -> None:
        log = self._log
        log.publish(Retrying(conversation=log.id, id=inquiry, who="aside", detail=detail, retry_in=wait))

    async def _read_response(self, model: ModelSetup, request: m.ModelRequest, inquiry: str, said: list[str]) -> None:
        """Read one response; only its text counts. Raises ModelError, also if it breaks off."""
        log, whole = self._log, False
        async with aclosing(text_deltas(model.provider.stream(request))) as texts:
            async for text in texts:
                if isinstance(text, m.Finished):
                    whole = True
                else:
                    said.append(text)
                    log.publish(AsideDelta(conversation=log.id, inquiry=inquiry, text=Foreign(text)))
        if not whole:
            raise m.ModelError("cut", "The response ended early.", "Ask again.", transient=True)

    async def _record(self, inquiry: str, told: JsonObject) -> None:
        head: JsonObject = {"timestamp": timestamp(self._log.setup.now()), "type": KIND, "id": inquiry}
        await self._log.append([ev.Unknown({**head, **told})])
