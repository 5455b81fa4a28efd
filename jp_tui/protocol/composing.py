"""What the place where people write asks of the engine beside saying things, and what comes back.

Messages that wait for the turn before them, the workspace's files by a few letters, commands of the user's own.
Values only.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model


class QueuedMessage(Model):
    """What is to be said; `id` is its own within the conversation."""

    id: int
    text: str = Field(repr=False)
    attachments: tuple[str, ...] = ()


class QueueTurn(Model):
    """Say something when the turn that runs has ended well, after what was queued before; at once where none runs, and
    `first` then goes ahead of what waits. Answered by QueueChanged; it is on the disk then."""

    type: Literal["queue_turn"] = "queue_turn"
    conversation: str
    text: str = Field(repr=False)
    attachments: tuple[str, ...] = ()
    first: bool = False


class TakeQueued(Model):
    """Take a message out of the queue, to edit it or to let it go; answered by QueueTaken and QueueChanged, or by
    Refused when it was sent a moment ago."""

    type: Literal["take_queued"] = "take_queued"
    conversation: str
    id: int
    drop: bool = False


class SendQueued(Model):
    """What waits goes on: after a turn that failed or was ended, or after a restart. Answered by QueueChanged."""

    type: Literal["send_queued"] = "send_queued"
    conversation: str


class ReadQueue(Model):
    """Answered by QueueChanged, also when nothing waits."""

    type: Literal["read_queue"] = "read_queue"
    conversation: str


class FindFiles(Model):
    """The workspace's files that these letters may mean, in their order, best first; answered by FilesFound with the
    same `revision`, first from a part of them, and last with `done`. A newer one ends an older one."""

    type: Literal["find_files"] = "find_files"
    query: str
    revision: int
    limit: int = 50


class RunShell(Model):
    """Run a command line of the user's own in the workspace, by their shell and with their environment; what it says
    comes as ShellOutput and ShellEnded. One at a time: Refused while another runs."""

    type: Literal["run_shell"] = "run_shell"
    run: int
    line: str


class StopShell(Model):
    """End the command that runs; ShellEnded follows."""

    type: Literal["stop_shell"] = "stop_shell"
    run: int


class CheckImage(Model):
    """Is this file an image that can be sent in that conversation? With an empty `path` the one on the clipboard is put
    into a file first. Answered by ImageChecked with the same `ask`."""

    type: Literal["check_image"] = "check_image"
    conversation: str
    ask: int
    path: str = ""


ComposingCommand = QueueTurn | TakeQueued | SendQueued | ReadQueue | FindFiles | RunShell | StopShell | CheckImage


class QueueChanged(Model):
    """What waits to be said, in order. `held` says why it does not go by itself; empty when it does."""

    type: Literal["queue_changed"] = "queue_changed"
    conversation: str
    messages: tuple[QueuedMessage, ...] = ()
    held: str = ""


class QueueTaken(Model):
    """A message is in the queue no longer; whoever took it may have it, unless it was dropped."""

    type: Literal["queue_taken"] = "queue_taken"
    conversation: str
    message: QueuedMessage
    dropped: bool = False


class FilesFound(Model):
    """Paths from the workspace, folders with a slash at their end; foreign text. `total` counts all that there are,
    `cut`: there are more than are listed. `problem` says why there is no list."""

    type: Literal["files_found"] = "files_found"
    revision: int
    paths: tuple[str, ...] = Field(default=(), repr=False)
    total: int = 0
    cut: bool = False
    done: bool = True
    problem: str = ""


class ShellOutput(Model):
    """More of what a command says, both its outputs in the order they came; foreign text."""

    type: Literal["shell_output"] = "shell_output"
    run: int
    text: Foreign = Field(repr=False)


class ShellEnded(Model):
    """The command ended: by itself with `status`, by a signal, or because `problem`. `text` is what is kept of its
    output, `dropped` counts the bytes that are not."""

    type: Literal["shell_ended"] = "shell_ended"
    run: int
    status: int | None = None
    signal: int | None = None
    problem: str = ""
    stopped: bool = False
    text: Foreign = Field(default=Foreign(""), repr=False)
    dropped: int = 0
    ms: int = 0


class ImageChecked(Model):
    """It can be sent, as StartTurn's attachment of that `path`; or `problem` says why not."""

    type: Literal["image_checked"] = "image_checked"
    ask: int
    path: str = ""
    media_type: str = ""
    size: int = 0
    problem: str = ""


ComposingEvent = QueueChanged | QueueTaken | FilesFound | ShellOutput | ShellEnded | ImageChecked
