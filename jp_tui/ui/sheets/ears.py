"""The one place that hears every key, paste and click of a sheet first, and says whether it may answer (E10, E11).

Whichever widget Textual gave the key to, it comes here in the same breath, so no key can be meant for one and heard
by another (traps.md T5). Knows no queue and shows nothing; what a deaf sheet hears it hands on as overheard.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Vertical

from jp_tui.ui.keys import bound
from jp_tui.ui.sheets.messages import NEW_LINE, PAGING, READING
from jp_tui.view.questions.arming import Arrival, Guard

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

_KEPT = frozenset({"enter", "escape", "ctrl+c", "tab", "shift+tab", "backspace", "delete", *NEW_LINE})
"""Keys that a deaf sheet lets act on nothing, besides what is text."""
BURST = 0.012
"""Seconds within which no person presses two keys: what comes so close is a paste without its marks (E11)."""
HOLD = 0.03
"""Seconds for which an answer by a key waits for more of the same burst before it leaves."""


class Ears(Vertical):
    """Hears for the open sheet. It is the `Gate` of sheets and fields."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._arrival, self._guard = Arrival(), Guard()
        self._heard: events.Event | None = None
        self._real = clock is monotonic  # a clock that tests step says nothing of how close two keys were
        self._begun_writing = False
        self._told = False
        self._by_key: events.Key | None = None  # the last that happened, unless it was a click
        self._down = float("-inf")

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self._window_focused, init=False)

    # What a subclass supplies

    def shown(self) -> Sheet | None:
        """The sheet that stands open."""
        raise NotImplementedError

    @property
    def full(self) -> bool:
        """Whether the sheet has the whole screen, so that there is no conversation to page in."""
        return self.screen.maximized is self

    def overheard(self, text: str, key: str = "") -> None:
        """Something was typed that is not for the sheet."""
        raise NotImplementedError

    def recall(self, sheet: Sheet) -> None:
        """What a sheet has just answered is not to leave, if it did not yet."""
        raise NotImplementedError

    def taken_back(self) -> None:
        """What came was no answer: the sheet is deaf again, as when it opened."""
        raise NotImplementedError

    def noted(self, arrival: Arrival) -> None:
        """A key moved the moment from which the sheet listens."""
        raise NotImplementedError

    # The gate

    def key(self, event: events.Key) -> bool:
        """Hear a key; says whether it is used up. One that bubbles up was heard before."""
        if event is self._heard:
            return False
        self._heard = event
        before, self._by_key = self._by_key, event
        now, sheet = self._time(event), self.shown()
        burst = self._joins(event, before, now, sheet)
        self._guard, fresh = self._guard.pressed(event.key, now)
        if burst and before is not None and sheet is not None and sheet.writing is None:
            self._not_meant(before, sheet)
            if self._arrival.phase == "armed":  # who pasted elsewhere goes on typing there: Enter is not for us
                self.taken_back()
            return self._overhear(event, now, sheet)
        fresh = fresh and not burst
        if own := bound(self).get(event.key):
            getattr(self, f"action_{own[0].action}")()
            return True
        if sheet is None:
            return False
        if self.full and event.key in PAGING:
            sheet.run_here(PAGING[event.key])
            return True
        if self._arrival.listens(now) and not sheet.cramped:
            return sheet.press(event, now, fresh=fresh)
        return self._overhear(event, now, sheet)

    def _joins(self, event: events.Key, before: events.Key | None, now: float, sheet: Sheet | None) -> bool:
        """Whether a key belongs to a burst of text that began outside a field: such a one answers nothing (E11).

        Keys that are no text may come together: a slow line brings what was pressed one after the other.
        """
        text = before is not None and _is_text(before) and _is_text(event)
        close = self._real and text and 0 <= now - self._guard.at < BURST
        if not close:
            self._begun_writing = sheet is not None and sheet.writing is not None
            self._told = False
        return close and not self._begun_writing

    def _not_meant(self, before: events.Key, sheet: Sheet) -> None:
        """The key before this one began a paste: what it answered does not leave, and its text is not lost."""
        sheet.begin(False)  # nor does what waits for a verdict
        if sheet.done:
            self.recall(sheet)
        if not self._told:
            self._told = True
            self.overheard(before.character if before.is_printable and before.character else "")

    def paste(self, event: events.Paste) -> bool:
        """Hear a paste: it never answers. A field that is written in takes it, a deaf sheet hands it on."""
        if event is self._heard:
            return True
        self._heard = event
        now, sheet = self._time(event), self.shown()
        self._guard = self._guard.pasted(now)
        if sheet is None or not self._arrival.listens(now) or sheet.cramped:
            self.overheard(event.text)
            return True
        if sheet.writing is not None:
            return False
        sheet.pasted(event.text)
        return True

    def click(self) -> bool:
        """Whether the click that is being handled may answer: by when its button went down."""
        self._by_key = None
        return self._arrival.listens(self._down) and self._guard.click_counts(self._down)

    def _overhear(self, event: events.Key, now: float, sheet: Sheet) -> bool:
        """A key before the sheet listens: read on by it, or pass it to the composer; nothing else."""
        self.noted(self._arrival.noted_key(now))
        action = READING.get(event.key)
        if action is not None:
            sheet.run_here(action)
        elif event.key in NEW_LINE:
            self.overheard("\n")
        elif event.is_printable and event.character:
            self.overheard(event.character)
        elif event.key in ("backspace", "delete"):
            self.overheard("", event.key)
        else:
            return event.key in _KEPT or sheet.binds(event.key)
        return True

    def pressed(self, event: events.MouseDown) -> None:
        """Hear a button go down; the sheet says it, since the click may be handled before this bubbles to the dock."""
        self._down = self._time(event)

    def _window_focused(self, focused: bool) -> None:
        if focused:
            self._guard = self._guard.focused(self._clock())

    def _time(self, event: events.Event) -> float:
        """When it happened, not when it is handled: a stalled screen must not make an old key a new one."""
        return event.time if self._real else self._clock()


def _is_text(event: events.Key) -> bool:
    return event.is_printable or event.key == "enter" or event.key in NEW_LINE
