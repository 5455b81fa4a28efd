"""When somebody is called who does not look, and when not (asking.md E50): at most once a second, never twice for the
same, never for what is over at once.

Fed with times of any monotonic clock, in seconds; refuses to read one, to send anything, or to know what a question
says. `due` tells when to look again; at rest it is None, so that nothing ticks. Nothing here ends a question (E13).
"""

from __future__ import annotations

from dataclasses import dataclass, field

Key = tuple[str, str]
"""A conversation and an inquiry in it."""

MOMENT = 0.4
"""Seconds that something must have waited: what is over by then was answered by itself, or withdrawn."""
PAUSE = 1.0
"""Seconds between two calls."""
AWAY = 15.0
"""Seconds without a key after which nobody is taken to be there, where the terminal does not report its focus."""
NEVER = float("-inf")
TURN: Key = ("", "")
"""Stands for the end of a turn."""


@dataclass(slots=True)
class Presence:
    """Whether somebody looks. `always`: nobody is taken to; `reports`: the terminal tells its focus; `touched`: the
    last key or click."""

    always: bool = False
    reports: bool = False
    focused: bool = True
    touched: float = NEVER

    def key(self, now: float) -> None:
        """A key or a click, which a terminal without the focus does not get."""
        self.touched, self.focused = now, True

    def told(self, focused: bool) -> None:
        """The terminal reported its focus."""
        self.reports, self.focused = True, focused

    def missed(self, since: float) -> float | None:
        """From when on something that came at `since` is missed; None when it is seen."""
        if self.always:
            return since
        if self.reports:
            return None if self.focused else since
        return None if self.touched > since else max(since, self.touched + AWAY)


@dataclass(slots=True)
class Pace:
    """What waits and was not told yet, and what was."""

    presence: Presence = field(default_factory=Presence)
    last: float = NEVER
    untold: dict[Key, float] = field(default_factory=dict)
    known: set[Key] = field(default_factory=set)

    def asked(self, key: Key, now: float) -> None:
        """A question waits for the human. The same one, asked anew or shown again, is no other."""
        if key not in self.known:
            self.known.add(key)
            self.untold[key] = now

    def settled(self, key: Key) -> None:
        """It no longer waits, whoever answered."""
        self.known.discard(key)
        self.untold.pop(key, None)

    def comes_due(self, key: Key, now: float) -> None:
        """A question that was put off waits again: that is told, although it was told before."""
        self.known.add(key)
        self.untold[key] = now

    def turn_ended(self, now: float) -> None:
        self.untold[TURN] = now

    def turn_started(self) -> None:
        """What the one before came to is no news any more."""
        self.untold.pop(TURN, None)

    @property
    def due(self) -> float | None:
        """When `take` should be asked again; None when time changes nothing."""
        if not self.untold:
            return None
        return max(self._moment(min(self.untold.values())), self.last + PAUSE)  # what came first is due first

    def _moment(self, since: float) -> float:
        missed = self.presence.missed(since)
        return max(since + MOMENT, NEVER if missed is None else missed)

    def take(self, now: float) -> list[Key]:
        """What somebody is to be called for now, all at once, oldest first; what was seen is forgotten."""
        found: list[Key] = []
        for key, since in list(self.untold.items()):
            if now < self._moment(since):
                continue
            if self.presence.missed(since) is None:
                del self.untold[key]
            elif now >= self.last + PAUSE:
                found.append(key)
        for key in found:
            del self.untold[key]
        if found:
            self.last = now
        return found
