"""From one question of a form to the next: the answered sheet stays until the next question comes (E20, E24)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content

from jp_tui.protocol.values import Answered, PromptRequest, Response, Restored, WentBack
from jp_tui.ui.sheets.dock.question_drafts import QuestionDrafts
from jp_tui.ui.sheets.form_tabs import names
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import restored
from jp_tui.view.questions.queue import NONE, Key, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:  # a sheet is loaded with the first question
    from jp_tui.ui.sheets.sheet import Sheet

LINGER = 2.0
"""Seconds for which a form's answered question stays while the next one is on its way: a busy machine must not drop the
keys that were typed for that."""


def same_call(one: PromptRequest, other: PromptRequest) -> bool:
    """Return True if two questions belong to one call, and so to one form."""
    return _call(one) == _call(other)


class FormTransition:
    """The answered question of a form that lingers, and what its step does to drafts."""

    def __init__(
        self,
        drafts: QuestionDrafts,
        *,
        sheet_of: Callable[[Key], Sheet | None],
        later: Callable[[float, Callable[[], None]], object],
        over: Callable[[Key], None],
    ) -> None:
        """`later` calls a function after some seconds; `over` drops a question that nothing followed."""
        self._drafts, self._sheet_of, self._later, self._over = drafts, sheet_of, later, over
        self._responses: dict[Key, type[Response]] = {}
        self._lingering = NONE
        self._restored = ("", "")  # conversation and call whose answers were just restored

    def sent(self, prompt: PromptRequest, response: Response) -> None:
        """Note an answer that is on its way."""
        self._responses[key_of(prompt)] = type(response)

    def lingers(self, key: Key, sheet: Sheet) -> bool:
        """Return True if the sheet of a closed question stays a moment, because its form continues."""
        goes_on = key in self._responses and self.walks(sheet)
        if goes_on and self._lingering == NONE:
            self._lingering = key
            self._later(LINGER, self._end_form)
        return goes_on

    def walks(self, sheet: Sheet) -> bool:
        """Return True if the answer that a sheet gave leads to another question of its form."""
        sent = self._responses.get(key_of(sheet.prompt))
        goes_on = sent in (Answered, WentBack, Restored) if sent else sheet.prompt.kind != "review"
        return sheet.steps.form is not None and goes_on

    def _end_form(self) -> None:
        key, self._lingering = self._lingering, NONE
        if key != NONE:
            self._over(key)

    def replaced_by(self, prompt: PromptRequest, *, alone: bool) -> Key:
        """Return the question that lingers, and which a new one replaces; NONE for none.

        A form's next question replaces it even if other questions wait: a form isn't interrupted (E12). `alone`: no
        other question waits.
        """
        before = self._sheet_of(self._lingering)
        if before is not None and not alone and _call(before.prompt) != _call(prompt):
            return NONE
        key, self._lingering = self._lingering, NONE
        return key

    def left(self, key: Key) -> None:
        """Note a closed question: its unsent text is kept if its form continues (E24)."""
        sheet, response = self._sheet_of(key), self._responses.pop(key, None)
        if sheet is None:
            return
        prompt = sheet.prompt
        self._restored = _call(prompt) if response is Restored else ("", "")
        if response in (WentBack, Restored):
            self._drafts.carry(prompt, sheet.draft.stored())
        elif response is Answered and sheet.steps.form is not None:
            self._drafts.carry(prompt, "")
        else:
            self._drafts.drop_call(prompt)

    def notice_for(self, prompt: PromptRequest) -> Content | None:
        """Return the notice of a new sheet: restoring answers discarded changes. None for no notice."""
        if self._restored != _call(prompt) or prompt.form is None:
            return None
        carried = self._drafts.carried(prompt)
        kept = [name for name, (_, text) in carried.items() if restored(text).answer is not None]
        left = [one.id for one in prompt.form.places if one.id in kept and one.state == "answered"]
        return ours(w.LEFT_BEHIND, which=names(left)) if left else None


def _call(prompt: PromptRequest) -> tuple[str, str]:
    return prompt.conversation, prompt.call
