"""The tool calls of one cycle: run at the same time, committed in the order of the requests (inquiries.md R95).

Every call ends up with exactly one response, whatever happens (R102). It never asks anybody: questions go to the
coordinator, which says how to go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jp_tui.conversation.events import ToolCallResponse
from jp_tui.conversation.model import Call
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.text import Foreign
from jp_tui.engine.coordinator import Asking, Coordinator
from jp_tui.engine.log import Log
from jp_tui.engine.setup import ToolSetup
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import CallChanged
from jp_tui.protocol.values import CallEnd, CallState
from jp_tui.tools.port import Cancel, Given, NeedsInput, Replied, Tool, ToolCall

Ending = Literal["go_on", "stop", "end_turn", "deferred", "restart"]
UNFINISHED = "Turn ended by the user before this tool call completed."
"""M32."""
# A later, milder choice never downgrades an earlier, stronger one (R214).
STRENGTH: dict[Ending, int] = {"go_on": 0, "deferred": 0, "restart": 1, "stop": 2, "end_turn": 3}


@dataclass(frozen=True, slots=True)
class Done:
    """The response of a call; `end` says how for the sidebar."""

    content: str
    is_error: bool
    end: CallEnd


class Deferred(Exception):
    """The call's question stays open for later (R230)."""


def with_words(message: str) -> str:
    """M37."""
    return f"Tool run cancelled by user with a custom message:\n\n{message}"


