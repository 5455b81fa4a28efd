"""Paint a block of the transcript as rows, identical for live and for reloaded blocks.

Takes a block, a width, colours and whether it is unfolded; the same arguments give the same rows. Decides what is
folded and how many rows of it stay visible; `tools.py` paints tool calls and their questions.
"""

from __future__ import annotations

from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import markdown, plain
from jp_tui.ui.painting.code import code
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row
from jp_tui.ui.painting.tools import question_rows, tool_rows
from jp_tui.view.transcript.blocks import (
    Block,
    CompactionBlock,
    Data,
    Ending,
    Header,
    Note,
    Odd,
    QuestionBlock,
    ReasoningBlock,
    Resumed,
    RetryBlock,
    TextBlock,
    ToolBlock,
    User,
)
from jp_tui.view.transcript.heights import PROSE
from jp_tui.view.wording.amounts import duration

EDGE, MARGIN = 1, 3
"""Cells left of a bar or a header, and left of text."""
THOUGHTS = 3
"""Visible rows of folded reasoning."""
HEAD = 8_192
"""Characters of a folded thought that are laid out: far more than its rows can hold."""
LONG = 40
"""Visible lines of the user's own text while it is folded."""
SERVER_ROWS = 6
"""Visible rows of a server's error message while it is folded."""
ASIDE = 1
"""Visible lines of a folded message with side questions: its call shows them already (E30)."""
COMMAND = 3
"""Visible lines of a folded own command, whose text comes from a file."""


FOLDED: frozenset[str] = frozenset()
"""Nothing is unfolded."""


def page(width: int, look: PaintLook, margin: int = MARGIN) -> Frame:
    """Return the frame of a block: its margin on the left, 2 free cells on the right; prose up to a readable width."""
    return Frame(look, width, look.text, room=width - 2, measure=PROSE + margin).indented(margin)


def paint(block: Block, width: int, look: PaintLook, *, unfolded: frozenset[str] = FOLDED) -> list[Row]:
    """Return the rows of a block, each exactly `width` cells. `unfolded` has the keys of unfolded blocks and parts."""
    open_ = block.key in unfolded
    match block:
        case User():
            return _user(block, width, look, open_)
        case Header():
            return _header(block, width, look)
        case TextBlock():
            return message_rows(block, width, look)
        case ReasoningBlock():
            return thought(block.key, block.text.raw, width, look, open_, incomplete=block.incomplete)
        case Data(text=text):
            shown, missing = plain.cut(text.raw)
            frame = page(width, look)
            rows = code(neutral.neutralise(shown).split("\n"), "json", frame)
            return [*rows, *plain.note(missing, frame)]
        case ToolBlock():
            return tool_rows(block, page(width, look), unfolded)
        case QuestionBlock(asked=asked):
            return question_rows(asked, page(width, look), block.key, unfolded)
        case Resumed():
            frame = page(width, look, EDGE).inside([Piece("↻ ", look.muted)], [Piece("  ", look.text)])
            return frame.paragraph([Piece("jp-tui ended here. The turn goes on below.", look.muted)])
        case Ending():
            return _ending(block, width, look, open_)
        case Note(about=about, text=text):
            sign = "↶ " if about == "undone" else "─ "
            frame = page(width, look, EDGE).inside([Piece(sign, look.muted)], [Piece("  ", look.text)])
            return frame.paragraph([Piece(neutral.neutralise(text, "line"), look.muted)])
        case RetryBlock(text=text, silent=silent):
            sign, style = ("◌ ", look.muted) if silent else ("↻ ", look.waiting)
            frame = page(width, look, EDGE).inside([Piece(sign, style)], [Piece("  ", look.text)])
            return frame.paragraph([Piece(neutral.neutralise(text, "line"), style)])
        case CompactionBlock():
            return _compaction(block, width, look, open_)
        case Odd(name=name, problem=problem):
            words = [Piece("· event type not supported by this version: ", look.muted), _line(name, look)]
            if problem:
                words = [Piece("· unreadable event: ", look.muted), _line(name, look)]
                words += [Piece(", ", look.muted), _line(problem, look)]
            return page(width, look).paragraph(words)


def _compaction(block: CompactionBlock, width: int, look: PaintLook, unfolded: bool) -> list[Row]:
    """Return the line, the error, and the summary that models get instead, folded."""
    frame = page(width, look, EDGE)
    inside = frame.inside([Piece("≡ ", look.muted)], [Piece("  ", look.text)])
    rows = inside.paragraph([Piece(neutral.neutralise(block.text, "line"), look.muted)])
    below = frame.indented(2)
    if block.failed:
        rows += below.paragraph([Piece(neutral.neutralise(block.failed, "line"), look.waiting)])
    if not block.details:
        return rows
    shown, missing = plain.cut(block.details.raw)
    lines = plain.lines(Foreign(shown), look.muted, look)
    if not unfolded:
        return [*rows, below.emit([fold(block.details.raw.count("\n") + 1, block.key, look.muted)])]
    return [*rows, *plain.paragraphs(lines, below), *plain.note(missing, below)]


def _line(text: Foreign, look: PaintLook) -> Piece:
    return Piece(neutral.first_line(text) or "(no name)", look.muted)


