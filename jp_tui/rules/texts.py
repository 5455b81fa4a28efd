"""Rules as text: the subject of one, when and by what it was made, how often it decided (rules.md AR22).

One wording for the page, the ledger, the sheet and the commands. Pure; the texts include rules' own, which are
untrusted.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

_MAKERS = {
    "answer": "by your answer",
    "command": "with `jp-tui rules add`",
    "suggestion": "from a suggestion",
}


def scope_text(scope: str, match: Any) -> str:
    """Return the subject of a rule: `command git log …`, `path src/**`, `every call`; scope and match as in AR25."""
    if scope == "tool":
        return "every call"
    if isinstance(match, list):
        words = " ".join(
            "|".join(map(shlex.quote, map(str, one))) if isinstance(one, list) else shlex.quote(str(one))
            for one in match
        )
        return f"{scope} {words}" if scope == "exact command" else f"{scope} {words} …"
    return f"{scope} {match if isinstance(match, str) else json.dumps(match, ensure_ascii=False)}"


def making_text(created: str | None, made_by: str | None) -> str:
    """Return `made 2026-11-20 10:00 UTC with jp-tui rules add`; empty if neither is known."""
    maker = _MAKERS.get(made_by or "", f"by {made_by.splitlines()[0][:200]}" if made_by and made_by.strip() else "")
    parts = [part for part in (minute(created), maker) if part]
    return " ".join(["made", *parts]) if parts else ""


def use_text(hits: int | None, last: str | None) -> str:
    """Return how often a rule decided, and the last time; empty without a record."""
    if hits is None:
        return ""
    after = f", last {minute(last)}" if last else ""
    return {0: "never used", 1: f"used once{after}"}.get(hits, f"used {hits:,} times{after}")


def minute(at: str | None) -> str:
    """Return a time as `2026-11-20 10:00 UTC`; empty for None."""
    return f"{at[:10]} {at[11:16]} UTC" if at and len(at) >= 16 else at or ""
