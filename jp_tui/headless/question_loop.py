"""Waiting questions asked one at a time in lines, oldest first (inquiries.md R99, R116).

The next is asked only after the previous one's result is known. It stores no answer and decides nothing: input becomes
one AnswerQuestion with the digest of what was shown (R235).
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.side_question import SideQuestionLines
from jp_tui.headless.forms.steps import AskedAside, Response, SentAlong, TakesOver
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn, PromptRequest
from jp_tui.questions.types import SchemaAnswer
from jp_tui.view.questions.outcome_line import RESPONDERS
from jp_tui.view.questions.people import LOOKED_AT, people_line
from jp_tui.view.wording import questions as w

HOW = {"answered": "answered", "redacted": "answered", "cancelled": "cancelled", "withdrawn": "withdrawn"}
NOT_REVIEWED = "No reviewer is deciding that now."
BY = {**RESPONDERS, "user": "by the user"}


class QuestionLoop:
    """`lines` is None if no one can be asked; questions are then only recorded. `take_over` decides a reviewer's
    question by its number; it returns False for an unknown one."""

    def __init__(
        self,
        link: Link,
        lines: Lines | None,
        *,
        take_over: Callable[[str], bool] = lambda number: False,
    ) -> None:
        self._link, self._lines, self._take_over = link, lines, take_over
        self._waiting: dict[str, PromptRequest] = {}
        self._shown: PromptRequest | None = None
        self._sent = ""
        self._answer: Answered | None = None
        self._overrides = ""
        """Whose claim the next answer overrides."""
        self._revision = 0
        self._ending = False
        self.aside = SideQuestionLines(link, lines)

    @property
    def waiting(self) -> list[PromptRequest]:
        """Return the waiting questions, oldest first."""
        return list(self._waiting.values())

    @property
    def asking(self) -> bool:
        """True if a shown question is unanswered."""
        return self._shown is not None and not self._sent

    @property
    def listens(self) -> bool:
        """True if it expects lines now: not during a side question."""
        return self.asking and not self.aside.busy

    @property
    def due(self) -> bool:
        """True if a question waits to be shown, and none is open or being sent."""
        return bool(self._waiting) and self._shown is None and not self._ending

    # --- events of the engine ---------------------------------------------------------------------------------

    def asked(self, prompt: PromptRequest) -> None:
        self._waiting[prompt.inquiry] = prompt

    def changed(self, event: e.PromptChanged) -> None:
        """Update which people a question asks; print that if it is open here. Raises OSError."""
        before = self._waiting.get(event.inquiry)
        if before is None:
            return
        told = {"to": event.to, "claimed_by": event.claimed_by, "approvals": event.approvals, "yours": event.yours}
        now = self._waiting[event.inquiry] = before.model_copy(update={**told, "why": event.why or before.why})
        if self._shown is not None and self._shown.inquiry == event.inquiry:
            self._shown = now
            if self.asking and self._lines is not None and (said := people_line(now)):
                self._lines.tell(neutralise(said, "line"))

    def remove_settled(self, event: e.QuestionSettled) -> None:
        """Remove a closed question; print that if it was open here (E53)."""
        limited = self._shown is not None and self._shown.deadline_secs is not None
        if limited and event.how == "cancelled" and event.by != "user":
            self._gone(event.inquiry, f"This question is closed: {w.TIME_OVER}.")
            return
        by = f" ({BY.get(event.by, event.by)})" if event.by else ""
        self._gone(event.inquiry, f"This question is closed: it was {HOW[event.how]} elsewhere{by}.")

    def refused(self, event: e.AnswerRefused) -> None:
        """Handle a refused answer; the question continues, unless it is closed."""
        if self._sent == event.inquiry:
            self._ending = False
        if event.gone:
            if self._sent == event.inquiry:
                self._sent = ""
            self._gone(event.inquiry, f"This question is closed: {event.reason}")
        elif self._sent == event.inquiry:
            self._sent = ""
            if self._lines is not None:
                self._lines.again(event.reason)
                self._check()

    def _check(self) -> None:
        """Request the problems by field."""
        if self._shown is not None and self._answer is not None:
            self._revision += 1
            prompt, value = self._shown, self._answer.value
            self._link.send(
                c.CheckAnswer(
                    conversation=prompt.conversation, inquiry=prompt.inquiry, revision=self._revision, value=value
                )
            )

    def checked(self, event: e.AnswerChecked) -> None:
        """Handle the verdict on a refused answer. Raises OSError."""
        ours = self._shown is not None and event.inquiry == self._shown.inquiry and event.revision == self._revision
        if ours and self.asking and self._lines is not None:
            self._lines.checked(event.problems)

    def handle(self, event: e.AnswerChecked | e.AsideDelta | e.AsideEnded) -> None:
        """Handle results of requests other than an answer. Raises OSError."""
        if isinstance(event, e.AnswerChecked):
            self.checked(event)
        else:
            self.aside.handle(event)

    def ends(self) -> None:
        """The user ended the turn: its questions close without further display (R180)."""
        self._ending = True

    def over(self) -> None:
        """The turn ended; later questions belong to another."""
        self._ending = False

    def _gone(self, inquiry: str, words: str) -> None:
        self._waiting.pop(inquiry, None)
        if self._shown is None or self._shown.inquiry != inquiry:
            return
        self.aside.gone()
        if self.asking and self._lines is not None:
            self._lines.leave(words)
        self._shown, self._sent = None, ""

    # --- input of the user ------------------------------------------------------------------------------------

    def present(self) -> None:
        """Show the oldest waiting question. Raises OSError."""
        if self.due and self._lines is not None:
            self._shown = next(iter(self._waiting.values()))
            self._overrides = ""
            self._lines.show(self._shown, len(self._waiting) - 1)

    def read_lines(self) -> bool:
        """Process the received lines. Return False at the end of input, which answers nothing: the question stays open
        (Z9). Raises OSError."""
        lines = self._lines
        if lines is None or self._shown is None:
            return True
        response = lines.take()
        if isinstance(response, TakesOver):
            if not self._take_over(response.number):
                lines.tell(NOT_REVIEWED)
            lines.resume()
            return True
        if isinstance(response, AskedAside | SentAlong):
            self.aside.wish(self._shown, response)
            return True
        if response is None and (lines.source.gone or lines.source.over):
            lines.leave()
            return False
        if isinstance(response, Answered) and (words := self._looked_at()):
            lines.again(words)
        elif response is not None:
            self._send(response)
        return True

    def _looked_at(self) -> str:
        """Return what to say before the first answer to a question at which another person looks (store.md D16)."""
        prompt = self._shown
        if prompt is None or not (prompt.claimed_by and prompt.yours) or self._overrides == prompt.claimed_by:
            return ""
        self._overrides = prompt.claimed_by
        return neutralise(LOOKED_AT.format(who=prompt.claimed_by), "line")

    def end_turn(self) -> None:
        """End the turn with all its questions, after two Ctrl+C (R180, R248)."""
        if self._shown is not None and self._lines is not None:
            self.aside.gone()
            self._lines.leave()
            self._send(EndTurn())

    def leave(self) -> None:
        """Stop asking; waiting questions stay open."""
        if self._lines is not None:
            self._lines.leave()
        self.aside.gone()
        self._shown, self._sent = None, ""

    def _send(self, response: Response) -> None:
        assert self._shown is not None
        prompt = self._shown
        self._sent = prompt.inquiry
        schema = isinstance(prompt.question.answer_type, SchemaAnswer)
        self._answer = response if schema and isinstance(response, Answered) else None
        if isinstance(response, EndTurn):
            self.ends()
        command = c.AnswerQuestion(
            conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
        )
        self._link.send(command)
