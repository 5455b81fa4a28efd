"""The user's shell commands (`!`): runs one at a time in the engine and shows its output in the panel."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.shell_panel import ShellPanel
from jp_tui.view.composer.shell import Ran, describe_end, output_message


class ShellCommands:
    """The command that runs, or the last one, whose panel is open."""

    def __init__(self, *, composer: Composer, panel: ShellPanel, send: Callable[[cmd.Command], None]) -> None:
        self._composer, self._panel, self._send = composer, panel, send
        self._run = 0

    def run(self, line: str) -> bool:
        """Start a command. Return False while another one runs."""
        if self._composer.shell == "runs":
            return False
        self._run += 1
        self._composer.shell = "runs"
        self._panel.begin(line)
        self._send(cmd.RunShell(run=self._run, line=line))
        return True

    def leave(self) -> None:
        """Stop the command that runs, or close the panel of one that ended."""
        if self._composer.shell == "runs":
            self._send(cmd.StopShell(run=self._run))
        else:
            self._composer.shell = ""
            self._panel.end(None)

    def insert_output(self) -> None:
        """Insert the output of the command that ended into the message and close the panel."""
        ran = self._panel.ran
        if ran is not None and ran.ended:
            self._composer.add_output(output_message(ran))
            self.leave()

    def apply(self, event: ev.ShellOutput | ev.ShellEnded) -> None:
        """Show the engine's reports of the command; reports of earlier ones are ignored."""
        if event.run != self._run:
            return
        if isinstance(event, ev.ShellOutput):
            self._panel.more(event.text.raw)
            return
        how, good = describe_end(status=event.status, signal=event.signal, problem=event.problem, stopped=event.stopped)
        line = self._panel.ran.line if self._panel.ran is not None else ""
        self._panel.end(Ran(line=line, text=event.text.raw, ended=how, good=good, ms=event.ms))
        self._composer.shell = "ended"

    def refused(self, why: str) -> None:
        """Show in the panel why the command was not started."""
        if self._composer.shell == "runs" and self._panel.ran is not None:
            self._panel.end(Ran(line=self._panel.ran.line, ended=why))
            self._composer.shell = "ended"
