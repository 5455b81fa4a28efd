"""One command and the one event that replies to it, for lookups (surface S1).

A failure is printed on stderr and becomes an exit status in one place. Never opens a conversation for work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.base import Model
from jp_tui.view.wording.store import notice as store_notice

USAGE = 2
E = TypeVar("E", bound=Model)
P = ParamSpec("P")
S = TypeVar("S", e.ClaimSettled, e.OfferSettled)
_TROUBLE = (e.Refused, e.StorageFailed, e.EngineFailed)


class NoAnswer(Exception):
    """Another event came instead, as an exit status; already printed, except kinds in `quiet`."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status, self.message = status, message


def lookup(command: Callable[Concatenate[Link, P], int]) -> Callable[Concatenate[Link, P], int]:
    """Start the link before `command` and close it after it. NoAnswer becomes the exit status."""

    @wraps(command)
    def run(link: Link, /, *args: P.args, **kwargs: P.kwargs) -> int:
        link.start(lambda: None)
        try:
            return command(link, *args, **kwargs)
        except NoAnswer as trouble:
            return trouble.status
        finally:
            link.close(5.0)

    return run


def ask(
    link: Link,
    command: c.Command,
    kind: type[E],
    output: TextOutput,
    *,
    quiet: bool = False,
    progress: Callable[[e.Event], None] = lambda _: None,
) -> E:
    """Return the reply to `command`; `progress` gets the events before it. Raises NoAnswer. The link must have been
    started."""
    link.send(command)
    while True:
        link.wait()
        for event in link.collect():
            if isinstance(event, kind):
                return event
            progress(event)
            heed(event, output)
            if isinstance(event, _TROUBLE):
                if not quiet:
                    output.tell(f"jp-tui: {event.message}")
                    output.tell(getattr(event, "advice", ""))
                raise NoAnswer(status_of(event), event.message)


def ask_about(
    link: Link, inquiry: str, command: Callable[[str, str], c.Command], kind: type[S], output: TextOutput
) -> S:
    """Return the reply to `command(conversation, id)` for an inquiry named as ID or as CONVERSATION/ID.

    An id is the model's own text and may contain a slash, so both readings are tried. Raises NoAnswer.
    """
    conversation, slash, rest = inquiry.partition("/")
    if slash and conversation and rest:
        try:
            settled = ask(link, command(conversation, rest), kind, output, quiet=True)
        except NoAnswer as trouble:
            if trouble.status == FAILED:
                output.tell(f"jp-tui: {trouble}")
                raise
        else:
            if settled.status != "unknown":
                return settled
    return ask(link, command("", inquiry), kind, output)


def heed(event: e.Event, output: TextOutput) -> None:
    """Print a notice of the store."""
    if isinstance(event, e.StoreState):
        for line in filter(None, store_notice(event)):
            output.tell(line)
    if isinstance(event, e.UserNotice):
        output.tell(f"jp-tui: {event.message}")
        if event.advice:
            output.tell(event.advice)


def status_of(event: e.Event) -> int:
    """Return the exit status if this event replaced the reply: 2 for a wrong request, 1 for a failure (Z20)."""
    return USAGE if isinstance(event, e.Refused) and not event.storage else FAILED
