"""Foreign: the type of all text from a model, a tool, a file, a server or the keyboard.

Widgets accept only this type and jp-tui's own literals as text. It supports no formatting, concatenation or implicit
conversion, so that no untrusted text becomes markup, a label or a terminal sequence. `neutral.py` neutralises it;
`ui/text.py` converts it for widgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Foreign:
    """Untrusted text, kept exactly as received (inquiries.md R195: sanitise on display, never in storage)."""

    raw: str

    def __str__(self) -> str:
        raise TypeError("foreign text has no str(): use conversation.neutral or ui.text")

    def __format__(self, spec: str) -> str:
        raise TypeError("foreign text cannot be formatted: use conversation.neutral or ui.text")

    def __bool__(self) -> bool:
        return bool(self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """On the wire it is a plain JSON string; in the program it stays Foreign."""
        from pydantic_core import core_schema as cs  # only imported where a model is built

        return cs.no_info_plain_validator_function(
            _accept,
            serialization=cs.plain_serializer_function_ser_schema(_raw, return_schema=cs.str_schema()),
            json_schema_input_schema=cs.str_schema(),
        )


def _accept(value: object) -> Foreign:
    if isinstance(value, Foreign):
        return value
    if isinstance(value, str):
        return Foreign(value)
    raise ValueError("expected text")


def _raw(value: Foreign) -> str:
    return value.raw


def shortened(text: str, most: int, where: str = "") -> str:
    """Return at most `most` characters of a text, then the number of the rest, and `where` the whole is (Z26)."""
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}… ⟨{more:,} more characters{where and f', {where}'}⟩"


def first_line(text: str) -> str:
    """Return the first line that isn't blank, stripped, for places with one line (R2). It is searched in the first 16
    Ki characters."""
    return next((line.strip() for line in text[:16384].splitlines() if line.strip()), "")
