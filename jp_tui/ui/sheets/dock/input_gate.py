"""The first stop of every key, paste and click in a sheet: it decides whether one may answer (E10, E11).

Whichever widget Textual gave a key to, it is handled here at once, so that no key is meant for one widget and handled
by another (traps.md T5). Has no queue and shows nothing; input that a sheet ignores is passed on to the composer.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from textual import events

from jp_tui.ui.sheets.messages import NEW_LINE, PAGING, READING
from jp_tui.view.questions.arming import Arrival, Guard

if TYPE_CHECKING:  # a sheet is loaded with the first question
    from jp_tui.ui.sheets.sheet import Sheet

_KEPT = frozenset({"enter", "escape", "ctrl+c", "tab", "shift+tab", "backspace", "delete", *NEW_LINE})
"""Keys besides text that have no effect while a sheet ignores keys."""
KEPT = 256
"""Keys that are kept at most while the next question of a form appears."""
BURST = 0.012
"""Seconds within which no person presses two keys: a shorter gap means a paste without paste brackets (E11)."""


class GatedDock(Protocol):
    """The part of the dock that the gate needs."""

    @property
    def arrival(self) -> Arrival: ...

    @property
    def full(self) -> bool:
        """True if the sheet has the whole screen."""
        ...

    def shown(self) -> Sheet | None:
        """Return the sheet that is open."""
        ...

    @property
    def walking(self) -> bool:
        """True between an answer in a form and the next question: keys are kept for that (Z13)."""
        ...

    def run_own(self, key: str) -> bool:
        """Run a key's action in the dock itself. Return False if it has none there."""
        ...

    def recall(self, sheet: Sheet) -> None:
        """Revoke the answer that a sheet has just given, if it was not sent yet."""
        ...

    def ignore_keys(self) -> None:
        """Ignore keys again, as when the sheet opened."""
        ...

    def noted(self, arrival: Arrival) -> None:
        """Take a later state of the same phase."""
        ...

    def pass_to_composer(self, text: str, key: str = "") -> None:
        """Pass text, or an editing key without text, to the composer."""
        ...


