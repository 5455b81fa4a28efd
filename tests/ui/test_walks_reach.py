"""E60, E61: at any size each key of a sheet has its button, in the last line or in the menu.

It looks for what is said to work; what it does is walked in `test_walks.py`.
"""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.layout import SheetLayout
from jp_tui.ui.sheets.sheet import Sheet
from tests.sampling import partly
from tests.ui.sheet_host import (
    LONG_DIFF,
    Host,
    boolean,
    delivery,
    editable,
    escalated,
    formed,
    hunky,
    multi,
    permission,
    review,
    schema,
    secret,
    select,
    text,
    text_of,
)  # fmt: skip

BY_ITSELF = {"move(1)", "move(-1)", "read(1)", "hunk(1)"}
"""What the wheel, or a click on the thing itself, does."""
ROWS = {
    "reply": "reply", "note": "note", "edit": "edit", "back": "back", "restore": "restore", "ask_back": "ask",
    "end_turn": "end", "place(-1)": "back", "place(1)": "restore",
}  # fmt: skip
PROMPTS: dict[str, PromptRequest] = {
    "boolean": boolean(), "select": select(), "select-tool": select(tool=True), "multi": multi(),
    "multi-tool": multi(tool=True), "text": text(), "secret": secret(), "schema": schema(),
    "permission": permission(), "delivery": delivery(), "review": review(), "hunks": hunky(),
    "form": formed(boolean(), undo=("note",)), "escalated": editable(escalated(context=LONG_DIFF)),
    "long": editable(escalated(context=LONG_DIFF)).model_copy(update={"deadline_secs": 300}),
}  # fmt: skip


def buttons(sheet: Sheet) -> set[str]:
    """The actions whose hints are on the screen."""
    line = sheet.frame.line
    return {hint.action for row in line.rows(line.size.width) for *_, hint in row} if line.display else set()


@partly(2)
@pytest.mark.parametrize("kind", PROMPTS)
async def test_e60_each_key_has_a_button_or_a_line_of_the_menu(kind: str) -> None:
    app = Host(PROMPTS[kind], select("q99"))
    async with app.run_test(size=(60, 16)) as pilot:
        await app.arm(pilot)
        for size in ((60, 16), (80, 24)):
            await pilot.resize_terminal(*size)
            await app.settled(pilot)
            sheet = app.sheet
            assert "leave" in buttons(sheet)
            if sheet.writing is not None:
                sheet.stop_writing()
                await app.settled(pilot)
            assert not sheet.cramped
            named = {hint.action for hint in sheet.frame.line.hints} - BY_ITSELF
            shown = buttons(sheet)
            assert "leave" in shown
            await app.click_text(pilot, "Esc menu")
            lines = {row.id for row in sheet.menu.list.rows}
            missing = {one for one in named - shown if ROWS.get(one, f"do {one}") not in lines}
            assert not missing and "do keys" in lines, (size, missing)
            await app.click_text(pilot, "Esc back")


def sides(sheet: Sheet) -> list[str]:
    """The fields of a sheet that stand beside its answer, by the action that opens them."""
    side, may_ask = sheet.reply_fields, sheet.side_question.may_ask
    able = {"reply": side.may_reply, "note": side.may_note, "edit": side.may_edit, "ask_back": may_ask}
    return [name for name, may in able.items() if may]


@partly(3)
@pytest.mark.parametrize("kind", PROMPTS)
async def test_e61_in_the_smallest_terminal_one_can_write_beside_an_answer_and_send_it_by_a_click(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It found a sheet that came and went for ever: what was hidden for want of room took none, so there was some."""
    app, laid = Host(PROMPTS[kind]), list[int]()
    original = SheetLayout.lay_out

    def counted(self: SheetLayout, width: int, room: int, most: int, extra: list[object], full: bool) -> None:
        laid.append(room)
        assert len(laid) < 60, "it lays itself out again and again"
        original(self, width, room, most, extra, full)  # type: ignore[arg-type]

    async with app.run_test(size=(60, 16)) as pilot:
        await app.arm(pilot)
        monkeypatch.setattr(SheetLayout, "lay_out", counted)
        for name in sides(app.sheet):
            await one_side(app, pilot, name)
            laid.clear()


async def one_side(app: Host, pilot: Pilot[None], name: str) -> None:
    """A field is opened, written in, its send button seen, and left by a click."""
    sheet = app.sheet
    if sheet.writing is not None:
        sheet.stop_writing()
    sheet.run(name)
    await app.settled(pilot)
    field = sheet.writing
    assert field is not None and not sheet.cramped and field.size.height >= 1, name
    await app.type(pilot, "x")
    assert "x" in field.text and {"accept", "leave"} <= buttons(sheet), name
    await app.click_text(pilot, "Esc back")
    assert sheet.writing is None and not sheet.cramped and "too small" not in text_of(app)


async def test_a_sheet_without_room_comes_back_when_there_is_some_with_all_that_was_typed() -> None:
    app = Host(editable(escalated(context=LONG_DIFF)))
    async with app.run_test(size=(60, 16)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", *"why")
        for size in ((30, 6), (60, 16), (20, 5), (80, 24)):
            await pilot.resize_terminal(*size)
            await app.settled(pilot)
            assert app.sheet.cramped == (size[1] < 10)
            assert ("Too small" in " ".join(text_of(app).split())) == app.sheet.cramped
        assert app.sheet.writing is app.sheet.reply_fields.reply and app.sheet.reply_fields.reply.text == "why"
        assert "Enter send the reply" in text_of(app)
