"""Side questions in lines: a question to a model about the open prompt, and the reply (asking.md E30).

The reply is shown line by line, behind a bar. The prompt stays open and nothing written here answers it; no line is
read meanwhile, so none is mistaken for an answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.neutral import Sanitizer
from jp_tui.conversation.reading import read_event
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import AskedAside, SentAlong, quoted
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import PromptRequest, StoredEvent
from jp_tui.view.questions.side_questions import sends
from jp_tui.view.wording.server_errors import server_error_lines

COMMANDS = ("ask_aside", "send_aside")
ASKING = "Side question sent. The question stays open."
KEPT = "End of the side question. `:a` sends it to the model after the results."
HUSHED = "The rest isn't read out."
ALONG = {True: "The side question is sent to the model after the results.", False: "It isn't sent."}


class SideQuestionLines:
    """At most one side question at a time, about the prompt that is shown."""

    def __init__(self, link: Link, lines: Lines | None) -> None:
        self._link, self._lines = link, lines
        self._about = ""
        self._wishing = False
        self._sanitizer, self._rest = Sanitizer(), ""

    @property
    def busy(self) -> bool:
        """True while the last request runs."""
        return bool(self._about)

    # Requests

    def wish(self, prompt: PromptRequest, wish: AskedAside | SentAlong) -> None:
        """Ask a side question, or send the talk to the model with the results, or not. Raises OSError."""
        self._about, self._wishing = prompt.inquiry, not isinstance(wish, AskedAside)
        self._sanitizer, self._rest = Sanitizer(), ""
        conversation, inquiry = prompt.conversation, prompt.inquiry
        if isinstance(wish, AskedAside):
            self._tell(ASKING)
            self._link.send(c.AskAside(conversation=conversation, inquiry=inquiry, text=wish.text))
        else:
            self._link.send(c.SendAside(conversation=conversation, inquiry=inquiry, send=wish.send))

    def hide(self) -> None:
        """Stop showing the reply; the log keeps it. Raises OSError."""
        if self.busy:
            self._about = ""
            self._tell(HUSHED)

    def gone(self) -> None:
        """Note that the prompt closed."""
        self._about = ""

    # Events of the engine

    def handle(self, event: e.AsideDelta | e.AsideEnded) -> None:
        """Show more of the reply, or its end. Raises OSError."""
        if event.inquiry != self._about or self._wishing:
            return
        if isinstance(event, e.AsideDelta):
            self._tell(*self._whole(self._sanitizer.feed(event.text.raw)))
            return
        self._tell(*self._whole(self._sanitizer.finish()), *([quoted(self._rest)] if self._rest else []))
        if event.error is None:
            self._over(KEPT)
        else:
            self._over(
                event.error.message, *server_error_lines(event.error.detail, event.conversation), event.error.advice
            )

    def _whole(self, text: str) -> Iterator[str]:
        *whole, self._rest = (self._rest + text).split("\n")
        return map(quoted, whole)

    def fact(self, one: StoredEvent) -> None:
        """Handle a stored event: the exchanges are sent with the results, or not. Raises OSError."""
        if not (self.busy and self._wishing):
            return
        event = read_event(one.event)
        wish = sends(event) if isinstance(event, Unknown) else None
        if wish is not None and wish[0] == self._about:
            self._over(ALONG[wish[1]])

    def refused(self, event: e.Refused) -> bool:
        """Show why such a request failed. Return False for any other. Raises OSError."""
        if event.command not in COMMANDS:
            return False
        if self.busy:
            self._over(event.message, event.advice)
        return True

    def _over(self, *texts: str) -> None:
        self._about = ""
        self._tell(*texts)
        if self._lines is not None:
            self._lines.resume()

    def _tell(self, *texts: str) -> None:
        if self._lines is not None:
            self._lines.tell(*(text for text in texts if text))
