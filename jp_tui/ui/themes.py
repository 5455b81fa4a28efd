"""From a theme's plain values to Textual's Theme, and what is derived for Textual's own.

A theme's file is read when it is wanted, not before the first frame. Decides no colour (`settings/themes.py` does).
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

from jp_tui.settings import themes as plain

FALLBACK = "textual-dark"


def textual_theme(values: plain.Theme) -> Theme:
    """A theme as Textual takes it."""
    colors = dict(values.colors)
    return Theme(
        name=values.name,
        primary=colors.pop("primary"),
        dark=values.dark,
        ansi=values.ansi,
        variables=dict(values.variables),
        **colors,  # type: ignore[arg-type]
    )


def load(name: str, files: Mapping[str, str]) -> Theme | None:
    """The theme of that name, from its file or Textual's own; SettingsError when the file cannot be used."""
    if name in files:
        return textual_theme(plain.read(name, files[name]))
    return BUILTIN_THEMES.get(name)


def derived(theme: Theme) -> dict[str, str]:
    """Our own variables for a theme that does not have them, so that every theme can be used."""
    colors = {name: value for name in plain.COLOURS if isinstance(value := getattr(theme, name), str)}
    return plain.derive(colors, dark=theme.dark)


def choices(files: Mapping[str, str]) -> list[str]:
    """All there are: ours and the user's first, then Textual's own."""
    own = [name for name in plain.TEXTUALS if name in BUILTIN_THEMES and name not in files]
    return [*sorted(files), *own]
