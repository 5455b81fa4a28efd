"""What the composer asks of the engine beside sending: messages that wait for the turn before them.

A part of `Exchange`, which has the conversation and the composer. What was written is never let go before the engine
has said that it has it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.composer.above import Above
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.drafts import COMPOSER, FOLDS, Drafts
from jp_tui.ui.composer.file_list import FileList, Files
from jp_tui.ui.composer.fork_editing import Resends
from jp_tui.ui.composer.history_list import RecallList, Search
from jp_tui.ui.composer.queue_list import QueueList, Waiting
from jp_tui.ui.composer.shell_commands import ShellRuns
from jp_tui.ui.composer.shell_panel import ShellPanel
from jp_tui.ui.transcript.banner import Banner
from jp_tui.ui.transcript.conversation_column import Column
from jp_tui.view.activity.status import Status

COMPOSINGS = ("queue_turn", "take_queued", "send_queued", "read_queue", "find_files", "run_shell", "stop_shell")
"""Commands whose refusals are said here."""
Composed = ev.QueueChanged | ev.QueueTaken | ev.FilesFound | ev.ShellOutput | ev.ShellEnded | ev.ImageChecked


class Composing(Resends, ShellRuns):
    """The exchange's side of the composer."""

    column: Column
    _composer: Composer
    _drafts: Drafts
    _send: Callable[[cmd.Command], None]
    _status: Status
    _editor: Callable[[str], str]
    _unsent: str

    def __init__(self, *, clock: Callable[[], float], **given: object) -> None:
        super().__init__(clock=clock, **given)  # type: ignore[arg-type, call-arg]
        self.above = Above(clock=clock, id="above")
        self._waiting: tuple[Waiting, ...] = ()
        self._handed = deque[str]()
        self._images = 0
        self._asked_images: dict[int, str] = {}
        self._found = ev.FilesFound(revision=0)

    def compose_with(self, event: Composed) -> None:
        """What the engine said."""
        match event:
            case ev.QueueChanged(messages=messages, held=held):
                if self._handed:
                    self._handed.popleft()
                if held and not self._status.working:  # what was sent ahead of it could not be begun either
                    self._composer.busy = False
                self._queue_is(tuple(Waiting(one.id, one.text) for one in messages), held)
            case ev.QueueTaken(message=message, dropped=dropped):
                if not dropped:
                    self._composer.know_images(message.text, message.attachments)
                    self._composer.put_before(message.text)
            case ev.FilesFound():
                self._found = event
                self._composer.files_found(event.revision, event.paths)
            case ev.ImageChecked(ask=ask, path=path, size=size, problem=problem):
                if (written := self._asked_images.pop(ask, None)) is not None:
                    self._composer.image_checked(written, path, size, problem)
            case ev.ShellOutput() | ev.ShellEnded():
                self.shell_said(event)

    def not_composed(self, refused: ev.Refused) -> None:
        """The engine would not."""
        if refused.command == "run_shell":
            self.shell_refused(refused.message)
            return
        self.query_one(Banner).refusal = (refused.message, refused.advice)
        if refused.command == "queue_turn" and self._handed:
            self._composer.busy = self._status.working
            self._composer.put_before(self._handed.popleft())

    def written(self) -> None:
        """The composer's text changed."""
        if not self._composer.locked:
            self._drafts.changed(self._status.conversation, COMPOSER, lambda: self._composer.written)
            self._drafts.changed(self._status.conversation, FOLDS, lambda: self._composer.folds)

    def edit(self) -> None:
        """The composer's text goes through the user's own editor."""
        try:
            self._composer.put(self._editor(self._composer.written))
        except OSError as error:
            self.query_one(Banner).refusal = (f"The editor did not give a text back: {error}", "")

    # -- messages that wait

    def read_queue(self, conversation: str) -> None:
        """What waits in a conversation that was opened."""
        self._queue_is((), "")
        self._send(cmd.ReadQueue(conversation=conversation))

    def say_or_queue(self, text: str, files: tuple[str, ...] = ()) -> None:
        """Said now; where messages wait that something holds, it goes ahead of them and they follow."""
        if self._waiting:
            self._unsent = ""  # the queue has it
            self._handed.append(text)
            self._send(cmd.QueueTurn(conversation=self._status.conversation, text=text, attachments=files, first=True))
        else:
            self._send(cmd.StartTurn(conversation=self._status.conversation, text=text, attachments=files))

    def queue(self, text: str, files: tuple[str, ...] = ()) -> bool:
        """Say this after the turn that runs; false while there is no conversation."""
        if not self._status.conversation:
            return False
        self._drafts.over(self._status.conversation, COMPOSER)
        self._handed.append(text)
        self._send(cmd.QueueTurn(conversation=self._status.conversation, text=text, attachments=files))
        return True

    def queue_goes_on(self) -> None:
        """What is held is let go."""
        self._send(cmd.SendQueued(conversation=self._status.conversation))

    def queue_take(self, *, drop: bool, id: int | None = None) -> None:
        """Take one back to be edited, or let it go; the last one, if none is named."""
        if self._waiting:
            wanted = self._waiting[-1].id if id is None else id
            self._send(cmd.TakeQueued(conversation=self._status.conversation, id=wanted, drop=drop))

    def on_queue_list_picked(self, event: QueueList.Picked) -> None:
        event.stop()
        self.queue_take(drop=False, id=event.id)

    # -- files

    def find_files(self, query: str, revision: int) -> None:
        """Which files may be meant?"""
        self._send(cmd.FindFiles(query=query, revision=revision))

    def show_files(self, paths: tuple[str, ...], chosen: int, shown: bool) -> None:
        """The list as the composer has it."""
        self.above.make_room(shown)
        found = self._found
        self.above.query_one(FileList).files = Files(
            paths, chosen, shown, found.total, found.cut, found.revision > 0, found.problem
        )

    def on_file_list_picked(self, event: FileList.Picked) -> None:
        event.stop()
        self.screen.set_focus(self._composer)
        self._composer.name_file(event.path)

    def check_image(self, path: str, written: str) -> None:
        """May this go along?"""
        self._images += 1
        self._asked_images[self._images] = written
        self._send(cmd.CheckImage(conversation=self._status.conversation, ask=self._images, path=path))

    # -- what was typed before

    def show_sought(self, query: str | None, texts: tuple[str, ...], chosen: int) -> None:
        """The search as the composer has it."""
        self.above.make_room(query is not None)
        self.above.query_one(RecallList).search = Search(query, texts, chosen)

    def on_recall_list_picked(self, event: RecallList.Picked) -> None:
        event.stop()
        self.screen.set_focus(self._composer)
        self._composer.action_take_found(event.at)

    def on_column_arranged(self, event: Column.Arranged) -> None:
        """Keys of the composer are no good while something else is open."""
        self.above.query_one(QueueList).keys = bool(self._composer.display)
        self.above.query_one(ShellPanel).keys = bool(self._composer.display)

    def _queue_is(self, waiting: tuple[Waiting, ...], held: str) -> None:
        self._waiting = waiting
        self._composer.queued = len(waiting)
        shown = self.above.query_one(QueueList)
        shown.waiting, shown.held = waiting, held
