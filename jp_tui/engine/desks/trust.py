"""The desk for trust in a workspace's own configuration: shows what it would do, keeps what the user decides (S10).

It trusts only what was shown: the digest says which content. Who reads and stores is the composition root's
(`setup.trust`).
"""

from __future__ import annotations

from typing import ClassVar

from jp_tui.engine.desks.port import DeskContext
from jp_tui.protocol.base import Model
from jp_tui.protocol.trust import DistrustWorkspace, ReadTrust, TrustWorkspace


class TrustDesk:
    """Answers for the workspace's file."""

    takes: ClassVar[tuple[type[Model], ...]] = (ReadTrust, TrustWorkspace, DistrustWorkspace)

    def __init__(self, house: DeskContext) -> None:
        self._house = house

    async def handle(self, command: Model) -> None:
        trust = self._house.setup.trust
        if trust is None:
            raise ValueError("Trust is not kept here.")
        match command:
            case TrustWorkspace(digest=digest):
                trust.trust(digest)
                await self._done("trusted")
            case DistrustWorkspace():
                trust.forget()
                await self._done("distrusted")
            case _:
                self._house.publish(trust.read())

    async def _done(self, what: str) -> None:
        trust = self._house.setup.trust
        assert trust is not None
        self._house.publish(trust.read().model_copy(update={"done": what}))
        for session in list(self._house.sessions.values()):
            await session.ledger.settings_changed()

    async def close(self) -> None:
        """Holds nothing."""
