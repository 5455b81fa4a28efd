"""Texts about a background failure after which the program continues (Z27)."""

from __future__ import annotations

WORDS = "Something failed in the background ({what}). jp-tui goes on."
REPORT = "A report (no keys, no variables) is in {file}: please send it with what you did."
NO_REPORT = "No report could be written."


def words(message: str, file: str) -> tuple[str, str]:
    """Return what happened, and where the report is."""
    return WORDS.format(what=message), REPORT.format(file=file) if file else NO_REPORT
