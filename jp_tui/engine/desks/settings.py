"""Service for settings: list them as the files are now, write one, reset one (issue "Settings").

`startup` decides where a setting is written (`setup.read_settings`, `setup.save_setting`, `setup.unset_setting`).
"""

from __future__ import annotations

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.commands import SetSetting
from jp_tui.protocol.events import SettingChanged
from jp_tui.protocol.settings import ReadSettings, ResetSetting


def desk(context: DeskContext) -> Desk:
    """Serves the user's own file."""
    setup = context.setup

    async def read(_: ReadSettings) -> None:
        context.publish(setup.read_settings())

    async def save(command: SetSetting) -> None:
        file = setup.save_setting(command.key, command.value)
        context.publish(SettingChanged(key=command.key, value=command.value, file=str(file)))
        await context.settings_changed()

    async def reset(command: ResetSetting) -> None:
        file = setup.unset_setting(command.key)
        listed = setup.read_settings()
        value = next((one.value for one in listed.entries if one.key == command.key), None)
        context.publish(SettingChanged(key=command.key, value=value, file=str(file)))
        await context.settings_changed()
        context.publish(listed)

    # a written setting applies to the next command
    return Desk(beside={ReadSettings: read, ResetSetting: reset}, in_order={SetSetting: save})
