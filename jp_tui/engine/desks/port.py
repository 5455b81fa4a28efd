"""What a desk is: it takes commands of its own and answers them in events, beside the turns; and what it may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from jp_tui.engine.base.dependencies import Setup
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagents import Agents
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import Event


class Desk(Protocol):
    """One of them. Raises JournalError, ModelError or ValueError with words, which become Refused."""

    takes: ClassVar[tuple[type[Model], ...]]

    async def handle(self, command: Model) -> None:
        """Carry out a command of these types; runs beside the others, but for those in `registry.IN_ORDER`."""

    async def close(self) -> None:
        """Give up what it holds; its running commands are cancelled already."""


@dataclass(frozen=True, slots=True)
class DeskContext:
    """What a desk may use: what the engine was built from, its voice, and the conversations that are open.

    What is put into `hears` is told every event that is published.
    """

    setup: Setup
    publish: Callable[[Event], None]
    sessions: Mapping[str, Session]
    agents: Agents
    hears: list[Callable[[Event], None]] = field(default_factory=list)
