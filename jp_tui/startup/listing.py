"""Settings in the protocol's form, loaded each time. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.protocol.settings import SettingEntry, SettingsRead
from jp_tui.settings.errors import SettingsError

if TYPE_CHECKING:
    from jp_tui.settings.sources import Sources


def read_settings(sources: Sources) -> SettingsRead:
    """Return every key, as the files are now. Raises ValueError if one can't be used."""
    from jp_tui.settings.edit.key_list import entries

    try:
        settings = sources.load()
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    found = tuple(
        SettingEntry(
            key=one.key,
            value=one.value,
            layer=one.layer,
            place=one.place,
            why=one.why,
            help=one.help,
            kind=one.kind.name,
            choices=one.kind.names,
            low=one.kind.low,
            high=one.kind.high,
            default=one.default,
            own=one.own,
            hidden_by=one.hidden_by,
            applies=one.applies,
        )
        for one in entries(settings, sources.environment)
    )
    return SettingsRead(entries=found, file=str(sources.user), notices=tuple(one.words for one in settings.notices))
