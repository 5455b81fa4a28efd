"""Entries and conversations for the journal's tests."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from jp_tui.journal.port import Journal, NewEvent
from tests.limits import LIMIT


def at(number: int) -> str:
    """A timestamp that grows with its number (inquiries.md R58)."""
    return f"2026-03-05 {number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.0"


def entry(number: int, *, turn: int = 1, kind: str = "chat_response", inquiry: str | None = None) -> NewEvent:
    """An event that can be told from all others."""
    text = f"words of {number}\nand more"
    payload = json.dumps({"type": kind, "message": text})
    return NewEvent(kind, turn, payload, at=at(number), inquiry=inquiry, text=text, lines=1)


def create_before(db: sqlite3.Connection, conversation: str) -> None:
    """An empty conversation as versions before the fourth made it."""
    db.execute(
        "INSERT INTO conversations (id, workspace, title, model, created, updated) VALUES (?, '/w', 't', 'm', ?, ?)",
        (conversation, at(0), at(0)),
    )


class Untended:
    """Nobody looks after the file of this writer: it is opened again by `open_`."""

    def __init__(self, open_: Callable[[], sqlite3.Connection]) -> None:
        self.reopen = open_

    def moved(self) -> bool:
        return False

    def was_replaced(self) -> bool:
        return False

    def repair(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        raise problem

    def begins(self) -> None: ...

    def committed(self) -> None: ...

    def leave(self, db: sqlite3.Connection | None) -> sqlite3.Connection | None:
        return db

    def closing(self, db: sqlite3.Connection) -> Callable[[], None]:
        return lambda: None


def begin(journal: Journal, conversation: str = "c1", workspace: str = "/w", number: int = 0) -> None:
    """An empty conversation."""
    journal.create(conversation, workspace=workspace, model="demo/tour", at=at(number)).result(LIMIT)
