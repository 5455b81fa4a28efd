"""A form that hides nothing and says what is wrong by signs and words, at its place and whole below (E5, E60, E61).

Nothing is told as wrong before anybody did anything there (E14).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from jp_tui.protocol.values import Answered
from tests.ui.schema_host import Checked
from tests.ui.sheet_host import schema, text_of

NAME: Any = {"type": "object", "properties": {"name": {"type": "string"}}}
MAIL: Any = {
    "type": "object",
    "required": ["name", "mail"],
    "properties": {
        "name": {"type": "string", "minLength": 3, "maxLength": 10},
        "mail": {"type": "string", "format": "email"},
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
    },
}


def line_with(app: Checked, words: str) -> str:
    return next(line for line in text_of(app).split("\n") if words in line)


async def test_what_the_form_has_no_line_for_is_told_before_it_is_submitted() -> None:
    begun = {"name": "demo", "delete_everything": True}
    app = Checked(schema(of=NAME, has_default=True, default=begun))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "+ 1 more: delete_everything (F6)" in text_of(app)
        assert "✓ fits · 1 key not shown in the form" in text_of(app)
        await app.type(pilot, "down")
        assert "delete_everything: true" in text_of(app) and "Enter show as JSON" in text_of(app)
        await app.type(pilot, "enter")
        assert app.schema.editors.active == "json" and app.schema.editors.json.cursor_location == (2, 2)
        assert "not shown" not in text_of(app), "there it is"
        await app.type(pilot, "f6", "ctrl+s")
        assert app.answers == [Answered(value=begun)]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_nested_and_folded_keys_and_odd_values_are_shown_as_what_they_are(size: tuple[int, int]) -> None:
    of: Any = {"type": "object", "properties": {
        "level": {"enum": ["low", "high"]}, "on": {"type": "boolean"}, "pick": {"enum": [f"v{n}" for n in range(30)]},
        "limits": {"type": "object", "properties": {"cpu": {"type": "number"}}},
        "jobs": {"type": "array", "items": {"type": "object", "properties": {"cron": {"type": "string"}}}},
    }}  # fmt: skip
    begun = {
        "level": "zzz", "on": "yes", "pick": 7, "limits": {"cpu": 1, "mem\u202e": 2},
        "jobs": [{"cron": "x", "evil": 1}],
    }  # fmt: skip
    app = Checked(schema(of=of, has_default=True, default=begun))
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "zzz · not an option" in line_with(app, " level ")
        assert '"yes" · not an option' in line_with(app, " on ")
        assert "7 · not an option" in line_with(app, " pick ")
        await app.type(pilot, "end")
        assert "+ 1 more: mem\\u{202E} (F6)" in text_of(app) and "+ 1 more: 0/evil (F6)" in text_of(app)
        assert "2 keys not shown in the form" in " ".join(text_of(app).replace("│", " ").split()), text_of(app)
        await app.type(pilot, "ctrl+s")
        assert app.answers == [], "what does not fit stays"


async def test_an_odd_value_is_replaced_by_choosing() -> None:
    of: Any = {"type": "object", "properties": {"level": {"enum": ["low", "high"]}}}
    app = Checked(schema(of=of, has_default=True, default={"level": "zzz"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "down", "down", "enter")
        await app.judged(pilot)
        assert app.document == {"level": "high"} and "(•) high" in text_of(app) and "zzz" not in text_of(app)


async def test_a_number_and_a_text_of_the_same_look_are_told_apart() -> None:
    app = Checked(schema(of={"type": "object", "properties": {"mode": {"enum": [1, "1"]}}}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert '( ) 1   ( ) "1"' in text_of(app)
        await app.type(pilot, "right", "space")
        assert app.document == {"mode": "1"}


async def test_e60_a_mistake_has_a_sign_and_words_of_its_own_beside_the_hint() -> None:
    app = Checked(schema(of=MAIL, has_default=True, default={"name": "demo", "mail": "a@b"}))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "3 to 10 characters" in line_with(app, "name *") and "✗" not in text_of(app)
        await app.type(pilot, "backspace", "backspace")
        await app.judged(pilot)
        assert "✗ must have at least" in line_with(app, "name *")
        assert "✗ 1 problem · /name: must have at least 3 characters" in text_of(app)
        assert "3 to 10 characters" in text_of(app), "what is wanted stays readable"
        await app.type(pilot, *["backspace"] * 2)
        await app.judged(pilot)
        assert "✗ Name is required" in line_with(app, "name *"), "emptied by hand"


async def test_what_is_wrong_at_the_cursor_is_told_whole_below_with_its_path_in_two_lines_where_needed() -> None:
    long = "^(?:[a-z0-9]+-)*[a-z0-9]+(?:\\.example)?(?:/[a-z]+)*$"
    of: Any = {"type": "object", "properties": {
        "first": {"type": "string", "minLength": 5}, "mail": {"type": "string", "format": "email"},
        "slug": {"type": "object", "properties": {"pattern": {"type": "string", "pattern": long}}},
    }}  # fmt: skip
    app = Checked(schema(of=of, has_default=True, default={"first": "x", "mail": "foo", "slug": {"pattern": "!"}}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "✗ 3 problems · /first: must have at least 5 characters" in text_of(app)
        await app.type(pilot, "tab")
        assert "✗ must be an e-ma" in line_with(app, "▸ mail")
        assert "✗ 3 problems · /mail: must be an e-mail address" in text_of(app), "the cursor's, not the first"
        await app.type(pilot, "tab", "tab")
        rows = text_of(app).split("\n")
        at = next(n for n, row in enumerate(rows) if "✗ 3 problems" in row)
        assert rows[at].strip("│ ") == "✗ 3 problems · /slug/pattern: must match the pattern"
        assert rows[at + 1].strip("│ ") == long, "all of it, in a second line"


async def test_what_the_form_does_not_show_is_counted_beside_the_longest_problem() -> None:
    pattern = "^[a-z0-9]+(?:[._-][a-z0-9]+)*@example\\.(?:com|org)$"
    of: Any = {"type": "object", "properties": {"mail": {"type": "string", "pattern": pattern}}}
    app = Checked(schema(of=of, has_default=True, default={"mail": "-", "a": 1, "b": 2}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        rows = [row.strip("│ ") for row in text_of(app).split("\n")]
        at = rows.index("✗ 1 problem · 2 keys not shown in the form · /mail: must match the pattern")
        assert rows[at + 1] == pattern


async def test_e61_fields_are_as_wide_as_there_is_room() -> None:
    for size, least in (((80, 24), 30), ((200, 50), 45)):
        app = Checked(schema(of=NAME))
        async with app.run_test(size=size) as pilot:
            await app.arm(pilot)
            assert app.schema.form.entry.size.width >= least


async def test_nothing_is_told_as_wrong_before_a_key_was_pressed_and_names_are_cut_at_whole_words() -> None:
    names = [f"a_long_name_of_a_field_{n}" for n in range(8)]
    of: Any = {"type": "object", "required": ["name", *names], "properties": {
        "name": {"type": "string", "minLength": 1}, "tags": {"type": "array", "items": {}, "minItems": 1},
        **{name: {"type": "string"} for name in names},
    }}  # fmt: skip
    app = Checked(schema(of=of, has_default=True, default={"name": ""}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "problem" not in text_of(app) and "✗" not in text_of(app) and "!" not in text_of(app)
        told = " ".join(row.strip("│ ") for row in text_of(app).split("\n") if "still needed" in row or " more" in row)
        assert told.startswith("9 still needed: name, a_long_name_of_a_field_0, a_long_name_of_a_field_1, ")
        assert told.endswith("_3, 4 more")
        assert app.schema.editors.json._wrong == frozenset()
        await app.type(pilot, "enter")
        assert app.answers == [] and "Not submitted: 9 fields are required" in text_of(app)
        assert "✗ Name is required" in line_with(app, "name *")


@pytest.mark.parametrize("key", ["j", "k"])
async def test_e60_letters_that_move_never_land_in_a_text(key: str) -> None:
    of: Any = {"type": "object", "properties": {
        "first": {"type": "string"}, "on": {"type": "boolean"}, "last": {"type": "string"}, "off": {"type": "boolean"},
    }}  # fmt: skip
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "tab", *[key] * 3)
        line = app.schema.document.line
        assert line is not None and line.name == ("off" if key == "j" else "first")
        assert app.document == {} and app.sheet.writing is None
        await app.type(pilot, *("k" if key == "j" else ""))
        assert "Enter write" in text_of(app), "what Enter does there"
        await app.type(pilot, "enter", *"jk")
        assert list(app.document.values()) == ["jk"], "now it is written in"
        await app.type(pilot, "up", "down", "x")
        assert "x" not in str(app.document) or "jkx" in str(app.document)


async def test_a_minus_that_removes_an_entry_is_not_written_into_the_next() -> None:
    of: Any = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
    app = Checked(schema(of=of, has_default=True, default={"tags": ["a", "b", "c"]}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "j", "minus", "minus")
        assert app.document == {"tags": ["c"]}


async def test_a_list_that_is_the_whole_answer_has_a_name_and_its_keys() -> None:
    app = Checked(schema(of={"type": "array", "items": {"type": "string"}, "minItems": 1}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "▸ the list  ▾ 0 entries" in text_of(app) and "1 still needed" in text_of(app)
        assert "Enter fold" in text_of(app) and "Ctrl+S submit" in text_of(app)
        await app.type(pilot, "enter")
        assert "▸ the list  ▸ 0 entries" in text_of(app) and "Enter open" in text_of(app)
        await app.type(pilot, "enter", "+", *"one")
        await app.judged(pilot)
        await app.type(pilot, "ctrl+s")
        assert app.answers == [Answered(value=["one"])]


async def test_the_tour_opens_its_form_with_nothing_wrong() -> None:
    """Walk 8: what a person has to write is still needed, and that is all that is said."""
    tour = tomllib.loads((Path(__file__).parents[2] / "config" / "demo" / "tour.toml").read_text())
    walk = next(one for one in tour["walks"] if one["name"] == "schema")
    asked = walk["turns"][0]["calls"][0]["arguments"]["questions"][0]
    assert asked["default"] == {"celsius": 95, "seconds": 240}, "no text that nobody wrote"
    app = Checked(schema(of=asked["schema"], has_default=True, default=asked["default"]))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert "1 still needed: name" in text_of(app) and "problem" not in text_of(app)
        await app.type(pilot, *"Sencha")
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={"name": "Sencha", "celsius": 95, "seconds": 240})]
