"""A form in the conversation: one block, a row for each question with its final answer (issue 5, 9; E23, R173-R182b).

What was gone back from or answered before is folded away below its question; skipped questions stay, dimmed, with the
reason. Each row folds out and answers `w`, like a line of the trail. What became of a question is `view/forms.py`'s.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Hit, Piece, Row, width_of
from jp_tui.ui.painting.trail import (
    REASON_ROWS,
    WHY,
    arrow,
    clip,
    context_rows,
    fate_pieces,
    fit,
    long_answer,
    part_of,
    reason,
    style_of,
    why_rows,
    words_rows,
)
from jp_tui.view.amounts import duration
from jp_tui.view.blocks import Tool
from jp_tui.view.forms import Form, FormState, Place
from jp_tui.view.trail import Role, fate

LEAST_WORDS = 16
"""Cells that a question keeps beside its answer; with less, the answer stands below."""
STATES: dict[FormState, tuple[str, str, Role]] = {
    "open": ("?", "", "waiting"),
    "review": ("?", "all answered, waiting for your last look", "waiting"),
    "deferred": ("◔", "waits for an answer", "waiting"),
    "answered": ("✓", "answered", "good"),
    "replied": ("»", "replied in words", "quiet"),
    "ended": ("⊘", "ended before all was answered", "quiet"),
}
ENDED, TAKEN_BACK, UNASKED = "ended here", "taken back", "not asked"


def form_rows(tool: Tool, form: Form, frame: Frame, unfolded: frozenset[str], *, waits: bool) -> list[Row]:
    """The rows of a form; the keys of its questions are parts of the call's, numbered in the order of the form."""
    all_open = tool.key in unfolded
    rows = [_header(tool, form, frame, all_open)]
    inner = frame.indented(2)
    digits = len(str(len(form.places)))
    for number, place in enumerate(form.places):
        key = part_of(tool.key, number)
        rows += _place(place, f"{number + 1:>{digits}} ", inner, key, waits=waits, open_=all_open, unfolded=unfolded)
    return rows + reason(form.reply, inner, None if all_open else REASON_ROWS)


def _header(tool: Tool, form: Form, frame: Frame, unfolded: bool) -> Row:
    look, hit = frame.look, Hit("fold", tool.key)
    sign, word, role = STATES[form.state]
    done = sum(place.state == "answered" for place in form.places)
    counts = form.state not in ("answered", "review")
    after = [part for part in (f"{done} answered" if counts else "", word) if part]
    if tool.ms is not None and tool.state == "completed":
        after.append(duration(tool.ms))
    style = style_of(role, look)
    body = [
        Piece(f"{sign} ", style + Style(bold=role == "waiting"), hit),
        Piece(f"asked {len(form.places)} questions", look.strong, hit),
        *(Piece(f" · {part}", style if part == word and role != "quiet" else look.muted, hit) for part in after),
    ]
    return frame.emit([*clip(body, frame.room - 2), arrow(unfolded, hit, look)])


def _place(
    place: Place, number: str, frame: Frame, key: str, *, waits: bool, open_: bool, unfolded: frozenset[str]
) -> list[Row]:
    look, hit = frame.look, Hit("fold", key)
    open_ = open_ or key in unfolded
    inside = frame.inside([Piece(number, look.muted)], [Piece(" " * len(number), look.text)])
    loud = place.state in ("answered", "open")
    question = neutral.first_line(place.text) or "(a question without words)"
    end = _end(place, look, hit, waits)
    rows = _one_row(question, look.text if loud else look.muted, end, inside, hit, open_)
    asked = place.asked
    if asked is not None:
        rows += reason(asked.explanation, inside, None if open_ else REASON_ROWS)
    if open_:
        rows += _whole(place, inside)
    elif asked is not None and key + WHY in unfolded:
        rows += why_rows(asked, inside)
    return rows


def _one_row(question: str, style: Style, end: list[Piece], frame: Frame, hit: Hit, open_: bool) -> list[Row]:
    look, room = frame.look, frame.room - 2
    left = room - min(width_of(end), max(room - LEAST_WORDS - 2, 0)) - 2
    if left >= min(cell_len(question), LEAST_WORDS):
        body = [Piece(fit(question, left), style, hit), Piece("  ", look.text), *end]
        return [frame.emit([*clip(body, room), arrow(open_, hit, look)])]
    first = frame.emit([Piece(fit(question, room), style, hit), arrow(open_, hit, look)])
    return [first, frame.emit(clip(end, room))]


def _end(place: Place, look: Look, hit: Hit, waits: bool) -> list[Piece]:
    """What became of a question; that it was you who answered goes without saying."""
    if place.state == "skipped":
        because = neutral.first_line(place.because)
        return [Piece(f"↷ skipped: {because}" if because else "↷ skipped", look.muted, hit)]
    if place.state in ("taken_back", "unasked"):
        words = f"↶ {TAKEN_BACK}" if place.state == "taken_back" else f"· {UNASKED}"
        return [Piece(words, look.muted, hit)]
    assert place.asked is not None
    if place.state == "left" and place.asked.tag.raw in ("", "user"):
        return [Piece(f"⊘ {ENDED}", look.muted, hit)]
    found = fate_pieces(fate(place.asked, waits=waits), look, hit)
    plain = place.asked.by in ("", "user") and not place.asked.via
    return found[:1] if plain else found


def _whole(place: Place, frame: Frame) -> list[Row]:
    """All words of a question and of its answer, what it was about, why it was asked, and how it stood before."""
    look, rows = frame.look, list[Row]()
    asked = place.asked
    if "\n" in place.text.raw.strip() or cell_len(place.text.raw) > frame.room // 2:
        rows += words_rows(place.text, frame)
    if asked is not None and asked.how == "answered" and isinstance(asked.answer, str):
        many = "\n" in asked.answer.strip() or cell_len(asked.answer) > frame.room // 3
        rows += long_answer(asked.answer, frame) if many else []
    if asked is not None and asked.context.raw.strip():
        rows += context_rows(asked.context, frame)
    if asked is not None:
        rows += why_rows(asked, frame)
    for one in place.earlier:
        end = fate(one, waits=False)
        told = f"earlier: {end.sign} {neutral.first_line(Foreign(end.word.raw)) or 'empty on purpose'}"
        rows += frame.paragraph([Piece(told, look.muted)])
    return rows
