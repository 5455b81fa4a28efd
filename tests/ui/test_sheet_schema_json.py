"""The JSON face of a schema answer, and one document behind both (row 21): R186, R187, R192, E24, F6, T4, T17."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from jp_tui.conversation.strict_json import JsonProblem
from jp_tui.protocol.values import Answered, Replied
from jp_tui.ui.sheets.json.text import read
from tests.ui.schema_host import JOB, Checked
from tests.ui.sheet_host import schema, text_of

WHOLE: Any = {"name": "x", "batch": 1, "workers": 4}


async def write(app: Checked, pilot: Pilot[None], text: str) -> None:
    """Another text in the editor, and the sheet knows of it."""
    app.schema.editors.json.put(text)
    await app.until(pilot, lambda: app.schema.editors.text == app.schema.editors.json.value)


async def test_r192_a_default_that_fits_is_accepted_with_enter() -> None:
    default = {"name": "x\u202ey", "list": [1.5, None]}
    app = Checked(schema(of={"type": "object"}, has_default=True, default=default))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "\\u202ey" in text_of(app)
        await app.type(pilot, "enter")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value=default)]


@pytest.mark.parametrize("value", [None, [], 3, "text", False, {}])
async def test_any_json_value_may_be_an_answer(value: object) -> None:
    app = Checked(schema(of={}, has_default=True, default=value))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        await app.type(pilot, "ctrl+s")
        assert app.answers == [Answered(value=value)]


async def test_f6_goes_from_one_face_to_the_other_and_back_at_the_same_place() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "tab", *"23", "f6")
        assert '"batch": 123,' in text_of(app) and app.schema.editors.json.cursor_location == (2, 2)
        await app.type(pilot, *["right"] * 9, "9", "f6")
        assert app.document["batch"] == 9123 and "9123" in text_of(app)
        line = app.schema.document.line
        assert line is not None and line.path == ("batch",)


async def test_json_as_it_was_written_stays_as_long_as_it_means_the_same() -> None:
    odd = '{"workers":  4,\n\n"batch": 1, "name": "x", "more": [1,\n2]}'
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        await write(app, pilot, odd)
        await app.type(pilot, "f6", "tab", "f6")
        assert app.schema.editors.json.value == odd
        await app.type(pilot, "f6", "escape", "home", "y")
        await app.judged(pilot)
        assert app.document == {"workers": 4, "batch": 1, "name": "xy", "more": [1, 2]}
        await app.type(pilot, "f6")
        assert list(app.document) == ["workers", "batch", "name", "more"] and '"name": "xy"' in text_of(app)


async def test_both_faces_change_together_where_they_stand_side_by_side() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y")
        await app.judged(pilot)
        assert '"name": "xy"' in text_of(app)
        await app.type(pilot, "f6", "end", "left", *["backspace"] * 2, "z")
        await write(app, pilot, '{"name": "from json", "batch": 2, "workers": 3}')
        while app.document["name"] != "from json":  # read in a moment without keys, which a busy machine stretches
            await pilot.pause(0.02)
        await app.judged(pilot)
        assert app.document["name"] == "from json" and text_of(app).count("from json") == 2


async def test_r186_what_is_no_json_is_told_with_its_place_while_it_is_typed() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        await write(app, pilot, '{\n  "name": "a",\n  "name": "b", "batch": 1, "workers": 1\n}')
        await app.judged(pilot)
        assert "line 3, column 3: the key 'name' appears twice" in text_of(app)
        assert app.schema.editors.json._wrong == {3}
        await app.type(pilot, "enter")
        assert app.answers == [] and app.schema.editors.json.cursor_location == (2, 2)
        await app.type(pilot, "f6")
        assert app.schema.editors.active == "json", "no form can show what is no JSON"
        await app.type(pilot, "right", *["delete"] * 4, *"nick")
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={"name": "a", "nick": "b", "batch": 1, "workers": 1})]


async def test_r186_a_verdict_marks_its_line_and_tab_goes_there() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE | {"workers": 64, "limits": {"until": "soon"}}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        await app.judged(pilot)
        assert app.schema.editors.json._wrong == {4, 6}
        assert "2 problems · /workers: must be at most 16" in text_of(app)
        await app.type(pilot, "tab")
        assert app.schema.editors.json.cursor_location == (3, 2)
        await app.type(pilot, "tab")
        assert app.schema.editors.json.cursor_location == (5, 4)
        await app.type(pilot, "enter")
        assert app.answers == [] and "Not submitted: /workers" in text_of(app)


async def test_r186_emptied_leads_back_to_the_choice() -> None:
    app = Checked(schema(of={}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await write(app, pilot, " \n")
        await app.type(pilot, "enter")
        assert app.answers == [] and "The text is empty." in text_of(app) and app.sheet.writing is None
        await app.type(pilot, "r", *"no idea", "enter")
        assert app.answers == [Replied(text="no idea")]


async def test_what_has_no_form_says_why_and_is_written_as_json() -> None:
    app = Checked(schema(of={"oneOf": [{"type": "string"}, {"type": "array"}]}))
    async with app.run_test(size=(120, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        assert "no form for this: one of several shapes" in text_of(app)
        await write(app, pilot, '["a"]')
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=["a"])]


async def test_a_part_that_has_no_field_leads_to_its_place_in_the_json() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE | {"labels": {"a": "b"}}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "end")
        assert "any key names: F6 edits it as JSON" in text_of(app)
        await app.type(pilot, "enter")
        assert app.schema.editors.active == "json" and app.schema.editors.json.cursor_location == (4, 2)


async def test_the_whole_schema_unfolds_and_folds_from_inside_a_field() -> None:
    app = Checked(schema(of=JOB, context="Somebody must set them."))
    async with app.run_test(size=(80, 40)) as pilot:
        await app.arm(pilot)
        assert "Somebody must" in text_of(app)
        await app.type(pilot, "f7")
        assert '"required": [' in text_of(app) and app.sheet.writing
        await app.type(pilot, "f7")
        assert '"required": [' not in text_of(app) and "Somebody must" in text_of(app)


async def test_a_new_line_begins_below_the_one_above_it() -> None:
    app = Checked(schema(of={}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await write(app, pilot, "")
        await app.type(pilot, "{", "ctrl+j", *'"a":[', "ctrl+j", *"1]}")
        assert app.schema.editors.json.text == '{\n  "a":[\n    1]}'


async def test_ctrl_g_writes_a_field_or_the_json_in_another_editor() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE), editor=lambda given: given.replace("x", "from vi"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+g")
        assert app.document["name"] == "from vi"
        app.dock._editor = lambda given: given.replace("4", "5")
        await app.type(pilot, "f6", "ctrl+g")
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={"name": "from vi", "batch": 1, "workers": 5})]


async def test_t4_a_megabyte_is_pasted_and_answered_whole() -> None:
    large = '["' + "y" * 1_048_576 + '"]'
    app = Checked(schema(of={}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await write(app, pilot, "")
        app.now += 1
        app.post_message(events.Paste(large))
        await app.settled(pilot)
        assert "1,048,580 characters" in text_of(app)
        await app.judged(pilot)
        await app.type(pilot, "enter")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value=["y" * 1_048_576])]


async def test_t4_a_megabyte_is_pasted_into_a_field_of_the_form() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.now += 1
        app.post_message(events.Paste("z" * 1_048_576))
        await app.settled(pilot)
        assert len(app.document["name"]) == 1_048_577
        await app.type(pilot, "tab", "shift+tab")
        await app.judged(pilot)
        await app.type(pilot, "enter")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value=WHOLE | {"name": "x" + "z" * 1_048_576})]


async def test_that_there_is_no_form_stands_there_from_the_start_and_f6_says_what_it_does() -> None:
    for of, note in (
        ({"oneOf": [{"type": "string"}, {"type": "array"}]}, "one of several shapes"),
        ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, "any key names"),
    ):
        app = Checked(schema(of=of))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.arm(pilot)
            await app.judged(pilot)
            assert f"the form cannot express this ({note}): JSON" in text_of(app)
            assert "F6 why no form" in text_of(app) and "✗" not in text_of(app), "nothing was done wrong yet"
            await app.type(pilot, "f6")
            assert f"no form for this: {note}" in text_of(app)


@pytest.mark.parametrize(
    ("of", "keys", "text"),
    [
        ({}, ['"'], '{"}'), ({}, ["{"], "{"), ({}, ["["], "["), ({}, ["7"], "7"), ({}, ["t"], "t"),
        ({"type": "array", "prefixItems": []}, ["{"], "{"),
        ({}, ["left", "x"], "x{}"), ({}, ["x", "{"], "{x{}"),
    ],
)  # fmt: skip
async def test_a_document_that_is_written_over_an_untouched_skeleton_replaces_it(
    of: Any, keys: list[str], text: str
) -> None:
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert app.schema.editors.json.cursor_location == (0, 1), "inside"
        await app.type(pilot, *keys)
        assert app.schema.editors.json.text == text


async def test_a_whole_document_that_is_pasted_replaces_what_nobody_touched() -> None:
    whole = '{"a": [1,\n 2]}'
    for start, begun, first, wanted in (
        ({}, (), [], whole),
        ({}, ({"x": 1},), [], whole),
        ({}, ({"x": 1},), ["end"], "{" + whole),
        ({}, (), [*'"k":', "left", "right"], '{"k":' + whole + "}"),
    ):
        fields: Any = {"has_default": True, "default": begun[0]} if begun else {}
        app = Checked(schema(of=start, **fields))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.arm(pilot)
            await app.type(pilot, *first)
            app.now += 1
            app.post_message(events.Paste(whole))
            await app.settled(pilot)
            assert app.schema.editors.json.text.startswith(wanted), (begun, first)


async def test_what_is_filled_in_is_not_written_over() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y", "f6", "{")
        assert app.schema.editors.json.text.count("\n") == 4 and '{"name": "xy"' in app.schema.editors.json.text


async def test_ctrl_home_and_ctrl_end() -> None:
    app = Checked(schema(of={}, has_default=True, default={"a": 1, "b": 2}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+end")
        assert app.schema.editors.json.cursor_location == (3, 1)
        await app.type(pilot, "ctrl+home")
        assert app.schema.editors.json.cursor_location == (0, 0)


async def test_a_mistake_is_told_once() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=WHOLE))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "f6")
        await write(app, pilot, '{\n  "name": \n}')
        for key, words in (
            ("enter", "Not submitted: the JSON isn't valid yet"),
            ("f6", "No form yet"),
        ):
            await app.type(pilot, key)
            await app.judged(pilot)
            assert text_of(app).count("line 3, column 1: a value is missing here") == 1
            assert words in text_of(app) and app.schema.editors.json.cursor_location == (2, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "the JSON is incomplete"), ('{"a":1,}', "remove the comma"), ("{'a':1}", "in double quotes"),
        ("{a:1}", "a key in double quotes"), ('{"a" 1}', "a colon is missing"), ('{"a":1 "b":2}', "a comma or"),
        ('{"a":yes}', "put text in double quotes"), ("[1] [2]", "the JSON ends before this"), (" ", "is empty"),
        ('["abc]', "closing double"), ('["a\tb"]', "write \\n or \\t"), (r'["\q"]', "unknown escape"),
        (r'["\u12"]', "4 digits"),
        ("[NaN]", "NaN isn't JSON"), ('{"a":1,"a":2}', "appears twice"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_plain_words(text: str, words: str) -> None:
    with pytest.raises(JsonProblem) as found:
        read(text)
    assert words in found.value.message and "Expecting" not in found.value.message
