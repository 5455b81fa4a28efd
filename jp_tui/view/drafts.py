"""What of a half-given answer is kept (asking.md E24): one text per inquiry, opaque to whoever stores it.

A question can hold two texts at once, the answer and a reply in words; both must come back. Pure. Never given a
secret: whoever shows one keeps no draft (E27).
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """The texts of one question that were typed and not sent; `answer` None when it was not touched."""

    answer: str | None = None
    reply: str = ""

    def stored(self) -> str:
        """As text for the journal; empty when there is nothing to keep."""
        if self.answer is None and not self.reply:
            return ""
        return json.dumps({"answer": self.answer, "reply": self.reply}, ensure_ascii=False)


def restored(text: str) -> Draft:
    """From the journal. A text of another form was typed as an answer: it is kept as one, never lost."""
    if not text:
        return Draft()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Draft(answer=text)
    if not isinstance(found, dict) or set(found) != {"answer", "reply"} or not isinstance(found["reply"], str):
        return Draft(answer=text)
    answer = found["answer"]
    return Draft(answer if isinstance(answer, str) else None, found["reply"])
