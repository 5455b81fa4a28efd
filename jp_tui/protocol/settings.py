"""The settings as the user reads and changes them: commands, events, and their one value.

SetSetting (commands.py) writes a key; this lists all of them and resets one.
"""

from __future__ import annotations

from typing import Any, Literal

from jp_tui.protocol.base import Model


class SettingEntry(Model):
    """One key. `value` None: it is not set. `layer`, `place` (FILE:LINE, a variable, a flag) and `why` are its source;
    `default` is the effective value without the user's file; `own`: the user's file sets it; `hidden_by`: the source of
    the value that applies instead. `kind` with `choices`, `low` and `high` are the valid values; `applies` is when a
    change takes effect."""

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
    """Answered by SettingsRead, from the current files."""

    type: Literal["read_settings"] = "read_settings"


class ResetSetting(Model):
    """Remove a key from the user's file, comments kept; answered by SettingChanged with the effective value, and
    SettingsRead; or Refused with the place that sets it instead."""

    type: Literal["reset_setting"] = "reset_setting"
    key: str


class SettingsRead(Model):
    """Every key that can be set. `file` is the user's, `notices` are remarks on the files."""

    type: Literal["settings_read"] = "settings_read"
    entries: tuple[SettingEntry, ...]
    file: str
    notices: tuple[str, ...] = ()
