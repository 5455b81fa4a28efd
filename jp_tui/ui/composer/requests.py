"""Requests of the composer, as values: `ComposerController` carries them out, and this module knows no widget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """Send this message after the turn that runs, perhaps an own `command`. The composer is empty already."""

    text: str
    attachments: tuple[str, ...] = ()
    command: bool = False


@dataclass(frozen=True, slots=True)
class SendQueue:
    """Send the queued messages, which are held back."""


@dataclass(frozen=True, slots=True)
class PopQueued:
    """Put the message that was queued last back into the composer, or drop it."""

    drop: bool


@dataclass(frozen=True, slots=True)
class ReadCommands:
    """Read the own commands, and the prompts of MCP servers; `server` is started for it. The answer is
    `Composer.know_commands`."""

    server: str = ""


@dataclass(frozen=True, slots=True)
class CompleteFile:
    """Find files for these letters. The answer is `Composer.files_found` with the same revision."""

    query: str
    revision: int


@dataclass(frozen=True, slots=True)
class ShowFiles:
    """Show these paths, one of them highlighted; hide the list if it isn't open."""

    paths: tuple[str, ...]
    chosen: int
    open: bool


@dataclass(frozen=True, slots=True)
class AttachImage:
    """Check whether this file is an image that can be attached. The answer is `Composer.image_checked`.

    `written` is the path as it is in the text. An empty path means the image on the clipboard.
    """

    path: str
    written: str


@dataclass(frozen=True, slots=True)
class ShowHistory:
    """Show the texts that a search found, one of them highlighted; a query of None hides the list."""

    query: str | None = None
    texts: tuple[str, ...] = ()
    chosen: int = 0


@dataclass(frozen=True, slots=True)
class ExecuteShell:
    """Run this command line of the user."""

    line: str


@dataclass(frozen=True, slots=True)
class LeaveShell:
    """Stop the shell command that runs, or close the panel of one that ended."""


@dataclass(frozen=True, slots=True)
class InsertOutput:
    """Insert the output of the shell command into the message."""


@dataclass(frozen=True, slots=True)
class OpenEditor:
    """Edit the message in the user's own editor."""


@dataclass(frozen=True, slots=True)
class NextMode:
    """Change to the next approval mode."""


@dataclass(frozen=True, slots=True)
class LeaveFork:
    """Stop editing an earlier message."""


Request = (
    QueueMessage
    | SendQueue
    | PopQueued
    | ReadCommands
    | CompleteFile
    | ShowFiles
    | AttachImage
    | ShowHistory
    | ExecuteShell
    | LeaveShell
    | InsertOutput
    | OpenEditor
    | NextMode
    | LeaveFork
)
