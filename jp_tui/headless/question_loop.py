"""The questions that wait for the human, asked one at a time on lines, oldest first (inquiries.md R99, R116).

The next is asked only when it is known what became of the one before. It keeps no answer and decides nothing: what
is typed becomes one AnswerQuestion with the digest of what was shown (R235).
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.side_question import SideQuestionLines
from jp_tui.headless.forms.steps import AskedAside, Response, SentAlong, TakesOver
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn, PromptRequest
from jp_tui.questions.types import SchemaAnswer
from jp_tui.view.questions.outcome_line import RESPONDERS
from jp_tui.view.wording import questions as w

HOW = {"answered": "answered", "redacted": "answered", "cancelled": "cancelled", "withdrawn": "withdrawn"}
NOT_REVIEWED = "No reviewer is deciding that now."
BY = {**RESPONDERS, "user": "by the user"}


class QuestionLoop:
    """`lines` is None when nobody can be asked; then questions are only kept in mind. `take_over` takes what a reviewer
    decides, by its number; False when there is none such."""

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
        self._revision = 0
        self._ending = False
        self.aside = SideQuestionLines(link, lines)

    @property
    def waiting(self) -> list[PromptRequest]:
        """What waits, oldest first."""
        return list(self._waiting.values())

    @property
    def asking(self) -> bool:
        """Whether a question is shown that is not answered yet."""
        return self._shown is not None and not self._sent

    @property
    def listens(self) -> bool:
        """Whether lines are wanted for it now: not while something is said aside."""
        return self.asking and not self.aside.busy

    @property
    def due(self) -> bool:
        """Whether a question waits to be shown, and nothing is asked or on its way."""
        return bool(self._waiting) and self._shown is None and not self._ending

    # --- what the engine says -----------------------------------------------------------------------------

    def asked(self, prompt: PromptRequest) -> None:
        self._waiting[prompt.inquiry] = prompt

    def settled(self, event: e.QuestionSettled) -> None:
        """It no longer waits; when it was open here, that is said (E53)."""
        limited = self._shown is not None and self._shown.deadline_secs is not None
        if limited and event.how == "cancelled" and event.by != "user":
            self._gone(event.inquiry, f"This question is closed: {w.TIME_OVER}.")
            return
        by = f" ({BY.get(event.by, event.by)})" if event.by else ""
        self._gone(event.inquiry, f"This question is closed: it was {HOW[event.how]} elsewhere{by}.")

    def refused(self, event: e.AnswerRefused) -> None:
        """An answer of ours was not taken; the question goes on, unless it is gone."""
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
        """What is wrong with it is asked for field by field."""
        if self._shown is not None and self._answer is not None:
            self._revision += 1
            prompt, value = self._shown, self._answer.value
            self._link.send(
                c.CheckAnswer(
                    conversation=prompt.conversation, inquiry=prompt.inquiry, revision=self._revision, value=value
                )
            )

    def checked(self, event: e.AnswerChecked) -> None:
        """The verdict on the answer that was not taken. Raises OSError."""
        ours = self._shown is not None and event.inquiry == self._shown.inquiry and event.revision == self._revision
        if ours and self.asking and self._lines is not None:
            self._lines.checked(event.problems)

    def heard(self, event: e.AnswerChecked | e.AsideDelta | e.AsideEnded) -> None:
        """What comes of what was wished beside an answer. Raises OSError."""
        if isinstance(event, e.AnswerChecked):
            self.checked(event)
        else:
            self.aside.heard(event)

    def ends(self) -> None:
        """The human ended the turn: what waits goes with it, and nothing of it is shown any more (R180)."""
        self._ending = True

    def over(self) -> None:
        """The turn has ended; what is asked now is of another."""
        self._ending = False

    def _gone(self, inquiry: str, words: str) -> None:
        self._waiting.pop(inquiry, None)
        if self._shown is None or self._shown.inquiry != inquiry:
            return
        self.aside.gone()
        if self.asking and self._lines is not None:
            self._lines.leave(words)
        self._shown, self._sent = None, ""

    # --- what the human says ------------------------------------------------------------------------------

    def present(self) -> None:
        """Show the oldest that waits. Raises OSError."""
        if self.due and self._lines is not None:
            self._shown = next(iter(self._waiting.values()))
            self._lines.show(self._shown, len(self._waiting) - 1)

    def take(self) -> bool:
        """Use the lines that came; False at the end of input, which answers nothing: the question stays open (Z9).
        Raises OSError."""
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
        if response is not None:
            self._send(response)
        return True

    def end_turn(self) -> None:
        """Two Ctrl-C: the turn ends, with every question of it (R180, R248)."""
        if self._shown is not None and self._lines is not None:
            self.aside.gone()
            self._lines.leave()
            self._send(EndTurn())

    def leave(self) -> None:
        """Nothing is asked any more; what waits stays open."""
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
