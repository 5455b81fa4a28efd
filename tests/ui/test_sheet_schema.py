"""A schema answer by its form, with the keyboard alone: R11, R186, R192, E5, E14, E24, issue 5 "Schema"."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.protocol.values import Answered, Replied, WentBack
from tests.ui.schema_host import JOB, Checked
from tests.ui.sheet_host import formed, schema, text_of


async def test_r186_it_begins_with_what_the_schema_gives_and_makes_nothing_up() -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        assert app.document == {"workers": 4}
        shown = text_of(app)
        assert (
            "name *" in shown and "2 still needed: name, batch" in shown and "1 to 10,000" not in shown.split("name")[0]
        )
        await app.type(pilot, "enter")
        assert app.answers == [] and "Not submitted: 2 fields are required" in text_of(app)


async def test_what_a_line_has_no_room_for_stands_below_it_the_whole_title_and_the_place() -> None:
    title = "How much of the machine a run may take at most"
    of: Any = {"type": "object", "properties": {"limits": {"type": "object", "properties": {
        "cpu": {"type": "number", "title": title, "description": "In cores."}, "mem": {"type": "integer"},
    }}}}  # fmt: skip
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "down")
        assert f"{title} · In cores. · /limits/cpu" in text_of(app)
        await app.type(pilot, "tab")
        assert "/limits/mem" in text_of(app), "where one is, though the heads above may be out of sight"


async def test_e60_a_form_is_filled_in_by_keyboard_alone() -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=(80, 40)) as pilot:
        await app.arm(pilot)
        await app.type(
            pilot, *"nightly", "tab", *"500", "tab", "tab", "right", "space", "tab", "space", "right", "right"
        )
        await app.type(pilot, "space", "tab", "plus", *"@daily", "tab", "right", "space", "down", "enter", *"@hourly")
        await app.type(pilot, "tab", "tab", "tab", "tab", *"1.5", "down", *"2026-03-05")
        await app.judged(pilot)
        assert "✓ fits" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={
            "name": "nightly", "batch": 500, "workers": 4, "mode": "fast", "notify": ["mail", "pager"],
            "schedule": [{"cron": "@daily", "zone": "local"}, {"cron": "@hourly"}],
            "limits": {"cpu": 1.5, "until": "2026-03-05"},
        })]  # fmt: skip


async def test_what_is_wrong_stands_beside_its_field_and_below_with_its_path() -> None:
    app = Checked(schema(of=JOB, has_default=True, default={"name": "x", "batch": 1, "workers": 4}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        await app.type(pilot, "tab", "tab", "backspace", *"64")
        await app.judged(pilot)
        line = next(line for line in text_of(app).split("\n") if "workers" in line)
        assert "at most 16" in line and "1 problem · /workers: must be at most 16" in text_of(app)
        await app.type(pilot, "shift+tab", "x")
        line = next(line for line in text_of(app).split("\n") if "batch" in line)
        assert "not a whole number" in line, "said before anybody checked"
        await app.judged(pilot)
        assert "2 problems · /batch: must be a whole number" in text_of(app)
        await app.type(pilot, "backspace", "enter")
        await app.judged(pilot)
        assert app.answers == [] and app.schema.document.line is not None
        assert app.schema.document.line.path == ("workers",), "the cursor goes to what is wrong"
        await app.type(pilot, "backspace", "enter")
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value={"name": "x", "batch": 1, "workers": 6})]


async def test_only_the_verdict_on_exactly_this_value_lets_it_out() -> None:
    app = Checked(schema(of=JOB, has_default=True, default={"name": "x", "batch": 1, "workers": 4}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        app.held = True
        await app.type(pilot, "y", "enter")
        assert app.answers == [] and "checking…" in text_of(app)
        first = app.wanted[-1]
        assert first.value["name"] == "xy"
        await app.type(pilot, "z")
        app.verdict(first)
        await app.settled(pilot)
        assert app.answers == [], "what was typed since is not what was checked, and Enter was for another value"
        await app.type(pilot, "enter")
        app.verdict(app.wanted[-1])
        await app.until(pilot, lambda: bool(app.answers))
        assert app.answers == [Answered(value={"name": "xyz", "batch": 1, "workers": 4})]


async def test_checks_wait_until_no_key_came_for_a_moment() -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        before = len(app.wanted)
        app.burst(*"a name that is typed in one go")
        await app.until(pilot, lambda: app.document.get("name") == "a name that is typed in one go")
        await app.judged(pilot)
        assert len(app.wanted) - before <= 3


async def test_e14_an_emptied_field_is_no_answer() -> None:
    app = Checked(schema(of=JOB, has_default=True, default={"name": "x", "batch": 1, "workers": 4}))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "backspace")
        await app.judged(pilot)
        assert app.document == {"batch": 1, "workers": 4}
        await app.type(pilot, "enter")
        assert app.answers == [] and "Name is required" in text_of(app)


async def test_entries_move_and_go_from_any_place() -> None:
    begun = {"name": "x", "batch": 1, "workers": 1, "schedule": [{"cron": "a"}, {"cron": "b"}, {"cron": "c"}]}
    app = Checked(schema(of=JOB, has_default=True, default=begun))
    async with app.run_test(size=(80, 40)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *["tab"] * 5)
        assert "3 entries" in text_of(app)
        await app.type(pilot, "enter", "down", "alt+down", "down")
        assert [one["cron"] for one in app.document["schedule"]] == ["b", "a", "c"]
        await app.type(pilot, "delete")
        assert [one["cron"] for one in app.document["schedule"]] == ["b", "a"]
        await app.type(pilot, "end", "home", "r", "escape")
        assert app.document["schedule"] == [{"cron": "b"}, {"cron": "a"}]


async def test_a_list_of_texts_and_a_choice_that_may_be_unset() -> None:
    of: Any = {
        "type": "object",
        "properties": {
            "on": {"type": ["boolean", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "pick": {"enum": [f"option number {n}" for n in range(30)]},
        },
    }
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 50)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "space", "tab", "enter", "down", "enter", *"one", "down", "enter", *"two")
        assert app.document == {"on": True, "tags": ["one", "two"]}
        await app.type(pilot, *["backspace"] * 4)
        assert app.document == {"on": True, "tags": ["one"]}, "an emptied entry goes"
        await app.type(pilot, "home", "home", "shift+tab", "shift+tab", "shift+tab")
        await app.type(pilot, "escape", "end", "enter", "down", "down", "enter")
        assert app.document["pick"] == "option number 1" and "option number 1 · 30 choices" in text_of(app)
        await app.type(pilot, "delete", "home", "delete")
        assert app.document == {"tags": ["one"]}


async def test_the_focused_line_stays_in_sight_in_a_long_form() -> None:
    of: Any = {"type": "object", "properties": {f"field{n}": {"type": "string"} for n in range(60)}}
    app = Checked(schema(of=of))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        for step in ("tab",) * 12 + ("shift+tab",) * 17 + ("tab",) * 2:
            await app.type(pilot, step)
            line = app.schema.document.line
            assert line is not None and f"▸ {line.name} " in text_of(app)
        await app.type(pilot, "q")
        assert list(app.document.values()) == ["q"]


async def test_e24_what_is_filled_in_is_a_draft_with_its_face() -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"night", "tab", *"5x")
        await app.until(pilot, lambda: bool(app.drafts) and "5x" in app.drafts[-1])
        await app.type(pilot, "f6", "space")
        await app.until(pilot, lambda: '\\"side\\": \\"json\\"' in app.drafts[-1])
    for draft, face in ((app.drafts[0], "form"), (app.drafts[-1], "json")):
        again = Checked()
        async with again.run_test(size=(80, 30)) as pilot:
            again.dock.restore_draft(("c1", "q6"), draft)
            again.dock.ask(schema(of=JOB))
            await again.arm(pilot)
            assert again.schema.editors.active == face and again.document["name"].startswith("n")
            if face == "json":
                assert '   "batch"' in again.schema.editors.json.text and again.document["batch"] == "5x"


async def test_b_and_r_work_where_no_text_is_written_and_words_leave_the_form_as_it_is() -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=(80, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", "s", "escape", "r", *"ask the team", "enter")
        assert app.answers == [Replied(text="ask the team")] and app.document == {"name": "rs", "workers": 4}


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 16)])
async def test_e61_it_is_usable_at_every_size(size: tuple[int, int]) -> None:
    app = Checked(schema(of=JOB))
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"n", "tab", "7")
        await app.judged(pilot)
        assert "batch *" in text_of(app) and " 7 " in text_of(app)
        assert ('"name": "n"' in text_of(app)) == (size[0] >= 100), "side by side from 100 columns on"
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value={"name": "n", "batch": 7, "workers": 4})]


async def test_e11_text_that_comes_close_behind_enter_calls_it_off_although_no_verdict_was_there_yet() -> None:
    of: Any = {"type": "object", "properties": {"on": {"type": "boolean"}}}
    app = Checked(schema(of=of, has_default=True, default={"on": True}), real_clock=True)
    app.held = True
    async with app.run_test(size=(80, 24)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed and bool(app.wanted))
        first = len(app.wanted)
        app.burst("enter", *"pasted")
        await app.until(pilot, lambda: len(app.wanted) > first and app.composer.text.endswith("asted"))
        app.verdict(app.wanted[-1])
        await app.settled(pilot)
        assert app.schema.document.sure and app.answers == [] and not app.sheet.done


async def test_in_a_form_of_questions_tab_moves_between_fields_and_ctrl_page_up_between_questions() -> None:
    app = Checked(formed(schema(of=JOB)))
    async with app.run_test(size=(80, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "tab", "tab", "shift+tab")
        line = app.schema.document.line
        assert line is not None and line.path == ("batch",) and app.answers == []
        await app.type(pilot, "ctrl+pageup")
        assert app.answers == [WentBack(to="apply")]


async def test_r176_after_back_it_begins_with_what_was_answered() -> None:
    prompt = schema(of=JOB, has_default=True, default={"name": "default"})
    answer = {"name": "x", "batch": 2, "workers": 3, "more": True}
    app = Checked(prompt.model_copy(update={"prefill": (answer,)}))
    async with app.run_test(size=(80, 36)) as pilot:
        await app.arm(pilot)
        await app.judged(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=answer)]
