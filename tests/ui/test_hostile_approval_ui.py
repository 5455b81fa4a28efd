"""The recorded group `approval_ui`: what a careless key, a small terminal, no colour, a big diff, a flood must not do.

APUI-001 and 004 stand with the guard (`test_sheet_guard.py`), 009 and 011 with the dock (`test_dock.py`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.color import ColorType

from jp_tui.protocol.values import Answered, EndTurn, Permitted, PromptRequest
from jp_tui.questions.types import Part
from tests.hostile.recorded import ours
from tests.ui.sheet_host import Host, boolean, editable, escalated, hunky, permission, select, text_of

HUGE = "".join(f"@@ -{at},2 +{at},3 @@\n before {at}\n+added {at}\n after {at}\n" for at in range(1, 16_001, 4))
FIELD = ("a", "b", "left", "delete", "backspace", "home", "end", "right", "up", "down", "ctrl+w", "ctrl+u", "ctrl+k")


def test_each_recorded_case_has_its_test() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {f"APUI-{number}" for number in re.findall(r"def test_apui_(\d{3})_", source)}
    assert set(ours("approval_ui")) <= named


@pytest.mark.parametrize(
    ("prompt", "keys"),
    [
        (boolean(), ["r"]), (boolean(), ["c"]), (boolean(), ["?"]), (permission(), ["r"]), (permission(), ["e"]),
        (editable(boolean()), ["e"]), (select(), ["r"]), (escalated(), ["r"]),
    ],
    ids=["reply", "note", "ask back", "skip and reply", "edit", "edit at a question", "reply to a choice", "escalated"],
)  # fmt: skip
async def test_apui_008_editing_words_submits_nothing(prompt: PromptRequest, keys: list[str]) -> None:
    """Delete, Backspace and arrows are the field's, also where it is empty and at its ends; so are y and n."""
    app = Host(prompt)
    async with app.run_test(size=(100, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys)
        slot = app.sheet.writing
        assert slot is not None
        await app.type(pilot, *FIELD, *["backspace", "delete", "up", "down", "left", "right"] * 3, "y", "n", "1", "Y")
        assert app.answers == [] and app.sheet.writing == slot


@pytest.mark.parametrize("prompt", [escalated(), permission(), select(), hunky()], ids=["no", "run", "choice", "hunks"])
async def test_apui_012_without_colours_every_mark_is_a_word(
    monkeypatch: pytest.MonkeyPatch, prompt: PromptRequest
) -> None:
    """NO_COLOR: what is dangerous, chosen, recommended, added or not seen is said, not only coloured."""
    monkeypatch.setenv("NO_COLOR", "1")
    odd = prompt.model_copy(update={"question": replace(prompt.question, text=f"{prompt.question.text or 'x'}\u202e")})
    app = Host(odd.model_copy(update={"tool": "fs\u202e"}))
    async with app.run_test(size=(100, 40)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        for widget in app.screen.walk_children():
            for y in range(widget.size.height):
                for segment in widget.render_line(y).apply_filter(app._filters[-1], app.screen.styles.background):
                    colour = segment.style.color if segment.style else None
                    if colour is not None and colour.type is ColorType.TRUECOLOR and colour.triplet is not None:
                        assert len(set(colour.triplet)) == 1, "grey"
        assert "found in this question: bidirectional controls" in seen
        if prompt.kind == "permission":
            assert "y run" in seen and "n skip" in seen
        elif prompt.question.parts:
            assert "■ 1/3 line 4  +1 −1" in seen and "-4  pip" in seen and "+4  pipx" in seen, "taken, taken out, added"
        elif prompt.escalation:
            assert "recommended rejecting" in seen and "y yes" in seen and "+4" in seen
        else:
            assert "(recommended)" in seen


async def test_apui_015_a_diff_of_20000_lines_is_counted_and_read_in_full_view() -> None:
    """E15, T4: one yes is not enough while most was not on the screen, and that is said in lines."""
    app = Host(boolean(context=HUGE))
    async with app.run_test(size=(100, 36)) as pilot:
        await app.arm(pilot)
        found = re.search(r"([\d,]+) of ([\d,]+) lines not seen", text_of(app))
        assert found is not None
        unseen, of = (int(number.replace(",", "")) for number in found.groups())
        assert of >= 10_000 and of - unseen < 40
        await app.type(pilot, "y")
        assert app.answers == [] and "lines weren't on the screen" in " ".join(text_of(app).split())
        await app.type(pilot, "ctrl+f")
        assert app.sheet.reading.context is not None and app.sheet.reading.context.size.height > 20, "the full view"
        context = app.sheet.reading.context
        for top in range(0, context.lines, context.height):
            context.scroll_to_row(top)
        await app.settled(pilot)
        assert app.answers == []
        await app.type(pilot, "n")
        assert app.answers == [Answered(value=False)], "a no needs no reading"


async def test_apui_015_a_change_of_4000_hunks_says_how_many_were_not_seen() -> None:
    diff = "@@ -{0},2 +{0},3 @@\n before\n+added\n after\n"
    parts = tuple(Part(str(n), f"d{n}", f"a.py, line {n * 4}", diff.format(n * 4)) for n in range(1, 4001))
    app = Host(hunky(parts=parts))
    async with app.run_test(size=(100, 36)) as pilot:
        await app.arm(pilot)
        found = re.search(r"([\d,]+) of 4,?000 hunks not seen", text_of(app))
        assert found is not None and int(found[1].replace(",", "")) > 3900
        await app.type(pilot, "y")
        assert app.answers == [] and "hunks weren't on the screen" in " ".join(text_of(app).split())


async def test_apui_017_a_flood_is_counted_answered_one_by_one_and_ended_at_once() -> None:
    """100 prompts: each has its own guard, and one choice denies them all and stops."""
    app = Host(*(permission(f"call{n}") for n in range(100)))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert app.dock.waiting == 100 and "1 of 100 waiting" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Permitted(run=True)]
        app.dock.remove_settled(("c1", "call0"))
        app.burst(*"yyyyyyyy")
        for _ in range(8):
            await app.type(pilot, "y", "enter", gap=0.02)
        assert len(app.answers) == 1, "a held or hammered key approves nothing more"
        await app.arm(pilot)
        await app.type(pilot, "s")
        assert "98 more waiting questions close too" in " ".join(text_of(app).replace("│", " ").split())
        await app.type(pilot, "s")
        assert app.answers[1:] == [EndTurn()]
