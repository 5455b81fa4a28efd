"""What a key costs in the composer: nothing is worked out anew that it did not change, and what did change is seen."""

from __future__ import annotations

import pytest
from textual._text_area_theme import TextAreaTheme

from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.widgets.footer import KeyBar
from tests.ui.app_host import workspace


async def test_letters_ask_for_no_bindings_and_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace() as (app, pilot):
        said: list[object] = []
        app._main.bindings_updated_signal.subscribe(app._main, said.append)
        post = Composer.post_message

        def heard(self: Composer, message: object) -> bool:
            if isinstance(message, Composer.Suggested):
                said.append(message)
            return post(self, message)  # type: ignore[arg-type]

        monkeypatch.setattr(Composer, "post_message", heard)
        await pilot.press(*"word")
        await pilot.pause()
        assert said == [] and app.composer.text == "word"
        await pilot.press("ctrl+u", "/")
        await pilot.pause()
        assert len(said) == 2, "the list and the keys that it has"


async def test_letters_work_no_colours_out_and_a_theme_does(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace() as (app, pilot):
        await pilot.press("a")
        await pilot.pause()
        asked: list[object] = []
        apply_css = TextAreaTheme.apply_css

        def heard(self: TextAreaTheme, area: Composer) -> None:
            if isinstance(area, Composer):
                asked.append(area)
            apply_css(self, area)

        monkeypatch.setattr(TextAreaTheme, "apply_css", heard)
        await pilot.press(*"bcd")
        await pilot.pause()
        assert asked == []
        for theme in ("jp-day", "jp-night"):
            app.action_theme(theme)
            await pilot.pause()
            base = app.composer._theme.base_style
            assert base is not None and base.bgcolor == app.composer.rich_style.bgcolor, theme
        assert asked


async def test_colours_follow_a_style_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace() as (app, pilot):
        await pilot.press("a")
        app.composer.styles.background = "red"
        await pilot.pause()
        base = app.composer._theme.base_style
        assert base is not None and base.bgcolor is not None and base.bgcolor.triplet == (255, 0, 0)


async def test_the_last_line_says_that_a_notice_can_be_put_away_without_a_letter_that_is_typed() -> None:
    async with workspace() as (app, pilot):

        def said() -> bool:
            return "write" in [what for _, what, _ in app._main.query_one(KeyBar).parts()]

        assert app._main._controller is not None and not said()
        app._main._controller.note("a word about the settings")
        await pilot.pause()
        assert said()
        await pilot.press("escape")
        await pilot.pause()
        assert not said()
