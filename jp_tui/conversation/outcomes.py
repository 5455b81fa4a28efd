"""A tool's failure and success as values (inquiries.md R13-R15); what needs input is in `tools/port.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Success:
    """The tool did it; `content` is what the model reads."""

    content: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The tool did not; `transient` is never forwarded to the model (R14). `declined`: the message says nothing but
    that the answer was no (Z6)."""

    message: str
    trace: tuple[str, ...] = ()
    transient: bool = False
    declined: bool = False

    def for_model(self) -> str:
        """The message, and under `Trace:` its entries one a line (R15)."""
        return "\n".join((self.message, "", "Trace:", *self.trace)) if self.trace else self.message
