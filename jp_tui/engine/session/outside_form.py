"""`ask_user` for another program (intake.md N30): its questions one after the other, then the result of the tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.outside import OutsideQuestion
from jp_tui.protocol.events import Event
from jp_tui.protocol.outside import AskOutsideForm, OutsideFormSettled, OutsideSettled
from jp_tui.questions.types import BooleanAnswer, GivenAnswer, Question
from jp_tui.tools.ask_user import AskUser
from jp_tui.tools.port import FormLeft, NeedsInput, ToolCall

NOT_ANSWERED = {
    "timed_out": "Nobody answered in time.",
    "withdrawn": "The question was withdrawn.",
    "failed": "The question could not be asked.",
}


class OutsideForm:
    """One call of `ask_user`. `run` reports each question and the end."""

    def __init__(self, setup: EngineDependencies, checks: Checks, publish: Callable[[Event], None]) -> None:
        self._setup, self._checks, self._publish = setup, checks, publish
        self._question: OutsideQuestion | None = None
        self._ends: list[OutsideSettled] = []
        self._stops = False

    async def run(self, command: AskOutsideForm) -> None:
        """Ask, and report OutsideFormSettled. Raises JournalError."""
        answers: dict[str, GivenAnswer] = {}
        left: FormLeft | None = None
        explained: list[str] = []
        while True:
            call = ToolCall(
                command.arguments, self._setup.workspace, answers=answers, replied=left, usable=self._checks.usable
            )
            match await AskUser().run(call):
                case NeedsInput(question=question):
                    acts = isinstance(question.answer_type, BooleanAnswer)
                    settled = await self._ask(command, replace(question, exclusive=False, acts=acts))
                    if settled.outcome == "answered":
                        answers[question.id] = GivenAnswer(settled.answer, "")
                        explained += [settled.reason] if settled.reason else []
                    elif settled.outcome == "declined":
                        left = FormLeft(settled.reason or None)
                    else:
                        self._end(command, settled.reason or NOT_ANSWERED[settled.outcome], failed=True)
                        return
                case Success(content=content):
                    self._end(command, content, explained=explained)
                    return
                case Failure(message=message):
                    self._end(command, message, failed=True)
                    return
                case other:
                    raise AssertionError(other)

    async def withdraw(self) -> None:
        """The asker ends: close the question that is open (N6). Raises JournalError."""
        self._stops = True
        if self._question is not None:
            await self._question.withdraw()

    async def _ask(self, command: AskOutsideForm, question: Question) -> OutsideSettled:
        if self._stops:
            return OutsideSettled(outcome="withdrawn")
        self._question = OutsideQuestion(self._setup, self._checks, self._hear)
        await self._question.ask_question(question, command)
        return self._ends.pop()

    def _hear(self, event: Event) -> None:
        if isinstance(event, OutsideSettled):
            self._ends.append(event)
        else:
            self._publish(event)

    def _end(self, command: AskOutsideForm, text: str, *, failed: bool = False, explained: Sequence[str] = ()) -> None:
        self._publish(OutsideFormSettled(asking=command.asking, text=text, failed=failed, explained=tuple(explained)))
