"""How an assistant answers questions instead of the user (inquiries.md R68, R130): what is set for it, as values.

Apart from `model.py` because nothing needs it before the first frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jp_tui.settings.layers.layers import Settings


@dataclass(frozen=True, slots=True)
class InquirySettings:
    """How an assistant answers questions. `assistant` is what differs from the main one (R130), as it is written."""

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
