"""Tool calls as rows: one line each, its questions below it, its result folded; `ask_user` as question and answer.

A line says with a sign and a word what became of the call (asking.md E60) and keeps to one row; what it was given
and what it gave back is a click away. Who answered a question, and with what, always stands (E42).
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff, plain
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Hit, Piece, Row, chop
from jp_tui.view.activity_lines import ENDS, RESPONDERS, STATES, TAGS, said
from jp_tui.view.amounts import duration
from jp_tui.view.blocks import Asked, Tool

ERROR_LINES, OUTPUT_LINES, CONTEXT_LINES = 4, 1_000, 6
"""Lines of an error in sight while folded; lines of a result shown unfolded; lines of an open question's context."""

WAITS = ("running", "awaiting_input", "awaiting_assistant")
"""States in which a question of a call can still be answered."""


def tool_rows(tool: Tool, frame: Frame, unfolded: bool) -> list[Row]:
    """The rows of a call."""
    if tool.dialogue:
        waits = tool.state in WAITS
        return [row for asked in tool.asked for row in _dialogue(asked, frame, tool.key, unfolded, waits=waits)]
    rows = [_call_line(tool, frame, unfolded)]
    inner = frame.indented(2)
    for asked in tool.asked:
        rows += _trail(asked, inner, tool.key, waits=tool.state in WAITS)
    if unfolded:
        rows += _inside(tool, inner)
    elif tool.end == "error" and tool.output.raw.strip():
        rows += _result(tool, inner, ERROR_LINES, frame.look.muted)
    return rows


def question_rows(asked: Asked, frame: Frame, key: str, unfolded: bool) -> list[Row]:
    """A question whose call is not known here."""
    return _dialogue(asked, frame, key, unfolded, waits=False)


