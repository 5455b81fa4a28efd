"""Every theme can be read: each text and mark that a screen really shows, on what it really stands on (WCAG AA; issue
8, line 5). Letters have 4.5:1, marks and borders that mean something 3:1; and no meaning rests on red and green.
"""

from __future__ import annotations

import pytest
from textual.command import CommandList
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.theme import BUILTIN_THEMES

from jp_tui.settings.themes import colours
from jp_tui.settings.themes import themes as plain
from jp_tui.ui import themes
from jp_tui.ui.transcript.transcript import Transcript
from tests.fakes import scenes
from tests.sampling import sampled
from tests.ui import sheet_host, test_changes_pictures
from tests.ui.app_host import Host, until
from tests.ui.contrast import Pair, cvd_distance, pairs
from tests.ui.test_app_pictures import SCENES, host, steps

OURS = plain.names("/nonexistent")
SOME, OTHERS = sampled(list(OURS), 2), sampled(list(OURS), 2, 1)
"""All of ours are worn on the first screen; on the others a half of them in each run."""
NO_MEANING = frozenset("·▏▕│")
"""Separators and the sidebar's edge: nothing is lost with them."""


def in_front(app: Host) -> list[Strip]:
    """The rows of what can be used: what lies below an overlay is veiled on purpose."""
    rows = app.screen._compositor.render_strips()
    if not isinstance(app.screen, ModalScreen):
        return rows
    box = app.screen.children[0].region
    return [row.crop(box.x, box.right) for row in rows[box.y : box.bottom]]


def low(found: list[Pair]) -> list[Pair]:
    marks = [one for one in found if not one.letters and set(one.text) - NO_MEANING]
    return [one for one in found if one.letters and one.ratio < 4.5] + [one for one in marks if one.ratio < 3]


