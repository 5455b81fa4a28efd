"""The engine's side rooms: each takes commands of its own and answers them in events, beside the turns.

The hub knows none of them by name: what a desk takes stands in its `takes`, and a new one is a line in `desks`. None
of them appends to a conversation that somebody else holds.
"""

from __future__ import annotations

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.base import Model
from jp_tui.protocol.usage import SwitchModel

IN_ORDER: tuple[type[Model], ...] = (SwitchModel,)
"""Commands that are over before the next one begins: what is said after a switch goes to the new model."""


def desks(context: DeskContext) -> tuple[Desk, ...]:
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

    models = ModelsDesk(context.setup.catalogue, context.publish)
    return (
        models,
        Preferences(context),
        QueueDesk(context),
        FilesDesk(context),
        ShellDesk(context),
        PictureDesk(context),
        TrustDesk(context),
        Undoing(context),
        Spending(context),
        Library(context),
    )