class Batch:
    """Runs `calls`; `refused` are those that must not run, with what is wrong (traps.md T20)."""

    def __init__(
        self,
        log: Log,
        coordinator: Coordinator,
        root: Path,
        calls: Sequence[Call],
        order: Sequence[str],
        refused: Sequence[tuple[str, str, str]] = (),
    ) -> None:
        self._log, self._coordinator, self._root = log, coordinator, root
        self._calls, self._order = list(calls), list(order)
        self._names = {call.id: call.name for call in calls} | {id_: name for id_, name, _ in refused}
        self._done: dict[str, Done] = {}
        self._ms: dict[str, int] = {}
        self._deferred: set[str] = set()
        self._committed = 0
        self._tasks: dict[str, asyncio.Task[Done]] = {}
        self._cancels: dict[str, Cancel] = {}
        self._ending: Ending = "go_on"
        self._words = ""
        self._titles: dict[str, str] = {}
        for id_, name, problem in refused:
            self._done[id_] = Done(f"The call was not run: {problem}. Send it again, complete.", True, "error")
            self._say(id_, name, "completed", end="error")

    def stop(self, ending: Ending, words: str = "") -> None:
        """Call off what still runs (R211-R214); `words` go to the model for every unfinished call (R212)."""
        if STRENGTH[ending] < STRENGTH[self._ending]:
            return
        self._ending, self._words = ending, words or self._words
        for call, task in self._tasks.items():
            self._cancels[call].called = True
            task.cancel()

    async def run(self) -> Ending:
        """To the end of every call; facts are durable when this returns. Raises JournalError."""
        while True:
            self._start()
            try:
                await self._watch()
            except BaseException:
                for task in self._tasks.values():
                    task.cancel()
                raise
            if self._ending != "restart":
                break
            self._ending, self._words = "go_on", ""
        await self._coordinator.settle()
        await self._commit()
        return "deferred" if self._deferred and self._ending == "go_on" else self._ending

    def _start(self) -> None:
        for call in self._calls:
            if call.id in self._done:
                continue
            self._cancels[call.id] = Cancel()
            self._tasks[call.id] = asyncio.create_task(self._one(call))

    async def _watch(self) -> None:
        """Collect results as they come; commit what is at the head of the order."""
        waiting = dict(self._tasks)
        while waiting:
            done, _ = await asyncio.wait(waiting.values(), return_when=asyncio.FIRST_COMPLETED)
            for call, task in list(waiting.items()):
                if task in done:
                    del waiting[call]
                    self._collect(call, task)
            await self._commit()
        self._tasks.clear()

    def _collect(self, call: str, task: asyncio.Task[Done]) -> None:
        name = self._names[call]
        if task.cancelled():
            self._coordinator.gone(call)
            if self._ending == "restart":
                self._say(call, name, "queued")
                return
            self._done[call] = self._called_off(name)
        else:
            error = task.exception()
            if isinstance(error, Deferred):
                self._deferred.add(call)
                return
            if error is not None:
                raise error
            self._coordinator.gone(call)
            self._done[call] = task.result()
        self._say(call, name, "completed", end=self._done[call].end)

    def _called_off(self, name: str) -> Done:
        if self._ending == "end_turn":
            return Done(UNFINISHED, False, "cancelled")
        if self._words:
            return Done(with_words(self._words), False, "cancelled")
        tool = self._log.setup.tools.get(name)
        return Done(tool.cancellation if tool else UNFINISHED, False, "cancelled")

    async def _commit(self) -> None:
        """Append responses in request order; a deferred call does not hold back the others (R95)."""
        ready: list[ToolCallResponse] = []
        while self._committed < len(self._order):
            call = self._order[self._committed]
            if call not in self._deferred:
                if (done := self._done.get(call)) is None:
                    break
                extra = {"ms": self._ms[call]} if call in self._ms else {}
                ready.append(
                    ToolCallResponse(id=call, content=done.content, is_error=done.is_error, metadata={**extra})
                )
            self._committed += 1
        if ready:
            await self._coordinator.settle()
            await self._log.append(ready)

    async def _one(self, call: Call) -> Done:
        tools = self._log.setup.tools
        setup = tools.get(call.name)
        if setup is None:
            return Done(_unavailable(call.name), True, "error")
        if setup.tool is None:
            return Done(f"Tool not found: {call.name}", True, "error")
        if setup.run == "skip":
            return Done("Tool skipped by configuration.", False, "skipped")
        if setup.run != "unattended":
            return Done(_needs_approval(call.name, setup.run), True, "error")
        began = self._log.setup.monotonic()
        title = self._titles[call.id] = setup.tool.title(call.arguments)
        self._coordinator.begin(call.id, Asking(call.name, title, setup.hidden))
        try:
            return await self._until_done(call, setup, setup.tool)
        except (Deferred, JournalError):
            raise
        except Exception as bug:
            # A tool's bug ends its call, not the turn; errors that a tool expects come back as Failure.
            return Done(f"{call.name} failed unexpectedly ({type(bug).__name__}: {bug}).", True, "error")
        finally:
            self._ms[call.id] = int((self._log.setup.monotonic() - began) * 1000)

    async def _until_done(self, call: Call, setup: ToolSetup, tool: Tool) -> Done:
        """Execute, and again with each answer, until the tool is content (R97)."""
        answers: dict[str, Given] = {}
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
                    raised = v.QuestionRaised(call.id, question, tool.source, rule, setup.policy)
                    verdict = await self._coordinator.raise_question(raised)
                    match verdict:
                        case v.Complete(_, content, is_error):
                            return Done(content, is_error, "error" if is_error else "cancelled")
                        case v.Defer():
                            raise Deferred
                        case v.RunAgain():
                            answers = {
                                name: Given(given.value, given.digest, given.note, given.unseen)
                                for name, given in verdict.answers.items()
                            }
                            replied = Replied(verdict.reply) if verdict.replied else None

    def _say(self, call: str, name: str, state: CallState, *, end: CallEnd | None = None) -> None:
        setup = self._log.setup.tools.get(name)
        self._log.publish(
            CallChanged(
                conversation=self._log.id,
                turn=self._log.turn,
                call=call,
                tool=name,
                state=state,
                title=Foreign(self._titles.get(call, "")),
                hidden=setup is not None and setup.hidden,
                end=end,
                ms=self._ms.get(call),
            )
        )


def _notes(answers: dict[str, Given]) -> str:
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
