"""Tool documentation beyond what a model is shown at once (inquiries.md R80, R81). Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jp_tui.conversation.strict_json import Json


@dataclass(frozen=True, slots=True)
class Documented:
    """Documentation of one tool; `parameters` by name, as in its table (R68)."""

    summary: str = ""
    description: str = ""
    examples: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)


Documentation = Mapping[str, Documented]
"""By the name under which a model knows the tool; only offered tools."""

NOTHING: Documentation = MappingProxyType({})
