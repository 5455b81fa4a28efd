"""E5, E1, E61: which keys stand in the last line where there is little room, and what a menu and a full screen show."""

from __future__ import annotations

import pytest

from jp_tui.protocol.values import PromptRequest, Restored, WentBack
from tests.ui.sheet_host import (
    LONG_DIFF,
    Host,
    boolean,
    editable,
    formed,
    hunky,
    multi,
    permission,
    schema,
    select,
    text,
    text_of,
)  # fmt: skip

SMALL = (80, 23)
"""What a terminal of 80x24 leaves beside the last line of the workspace."""


async def test_e5_a_change_by_hunks_names_what_is_needed_most() -> None:
    app = Host(editable(hunky()))
    async with app.run_test(size=SMALL) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        for hint in ("Space select or clear", "] [ hunk", "a all", "c comment", "Esc menu"):
            assert hint in seen, hint
        await app.type(pilot, "ctrl+f")
        seen = text_of(app)
        assert "Ctrl+F back" in seen and "Esc menu" in seen


@pytest.mark.parametrize("prompt", [hunky(), boolean(context=LONG_DIFF), permission()], ids=["hunks", "yes", "call"])
async def test_e61_the_menu_of_a_tool_s_question_shows_the_way_to_stop_in_little_room(prompt: PromptRequest) -> None:
    app = Host(prompt)
    async with app.run_test(size=SMALL) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape")
        assert "End Turn" in text_of(app)


@pytest.mark.parametrize(("context", "offered"), [("one line", False), (LONG_DIFF, True)], ids=["fits", "does not"])
async def test_the_full_screen_is_offered_only_where_not_all_fits(context: str, offered: bool) -> None:
    """Issue 18: nothing is offered that would change nothing, in the last line and in the menu."""
    app = Host(boolean(context=context))
    async with app.run_test(size=(160, 36)) as pilot:
        await app.arm(pilot)
        assert app.sheet.reading.overflows is offered
        assert any(one.action == "full" for one in app.sheet.row_layout.dock_hints) is offered
        await app.type(pilot, "escape")
        assert ("Full screen" in text_of(app) or "Ctrl+F full" in text_of(app)) is offered
        await app.type(pilot, "escape", "ctrl+f")
        assert app.dock.full, "the key works all the same"


@pytest.mark.parametrize(("size", "rows"), [(SMALL, 15), ((120, 36), 27), ((200, 50), 41)])
async def test_e1_the_full_screen_is_for_what_is_read(size: tuple[int, int], rows: int) -> None:
    app = Host(boolean(context=LONG_DIFF * 2))
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+f")
        context = app.sheet.reading.context
        assert context is not None and context.size.height >= rows
        assert "y yes" in text_of(app) and "Y/N:" in text_of(app)


async def test_e1_what_fits_on_the_full_screen_leaves_everything_else_there() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+f")
        assert "Y/N:" in text_of(app)


FORMS: dict[str, tuple[PromptRequest, list[str], list[str]]] = {
    "first": (multi(), [], ["← → Tab questions", "b back"]),
    "answered before": (multi(), ["b back", "← → Tab questions"], ["u restore"]),
    "after back": (multi(), ["b back", "u restore", "← → Tab questions"], []),
    "text": (text(), ["Shift+Tab back"], ["Tab restore"]),
    "text after back": (text(), ["Shift+Tab back", "Tab restore"], []),
    "data": (schema(), ["Ctrl+PgUp back", "Ctrl+PgDn restore"], ["Shift+Tab back"]),
}


@pytest.mark.parametrize("kind", FORMS)
async def test_e5_a_form_names_the_keys_between_its_questions_that_work_now(kind: str) -> None:
    prompt, named, not_named = FORMS[kind]
    undo = (prompt.question.id, "note") if "after back" in kind or kind == "data" else ()
    app = Host(formed(prompt, back="" if kind == "first" else "apply", undo=undo))
    async with app.run_test(size=(140, 36)) as pilot:
        await app.arm(pilot)
        keys = {f"{hint.key} {hint.words}" for hint in app.sheet.frame.line.hints}
        assert keys >= set(named)
        assert not keys & set(not_named)


@pytest.mark.parametrize(
    ("prompt", "click", "answer"),
    [
        (formed(select()), "b back", WentBack(to="apply")),
        (formed(text(), undo=("message",)), "Tab restore", Restored()),
        (formed(text()), "Shift+Tab back", WentBack(to="apply")),
    ],
    ids=["questions", "bring back", "back"],
)
async def test_e60_these_hints_are_buttons(prompt: PromptRequest, click: str, answer: object) -> None:
    app = Host(prompt)
    async with app.run_test(size=(140, 36)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, click)
        assert app.answers == [answer]
