"""A model in one line: context, prices, other names. Pure; unknown facts are left out."""

from __future__ import annotations

from jp_tui.protocol.models import ModelInfo
from jp_tui.view.wording.amounts import count


def facts(one: ModelInfo) -> str:
    """Return `200k tokens · $3 in, $15 out · images`; the prices are per million tokens."""
    parts = [f"{count(one.window).replace('.0', '')} tokens"] if one.window else []
    if one.input is not None and one.output is not None:
        free = not one.input and not one.output
        parts.append("free" if free else f"{_price(one.input)} in, {_price(one.output)} out")
    if one.images:
        parts.append("images")
    return " · ".join(parts)


def tags(one: ModelInfo) -> str:
    """Return whether it is the default, its aliases, and whether its server lists it."""
    parts = ["the default"] if one.default else []
    if one.aliases:
        parts.append(f"alias {', '.join(one.aliases)}")
    if not one.listed:
        parts.append("not listed by its server")
    return " · ".join(parts)


def _price(dollars: float) -> str:
    """Return `$3`, `$0.15`, `$1.75`: no more digits than needed."""
    text = f"{dollars:.4f}".rstrip("0").rstrip(".")
    return f"${text}" if "." not in text or len(text.rpartition(".")[2]) > 1 else f"${dollars:.2f}"
