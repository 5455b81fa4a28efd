"""Which question the user wants to see: the next, a certain one, none for a while, several alike at once (E51, R117).

A question that was put off keeps its sheet and what was typed in it. One answer is given to several only when they
are the same to the letter, and only while the line above the sheet says so. It opens nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jp_tui.protocol.values import Answered, Delivered, EndTurn, Permitted, PromptRequest, Response
from jp_tui.ui.sheets.talking import Talking
from jp_tui.view.questions.arming import Arrival
from jp_tui.view.questions.queue import Key, key_of

FOR_ALL = (Answered, Permitted, Delivered)
"""What may be said to several at once: who leaves, replies or ends a turn does so for one."""


class Turning(Talking):
    """Turns to questions and away from them."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(clock=clock, id=id)
        self._along: set[Key] = set()
        self._reopens = False

    # What a subclass supplies

    def _open(self) -> None:
        """Open the current one."""
        raise NotImplementedError

    def _move(self, arrival: Arrival) -> None:
        """Into another phase."""
        raise NotImplementedError

    def enter(self, prompt: PromptRequest) -> None:
        """A question joins the queue."""
        raise NotImplementedError

    def after(self, visible: bool) -> None:
        """The queue lost one, which was `visible`: show what stands in its place."""
        raise NotImplementedError

    def schedule(self) -> None:
        """When to look at the clock again."""
        raise NotImplementedError

    def counted(self) -> None:
        """Say how many wait."""
        raise NotImplementedError

    # Many at once

    @contextmanager
    def together(self) -> Iterator[None]:
        """What happens inside is shown once, at its end: of a hundred questions that go none opens for a moment."""
        if self._holding:
            yield
            return
        before, self._holding = len(self._queue), True
        try:
            yield
        finally:
            self._holding = False
            reopens, self._reopens = self._reopens, False
            if reopens and self._queue.prompts:
                self._open()
            elif self._stale:
                self._show()
            self._stale = False
            self.schedule()
            if len(self._queue) != before:
                self.counted()

    # To one, and away from it

    def open_next(self) -> None:
        """The next question that waits, open; with one alone, that one."""
        if self._queue.prompts and (len(self._queue) > 1 or not self.open):
            self._alike = ()
            self._queue = self._queue.turned()
            self._open()

    def turn_to(self, key: Key, alike: tuple[Key, ...] = ()) -> bool:
        """That question, open, also one that was put off; with `alike` its answer is that of all of these. Says whether
        it waits here."""
        turned = self._queue.turned_to(key)
        if turned.current != key:
            return False
        self._queue, self._alike = turned, alike
        self._open()
        return True

    def wish(self, key: Key) -> bool:
        """The user asked for one that came only now: it opens as soon as it may. Never over another that stands open
        (E12); says whether it is the one that will be seen."""
        turned = self._queue.turned_to(key)
        if turned.current != key or (self.open and self._queue.current != key):
            return False
        self._queue = turned
        self._move(self._arrival.wished(self._clock()))
        return True

    def put_off(self, prompt: PromptRequest) -> bool:
        """Out of sight for a while; not one whose answer is on its way. Says whether it is."""
        key = key_of(prompt)
        sheet = self._sheets.get(key)
        if sheet is not None and sheet.done:
            return False
        if self._queue.get(key) is None:  # it was not to be seen yet
            self.enter(prompt)
        visible = self.open and key == self._queue.current
        self._queue = self._queue.put_off(key)
        self.after(visible)
        return True

    def bring_back(self, key: Key) -> None:
        """What was put off waits again, like one that came now (E10)."""
        back = self._queue.brought_back(key)
        if back is not self._queue:
            self._queue = back
            self._move(self._arrival.arrived(self._clock()))
            self.after(False)

    # Several at once

    def also(self, prompt: PromptRequest, response: Response) -> tuple[Key, ...]:
        """What else gets this answer, by the user's wish: asked of the same kind by the same tool, with one digest.
        What the end of the turn closes gets none."""
        alike, self._alike = self._alike, ()
        if isinstance(response, EndTurn):  # what it closes goes by the user's own word: that is no news
            self._along |= set(self._queue.others_of_turn(prompt))
        if key_of(prompt) not in alike or not isinstance(response, FOR_ALL):
            return ()
        waiting = (self._queue.get(key) for key in alike if key != key_of(prompt))
        found = tuple(key_of(one) for one in waiting if one is not None and _same(one, prompt))
        self._along |= set(found)
        return found


def _same(one: PromptRequest, other: PromptRequest) -> bool:
    return (one.kind, one.tool, one.digest) == (other.kind, other.tool, other.digest)
