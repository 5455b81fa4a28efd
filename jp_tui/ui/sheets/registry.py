"""The answer area of each kind of question. Imported with the first question: a workspace starts without it."""

from __future__ import annotations

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.area import AnswerArea
from jp_tui.ui.sheets.areas.boolean import BooleanArea
from jp_tui.ui.sheets.areas.delivery import DeliveryArea
from jp_tui.ui.sheets.areas.form_summary import FormSummaryArea
from jp_tui.ui.sheets.areas.hunks import HunkArea, by_hunks
from jp_tui.ui.sheets.areas.multi_select import MultiSelectArea
from jp_tui.ui.sheets.areas.others import OthersArea
from jp_tui.ui.sheets.areas.permission import PermissionArea
from jp_tui.ui.sheets.areas.secret import SecretArea
from jp_tui.ui.sheets.areas.select import SelectArea
from jp_tui.ui.sheets.areas.text import FreeTextArea
from jp_tui.ui.sheets.field import InputGate
from jp_tui.ui.sheets.schema.area import SchemaArea
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.view.questions.drafts import Draft

AREAS: dict[str, type[AnswerArea]] = {
    "boolean": BooleanArea,
    "select": SelectArea,
    "multi_select": MultiSelectArea,
    "text": FreeTextArea,
    "secret": SecretArea,
    "schema": SchemaArea,
}
"""By the name of the kind of answer (`questions.types.KINDS`)."""


def area_for(prompt: PromptRequest) -> type[AnswerArea]:
    """Return the answer area for a prompt: permissions have their own, a question's depends on its answer type; one
    that waits for other people takes none."""
    if not prompt.yours:
        return OthersArea
    if prompt.kind == "permission":
        return PermissionArea
    if prompt.kind == "review":
        return FormSummaryArea
    if prompt.kind == "delivery":
        return DeliveryArea
    if by_hunks(prompt):
        return HunkArea
    return AREAS[prompt.question.answer_type.type]


def sheet_for(prompt: PromptRequest, gate: InputGate, draft: Draft) -> Sheet:
    """Make the sheet for a prompt, with its draft."""
    return Sheet(prompt, area_for(prompt), gate=gate, draft=draft)
