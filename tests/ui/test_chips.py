"""Marks that stand for long texts: unfolded, kept in drafts, in the history (issue 8, 3; T4)."""

from __future__ import annotations

import json

from textual import events

from jp_tui.protocol import commands as cmd
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import workspace

LONG = "\n".join(f"line {n}" for n in range(812))
MARK = f"[pasted 1: 812 lines, {len(LONG):,} characters]"


async def test_a_mark_is_unfolded_and_folded_again_by_undo() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"see ")
        app.post_message(events.Paste(LONG))
        await pilot.press(*" !")
        assert app.composer.text == f"see {MARK} !" and "unfold" not in app.footer
        await pilot.press("left", "left")
        await pilot.pause()
        assert "Alt+O unfold" in app.footer
        await pilot.press("alt+o")
        assert app.composer.text == f"see {LONG} !"
        await pilot.press("ctrl+underscore")
        assert app.composer.text == f"see {MARK} !"
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == [f"see {LONG} !"]


async def test_a_megabyte_is_not_unfolded() -> None:
    async with workspace() as (app, pilot):
        app.post_message(events.Paste("x y\n" * 300_000))
        await pilot.press("alt+o")
        await pilot.pause()
        assert len(app.composer.text) < 100 and "Too long to expand" in app.screen_text()


async def test_what_was_sent_folded_comes_back_folded() -> None:
    async with workspace() as (app, pilot):
        app.post_message(events.Paste(LONG))
        await pilot.press(*" why?", "enter", "up")
        assert app.composer.text == f"{MARK} why?" and app.composer.written == f"{LONG} why?"


async def test_a_draft_is_folded_where_it_was() -> None:
    """E24: several marks, whatever is written around them."""
    text = f"see {LONG} and {LONG} so"
    folds = json.dumps({"size": len(text), "places": [[4, len(LONG)], [4 + len(LONG) + 5, len(LONG)]]})
    link = FakeLink(opened(drafts={"composer": text, "composer.folds": folds}))
    async with workspace(link) as (app, pilot):
        second = MARK.replace("pasted 1", "pasted 2")
        assert app.composer.text == f"see {MARK} and {second} so" and app.composer.written == text
        await pilot.press("!")
        app._main.drafts.flush()
        kept = {one.key: one.text for one in link.of(cmd.SaveDraft)}
        assert kept["composer"] == f"{text}!" and json.loads(kept["composer.folds"])["size"] == len(text) + 1
