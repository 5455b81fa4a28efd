"""The line that says what Y and N do, and the keys that change it (rules.md AR18; asking.md Z14)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Answered, ChosenRule, Permitted, PromptRequest
from tests.ui.sheet_host import Host, boolean, hunky, permission, text_of
from tests.view.test_rule_choice import SCOPES


@asynccontextmanager
async def sheet(prompt: PromptRequest, size: tuple[int, int] = (110, 30)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    app = Host(prompt)
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        yield app, pilot


def change(size_of: PromptRequest | None = None) -> PromptRequest:
    return (size_of or boolean()).model_copy(update={"scopes": SCOPES, "remember_covers": ""})


async def test_ar18_the_line_says_what_y_does_before_it_is_pressed() -> None:
    async with sheet(permission(scopes=SCOPES)) as (app, pilot):
        assert "Y allows, N denies `git log …` this turn · would have covered 14 of your last 20" in text_of(app)
        await app.type(pilot, "Y")
        assert app.answers == [Permitted(run=True, rule=ChosenRule(scope="command", lifetime="turn"))]


@pytest.mark.parametrize(
    ("keys", "said", "answer"),
    [
        (("+", "N"), "N denies `git …` this turn", Permitted(run=False, rule=ChosenRule(scope="program"))),
        (("-", "Y"), "`git log -3` this turn", Permitted(run=True, rule=ChosenRule(scope="exact command"))),
        (("l", "Y"), "in this conversation",
         Permitted(run=True, rule=ChosenRule(scope="command", lifetime="conversation"))),
        (("l", "l", "Y"), "in this folder", Permitted(run=True, rule=ChosenRule(scope="command", lifetime="folder"))),
        (("+", "y"), "`git …`", Permitted(run=True)),
    ],
)  # fmt: skip
async def test_ar18_keys_widen_narrow_and_change_how_long(keys: tuple[str, ...], said: str, answer: Permitted) -> None:
    async with sheet(permission(scopes=SCOPES)) as (app, pilot):
        await app.type(pilot, *keys[:-1])
        assert said in text_of(app)
        await app.type(pilot, keys[-1])
        assert app.answers == [answer]


async def test_ar18_at_the_end_a_line_says_so() -> None:
    async with sheet(permission(scopes=SCOPES)) as (app, pilot):
        await app.type(pilot, "+", "+")
        assert "nothing wider or narrower" in text_of(app)


async def test_ar18_a_cut_line_opens_before_it_counts() -> None:
    """Z14: where there is no room for all of it, Y opens it and counts when it is pressed again."""
    long = SCOPES[0].model_copy(update={"label": Foreign("`" + "x" * 400 + " …`")})
    async with sheet(permission(scopes=(long, *SCOPES[1:])), (60, 16)) as (app, pilot):
        await app.type(pilot, "Y")
        assert not app.answers and app.sheet.reading.shown_text == "covers"
        await app.type(pilot, "Y")
        assert app.answers


@pytest.mark.parametrize("prompt", [boolean(), hunky()], ids=["boolean", "hunks"])
async def test_ar18_a_change_offers_rules_too(prompt: PromptRequest) -> None:
    async with sheet(change(prompt), (120, 50)) as (app, pilot):
        await app.type(pilot, "l", "Y")
        assert app.answers == [Answered(value=True, rule=ChosenRule(scope="command", lifetime="conversation"))]


@pytest.mark.parametrize(("size", "rows"), [((80, 24), 9), ((60, 16), 4)])
async def test_z14_the_line_takes_no_row_from_what_is_decided_on(size: tuple[int, int], rows: int) -> None:
    prompt = change(boolean(context="\n".join(map(str, range(40)))))
    async with sheet(prompt, size) as (app, pilot):
        for key in ("+", "l", "l", "-"):
            await app.type(pilot, key)
            assert app.sheet.reading.rows >= rows
            assert len([hint for row in app.sheet.frame.line.rows(size[0] - 4) for hint in row]) <= 5
