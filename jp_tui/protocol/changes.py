"""What a conversation changed in files, and taking it back (issue 8, 7): commands, answers, values.

Values only. What is compared is always the file as it is on the disk now with what it held before the first change.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model

Scope = Literal["turn", "conversation"]
Way = Literal["back", "again"]


class FileChange(Model):
    """One file that was changed. `key` names it to UndoChanges, `was` is the path it was moved from.

    `state`: `made`, the change stands as it was made; `taken_back`, the file holds again what it held before;
    `changed`, somebody else changed it since; `later`, a later turn did. `why_not` says why it cannot be taken back
    (brought back, when it is taken back); empty when it can. `diff` is unified, empty when there is nothing to compare
    or `note` says why it is not shown. `digest` is that of what stands there now, `at` its absolute
    path where that is a file, for an editor. `turns` are those that changed it.
    """

    key: str
    path: Foreign
    was: Foreign = Foreign("")
    how: Literal["created", "modified", "deleted", "moved", "none"]
    state: Literal["made", "taken_back", "changed", "later"] = "made"
    added: int = 0
    removed: int = 0
    diff: Foreign = Foreign("")
    note: str = ""
    why_not: str = ""
    digest: str = ""
    at: str = ""
    turns: tuple[int, ...] = ()


class LeftFile(Model):
    """A file that was not taken back, and why. `asks`: it was changed since; with its `digest` in
    `UndoChanges.overwrite` it would be."""

    key: str
    path: Foreign
    why: str
    asks: bool = False
    digest: str = ""


class ReadChanges(Model):
    """What was changed in a turn, 0 for the last one that changed files, or in all of them; answered by ChangesRead."""

    type: Literal["read_changes"] = "read_changes"
    conversation: str
    scope: Scope = "turn"
    turn: int = 0


class UndoChanges(Model):
    """Take changes back, or with `again` bring back what was taken back: of a turn or all, only of the files with these
    keys, if any. A file that was changed since is left, unless `overwrite` has the digest of what stands there now, by
    its key. Files that were moved go together. Answered by ChangesUndone, or Refused."""

    type: Literal["undo_changes"] = "undo_changes"
    conversation: str
    scope: Scope = "turn"
    turn: int = 0
    way: Way = "back"
    keys: tuple[str, ...] = ()
    overwrite: dict[str, str] = Field(default_factory=dict)


class ChangesRead(Model):
    """`turn` is the one that was read, 0 for all or for none; `turns` are all that changed files. `notes` say what is
    not known here."""

    type: Literal["changes_read"] = "changes_read"
    conversation: str
    scope: Scope
    turn: int
    turns: tuple[int, ...] = ()
    files: tuple[FileChange, ...] = ()
    notes: tuple[str, ...] = ()


class ChangesUndone(Model):
    """What was taken back, or brought back, and what was left. It stands in the log, and the model is told next."""

    type: Literal["changes_undone"] = "changes_undone"
    conversation: str
    scope: Scope
    turn: int
    way: Way
    done: tuple[Foreign, ...] = ()
    left: tuple[LeftFile, ...] = ()
