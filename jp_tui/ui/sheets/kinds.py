"""Which sheet asks which kind of question. Imported with the first question: a workspace starts without it."""

from __future__ import annotations

from typing import assert_never

from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import (
    BooleanAnswer,
    MultiSelectAnswer,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from jp_tui.ui.sheets.boolean import BooleanSheet
from jp_tui.ui.sheets.delivery import DeliverySheet
from jp_tui.ui.sheets.field import Gate
from jp_tui.ui.sheets.hunks import HunkSheet, by_hunks
from jp_tui.ui.sheets.multi import MultiSelectSheet
from jp_tui.ui.sheets.permission import PermissionSheet
from jp_tui.ui.sheets.review import ReviewSheet
from jp_tui.ui.sheets.schema import SchemaSheet
from jp_tui.ui.sheets.secret import SecretSheet
from jp_tui.ui.sheets.select import SelectSheet
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.sheets.text import TextSheet


def sheet_for(prompt: PromptRequest, gate: Gate) -> Sheet:
    """The sheet for a prompt: leave to run or to deliver has its own, a question goes by its answer type."""
    if prompt.kind == "permission":
        return PermissionSheet(prompt, gate=gate)
    if prompt.kind == "review":
        return ReviewSheet(prompt, gate=gate)
    if prompt.kind == "delivery":
        return DeliverySheet(prompt, gate=gate)
    if by_hunks(prompt):
        return HunkSheet(prompt, gate=gate)
    match prompt.question.answer_type:
        case BooleanAnswer():
            return BooleanSheet(prompt, gate=gate)
        case SelectAnswer():
            return SelectSheet(prompt, gate=gate)
        case MultiSelectAnswer():
            return MultiSelectSheet(prompt, gate=gate)
        case TextAnswer():
            return TextSheet(prompt, gate=gate)
        case SecretAnswer():
            return SecretSheet(prompt, gate=gate)
        case SchemaAnswer():
            return SchemaSheet(prompt, gate=gate)
        case other:
            assert_never(other)
