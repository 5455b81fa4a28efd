"""The assistant's stated intent for a call: its text beside the call, for a reviewer's second review.

It is read from the model's own output of this turn; the model isn't asked, and without such text there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation.model import Call, Message, Result, TextPart

MOST = 4_000
"""Characters sent to the reviewer."""


def stated_intent(told: Sequence[Message], call: str) -> str:
    """Return the text of the response with the call, else the model's last text since the user's message; empty if
    there is none."""
    at = next((place for place in reversed(range(len(told))) if _asks(told[place], call)), None)
    if at is None:
        return ""
    for message in reversed(told[: at + 1]):
        if message.role == "user" and not all(isinstance(part, Result) for part in message.parts):
            return ""
        said = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart)).strip()
        if message.role == "assistant" and said:
            return said[-MOST:]
    return ""


def _asks(message: Message, call: str) -> bool:
    return any(isinstance(part, Call) and part.id == call for part in message.parts)
