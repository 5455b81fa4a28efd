"""What a large schema and a large document cost: only what is on the screen is read, painted and coloured (T4, V18).

Counted, not timed: a count is the same on any machine. 100 KB of schema, and as much of a document.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import pytest

from jp_tui.ui.sheets import field
from jp_tui.ui.sheets.json import editor as json_editor
from jp_tui.ui.sheets.json import field as fields
from jp_tui.ui.sheets.json.editor import ROOM, JsonEditor
from jp_tui.ui.sheets.json.places import places
from jp_tui.ui.sheets.json.text import laid_out
from jp_tui.ui.sheets.schema import form_view as schema_view
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.schema import lines as schema_form_lines
from tests.ui.schema_host import Checked
from tests.ui.sheet_host import schema, text_of

WIDE: Any = {
    "type": "object",
    "properties": {
        f"property_{n}": {"type": "integer", "minimum": 0, "maximum": n + 10, "description": "d" * 40}
        for n in range(900)
    },
}
LIST: Any = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}},
}
LONG: Any = {"items": [{"name": f"name number {n} of many"} for n in range(3000)]}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a line is painted, a line of JSON coloured, the lines of a form made, a document laid out."""
    counts: Counter[str] = Counter()
    monkeypatch.setattr(schema_view, "paint", counting(counts, "painted", schema_view.paint))
    monkeypatch.setattr(JsonEditor, "get_line", counting(counts, "coloured", JsonEditor.get_line))
    monkeypatch.setattr(schema_form_lines, "_line", counting(counts, "lines", schema_form_lines._line))
    monkeypatch.setattr(JsonEditor, "load_text", counting(counts, "loaded", JsonEditor.load_text))
    return counts


def counting(counts: Counter[str], name: str, function: Any) -> Any:
    def counted(*given: Any, **more: Any) -> Any:
        counts[name] += 1
        return function(*given, **more)

    return counted


async def test_a_schema_of_100_kb_is_painted_line_by_line(counted: Counter[str]) -> None:
    assert len(json.dumps(WIDE)) > 100_000
    app = Checked(schema(of=WIDE, has_default=True, default={f"property_{n}": n for n in range(900)}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert len(app.schema.document.lines) == 900
        assert counted["lines"] <= 900 * 3, "made at the opening and at its width, not at each key"
        counted.clear()
        await app.type(pilot, "5", "tab", "6", "7", "shift+tab", "8")
        await app.judged(pilot)
        assert counted["lines"] == 0 and counted["loaded"] == 0, "typing makes no line anew and lays out no JSON"
        assert counted["painted"] <= 6 * 4 * 12, "a few looks at what is on the screen for each key"
        await app.type(pilot, "f6")
        assert counted["coloured"] <= 200 and counted["loaded"] == 1
        assert app.schema.editors.json.whole, "the JSON can be edited in place"
        await app.type(pilot, "f7")
        assert '"minimum": 0' in text_of(app), "the part under the cursor, not all of it"


async def test_a_document_of_100_kb_opens_folded_and_beside_its_json(counted: Counter[str]) -> None:
    assert ROOM > len(json.dumps(LONG)) > 100_000 - 20_000
    app = Checked(schema(of=LIST, has_default=True, default=LONG))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert counted["lines"] <= 4 and "3000 entries" in text_of(app)
        await app.type(pilot, "enter", "down", "enter", "down", *"xy")
        await app.judged(pilot)
        assert app.document["items"][0]["name"].endswith("xy") and counted["loaded"] <= 1, "no mirror at each key"
        assert counted["coloured"] <= 400
        await app.type(pilot, "enter")
        await app.until(pilot, lambda: bool(app.answers))


async def test_a_default_of_megabytes_is_cleaned_once_for_each_face(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = "x" * 1_000_000
    lengths: list[int] = []

    def counted(text: str) -> str:
        lengths.append(len(text))
        return cleaned(text)

    for module in (field, fields, json_editor):
        monkeypatch.setattr(module, "cleaned", counted)
    of = {"type": "object", "properties": {"a": {"type": "string"}}}
    app = Checked(schema(of=of, has_default=True, default={"a": huge}))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "1,000,0" in text_of(app) and sum(length >= len(huge) for length in lengths) == 2


def test_one_place_in_a_large_text_is_found_without_walking_it_all() -> None:
    text = laid_out(LONG)
    assert places(text, [("items", 2999, "name")]) == {("items", 2999, "name"): (2 + 3 * 2999 + 2, 7)}


async def test_a_thousand_choices_are_painted_as_they_come_into_sight(counted: Counter[str]) -> None:
    app = Checked(schema(of={"type": "object", "properties": {"pick": {"enum": [f"choice {n}" for n in range(1000)]}}}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter")
        counted.clear()
        await app.type(pilot, "end", "enter")
        assert app.document == {"pick": "choice 999"} and counted["painted"] <= 150


async def test_e10_sheets_are_loaded_while_a_question_waits_for_silence_not_in_the_step_that_opens_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Checked()
    async with app.run_test(size=(80, 24)):
        monkeypatch.delitem(sys.modules, "jp_tui.ui.sheets.registry", raising=False)
        app.dock.note_typing(app.now)
        app.dock.ask(schema(of=LIST))
        assert not app.dock.open and "jp_tui.ui.sheets.registry" in sys.modules
