"""Making room in one conversation: when the window is nearly full, when a server refuses, when the user wants it
(context.md K20-K28).

Nothing is compacted before the event is durable: what is cancelled or killed on the way leaves the log as it was. A
summary that fails never fails a turn: then older messages are left out without one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation import model as m
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.compaction import carried, summary
from jp_tui.engine.compaction.place import Block, blocks, choose, left
from jp_tui.engine.model.response_retry import next_request, retried, say_phase
from jp_tui.engine.record import answer_record
from jp_tui.engine.record.answer_record import Entry, Logged
from jp_tui.engine.record.costs import cost_usd, counted
from jp_tui.engine.record.log import Log, window_of
from jp_tui.engine.record.model_context import messages_of, without_pictures
from jp_tui.engine.record.overlay import StandingOverlay, standing
from jp_tui.engine.record.shortening import limit_of
from jp_tui.engine.record.sizes import TOKEN, listed, measure, size
from jp_tui.protocol.compaction import WindowLearned

LEAST_FULL = 0.3
"""Of the window: below it a reply's `max_tokens` brings about no compaction."""
ASSUMED = 16_384
"""Assumed tokens of an unknown window, for the data sent beside a summary when the user compacts and nothing was
refused."""
LEAST_GAIN = 20
"""A compaction near the window leaves out at least this part of it, or nothing is done."""
WHOLE = 0.8
"""The share at which long results are enough, where `compact_at` is off."""
FULL = 0.95
"""Of the window: a reply that was cut by length here was cut by the window."""
DEFAULT_REPLY = 32_000
"""Tokens of a reply: one wire demands a number where none is set, and sends this one."""
NOTHING = "There is nothing to compact."
_RECORD, _SAID = 4, 20
"""Parts of the window that the record and the user's messages may have."""

Ledger = Callable[[], Sequence[Entry]]


class NothingToDo(ValueError):
    """Why a compaction or an undo that the user wants does nothing, in words."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Messages to compact."""

    events: list[Logged]
    blocks: list[Block]
    through: int
    window: int
    size: int


