"""The user's own commands, typed at the composer: run by their shell, in the workspace.

No model and no workspace file can start one, and output isn't sent to a model automatically. There is no terminal, so
programs that need one fail. One runs at a time, and none outlasts the engine.
"""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Callable

from jp_tui.conversation.text import Foreign
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.composing import RunShell, ShellEnded, ShellOutput, StopShell
from jp_tui.system.children import ChildProblem, run

KEPT = 1 << 20
"""Bytes of output that are kept, the beginning and the end."""
FLOOD = 256 << 20
"""Bytes of output after which a command is ended."""
EVERY = 0.1
"""Seconds between two reports of output; smooth to the eye."""
AT_ONCE = 16_000
"""Maximum characters of a report: earlier output of that interval is in the final text, if kept."""


def desk(context: DeskContext) -> Desk:
    """Serves `!` commands. Its cancelled task releases everything."""
    shell = _Shell(context)
    return Desk(beside={RunShell: shell.run, StopShell: shell.stop})


class _Shell:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._running: tuple[int, asyncio.Event] | None = None

    async def stop(self, command: StopShell) -> None:
        if self._running is not None and self._running[0] == command.run:
            self._running[1].set()

    async def run(self, command: RunShell) -> None:
        """Raises ValueError while another command runs."""
        if self._running is not None:
            raise ValueError("Another command is running. Press Esc to stop it.")
        self._running = command.run, asyncio.Event()
        try:
            self._context.publish(await self._run(command, self._running[1]))
        finally:
            self._running = None

    async def _run(self, command: RunShell, stop: asyncio.Event) -> ShellEnded:
        said = _Said(lambda text: self._context.publish(ShellOutput(run=command.run, text=Foreign(text))))
        # both outputs merged to keep their order; the line itself is an argument, never part of a script
        argv = ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', _shell(), command.line]
        environment = {**os.environ, "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"}
        try:
            done = await run(
                argv,
                cwd=self._context.setup.workspace,
                output_limit=KEPT,
                flood=FLOOD,
                env_extra=environment,
                cancel=stop,
                heard=said.feed,
                leashed=True,
                lets_go=True,
            )
        except (ChildProblem, ValueError) as trouble:
            return ShellEnded(run=command.run, problem=str(trouble))
        finally:
            said.close()
        problem = f"its output exceeded {FLOOD >> 20} MiB" if done.flooded else ""
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        return ShellEnded(
            run=command.run,
            status=done.status,
            signal=done.signal,
            problem=problem,
            stopped=done.cancelled,
            text=Foreign(text),
            dropped=done.dropped,
            ms=done.ms,
        )


def _shell() -> str:
    """Return the user's shell, if it is executable."""
    shell = os.environ.get("SHELL", "")
    return shell if os.path.isabs(shell) and os.access(shell, os.X_OK) else "/bin/sh"


class _Said:
    """Output since the last report, at most 10 reports per second."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> None:
        self._text = (self._text + self._decoder.decode(data))[-AT_ONCE:]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(EVERY, self._report)

    def _report(self) -> None:
        self._timer = None
        text, self._text = self._text, ""
        if text:
            self._tell(text)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
