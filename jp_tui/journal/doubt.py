"""Doubt about the file's integrity. The writer examines the file, repairs damage, then retries."""

from __future__ import annotations


class Suspect(Exception):
    """Unexpected content, as text."""


class Displaced(Exception):
    """The open file is no longer the one at its path, or was truncated."""


class Doubt:
    """Doubts of one operation, which may be retried: raised once."""

    def __init__(self) -> None:
        self._raised = False

    def about(self, what: str) -> None:
        """Raise Suspect the first time."""
        if not self._raised:
            self._raised = True
            raise Suspect(what)
