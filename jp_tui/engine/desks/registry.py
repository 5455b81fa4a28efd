"""The engine's side rooms: each takes commands of its own and answers them in events, beside the turns.

The hub knows none of them by name: what a desk takes stands in its `takes`, and a new one is a line in `desks`. None
of them appends to a conversation that somebody else holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from jp_tui.engine.base.dependencies import Setup
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagents import Agents
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import Event
from jp_tui.protocol.usage import SwitchModel

IN_ORDER: tuple[type[Model], ...] = (SwitchModel,)
"""Commands that are over before the next one begins: what is said after a switch goes to the new model."""


class Desk(Protocol):
    """One of them. Raises JournalError, ModelError or ValueError with words, which become Refused."""

    takes: ClassVar[tuple[type[Model], ...]]

    async def handle(self, command: Model) -> None:
        """Carry out a command of these types; runs beside the others, but for those in IN_ORDER."""

    async def close(self) -> None:
        """Give up what it holds; its running commands are cancelled already."""


@dataclass(frozen=True, slots=True)
class House:
    """What a desk may use: what the engine was built from, its voice, and the conversations that are open.

    What is put into `hears` is told every event that is published.
    """

    setup: Setup
    publish: Callable[[Event], None]
    sessions: Mapping[str, Session]
    agents: Agents
    hears: list[Callable[[Event], None]] = field(default_factory=list)


def desks(house: House) -> tuple[Desk, ...]:
    """All of them."""
    from jp_tui.engine.desks.conversations import Library
    from jp_tui.engine.desks.files import FilesDesk
    from jp_tui.engine.desks.images import PictureDesk
    from jp_tui.engine.desks.message_queue import QueueDesk
    from jp_tui.engine.desks.models import ModelsDesk
    from jp_tui.engine.desks.settings import Preferences
    from jp_tui.engine.desks.shell import ShellDesk
    from jp_tui.engine.desks.trust import TrustDesk
    from jp_tui.engine.desks.undo import Undoing
    from jp_tui.engine.desks.usage import Spending

    models = ModelsDesk(house.setup.catalogue, house.publish)
    return (
        models,
        Preferences(house),
        QueueDesk(house),
        FilesDesk(house),
        ShellDesk(house),
        PictureDesk(house),
        TrustDesk(house),
        Undoing(house),
        Spending(house),
        Library(house),
    )
