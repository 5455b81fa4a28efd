"""Z14, E5: what a decision shows at each size, and how few hints stand around it."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import Option
from jp_tui.tools.submit_plan import question
from jp_tui.ui.sheets.choice_list import AnswerRow
from jp_tui.ui.sheets.reading import ContextReader
from jp_tui.ui.sheets.row_budget import decided_rows, most_of
from tests.sampling import partly
from tests.ui.sheet_host import (
    LONG_DIFF,
    Host,
    asked,
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

SIZES = {(60, 14): 4, (80, 22): 9, (120, 34): 9, (200, 48): 9}
"""The column of a terminal of 60x16, 80x24, 120x36 and 200x50, and how many rows of what is decided on are in sight."""
LONG = Foreign("\n".join(f"{n}: a line that was found" for n in range(90)))
REASON = "No. " * 2_000
FEW = (Option("one", "what it does, said in more words than fit beside it " * 3), Option("two", "y"), Option("three"))
DECISIONS: dict[str, PromptRequest] = {
    "boolean": boolean(context=LONG_DIFF),
    "once": boolean(context=LONG_DIFF, remember=False),
    "escalated": editable(escalated(context=LONG_DIFF)),
    "long reason": escalated(context=LONG_DIFF, reason=REASON),
    "no verdict": escalated(context=LONG_DIFF, failed=True, reason="HTTP 529 " * 90),
    "in a form": formed(editable(escalated(context=LONG_DIFF))),
    "hunks": hunky(),
    "permission": permission(rendered=LONG),
    "delivery": delivery(result=LONG),
    "long title": boolean(context=LONG_DIFF).model_copy(update={"subject": Foreign("文\u202e" * 5_000)}),
    "plan": asked("q9", question("A step, and why.\n" * 40, ("Read", "Change", "Test")), tool=True),
    "select": select(context=LONG_DIFF, options=FEW),
    "previews": select(context=LONG_DIFF, options=tuple(Option(one.value, preview="x\n" * 9) for one in FEW)),
    "multi": multi(context=LONG_DIFF, options=FEW),
    "long question": boolean(context=LONG_DIFF, text="ابت👩‍👩‍👧 " * 2_000),
}
OTHERS: dict[str, PromptRequest] = {
    "select": select(), "multi": multi(), "text": text(), "secret": secret(), "schema": schema(), "review": review(),
    "form": formed(select()),
}  # fmt: skip


def hints(app: Host) -> int:
    """How many hints are on the screen."""
    line = app.sheet.frame.line
    return sum(len(row) for row in line.rows(line.size.width)) if line.display else 0


@partly(3)
@pytest.mark.parametrize("kind", DECISIONS)
async def test_z14_content_both_answers_and_at_most_five_hints(kind: str) -> None:
    """Also while the reason or the rule is read, which open over the conversation and never in place of it."""
    app = Host(DECISIONS[kind])
    async with app.run_test(size=(80, 22)) as pilot:
        await app.arm(pilot)
        for size, rows in SIZES.items():
            await pilot.resize_terminal(*size)
            await app.settled(pilot)
            for key in ("", "w", "v", "v"):
                await app.type(pilot, *key)
                seen, sheet = text_of(app), app.sheet
                context = sheet.reading.context
                assert context is not None and not sheet.cramped
                least = rows - (kind == "long question" and key != "")  # three of its own rows stand below
                least -= 2 if key and rows == 4 and kind in ("select", "previews", "multi") else 0  # four options
                assert context.size.height >= min(least, context.lines), (size, key, seen)
                assert sheet.outer_size.height <= size[1] - 1, "the conversation keeps a row"
                answers = sheet.area.body.choices
                if isinstance(answers, AnswerRow):
                    assert answers.size.height >= answers.height_at(answers.size.width), seen
                else:
                    assert answers is not None
                    assert all(f" {n}  " in seen for n in range(1, len(answers.rows) + 1)), seen
                assert hints(app) <= 5, seen
            assert app.answers == []


@pytest.mark.parametrize("kind", OTHERS)
async def test_e5_at_most_five_hints(kind: str) -> None:
    app = Host(OTHERS[kind])
    async with app.run_test(size=(80, 22)) as pilot:
        await app.arm(pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await app.settled(pilot)
            assert hints(app) <= 5, text_of(app)


@pytest.mark.parametrize(("column", "rows"), [(14, 4), (22, 9), (48, 9), (5, 4)])
def test_z14_rows_of_what_is_decided_on(column: int, rows: int) -> None:
    assert decided_rows(most_of(column)) == rows


async def test_z14_a_yes_to_what_is_hidden_never_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Host(boolean())
    async with app.run_test(size=(80, 22)) as pilot:
        await app.arm(pilot)
        with monkeypatch.context() as patch:
            patch.setattr(ContextReader, "hidden", True)
            await app.type(pilot, "y", "y")
            assert app.answers == []
        await app.type(pilot, "y")
        assert len(app.answers) == 1
