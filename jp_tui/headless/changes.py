"""`/diff` and `/undo` in plain mode: list changes, and undo them by number.

Prints the engine's replies and sends the typed requests; only listed changes can be undone. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.forms.steps import line, pick
from jp_tui.link.port import Link
from jp_tui.protocol.changes import ChangesRead, ChangesUndone, FileChange, ReadChanges, UndoChanges
from jp_tui.view.wording import changes as words
from jp_tui.view.wording.white_space import in_diff

HOW = "/undo all undoes all listed changes, /undo NUMBER one file. Changes already undone are redone."
OVERWRITE = "/undo over NUMBER overwrites it; a copy is kept."


class ChangesWords:
    """`say` prints a line. `waits` counts pending replies."""

    def __init__(self, link: Link, say: Callable[[str], None]) -> None:
        self._link, self._say = link, say
        self._found: ChangesRead | None = None
        self._diffs = False
        self.waits = 0

    def diff(self, conversation: str, argument: str) -> None:
        """`/diff`, `/diff all`."""
        if argument not in ("", "all"):
            self._say("Use /diff for the last turn, /diff all for the whole conversation.")
            return
        self._diffs = True
        self._read(conversation, argument == "all")

    def undo(self, conversation: str, argument: str) -> None:
        """`/undo` lists; `/undo all`, `/undo NUMBER`, `/undo over NUMBER` undo."""
        if not argument:
            self._diffs = False
            self._read(conversation, False)
            return
        found = self._found
        if found is None or not found.files:
            self._say("Run /undo or /diff first to list what can be undone.")
            return
        over, _, rest = argument.partition(" ")
        number = pick(rest if over == "over" else argument, len(found.files))
        if argument != "all" and number is None:
            self._say(HOW)
            return
        one = None if number is None else found.files[number - 1]
        way = words.way(found) if one is None else words.change_kind(one)
        self.waits += 1
        self._link.send(
            UndoChanges(
                conversation=found.conversation,
                scope=found.scope,
                turn=found.turn,
                way=way,
                keys=() if one is None else (one.key,),
                overwrite={one.key: one.digest} if one is not None and over == "over" else {},
            )
        )

    def _read(self, conversation: str, every: bool) -> None:
        self.waits += 1
        self._link.send(ReadChanges(conversation=conversation, scope="conversation" if every else "turn"))

    # --- replies ----------------------------------------------------------------------------------------------

    def handle(self, event: ChangesRead | ChangesUndone) -> None:
        """Handle a reply of the engine."""
        if isinstance(event, ChangesRead):
            self._listed(event)
        else:
            self._undone(event)

    def _listed(self, event: ChangesRead) -> None:
        self.waits = max(0, self.waits - 1)
        self._found = event
        self._say(words.title(event))
        for number, one in enumerate(event.files, 1):
            for text in _lines(number, one, diff=self._diffs):
                self._say(text)
        for note in event.notes:
            self._say(f"({line(note)})")
        if event.files and not self._diffs:
            self._say(HOW)

    def _undone(self, event: ChangesUndone) -> None:
        self.waits = max(0, self.waits - 1)
        if said := words.done(event):
            for text in said.split("\n"):
                self._say(text)
        for one in event.left:
            if one.asks:
                self._say(f"{line(neutralise(one.path, 'line'))} was skipped: {one.why}. {OVERWRITE}")

    def refused(self) -> None:
        """Note that the request failed; the caller prints the reason."""
        self.waits = max(0, self.waits - 1)


def _lines(number: int, one: FileChange, *, diff: bool) -> Iterator[str]:
    about = " · ".join(part for part in (words.counts(one.added, one.removed), words.about(one)) if part)
    yield f"  {number}  {words.SIGNS[one.how]} {line(words.path(one))}{f' ({line(about)})' if about else ''}"
    if diff and one.diff:
        marked, said = in_diff(one.diff.raw)
        for text in neutralise(marked).rstrip("\n").split("\n"):
            yield f"     {text}"
        if said:
            yield f"     ({said})"