@pytest.mark.parametrize(
    ("scene", "names"),
    [
        ("escalated", [*OURS, *sampled(sorted(BUILTIN_THEMES), 3)]),
        ("ledger", [*SOME, "nord", "solarized-light"]),
        ("trouble", OTHERS),
        ("keys", SOME),
        ("marked", [*OTHERS, "nord", "flexoki"]),
    ],
)
async def test_all_that_a_screen_shows_can_be_read(
    scene: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = host("tools" if scene == "marked" else scene, names[0])
    missed: dict[str, list[Pair]] = {}
    measured = 0
    async with app.run_test(size=(120, 36)) as pilot:
        await steps(app, *(SCENES | {"marked": (scenes.tools(), "tab { {")})[scene])(pilot)
        app.composer.move_cursor((0, 0))
        for name in names:
            assert app.user_files.apply_theme(name)
            await app.still(pilot)
            found = list(pairs(in_front(app)))
            measured += len(found)
            if bad := low(found):
                missed[name] = bad
        assert app._main.query_one(Transcript).is_idle
    assert missed == {} and measured > 8 * len([name for name in names if "ansi" not in name and name != "jp-sixteen"])


SHEETS = {
    "an answer that wants a look first": (sheet_host.boolean(context=sheet_host.LONG_DIFF), "y"),
    "changed words": (sheet_host.hunky(), "] space"),
    "a form": (sheet_host.formed(sheet_host.multi(), undo=("note",)), "down"),
    "errors": (sheet_host.schema(has_default=True, default={"batch": 0, "a": 1}), "end x enter"),
    "a menu": (sheet_host.escalated(failed=True), "escape down"),
}


@pytest.mark.parametrize("what", SHEETS)
async def test_all_that_a_sheet_shows_can_be_read(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Themes of ours. Only while keys don't count yet, it is dim on purpose."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    prompt, keys = SHEETS[what]
    app = sheet_host.Host(prompt)
    missed: dict[str, list[Pair]] = {}
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        for name in SOME:
            theme = themes.load(name, OURS)
            assert theme is not None
            app.register_theme(theme)
            app.theme = name
            await app.still(pilot)
            if bad := low(list(pairs(app.screen._compositor.render_strips()))):
                missed[name] = bad
    assert missed == {} and app.answers == []


async def test_a_highlighted_row_of_changes_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = test_changes_pictures.host("jp-night")
    missed: dict[str, list[Pair]] = {}
    async with app.run_test(size=(120, 36)) as pilot:
        await test_changes_pictures.steps(app, "diff j")(pilot)
        for name in OURS:
            assert app.user_files.apply_theme(name)
            await app.still(pilot)
            if bad := low(list(pairs(in_front(app)))):
                missed[name] = bad
    assert missed == {}


async def test_the_highlighted_command_of_the_palette_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = host("tools", "jp-night")
    missed: dict[str, list[Pair]] = {}
    async with app.run_test(size=(80, 24)) as pilot:
        await steps(app, scenes.tools(), "ctrl+p")(pilot)
        await until(pilot, lambda: "Approval mode" in app.screen_text())
        region = app.screen.query_one(CommandList).region
        for name in OURS:
            assert app.user_files.apply_theme(name)
            await app.still(pilot)
            strips = app.screen._compositor.render_strips()[region.y + 1 : region.y + 3]
            if bad := low(list(pairs(strips))):
                missed[name] = bad
    assert missed == {}


@pytest.mark.parametrize("scene", ["escalated", "queue", "trouble", "ledger", "agents-nested"])
async def test_sixteen_colours_put_no_words_on_a_colour(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they look like is the terminal's choice: its own background, or a row in reverse, can surely be read."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = host(scene, "jp-sixteen")
    async with app.run_test(size=(120, 36)) as pilot:
        await steps(app, *SCENES[scene])(pilot)
        for strip in in_front(app):
            for text, style, _ in strip:
                if style is not None and style.bgcolor is not None and any(char.isalnum() for char in text):
                    assert style.bgcolor.is_default or style.reverse, (text, str(style))


@pytest.mark.parametrize("scene", ["escalated", "ledger", "trouble"])
async def test_without_colours_all_can_be_read(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = host(scene, "jp-night")
    missed: dict[str, list[Pair]] = {}
    async with app.run_test(size=(120, 36)) as pilot:
        await steps(app, *SCENES[scene])(pilot)
        app.composer.move_cursor((0, 0))
        for name in {*SOME, "jp-sixteen"}:
            assert app.user_files.apply_theme(name)
            await app.still(pilot)
            if name == "jp-sixteen":
                styles = [style for strip in in_front(app) for text, style, _ in strip if style and text.strip()]
                assert styles and all(
                    (one.color is None or one.color.is_default) and (one.bgcolor is None or one.bgcolor.is_default)
                    for one in styles
                )
                continue
            found = list(pairs(in_front(app)))
            assert all(colour[1:3] == colour[3:5] == colour[5:7] for one in found for colour in (one.front, one.back))
            if bad := low(found):
                missed[name] = bad
    assert missed == {}


@pytest.mark.parametrize("name", ["textual-light", "solarized-dark", "nord"])
def test_textuals_own_are_moved_no_further_than_it_takes(name: str) -> None:
    before, after = BUILTIN_THEMES[name], themes.readable(BUILTIN_THEMES[name])
    assert after.name == name and after.background == before.background
    ratio = colours.contrast(str(after.warning), after.to_color_system().generate()["panel"])
    assert ratio is not None and ratio >= 4.5
    assert themes.readable(BUILTIN_THEMES["ansi-dark"]) is BUILTIN_THEMES["ansi-dark"]


@pytest.mark.parametrize("name", [*OURS, *BUILTIN_THEMES])
def test_what_is_selected_or_under_the_cursor_can_be_read(name: str) -> None:
    theme = themes.load(name, OURS)
    assert theme is not None
    values = {**theme.to_color_system().generate(), **theme.variables}
    for front, back in (("foreground", "input-selection-background"), ("foreground", "screen-selection-background")):
        ratio = colours.contrast(values[front], values[back])
        assert theme.ansi or (ratio is not None and ratio >= 4.5), (front, back, ratio)


MEANINGS = (
    ("done-foreground", "failed-foreground"), ("done-foreground", "waiting-foreground"),
    ("failed-foreground", "waiting-foreground"), ("diff-add-foreground", "diff-remove-foreground"),
)  # fmt: skip


@pytest.mark.parametrize("eyes", ["protan", "deutan"])
@pytest.mark.parametrize("name", ["jp-colourblind", "jp-colourblind-day"])
def test_what_means_the_opposite_looks_different_to_colour_blind_eyes(name: str, eyes: str) -> None:
    values = plain.read(name, OURS[name]).variables
    for one, other in MEANINGS:
        assert cvd_distance(values[one], values[other], eyes) >= 20, (one, other)
    assert cvd_distance(values["diff-add-background"], values["diff-remove-background"], eyes) >= 12


def test_the_measure_of_colour_blind_eyes_can_fail() -> None:
    assert cvd_distance("#6a9a3a", "#b07a3a", "deutan") < 20
    assert cvd_distance("#2f8f2f", "#2f8f2f", "protan") == 0
