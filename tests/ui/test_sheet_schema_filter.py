"""`/` in a long choice of a form, as in a list of options: issue 5, asking.md "Keys", E60."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.schema_host import Checked
from tests.ui.sheet_host import schema, text_of

PICKS: Any = {
    "type": "object",
    "properties": {
        "pick": {"enum": [f"choice {n}" for n in range(1000)]},
        "marks": {"type": "array", "uniqueItems": True, "items": {"enum": [f"mark {n}" for n in range(40)]}},
        "few": {"enum": ["a long value of nine " * 5, "another long value " * 5]},
        "name": {"type": "string"},
    },
}


async def test_a_thousand_values_are_narrowed_by_letters_and_one_is_chosen() -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "/ filter" in text_of(app), "the key is named before the choice is open"
        await app.type(pilot, "slash", *"CHOICE 77")
        shown = text_of(app)
        assert "11 found" in shown and "choice 776" in shown and "choice 78" not in shown
        await app.type(pilot, "down", "down", "enter")
        assert app.document == {}, "Enter goes to the list"
        await app.type(pilot, "enter")
        assert app.document == {"pick": "choice 771"}
        assert "found" not in text_of(app) and not app.schema.filter.field.display, "chosen: all is as it was"


async def test_several_values_are_marked_while_the_filter_stays() -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "down", "slash", "3", "enter", "space", "down", "space")
        assert app.document == {"marks": ["mark 3", "mark 13"]}
        assert app.schema.filter.field.display and "13 found" in text_of(app)
        await app.type(pilot, "slash", "escape")
        assert len(app.schema.document.lines) == 44 and not app.schema.filter.field.display
        assert app.schema.document.line is not None and app.schema.document.line.name == "mark 13", (
            "it stays where it was"
        )


async def test_no_value_with_these_letters_is_said_and_the_filter_goes_with_its_choice() -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "slash", *"zz", "enter")
        assert "No matching options" in text_of(app) and "0 found" in text_of(app)
        await app.type(pilot, "down")
        assert not app.schema.filter.field.display and app.schema.filter.field.text == ""
        line = app.schema.document.line
        assert line is not None and line.path == ("marks",) and len(app.schema.document.lines) == 1004


async def test_letters_that_are_typed_for_the_filter_are_no_keys_of_the_form() -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "slash", *"rs/")
        assert app.sheet.mode == "write" and app.answers == [] and app.schema.filter.field.text == "rs/"
        await app.type(pilot, "f6")
        assert app.schema.editors.active == "json" and not app.schema.filter.field.display
        await app.type(pilot, "f6", "escape", "escape")
        assert app.sheet.mode == "answer"


@pytest.mark.parametrize(("path", "hint"), [(("pick",), True), (("marks",), True), (("few",), False)])
async def test_the_key_is_named_from_ten_values_on_and_works_from_two(path: tuple[str], hint: bool) -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(100, 40)) as pilot:
        await app.arm(pilot)
        app.schema.document.go_to(path)
        app.schema.editors.arrive()
        await app.settled(pilot)
        assert ("/ filter" in text_of(app)) is hint
        await app.type(pilot, "slash")
        assert app.sheet.writing is app.schema.filter.field


async def test_the_filter_works_by_mouse() -> None:
    app = Checked(schema(of=PICKS))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.click_text(pilot, "/ filter")
        await app.type(pilot, *"998")
        line = next(y for y, one in enumerate(text_of(app).split("\n")) if "choice 998" in one)
        await pilot.click(offset=(8, line))
        await app.settled(pilot)
        assert app.document == {"pick": "choice 998"}
