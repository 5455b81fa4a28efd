"""State of the turn in plain mode: whether it runs, which prompts wait for its end, and the last result (R207).

An unfinished turn is expected to resume after its conversation opens: until then no line counts as a prompt. No prompt
is lost: a refused one is returned. Prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jp_tui.headless.output import FAILED
from jp_tui.headless.query import DEFERRED, DONE
from jp_tui.headless.unanswered import cut_off
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.view.wording.server_errors import server_error_lines

RESUMES_SECONDS = 5.0
"""Time in which an unfinished turn resumes, if it does."""
_ENDS = {"done": DONE, "interrupted": DONE, "failed": FAILED, "deferred": DEFERRED}


@dataclass(frozen=True, slots=True)
class TypedPrompt:
    """A prompt; `command`: it may be an own command (context.md K50)."""

    text: str
    command: bool = False


class Turns:
    """`queue` are prompts to send; `last` is the exit status of the last turn; `clock` counts seconds."""

    def __init__(self, link: Link, clock: Callable[[], float]) -> None:
        self._link, self._clock = link, clock
        self.running = False
        self.queue: list[TypedPrompt] = []
        self.last = DONE
        self._resuming = False
        self._expected: float | None = None
        self._sent = TypedPrompt("")

    @property
    def busy(self) -> bool:
        """True if a turn runs, or is about to resume."""
        return self.running or self._expected is not None

    @property
    def timeout(self) -> float | None:
        """Return how long to wait for an expected turn, in seconds; None: no limit."""
        if self._expected is None or self.running:
            return None
        left = self._expected - self._clock()
        if left <= 0:
            self._expected = None
        return max(left, 0)

    def opened(self, event: e.ConversationOpened) -> None:
        if not event.held_by and cut_off(event.page):
            self._expected = self._clock() + RESUMES_SECONDS

    def send(self, conversation: str, prompt: TypedPrompt) -> None:
        """Send a prompt to the model."""
        self.running, self._sent = True, prompt
        self._link.send(c.StartTurn(conversation=conversation, text=prompt.text, command=prompt.command))

    def started(self, event: e.TurnStarted) -> None:
        self.running, self._resuming, self._expected = True, event.resumed, None

    def completed(self, event: e.TurnCompleted) -> list[str]:
        """Return the prompts that aren't sent, because this turn failed."""
        self.running = self._resuming = False
        self.last = _ENDS[event.outcome]
        given_back = [] if event.outcome == "done" else [one.text for one in self.queue]
        if given_back:
            self.queue.clear()
        return given_back

    def refused(self, event: e.Refused) -> str:
        """Handle a refused prompt: it waits for a resumed turn, or is returned."""
        if self._resuming:
            self.queue.insert(0, self._sent)
            return ""
        self.running = False
        self.last = DEFERRED if event.pending else FAILED
        return self._sent.text


def words(event: e.TurnCompleted, waits: Iterable[str], given_back: Iterable[str]) -> Iterable[str]:
    """Return the lines about the abnormal end of a turn."""
    if event.error is not None:
        yield event.error.message
        yield from server_error_lines(event.error.detail, event.conversation)
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
