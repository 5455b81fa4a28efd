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
    """Variables that a theme does not set and a screen may name: ours, and what Textual's own widgets lack in a theme
    of the terminal's sixteen colours. Without one of them a change of theme would end the program."""
    colors = {name: value for name in plain.COLOURS if isinstance(value := getattr(theme, name), str)}
    own = plain.derive(colors, dark=theme.dark)
    if not theme.ansi:
        return own
    black, white = ("ansi_black", "ansi_white") if theme.dark else ("ansi_white", "ansi_black")
    gaps = dict.fromkeys(BUILTIN_THEMES[FALLBACK].to_color_system().generate(), "ansi_default")
    return {**gaps, "ansi-background": black, "ansi-foreground": white, **own}


def choices(files: Mapping[str, str]) -> list[str]:
    """All there are: ours and the user's first, then Textual's own."""
    own = [name for name in plain.TEXTUALS if name in BUILTIN_THEMES and name not in files]
    return [*sorted(files), *own]
