"""From one question of a form to the next: the sheet stays until that comes, and what was typed is not lost (E20, E24).

Going back ends a showing, but what was typed in it and not sent is there when its question is shown again; until then
it is journalled with the draft of the question that is open, so that no end of the program loses it. Never a secret.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jp_tui.protocol.values import Answered, PromptRequest, Response, Restored, WentBack
from jp_tui.ui.sheets.form_tabs import names
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft, restored
from jp_tui.view.questions.queue import NONE, Key, key_of
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.sheets.sheet import Sheet

LINGER = 0.6
"""Seconds for which a form's answered question stays while the next one is on its way."""

Kept = dict[str, tuple[str, str]]
"""Drafts by question id, each with the digest of what it was typed for."""


@dataclass(slots=True)
class Carried:
    """Drafts of questions that are not shown now, by conversation and call."""

    calls: dict[tuple[str, str], Kept] = field(default_factory=dict)

    def of(self, prompt: PromptRequest) -> Kept:
        """Those of a prompt's call."""
        return self.calls.get((prompt.conversation, prompt.call), {})

    def keep(self, prompt: PromptRequest, text: str) -> None:
        """What was typed when its showing ended; empty forgets it."""
        kept = {name: one for name, one in self.of(prompt).items() if name != prompt.question.id}
        if text:
            kept[prompt.question.id] = prompt.digest, text
        self.calls[prompt.conversation, prompt.call] = kept

    def take(self, prompt: PromptRequest) -> str:
        """What was typed for the same question before."""
        digest, text = self.of(prompt).get(prompt.question.id, ("", ""))
        self.keep(prompt, "")
        return text if digest == prompt.digest or prompt.kind == "review" else ""  # a review holds words, no answer

    def over(self, prompt: PromptRequest) -> None:
        """The call asks no more."""
        self.calls.pop((prompt.conversation, prompt.call), None)


def packed(text: str, others: Kept) -> str:
    """A question's draft and those that wait with it, as one text."""
    return json.dumps({"shown": text, "others": others}, ensure_ascii=False) if others else text


def unpacked(text: str) -> tuple[str, Kept]:
    """The way back; any other text is the question's own draft."""
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != {"shown", "others"} or not isinstance(found["shown"], str):
        return text, {}
    others = found["others"] if isinstance(found["others"], dict) else {}
    pairs = ((name, one) for name, one in others.items() if isinstance(one, list) and len(one) == 2)
    return found["shown"], {name: (str(one[0]), str(one[1])) for name, one in pairs}


def _call(prompt: PromptRequest) -> tuple[str, str]:
    """Ids of calls may be the same in two conversations."""
    return prompt.conversation, prompt.call


class FormTransition:
    """What comes after an answer, and the drafts of all questions."""

    def __init__(self, dock: SheetDock) -> None:
        self._dock = dock
        self._drafts: dict[Key, str] = {}
        self._carried = Carried()
        self._loaded: dict[Key, Kept] = {}  # what came with the draft of a question that was not asked yet
        self._responses: dict[Key, type[Response]] = {}
        self._lingering = NONE
        self._restored = ("", "")  # the call whose answers were just brought back

    # Drafts

    def draft(self, key: Key) -> Draft:
        """The draft with which a question is shown."""
        return restored(self._drafts.get(key, ""))

    def keep(self, key: Key, draft: Draft) -> None:
        """Remember the draft of a question that will be shown again."""
        self._drafts[key] = draft.stored()

    def forget(self, key: Key) -> None:
        """Drop the draft of a question that is gone."""
        self._drafts.pop(key, None)

    def changed(self, key: Key, draft: Draft) -> None:
        """Journal a draft, with those of its form that wait."""
        self.keep(key, draft)
        text, sheet = draft.stored(), self._dock.stage.sheet_of(key)
        self._dock.journal(key, packed(text, self._carried.of(sheet.prompt)) if sheet is not None else text)

    # From one question to the next

    def sent(self, prompt: PromptRequest, response: Response) -> None:
        """An answer is on its way."""
        self._responses[key_of(prompt)] = type(response)

    def lingers(self, key: Key) -> bool:
        """A question was settled; whether its sheet stays a moment, because the form goes on."""
        sheet = self._dock.stage.sheet_of(key)
        if sheet is None or not sheet.done or not self._dock.open:
            return False
        goes_on = sheet.steps.form is not None and self._responses.get(key) in (Answered, WentBack, Restored)
        if goes_on and self._lingering == NONE:
            self._lingering = key
            self._dock.set_timer(LINGER, self._nothing_follows)
        return goes_on

    def _nothing_follows(self) -> None:
        key, self._lingering = self._lingering, NONE
        if key != NONE:
            self._dock.over(key)

    def follows(self, prompt: PromptRequest) -> bool:
        """A question is asked: what lingers gives way to it when it is of the same call. Says whether it takes that
        place, also before others that wait: nobody is torn out of a form (E12)."""
        before = self._dock.stage.sheet_of(self._lingering)
        alone = len(self._dock.queue) == 1
        if before is not None and not alone and _call(before.prompt) != _call(prompt):
            return False
        lingering, self._lingering = self._lingering, NONE
        if lingering != NONE:
            self._dock.remove_question(lingering)
        return lingering != NONE and self._dock.open

    def came(self, prompt: PromptRequest) -> None:
        """A question is asked: what was typed for it before is there again."""
        for name, (digest, text) in self._loaded.pop(key_of(prompt), {}).items():
            self._carried.calls.setdefault((prompt.conversation, prompt.call), {}).setdefault(name, (digest, text))
        if self._carried.of(prompt):
            text = self._drafts.get(key_of(prompt), "") or self._carried.take(prompt)
            self._drafts[key_of(prompt)] = text
            self._dock.journal(key_of(prompt), packed(text, self._carried.of(prompt)))

    def left(self, key: Key) -> None:
        """A question is gone: what was typed and not sent is kept when its form goes on (E24)."""
        sheet, response = self._dock.stage.sheet_of(key), self._responses.pop(key, None)
        if sheet is None:
            return
        self._restored = (sheet.prompt.conversation, sheet.prompt.call) if response is Restored else ("", "")
        if response in (WentBack, Restored):
            self._carried.keep(sheet.prompt, sheet.draft.stored())
        elif response is Answered and sheet.steps.form is not None:
            self._carried.keep(sheet.prompt, "")
        else:
            self._carried.over(sheet.prompt)

    def made(self, sheet: Sheet) -> None:
        """A sheet comes: a change that bringing back left behind is named, where one notices that it does not count."""
        prompt = sheet.prompt
        if self._restored == (prompt.conversation, prompt.call) and prompt.form is not None:
            carried = self._carried.of(prompt)
            kept = [name for name, (_, text) in carried.items() if restored(text).answer is not None]
            left = [one.id for one in prompt.form.places if one.id in kept and one.state == "answered"]
            if left:
                sheet.call_later(sheet.say, ours(w.LEFT_BEHIND, which=names(left)))

    def _own_draft(self, key: Key, text: str) -> str:
        """A draft out of the journal; what others of its form it holds is kept until the question is asked."""
        own, others = unpacked(text)
        if others:
            self._loaded[key] = others
            prompt = self._dock.queue.get(key)
            if prompt is not None:
                self.came(prompt)
        return own

    def restore_draft(self, key: Key, text: str) -> None:
        """What was typed for a question in an earlier life; what is typed now is newer and stays."""
        text, sheet = self._own_draft(key, text), self._dock.stage.sheet_of(key)
        if sheet is None:
            self._drafts[key] = text
        elif not sheet.draft.stored():
            sheet.drafts.restore(restored(text))
