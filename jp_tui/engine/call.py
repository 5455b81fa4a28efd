"""One tool call from its start to its result: execute, ask what it needs to know, execute again (inquiries.md R97).

Whatever a tool does, its call ends with a result; only what concerns the whole turn (a log that cannot be written)
is raised. It commits nothing and shows nothing but the call's state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from jp_tui.conversation.model import Call
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.coordinator import Asking, Coordinator
from jp_tui.engine.log import Log
from jp_tui.engine.setup import ToolSetup
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError
from jp_tui.protocol.values import CallEnd, CallState
from jp_tui.tools.port import Cancel, Given, NeedsInput, Replied, Tool, ToolCall


@dataclass(frozen=True, slots=True)
class Done:
    """The response of a call; `end` says how for the sidebar."""

    content: str
    is_error: bool
    end: CallEnd


class Deferred(Exception):
    """The call's question stays open for later (R230)."""


class Runner:
    """Runs calls of one batch. `titles` and `ms` (milliseconds) are kept by call."""

    def __init__(
        self, log: Log, coordinator: Coordinator, root: Path, say: Callable[[str, str, CallState], None]
    ) -> None:
        self._log, self._coordinator, self._root, self._say = log, coordinator, root, say
        self._cancels: dict[str, Cancel] = {}
        self.titles: dict[str, str] = {}
        self.ms: dict[str, int] = {}

    def call_off(self, call: str) -> None:
        """Tell the tool between its steps; its task is cancelled by whoever holds it."""
        if (cancel := self._cancels.get(call)) is not None:
            cancel.called = True

    async def run(self, call: Call) -> Done:
        """The result. Raises Deferred, JournalError, and cancellation."""
        setup = self._log.setup.tools.get(call.name)
        if setup is None:
            return Done(_unavailable(call.name), True, "error")
        if setup.tool is None:
            return Done(f"Tool not found: {call.name}", True, "error")
        if setup.run == "skip":
            return Done("Tool skipped by configuration.", False, "skipped")
        if setup.run != "unattended":
            return Done(_needs_approval(call.name, setup.run), True, "error")
        began = self._log.setup.monotonic()
        self._cancels[call.id] = Cancel()
        try:
            title = self.titles[call.id] = setup.tool.title(call.arguments)
            self._coordinator.begin(call.id, Asking(call.name, title, setup.hidden))
            return await self._until_done(call, setup, setup.tool)
        except (Deferred, JournalError):
            raise
        except Exception as bug:
            # A tool's bug ends its call, not the turn; errors that a tool expects come back as Failure.
            return Done(f"{call.name} failed unexpectedly ({type(bug).__name__}: {bug}).", True, "error")
        finally:
            self.ms[call.id] = int((self._log.setup.monotonic() - began) * 1000)

    async def _until_done(self, call: Call, setup: ToolSetup, tool: Tool) -> Done:
        """Execute, and again with each answer, until the tool is content (R97)."""
        answers: Mapping[str, Given] = {}
        replied: Replied | None = None
        while True:
            self._say(call.id, call.name, "running")
            outcome = await tool.run(
                ToolCall(
                    arguments=call.arguments,
                    root=self._root,
                    answers=answers,
                    options=setup.options,
                    replied=replied,
                    cancel=self._cancels[call.id],
                )
            )
            match outcome:
                case Success(content):
                    return Done(content + _notes(answers), False, "ok")
                case Failure():
                    return Done(outcome.for_model() + _notes(answers), True, "error")
                case NeedsInput(question):
                    rule = setup.rules.get(question.id, v.Rule())
                    raised = v.QuestionRaised(call.id, question, tool.source, rule, setup.policies.tool)
                    verdict = await self._coordinator.raise_question(raised)
                    match verdict:
                        case s.Complete(_, content, is_error):
                            return Done(content, is_error, "error" if is_error else "cancelled")
                        case s.Defer():
                            raise Deferred
                        case s.RunAgain():
                            answers = verdict.answers
                            replied = Replied(verdict.reply) if verdict.replied else None
                case _:
                    assert_never(outcome)


def _notes(answers: Mapping[str, Given]) -> str:
    """A note that came with a yes is told to the model after the result (R182)."""
    notes = [given.note for given in answers.values() if given.note]
    return "".join(f"\n\nThe user added: {note}" for note in notes)


def _unavailable(name: str) -> str:
    """M31, without the original's doubled word."""
    return (
        f"Tool '{name}' is not available. It may have been available earlier in this conversation but is no longer "
        "enabled. Do not retry this tool until it is available again in the list of enabled tools."
    )


def _needs_approval(name: str, mode: str) -> str:
    """Fail closed: approval of the run itself (`run = "ask"`) is not built yet, so such a tool does not run."""
    return (
        f"Tool '{name}' was not run: it is configured with run = \"{mode}\", and this version cannot ask for that "
        "approval. Do not retry this tool call in this turn."
    )
