"""Times of notifications for a user who looks elsewhere (asking.md E50): at most once a second, once for each question,
and not for a question that is closed at once.

Times are seconds of any monotonic clock, which the caller reads. `due` is the time of the next check; it is None at
rest, so that no timer runs. Nothing here sends anything or ends a question (E13).
"""

from __future__ import annotations

from dataclasses import dataclass, field

Key = tuple[str, str]
"""A conversation and an inquiry in it."""

MOMENT = 0.4
"""Seconds that a question must have waited. One closed before was answered automatically, or withdrawn."""
PAUSE = 1.0
"""Seconds between two notifications."""
AWAY = 15.0
"""Seconds without a key after which the user counts as away, if the terminal doesn't report its focus."""
NEVER = float("-inf")
TURN: Key = ("", "")
"""The key of a turn's end."""


@dataclass(slots=True)
class Presence:
    """The user's presence at the screen.

    `always`: count the user as away; `reports`: the terminal reports its focus; `last_input`: the last key or click.
    """

    always: bool = False
    reports: bool = False
    focused: bool = True
    last_input: float = NEVER

    def active(self, now: float) -> None:
        """Note a key or a click. A terminal without the focus doesn't get one."""
        self.last_input, self.focused = now, True

    def focus_reported(self, focused: bool) -> None:
        """Note a focus report of the terminal."""
        self.reports, self.focused = True, focused

    def missed(self, since: float) -> float | None:
        """Return the time from which on an event at `since` counts as missed; None if it is seen."""
        if self.always:
            return since
        if self.reports:
            return None if self.focused else since
        return None if self.last_input > since else max(since, self.last_input + AWAY)


@dataclass(slots=True)
class Schedule:
    """Questions and ended turns that a notification is due for. `known` questions got one or will get one."""

    presence: Presence = field(default_factory=Presence)
    last: float = NEVER
    pending: dict[Key, float] = field(default_factory=dict)
    known: set[Key] = field(default_factory=set)

    def asked(self, key: Key, now: float) -> None:
        """Note a question to the user. The same one, asked or shown again, counts once."""
        if key not in self.known:
            self.known.add(key)
            self.pending[key] = now

    def closed(self, key: Key) -> None:
        """Forget a closed question, whoever answered it."""
        self.known.discard(key)
        self.pending.pop(key, None)

    def asked_again(self, key: Key, now: float) -> None:
        """Note a question whose snooze is over, even if there was a notification before."""
        self.known.add(key)
        self.pending[key] = now

    def turn_ended(self, now: float) -> None:
        self.pending[TURN] = now

    def turn_started(self) -> None:
        """Forget the end of the turn before."""
        self.pending.pop(TURN, None)

    @property
    def due(self) -> float | None:
        """The time for the next `take_due`; None if time alone changes nothing."""
        if not self.pending:
            return None
        return max(self._moment(min(self.pending.values())), self.last + PAUSE)  # the first to come is the first due

    def _moment(self, since: float) -> float:
        missed = self.presence.missed(since)
        return max(since + MOMENT, NEVER if missed is None else missed)

    def take_due(self, now: float) -> list[Key]:
        """Return the keys of the next notification, oldest first. Forget those that were seen."""
        found: list[Key] = []
        for key, since in list(self.pending.items()):
            if now < self._moment(since):
                continue
            if self.presence.missed(since) is None:
                del self.pending[key]
            elif now >= self.last + PAUSE:
                found.append(key)
        for key in found:
            del self.pending[key]
        if found:
            self.last = now
        return found
