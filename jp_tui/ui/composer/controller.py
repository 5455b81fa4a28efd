"""The composer's side of the engine: carries out its requests, takes the answers, and shows the panels above it.

A message is kept until the engine reports that it has it; one that the engine refuses returns to the composer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import assert_never

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.composing import QueuedMessage
from jp_tui.ui.composer import requests as ask
from jp_tui.ui.composer.composer import PLACEHOLDER, Composer
from jp_tui.ui.composer.drafts import COMPOSER, FOLDS, DraftStore
from jp_tui.ui.composer.file_list import FileChoices, FileList
from jp_tui.ui.composer.fork_editing import ForkEditing, ForkNote
from jp_tui.ui.composer.history_list import HistoryList
from jp_tui.ui.composer.queue_list import QueueList
from jp_tui.ui.composer.shell_commands import ShellCommands
from jp_tui.ui.composer.shell_panel import ShellPanel
from jp_tui.ui.text import ours
from jp_tui.view.activity.status import Status
from jp_tui.view.wording import store as store_words
from jp_tui.view.wording.modes import next_mode

ROOMY = 36
"""Lines of a terminal from which on all panels fit above the composer at once."""
COMPOSER_COMMANDS = (
    "queue_turn", "take_queued", "send_queued", "read_queue", "find_files", "run_shell", "stop_shell",
)  # fmt: skip
"""Commands whose refusals go to `ComposerController.refused`."""
ComposerEvent = ev.QueueChanged | ev.QueueTaken | ev.FilesFound | ev.ShellOutput | ev.ShellEnded | ev.ImageChecked
"""Events that go to `ComposerController.apply`."""


class ComposerController(Vertical):
    """The panels above the composer. Each is hidden while it has nothing to show."""

    DEFAULT_CSS = """
    ComposerController {
        height: auto; width: 1fr; &.-listing > ShellPanel, &.-listing > QueueList { display: none; }
    }
    """

    def __init__(
        self,
        *,
        composer: Composer,
        drafts: DraftStore,
        send: Callable[[cmd.Command], None],
        status: Callable[[], Status],
        show_problem: Callable[[str, str], None],
        editor: Callable[[str], str],
        clock: Callable[[], float],
        first_prompt: str = "",
        first_command: bool = True,
        id: str | None = None,
    ) -> None:
        """`show_problem` takes a message and advice, both empty to clear it; `editor` returns an edited text or raises
        OSError; `clock` is monotonic seconds; `first_prompt` is sent when a conversation is open, with
        `first_command` perhaps as an own command."""
        super().__init__(id=id)
        self._composer, self._drafts = composer, drafts
        self._send, self._status, self._show_problem, self._editor = send, status, show_problem, editor
        self._queue = QueueList(id="queue")
        self._files = FileList(id="files")
        self._history = HistoryList(id="recall")
        self._shell_panel = ShellPanel(clock=clock, id="shell")
        self._fork_note = ForkNote(id="fork")
        self._shell = ShellCommands(composer=composer, panel=self._shell_panel, send=send)
        self._fork = ForkEditing(composer=composer, note=self._fork_note, send=send)
        self._first: tuple[str, tuple[str, ...], bool] = first_prompt, (), first_command
        self._typed_commands = set[str]()
        """Own commands that were sent as they were typed."""
        self._unsent = ""
        """The message that was sent and isn't in the log yet."""
        self._to_queue = deque[str]()
        """The messages that were sent to the queue and aren't in it yet."""
        self._found = ev.FilesFound(revision=0)
        self._images: dict[int, str] = {}
        """The paths, as they are in the text, of images that are being checked."""
        self._last_image = 0

    def compose(self) -> ComposeResult:
        yield self._shell_panel
        yield self._queue
        yield self._files
        yield self._history
        yield self._fork_note

    @property
    def _conversation(self) -> str:
        return self._status().conversation

    # -- requests of the composer

    def handle(self, request: ask.Request) -> bool:
        """Carry out a request of the composer. Return False if it is impossible now."""
        match request:
            case ask.QueueMessage(text=text, attachments=attachments, command=command):
                return self._queue_message(text, attachments, command)
            case ask.ReadCommands(server=server):
                self._send(cmd.ReadOwnCommands(server=server))
            case ask.SendQueue():
                self._send(cmd.SendQueued(conversation=self._conversation))
            case ask.PopQueued(drop=drop):
                if self._queue.waiting:
                    self._take_queued(self._queue.waiting[-1].id, drop=drop)
            case ask.CompleteFile(query=query, revision=revision):
                self._send(cmd.FindFiles(query=query, revision=revision))
            case ask.ShowFiles(paths=paths, chosen=chosen, open=is_open):
                self._make_room(is_open)
                found = self._found
                about = found.total, found.cut, found.revision > 0, found.problem, found.server, not found.done
                self._files.files = FileChoices(paths, chosen, is_open, *about)
            case ask.AttachImage() if self._found.server:
                pass  # a resource, whatever its name
            case ask.AttachImage(path=path, written=written):
                self._last_image += 1
                self._images[self._last_image] = written
                self._send(cmd.CheckImage(conversation=self._conversation, ask=self._last_image, path=path))
            case ask.ShowHistory(query=query):
                self._make_room(query is not None)
                self._history.matches = request
            case ask.ExecuteShell(line=line):
                return self._shell.run(line)
            case ask.LeaveShell():
                self._shell.leave()
            case ask.InsertOutput():
                self._shell.insert_output()
            case ask.OpenEditor():
                self._edit_outside()
            case ask.NextMode():
                mode = next_mode(self._status().chosen or "ask")
                self._send(cmd.SetApprovalMode(conversation=self._conversation, mode=mode))
            case ask.LeaveFork():
                self._fork.leave()
            case _:
                assert_never(request)
        return True

    def text_edited(self) -> None:
        """Save the composer's text as a draft."""
        if not self._composer.locked:
            self._drafts.changed(self._conversation, COMPOSER, lambda: self._composer.written)
            self._drafts.changed(self._conversation, FOLDS, lambda: self._composer.folds)

    def _edit_outside(self) -> None:
        try:
            self._composer.put(self._editor(self._composer.written))
        except OSError as error:
            self._show_problem(f"The editor didn't return any text: {error}", "")

    def _make_room(self, listing: bool) -> None:
        """Hide the other panels while a list is open, if the terminal is too small for all of them."""
        self.set_class(listing and self.app.size.height < ROOMY, "-listing")

    def keys_work(self, works: bool) -> None:
        """Name keys of the composer in the panels only while the composer is in sight."""
        self._queue.keys = self._shell_panel.keys = works

    @on(FileList.Picked)
    def _file_picked(self, event: FileList.Picked) -> None:
        event.stop()
        self.screen.set_focus(self._composer)
        self._composer.complete_file(event.path)

    @on(HistoryList.Picked)
    def _history_picked(self, event: HistoryList.Picked) -> None:
        event.stop()
        self.screen.set_focus(self._composer)
        self._composer.action_take_found(event.at)

    @on(QueueList.Picked)
    def _queued_picked(self, event: QueueList.Picked) -> None:
        event.stop()
        self._take_queued(event.id, drop=False)

    # -- messages

    def submit(self, text: str, attachments: tuple[str, ...] = (), command: bool = False) -> bool:
        """Send a message, in a fork if an earlier one is edited, perhaps an own `command`. Return True if it is sent
        here and now.

        Without a conversation it is sent as soon as one is open.
        """
        if self._fork.submit(self._conversation, text, attachments, command):
            return False
        if not self._conversation:
            if self._status().offline:
                self._composer.restore_text(text, written=True)
                self._show_problem(store_words.UNOPENED, store_words.UNOPENED_ADVICE)
            else:
                self._first = text, (), command
            return False
        self._drafts.discard(self._conversation, COMPOSER)
        self._start(text, attachments, command)
        return True

    def pick_word(self, text: str) -> None:
        """Send a word that the user clicked, unless the model is working or the conversation is read-only."""
        if not self._composer.busy and not self._composer.locked:
            self._start(text, ())

    def _start(self, text: str, attachments: tuple[str, ...], command: bool = False) -> None:
        """Begin a turn. Where messages are queued that something holds back, this one goes ahead of them."""
        self._unsent = text
        if command:
            self._typed_commands.add(text)
        self._composer.busy = True
        self._show_problem("", "")
        here, offline = self._conversation, self._status().offline
        if self._queue.waiting or offline:
            self._unsent = ""  # now the queue has it
            self._to_queue.append(text)
            self._composer.busy = not offline
            self._send(
                cmd.QueueTurn(conversation=here, text=text, attachments=attachments, command=command, first=not offline)
            )
        else:
            self._send(cmd.StartTurn(conversation=here, text=text, attachments=attachments, command=command))

    def _queue_message(self, text: str, attachments: tuple[str, ...], command: bool) -> bool:
        if not self._conversation:
            return False
        if command:
            self._typed_commands.add(text)
        self._drafts.discard(self._conversation, COMPOSER)
        self._to_queue.append(text)
        self._send(cmd.QueueTurn(conversation=self._conversation, text=text, attachments=attachments, command=command))
        return True

    def _take_queued(self, id: int, *, drop: bool) -> None:
        if self._queue.waiting:
            self._send(cmd.TakeQueued(conversation=self._conversation, id=id, drop=drop))

    def edit_in_fork(self, seq: int, text: str) -> None:
        """Edit a message that was sent earlier; sending it begins a fork."""
        if self._composer.busy:
            self._show_problem("The model is still working.", "Press Esc to interrupt it, then edit.")
        else:
            self._fork.begin(self._conversation, seq, text)

    # -- events of the engine

    def opened(self, opened: ev.ConversationOpened) -> None:
        """Restore the draft of a conversation that was opened, and send the messages that waited for it."""
        composer = self._composer
        composer.busy = False
        composer.locked = bool(opened.held_by)
        composer.placeholder = ours("Read-only: {who}", who=Foreign(opened.held_by)) if opened.held_by else PLACEHOLDER
        (first, attachments, command), self._first = self._first, ("", (), False)
        if opened.held_by:
            composer.restore_text(first)
            return
        composer.prepend(opened.drafts.get(COMPOSER, ""), opened.drafts.get(FOLDS, ""))
        if composer.text:
            self.text_edited()  # also text typed before there was a conversation (E6)
        self._show_queue((), "")
        self._send(cmd.ReadQueue(conversation=opened.conversation))
        if first:
            self._start(first, attachments, command)

    def drafts_found(self, drafts: dict[str, str]) -> None:
        """Put a draft of the store before the text: it was opened without the store, or changed elsewhere."""
        text = drafts.get(COMPOSER, "")
        if text and text not in self._composer.written:
            self._composer.prepend(text, drafts.get(FOLDS, ""))
            self.text_edited()

    def turn_started(self) -> None:
        """The engine has the message."""
        self._unsent = ""
        self._composer.busy = True

    def turn_ended(self, returned: str, *, failed: bool = False) -> None:
        """No turn runs any more; a message without effect returns to the composer, selected if the turn `failed`."""
        self._unsent = ""
        self._composer.busy = False
        if not self._composer.text:
            self._put_back(returned, select=failed)
        elif returned and not self._composer.written.startswith(returned):  # the user began another one
            self._composer.prepend(returned)

    def _put_back(self, text: str, *, select: bool) -> None:
        """Return a message to the empty composer; an own command as it was typed."""
        self._composer.restore_text(text, written=text in self._typed_commands, select=select)

    def start_failed(self) -> None:
        """The engine refused to begin the turn."""
        self.turn_ended(self._unsent, failed=True)

    def storage_failed(self) -> None:
        """Nothing can be written to the log: a message that isn't in it yet returns to the composer."""
        if self._unsent:
            self.turn_ended(self._unsent, failed=True)

    def apply(self, event: ComposerEvent) -> None:
        """Show the answer to a request."""
        match event:
            case ev.QueueChanged(messages=messages, held=held, unsent=unsent):
                if self._to_queue:
                    self._to_queue.popleft()
                if held and not self._status().working:  # a message that was sent ahead of the queue failed, too
                    self._composer.busy = False
                self._show_queue(messages, held, unsent)
            case ev.QueueTaken(message=message, dropped=dropped):
                if not dropped:
                    self._composer.know_images(message.text, message.attachments)
                    self._composer.prepend(message.text)
            case ev.FilesFound():
                self._found = event
                self._composer.files_found(event.revision, event.paths)
            case ev.ImageChecked(ask=number, path=path, size=size, problem=problem):
                if (written := self._images.pop(number, None)) is not None:
                    self._composer.image_checked(written, path, size, problem)
            case ev.ShellOutput() | ev.ShellEnded():
                self._shell.apply(event)

    def refused(self, refused: ev.Refused) -> None:
        """Show why one of `COMPOSER_COMMANDS` was refused; a message for the queue returns to the composer."""
        if refused.command == "run_shell":
            self._shell.refused(refused.message)
            return
        self._show_problem(refused.message, refused.advice)
        if refused.command == "queue_turn" and self._to_queue:
            self._composer.busy = self._status().working
            message = self._to_queue.popleft()
            if self._composer.text:
                self._composer.prepend(message)
            else:
                self._put_back(message, select=True)

    def fork_made(self, event: ev.ConversationForked) -> bool:
        """Open a fork that was made for an edited message, where it is sent. Return False if it was for another."""
        if (message := self._fork.made(event)) is None:
            return False
        self._first = message
        return True

    def fork_refused(self, refused: ev.Refused) -> bool:
        """Return an edited message whose fork was refused. Return False if it was for another."""
        if not self._fork.refused(refused):
            return False
        self._show_problem(refused.message, refused.advice)
        return True

    def _show_queue(self, waiting: tuple[QueuedMessage, ...], held: str, unsent: bool = False) -> None:
        self._composer.queued = len(waiting)
        self._queue.waiting, self._queue.held, self._queue.unsent = waiting, held, unsent
