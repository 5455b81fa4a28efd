"""Messages of the composer: queued messages, the workspace's files by a few letters, shell commands and images.

Values only.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model


class QueuedMessage(Model):
    """A queued message; `id` is unique within the conversation, `command` as in StartTurn."""

    id: int
    text: str = field(repr=False)
    attachments: tuple[str, ...] = ()
    command: bool = False


class QueueTurn(Model):
    """Send a message when the running turn has ended well, after the messages queued before it. Without a running turn,
    send it at once, before the queued ones if `first`. `command` as in StartTurn. Answered by QueueChanged; it is on
    the disk then."""

    type: Literal["queue_turn"] = "queue_turn"
    conversation: str
    text: str = field(repr=False)
    attachments: tuple[str, ...] = ()
    command: bool = False
    first: bool = False


class TakeQueued(Model):
    """Remove a message from the queue, to edit or to drop it; answered by QueueTaken and QueueChanged, or by Refused
    when it was already sent."""

    type: Literal["take_queued"] = "take_queued"
    conversation: str
    id: int
    drop: bool = False


class SendQueued(Model):
    """Resume the queue after a turn that failed or was ended, or after a restart. Answered by QueueChanged."""

    type: Literal["send_queued"] = "send_queued"
    conversation: str


class ReadQueue(Model):
    """Answered by QueueChanged, also when the queue is empty."""

    type: Literal["read_queue"] = "read_queue"
    conversation: str


class FindFiles(Model):
    """Find files of the workspace that contain these letters in this order, best match first. Answered by FilesFound
    with the same `revision`: first from a part of the files, at last with `done`. A newer request ends an older one."""

    type: Literal["find_files"] = "find_files"
    query: str
    revision: int
    limit: int = 50


class RunShell(Model):
    """Run a command line of the user in the workspace, with their shell and environment. Its output comes as
    ShellOutput and ShellEnded. Refused while another one runs."""

    type: Literal["run_shell"] = "run_shell"
    run: int
    line: str


class StopShell(Model):
    """End the running command; ShellEnded follows."""

    type: Literal["stop_shell"] = "stop_shell"
    run: int


class CheckImage(Model):
    """Check that a file is an image that can be sent in that conversation. With an empty `path` the image on the
    clipboard is written to a file first. Answered by ImageChecked with the same `ask`."""

    type: Literal["check_image"] = "check_image"
    conversation: str
    ask: int
    path: str = ""


ComposingCommand = QueueTurn | TakeQueued | SendQueued | ReadQueue | FindFiles | RunShell | StopShell | CheckImage


class QueueChanged(Model):
    """The queued messages, in order. `held` says why they aren't sent automatically; empty when they are. `unsent`:
    nothing can be recorded in the store, and they are sent once it can be (store.md D12)."""

    type: Literal["queue_changed"] = "queue_changed"
    conversation: str
    messages: tuple[QueuedMessage, ...] = ()
    held: str = ""
    unsent: bool = False


class QueueTaken(Model):
    """A message is no longer in the queue. Unless it was dropped, its text is the requester's to edit."""

    type: Literal["queue_taken"] = "queue_taken"
    conversation: str
    message: QueuedMessage
    dropped: bool = False


class FilesFound(Model):
    """Paths in the workspace, folders with a slash at their end; untrusted text. `total` counts all matches, `cut`:
    there are more than are listed. `problem` says why there is no list. With `server` they are the resources of that
    MCP server, as `server:address`, and `total` counts all of them; without `done` it is being asked."""

    type: Literal["files_found"] = "files_found"
    revision: int
    paths: tuple[str, ...] = field(default=(), repr=False)
    total: int = 0
    cut: bool = False
    done: bool = True
    problem: str = ""
    server: str = ""


class ShellOutput(Model):
    """More output of a command, stdout and stderr in the order they came; untrusted text."""

    type: Literal["shell_output"] = "shell_output"
    run: int
    text: Foreign = field(repr=False)


class ShellEnded(Model):
    """The command ended: it exited with `status`, was ended by a signal, or failed because of `problem`. `text` is the
    end of its output that is kept, `dropped` counts the bytes that aren't."""

    type: Literal["shell_ended"] = "shell_ended"
    run: int
    status: int | None = None
    signal: int | None = None
    problem: str = ""
    stopped: bool = False
    text: Foreign = field(default=Foreign(""), repr=False)
    dropped: int = 0
    ms: int = 0


class ImageChecked(Model):
    """The image can be sent, as StartTurn's attachment of that `path`; or `problem` says why not."""

    type: Literal["image_checked"] = "image_checked"
    ask: int
    path: str = ""
    media_type: str = ""
    size: int = 0
    problem: str = ""


ComposingEvent = QueueChanged | QueueTaken | FilesFound | ShellOutput | ShellEnded | ImageChecked
