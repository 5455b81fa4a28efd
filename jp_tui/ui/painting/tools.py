"""Tool calls as rows: one line each, its trail below it, its result folded; `ask_user` as question and answer.

A line shows the outcome of the call by a sign and a word (asking.md E60) in one row; a click shows its arguments and
its result. `trail.py` paints its questions and decisions.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff, plain
from jp_tui.ui.painting.aside import SIDE, aside_rows
from jp_tui.ui.painting.form import form_rows
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row
from jp_tui.ui.painting.trail import (
    REASON_ROWS,
    clip,
    context_rows,
    decision_rows,
    dialogue_rows,
    fit,
    more,
    part_of,
    reason,
    style_of,
    trail_rows,
)
from jp_tui.view.activity.lines import ENDS, STATES
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.questions.outcome_line import declined
from jp_tui.view.transcript.blocks import ToolBlock
from jp_tui.view.wording.amounts import duration

ERROR_LINES, OUTPUT_LINES = 4, 1_000
"""Visible lines of a folded error; most lines of an unfolded result."""

IN_SHEET = "asks you below"
"""The text in the conversation for a question that is open as a sheet."""
WAITS = ("running", "awaiting_input", "awaiting_assistant")
"""States in which a question of a call can still be answered."""


def tool_rows(tool: ToolBlock, frame: Frame, unfolded: frozenset[str]) -> list[Row]:
    """Return the rows of a call; `unfolded` has the keys of the unfolded call and parts."""
    waits, reviewed, name = tool.state in WAITS, tool.state == "awaiting_assistant", neutral.first_line(tool.name)
    parts = [(asked, part_of(tool.key, number)) for number, asked in enumerate(tool.asked)]
    inner, open_ = frame.indented(2), tool.key in unfolded
    if tool.in_sheet and not open_ and not any(key.startswith(part_of(tool.key, "")) for key in unfolded):
        return [_in_sheet_line(tool, frame) if tool.dialogue else _call_line(tool, frame, open_)]
    asides = aside_rows(tool.asides, inner, part_of(tool.key, SIDE), unfolded)
    if tool.dialogue and tool.form is not None:
        return [*form_rows(tool, tool.form, frame, unfolded, waits=waits), *asides, *_failure(tool, inner)]
    if tool.dialogue:
        shown = [
            dialogue_rows(one, frame, key, waits=waits, reviewed=reviewed, unfolded=unfolded) for one, key in parts
        ]
        all_of_it = any(key in unfolded for _, key in parts)
        words = reason(tool.reply, inner, None if all_of_it else REASON_ROWS)
        return [*(row for rows in shown for row in rows), *words, *asides, *_failure(tool, inner)]
    rows = [_call_line(tool, frame, open_)]
    for one in tool.decided:
        if one.about == "permission":
            rows += decision_rows(one, inner, part_of(tool.key, "permission"), unfolded)
    for asked, key in parts:
        rows += trail_rows(asked, inner, key, tool=name, waits=waits, reviewed=reviewed, unfolded=unfolded)
    rows += asides
    if tool.edited:
        rows.append(_ran(tool, inner))
    for one in tool.decided:
        if one.about == "delivery":
            rows += decision_rows(one, inner, part_of(tool.key, "delivery"), unfolded)
    if open_:
        rows += _inside(tool, inner, unfolded)
    else:
        rows += _failure(tool, inner)
    return rows


def _in_sheet_line(tool: ToolBlock, frame: Frame) -> Row:
    """Return the one line of the assistant's question that is open below: the sheet shows the question (Z14)."""
    look, hit = frame.look, ClickTarget("fold", tool.key)
    return frame.emit([Piece("? ", look.waiting + Style(bold=True), hit), Piece(IN_SHEET, look.muted, hit)])


def _failure(tool: ToolBlock, frame: Frame) -> list[Row]:
    """Return the error of a failed call."""
    if tool.end != "error" or not tool.output.raw.strip():
        return []
    return _result(tool, frame, ERROR_LINES, frame.look.muted)


def question_rows(asked: InquiryView, frame: Frame, key: str, unfolded: frozenset[str]) -> list[Row]:
    """Return a question whose call isn't known here, with its asker."""
    if asked.assistant:
        return dialogue_rows(asked, frame, part_of(key, 0), waits=False, reviewed=False, unfolded=unfolded)
    return trail_rows(asked, frame, part_of(key, 0), tool="", waits=False, reviewed=False, unfolded=unfolded)


def _ran(tool: ToolBlock, frame: Frame) -> Row:
    """Return one row with the arguments that ran, if they differ from those the model sent (R87, R97b)."""
    look, hit = frame.look, ClickTarget("fold", tool.key)
    before = {name.raw: value.raw for name, value in tool.arguments}
    changed = [(name, value) for name, value in tool.edited if before.get(name.raw) != value.raw]
    gone = [name for name, _ in tool.arguments if all(name != other for other, _ in tool.edited)]
    words = [f"{neutral.first_line(name)}: {neutral.first_line(value)}" for name, value in changed]
    words += [f"without {neutral.first_line(name)}" for name in gone]
    inside = frame.inside([Piece("└ ", look.muted)], [Piece("  ", look.text)])
    body = [Piece("✎ ran with ", look.good, hit), Piece(" · ".join(words) or "the same arguments", look.text, hit)]
    return inside.emit(clip(body, inside.room))


