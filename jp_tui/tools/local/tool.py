"""Local tool: any executable named in the configuration (inquiries.md R82, R83, R90; issue 4, item 7).

It runs in the workspace's root with its values in the command line or on stdin, and returns JSON or plain text. It can
print a question and is run again from the start with the answers. Processes it leaves are ended with it, and with
jp-tui. Its source is always `tool` (R18), whatever it prints.
"""

from __future__ import annotations

import asyncio
import errno

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.conversation.text import first_line, shortened
from jp_tui.settings.layers.bounds import MOST_FORMAT_SECS
from jp_tui.system.children import ChildExit, ChildProblem, run
from jp_tui.tools.local.output import KEPT, end_reason, failed, outcome
from jp_tui.tools.local.parameters import BadArguments, checked_arguments, refusal
from jp_tui.tools.local.spec import LocalSpec, ProgramCommand
from jp_tui.tools.local.templates import BadTemplate, rendered, values
from jp_tui.tools.port import NeedsInput, Outcome, RenderFailed, ToolCall

_TITLE = 200


class NotStarted(Exception):
    """The command couldn't be started; one sentence."""


class LocalTool:
    """The tool; see `jp_tui.tools.port.Tool`."""

    def __init__(self, spec: LocalSpec) -> None:
        self.spec = spec

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the first declared parameter that is given as text."""
        texts = (arguments.get(name) for name in self.spec.parameters)
        return next((line[:_TITLE] for text in texts if isinstance(text, str) and (line := first_line(text))), "")

    async def run(self, call: ToolCall) -> Outcome:
        spec = self.spec
        try:
            arguments = checked_arguments(spec.parameters, call.arguments)
        except BadArguments as problem:
            return Failure(refusal(spec.name, str(problem)))
        try:
            done = await self._execute(spec.command, "run", arguments, call, spec.timeout_secs)
        except NotStarted as problem:
            return failed(spec.name, "", "", str(problem))
        return outcome(spec.name, done, spec.timeout_secs)

    async def _execute(
        self, command: ProgramCommand, action: str, arguments: JsonObject, call: ToolCall, timeout: float
    ) -> ChildExit:
        """Render and run the command. Raises NotStarted."""
        try:
            made = await rendered(command, values(self.spec.name, action, arguments, self.spec.access, call))
        except BadTemplate as problem:
            raise NotStarted(f"the command in the configuration does not work: {problem}") from None
        cancel = asyncio.Event()
        call.cancel.then(cancel.set)
        try:
            return await run(
                made.argv,
                cwd=call.root,
                stdin=made.stdin,
                timeout=timeout,
                output_limit=KEPT,
                flood=KEPT,
                cancel=cancel,
                leashed=True,
                lets_go=True,
            )
        except ChildProblem as problem:
            raise NotStarted(f"{problem}{_advice(problem)}") from None


class FormattedTool(LocalTool):
    """Local tool with a command that formats its arguments; see `jp_tui.tools.port.Formats`."""

    def __init__(self, spec: LocalSpec, command: ProgramCommand) -> None:
        super().__init__(spec)
        self._command = command

    async def render(self, call: ToolCall) -> str:
        """Return the command's output. Invalid arguments, which the tool would refuse anyway, are shown as JSON without
        running it."""
        try:
            arguments = checked_arguments(self.spec.parameters, call.arguments)
        except BadArguments:
            return dump(call.arguments)
        timeout = min(MOST_FORMAT_SECS, self.spec.timeout_secs)
        try:
            done = await self._execute(self._command, "format_arguments", arguments, call, timeout)
        except NotStarted as problem:
            raise RenderFailed(str(problem)) from None
        found = outcome(self.spec.name, done, timeout)
        if isinstance(found, Success):
            return found.content
        if isinstance(found, NeedsInput):
            raise RenderFailed("it asked a question, which a formatter cannot")
        said = (
            end_reason(done, timeout) or first_line(done.stderr.decode("utf-8", "replace")) or first_line(found.message)
        )
        raise RenderFailed(shortened(said, 500))


def _advice(problem: ChildProblem) -> str:
    cause = problem.__cause__
    if isinstance(cause, OSError) and cause.errno == errno.E2BIG:
        return "; arguments this long have to be given through `stdin`"
    return ""
