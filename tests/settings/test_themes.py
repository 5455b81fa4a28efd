"""Themes as data: every one can be read (WCAG AA), names every colour, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.settings.errors import SettingsError
from jp_tui.settings.themes import colours, themes

SHIPPED = themes.names("/nonexistent")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_theme_of_ours_can_be_read_and_names_every_colour(name: str) -> None:
    theme = themes.read(name, SHIPPED[name])
    assert themes.unreadable(theme, 7.0 if name == "jp-contrast" else 4.5) == []
    assert set(theme.variables) >= set(themes.OURS)
    assert set(theme.colors) == set(themes.COLOURS)


def test_there_are_two_dark_two_light_one_of_high_contrast_and_one_for_sixteen_colours() -> None:
    read = [themes.read(name, file) for name, file in SHIPPED.items()]
    dark = [theme for theme in read if theme.dark and not theme.ansi and theme.name != "jp-contrast"]
    light = [theme for theme in read if not theme.dark and not theme.ansi]
    assert len(dark) >= 2 and len(light) >= 2 and "jp-contrast" in SHIPPED
    for theme in (*dark, *light):
        ground = colours.rgb(theme.colors["background"])
        assert ground is not None and (colours.luminance(ground) < 0.05) is theme.dark
    (sixteen,) = [theme for theme in read if theme.ansi]
    values = {**sixteen.colors, **sixteen.variables}
    assert all(value.startswith("ansi_") for name, value in values.items() if not name.endswith("-style"))


def test_contrast_is_what_wcag_says() -> None:
    assert colours.contrast("#000", "#ffffff") == pytest.approx(21)
    assert colours.contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.01)
    assert colours.contrast("#7aa2f7", "#1a1b26") == pytest.approx(6.79, abs=0.05)
    assert colours.contrast("ansi_red", "#fff") is None


def test_the_check_fails_for_what_cannot_be_read() -> None:
    theme = themes.read("jp-night", SHIPPED["jp-night"])
    dim = themes.Theme("dim", True, False, theme.colors, {**theme.variables, "muted-foreground": "#444a5e"})
    assert {name for name, _, _ in themes.unreadable(dim)} == {"muted-foreground"}


def test_readable_moves_no_further_than_it_must() -> None:
    assert colours.readable("#ffffff", "#000000") == "#ffffff"
    moved = colours.readable("#777777", "#ffffff")
    assert (colours.contrast(moved, "#ffffff") or 0) >= 4.5 and moved > "#555555"
    assert colours.readable("ansi_blue", "#000000") == "ansi_blue"


def test_textuals_own_themes_get_our_colours_and_their_names_are_known() -> None:
    from textual.theme import BUILTIN_THEMES

    assert set(themes.TEXTUALS) == set(BUILTIN_THEMES)
    for name, theirs in BUILTIN_THEMES.items():
        colors = {field: value for field in themes.COLOURS if (value := getattr(theirs, field))}
        made = themes.Theme(name, theirs.dark, theirs.ansi, colors, themes.derive(colors, dark=theirs.dark))
        # Whether its own foreground can be read on its own background is Textual's choice, not ours.
        assert [pair for pair in themes.unreadable(made) if pair[0] != "foreground"] == []


def test_our_themes_are_themes_to_textual() -> None:
    from textual.theme import BUILTIN_THEMES, Theme

    for name, file in SHIPPED.items():
        ours = themes.read(name, file)
        theirs = Theme(name, dark=ours.dark, ansi=ours.ansi, variables=dict(ours.variables), **ours.colors)
        system = theirs.to_color_system()
        assert system.primary.hex.lower() == ours.colors["primary"].lower()
    known = set(BUILTIN_THEMES["nord"].to_color_system().generate())
    assert set(themes.TEXTUAL_VARIABLES) <= known
    assert not set(themes.OURS) & known, "a variable of ours that Textual has too would change its meaning"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "colors: has no primary colour"),
        ("dark = 1\n[colors]\nprimary = '#fff'", ":1:1: dark: expected true or false, found 1"),
        ("[colors]\nprimary = 'blue'", ':2:1: colors.primary: expected a colour like #7aa2f7, found "blue"'),
        ("[colors]\nprimary = 'ansi_red'", "expected a colour like #7aa2f7"),
        ("[colors]\nprimry = '#fff'", ":2:1: colors.primry: isn't a valid colour of a theme. Did you mean primary?"),
        (
            "[colours]\nprimary = '#fff'",
            "colours: isn't a valid part of a theme (allowed: dark, ansi, colors, variables)",
        ),
        ("[colors]\nprimary = '#fff'\n[variables]\nborder = 'red; x: y'", ":4:1: variables.border: expected a colour"),
        ("[colors]\nprimary = '#fff'\n[variables]\nlink-style = 'blink'", "variables.link-style: expected styles"),
        ("colors = 3", "colors: expected a table, found 3"),
        ("[colors\n", ":1:8: "),
    ],
)
def test_a_wrong_theme_says_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        themes.read("mine", str(file))
    assert str(caught.value).startswith(str(file)) and said in str(caught.value)


def test_one_colour_makes_a_theme(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("dark = false\n[colors]\nprimary = '#0a7'\n")
    (tmp_path / "jp-day.toml").write_text("[colors]\nprimary = '#0a7'\n")
    found = themes.names(str(tmp_path))
    assert found["jp-day"] == str(tmp_path / "jp-day.toml"), "the user's hides ours"
    mine = themes.read("mine", found["mine"])
    assert set(mine.variables) == set(themes.OURS)
    white = {**mine.colors, "background": "#fafafa", "surface": "#fafafa", "panel": "#fafafa"}
    assert themes.unreadable(themes.Theme("m", False, False, white, mine.variables)) == []


def test_a_wrong_name_has_a_nearest(tmp_path: Path) -> None:
    assert themes.check_name("jp-day", str(tmp_path)) is None
    assert themes.check_name("nord", str(tmp_path)) is None
    problem = themes.check_name("jp-nihgt", str(tmp_path))
    assert problem is not None and problem.nearest == "jp-night" and set(SHIPPED) <= set(problem.allowed)
