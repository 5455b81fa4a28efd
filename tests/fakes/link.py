"""A scripted engine for faces: implements `link.port.Link`, says what it is told to say, remembers what it was asked.

It starts no thread and answers at once, so a test decides the order of everything. It is no engine: it never
turns a StartTurn into a turn, only `answers` (one function per kind of command) can make it react.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev

C = TypeVar("C", bound=cmd.Model)
CONVERSATION = "c1"


def opened(**given: object) -> ev.ConversationOpened:
    """A new, empty conversation with a greeting; any field can be given."""
    fields: dict[str, object] = {
        "conversation": CONVERSATION,
        "title": Foreign("New conversation"),
        "workspace": "/home/ada/code/acme",
        "model": "demo/tour",
        "new": True,
    }
    return ev.ConversationOpened.model_validate({**fields, **given})


class FakeLink:
    """`sent` is every command in order; `say` reports events; `answers` maps a command class to a reaction."""

    def __init__(
        self,
        first: ev.ConversationOpened | None = None,
        *,
        history: Sequence[str] = (),
        stops: bool = True,
    ) -> None:
        self.sent: list[cmd.Command] = []
        self.closed: list[float] = []
        self.answers: dict[type, Callable[..., Iterable[ev.Event]]] = {
            cmd.OpenConversation: lambda _: [first or opened()],
            cmd.ReadHistory: lambda _: [ev.HistoryRead(texts=tuple(history))],
        }
        if stops:
            self.answers[cmd.Shutdown] = lambda _: [ev.Stopped()]
        self._waiting: list[ev.Event] = []
        self._ready: Callable[[], None] | None = None

    def start(self, ready: Callable[[], None]) -> None:
        self._ready = ready
        if self._waiting:
            ready()

    def send(self, command: cmd.Command) -> None:
        self.sent.append(command)
        react = self.answers.get(type(command))
        if react is not None:
            self.say(*react(command))

    def collect(self) -> list[ev.Event]:
        found, self._waiting = self._waiting, []
        return found

    def wait(self, timeout: float | None = None) -> bool:
        return bool(self._waiting)

    def relax(self) -> None:
        """See link/port.py."""

    def hurry(self) -> None:
        """There is nothing that could give way."""

    def close(self, timeout: float) -> bool:
        self.closed.append(timeout)
        return True

    def say(self, *events: ev.Event) -> None:
        """Report these events, as the engine's thread would."""
        self._waiting.extend(events)
        if self._ready is not None and events:
            self._ready()

    def of(self, kind: type[C]) -> list[C]:
        """The commands of one kind that were sent, in order."""
        return [command for command in self.sent if isinstance(command, kind)]
