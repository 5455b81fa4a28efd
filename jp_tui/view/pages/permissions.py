"""The permission ledger as text: what is remembered or allowed, how long, how often it was used (asking.md E43, R236).

Rows as data, from the engine's list. Revokes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import LedgerEntry
from jp_tui.rules.texts import minute
from jp_tui.view.questions.inquiry import NOTHING
from jp_tui.view.questions.outcome_line import answer_line

EMPTY: Final = (
    "No remembered answers and no tools that run without asking.\n\n"
    "Answers that you give with Y or N stay here until the turn ends. Answers pinned in your settings and "
    "tools that run unattended stay here as long as they are set, and so do approval rules."
)
EDITS: Final = "This edits {place}. Press d again to revoke it, any other key to keep it."
NOT_HERE: Final = "This can't be revoked here: jp-tui doesn't edit {place}."
TAKING: Final = "revoking…"

_KINDS = {
    "answer": "remembered answer",
    "permission": "remembered permission",
    "pinned": "pinned answer",
    "unattended": "runs without asking",
    "rule": "approval rule",
}
_EFFECTS = {"allow": "runs", "ask": "asks", "deny": "denied"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """`what` is the entry's subject and `text` the question as asked; `answer` is the remembered answer; `about` the
    details as text, `since` in full, `place` a file and line."""

    key: str
    what: Foreign
    answer: Foreign
    text: Foreign
    about: str
    since: str
    place: Foreign
    asks_again: bool
    revocable: bool


def rows(entries: tuple[LedgerEntry, ...]) -> tuple[LedgerRow, ...]:
    """Return the entries in the engine's order, those of the turn first."""
    ordered = sorted(entries, key=lambda one: one.scope != "turn")
    return tuple(_row(one) for one in ordered)


def _row(entry: LedgerEntry) -> LedgerRow:
    used = {0: "not used yet", 1: "used once"}.get(entry.uses, f"used {entry.uses} times")
    lasts = {"turn": "until this turn ends", "settings": "setting"}.get(entry.scope, "")
    parts = [part for part in (_KINDS[entry.kind], used, lasts) if part]
    if entry.scope == "turn" and len(entry.since) >= 16:
        parts.append(f"since {entry.since[11:16]}")
    return LedgerRow(
        key=entry.key,
        what=Foreign(_what(entry)),
        answer=_answer(entry),
        text=Foreign("" if entry.kind == "rule" else first_line(entry.text.raw)),
        about=" · ".join(parts),
        since=_since(entry),
        place=Foreign(entry.place) if entry.scope != "turn" else NOTHING,
        asks_again=entry.scope != "turn",
        revocable=entry.revocable,
    )


def _what(entry: LedgerEntry) -> str:
    if entry.kind == "rule":
        return f"{entry.tool} · {first_line(entry.text.raw)}"
    return f"{entry.tool} · {entry.question}" if entry.question else entry.tool


def _since(entry: LedgerEntry) -> str:
    if entry.kind == "rule":
        return f"made {minute(entry.since)}" if entry.since else ""
    return f"since {entry.since[:19]} UTC" if entry.since else ""


def _answer(entry: LedgerEntry) -> Foreign:
    if entry.kind == "rule":
        return Foreign(_EFFECTS.get(str(entry.value), str(entry.value)))
    if entry.kind == "unattended":
        return Foreign("runs")
    if entry.kind == "permission":
        return Foreign("skipped" if entry.value in (False, "n") else "runs")
    return answer_line(entry.value)