def _call_line(tool: Tool, frame: Frame, unfolded: bool) -> Row:
    look, hit = frame.look, Hit("fold", tool.key)
    sign, word, style = _state(tool, look)
    after = [part for part in (_detail(tool), word) if part]
    if tool.ms is not None and tool.state == "completed":
        after.append(duration(tool.ms))
    arrow = "▾" if unfolded else "▸" if tool.state == "completed" else " "
    right = "".join(f" · {part}" for part in after)
    name = _fit(neutral.first_line(tool.name) or "tool", max(frame.room // 2, 8))
    free = frame.room - 2 - cell_len(name) - cell_len(right) - 3
    title = _fit(neutral.first_line(tool.title), free - 1) if free > 4 else ""
    body = [Piece(f"{sign} ", style, hit), Piece(name, look.text, hit)]
    if title:
        body.append(Piece(f" {title}", look.muted, hit))
    loud = style if tool.end not in ("ok",) and tool.state != "queued" else look.muted
    for part in after:
        body += [Piece(" · ", look.muted, hit), Piece(part, loud if part == word else look.muted, hit)]
    return frame.emit([*_clip(body, frame.room - 2), Piece(f" {arrow}", look.muted, hit)])


def _clip(pieces: list[Piece], room: int) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        size = cell_len(piece.text)
        if size > room:
            found.append(piece._replace(text=_fit(piece.text, room)))
            break
        found.append(piece)
        room -= size
    return found


def _fit(text: str, room: int) -> str:
    """A line cut to `room` cells with an ellipsis."""
    if cell_len(text) <= room:
        return text
    return chop(text, room - 1)[0] + "…" if room > 1 else "…"[: max(room, 0)]


def _state(tool: Tool, look: Look) -> tuple[str, str, Style]:
    if tool.state == "completed":
        sign, word, role = ENDS[tool.end or "ok"]
    else:
        sign, word, role = STATES[tool.state]
        if tool.state == "awaiting_input":
            word = "waiting for you"
    styles = {
        "good": look.good, "bad": look.bad, "waiting": look.waiting, "running": look.running, "reviewer": look.reviewer,
    }  # fmt: skip
    return sign, word, styles.get(role, look.muted)


def _detail(tool: Tool) -> str:
    """What came of a call in a few words: lines, or the changes that were put before somebody."""
    for asked in tool.asked:
        if diff.is_diff(asked.context.raw):
            _, added, removed = diff.counts(diff.read(asked.context.raw))
            return f"+{added:,} −{removed:,}"
    if tool.end == "ok" and tool.output.raw.strip():
        lines = tool.output.raw.strip("\n").count("\n") + 1
        return f"{lines:,} line{'s' if lines != 1 else ''}"
    return ""


def _trail(asked: Asked, frame: Frame, key: str, *, waits: bool) -> list[Row]:
    """A question on a trail line, then who answered it and how (E42)."""
    look = frame.look
    inside = frame.inside([Piece("└ ", look.muted)], [Piece("  ", look.text)])
    question = Piece(neutral.first_line(asked.text) or "(a question without words)", look.muted, Hit("fold", key))
    body = [question, Piece("  ", look.text), *_fate(asked, look, waits=waits)]
    rows = inside.paragraph(body)
    if asked.explanation.raw.strip():
        reason = neutral.neutralise(asked.explanation).strip().replace("\n", " ")
        rows += inside.paragraph([Piece(f"“{reason}”", look.muted + Style(italic=True))])
    return rows


def _fate(asked: Asked, look: Look, *, waits: bool = True) -> list[Piece]:
    """`✓ yes · you`, in pieces; `waits` is whether somebody can still answer."""
    who = neutral.first_line(asked.model) if asked.by == "assistant" and asked.model else RESPONDERS.get(asked.by, "")
    took = duration(asked.ms) if asked.ms is not None and asked.by != "user" else ""
    after = "".join(f" · {part}" for part in (who, took) if part)
    match asked.how:
        case "open":
            return [Piece("◐ asked", look.waiting) if waits else Piece("⊘ not answered", look.muted)]
        case "answered":
            no = asked.answer is False
            sign, style = ("✗", look.bad) if no else ("✓", look.good)
            answer = neutral.first_line(said(asked.answer)) or "empty on purpose"
            return [Piece(f"{sign} {answer}", style), Piece(after, look.muted)]
        case "redacted":
            return [Piece("✓ kept secret", look.good), Piece(after, look.muted)]
        case "cancelled":
            tag = neutral.first_line(asked.tag)
            return [Piece(f"⊘ {TAGS.get(tag, tag)}", look.muted), Piece(after, look.muted)]


def _dialogue(asked: Asked, frame: Frame, key: str, unfolded: bool, *, waits: bool) -> list[Row]:
    """A question of the assistant and its answer, as in a conversation (R160)."""
    look = frame.look
    rows: list[Row] = []
    sign = frame.inside([Piece("? ", look.waiting + Style(bold=True))], [Piece("  ", look.text)])
    rows += plain.paragraphs(plain.lines(Foreign(plain.cut(asked.text.raw.strip())[0]), look.strong, look), sign)
    inner = frame.indented(2)
    if asked.context.raw.strip():
        rows += _context(asked.context, inner, key, unfolded)
    if asked.how == "answered" and isinstance(asked.answer, str) and "\n" in asked.answer.strip():
        rows += _long_answer(asked.answer, inner)
        who = RESPONDERS.get(asked.by, "")
        return [*rows, inner.emit([Piece(f"— {who}", look.muted)])] if who else rows
    return rows + inner.paragraph(_fate(asked, look, waits=waits))


def _long_answer(answer: str, frame: Frame) -> list[Row]:
    look = frame.look
    inside = frame.inside([Piece("✓ ", look.good)], [Piece("  ", look.text)])
    return plain.paragraphs(plain.lines(Foreign(plain.cut(answer.strip("\n"))[0]), look.text, look), inside)


def _context(context: Foreign, frame: Frame, key: str, unfolded: bool) -> list[Row]:
    shown, missing = plain.cut(context.raw.strip("\n"))
    rows = _diff_or_plain(Foreign(shown), frame)
    if not unfolded and len(rows) > CONTEXT_LINES + 1:
        rest = len(rows) - CONTEXT_LINES
        return [*rows[:CONTEXT_LINES], frame.emit([_more(rest, key, frame.look)])]
    return [*rows, plain.note(missing, frame)] if missing else rows


def _diff_or_plain(text: Foreign, frame: Frame) -> list[Row]:
    if diff.is_diff(text.raw):
        return diff.unified(neutral.neutralise(text, "visualize"), frame).rows
    return plain.paragraphs(plain.lines(text, frame.look.muted, frame.look), frame)


def _more(lines: int, key: str, look: Look) -> Piece:
    return Piece(f"… {lines:,} more line{'s' if lines != 1 else ''}", look.muted, Hit("fold", key))


def _inside(tool: Tool, frame: Frame) -> list[Row]:
    """What a call was given, what was shown to whoever answered, and what it gave back."""
    look, rows = frame.look, list[Row]()
    if tool.problem:
        rows += frame.paragraph([Piece(f"never ran: {neutral.first_line(tool.problem)}", look.bad)])
    for name, value in tool.arguments:
        label = Piece(f"{neutral.first_line(name)}: ", look.running)
        content = plain.lines(Foreign(plain.cut(value.raw, 16_384)[0]), look.text, look)
        if len(content) == 1:
            rows += frame.paragraph([label, *content[0]])
        else:
            rows += [frame.emit([label]), *plain.paragraphs(content, frame.indented(2))]
    for number, asked in enumerate(tool.asked):
        again = any(asked.context == other.context for other in tool.asked[:number])
        if asked.context.raw.strip() and not again:
            shown, missing = plain.cut(asked.context.raw.strip("\n"))
            rows += _diff_or_plain(Foreign(shown), frame)
            rows += [plain.note(missing, frame)] if missing else []
    if tool.output.raw.strip():
        rows += _result(tool, frame, OUTPUT_LINES, look.text)
    return rows


def _result(tool: Tool, frame: Frame, most: int, style: Style) -> list[Row]:
    look = frame.look
    bar = [Piece("│ ", look.bad if tool.end == "error" else look.muted)]
    inside = frame.inside(bar, bar)
    shown, missing = plain.cut(tool.output.raw.strip("\n"))
    if diff.is_diff(shown):
        return [*diff.unified(neutral.neutralise(shown, "visualize"), inside).rows]
    content = plain.lines(Foreign(shown), style, look)
    rows = plain.paragraphs(content[:most], inside)
    if len(content) > most:
        rows.append(inside.emit([_more(len(content) - most, tool.key, look)]))
    if missing:
        rows.append(plain.note(missing, inside))
    return rows
