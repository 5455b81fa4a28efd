"""The conversation of a sub-agent that works for its parent: it begins its task, goes on with it after a cut, or is
ended.

For faces it is a conversation like any other; what is said in it by a person goes to it as to any.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.engine import mending
from jp_tui.engine.alone import staying
from jp_tui.engine.session import Session


class ErrandSession(Session):
    """Open as long as the task is worked on, and as long as somebody looks at it then."""

    async def work(self, task: str) -> None:
        """Begin the task, or go on with it where it was cut off; one that has ended stays so. Raises JournalError,
        ValueError."""
        log = self._log
        if not log.turn:
            self._hold()
            self._begin(task)
        elif (cut := await mending.unfinished(log)) is not None:
            log.total = mending.count(log, [])
            stays = await staying(cut, log.setup, self._checks)
            self._run_turn(cut.text, replace(cut, stays=stays))

    def abort(self) -> None:
        """Whoever waits for the result does not any more."""
        self._leaving = True
        if self.busy and self._turn is not None:
            self._turn.abort()

    def over(self) -> None:
        """Nobody waits for it: what is said from now on is a conversation like any other."""
        self._child, self._leaving = None, False