class DockInputGate:
    """The `InputGate` of all sheets and fields."""

    def __init__(self, dock: GatedDock, clock: Callable[[], float]) -> None:
        self._dock, self._clock = dock, clock
        self._guard = Guard()
        self._heard: events.Event | None = None
        self._real = clock is monotonic  # a clock that tests step doesn't measure the gap between two keys
        self._begun_writing = False
        self._passed_on = False  # the composer has the first key of the burst
        self._last: events.Key | None = None  # the last key, unless a click followed
        self._down = float("-inf")
        self._kept: list[tuple[events.Key, bool]] = []  # for a form's next question; True: it may answer

    @property
    def by_key(self) -> bool:
        """True if the last input was a key, as far as the clock can tell."""
        return self._real and self._last is not None

    # The gate

    def key(self, event: events.Key) -> bool:
        """Handle a key. Return True if it is used up. One that bubbles up was handled before."""
        if event is self._heard:
            return False
        self._heard = event
        before, self._last = self._last, event
        now, sheet = self._time(event), self._dock.shown()
        burst = self._joins(event, before, now, sheet)
        self._guard, fresh = self._guard.pressed(event.key, now)
        if burst and self._kept and self._dock.walking:  # a paste into a form: it is kept, and answers nothing
            self._kept[-1] = self._kept[-1][0], False
            self._kept.append((event, False))
            return True
        if burst and before is not None and sheet is not None and sheet.writing is None:
            self._not_meant(before, sheet)
            if self._dock.arrival.phase == "armed":  # a paste elsewhere continues there: Enter isn't for the sheet
                self._dock.ignore_keys()
            return self._handle_ignored_key(event, now, sheet)
        fresh = fresh and not burst
        if self._dock.run_own(event.key):
            return True
        if self._dock.walking:
            if len(self._kept) < KEPT:
                self._kept.append((event, fresh))
            return True
        self.drop_kept()
        if sheet is None:
            return False
        if self._dock.full and event.key in PAGING:
            sheet.run(PAGING[event.key])
            return True
        if self._dock.arrival.listens(now) and not sheet.cramped:
            return sheet.press_key(event, now, fresh=fresh)
        return self._handle_ignored_key(event, now, sheet)

    def replay(self) -> None:
        """Give the keys that were kept to the next question of the form, in order, up to one that answers it."""
        while self._kept and not self._dock.walking:
            sheet = self._dock.shown()
            if sheet is None or sheet.done:
                self.drop_kept()
                return
            event, fresh = self._kept.pop(0)
            if not sheet.press_key(event, self._time(event), fresh=fresh) and sheet.writing is not None:
                sheet.writing.edit_with(event)

    def drop_kept(self) -> None:
        """Forget the keys that were kept: no question follows, and they weren't meant for the composer (Z13)."""
        self._kept.clear()

    def _joins(self, event: events.Key, before: events.Key | None, now: float, sheet: Sheet | None) -> bool:
        """Return True if a key belongs to a burst of text that began outside a field: it answers nothing (E11).

        Keys without text may come together: a slow line delivers separate presses at once.
        """
        text = before is not None and _is_text(before) and _is_text(event)
        close = self._real and text and 0 <= now - self._guard.at < BURST
        if not close:
            self._begun_writing = sheet is not None and sheet.writing is not None
            self._passed_on = False
        return close and not self._begun_writing

    def _not_meant(self, before: events.Key, sheet: Sheet) -> None:
        """Undo the key before this one, which began a paste: its answer does not leave, and its text is not lost."""
        sheet.begin(False)  # an answer that waits for a check isn't sent either
        if sheet.done:
            self._dock.recall(sheet)
        if not self._passed_on:
            self._passed_on = True
            self._dock.pass_to_composer(before.character if before.is_printable and before.character else "")

    def paste(self, event: events.Paste) -> bool:
        """Handle a paste: it never answers. The field in use gets it, else a sheet that ignores keys passes it on.
        Return True if it is used up."""
        if event is self._heard:
            return True
        self._heard = event
        now, sheet = self._time(event), self._dock.shown()
        self._guard = self._guard.pasted(now)
        if sheet is None or not self._dock.arrival.listens(now) or sheet.cramped:
            self._dock.pass_to_composer(event.text)
            return True
        if sheet.writing is not None:
            return False
        sheet.pasted(event.text)
        return True

    def click(self) -> bool:
        """Return True if the click at hand may answer: by when its button went down."""
        self._last = None
        return self._dock.arrival.listens(self._down) and self._guard.click_counts(self._down)

    def _handle_ignored_key(self, event: events.Key, now: float, sheet: Sheet) -> bool:
        """Handle a key that the sheet ignores: scroll by it, or pass it to the composer; nothing else."""
        self._dock.noted(self._dock.arrival.noted_key(now))
        action = READING.get(event.key)
        if action is not None:
            sheet.run(action)
        elif event.key in NEW_LINE:
            self._dock.pass_to_composer("\n")
        elif event.is_printable and event.character:
            self._dock.pass_to_composer(event.character)
        elif event.key in ("backspace", "delete"):
            self._dock.pass_to_composer("", event.key)
        else:
            return event.key in _KEPT or sheet.binds(event.key)
        return True

    def pressed(self, event: events.MouseDown) -> None:
        """Note a button that goes down; the sheet reports it, since the click may be handled before this bubbles to
        the dock."""
        self._down = self._time(event)

    def window_focused(self, focused: bool) -> None:
        """Note that the terminal got the focus: the click that gave it answers nothing (E11)."""
        if focused:
            self._guard = self._guard.focused(self._clock())

    def _time(self, event: events.Event) -> float:
        """Return when it happened, not when it is handled: a stalled screen must not make an old key a new one."""
        return event.time if self._real else self._clock()


def _is_text(event: events.Key) -> bool:
    return event.is_printable or event.key == "enter" or event.key in NEW_LINE
