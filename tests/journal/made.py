"""Entries and conversations for the journal's tests."""

from __future__ import annotations

import json

from jp_tui.journal.port import Entry
from jp_tui.journal.store import SqliteJournal


def at(number: int) -> str:
    """A timestamp that grows with its number (inquiries.md R58)."""
    return f"2026-03-05 {number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.0"


def entry(number: int, *, turn: int = 1, kind: str = "chat_response", inquiry: str | None = None) -> Entry:
    """An event that can be told from all others."""
    text = f"words of {number}\nand more"
    payload = json.dumps({"type": kind, "message": text})
    return Entry(kind, turn, payload, at=at(number), inquiry=inquiry, text=text, lines=1)


def begin(journal: SqliteJournal, conversation: str = "c1", workspace: str = "/w", number: int = 0) -> None:
    """An empty conversation."""
    journal.create(conversation, workspace=workspace, model="demo/tour", at=at(number)).result(10)
