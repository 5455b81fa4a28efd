"""Turn a theme's values into Textual's Theme, and derive what Textual's own themes lack.

Colours are decided in `settings/themes/themes.py`. A theme's file is read when the theme is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.theme import BUILTIN_THEMES, Theme

from jp_tui.settings.themes import colours
from jp_tui.settings.themes import themes as plain

FALLBACK = "textual-dark"
_TEXTS = tuple(name for name in plain.COLOURS if name not in ("background", "surface", "panel"))
_TEXTUALS_TEXTS = tuple(name for name in _TEXTS if name != "foreground")


def textual_theme(values: plain.Theme) -> Theme:
    """Return a theme in Textual's form."""
    colors = dict(values.colors)
    made = Theme(
        name=values.name,
        primary=colors.pop("primary"),
        dark=values.dark,
        ansi=values.ansi,
        variables=dict(values.variables),
        **colors,  # type: ignore[arg-type]
    )
    if made.ansi or {"screen-selection-background", "input-selection-background"} <= set(made.variables):
        return made
    return replace(made, variables=selection(made.to_color_system().generate()) | made.variables)


def selection(colors: Mapping[str, str]) -> dict[str, str]:
    """Return the selection's colours for a theme without them: a background on which the foreground can be read."""
    ground, front = colors["background"], colors["foreground"]
    shares = (0.4, 0.32, 0.25, 0.18, 0.12)
    tints = [colours.blend(ground, colors["primary"], share) for share in shares]
    back = next((one for one in tints if (colours.contrast(front, one) or 5.0) >= 4.5), tints[-1])
    return {"screen-selection-background": back, "input-selection-background": back}


def load(name: str, files: Mapping[str, str]) -> Theme | None:
    """Return the theme of that name, from its file or one of Textual's; None for neither.

    Raises SettingsError if the file can't be used.
    """
    if name in files:
        return textual_theme(plain.read(name, files[name]))
    theirs = BUILTIN_THEMES.get(name)
    return None if theirs is None else readable(theirs)


def readable(theme: Theme) -> Theme:
    """Return a theme of Textual's with each text colour changed just enough to be readable (WCAG AA).

    Most of them have a muted, warning or primary colour below 4.5:1 on one of jp-tui's backgrounds.
    """
    if theme.ansi:
        return theme
    has = theme.to_color_system().generate()
    colors = {name: has[name] for name in _TEXTS}
    grounds: tuple[str, ...] = ()
    for _ in range(2):  # a changed colour tints a background a little
        grounds = plain.grounds_of(
            has["background"], has["surface"], has["panel"], colors["foreground"],
            primary=colors["primary"], warning=colors["warning"], error=colors["error"],
        )  # fmt: skip
        colors = {name: colours.readable(colour, *grounds) for name, colour in colors.items()}
    muted = colours.readable(colours.blend(colors["foreground"], has["background"], 0.3), *grounds)
    variables = {f"text-{name}": colour for name, colour in colors.items() if name in _TEXTUALS_TEXTS}
    variables |= dict.fromkeys(("text-muted", "text-disabled", "foreground-muted", "foreground-disabled"), muted)
    variables["scrollbar"] = colours.readable(has["scrollbar"], *grounds, least=3.0)
    variables |= selection({**has, **colors})
    return replace(theme, **colors, variables={**theme.variables, **variables})  # type: ignore[arg-type]


def derived(theme: Theme) -> dict[str, str]:
    """Return the variables that a theme doesn't set and a style may use.

    These are jp-tui's, and those that Textual's widgets lack in a theme of the terminal's sixteen colours. A missing
    one would end the program at a change of theme.
    """
    colors = {name: value for name in plain.COLOURS if isinstance(value := getattr(theme, name), str)}
    own = plain.derive(colors, dark=theme.dark)
    if not theme.ansi:
        return own
    black, white = ("ansi_black", "ansi_white") if theme.dark else ("ansi_white", "ansi_black")
    gaps = dict.fromkeys(BUILTIN_THEMES[FALLBACK].to_color_system().generate(), "ansi_default")
    return {**gaps, "ansi-background": black, "ansi-foreground": white, **own}


def choices(files: Mapping[str, str]) -> list[str]:
    """Return the names of all themes: jp-tui's and the user's first, then Textual's."""
    own = [name for name in plain.TEXTUALS if name in BUILTIN_THEMES and name not in files]
    return [*sorted(files), *own]
