"""Cost of tokens, if prices are known. Pure."""

from __future__ import annotations

from jp_tui.conversation.model import Usage
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import Prices


def cost_usd(usage: Usage, prices: Prices) -> float:
    """US dollars; tokens read from a cache have their own price."""
    cached = min(usage.cached, usage.input)
    spent = (usage.input - cached) * prices.input + cached * prices.cached + usage.output * prices.output
    return round(spent / 1_000_000, 9)


def counted(usage: Usage, prices: Prices | None) -> JsonObject:
    """Return token counts in the form of an event, with `cost_usd` if prices are known."""
    return usage.wire() if prices is None else {**usage.wire(), "cost_usd": cost_usd(usage, prices)}
