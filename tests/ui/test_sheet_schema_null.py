"""Null in a form: what may be null says so, becomes null by Del, and is opened again: R11, E14, issue 5 "Schema"."""

from __future__ import annotations

from typing import Any

from jp_tui.protocol.values import Answered
from tests.ui.schema_host import Checked
from tests.ui.sheet_host import schema, text_of

OF: Any = {
    "type": "object",
    "required": ["name", "owner"],
    "properties": {
        "name": {"type": ["string", "null"], "minLength": 1},
        "owner": {
            "type": ["object", "null"],
            "required": ["mail"],
            "properties": {"mail": {"type": "string"}, "days": {"type": "integer", "default": 7}},
        },
        "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
    },
}


async def test_e60_null_is_given_and_taken_back_by_keys() -> None:
    app = Checked(schema(of=OF))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert app.document == {} and "2 still needed: name, owner" in text_of(app), "null is not made up (E14)"
        assert "or null" in text_of(app)
        await app.type(pilot, "delete")
        await app.judged(pilot)
        assert app.document == {"name": None} and "is null" in text_of(app)
        await app.type(pilot, "tab", "delete", "tab", "delete")
        assert app.document == {"name": None, "owner": None, "tags": None}
        assert "or null" not in text_of(app), "said once"
        await app.type(pilot, "delete")
        assert app.document == {"name": None, "owner": None}
        await app.judged(pilot)
        await app.type(pilot, "ctrl+s")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value={"name": None, "owner": None})]


async def test_what_is_null_begins_when_it_is_opened() -> None:
    app = Checked(schema(of=OF, has_default=True, default={"name": None, "owner": None, "tags": None}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"ab", "tab", "enter")
        assert app.document == {"name": "ab", "owner": {"days": 7}, "tags": None}
        await app.type(pilot, "down", *"x@y", "down", "down", "plus", *"one")
        assert app.document == {"name": "ab", "owner": {"mail": "x@y", "days": 7}, "tags": ["one"]}
        await app.type(pilot, "up", "delete")
        assert app.document["tags"] is None and "null" in text_of(app)
        line = app.schema.document.line
        assert line is not None and line.path == ("tags",), "the cursor stays on it"


async def test_null_by_mouse() -> None:
    app = Checked(schema(of=OF, has_default=True, default={"name": "a", "owner": {"mail": "m"}}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.click_text(pilot, "owner")
        await app.click_text(pilot, " ✕ ")
        assert app.document == {"name": "a", "owner": None}
        await app.click_text(pilot, "null · Enter open")
        assert app.document == {"name": "a", "owner": {"days": 7}}


async def test_a_whole_answer_that_may_be_null() -> None:
    app = Checked(schema(of=OF["properties"]["owner"]))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        assert app.document == {"days": 7}
        await app.type(pilot, "home", "delete")
        assert app.document is None
        await app.judged(pilot)
        await app.type(pilot, "ctrl+s")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value=None)]
