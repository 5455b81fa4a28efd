"""A doubt about the file, raised where something in it is not as it must be: the writer has it examined, and repaired
where it is damaged, then tries again."""

from __future__ import annotations


class Suspect(Exception):
    """What is not as it must be, in words."""


class Displaced(Exception):
    """The file that is open is not the one at its path any more, or was cut short."""


class Doubt:
    """Of one piece of work, which may be tried twice: it is raised once."""

    def __init__(self) -> None:
        self._raised = False

    def about(self, what: str) -> None:
        """Raises Suspect the first time."""
        if not self._raised:
            self._raised = True
            raise Suspect(what)
