"""What the assistant said it wants with a call: the words beside it, for a reviewer's second look.

It is read from what the model itself said in this turn; nobody is asked for it, and nothing is made up where it said
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation.model import Call, Message, Result, TextPart

MOST = 4_000
"""Characters that are told."""


def stated_intent(told: Sequence[Message], call: str) -> str:
    """The text of the response that the call stands in, else the last that was said before it since the user spoke;
    empty when there is none."""
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
