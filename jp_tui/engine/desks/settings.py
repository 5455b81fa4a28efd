"""The desk for settings: lists them as the files are now, takes one back (issue "Settings").

What is written, and where, is the composition root's (`setup.read_settings`, `setup.unset_setting`).
"""

from __future__ import annotations

from typing import ClassVar

from jp_tui.engine.desks.port import DeskContext
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import SettingChanged
from jp_tui.protocol.settings import ReadSettings, ResetSetting


class Preferences:
    """Answers for the user's own file."""

    takes: ClassVar[tuple[type[Model], ...]] = (ReadSettings, ResetSetting)

    def __init__(self, house: DeskContext) -> None:
        self._house = house

    async def handle(self, command: Model) -> None:
        setup = self._house.setup
        if isinstance(command, ResetSetting):
            file = setup.unset_setting(command.key)
            read = setup.read_settings()
            value = next((one.value for one in read.entries if one.key == command.key), None)
            self._house.publish(SettingChanged(key=command.key, value=value, file=str(file)))
            for session in list(self._house.sessions.values()):
                await session.ledger.settings_changed()
            self._house.publish(read)
        else:
            self._house.publish(setup.read_settings())

    async def close(self) -> None:
        """Holds nothing."""
