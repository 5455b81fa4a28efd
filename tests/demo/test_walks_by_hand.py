"""E60, issue 18: each walk of the tour by the keyboard alone and by the mouse alone, on the real engine and screen.

A step waits for words on the screen and for a question that accepts keys. A mouse types no letters: they stand where
words are written, and the number that begins a walk is one of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from jp_tui.ui.app import WorkspaceApp
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.sheets.schema.area import SchemaArea
from jp_tui.view.wording.questions import REVIEW_TITLE
from tests.fakes.script import without_pauses
from tests.limits import LIMIT
from tests.pictures.__main__ import _app
from tests.sampling import sampled

SIZE = (100, 34)
FASTER = 20
"""How much faster the clock of the screen goes: half a second until a question accepts keys is no wait."""


@dataclass(frozen=True)
class Step:
    """Words of the question to wait for; then keys, or clicks: `@words` on them, and `=text` that is typed."""

    words: str
    keys: str
    clicks: tuple[str, ...]


SEND = "@Enter submit"
CHANGE = Step("Apply this change", "y", ("@y yes",))
WALKS: dict[str, tuple[tuple[Step, ...], str]] = {
    "1": ((CHANGE,), "byte for byte"),
    "2": ((Step("Should the timer ring", "n", ("@n no",)),), "Next: 3"),
    "3": ((Step("Which tea should be the default", "4", ("@rooibos",)),), "Next: 4"),
    "4": ((Step("What should a new tea be called", "A s s a m enter", ("=Assam", SEND)),), "Next: 5"),
    "5": ((), "Next: 6"),
    "6": ((), "Next: 7"),
    "7": ((Step("What may go into the tea", "down space enter", ("@sugar", SEND)),), "Next: 8"),
    "8": ((Step("Which tea should be added", "A s s a m enter", ("@Name", "=Assam", SEND)),), "Next: 9"),
    "9": (
        (
            Step("Shall there be a release", "y", ("@y yes",)),
            Step("What kind of release", "3", ("@major",)),
            Step("What breaks", "i t enter", ("=it", SEND)),
            Step("Who is told", "space enter", ("@the mailing list", SEND)),
            Step("Review your answers", "enter", ("@Submit",)),
        ),
        "Next: 10",
    ),
    "10": ((Step("Apply this change", "] space ] y", ("@1/3 line 9", "@y yes")),), "Next: 11"),
    "11": ((), "Next: 12"),
    "12": ((Step("Apply this change", "n", ("@n no",)),), "Next: 13"),
    "13": (
        (
            CHANGE,
            Step("Oolong is not on the page", "2", ("@it is left out",)),
            Step("Which tea does the house like", "i t enter", ("=it", SEND)),
        ),
        "Next: 14",
    ),
}
WALKS["14"] = (), "because second and third said yes"
BOTH = [(name, way) for name in WALKS for way in ("keys", "mouse")]


def text_of(app: App[None]) -> str:
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


async def until(pilot: Pilot[None], fact: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not fact():
        assert time.monotonic() < end, text_of(pilot.app)
        await pilot.pause(0.02)


async def click(app: WorkspaceApp, pilot: Pilot[None], words: str) -> None:
    """Click on the last place of these words: the question stands below the conversation."""
    rows = text_of(app).split("\n")
    y = next(y for y in reversed(range(len(rows))) if words in rows[y])
    await pilot.click(offset=(rows[y].index(words) + len(words) // 2, y))


def armed(app: WorkspaceApp, words: str) -> bool:
    """Whether a question with these words accepts keys, and what is filled in is known to be right or wrong."""
    sheet = app._main.query_one(SheetDock).shown()
    if sheet is None or not sheet.armed or words not in (sheet.prompt.question.text or REVIEW_TITLE):
        return False
    return not isinstance(sheet.area, SchemaArea) or sheet.area.document.sure


async def answer(app: WorkspaceApp, pilot: Pilot[None], step: Step, way: str) -> None:
    before = app._main.query_one(SheetDock).shown()
    for one in step.keys.split() if way == "keys" else step.clicks:
        await pilot.pause()
        await until(pilot, lambda: armed(app, ""))
        if one.startswith("@"):
            await click(app, pilot, one[1:])
        elif one.startswith("="):
            await pilot.press(*one[1:])
        else:
            await pilot.press(one)
    for _ in range(3):  # what was not on the screen is said first, and wants the same again
        await pilot.pause()
        sheet = app._main.query_one(SheetDock).shown()
        if sheet is not before or sheet is None or not sheet.frame.notice.display or not sheet.armed:
            break
        last = step.keys.split()[-1] if way == "keys" else step.clicks[-1]
        await (click(app, pilot, last[1:]) if last[0] == "@" else pilot.press(last))


@pytest.mark.parametrize(("name", "way"), sampled(BOTH, 7, 2))
async def test_e60_a_walk_by_hand(name: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    without_pauses(monkeypatch)
    workspace = tmp_path / "acme"
    workspace.mkdir()
    app = _app(workspace, "jp-night", lambda: time.monotonic() * FASTER)
    steps, end = WALKS[name]
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "two sub-agents ask" in text_of(app))
        await pilot.press(*name)
        await (pilot.press("enter") if way == "keys" else click(app, pilot, "Enter send"))
        left = list(steps)
        while left:  # sub-agents ask in any order
            await until(pilot, lambda: any(armed(app, step.words) for step in left))
            step = next(step for step in left if armed(app, step.words))
            left.remove(step)
            await answer(app, pilot, step, way)
        await until(pilot, lambda: end in text_of(app))
        assert app._main.query_one(Composer).text == "", "no key of an answer is in the composer (Z13)"
        app.exit()
