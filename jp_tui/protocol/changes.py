"""File changes of a conversation, and undoing them (issue 8, 7): commands, answers, values.

Values only. The comparison is always between the file as it is on the disk now and its content before the first change.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model

Scope = Literal["turn", "conversation"]
Way = Literal["back", "again"]


class FileChange(Model):
    """One file that was changed. `key` names it to UndoChanges, `was` is the path it was moved from.

    `state`: `made`, the change is in the file; `taken_back`, the change is undone; `changed`, the file was changed
    since by another program or the user; `later`, by a later turn. `why_not` says why it cannot be undone (or restored,
    when it is undone); empty when it can. `diff` is unified, empty when there is nothing to compare or `note` says why
    it is not shown. `digest` is of the current content, `at` the absolute path if that is a file, for an editor.
    `turns` are those that changed it.
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
    """A file whose changes were not undone, and why. `asks`: it was changed since; with its `digest` in
    `UndoChanges.overwrite` they are undone all the same."""

    key: str
    path: Foreign
    why: str
    asks: bool = False
    digest: str = ""


class ReadChanges(Model):
    """Read the changes of a turn (0: the last one that changed files) or of all turns. Answered by ChangesRead."""

    type: Literal["read_changes"] = "read_changes"
    conversation: str
    scope: Scope = "turn"
    turn: int = 0


class UndoChanges(Model):
    """Undo changes of a turn or of all turns, or with `again` restore undone ones; with `keys`, of these files only. A
    file that was changed since is left, unless `overwrite` maps its key to the digest of its current content. Files
    that were moved are undone together. Answered by ChangesUndone, or Refused."""

    type: Literal["undo_changes"] = "undo_changes"
    conversation: str
    scope: Scope = "turn"
    turn: int = 0
    way: Way = "back"
    keys: tuple[str, ...] = ()
    overwrite: dict[str, str] = field(default_factory=dict)


class ChangesRead(Model):
    """`turn` is the one that was read, 0 for all or for none; `turns` are all that changed files. `notes` name changes
    that cannot be known here."""

    type: Literal["changes_read"] = "changes_read"
    conversation: str
    scope: Scope
    turn: int
    turns: tuple[int, ...] = ()
    files: tuple[FileChange, ...] = ()
    notes: tuple[str, ...] = ()


class ChangesUndone(Model):
    """The files whose changes were undone or restored, and the files that were left. The log records it, and the model
    gets it with the next message."""

    type: Literal["changes_undone"] = "changes_undone"
    conversation: str
    scope: Scope
    turn: int
    way: Way
    done: tuple[Foreign, ...] = ()
    left: tuple[LeftFile, ...] = ()
