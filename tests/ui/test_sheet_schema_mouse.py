"""A schema answer with the mouse alone, and text that wants to be more than text: E60, E11, T1, T2, V18."""

from __future__ import annotations

from typing import Any

from jp_tui.protocol.values import Answered
from tests.ui.schema_host import JOB, Checked
from tests.ui.sheet_host import schema, text_of

BEGUN: Any = {"name": "x", "batch": 1, "workers": 4}


async def test_e60_a_form_is_filled_in_by_mouse_alone() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=BEGUN))
    async with app.run_test(size=(80, 40)) as pilot:
        await app.arm(pilot)
        for words in ("fast", "pager", "mail", "+ adds"):
            app.now += 1
            await app.click_text(pilot, words)
            await app.settled(pilot)
        assert app.document == BEGUN | {"mode": "fast", "notify": ["mail", "pager"], "schedule": [{}]}
        app.now += 1
        await app.click_text(pilot, "local")
        app.now += 1
        await app.click_text(pilot, "+ add an entry")
        await app.settled(pilot)
        assert app.document["schedule"] == [{"zone": "local"}, {}]
        app.now += 1
        await app.click_text(pilot, "▾ not set")
        app.now += 1
        await app.click_text(pilot, "  2 ")
        await app.settled(pilot)
        for words, left in ((" ↑ ", [{}, {"zone": "local"}]), (" ✕ ", [{"zone": "local"}])):
            app.now += 1
            await app.click_text(pilot, words)
            await app.settled(pilot)
            assert app.document["schedule"] == left, words
        app.now += 1
        await app.click_text(pilot, " ✕ ")
        await app.judged(pilot)
        app.now += 1
        await app.click_text(pilot, "submit")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value=BEGUN | {"mode": "fast", "notify": ["mail", "pager"], "schedule": []})]


async def test_e60_the_faces_change_by_a_click_and_a_field_is_written_in_by_one() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=BEGUN))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.arm(pilot)
        await app.click_text(pilot, '"batch"')
        await app.settled(pilot)
        assert app.schema.editors.active == "json" and app.sheet.writing is app.schema.editors.json
        app.now += 1
        await app.click_text(pilot, "workers *")
        await app.settled(pilot)
        line = app.schema.document.line
        assert app.schema.editors.active == "form" and line is not None and line.path == ("workers",)
        assert app.sheet.writing is app.schema.form.entry
        app.now += 1
        await app.click_text(pilot, "F6 JSON")
        await app.settled(pilot)
        assert app.sheet.writing is app.schema.editors.json


async def test_e11_a_click_that_came_with_the_focus_of_the_window_chooses_nothing() -> None:
    app = Checked(schema(of=JOB, has_default=True, default=BEGUN))
    async with app.run_test(size=(80, 40)) as pilot:
        await app.arm(pilot)
        app.dock.gate.window_focused(True)
        await app.click_text(pilot, "fast")
        await app.settled(pilot)
        assert app.document == BEGUN


async def test_the_wheel_scrolls_and_typing_brings_the_field_back() -> None:
    of: Any = {"type": "object", "properties": {f"field{n}": {"type": "string"} for n in range(60)}}
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        for _ in range(8):
            app.schema.form._scroll(2)
        await app.judged(pilot)  # a verdict does not bring the cursor back into sight
        app.schema.show_state()
        await app.settled(pilot)
        assert "field0 " not in text_of(app) and "field20" in text_of(app)
        await app.type(pilot, "q")
        assert "field0 " in text_of(app) and app.document == {"field0": "q"}


PAYLOADS = (
    "[/][red]x[/][@click=app.quit]x[/] {who} {0}", "\x1b[31mred\x1b[0m\x00 x\u202egnp.exe a\u200bb", "𝕏" * 300,
    "\n" * 70 + "tail" + " " * 300 + "t", "__proto__", "a/b~c",
)  # fmt: skip


async def test_t1_t2_names_titles_values_and_words_of_a_schema_are_text_and_nothing_else() -> None:
    for payload in PAYLOADS:
        of: Any = {
            "type": "object",
            "required": [payload, f"{payload}!"],
            "properties": {
                payload: {"type": "string", "title": payload, "description": payload, "format": payload},
                "c": {"enum": [payload, f"b{payload}"], "x-enumNames": [payload, "b"], "title": payload},
                "l": {"type": "array", "items": {"type": "object", "properties": {payload: {"type": "number"}}}},
                "j": {"title": payload, "patternProperties": {payload: {}}, "type": "object"},
            },
        }
        value: Any = {payload: payload, "c": payload, "l": [{payload: payload}], "j": {payload: payload}}
        app = Checked(schema(of=of, has_default=True, default=value))
        async with app.run_test(size=(100, 40)) as pilot:
            await app.arm(pilot)
            await app.judged(pilot)
            for key in ("escape", "down", "enter", "down", "f6"):
                await app.type(pilot, key)
                shown = text_of(app)
                assert not any(char in shown for char in "\x1b\x00\u202e\u200b"), (payload, key)
            assert app.document == value and app.answers == []
