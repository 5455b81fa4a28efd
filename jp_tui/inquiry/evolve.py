"""How the machine's state changes, one small function a change. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from jp_tui.inquiry.values import Given, Held, Open, State, Waiting, Work

K = TypeVar("K")
V = TypeVar("V")


def put(mapping: Mapping[K, V], name: K, value: V) -> Mapping[K, V]:
    """A copy with one entry set, last in order (R41: insertion-ordered, latest wins)."""
    rest = {other: held for other, held in mapping.items() if other != name}
    return MappingProxyType({**rest, name: value})


def drop(mapping: Mapping[K, V], name: K) -> Mapping[K, V]:
    """A copy without one entry."""
    return MappingProxyType({other: held for other, held in mapping.items() if other != name})


def attempt(state: State, call: str, question: str) -> tuple[State, int]:
    """Count one more recording of this question in this turn (R27)."""
    count = state.ledger.attempts.get((call, question), 0) + 1
    attempts = put(state.ledger.attempts, (call, question), count)
    return replace(state, ledger=replace(state.ledger, attempts=attempts)), count


def answered(state: State, call: str, question: str, given: Given) -> State:
    """The call has one more answer; the same question in a row is counted (R98)."""
    work = state.calls[call]
    times = work.streak[1] + 1 if work.streak[0] == question else 1
    work = replace(work, answers=put(work.answers, question, given), streak=(question, times))
    return replace(state, calls=put(state.calls, call, work))


def began(state: State, call: str, tool: str) -> State:
    """A call runs, without answers."""
    return replace(state, calls=put(state.calls, call, Work(tool)))


def ended(state: State, call: str) -> State:
    """A call is over."""
    return replace(state, calls=drop(state.calls, call))


def waits(state: State, opened: Waiting) -> State:
    """One more question for the human, at the end of the queue (R116)."""
    return replace(state, waiting=(*state.waiting, opened))


def closed(state: State, inquiry: str) -> State:
    """A question no longer waits."""
    return replace(state, waiting=tuple(item for item in state.waiting if item.inquiry != inquiry))


def remembers(state: State, slot: str, held: Held) -> State:
    """An answer is kept for the rest of the turn (R113)."""
    return replace(state, ledger=replace(state.ledger, answers=put(state.ledger.answers, slot, held)))