def _user(block: User, width: int, look: PaintLook, unfolded: bool) -> list[Row]:
    bar = [Piece(" ", look.text), Piece("▌ ", look.user_bar)]
    frame = Frame(look, width, look.user, room=width - 2, measure=PROSE + MARGIN).inside(bar, bar, base=look.user)
    shown, missing = plain.cut(block.text.raw.rstrip("\n"))
    lines = plain.lines(Foreign(shown), look.user, look)
    shown_lines = ASIDE if block.aside else COMMAND if block.command else LONG
    more = len(lines) - shown_lines
    rows = plain.paragraphs(lines if unfolded or more <= 3 else lines[:shown_lines], frame)
    if block.command:
        rows[:0] = frame.paragraph([Piece(neutral.neutralise(block.command, "line"), look.user + Style(bold=True))])
    if more > 3 and not unfolded:
        rows.append(frame.emit([fold(more, block.key, look.user + Style(dim=True))]))
    return [*rows, *plain.note(missing, frame)]


def fold(lines: int, key: str, style: Style) -> Piece:
    """Return the label of folded lines; a click unfolds them."""
    return Piece(f"… {lines:,} more line{'s' if lines != 1 else ''}", style, ClickTarget("fold", key))


def _header(block: Header, width: int, look: PaintLook) -> list[Row]:
    body = [Piece("assistant", look.assistant)]
    after = [neutral.first_line(block.model)] if block.model else []
    if block.ms is not None:
        after.append(duration(block.ms))
    if after:
        body += [Piece("  ", look.text), Piece(" · ".join(after), look.muted)]
    return [page(width, look, EDGE).emit(body)]


def message_rows(block: TextBlock, width: int, look: PaintLook) -> list[Row]:
    """Return the rows of a whole message."""
    frame = page(width, look)
    shown, missing = plain.cut(block.text.raw)
    rows = markdown.document(markdown.parse(neutral.neutralise(shown), {}), frame, menu=block.greeting)
    return [*rows, *closing(missing, block.incomplete, frame)]


def closing(missing: int, incomplete: bool, frame: Frame) -> list[Row]:
    """Return the note below a message that is not shown whole or was not received whole."""
    rows = plain.note(missing, frame)
    if incomplete:
        rows.append(frame.emit([Piece("✂ truncated: the rest never arrived", frame.look.waiting)]))
    return rows


def thought(key: str, text: str, width: int, look: PaintLook, unfolded: bool, *, incomplete: bool = False) -> list[Row]:
    """Return the rows of reasoning, dim and folded to its first rows."""
    style = look.muted + Style(italic=True)
    bar = [Piece("┊ ", look.muted)]
    frame = page(width, look).inside(bar, bar, base=style)
    text = text.strip("\n")
    shown, missing = plain.cut(text, plain.SHOWN if unfolded else HEAD)
    rows: list[Row] = []
    whole = 0
    for line in plain.lines(Foreign(shown), style, look):
        rows.extend(frame.paragraph(line))
        whole += len(rows) <= THOUGHTS
        if not unfolded and len(rows) > THOUGHTS + 1:
            rest = text.count("\n") + 1 - whole
            return [*rows[:THOUGHTS], frame.emit([fold(rest, key, look.muted)])]
    return rows + closing(missing, incomplete, frame)


def _server_message_rows(block: Ending, frame: Frame, unfolded: bool) -> list[Row]:
    """Return the first rows of a server's own message, the rest folded."""
    shown, missing = plain.cut(block.detail.raw.strip())
    rows = plain.paragraphs(plain.lines(Foreign(shown), frame.look.muted, frame.look), frame)
    if not unfolded and len(rows) > SERVER_ROWS + 1:
        return [*rows[:SERVER_ROWS], frame.emit([fold(len(rows) - SERVER_ROWS, block.key, frame.look.muted)])]
    return [*rows, *plain.note(missing, frame)]


def _ending(block: Ending, width: int, look: PaintLook, unfolded: bool) -> list[Row]:
    frame = page(width, look, EDGE)
    match block.how:
        case "interrupted":
            return frame.paragraph([Piece("⊘ ", look.muted), Piece("interrupted", look.muted)])
        case "deferred":
            inside = frame.inside([Piece("◐ ", look.waiting)], [Piece("  ", look.text)])
            words = "Stopped at a question that has no answer yet. It stays open: /inbox answers it."
            return inside.paragraph([Piece(words, look.waiting)])
        case "failed":
            pass
    sign = [Piece("✗ ", look.bad)]
    inside = frame.inside(sign, [Piece("  ", look.text)])
    message = neutral.neutralise(block.message).strip() or "the turn failed"
    rows = plain.paragraphs([[Piece(line, look.bad)] for line in message.split("\n")], inside)
    if block.detail.raw.strip():
        rows += _server_message_rows(block, frame.indented(2), unfolded)
    if block.advice:
        arrow = frame.inside([Piece("→ ", look.running)], [Piece("  ", look.text)])
        advice = neutral.neutralise(block.advice).strip()
        rows += plain.paragraphs([[Piece(line, look.text)] for line in advice.split("\n")], arrow)
    return rows