class Compactor:
    """The room of one conversation, held with `model`; `ledger` are the entries that stand now. Used by one task."""

    def __init__(self, log: Log, model: ModelSetup, ledger: Ledger = tuple) -> None:
        self._log, self._model, self._ledger = log, model, ledger
        self._refusals = 0
        self.wanted: str | None = None
        """The focus of a compaction that the user wants at the next place."""
        self.usage = m.Usage()
        self.cost: float | None = None
        """US dollars of the summaries, at the prices of the model that wrote them; None if unknown."""

    # --- when ---------------------------------------------------------------------------------------------

    async def before(self) -> None:
        """Between two cycles: what the user wants, else what the window needs (K21). Raises JournalError."""
        if self.wanted is not None:
            focus, self.wanted = self.wanted, None
            with suppress(NothingToDo):
                await self.by_hand(focus)
        window, at = self._window, self._log.setup.compaction.at
        if window is None or at is None or self._refusals:
            return
        if self._tokens(await self._size()) >= self._limit(window, at):
            await self._compact("window")

    async def by_hand(self, focus: str) -> None:
        """Raises NothingToDo, JournalError."""
        if not await self._compact("user", focus):
            raise NothingToDo(NOTHING)

    async def undo(self) -> None:
        """The last compaction that stands holds no longer. Raises NothingToDo, JournalError."""
        log = self._log
        await log.model_messages()
        if not log.overlay.last:
            raise NothingToDo("There is no compaction here.")
        undone = ev.CompactionUndone(compaction=log.overlay.last)
        events, window = await log.events(), self._window
        numbered = [(seq, one) for seq, _, one in events if isinstance(one, ev.Compaction | ev.CompactionUndone)]
        found = standing([*numbered, (events[-1][0] + 1, undone)])
        at = log.setup.compaction.at
        if window is not None:
            tokens = self._tokens(self._fixed() + measure(messages_of(events, log.model, found, window)))
            most = self._limit(window, at if at is not None else WHOLE)
            if tokens >= most:
                raise NothingToDo(
                    f"Without it the conversation has about {tokens:,} tokens; it is compacted at {most:,}."
                )
        await asyncio.shield(log.append([undone]))

    async def refused(self, error: m.ModelError) -> None:
        """One compaction and one retry, then half of it is left out, then the turn fails (K27)."""
        log = self._log
        window = error.window
        if window is not None and window != self._window:
            log.setup.windows[self._model.id] = window
            log.held_with(log.model, window)
            log.publish(WindowLearned(conversation=log.id, window=window))
        self._refusals += 1
        if self._refusals == 1 and await self._compact("overflow"):
            return
        self._refusals = max(self._refusals, 2)
        if self._refusals == 2 and await self._halve():
            return
        raise await self._largest(error)

    def begins(self) -> None:
        """The next response is asked for: what was refused before is over."""
        self._refusals = 0

    def counted(self, sent: m.ModelRequest, finished: m.Finished) -> None:
        """The server's count of a request (K21)."""
        whole = size(sent.system) + listed(sent.tools) + measure(sent.messages)
        self._log.estimate.count(whole, finished.usage.input)

    def full(self, finished: m.Finished) -> m.ModelError | None:
        """Return the error for a reply that was truncated at the window's end (K27), None for any other."""
        if finished.reason not in ("window", "length") or self._refusals >= 2:
            return None
        used, window = finished.usage.input + finished.usage.output, self._window
        if finished.reason == "length":
            ended = window is not None and used >= window * FULL
            unlimited = self._model.max_tokens is None and finished.usage.output < DEFAULT_REPLY and used > 0
            if not ended and not (unlimited and window is None):
                return None
        return m.ModelError("too_long", "The reply stops here because the model's context window is full.")

    # --- sizes --------------------------------------------------------------------------------------------

    @property
    def _window(self) -> int | None:
        return window_of(self._log, self._model)

    def _fixed(self) -> int:
        request = next_request(self._log, self._model)
        return size(request.system) + listed(request.tools)

    async def _size(self) -> int:
        return self._fixed() + measure(await self._log.model_messages())

    def _tokens(self, size: int) -> int:
        return self._log.estimate.tokens(size)

    def _limit(self, window: int, at: float) -> int:
        """The tokens at which it is compacted: a reply has room behind them."""
        reply = self._model.max_tokens
        most = int(window * at)
        return most if reply is None else min(most, max(window - reply, int(window * LEAST_FULL)))

    # --- doing it -----------------------------------------------------------------------------------------

    async def _plan(self, trigger: ev.Trigger, keep: int | None = None) -> _Plan | None:
        """Return what would be compacted; None for nothing. `keep` are the bytes that stay."""
        log = self._log
        whole = await self._size()
        window = self._window or max(self._tokens(whole), ASSUMED if trigger == "user" else 1)
        events = await log.events()
        if keep is None:
            share = log.setup.compaction.keep
            keep = int(window * share * log.estimate.rate)
            if trigger == "user":
                keep = min(keep, int(measure(await log.model_messages()) * share))
        limit = limit_of(self._window)
        found = blocks([one for one in events if one[0] > log.overlay.through], limit)
        through = choose(found, keep)
        gone, _ = left(found, through)
        least = int(window / LEAST_GAIN * log.estimate.rate) if trigger == "window" else 1
        if through <= log.overlay.through or gone < least:
            return None
        return _Plan(events, found, through, window, whole)

    async def _compact(self, trigger: ev.Trigger, focus: str = "") -> bool:
        """Compact; return True if anything was. Raises JournalError."""
        log = self._log
        plan = await self._plan(trigger)
        if plan is None:
            return False
        say_phase(log, "compacting")
        shorter = replace(log.overlay, trimmed=max(plan.through, log.overlay.trimmed))
        if trigger != "user" and shorter.trimmed > log.overlay.trimmed:
            tokens = self._tokens(self._fixed() + measure(self._messages(plan.events, shorter)))
            at = log.setup.compaction.at
            if tokens < self._limit(plan.window, at if at is not None else WHOLE) * 3 // 4:
                only = ev.Compaction(trigger=trigger, method="trimmed", through=plan.through)
                await self._keep(only, plan, shorter)
                return True
        before = tuple(
            messages_of([one for one in plan.events if one[0] <= plan.through], log.model, shorter, self._window)
        )
        made = self._carrying(trigger, plan, focus)
        try:
            made = await self._summarised(made, before, plan.window)
        except m.ModelError as error:
            made = self._without(made, error.message)
        await self._keep(made, plan)
        return True

    async def _halve(self) -> bool:
        """Leave half of what was sent out, without asking anybody."""
        log = self._log
        plan = await self._plan("overflow", measure(await log.model_messages()) // 2)
        if plan is None:
            return False
        made = self._without(self._carrying("overflow", plan, ""), "the request was still too long")
        await self._keep(made, plan)
        return True

    def _without(self, made: ev.Compaction, reason: str) -> ev.Compaction:
        """Return the compaction without a summary of its own; an earlier one still applies."""
        base = self._log.overlay.base
        return replace(made, method="trimmed", error=reason or "no reason", summary=base.summary if base else "")

    def _carrying(self, trigger: ev.Trigger, plan: _Plan, focus: str) -> ev.Compaction:
        """The event without its summary."""
        log, events, through = self._log, plan.events, plan.through
        base = log.overlay.base
        found = [*answer_record.entries(events, through, base.record if base is not None else ()), *self._ledger()]
        _, parts = left(plan.blocks, through)
        return ev.Compaction(
            trigger=trigger,
            method="summary",
            through=through,
            focus=focus,
            record=answer_record.bounded(found, plan.window // _RECORD * TOKEN),
            plan=carried.plan(events),
            files=carried.files(events, through),
            said=carried.user_messages(events, through, plan.window // _SAID * TOKEN),
            messages=parts,
        )

    async def _keep(self, made: ev.Compaction, plan: _Plan, overlay: StandingOverlay | None = None) -> None:
        """Store it durably; the model reads it from now on (K22)."""
        log = self._log
        then = overlay or StandingOverlay(made, 0, log.overlay.trimmed)
        after = self._fixed() + measure(self._messages(plan.events, then))
        made = replace(made, before=self._tokens(plan.size), after=int(after / log.estimate.rate))
        await asyncio.shield(log.append([made]))

    def _messages(self, events: list[Logged], overlay: StandingOverlay) -> tuple[m.Message, ...]:
        return messages_of(events, self._log.model, overlay, self._window)

    # --- the summary --------------------------------------------------------------------------------------

    async def _summarised(self, made: ev.Compaction, told: tuple[m.Message, ...], window: int) -> ev.Compaction:
        """Ask for a summary, again while that may help; what is too long once is asked for in half of the room. Raises
        ModelError."""
        log = self._log
        model = await self._opened()
        try:
            own = window_of(log, model) or window
            share = own // summary.SHARE * TOKEN
            request, shown, halved = next_request(log, model), without_pictures(told), False
            room: int | None = None
            if window_of(log, model) is not None:
                room = max(0, int(own * min(log.estimate.rate, TOKEN)) - self._fixed() - share)

            async def ask() -> summary.Summarised:
                nonlocal room, halved
                while True:
                    asked = summary.request(request, shown, made.focus, room)
                    try:
                        return await summary.summarise(asked, model.provider.stream, share)
                    except m.ModelError as error:
                        if error.kind != "too_long" or halved:
                            raise
                        room, halved = max(measure(asked.messages) // 2, 1), True

            def waits(cause: str, seconds: float | None) -> None:
                say_phase(log, "compacting" if seconds is None else "retrying", cause, seconds)

            found = await retried(ask, model.retry, waits)
            self.usage = self.usage + found.tokens
            if model.prices is not None:
                self.cost = (self.cost or 0.0) + cost_usd(found.tokens, model.prices)
            return replace(made, summary=found.text, model=model.id, usage=counted(found.tokens, model.prices))
        finally:
            if model is not self._model:
                await model.provider.close()

    async def _opened(self) -> ModelSetup:
        opens = self._log.setup.compaction.open_model
        return self._model if opens is None else await opens()

    async def _largest(self, error: m.ModelError) -> m.ModelError:
        """The refusal, with what takes most of the room."""
        log, request = self._log, next_request(self._log, self._model)
        told = await log.model_messages()
        parts = {
            "the instructions": size(request.system),
            f"the {len(request.tools)} tools": listed(request.tools),
            "the messages that are kept": measure(told),
        }
        name = max(parts, key=lambda key: parts[key])
        alone = f"{name} alone have about {self._tokens_alone(parts[name]):,} tokens"
        words = f"The conversation is still too long after compaction: {alone}."
        return m.ModelError(
            "too_long", error.message, f"{words} {error.advice}".strip(), detail=error.detail, status=error.status
        )

    def _tokens_alone(self, size: int) -> int:
        return int(size / self._log.estimate.rate)
