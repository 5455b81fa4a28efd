"""Failure and success of a tool as values (inquiries.md R13-R15); requests for input are in `tools/port.py`."""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.conversation.model import Picture
from jp_tui.conversation.strict_json import Json


@dataclass(frozen=True, slots=True)
class Success:
    """The tool succeeded; the model reads `content` and sees `images`, and the log keeps `structured` beside it (None:
    there is none)."""

    content: str
    structured: Json = None
    images: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """The tool failed; `transient` is never forwarded to the model (R14). `declined`: the message only reports that the
    answer was no (Z6)."""

    message: str
    trace: tuple[str, ...] = ()
    transient: bool = False
    declined: bool = False

    def for_model(self) -> str:
        """Return the message, and below `Trace:` its entries one per line (R15)."""
        return "\n".join((self.message, "", "Trace:", *self.trace)) if self.trace else self.message
