"""Commands of the user's own between the composer, their panel and the engine. A part of `Exchange`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.composer.above import Above
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.shell_panel import ShellPanel
from jp_tui.view.composer.shell import Ran, ended, told

if TYPE_CHECKING:
    from textual.widget import Widget

    _Part = Widget
else:
    _Part = object


class ShellRuns(_Part):
    """One command at a time, and the panel of the last one."""

    above: Above
    _composer: Composer
    _send: Callable[[cmd.Command], None]
    _run = 0

    @property
    def _panel(self) -> ShellPanel:
        return self.above.query_one(ShellPanel)

    def run_shell(self, line: str) -> bool:
        """Start it; false while another runs."""
        if self._composer.shell == "runs":
            return False
        self._run += 1
        self._composer.shell = "runs"
        self._panel.begin(line)
        self._send(cmd.RunShell(run=self._run, line=line))
        return True

    def leave_shell(self) -> None:
        """End what runs; close the panel of what ended."""
        if self._composer.shell == "runs":
            self._send(cmd.StopShell(run=self._run))
        else:
            self._composer.shell = ""
            self._panel.end(None)

    def add_output(self) -> None:
        """To what is written, as a mark that stands for it."""
        ran = self._panel.ran
        if ran is not None and ran.ended:
            self._composer.add_output(told(ran))
            self.leave_shell()

    def shell_said(self, event: ev.ShellOutput | ev.ShellEnded) -> None:
        """What the engine reports of it."""
        if event.run != self._run:
            return
        if isinstance(event, ev.ShellOutput):
            self._panel.more(event.text.raw)
            return
        how, good = ended(status=event.status, signal=event.signal, problem=event.problem, stopped=event.stopped)
        line = self._panel.ran.line if self._panel.ran is not None else ""
        self._panel.end(Ran(line=line, text=event.text.raw, ended=how, good=good, ms=event.ms))
        self._composer.shell = "ended"

    def shell_refused(self, why: str) -> None:
        """It was not started."""
        if self._composer.shell == "runs" and self._panel.ran is not None:
            self._panel.end(Ran(line=self._panel.ran.line, ended=why))
            self._composer.shell = "ended"
