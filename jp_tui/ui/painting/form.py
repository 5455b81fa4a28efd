"""A form in the conversation: one block, a row for each question with its final answer (issue 5, 9; E23, R173-R182b).

Earlier answers, also those discarded by Back, are folded below their question; skipped questions are dim, with the
reason. Each row unfolds and answers `w`, like a line of the trail. `view/questions/forms.py` knows the outcome of each
question.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row, width_of
from jp_tui.ui.painting.trail import (
    REASON_ROWS,
    WHY,
    arrow,
    clip,
    context_rows,
    fit,
    long_answer,
    outcome_pieces,
    part_of,
    reason,
    style_of,
    why_rows,
    words_rows,
)
from jp_tui.view.questions.forms import AskedFormQuestion, FormState, QuestionForm
from jp_tui.view.questions.outcome_line import Role, outcome
from jp_tui.view.transcript.blocks import ToolBlock
from jp_tui.view.wording.amounts import duration

LEAST_WORDS = 16
"""Cells that a question keeps beside its answer; with less, the answer is shown below."""
FEW, BEFORE = 8, 3
"""Questions up to which an open form is listed whole; in a longer one, how many to list before the current one."""
STATES: dict[FormState, tuple[str, str, Role]] = {
    "open": ("?", "", "waiting"),
    "review": ("?", "all answered, waiting for your review", "waiting"),
    "deferred": ("◔", "waiting for an answer", "waiting"),
    "answered": ("✓", "answered", "good"),
    "replied": ("»", "replied with text", "quiet"),
    "ended": ("⊘", "ended early", "quiet"),
    "unsent": ("⊘", "not submitted", "quiet"),
}
ENDED, TAKEN_BACK, GONE_BACK = "ended here", "withdrawn", "went back without an answer"
UNASKED, AHEAD = "not asked", "not asked yet"


def form_rows(tool: ToolBlock, form: QuestionForm, frame: Frame, unfolded: frozenset[str], *, waits: bool) -> list[Row]:
    """Return the rows of a form; the keys of its questions are parts of the call's, numbered in the order of the
    form."""
    all_open = tool.key in unfolded
    rows = [_header(tool, form, frame, all_open)]
    inner = frame.indented(2)
    digits = len(str(len(form.places)))
    wanted = set(range(len(form.places))) if all_open else _near(form)
    for run in _runs(form, wanted | {at for at in range(len(form.places)) if _out(part_of(tool.key, at), unfolded)}):
        if len(run) > 1:
            rows.append(_folded(run, form, inner, ClickTarget("fold", tool.key)))
            continue
        key = part_of(tool.key, run[0])
        row = _Row(form.places[run[0]], key, all_open or key in unfolded, key + WHY in unfolded, waits, _goes_on(form))
        rows += row.rows(inner, f"{run[0] + 1:>{digits}} ")
    return rows + reason(form.reply, inner, None if all_open else REASON_ROWS)


def _goes_on(form: QuestionForm) -> bool:
    return form.state == "open"


def _out(key: str, unfolded: frozenset[str]) -> bool:
    return key in unfolded or key + WHY in unfolded


def _near(form: QuestionForm) -> set[int]:
    """Return the questions to list: of a long open form, those around the current one; of any other, all but a long run
    of questions never asked."""
    places = form.places
    if len(places) <= FEW:
        return set(range(len(places)))
    if form.state not in ("open", "review", "deferred"):
        return {at for at, place in enumerate(places) if place.state != "unasked"}
    known = max((at for at, place in enumerate(places) if place.state in ("answered", "skipped")), default=-1)
    here = next((at for at, place in enumerate(places) if place.state == "open"), known + 1)
    return set(range(max(here - BEFORE, 0), min(here + 2, len(places))))


def _runs(form: QuestionForm, wanted: set[int]) -> list[range]:
    """Return one range for each row: a question, or several that are folded into one."""
    found: list[range] = []
    for at in range(len(form.places)):
        last = found[-1] if found else range(0)
        if at not in wanted and last and last[-1] not in wanted:
            found[-1] = range(last.start, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


def _folded(run: range, form: QuestionForm, frame: Frame, hit: ClickTarget) -> Row:
    """Return `4–40 35 answered, 2 skipped`; unfolding the form lists them."""
    states = [form.places[at].state for at in run]
    ahead = AHEAD if _goes_on(form) else UNASKED
    words = {"unasked": ahead, "taken_back": TAKEN_BACK, "gone_back": "went back", "left": ENDED, "open": "open"}
    told = ", ".join(f"{states.count(state)} {words.get(state, state)}" for state in dict.fromkeys(states))
    body = [Piece(f"{run.start + 1}–{run.stop}  {told}", frame.look.muted, hit)]
    return frame.emit([*clip(body, frame.room - 2), arrow(False, hit, frame.look)])


def _header(tool: ToolBlock, form: QuestionForm, frame: Frame, unfolded: bool) -> Row:
    look, hit = frame.look, ClickTarget("fold", tool.key)
    sign, word, role = STATES[form.state]
    done = sum(place.state == "answered" for place in form.places)
    counts = done and form.state not in ("answered", "review")
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


@dataclass(frozen=True, slots=True)
class _Row:
    """One question: whether it is unfolded, whether its reason is shown, whether anything can still be answered."""

    place: AskedFormQuestion
    key: str
    open: bool
    why: bool
    waits: bool
    goes_on: bool

    def rows(self, frame: Frame, number: str) -> list[Row]:
        """Return all rows of it; only a question with more to show can be unfolded."""
        look, place, asked = frame.look, self.place, self.place.asked
        inside = frame.inside([Piece(number, look.muted)], [Piece(" " * len(number), look.text)])
        more = asked is not None or place.earlier or _long(place.text, inside)
        hit = ClickTarget("fold", self.key) if more else None
        style = look.text if place.state in ("answered", "open") else look.muted
        rows = self._first(inside, Piece(neutral.first_line(place.text) or "(an empty question)", style, hit))
        if asked is not None:
            rows += reason(asked.explanation, inside, None if self.open else REASON_ROWS)
        if self.open:
            rows += self._whole(inside)
        elif self.why:
            rows += self._why(inside)
        return rows

    def _why(self, frame: Frame) -> list[Row]:
        """Return why it was asked, the last time it was; or why not."""
        place = self.place
        if place.state == "skipped":
            words = f"Why you weren't asked: {neutral.first_line(place.because)}"
            return frame.paragraph([Piece(words, frame.look.reviewer)])
        last = place.asked or (place.earlier[-1] if place.earlier else None)
        return why_rows(last, frame) if last is not None else []

    def _first(self, frame: Frame, question: Piece) -> list[Row]:
        """Return the question with its outcome beside it, or below it where there is no room."""
        look, room, hit = frame.look, frame.room - 2, question.hit
        end, fold = self._end(look, hit), [arrow(self.open, hit, look)] if hit is not None else []
        left = room - min(width_of(end), max(room - LEAST_WORDS - 2, 0)) - 2
        if left >= min(cell_len(question.text), LEAST_WORDS):
            words = question._replace(text=fit(question.text, left))
            return [frame.emit([*clip([words, Piece("  ", look.text), *end], room), *fold])]
        first = frame.emit([question._replace(text=fit(question.text, room)), *fold])
        return [first, frame.emit(clip(end, room))]

    def _end(self, look: PaintLook, hit: ClickTarget | None) -> list[Piece]:
        """Return the outcome of a question; the user isn't named as the one who answered."""
        state, asked = self.place.state, self.place.asked
        if state == "skipped":
            because = neutral.first_line(self.place.because)
            return [Piece(f"↷ skipped: {because}" if because else "↷ skipped", look.muted, hit)]
        if asked is None:
            told = {"taken_back": f"↶ {TAKEN_BACK}", "gone_back": f"↶ {GONE_BACK}"}
            return [Piece(told.get(state, f"· {AHEAD if self.goes_on else UNASKED}"), look.muted, hit)]
        if state == "left" and asked.tag.raw in ("", "user"):
            return [Piece(f"⊘ {ENDED}", look.muted, hit)]
        found = outcome_pieces(outcome(asked, waits=self.waits), look, hit)
        plain = asked.by in ("", "user") and not asked.via
        return found[:1] if plain else found

    def _whole(self, frame: Frame) -> list[Row]:
        """Return all of a question and its answer, its context, why it was asked, and its earlier answers."""
        asked, rows = self.place.asked, list[Row]()
        if _long(self.place.text, frame):
            rows += words_rows(self.place.text, frame)
        if asked is not None and asked.how == "answered" and isinstance(asked.answer, str):
            many = "\n" in asked.answer.strip() or cell_len(asked.answer) > frame.room // 3
            rows += long_answer(asked.answer, frame) if many else []
        if asked is not None and asked.context.raw.strip():
            rows += context_rows(asked.context, frame)
        rows += self._why(frame)
        for one in self.place.earlier:
            end = outcome(one, waits=False)
            told = f"earlier: {end.sign} {neutral.first_line(end.word) or 'empty on purpose'}"
            rows += frame.paragraph([Piece(told, frame.look.muted)])
        return rows


def _long(words: Foreign, frame: Frame) -> bool:
    return "\n" in words.raw.strip() or cell_len(words.raw) > frame.room // 2
