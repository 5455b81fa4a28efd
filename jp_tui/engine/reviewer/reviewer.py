"""Model that answers a tool's question: it reads the conversation and all reviewed data, and returns a reason and an
answer (inquiries.md section 7).

An invalid reply is requested again once and never counts as approval. Data that can't be shown whole isn't reviewed.
Nothing is recorded here, and nothing decided beyond the verdict.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import Literal

from jp_tui.conversation.model import Finished, ModelError, ModelRequest, Usage
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ModelSetup, ReviewListener, ReviewQuestion
from jp_tui.engine.model.response_retry import retried
from jp_tui.engine.record.costs import counted
from jp_tui.engine.reviewer.reply_parser import Answer, UnusableReply
from jp_tui.engine.reviewer.request import ReviewRequest, ReviewTooLong, make_case
from jp_tui.engine.reviewer.stream import Response, ReviewStreamRelay
from jp_tui.inquiry.values import ReviewerAnswered, ReviewerFailed
from jp_tui.providers.port import Provider
from jp_tui.questions.types import SecretAnswer

Open = Callable[[JsonObject, ModelSetup, str, str], Awaitable[ModelSetup]]
"""(overrides, the conversation's model, tool, question) → the model to ask, with the retries set for inquiries (R135);
raises ModelError that names the wrong setting."""


class ReviewerConnections:
    """Opens reviewers and closes what was opened."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._held: list[Provider] = []

    async def get(self, asked: ReviewQuestion) -> ModelSetup:
        """Return the model for this inquiry. Raises ModelError."""
        made = await self._open(asked.overrides, asked.model, asked.tool, asked.question.id)
        provider = made.provider
        if provider is not asked.model.provider and not any(provider is held for held in self._held):
            self._held.append(provider)
        return made

    async def close(self) -> None:
        """Close all connections opened here."""
        held, self._held = self._held, []
        for provider in held:
            await provider.close()


ListTools = bool | Literal["auto"]
_REQUEST = re.compile(r"(?<![\w.])assistant\.request\.")
SECRET = "secrets aren't sent to models"


def _random() -> str:
    return token_hex(8)


class ReviewerModel:
    """The reviewer (R119). `list_tools`: it reads the conversation's tools, which it can never call; auto: if it is the
    conversation's model (C20). `draw` returns random text, `sleep` takes seconds."""

    def __init__(
        self,
        open: Open,
        list_tools: ListTools = "auto",
        monotonic: Callable[[], float] = time.monotonic,
        *,
        draw: Callable[[], str] = _random,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.models = ReviewerConnections(open)
        self.list_tools, self.monotonic, self.draw, self.sleep = list_tools, monotonic, draw, sleep
        self.rooms: dict[str, int] = {}  # maximum bytes that a model accepted, by its id
        self.by_tool: set[str] = set()  # models whose server supports no schema
        self.untempered: set[str] = set()  # models whose server accepts no temperature

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered | ReviewerFailed:
        """See Reviewer."""
        return await _Inquiring(self, asked, hears).run()

    async def close(self) -> None:
        """Close connections; never the conversation's."""
        await self.models.close()


class _Inquiring:
    """One inquiry."""

    def __init__(self, agent: ReviewerModel, asked: ReviewQuestion, hears: ReviewListener) -> None:
        self._agent, self._asked, self._hears = agent, asked, hears
        self._ear = ReviewStreamRelay(hears)
        self._began = agent.monotonic()
        self._usage = Usage()
        self._model: ModelSetup | None = None
        self._saw = ""

    async def run(self) -> ReviewerAnswered | ReviewerFailed:
        if isinstance(self._asked.question.answer_type, SecretAnswer):
            return self._failed(SECRET)
        try:
            model = self._model = await self._agent.models.get(self._asked)
            self._hears.asks(model.id)
            found = await self._fitted(model)
        except ReviewTooLong as problem:
            return self._failed(str(problem), "too_long")
        except ModelError as error:
            kind: Literal["failed", "too_long"] = "too_long" if error.kind == "too_long" else "failed"
            return self._failed(error.message, kind, _advice(error))
        if isinstance(found, UnusableReply):
            return self._failed(_unusable(found))
        return ReviewerAnswered(
            self._asked.inquiry,
            found.value,
            found.reason,
            model.id,
            ms=self._ms(),
            usage=self._usage_fields(),
            saw=self._saw,
        )

    async def _fitted(self, model: ModelSetup) -> Answer | UnusableReply:
        """Send as much of the conversation as the server accepts. Raises ModelError, ReviewTooLong."""
        agent = self._agent
        while True:
            lists = agent.list_tools if agent.list_tools != "auto" else model.id == self._asked.model.id
            case = make_case(self._asked, model, lists=lists, room=agent.rooms.get(model.id), draw=agent.draw)
            self._saw = case.saw
            try:
                return await self._twice(case)
            except ModelError as error:
                if error.kind != "too_long" or case.alone:
                    raise
                agent.rooms[model.id] = case.size // 2  # the question is sent whole, however small the limit

    async def _twice(self, case: ReviewRequest) -> Answer | UnusableReply:
        """Return an answer, after one repair at most, always by the forced tool. A server that refuses the schema has
        sent no reply and is asked by the tool. Raises ModelError."""
        agent = self._agent
        native = case.model.structured == "native" and case.model.id not in agent.by_tool
        try:
            response, found = await self._respond(case, case.request(native=native))
        except ModelError as error:
            if not native or error.kind != "bad_request":
                raise
            agent.by_tool.add(case.model.id)
            self._ear.afresh()
            response, found = await self._respond(case, case.request(native=False))
        if isinstance(found, Answer):
            return found
        self._ear.afresh()
        _, found = await self._respond(case, case.request(native=False, wrong=found.words, said=response.raw))
        return found

    async def _respond(self, case: ReviewRequest, request: ModelRequest) -> tuple[Response, Answer | UnusableReply]:
        """Return one whole response, with useful retries (R135). Raises ModelError."""
        read = partial(self._read, case, request)
        response, finished = await retried(read, case.model.retry, self._hears.waits, sleep=self._agent.sleep)
        self._usage += finished.usage
        return response, response.found(self._asked.question.answer_type)

    async def _read(self, case: ReviewRequest, request: ModelRequest) -> tuple[Response, Finished]:
        """Return one response and its end; without a temperature if the model takes none. Raises ModelError."""
        untempered, model = self._agent.untempered, case.model
        while True:
            if model.id in untempered and model.temperature is None:
                request = replace(request, temperature=None)
            response = Response("" if request.output is not None else request.tool_choice, self._ear)
            try:
                return response, await response.consume(model.provider.stream(request))
            except ModelError as error:
                self._ear.afresh()
                if model.temperature is not None or request.temperature is None or not _of_temperature(error):
                    raise
                untempered.add(model.id)

    # --- results ----------------------------------------------------------------------------------------------

    def _ms(self) -> int:
        return int((self._agent.monotonic() - self._began) * 1000)

    def _usage_fields(self) -> JsonObject:
        if self._usage == Usage():
            return {}
        return counted(self._usage, self._model.prices if self._model is not None else None)

    def _failed(self, error: str, kind: Literal["failed", "too_long"] = "failed", advice: str = "") -> ReviewerFailed:
        return ReviewerFailed(
            self._asked.inquiry,
            error.rstrip("."),  # M13 continues after it
            self._model.id if self._model is not None else "",
            ms=self._ms(),
            kind=kind,
            usage=self._usage_fields(),
            saw=self._saw,
            advice=advice.rstrip("."),
        )


def _of_temperature(error: ModelError) -> bool:
    return error.kind == "bad_request" and "temperature" in f"{error.message} {error.detail}".lower()


def _advice(error: ModelError) -> str:
    """Return the advice with the settings for inquiries (R68), unknown to a shared provider."""
    return _REQUEST.sub("conversation.inquiry.assistant.request.", error.advice)


def _unusable(found: UnusableReply) -> str:
    """Describe missing structured data, or an answer that can't be extracted (R119)."""
    if found.prose:
        return f"it gave no structured answer in two attempts: {found.words}"
    return f"its answers weren't valid in two attempts: {found.words}"
