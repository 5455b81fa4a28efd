"""Service for trust in a workspace's own configuration: shows its effect, stores the user's decision (S10).

Only shown content can be trusted: the digest identifies it. `setup.trust` reads and stores.
"""

from __future__ import annotations

from jp_tui.engine.base.dependencies import Trust
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.trust import DistrustWorkspace, ReadTrust, TrustWorkspace


def desk(context: DeskContext) -> Desk:
    """Serves the workspace's file."""

    def trust() -> Trust:
        if context.setup.trust is None:
            raise ValueError("Trust can't be saved here.")
        return context.setup.trust

    async def done(what: str) -> None:
        context.publish(trust().read().model_copy(update={"done": what}))
        await context.settings_changed()

    async def read(_: ReadTrust) -> None:
        context.publish(trust().read())

    async def accept(command: TrustWorkspace) -> None:
        trust().trust(command.digest)
        await done("trusted")

    async def revoke(_: DistrustWorkspace) -> None:
        trust().forget()
        await done("distrusted")

    return Desk(beside={ReadTrust: read, TrustWorkspace: accept, DistrustWorkspace: revoke})
