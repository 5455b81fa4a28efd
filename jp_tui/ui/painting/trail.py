"""The questions and decisions about a call, as rows below it (asking.md E42; issue 4, 8).

A question takes one row: the asker if that is not the call, the question, the outcome, by whom; its reason below. Each
row is a part of its own that unfolds to the whole question, its context and the reason it was asked. The signs and
words come from `view/`; a sign is always shown with its word (E60).
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff, plain
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row, chop, width_of
from jp_tui.view.questions import approval_text
from jp_tui.view.questions.inquiry import InquiryView
from jp_tui.view.questions.outcome_line import InquiryOutcome, asker, outcome
from jp_tui.view.questions.outcome_line import reviewed as reviewed_words
from jp_tui.view.wording.why import why

WHY = "?"
"""Suffix of a part's key: the part's reason for having been asked."""
REASON_ROWS, LEAST_QUESTION, LEAST_FATE = 4, 18, 12
"""Visible rows of a folded reason; least cells of a question and of its outcome in their one row."""
CONTEXT_LINES = 6
"""Visible rows of a context while a question of the assistant is folded."""


def part_of(key: str, name: int | str) -> str:
    """Return the key of a part of a block."""
    return f"{key}/{name}"


def fit(text: str, room: int) -> str:
    """Return a line cut to `room` cells with an ellipsis."""
    if cell_len(text) <= room:
        return text
    return chop(text, room - 1)[0] + "…" if room > 1 else "…"[: max(room, 0)]


def clip(pieces: Sequence[Piece], room: int) -> list[Piece]:
    """Return pieces cut to `room` cells."""
    found: list[Piece] = []
    for piece in pieces:
        size = cell_len(piece.text)
        if size > room:
            found.append(piece._replace(text=fit(piece.text, room)))
            break
        found.append(piece)
        room -= size
    return found


def arrow(unfolded: bool, hit: ClickTarget, look: PaintLook) -> Piece:
    """Return the sign of a row that unfolds, or folds."""
    return Piece(" ▾" if unfolded else " ▸", look.muted, hit)


def style_of(role: str, look: PaintLook) -> Style:
    """Return the style of a role; a quiet one is muted."""
    styles = {
        "good": look.good, "bad": look.bad, "waiting": look.waiting, "running": look.running, "reviewer": look.reviewer,
    }  # fmt: skip
    return styles.get(role, look.muted)


def outcome_pieces(end: InquiryOutcome, look: PaintLook, hit: ClickTarget | None = None) -> list[Piece]:
    """Return `✓ yes · you`."""
    word = neutral.first_line(end.word) or "empty on purpose"
    after = "".join(f" · {part}" for part in (neutral.first_line(end.who), end.took) if part)
    return [Piece(f"{end.sign} {word}", style_of(end.role, look), hit), Piece(after, look.muted, hit)]


def trail_rows(
    asked: InquiryView, frame: Frame, key: str, *, tool: str, waits: bool, reviewed: bool, unfolded: frozenset[str]
) -> list[Row]:
    """Return a question below its call: one row, its reason, and the unfolded details."""
    look, hit = frame.look, ClickTarget("fold", key)
    inside = frame.inside([Piece("└ ", look.muted)], [Piece("  ", look.text)])
    who = neutral.first_line(asker(asked))
    head = "" if who in (tool, "a tool") else f"{who}: "
    question = head + (neutral.first_line(asked.text) or "(an empty question)")
    open_ = key in unfolded
    end = outcome_pieces(outcome(asked, waits=waits, reviewed=reviewed), look, hit)
    room = inside.room - 2
    left = room - min(width_of(end), max(room - LEAST_QUESTION - 2, LEAST_FATE)) - 2
    if left >= min(cell_len(question), LEAST_QUESTION):
        words = Piece(fit(question, left), look.muted, hit)
        body = [words, Piece("  ", look.text), *end]
        rows = [inside.emit([*clip(body, room), arrow(open_, hit, look)])]
    else:
        rows = [inside.emit([Piece(fit(question, room), look.muted, hit), arrow(open_, hit, look)])]
        rows.append(inside.emit(clip(end, room)))
    said = asked.heard if reviewed and asked.how == "open" else asked.explanation
    rows += reason(said, inside, REASON_ROWS if not open_ else None)
    if open_:
        rows += _whole(asked, inside)
    elif key + WHY in unfolded:
        rows += why_rows(asked, inside)
    return rows


def reason(words: Foreign, frame: Frame, most: int | None) -> list[Row]:
    """Return a quoted reason; at most `most` rows of it."""
    text = neutral.neutralise(words).strip().replace("\n", " ")
    if not text:
        return []
    style = frame.look.muted + Style(italic=True)
    shown, missing = plain.cut(text, 8_192)
    rows = frame.paragraph([Piece(f"“{shown}”", style)])
    rows += plain.note(missing, frame)
    if most is not None and len(rows) > most:
        left = len(rows) - most + 1
        return [*rows[: most - 1], frame.emit([Piece(f"… {left:,} more lines fold out", frame.look.muted)])]
    return rows


def _whole(asked: InquiryView, frame: Frame) -> list[Row]:
    """Return everything about a question: its text and its answer, who asked, why, and its context."""
    look = frame.look
    rows: list[Row] = []
    if "\n" in asked.text.raw.strip() or cell_len(asked.text.raw) > frame.room // 2:
        rows += words_rows(asked.text, frame)
    who = f"asked by {neutral.first_line(asker(asked))}"
    rows += frame.paragraph([Piece(who, look.muted)])
    rows += why_rows(asked, frame)
    if words := reviewed_words(asked):
        rows += frame.paragraph([Piece(neutral.first_line(words), look.muted)])
    rows += _parts(asked, frame)
    if asked.how == "answered" and isinstance(asked.answer, str) and "\n" in asked.answer.strip():
        rows += long_answer(asked.answer, frame)
    if asked.context.raw.strip():
        rows += context_rows(asked.context, frame)
    return rows


def words_rows(words: Foreign, frame: Frame) -> list[Row]:
    """Return all lines of a question."""
    return plain.whole(words.raw.strip(), frame.look.text, frame)


def _parts(asked: InquiryView, frame: Frame) -> list[Row]:
    """Return which parts of a change were accepted, and the comments on them (R251)."""
    look, rows = frame.look, list[Row]()
    for part in asked.parts:
        sign, word, style = ("✓", "taken", look.good) if part.accepted else ("✗", "left out", look.bad)
        inside = frame.inside([Piece(f"{sign} ", style)], [Piece("  ", look.text)])
        rows += inside.paragraph([Piece(f"{word} ", style), Piece(neutral.first_line(part.title), look.muted)])
        rows += reason(part.comment, inside, None)
    return rows


def why_rows(asked: InquiryView, frame: Frame) -> list[Row]:
    """Return why the question was asked, or wasn't."""
    return frame.paragraph([Piece(neutral.first_line(why(asked)), frame.look.reviewer)])


