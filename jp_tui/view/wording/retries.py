"""Waits before retries, and the line about one in every front end: who, why, how long, how to stop it (Z21). A model
that is silent for long gets such a line too (S53).

Pure: the elapsed time is an input. The turn's own wait is one of its phases; those of reviewers, sub-agents and side
questions arrive as `Retrying`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol import events as ev
from jp_tui.view.transcript.blocks import LIVE, RetryBlock, live_key
from jp_tui.view.wording.amounts import seconds, short_model

OWN = "turn"
"""Key of the turn's own wait."""
SILENT = "silent"
"""Key of the wait for the first word of a response."""
LONG = 8.0
"""Seconds without a word from the model after which a line says so."""
WHO = {"reviewer": "Reviewer", "agent": "Sub-agent", "aside": "Side question"}


def line(detail: str, left: float, key: str) -> str:
    """Return `Rate limited by acme (429). Retrying in 20 s · Esc stops`; `key` stops it, "" if nothing does."""
    when = f"Retrying in {seconds(math.ceil(left))}" if left > 0 else "Retrying now"
    return f"{detail} {when}{f' · {key} stops' if key else ''}".strip()


def who(event: ev.Retrying) -> str:
    """Return `Reviewer haiku: ` for the front of that line; the name is one line of untrusted text."""
    name = first_line(short_model(event.name.raw) if event.who == "reviewer" else event.name.raw)
    return f"{WHO[event.who]}{f' {name}' if name else ''}: "


def silence(model: str, elapsed: float, key: str) -> str:
    """`Waiting for claude-haiku-4-5 · 12 s · Esc stops`."""
    parts = (f"Waiting for {short_model(model) or 'the model'}", seconds(elapsed), f"{key} stops" if key else "")
    return " · ".join(part for part in parts if part)


@dataclass(slots=True)
class _Wait:
    """`left` seconds, negative ones of the silence are how long it is already."""

    who: str
    detail: str
    left: float


class Retries:
    """Waits of one conversation, in order of their start."""

    def __init__(self) -> None:
        self._waits: dict[str, _Wait] = {}
        self._model = ""
        self.key = "Esc"
        """The user's key that stops them."""

    @property
    def blocks(self) -> list[RetryBlock]:
        """Return a block for each wait, after all messages."""
        return [self._block(key, at) for at, key in enumerate(filter(self._shown, self._waits))]

    @property
    def counting(self) -> bool:
        """True if elapsed time changes something."""
        return bool(self._waits)

    def apply(self, event: ev.Event) -> frozenset[str]:
        """Apply an event; return the keys of the blocks that it changes, adds or removes."""
        match event:
            case ev.TurnPhase(phase="retrying", detail=detail, retry_in=float() | int() as wait):
                return self._end(SILENT) | self._begin(OWN, "", detail, wait)
            case ev.TurnPhase(phase="waiting_for_model"):
                return self._end(OWN) | self._begin(SILENT, "", "", 0.0)
            case ev.TurnPhase():
                return self._end(OWN) | self._end(SILENT)
            case ev.PartDelta() if SILENT in self._waits:
                return self._end(SILENT)
            case ev.TurnStarted(model=model):
                self._model = model
                return frozenset()
            case ev.Retrying(conversation=here, id=id_) if id_ == here:
                return frozenset()  # a sub-agent's own conversation is visible, and its phases show it
            case ev.Retrying(id=id_, retry_in=float() | int() as wait):
                return self._begin(id_, who(event), event.detail, wait)
            case ev.Retrying(id=id_) | ev.QuestionSettled(inquiry=id_) | ev.AsideEnded(inquiry=id_):
                return self._end(id_)
            case ev.TurnCompleted():
                return frozenset[str]().union(*(self._end(key) for key in list(self._waits)))
            case _:
                return frozenset()

    def passed(self, elapsed: float) -> frozenset[str]:
        """Advance the time; return the keys of the blocks whose text changes."""
        before = {block.key: block for block in self.blocks}
        for wait in self._waits.values():
            wait.left -= elapsed
        return frozenset(new.key for new in self.blocks if before.get(new.key) != new)

    def _begin(self, key: str, whose: str, detail: str, left: float) -> frozenset[str]:
        self._waits[key] = _Wait(whose, detail, left)
        return self._shown(key)

    def _shown(self, key: str) -> frozenset[str]:
        """The key of the wait's block, if it is shown."""
        return frozenset((_key(key),)) if key != SILENT or -self._waits[key].left >= LONG else frozenset()

    def _end(self, key: str) -> frozenset[str]:
        if key not in self._waits:
            return frozenset()
        shown = self._shown(key)
        del self._waits[key]
        return shown

    def _block(self, key: str, at: int) -> RetryBlock:
        wait = self._waits[key]
        silent = key == SILENT
        said = silence(self._model, -wait.left, self.key) if silent else line(wait.detail, wait.left, self.key)
        return RetryBlock(key=_key(key), place=(LIVE, LIVE + at), text=Foreign(wait.who + said), silent=silent)


def _key(of: str) -> str:
    return live_key(f"retry:{of}")
