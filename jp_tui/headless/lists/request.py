"""One command and the one event that answers it, for commands that only look something up (surface S1).

A failure is said on stderr and becomes an exit status in one place. It never opens a conversation for work.
"""

from __future__ import annotations

from typing import TypeVar

from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.base import Model

USAGE = 2
E = TypeVar("E", bound=Model)
_TROUBLE = (e.Refused, e.StorageFailed, e.EngineFailed)


class NoAnswer(Exception):
    """What came instead, as an exit status; it was said already, except for what `quiet` was asked for."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status, self.message = status, message


def ask(link: Link, command: c.Command, kind: type[E], output: TextOutput, *, quiet: bool = False) -> E:
    """The answer to `command`; raises NoAnswer. The link must have been started."""
    link.send(command)
    while True:
        link.wait()
        for event in link.collect():
            if isinstance(event, kind):
                return event
            heed(event, output)
            if isinstance(event, _TROUBLE):
                if not quiet:
                    output.tell(f"jp-tui: {event.message}")
                    output.tell(getattr(event, "advice", ""))
                raise NoAnswer(status_of(event), event.message)


def heed(event: e.Event, output: TextOutput) -> None:
    """Tell people what happened to the store."""
    if isinstance(event, e.StorageNotice):
        output.tell(f"jp-tui: {event.message}")
        if event.advice:
            output.tell(event.advice)


def status_of(event: e.Event) -> int:
    """How a command ends that got this instead of its answer: 2 for what was asked wrongly, 1 for what failed (Z20)."""
    return USAGE if isinstance(event, e.Refused) and not event.storage else FAILED
