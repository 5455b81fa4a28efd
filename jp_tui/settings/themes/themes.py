"""Themes as data: the TOML files in `themes/` and the user's folder, as plain values without Textual types.

Only the selected theme is read. Missing colours are derived, so every theme, also Textual's own, has all colours that
the screens use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jp_tui.settings import data
from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest
from jp_tui.settings.layers import toml
from jp_tui.settings.schema import checks
from jp_tui.settings.schema.checks import BadValue
from jp_tui.settings.schema.nodes import dotted
from jp_tui.settings.themes import colours

COLOURS = (
    "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "success", "warning", "error",
)  # fmt: skip
"""Fields of a Textual theme that a file sets in `[colors]`; only `primary` is required."""

OURS = (
    "muted-foreground", "bar-background", "bar-foreground", "sidebar-background", "user-background", "user-bar",
    "assistant-foreground", "heading-foreground", "quote-foreground", "code-foreground", "code-background",
    "diff-add-foreground", "diff-add-background", "diff-remove-foreground", "diff-remove-background",
    "diff-hunk-foreground", "running-foreground", "waiting-foreground", "waiting-background", "done-foreground",
    "failed-foreground", "queued-foreground", "reviewer-foreground", "sheet-background", "sheet-border",
    "syntax-keyword", "syntax-string", "syntax-number", "syntax-comment", "syntax-function", "syntax-type",
    "syntax-operator",
)  # fmt: skip
"""jp-tui's own variables, in addition to Textual's; every theme has all of them."""

TEXTUALS = (
    "textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula", "tokyo-night", "monokai",
    "flexoki", "catppuccin-latte", "catppuccin-frappe", "catppuccin-macchiato", "solarized-light", "solarized-dark",
    "rose-pine", "rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light", "ansi-dark", "ansi-light",
)  # fmt: skip
"""Names of Textual's own themes, listed here so that a wrong name is refused before the screen opens."""

TEXTUAL_VARIABLES = (
    "text", "text-muted", "text-disabled", "text-primary", "text-secondary", "text-warning", "text-error",
    "text-success", "text-accent", "primary-muted", "secondary-muted", "accent-muted", "warning-muted", "error-muted",
    "success-muted", "foreground-muted", "foreground-disabled", "block-cursor-foreground", "block-cursor-background",
    "block-cursor-text-style", "block-cursor-blurred-foreground", "block-cursor-blurred-background",
    "block-cursor-blurred-text-style", "block-hover-background", "border", "border-blurred", "surface-active",
    "scrollbar", "scrollbar-hover", "scrollbar-active", "scrollbar-background", "scrollbar-corner-color",
    "scrollbar-background-hover", "scrollbar-background-active", "link-background", "link-background-hover",
    "link-color", "link-style", "link-color-hover", "link-style-hover", "footer-foreground", "footer-background",
    "footer-key-foreground", "footer-key-background", "footer-description-foreground",
    "footer-description-background", "footer-item-background", "input-cursor-background", "input-cursor-foreground",
    "input-cursor-text-style", "input-selection-background", "input-selection-foreground", "button-foreground",
    "button-color-foreground", "button-focus-text-style", "screen-selection-background",
    "screen-selection-foreground",
)  # fmt: skip

