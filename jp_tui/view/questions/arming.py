"""Rules for opening a question and for keys that may answer it (asking.md E10, E11), as values with times as input.

A question never takes the focus by surprise: it waits for a pause in typing, ignores keys at first, and only then
accepts them. A paste, a repeated key and the click that focused the window never answer. Independent of clocks and
widgets: times are seconds of any monotonic clock, and `due` is the time of the next check.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

SILENCE = 1.0
"""Seconds without typing in the composer before a question opens (E10)."""
PATIENCE = 30.0
"""Seconds that a question waits for that pause; then it stays folded and notifies."""
DEAF = 0.5
"""Seconds for which an opened sheet ignores keys, longer than a reaction to the change."""
QUIET = 0.3
"""Seconds without any key before it accepts one."""
REPEAT = 0.08
"""The same key again within this time is a keyboard repeat."""
AFTER_PASTE = 0.05
"""Keys this soon after a paste belong to it: its end marker may be forged."""
FOCUS_CLICK = 0.2
"""A click this soon after the window got the focus was meant for the window."""

NEVER = float("-inf")

Phase = Literal["empty", "hesitating", "held", "folded", "deaf", "next", "armed", "sent"]
"""`held` has notified and stays folded, `folded` was done by the user, `sent` waits for the engine's reply, `next`
appears as the next question of the user's form."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """State of the dock; `since` is when this phase began, `typed` and `heard` the last keys elsewhere and here."""

    phase: Phase = "empty"
    since: float = 0.0
    typed: float = NEVER
    heard: float = NEVER

    @property
    def open(self) -> bool:
        """True if the sheet is visible, whether or not it accepts keys."""
        return self.phase in ("deaf", "next", "armed", "sent")

    def arrived(self, now: float) -> Arrival:
        """A question arrived. One that waits or is open isn't disturbed (E12)."""
        if self.phase != "empty":
            return self
        if now - self.typed < SILENCE:
            return self._to("hesitating", now)
        return self.opened(now)

    def stayed(self, now: float) -> Arrival:
        """A question arrived that opens only when the user asks for it (intake.md N6)."""
        return self._to("held", now) if self.phase == "empty" else self

    def noted_typing(self, now: float) -> Arrival:
        """The user typed in the composer."""
        return replace(self, typed=now)

    def noted_key(self, now: float) -> Arrival:
        """A key arrived while a sheet is open."""
        return replace(self, heard=now)

    def opened(self, now: float) -> Arrival:
        """A sheet opened: automatically, by a key or as the next in the queue; each is guarded."""
        return self._to("deaf", now)

    def followed(self, now: float) -> Arrival:
        """The next question of a form appears: no arrival, keys that come meanwhile are kept for it (Z13)."""
        return self._to("next", now)

    def armed(self) -> Arrival:
        """It is there, and takes keys at once, also those that were pressed while it appeared: all that come now were
        pressed after the answer before."""
        return self._to("armed", NEVER)

    def wished(self, now: float) -> Arrival:
        """The user asked for a question that arrived only now: it opens at the next pause, though others stay
        folded."""
        if self.open:
            return self
        return self._to("hesitating", now) if now - self.typed < SILENCE else self.opened(now)

    def folded(self, now: float) -> Arrival:
        """The user folded it."""
        return self._to("folded", now)

    def sent(self, now: float) -> Arrival:
        """An answer was sent; no second one is accepted."""
        return self._to("sent", now)

    def emptied(self, now: float) -> Arrival:
        """No question waits any more."""
        return self._to("empty", now)

    def at(self, now: float) -> Arrival:
        """Apply the passing of time. Entering `held` is the moment to notify."""
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
        """Return when to call `at` again, None if time changes nothing."""
        if self.phase == "hesitating":
            return min(self.typed + SILENCE, self.since + PATIENCE)
        if self.phase == "deaf":
            return max(self.since + DEAF, self._last_key + QUIET)
        return None

    def listens(self, pressed: float) -> bool:
        """True if a key pressed at that time may answer: one pressed before the sheet was shown as ready may not."""
        return self.phase == "armed" and pressed >= self.since

    @property
    def _last_key(self) -> float:
        return max(self.heard, self.typed)

    def _to(self, phase: Phase, now: float) -> Arrival:
        return replace(self, phase=phase, since=now)


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks for a single key or click besides the phase (E11)."""

    key: str = ""
    at: float = NEVER
    paste: float = NEVER
    focus: float = NEVER

    def pressed(self, key: str, now: float) -> tuple[Guard, bool]:
        """Return the guard after a key, and True if that key may answer."""
        repeats = key == self.key and now - self.at < REPEAT
        return replace(self, key=key, at=now), not repeats and now - self.paste >= AFTER_PASTE

    def pasted(self, now: float) -> Guard:
        return replace(self, paste=now)

    def focused(self, now: float) -> Guard:
        """The terminal's window got the focus."""
        return replace(self, focus=now)

    def click_counts(self, down: float) -> bool:
        """True if a click that began at that time may answer."""
        return down - self.focus >= FOCUS_CLICK
