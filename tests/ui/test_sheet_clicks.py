"""E11, E60: which clicks answer: one that came in one read does, one that began on something else does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.protocol.values import Answered, PromptRequest, Response, Submitted, WentBack
from tests.ui.sheet_host import Host, boolean, formed, hunky, multi, review, select, text, text_of

WAYS: dict[str, tuple[PromptRequest, str, Response | None, Callable[[Host], bool]]] = {
    "row of a yes or no": (boolean(context=None), "n no", Answered(value=False), lambda app: True),
    "option": (select(), "41 M rows", Answered(value="production"), lambda app: True),
    "mark": (multi(), "staging", None, lambda app: app.sheet.area.typed() is not None),
    "tab": (formed(select()), "✓ apply", WentBack(to="apply"), lambda app: True),
    "line of the review": (review(), "the model gets these answers", Submitted(), lambda app: True),
    "hint": (review(), "Enter submit", Submitted(), lambda app: True),
    "hunk": (hunky(), "2/3 after line 40", None, lambda app: app.sheet.area.typed() is not None),
    "field": (text(), "write", None, lambda app: app.sheet.writing is not None),
}


def at(app: Host, words: str) -> tuple[int, int]:
    """The cell in the middle of words on the screen."""
    rows = text_of(app).split("\n")
    found = [(row.index(words) + len(words) // 2, y) for y, row in enumerate(rows) if words in row]
    assert found, f"{words!r} is not on the screen:\n{text_of(app)}"
    return found[0]


def button(kind: type[events.MouseEvent], x: int, y: int) -> events.MouseEvent:
    return kind(None, x, y, 0, 0, 1, False, False, False, x, y)


async def press_and_release(app: Host, pilot: Pilot[None], first: str, then: str = "") -> None:
    """Both reports at once, as one read of the terminal brings them."""
    app.now += 0.2
    down, up = at(app, first), at(app, then or first)
    app.post_message(button(events.MouseDown, *down))
    app.post_message(button(events.MouseUp, *up))
    for _ in range(4):
        await pilot._wait_for_screen()
    await app.settled(pilot)


@pytest.mark.parametrize("way", WAYS)
async def test_e60_a_click_that_comes_in_one_read_counts(way: str) -> None:
    prompt, words, answer, done = WAYS[way]
    app = Host(prompt)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        if way == "field":
            await app.type(pilot, "escape")
        await press_and_release(app, pilot, words)
        if answer is not None and not app.answers:
            await press_and_release(app, pilot, words)  # what it discards is said first
        assert app.answers == ([answer] if answer is not None else []) and done(app)


async def test_e11_a_click_in_one_read_with_the_focus_of_the_window_answers_nothing() -> None:
    app = Host(boolean(context=None))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        app.post_message(events.AppBlur())
        await app.settled(pilot)
        app.now += 5
        app.post_message(events.AppFocus())
        app.now -= 0.2
        await press_and_release(app, pilot, "n no")
        assert app.answers == []
        await press_and_release(app, pilot, "n no")
        assert app.answers == [Answered(value=False)]


@pytest.mark.parametrize(
    ("prompt", "first", "then"),
    [
        (boolean(context=None), "y yes", "n no"),
        (select(), "41 M rows", "staging"),
        (formed(select()), "● envs", "✓ apply"),
        (review(), "r reply", "Enter submit"),
        (boolean(context=None), "I'll read the file first", "n no"),
    ],
    ids=["row", "option", "tab", "hint", "conversation"],
)
async def test_e11_a_press_elsewhere_that_is_dragged_here_answers_nothing(
    prompt: PromptRequest, first: str, then: str
) -> None:
    app = Host(prompt)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        for _ in range(2):
            await press_and_release(app, pilot, first, then)
        assert app.answers == [] and app.sheet.area.body.choices is not None
        assert not app.sheet.frame.notice.display
