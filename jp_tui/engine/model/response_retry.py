"""Get one complete response from a model: stream it, retry where useful, keep what a stop leaves.

It runs no tools and ends no turn; each request is built from the log (R59, R204).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Literal, Protocol, TypeVar

from jp_tui.conversation import model as m
from jp_tui.engine.base.dependencies import ModelSetup, RetryPolicy
from jp_tui.engine.base.interrupt_request import InterruptRequest
from jp_tui.engine.model.response_stream import StreamedResponse
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.model_context import without_pictures
from jp_tui.protocol.events import Retrying, TurnPhase
from jp_tui.protocol.values import AgentInfo

_T = TypeVar("_T")
Phase = Literal["waiting_for_model", "streaming", "tools", "retrying", "compacting"]


def say_phase(log: Log, phase: Phase, detail: str = "", retry_in: float | None = None) -> None:
    """Report the turn's phase to the front ends."""
    log.publish(TurnPhase(conversation=log.id, turn=log.turn, phase=phase, detail=detail, retry_in=retry_in))


class Room(Protocol):
    """Interface for making room in a full window (context.md K21, K27)."""

    def begins(self) -> None:
        """The next response is asked for."""

    async def before(self) -> None:
        """A request is about to be sent. Raises JournalError."""

    async def refused(self, error: m.ModelError) -> None:
        """One was too long. Returns when it may be sent again; raises ModelError when nothing more can be done."""

    def counted(self, sent: m.ModelRequest, finished: m.Finished) -> None:
        """A request was answered, and counted."""

    def full(self, finished: m.Finished) -> m.ModelError | None:
        """Return the error for `refused` if the reply was truncated at the end of the window."""


class Responses:
    """Responses of one turn, one after the other; `wish` is the user's interrupt request, `agent` the sub-agent of the
    turn."""

    def __init__(
        self, log: Log, model: ModelSetup, wish: InterruptRequest, room: Room, agent: AgentInfo | None = None
    ) -> None:
        self._log, self._model, self._wish, self._room, self._agent = log, model, wish, room, agent
        self._work: asyncio.Task[None] | None = None
        self._reply: StreamedResponse | None = None
        self._count = 0

    def interrupt(self) -> None:
        """Stop the current wait, because the request changed."""
        if self._work is not None:
            self._work.cancel()

    def report_again(self) -> None:
        """Report the current stream to a new front end."""
        if self._work is not None and self._reply is not None:
            self._reply.report_again()

    async def next(self) -> StreamedResponse | None:
        """Return one complete, recorded response; None if the user stopped it. Raises ModelError, JournalError."""
        failures = 0
        self._room.begins()
        while not self._wish.stops():
            if not await self._unless_stopped(self._room.before()):
                break
            reply = self._reply = StreamedResponse(self._log, self._count)
            self._count += 1
            say_phase(self._log, "waiting_for_model")
            try:
                whole = await self._unless_stopped(self._stream(reply))
            except m.ModelError as error:
                self._reply = None
                if error.kind == "too_long":
                    await reply.drop()
                    if not await self._unless_stopped(self._room.refused(error)):
                        break
                    continue
                failures += 1
                wait = retry_delay(self._model.retry, error, failures)
                await reply.keep(discarded=wait is not None)
                if wait is None:
                    raise
                say_phase(self._log, "retrying", error.cause, wait)
                self._agent_waits(error.cause, wait)
                await self._unless_stopped(asyncio.sleep(wait))
                self._agent_waits()
                continue
            if whole and await self._compacted(reply):
                await reply.drop()
                continue
            if whole:
                await reply.commit(self._model.id, self._model.prices)
                return reply
            await (reply.drop() if self._wish.choice == "abort" else reply.keep())
        return None

    async def _compacted(self, reply: StreamedResponse) -> bool:
        """Return True if the reply was truncated at the end of the window and can be requested again; otherwise, or if
        the user stops that, it stays."""
        full = self._room.full(reply.finished) if reply.finished is not None else None
        if full is None:
            return False
        try:
            return await self._unless_stopped(self._room.refused(full))
        except m.ModelError:
            return False

    def _agent_waits(self, detail: str = "", wait: float | None = None) -> None:
        """Report a sub-agent's wait at its parent, too: its own conversation may not be open."""
        if (agent := self._agent) is not None:
            self._log.publish(
                Retrying(
                    conversation=self._log.id,
                    id=self._log.id,
                    who="agent",
                    name=agent.name,
                    detail=detail,
                    retry_in=wait,
                )
            )

    async def _unless_stopped(self, work: Coroutine[object, object, None]) -> bool:
        """Run to the end; return False if the user stopped it. Other cancellation is passed on: the program is ending,
        and the text so far is in the journal's partials, where the next start finds it."""
        self._work = asyncio.create_task(work)
        if self._wish.stops():
            self._work.cancel()
        try:
            await self._work
        except asyncio.CancelledError:
            if not self._wish.stops():
                raise
            return False
        finally:
            self._work.cancel()
            self._work = None
        return True

    async def _stream(self, reply: StreamedResponse) -> None:
        log, model = self._log, self._model
        request = request_for(next_request(log, model), await log.model_messages())
        if model.images is False:
            request = replace(request, messages=without_pictures(request.messages))
        await reply.consume(model.provider.stream(request), lambda: say_phase(log, "streaming"))
        if reply.finished is not None:
            self._room.counted(request, reply.finished)


