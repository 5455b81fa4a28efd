"""Interface of a service ("desk"): its commands, their handlers, and what they may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagents import Subagents
from jp_tui.journal.port import ConversationRow
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import Event, Refused

Handler = Callable[[Any], Coroutine[object, object, None]]
Handlers = Mapping[type[Model], Handler]
"""By the type of the command. A handler raises JournalError, ModelError or ValueError with a message for the user,
which becomes Refused."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Commands of one topic, and `close`, which releases the service's resources.

    Those `beside` run in their own tasks: a bug in one ends nothing else, and they are cancelled before `close`. Those
    `in_order` finish before the next command begins.
    """

    beside: Handlers = field(default_factory=dict)
    in_order: Handlers = field(default_factory=dict)
    close: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class DeskContext:
    """Values available to a service: the engine's dependencies, and the open conversations.

    Every published event is passed to each callable in `listeners`. `resume` opens a stored conversation.
    """

    setup: EngineDependencies
    publish: Callable[[Event], None]
    sessions: MutableMapping[str, Session]
    agents: Subagents
    checks: Checks
    resume: Callable[[ConversationRow], Awaitable[Session]]
    listeners: list[Callable[[Event], None]] = field(default_factory=list)
    offline: Callable[[], bool] = lambda: False
    """True while nothing can be recorded in a shared store (store.md D7, D12)."""
    returns: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    """Called one after the other once it answers again. May raise JournalError."""

    async def settings_changed(self) -> None:
        """Tell the open conversations that a settings file was written."""
        for session in list(self.sessions.values()):
            await session.ledger.settings_changed()

    def unknown(self, command: str, conversation: str) -> None:
        """Refuse a command for a conversation that doesn't exist."""
        message = f"There is no conversation {conversation}."
        advice = "`jp-tui conversations list` lists all conversations."
        self.publish(Refused(command=command, message=message, advice=advice))
