"""An answer written as JSON: R185-R187, R192, E24, T4. What fits is the engine's verdict; here it is read and kept."""

from __future__ import annotations

import pytest
from textual import events

from jp_tui.protocol.values import Answered, Replied
from jp_tui.ui.sheets.schema import SchemaSheet
from tests.ui.sheet_host import Host, schema, text_of


def sheet(app: Host) -> SchemaSheet:
    assert isinstance(app.sheet, SchemaSheet)
    return app.sheet


def write(app: Host, text: str) -> None:
    sheet(app).field.put(text)


async def test_r186_it_begins_with_what_is_required() -> None:
    app = Host(schema())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert '"batch": 1' in text_of(app) and "wants name* (text), batch* (integer, 1 to 10000)" in text_of(app)
        assert "* required" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={"name": "", "batch": 1, "workers": 4})]


async def test_r192_or_with_the_default_which_enter_accepts() -> None:
    default = {"name": "x\u202ey", "list": [1.5, None]}
    app = Host(schema(has_default=True, default=default))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "\\u202ey" in text_of(app) and "enter accept the default" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=default)]


@pytest.mark.parametrize("value", [None, [], 3, "text", False, {}])
async def test_any_json_value_may_be_an_answer(value: object) -> None:
    app = Host(schema(of={}, has_default=True, default=value))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+s")
        assert app.answers == [Answered(value=value)]


async def test_r186_what_is_no_json_is_told_with_its_place_and_the_cursor_goes_there() -> None:
    app = Host(schema())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        write(app, '{\n  "name": "a",\n  "name": "b"\n}')
        await app.type(pilot, "enter")
        assert app.answers == [] and "line 3, column 3: the key 'name' stands twice" in text_of(app)
        assert sheet(app).field.cursor_location == (2, 2)
        await app.type(pilot, "right", *["delete"] * 4, *"nick", "enter")
        assert app.answers == [Answered(value={"name": "a", "nick": "b"})]


async def test_r186_the_engine_s_verdict_stands_there_and_the_text_stays() -> None:
    app = Host(schema())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        write(app, '{"workers": 64}')
        await app.type(pilot, "enter")
        app.dock.refused("q6", "/workers: 64 is greater than the maximum of 16", gone=False)
        await app.arm(pilot)
        assert "/workers: 64 is greater" in text_of(app) and '{"workers": 64}' in text_of(app)
        await app.type(pilot, "end", "left", "backspace", "enter")
        assert app.answers[-1] == Answered(value={"workers": 6})


async def test_r186_emptied_leads_back_to_the_choice() -> None:
    app = Host(schema())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        write(app, " \n")
        await app.type(pilot, "enter")
        assert app.answers == [] and "emptied" in text_of(app) and app.sheet.writing is None
        await app.type(pilot, "r", *"no idea", "enter")
        assert app.answers == [Replied(text="no idea")]


async def test_the_whole_schema_unfolds_and_folds_from_inside_the_field() -> None:
    app = Host(schema(context="Somebody must set them."))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "Somebody must" in text_of(app)
        await app.type(pilot, "f7")
        assert '"required": [' in text_of(app) and "Somebody must" not in text_of(app) and app.sheet.writing
        await app.type(pilot, "escape", "ctrl+d")
        assert '"required": [' not in text_of(app)
        await app.type(pilot, "f7")
        assert "Somebody must" in text_of(app)
        await app.type(pilot, "enter", "enter")
        assert len(app.answers) == 1


async def test_a_new_line_begins_below_the_one_above_it() -> None:
    app = Host(schema(of={}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        write(app, "")
        await app.type(pilot, "{", "ctrl+j", *'"a":[', "ctrl+j", *"1]}")
        assert sheet(app).field.text == '{\n  "a":[\n    1]}'


async def test_e24_what_is_written_is_a_draft() -> None:
    app = Host(schema())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "end", "x")
        await app.until(pilot, lambda: bool(app.drafts))
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft("q6", app.drafts[-1])
        again.dock.ask(schema())
        await again.arm(pilot)
        assert sheet(again).field.text.startswith("{x\n")


async def test_t4_a_megabyte_is_answered_whole() -> None:
    large = '["' + "y" * 1_048_576 + '"]'
    app = Host(schema(of={}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        write(app, "")
        app.now += 1
        app.post_message(events.Paste(large))
        await pilot.pause()
        assert "1,048,580 characters" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=["y" * 1_048_576])]


async def test_t4_a_default_of_a_megabyte_and_a_huge_schema_open_at_once() -> None:
    properties = {f"p{n}": {"type": "string", "description": "d" * 80} for n in range(8000)}
    value = {"text": "z" * 1_048_576}
    app = Host(schema(of={"type": "object", "properties": properties}, has_default=True, default=value))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "p9 (text), p10" in text_of(app) and "1,048,592 characters" in text_of(app)
        await app.type(pilot, "f7", "enter")
        assert app.answers == [Answered(value=value)]


async def test_ctrl_g_writes_in_another_editor() -> None:
    app = Host(schema(of={}), editor=lambda given: '{"from": "vi"}')
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+g", "enter")
        assert app.answers == [Answered(value={"from": "vi"})]