def _call_line(tool: ToolBlock, frame: Frame, unfolded: bool) -> Row:
    look, hit = frame.look, ClickTarget("fold", tool.key)
    sign, word, style = _state(tool, look)
    after = [part for part in (_detail(tool), word) if part]
    if tool.ms is not None and tool.state == "completed" and tool.end != "declined":
        after.append(duration(tool.ms))
    arrow = "▾" if unfolded else "▸" if tool.state == "completed" else " "
    right = "".join(f" · {part}" for part in after)
    name = fit(neutral.first_line(tool.name) or "tool", max(frame.room // 2, 8))
    free = frame.room - 2 - cell_len(name) - cell_len(right) - 3
    title = fit(neutral.first_line(tool.title), free - 1) if free > 4 else ""
    body = [Piece(f"{sign} ", style, hit), Piece(name, look.text, hit)]
    if title:
        body.append(Piece(f" {title}", look.muted, hit))
    loud = style if tool.end not in ("ok",) and tool.state != "queued" else look.muted
    for part in after:
        body += [Piece(" · ", look.muted, hit), Piece(part, loud if part == word else look.muted, hit)]
    return frame.emit([*clip(body, frame.room - 2), Piece(f" {arrow}", look.muted, hit)])


def _state(tool: ToolBlock, look: PaintLook) -> tuple[str, str, Style]:
    if tool.state == "completed":
        sign, word, role = ENDS[tool.end or "ok"]
        if tool.end == "declined":
            word = neutral.first_line(Foreign(declined(tool.asked)))
    else:
        sign, word, role = STATES[tool.state]
        if tool.state == "awaiting_input":
            word = "waiting for you"
    return sign, word, style_of(role, look)


def _detail(tool: ToolBlock) -> str:
    """Return the outcome of a call in a few words: lines, or the approved changes if all were accepted."""
    if any(not part.accepted for asked in tool.asked for part in asked.parts):
        return ""
    for asked in tool.asked:
        if diff.is_diff(asked.context.raw):
            _, added, removed = diff.counts(diff.read(asked.context.raw))
            return f"+{added:,} −{removed:,}"
    if tool.end == "ok" and tool.output.raw.strip():
        lines = tool.output.raw.strip("\n").count("\n") + 1
        return f"{lines:,} line{'s' if lines != 1 else ''}"
    return ""


def _inside(tool: ToolBlock, frame: Frame, unfolded: frozenset[str]) -> list[Row]:
    """Return a call's arguments, the text shown to the answerer unless that is unfolded, and the result."""
    look, rows = frame.look, list[Row]()
    if tool.problem:
        rows += frame.paragraph([Piece(f"never ran: {neutral.first_line(tool.problem)}", look.bad)])
    rows += _arguments(tool.arguments, frame)
    if tool.edited:
        rows += frame.paragraph([Piece("ran with:", look.good)])
        rows += _arguments(tool.edited, frame.indented(2))
    for number, asked in enumerate(tool.asked):
        again = any(asked.context == other.context for other in tool.asked[:number])
        if asked.context.raw.strip() and not again and part_of(tool.key, number) not in unfolded:
            rows += context_rows(asked.context, frame)
    if tool.output.raw.strip():
        rows += _result(tool, frame, OUTPUT_LINES, look.text)
    return rows


def _arguments(pairs: tuple[tuple[Foreign, Foreign], ...], frame: Frame) -> list[Row]:
    look, rows = frame.look, list[Row]()
    for name, value in pairs:
        label = Piece(f"{neutral.first_line(name)}: ", look.running)
        shown, missing = plain.cut(value.raw, 16_384)
        content = plain.lines(Foreign(shown), look.text, look)
        if len(content) == 1:
            rows += frame.paragraph([label, *content[0]], wide=True)
        else:
            rows += [frame.emit([label]), *plain.paragraphs(content, frame.indented(2), wide=True)]
        rows += plain.note(missing, frame)
    return rows


def _result(tool: ToolBlock, frame: Frame, most: int, style: Style) -> list[Row]:
    look = frame.look
    bar = [Piece("│ ", look.bad if tool.end == "error" else look.muted)]
    inside = frame.inside(bar, bar)
    shown, missing = plain.cut(tool.output.raw.strip("\n"))
    if diff.is_diff(shown):
        rows = diff.recorded(shown, inside)
        return [*rows, *plain.note(missing, inside)]
    content = plain.lines(Foreign(shown), style, look)
    rows = plain.paragraphs(content[:most], inside, wide=True)
    if len(content) > most == OUTPUT_LINES:  # unfolded already
        rows += plain.note(len(content) - most, inside, "lines")
    elif len(content) > most:
        rows.append(inside.emit([more(len(content) - most, tool.key, look)]))
    return [*rows, *plain.note(missing, inside)]