def dialogue_rows(
    asked: InquiryView, frame: Frame, key: str, *, waits: bool, reviewed: bool, unfolded: frozenset[str]
) -> list[Row]:
    """Return a question of the assistant and its answer, as in a conversation (R160)."""
    look, hit = frame.look, ClickTarget("fold", key)
    open_ = key in unfolded
    rows: list[Row] = []
    sign = frame.inside([Piece("? ", look.waiting + Style(bold=True))], [Piece("  ", look.text)])
    rows += plain.whole(asked.text.raw.strip(), look.strong, sign)
    inner = frame.indented(2)
    if asked.context.raw.strip():
        context = context_rows(asked.context, inner)
        if not open_ and len(context) > CONTEXT_LINES + 1:
            context = [*context[:CONTEXT_LINES], inner.emit([more(len(context) - CONTEXT_LINES, key, look)])]
        rows += context
    end = outcome(asked, waits=waits, reviewed=reviewed)
    if asked.how == "answered" and isinstance(asked.answer, str) and "\n" in asked.answer.strip():
        rows += long_answer(asked.answer, inner)
        rows.append(inner.emit(clip([Piece(f"— {neutral.first_line(end.who) or 'answered'}", look.muted, hit)], 400)))
    else:
        rows += inner.paragraph(outcome_pieces(end, look, hit))
    rows += reason(asked.explanation, inner, REASON_ROWS if not open_ else None)
    return rows + why_rows(asked, inner) if open_ or key + WHY in unfolded else rows


def decision_rows(one: approval_text.Decision, frame: Frame, key: str, unfolded: frozenset[str]) -> list[Row]:
    """Return who allowed a call to run, or its result to be delivered."""
    look, hit = frame.look, ClickTarget("fold", key)
    inside = frame.inside([Piece("└ ", look.muted)], [Piece("  ", look.text)])
    said = approval_text.decision_text(one)
    open_ = key in unfolded or key + WHY in unfolded
    body = [Piece(f"{said.sign} {said.words}", style_of(said.tone, look), hit)]
    body += [Piece(f" · {said.aside}", look.muted, hit)] if said.aside else []
    rows = [inside.emit([*clip(body, inside.room - 2), arrow(open_, hit, look)])]
    rows += reason(one.reason, inside, REASON_ROWS if not open_ else None)
    return rows + inside.paragraph([Piece(approval_text.asked_reason(one), look.reviewer)]) if open_ else rows


def long_answer(answer: str, frame: Frame) -> list[Row]:
    """Return an answer of several lines."""
    look = frame.look
    inside = frame.inside([Piece("✓ ", look.good)], [Piece("  ", look.text)])
    return plain.whole(answer.strip("\n"), look.text, inside)


def context_rows(context: Foreign, frame: Frame) -> list[Row]:
    """Return the context of a question: a diff, or text."""
    shown, missing = plain.cut(context.raw.strip("\n"))
    if diff.is_diff(shown):
        rows = diff.recorded(shown, frame)
    else:
        rows = plain.paragraphs(plain.lines(Foreign(shown), frame.look.muted, frame.look), frame)
    return [*rows, *plain.note(missing, frame)]


def more(lines: int, key: str, look: PaintLook) -> Piece:
    """Return the label of folded lines; a click unfolds them."""
    return Piece(f"… {lines:,} more line{'s' if lines != 1 else ''}", look.muted, ClickTarget("fold", key))
