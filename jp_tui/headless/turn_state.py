"""Whether a turn runs in a plain conversation, which prompts wait for its end, and what became of the last (R207).

A turn that was cut off is expected to go on as soon as its conversation is opened: until it does, no line is taken
for a prompt. No prompt is lost: one that was not taken comes back. It says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jp_tui.headless.output import FAILED
from jp_tui.headless.query import DEFERRED, DONE
from jp_tui.headless.unanswered import cut_off
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.wording.server_errors import server_said

RESUMES_SECONDS = 5.0
"""How soon a turn that was cut off goes on, if it does."""
_ENDS = {"done": DONE, "interrupted": DONE, "failed": FAILED, "deferred": DEFERRED}


class Turns:
    """`queue` are prompts to be sent; `last` the exit status that the last turn stands for; `clock` counts seconds."""

    def __init__(self, link: Link, clock: Callable[[], float]) -> None:
        self._link, self._clock = link, clock
        self.running = False
        self.queue: list[str] = []
        self.last = DONE
        self._resuming = False
        self._expected: float | None = None
        self._sent = ""

    @property
    def busy(self) -> bool:
        """Whether a turn runs, or is about to go on."""
        return self.running or self._expected is not None

    @property
    def patience(self) -> float | None:
        """How long to wait for a turn that is expected to go on, in seconds; None: for ever."""
        if self._expected is None or self.running:
            return None
        left = self._expected - self._clock()
        if left <= 0:
            self._expected = None
        return max(left, 0)

    def opened(self, event: e.ConversationOpened) -> None:
        if not event.held_by and cut_off(event.page):
            self._expected = self._clock() + RESUMES_SECONDS

    def send(self, conversation: str, text: str) -> None:
        """Say it to the model."""
        self.running, self._sent = True, text
        self._link.send(c.StartTurn(conversation=conversation, text=text))

    def started(self, event: e.TurnStarted) -> None:
        self.running, self._resuming, self._expected = True, event.resumed, None

    def completed(self, event: e.TurnCompleted) -> list[str]:
        """The prompts that are not sent, since this turn did not end well."""
        self.running = self._resuming = False
        self.last = _ENDS[event.outcome]
        given_back = [] if event.outcome == "done" else self.queue[:]
        if given_back:
            self.queue.clear()
        return given_back

    def refused(self, event: e.Refused) -> str:
        """A prompt was not taken: it waits for the turn that goes on first, or comes back, and is the answer."""
        if self._resuming:
            self.queue.insert(0, self._sent)
            return ""
        self.running = False
        self.last = DEFERRED if event.pending else FAILED
        return self._sent


def words(event: e.TurnCompleted, waits: Iterable[str], given_back: Iterable[str]) -> Iterable[str]:
    """What is said at the end of a turn that did not just end."""
    if event.error is not None:
        yield event.error.message
        yield from server_said(event.error.detail, event.conversation)
        yield event.error.advice
    if event.outcome == "interrupted":
        yield "The turn was interrupted."
    if event.outcome == "deferred":
        yield from waits
    if back := list(given_back):
        yield "Not sent, because the turn failed. Enter it again if you still want to send it:"
        yield from back
    if event.returned:
        yield "No reply. This message wasn't added:"
        yield event.returned