def next_request(log: Log, model: ModelSetup) -> m.ModelRequest:
    """The conversation's next request, without its messages."""
    return m.ModelRequest(
        model=model.name,
        messages=(),
        system=log.briefing.after(model.system),
        tools=tuple(tool.spec for tool in log.offered()),
        tool_choice=log.setup.tool_choice,
        max_tokens=model.max_tokens,
        temperature=model.temperature,
        cache=model.cache,
        conversation=log.id,
        effort=log.effort_for(model),
        extra=model.extra,
    )


def request_for(request: m.ModelRequest, told: tuple[m.Message, ...], choice: str = "") -> m.ModelRequest:
    """The same with messages, and with another choice of tools."""
    return replace(request, messages=told, tool_choice=choice or request.tool_choice)


async def retried(
    work: Callable[[], Awaitable[_T]],
    retry: RetryPolicy,
    waits: Callable[[str, float | None], None] = lambda cause, seconds: None,
    *,
    began: Callable[[], bool] = lambda: False,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> _T:
    """Return what `work` returns, after useful retries. `waits` gets the cause and seconds of each wait, and no seconds
    after it. Raises ModelError."""
    failures = 0
    while True:
        try:
            return await work()
        except m.ModelError as error:
            failures += 1
            wait = retry_delay(retry, error, failures, began=began())
            if wait is None:
                raise
            waits(error.cause, wait)
            await sleep(wait)
            waits("", None)


def retry_delay(retry: RetryPolicy, error: m.ModelError, failures: int, *, began: bool = False) -> float | None:
    """Return the seconds until the next try, or None to give up; `began`: text was shown that can't be marked as
    discarded.

    The wait doubles with each failure. A server's request only lengthens it, and one of more than `max_backoff_secs`
    means giving up. Each wait is randomized, so that clients that failed together don't retry together, but never below
    the minimum or the server's request (Z21).
    """
    if began or not error.transient or failures > retry.most:
        return None
    asked = error.retry_after or 0.0
    if asked > retry.max_backoff_secs:
        return None
    first = max(retry.base_ms / 1000, retry.least_secs)
    own = min(first * 2.0 ** min(failures - 1, 60), retry.max_backoff_secs)
    return max(
        own * random.uniform(0.75, 1), retry.least_secs * random.uniform(1, 1.25), asked * random.uniform(1, 1.1)
    )
