"""Messages beside the text of `query`: decisions made instead of the user's, and tool activity (E40, E42, R139).

By default a terminal shows what a reviewing model decides, since a person can take over; with `--plain` also every call
and all other automatic decisions. Nothing of it goes to standard output.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation import events as stored
from jp_tui.conversation.reading import read_event
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Words
from jp_tui.headless.review_progress import ReviewProgress
from jp_tui.headless.transcript_printer import Printer
from jp_tui.link.port import Link
from jp_tui.protocol import events as e


class SideOutput:
    """`lines` is the terminal, None without one; `say` prints a message, `clock` counts seconds."""

    def __init__(
        self,
        link: Link,
        lines: Lines | None,
        say: Callable[[str], None],
        clock: Callable[[], float],
        *,
        asking: Callable[[], bool],
    ) -> None:
        self._lines, self._say = lines, say
        typed = lines is not None and lines.source.typed
        self.reviews = ReviewProgress(link, say, clock, typed=typed, asking=asking)
        self._printer = Printer(say, self.reviews.took)
        self._silent = Printer(lambda text: None)  # knows who declined what when nothing else is printed

    @property
    def listens(self) -> bool:
        """True if lines are expected though no question is open."""
        return self.reviews.listens and self._lines is not None and not self._lines.source.gone

    def print_event(self, event: e.Event, *, everything: bool) -> None:
        """Print an event; `everything`, or only reviews. Raises OSError."""
        match event:
            case e.ReviewStarted():
                self.reviews.started(event)
            case e.QuestionSettled():
                self.reviews.remove_settled(event)
            case e.TurnCompleted():
                self.reviews.over()
            case e.CallChanged() if everything or event.end == "declined":
                self._printer.call(event)
            case e.EventAppended(stored=one):
                self.reviews.fact(one)
                match read_event(one.event):
                    case stored.InquiryRequest():
                        self._printer.fact(event)
                    case stored.InquiryAnswered() | stored.InquiryCancelled() | stored.InquiryRedacted() as response:
                        by = response.responder if not isinstance(response, stored.InquiryRedacted) else None
                        if everything or (by is not None and by.kind == "assistant"):
                            self._printer.fact(event)
                    case stored.ToolCallRequest() | stored.ToolCallResponse():
                        self._printer.fact(event)
                    case _:
                        pass
            case _:
                pass

    def declined(self, event: e.Event) -> None:
        """Tell only that a call was declined, and by whom (Z15). Raises OSError."""
        match event:
            case e.EventAppended():
                self._silent.fact(event)
            case e.CallChanged(end="declined"):
                self._say(self._silent.ended(event))
            case _:
                pass

    def typed(self) -> None:
        """Process lines without an open question: one may take over a review. Raises OSError."""
        assert self._lines is not None
        while (burst := self._lines.burst()) is not None:
            if isinstance(burst, Words):
                self._say(burst.text)
            elif len(burst) > 1 or not self.reviews.handle_line(burst[0]):
                self.reviews.again()
