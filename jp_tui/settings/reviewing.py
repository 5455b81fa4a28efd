"""Settings of an assistant that answers questions instead of the user (inquiries.md R68, R130), as values.

Separate from `typed_settings.py`, because the first frame doesn't need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jp_tui.settings.layers.layers import Settings


@dataclass(frozen=True, slots=True)
class InquirySettings:
    """Settings of an answering assistant. `assistant` are its differences from the main one (R130), as written."""

    assistant: Mapping[str, Any]
    retry_with_intent: bool
    list_tools: bool | Literal["auto"]
    on_failure: Literal["ask", "fail"]


def inquiry(settings: Settings) -> InquirySettings:
    values: dict[str, Any] = settings.get("conversation", "inquiry")
    return InquirySettings(
        assistant=values.get("assistant", {}),
        retry_with_intent=values["retry_with_intent"],
        list_tools=values["list_tools"],
        on_failure=values["on_failure"],
    )
