"""Which sheet asks which kind of question. Imported with the first question: a workspace starts without it."""

from __future__ import annotations

from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import BooleanAnswer, SelectAnswer, TextAnswer
from jp_tui.ui.sheets.boolean import BooleanSheet
from jp_tui.ui.sheets.field import Gate
from jp_tui.ui.sheets.select import SelectSheet
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.sheets.text import TextSheet


def sheet_for(prompt: PromptRequest, gate: Gate) -> Sheet:
    """The sheet for a prompt's answer type; ValueError for a type that has none yet."""
    match prompt.question.answer_type:
        case BooleanAnswer():
            return BooleanSheet(prompt, gate=gate)
        case SelectAnswer():
            return SelectSheet(prompt, gate=gate)
        case TextAnswer():
            return TextSheet(prompt, gate=gate)
        case other:
            raise ValueError(f"no sheet for an answer of type {other.type}")
