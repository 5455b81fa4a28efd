"""Reviews in progress, in lines: their start, their progress, and how to take over (R139, R156).

Streamed text isn't printed, since it would disturb a screen reader: the reason is printed whole with the verdict, which
is a fact (`transcript_printer.py`). Decides nothing, and offers nothing without a keyboard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from jp_tui.conversation import events as stored
from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.reading import read_event
from jp_tui.headless.forms.steps import line, pick
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import StoredEvent
from jp_tui.view.wording.amounts import seconds, short_model

WORD = "t"
STILL = (5.0, 30.0)
"""Seconds after which progress is reported: first, and then at this interval."""


@dataclass(frozen=True, slots=True)
class ReviewInProgress:
    """One question at a reviewer; `due` is the next progress report, on the front end's clock."""

    conversation: str
    inquiry: str
    tool: str
    text: str
    model: str
    since: float
    due: float
    taken: bool = False

    @property
    def about(self) -> str:
        text = neutralise(self.text, "line")
        return f"{line(self.tool)}: {text}" if text else line(self.tool)


class Timed(Protocol):
    """Source of timed work."""

    @property
    def timeout(self) -> float | None:
        """Return the seconds until it is due; None: never."""


class ReviewProgress:
    """Running reviews, oldest first. `say` prints a line, `clock` counts seconds, `typed`: a person can type, `asking`:
    a question is shown, whose answers are typed."""

    def __init__(
        self,
        link: Link,
        say: Callable[[str], None],
        clock: Callable[[], float],
        *,
        typed: bool,
        asking: Callable[[], bool],
    ) -> None:
        self._link, self._say, self._clock, self._typed, self._asking = link, say, clock, typed, asking
        self._running: dict[str, ReviewInProgress] = {}
        self._texts: dict[str, str] = {}
        self._took: set[str] = set()

    @property
    def listens(self) -> bool:
        """True if a line may take over a review."""
        return self._typed and any(not one.taken for one in self._running.values())

    @property
    def timeout(self) -> float | None:
        """Return the seconds until the next report; None if there is none."""
        due = [one.due for one in self._running.values() if not one.taken]
        return max(min(due) - self._clock(), 0.0) if due else None

    # --- events of the engine ---------------------------------------------------------------------------------

    def started(self, event: e.ReviewStarted) -> None:
        """A model is asked, another one than before, or the same again."""
        now = self._clock()
        text = self._texts.get(event.inquiry, "")
        known = self._running.get(event.inquiry)
        since = known.since if known is not None else now
        self._running[event.inquiry] = one = ReviewInProgress(
            event.conversation, event.inquiry, event.tool, text, event.model, since, now + STILL[0]
        )
        again = "is asked again, with the assistant's intent" if event.again else "decides"
        self._say(f"{one.about} – reviewer {_model(one)} {again}.{self._offer(one)}")

    def fact(self, one: StoredEvent) -> None:
        """Handle a fact: a question that may go to a reviewer, or its end."""
        match read_event(one.event):
            case stored.InquiryRequest(id=id_, question=question):
                text = question.get("text")
                self._texts[id_] = text if isinstance(text, str) else ""
            case stored.InquiryAnswered(id=id_) | stored.InquiryCancelled(id=id_) | stored.InquiryRedacted(id=id_):
                self._texts.pop(id_, None)
                self._running.pop(id_, None)
            case _:
                pass

    def remove_settled(self, event: e.QuestionSettled) -> None:
        self._running.pop(event.inquiry, None)

    def refused(self, event: e.AnswerRefused) -> bool:
        """Return True if this refusal is of a late takeover."""
        one = self._running.get(event.inquiry)
        if one is None or not one.taken:
            return False
        if event.gone:
            del self._running[event.inquiry]
        else:
            self._running[event.inquiry] = replace(one, taken=False)
        self._took.discard(event.inquiry)
        self._say(f"Not taken over: {event.reason}")
        return True

    def over(self) -> None:
        """End every review with the turn."""
        self._running.clear()
        self._texts.clear()
        self._took.clear()

    def took(self, inquiry: str) -> bool:
        """Return True if it was taken over here; the user's question then follows."""
        return inquiry in self._took

    def tick(self) -> None:
        """Print the due progress reports."""
        now = self._clock()
        for one in list(self._running.values()):
            if one.due <= now and not one.taken:
                self._running[one.inquiry] = replace(one, due=now + STILL[1])
                took = seconds(now - one.since)
                self._say(f"{one.about} – reviewer {_model(one)} still decides, {took}.{self._offer(one)}")

    def again(self) -> None:
        """Print the running reviews again, and how to take over."""
        for one in self._running.values():
            if not one.taken:
                self._say(f"{one.about} – reviewer {_model(one)} decides.{self._offer(one)}")

    # --- input ------------------------------------------------------------------------------------------------

    def _offer(self, one: ReviewInProgress) -> str:
        if not self._typed:
            return ""
        waiting = [each.inquiry for each in self._running.values() if not each.taken]
        number = f" {waiting.index(one.inquiry) + 1}" if len(waiting) > 1 else ""
        return f" {':' if self._asking() else ''}{WORD}{number} and Enter to decide yourself."

    def handle_line(self, typed: str) -> bool:
        """Return True if the line takes over a review: `t`, or `t` and a number if there are several."""
        word, _, rest = typed.strip().partition(" ")
        return word in (WORD, f":{WORD}") and self.listens and self.take_over(rest)

    def take_over(self, rest: str) -> bool:
        """Take over the review with that number, the oldest without one; return False if there is none."""
        waiting = [one for one in self._running.values() if not one.taken]
        number = pick(rest.strip() or "1", len(waiting))
        if number is None:
            return False
        one = waiting[number - 1]
        self._running[one.inquiry] = replace(one, taken=True)
        self._took.add(one.inquiry)
        self._say(f"{one.about} – you decide.")
        self._link.send(c.TakeOver(conversation=one.conversation, inquiry=one.inquiry))
        return True


def soonest(*waits: Timed) -> float | None:
    """Return the shortest of these times in seconds; None: no limit."""
    found = [one.timeout for one in waits]
    return min((one for one in found if one is not None), default=None)


def _model(one: ReviewInProgress) -> str:
    return line(short_model(one.model)) or "unnamed"
