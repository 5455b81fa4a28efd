"""Issue 18, "Bad input": the terminal is resized from 20x5 to 400x120 in the middle of every sheet and page.

Nothing raises, whatever is written in it. From 60x16 on both answers of a sheet stay in sight, and of a page the last
rows, which ask for a decision and name the keys; below that one screen says that the terminal is too small.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList, Static

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.screens.small import LEAST, TooSmall
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.page_box import PageBox
from tests.fakes.link import FakeLink, opened
from tests.sampling import partly, sampled
from tests.ui import sheet_host, test_app_pictures, test_changes_pictures, test_setup_pictures, test_trust_page
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open
from tests.ui.sheet_host import text_of
from tests.ui.test_sheet_economy import DECISIONS, OTHERS
from tests.ui.test_sheet_hostile import everywhere

LADDER = (
    (80, 24), (60, 16), (59, 16), (60, 15), (40, 10), (20, 5), (61, 17), (99, 30), (100, 30), (119, 36), (120, 36),
    (160, 45), (200, 50), (400, 120), (60, 16), (80, 24),
)  # fmt: skip
BARS = 2
"""Rows of a terminal that the workspace has above and below the column with the sheet."""
LONG = 10_000
WRITTEN = {
    "one": "x",
    "long": "word " * (LONG // 5),
    "unbroken": "x" * LONG,
    "right-to-left": "שלום עולם، مرحبا بالعالم " * (LONG // 25),
    "emoji": "👩‍👩‍👧🏽 🇩🇪 ✅️ " * (LONG // 14),
    "cjk": "文字化け" * (LONG // 4),
}
KINDS = len(everywhere("x"))
HOSTILE = [(name, at) for at in range(KINDS) for name in WRITTEN]


def is_visible(app: sheet_host.Host) -> None:
    """Every answer of few has its row on the screen, all of it inside the frame."""
    sheet, seen = app.sheet, text_of(app)
    assert not sheet.cramped, seen
    frame = sheet.content_region
    choices = sheet.area.body.choices
    for widget in (choices, sheet.frame.question):
        assert widget is None or (widget.region.height and frame.contains_region(widget.region)), seen
    if choices is not None and len(choices.rows) <= 4:
        answers = choices.height_at(choices.size.width)
        assert choices.size.height >= min(answers, len(choices.rows)), seen
    assert sheet.frame.line.display or sheet.frame.notice.display


async def up_and_down(prompt: PromptRequest) -> None:
    app = sheet_host.Host(prompt)
    async with app.run_test(size=(80, 22)) as pilot:
        await app.arm(pilot)
        for width, height in LADDER:
            await pilot.resize_terminal(width, max(height - BARS, 1))
            await app.settled(pilot)
            if width >= LEAST[0] and height >= LEAST[1]:
                is_visible(app)
            elif app.sheet.cramped and width >= 20:
                assert "small" in " ".join(text_of(app).split())
        assert app.answers == [] and not app.sheet.cramped


@pytest.mark.parametrize("kind", [*sampled(list(DECISIONS), 8), *sampled(list(OTHERS), 8, 1)])
async def test_a_sheet_is_resized(kind: str) -> None:
    await up_and_down((DECISIONS | OTHERS)[kind])


@pytest.mark.parametrize(("name", "at"), sampled(HOSTILE, 23), ids=str)
async def test_a_sheet_full_of_what_others_wrote_is_resized(name: str, at: int) -> None:
    await up_and_down(everywhere(WRITTEN[name])[at])


# -- pages


def scene(name: str) -> tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]:
    app = test_app_pictures.host(name, "jp-night")
    return app, test_app_pictures.steps(app, *test_app_pictures.SCENES[name])


def changes() -> tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]:
    app = test_changes_pictures.host("jp-night")
    return app, test_changes_pictures.steps(app, "undo")


def setup() -> tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]:
    app = Host(FakeLink())
    return app, test_setup_pictures.steps(app, "failed")


def trust() -> tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]:
    app = Host(FakeLink(opened(), stops=False))

    async def steps(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        app.action_open("trust")
        await pilot.pause()
        await app.says(pilot, test_trust_page.read("changed", compared=True))
        await pilot.press("t")

    return app, steps


PAGES: dict[str, Callable[[], tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]]] = {
    **{name: lambda name=name: scene(name) for name in test_app_pictures.SCENES},  # type: ignore[misc]
    "changes": changes, "setup": setup, "trust": trust,
}  # fmt: skip
ASKS = ("trust", "reviewers-sure", "inbox-how-long", "reviewer", "themes")
"""Pages that ask something, and two in whose middle a resize once ended the app; each run has them."""
SOME = [*ASKS, *sampled([name for name in PAGES if name not in ASKS], 20)]


def last_rows(screen: Screen[object]) -> None:
    """What a page says and its keys are inside its frame, and so is the row with the cursor."""
    box = screen.query_one(PageBox)
    inside = box.content_region
    for part in (screen.query_one("#notice", Static), screen.query_one(KeyBar)):
        if part.display:
            assert inside.contains_region(part.region) and part.region.height, part
    notice = screen.query_one("#notice", Static)
    if notice.display:
        lines = len(notice.content.wrap(notice.content_size.width))  # type: ignore[union-attr]
        assert notice.content_size.height >= min(lines, 5)
    rows = screen.query_one(OptionList)
    if rows.highlighted is not None and rows.display:
        at = rows._option_to_index[rows.highlighted_option] * 2 if rows.highlighted_option else 0
        assert rows.scroll_offset.y <= at < rows.scroll_offset.y + rows.size.height


@partly(2)
@pytest.mark.parametrize("name", SOME)
async def test_a_page_is_resized(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app, steps = PAGES[name]()
    async with app.run_test(size=(80, 24)) as pilot:
        await steps(pilot)
        kept = app.composer.text
        for size in LADDER:
            await pilot.resize_terminal(*size)
            await app.still(pilot)
            small = size[0] < LEAST[0] or size[1] < LEAST[1]
            assert isinstance(app.screen, TooSmall) == small, size
            if small:
                assert "small" in app.screen_text() and f"{size[0]}x{size[1]}" in app.screen_text()
            elif app.screen.query(PageBox):
                last_rows(app.screen)
            assert all(strip.cell_length <= size[0] for strip in app.screen._compositor.render_strips())
        assert app.composer.text == kept
