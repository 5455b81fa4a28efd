"""The settings as a person reads and changes them: commands, events, and the one value they carry.

SetSetting (commands.py) writes a key; this lists all of them and takes one back.
"""

from __future__ import annotations

from typing import Any, Literal

from jp_tui.protocol.base import Model


class SettingEntry(Model):
    """One key. `value` None: nothing is set. `layer`, `place` (FILE:LINE, a variable, a flag) and `why` say where it
    comes from; `default` is what would hold without the user's file; `own`: it stands there; `hidden_by`: whose value
    counts instead. `kind` with `choices`, `low` and `high` say what it may be; `applies` when a change counts."""

    key: str
    value: Any = None
    layer: str = ""
    place: str = ""
    why: str = ""
    help: str = ""
    kind: Literal["boolean", "integer", "number", "text", "choice", "other"] = "other"
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    default: Any = None
    own: bool = False
    hidden_by: str = ""
    applies: Literal["now", "turn", "start"] = "start"


class ReadSettings(Model):
    """Answered by SettingsRead, as the files are now."""

    type: Literal["read_settings"] = "read_settings"


class ResetSetting(Model):
    """Take a key out of the user's file, comments kept; answered by SettingChanged with what holds then, and
    SettingsRead; or Refused with where it stands instead."""

    type: Literal["reset_setting"] = "reset_setting"
    key: str


class SettingsRead(Model):
    """Every key that can be set. `file` is the user's, `notices` what is to be said of the files."""

    type: Literal["settings_read"] = "settings_read"
    entries: tuple[SettingEntry, ...]
    file: str
    notices: tuple[str, ...] = ()