_ANSI_NAMES = "default|(bright_)?(black|red|green|yellow|blue|magenta|cyan|white)"
_HEX = checks.matching(r"#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})", "a colour like #7aa2f7")
_ANSI = checks.matching(rf"#([0-9A-Fa-f]{{3}}|[0-9A-Fa-f]{{6}})|ansi_({_ANSI_NAMES})", "a colour like ansi_bright_blue")
_VARIABLE = checks.matching(
    rf"(#([0-9A-Fa-f]{{3}}|[0-9A-Fa-f]{{6}})|ansi_({_ANSI_NAMES})|auto|transparent)( \d{{1,3}}%)?", "a colour"
)
_STYLE = checks.matching(
    r"((not )?(bold|dim|italic|underline|reverse|strike|none)( |$))+", "styles like bold, underline, reverse or none"
)


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme: `colors` by COLOURS, `variables` by OURS (all of them) and TEXTUAL_VARIABLES (those that are set)."""

    name: str
    dark: bool
    ansi: bool
    colors: Mapping[str, str]
    variables: Mapping[str, str]


def names(user_folder: str) -> dict[str, str]:
    """Return every theme with a file: name → file. A user's file overrides a built-in one of the same name. Opens no
    file."""
    found: dict[str, str] = {}
    for folder in (data.THEMES, user_folder):
        try:
            files = sorted(os.listdir(folder))
        except OSError:
            continue
        found.update({file[:-5]: os.path.join(folder, file) for file in files if file.endswith(".toml")})
    return found


def check_name(name: str, user_folder: str) -> SettingsProblem | None:
    """Return the problem with a theme's name, None if the theme exists. The caller adds the place of the name."""
    known = names(user_folder)
    if name in known or name in TEXTUALS:
        return None
    return SettingsProblem(
        f"no theme {name}", "ui.theme", allowed=tuple(known), nearest=nearest(name, [*known, *TEXTUALS])
    )


def read(name: str, file: str) -> Theme:
    """Read the theme in a file. Raises SettingsError with file, line and key if it can't be used."""
    document = toml.read(file)
    if document is None:
        raise SettingsError(SettingsProblem("the file doesn't exist", file=file))
    problems: list[SettingsProblem] = []

    def wrong(path: toml.Path, message: str, allowed: tuple[str, ...] = (), near: str = "") -> None:
        line, column = document.places.get(path, (1, 1))
        problems.append(SettingsProblem(message, dotted(path), file, line, column, allowed, near))

    tree = document.tree
    for key in tree:
        if key not in ("dark", "ansi", "colors", "variables"):
            near = nearest(key, ("dark", "ansi", "colors", "variables"))
            wrong((key,), "isn't a valid part of a theme", ("dark", "ansi", "colors", "variables"), near)
    flags = {key: tree.get(key, key == "dark") for key in ("dark", "ansi")}
    for key, flag in flags.items():
        if not isinstance(flag, bool):
            wrong((key,), f"expected true or false, found {checks.describe_value(flag)}")
    colour = _ANSI if flags["ansi"] is True else _HEX
    colors = _table(tree, "colors", dict.fromkeys(COLOURS, colour), wrong)
    if "primary" not in colors and not problems:
        wrong(("colors",), "has no primary colour")
    kinds = {key: _STYLE if key.endswith("-style") else _VARIABLE for key in TEXTUAL_VARIABLES}
    variables = _table(tree, "variables", kinds | dict.fromkeys(OURS, colour), wrong)
    if problems:
        raise SettingsError(problems)
    return Theme(name, flags["dark"], flags["ansi"], colors, derive(colors, dark=flags["dark"]) | variables)


def _table(tree: toml.Table, name: str, known: Mapping[str, checks.Check], wrong: Any) -> dict[str, str]:
    table = tree.get(name, {})
    good: dict[str, str] = {}
    if not isinstance(table, dict):
        wrong((name,), f"expected a table, found {checks.describe_value(table)}")
        return good
    for key, value in table.items():
        if key not in known:
            wrong((name, key), "isn't a valid colour of a theme", near=nearest(key, known))
            continue
        try:
            good[key] = known[key](value)
        except BadValue as bad:
            wrong((name, key), bad.message, bad.allowed)
    return good


