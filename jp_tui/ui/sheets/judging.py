"""Between a sheet that wants a verdict and whoever gives it: the question goes out, the verdict comes back (R186).

It judges nothing and keeps nothing: a sheet knows by the revision whether a verdict is still about what stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from textual import on
from textual.message import Message

from jp_tui.conversation.strict_json import Json
from jp_tui.ui.sheets import messages
from jp_tui.ui.sheets.following import Following
from jp_tui.view.questions.queue import Key, key_of


class Judging(Following):
    """Passes values on that want a verdict, and verdicts back."""

    @dataclass
    class CheckWanted(Message):
        """Does this value fit the question's schema? To be answered by `checked` with the same revision."""

        conversation: str
        inquiry: str
        revision: int
        value: Json = field(repr=False)

    def checked(self, key: Key, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """The engine's verdict on the value with that revision: JSON pointer and words, none when it fits."""
        sheet = self._sheets.get(key)
        if sheet is not None:
            sheet.checked(revision, problems)

    @on(messages.CheckWanted)
    def _check_wanted(self, event: messages.CheckWanted) -> None:
        event.stop()
        if self._queue.get(key_of(event.prompt)) is not None:
            self.post_message(self.CheckWanted(*key_of(event.prompt), event.revision, event.value))
