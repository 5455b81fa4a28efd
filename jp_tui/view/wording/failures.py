"""Texts about a background failure after which the program continues (Z27)."""

from __future__ import annotations

WORDS = "A background task failed ({what}). jp-tui keeps running."
REPORT = "A report (no keys, no variables) is in {file}. Please send it and describe what you did."
NO_REPORT = "The report couldn't be saved."


def words(message: str, file: str) -> tuple[str, str]:
    """Return what happened, and where the report is."""
    return WORDS.format(what=message), REPORT.format(file=file) if file else NO_REPORT
