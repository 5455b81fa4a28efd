"""Drafts of all questions, also of those of a form that are not shown now (E20, E24).

Back closes a question, but its unsent text is restored when it is shown again. Until then it is stored with the draft
of the question that is open, so that it survives the end of the program. Never a secret.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from jp_tui.protocol.values import PromptRequest
from jp_tui.view.questions.drafts import Draft, restored
from jp_tui.view.questions.queue import Key, key_of

CallDrafts = dict[str, tuple[str, str]]
"""Drafts of a call by question id, each with the digest of the question it was typed for."""


def packed(text: str, others: CallDrafts) -> str:
    """Return a question's draft and those that wait with it, as one text."""
    return json.dumps({"shown": text, "others": others}, ensure_ascii=False) if others else text


def unpacked(text: str) -> tuple[str, CallDrafts]:
    """Decode `packed`; any other text is the question's own draft."""
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != {"shown", "others"} or not isinstance(found["shown"], str):
        return text, {}
    others = found["others"] if isinstance(found["others"], dict) else {}
    pairs = ((name, one) for name, one in others.items() if isinstance(one, list) and len(one) == 2)
    return found["shown"], {name: (str(one[0]), str(one[1])) for name, one in pairs}


class QuestionDrafts:
    """The draft of each question, and the drafts stored with it for other questions of its form."""

    def __init__(self, store: Callable[[Key, str], None]) -> None:
        """`store` takes a question and the text to be stored for it."""
        self._store = store
        self._drafts: dict[Key, str] = {}
        self._carried: dict[tuple[str, str], CallDrafts] = {}  # by conversation and call: call ids may repeat
        self._loaded: dict[Key, CallDrafts] = {}  # drafts that came with a question that was not asked yet

    def of(self, key: Key) -> Draft:
        """Return the draft with which a question is shown."""
        return restored(self._drafts.get(key, ""))

    def keep(self, key: Key, draft: Draft) -> None:
        """Remember the draft of a question that will be shown again."""
        self._drafts[key] = draft.stored()

    def forget(self, key: Key) -> None:
        """Drop the draft of a closed question."""
        self._drafts.pop(key, None)

    def changed(self, key: Key, draft: Draft, prompt: PromptRequest | None) -> None:
        """Store a draft, with those of its form that wait; `prompt` is None for a question that has no sheet."""
        self.keep(key, draft)
        text = draft.stored()
        self._store(key, packed(text, self.carried(prompt)) if prompt is not None else text)

    def asked(self, prompt: PromptRequest) -> None:
        """Restore the earlier draft of a question that is asked now."""
        key = key_of(prompt)
        for name, one in self._loaded.pop(key, {}).items():
            self._carried.setdefault(_call(prompt), {}).setdefault(name, one)
        if self.carried(prompt):
            text = self._drafts.get(key, "") or self._pop_draft(prompt)
            self._drafts[key] = text
            self._store(key, packed(text, self.carried(prompt)))

    def load(self, key: Key, text: str, prompt: PromptRequest | None) -> str:
        """Return the question's own draft of a stored text. Drafts of its form that the text holds are kept until
        their question is asked; `prompt` is None for a question that was not asked yet."""
        own, others = unpacked(text)
        if others:
            self._loaded[key] = others
            if prompt is not None:
                self.asked(prompt)
        return own

    def restore(self, key: Key, text: str) -> None:
        """Remember the stored draft of a question that has no sheet."""
        self._drafts[key] = text

    # Drafts of questions that are not shown now

    def carried(self, prompt: PromptRequest) -> CallDrafts:
        """Return the drafts of a prompt's call."""
        return self._carried.get(_call(prompt), {})

    def carry(self, prompt: PromptRequest, text: str) -> None:
        """Keep the unsent text of a closed question; empty forgets it."""
        kept = {name: one for name, one in self.carried(prompt).items() if name != prompt.question.id}
        if text:
            kept[prompt.question.id] = prompt.digest, text
        self._carried[_call(prompt)] = kept

    def _pop_draft(self, prompt: PromptRequest) -> str:
        """Return the earlier text for the same question, and forget it."""
        digest, text = self.carried(prompt).get(prompt.question.id, ("", ""))
        self.carry(prompt, "")
        return text if digest == prompt.digest or prompt.kind == "review" else ""  # a review holds texts, no answer

    def drop_call(self, prompt: PromptRequest) -> None:
        """Forget the drafts of a call that asks no more."""
        self._carried.pop(_call(prompt), None)


def _call(prompt: PromptRequest) -> tuple[str, str]:
    return prompt.conversation, prompt.call