def derive(colors: Mapping[str, str], *, dark: bool) -> dict[str, str]:
    """Derive all of OURS from the fields of a theme, each legible on its backgrounds. Used for themes that don't set
    them."""
    white, black = ("#e6e6e6", "#101010") if dark else ("#1a1a1a", "#fafafa")
    base = {"foreground": white, "background": black, **{k: v for k, v in colors.items() if v}}
    primary, background, foreground = base["primary"], base["background"], base["foreground"]
    surface = base.get("surface", colours.blend(background, foreground, 0.05))
    panel = base.get("panel", colours.blend(background, primary, 0.1))
    secondary, accent = base.get("secondary", primary), base.get("accent", primary)
    success, warning, error = (base.get(name, primary) for name in ("success", "warning", "error"))
    grounds = grounds_of(background, surface, panel, foreground, primary=primary, warning=warning, error=error)

    def text(colour: str, *on: str) -> str:
        return colours.readable(colour, *(on or grounds))

    def tint(colour: str) -> str:
        return colours.blend(background, colour, 0.16)

    muted = text(colours.blend(foreground, background, 0.4))
    adds, removes, waits = tint(success), tint(error), tint(warning)
    code = colours.blend(background, foreground, 0.06)
    return {
        "muted-foreground": muted,
        "bar-background": panel,
        "bar-foreground": text(foreground, panel),
        "sidebar-background": surface,
        "user-background": surface,
        "user-bar": primary,
        "assistant-foreground": text(secondary),
        "heading-foreground": text(primary),
        "quote-foreground": muted,
        "code-foreground": text(warning, code, *grounds),
        "code-background": code,
        "diff-add-foreground": text(success, adds),
        "diff-add-background": adds,
        "diff-remove-foreground": text(error, removes),
        "diff-remove-background": removes,
        "diff-hunk-foreground": muted,
        "running-foreground": text(secondary),
        "waiting-foreground": text(warning, waits, *grounds),
        "waiting-background": waits,
        "done-foreground": text(success),
        "failed-foreground": text(error),
        "queued-foreground": text(primary),
        "reviewer-foreground": text(accent),
        "sheet-background": panel,
        "sheet-border": primary,
        "syntax-keyword": text(accent, code, *grounds),
        "syntax-string": text(success, code, *grounds),
        "syntax-number": text(warning, code, *grounds),
        "syntax-comment": text(muted, code, *grounds),
        "syntax-function": text(primary, code, *grounds),
        "syntax-type": text(secondary, code, *grounds),
        "syntax-operator": text(foreground, code, *grounds),
    }


def grounds_of(
    background: str, surface: str, panel: str, foreground: str, *, primary: str, warning: str, error: str
) -> tuple[str, ...]:
    """Return all backgrounds of text: the plain ones, and the screens' tints for the highlighted row, for a banner that
    waits or reports a problem, and for an input field."""
    plain = (background, surface, panel)
    tints = ((primary, HIGHLIGHT), (warning, BANNER), (error, BANNER), (foreground, FIELD))
    return (*plain, *(colours.blend(ground, tint, share) for ground in plain for tint, share in tints))


HIGHLIGHT, BANNER, FIELD = 0.08, 0.12, 0.09
"""Shares of a colour over a background, as in the screens' styles."""

BACKGROUNDS: Mapping[str, tuple[str, ...]] = {
    "bar-foreground": ("bar-background",),
    "code-foreground": ("code-background",),
    "diff-add-foreground": ("diff-add-background",),
    "diff-remove-foreground": ("diff-remove-background",),
    "waiting-foreground": ("waiting-background", "background", "sidebar-background", "bar-background"),
    **{name: ("code-background",) for name in OURS if name.startswith("syntax-")},
}
"""Backgrounds of each of OURS, unless it is used on every plain one."""


def unreadable(theme: Theme, least: float = 4.5) -> list[tuple[str, str, float]]:
    """Return every pair of a text colour and a background below the contrast `least` (WCAG AA): text, background,
    ratio."""
    values = {**theme.colors, **theme.variables}
    plain = ("background", "surface", "panel", "sidebar-background", "sheet-background", "user-background")
    texts = ["foreground", "text-muted", "text-disabled", "foreground-muted", "foreground-disabled"]
    texts += [name for name in OURS if name.endswith("-foreground") or name.startswith("syntax-")]
    low: list[tuple[str, str, float]] = []
    for name in texts:
        for ground in BACKGROUNDS.get(name, plain):
            ratio = colours.contrast(values.get(name, ""), values.get(ground, ""))
            if ratio is not None and ratio < least:
                low.append((name, ground, round(ratio, 2)))
    return low
