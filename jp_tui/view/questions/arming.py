"""When a question may open and when a key may answer it (asking.md E10, E11), as values fed with times.

A question never steals a key: it waits for silence, opens deaf, and only then listens. A paste, a key that
repeats and the click that brought the window its focus never answer. Refuses to read a clock or to know a widget:
seconds of any monotonic clock come in, and `due` says when to look again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

SILENCE = 1.0
"""Seconds without typing in the composer before a question opens."""
PATIENCE = 30.0
"""Seconds that a question waits for that silence; then it stays folded and rings."""
DEAF = 0.5
"""Seconds for which an opened sheet hears nothing."""
QUIET = 0.3
"""Seconds without any key that must have passed before it listens."""
REPEAT = 0.08
"""The same key again within this time is the keyboard's repeat, not the user."""
AFTER_PASTE = 0.05
"""Keys this close behind a paste belong to it: its end may have been forged."""
FOCUS_CLICK = 0.2
"""A click this soon after the window got the focus was meant for the window."""

NEVER = float("-inf")

Phase = Literal["empty", "hesitating", "held", "folded", "deaf", "next", "armed", "sent"]
"""`held` has rung and stays folded, `folded` is the user's doing, `sent` waits for the engine's word, `next` appears as
the next question of a form that the user walks."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where the dock stands; `since` is when this phase began, `typed` and `heard` the last keys elsewhere and here."""

    phase: Phase = "empty"
    since: float = 0.0
    typed: float = NEVER
    heard: float = NEVER

    @property
    def open(self) -> bool:
        """Whether the sheet stands on the screen, listening or not."""
        return self.phase in ("deaf", "next", "armed", "sent")

    def arrived(self, now: float) -> Arrival:
        """A question came. One that waits or is open already is not disturbed (E12)."""
        if self.phase != "empty":
            return self
        if now - self.typed < SILENCE:
            return self._to("hesitating", now)
        return self.opened(now)

    def noted_typing(self, now: float) -> Arrival:
        """The user typed in the composer."""
        return replace(self, typed=now)

    def noted_key(self, now: float) -> Arrival:
        """A key came while a sheet is open."""
        return replace(self, heard=now)

    def opened(self, now: float) -> Arrival:
        """A sheet opens, by itself, by the user's key or as the next in the queue: each has its own guard."""
        return self._to("deaf", now)

    def followed(self, now: float) -> Arrival:
        """The next question of a form appears: no arrival, keys that come meanwhile are kept for it (Z13)."""
        return self._to("next", now)

    def armed(self, now: float) -> Arrival:
        """It is there, and takes keys at once."""
        return self._to("armed", now)

    def wished(self, now: float) -> Arrival:
        """The user asked for one that came only now: it opens when they do not type, though others are folded."""
        if self.open:
            return self
        return self._to("hesitating", now) if now - self.typed < SILENCE else self.opened(now)

    def folded(self, now: float) -> Arrival:
        """The user folded it."""
        return self._to("folded", now)

    def sent(self, now: float) -> Arrival:
        """An answer is on its way; nothing answers twice."""
        return self._to("sent", now)

    def emptied(self, now: float) -> Arrival:
        """No question waits any more."""
        return self._to("empty", now)

    def at(self, now: float) -> Arrival:
        """What the passing of time alone makes of it. Entering `held` is when to ring."""
        if self.phase == "hesitating":
            silent, patient = self.typed + SILENCE, self.since + PATIENCE
            if now >= silent and silent <= patient:
                return self.opened(now)
            if now >= patient:
                return self._to("held", now)
        if self.phase == "deaf" and now - self.since >= DEAF and now - self._last_key >= QUIET:
            return self._to("armed", now)
        return self

    @property
    def due(self) -> float | None:
        """When `at` should be asked again, None when time changes nothing."""
        if self.phase == "hesitating":
            return min(self.typed + SILENCE, self.since + PATIENCE)
        if self.phase == "deaf":
            return max(self.since + DEAF, self._last_key + QUIET)
        return None

    def listens(self, pressed: float) -> bool:
        """Whether a key of that time may answer: one that was pressed before the sheet showed itself armed may not."""
        return self.phase == "armed" and pressed >= self.since

    @property
    def _last_key(self) -> float:
        return max(self.heard, self.typed)

    def _to(self, phase: Phase, now: float) -> Arrival:
        return replace(self, phase=phase, since=now)


@dataclass(frozen=True, slots=True)
class Guard:
    """What a single key or click must get past besides the phase (E11)."""

    key: str = ""
    at: float = NEVER
    paste: float = NEVER
    focus: float = NEVER

    def pressed(self, key: str, now: float) -> tuple[Guard, bool]:
        """The guard after a key, and whether that key may answer."""
        repeats = key == self.key and now - self.at < REPEAT
        return replace(self, key=key, at=now), not repeats and now - self.paste >= AFTER_PASTE

    def pasted(self, now: float) -> Guard:
        return replace(self, paste=now)

    def focused(self, now: float) -> Guard:
        """The terminal's window got the focus."""
        return replace(self, focus=now)

    def click_counts(self, down: float) -> bool:
        """Whether a click whose button went down at that time may answer."""
        return down - self.focus >= FOCUS_CLICK
