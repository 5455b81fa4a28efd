"""What is written in the workspace: where it goes, and the list of commands while one is being written (E10).

A part of `WorkspaceScreen`. A character typed where nothing writes is meant for the composer; it answers nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.file_completion import Mention
from jp_tui.ui.composer.history_search import Recalling
from jp_tui.ui.composer.paste_marks import Chips
from jp_tui.ui.composer.queueing import Queueing
from jp_tui.ui.composer.shelling import Shelling
from jp_tui.ui.composer.slash_completion import Slash
from jp_tui.ui.composer.slash_list import SlashList

if TYPE_CHECKING:
    from textual.screen import Screen

    from jp_tui.ui.bridge import Keys
    from jp_tui.ui.transcript.conversation_controller import Exchange

    _Part = Screen[None]
else:
    _Part = object


class Writing(_Part):
    """The screen's side of the composer."""

    _exchange: Exchange | None
    _first_prompt: str
    _keys: Keys | None

    @property
    def composer(self) -> Composer:
        """Where the user writes."""
        return self.query_one(Composer)

    def on_composer_typed(self, event: Composer.Typed) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.column.note_typing()
        if self._keys is not None:
            self.call_after_refresh(self._keys.painted)

    def on_composer_behind(self, event: Composer.Behind) -> None:
        event.stop()
        event.do()

    def on_composer_edited(self, event: Composer.Edited) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.written()

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.submitted(event.text, event.attachments)
        else:
            self._first_prompt = event.text  # typed ahead: it is said as soon as there is somebody to say it to

    def on_mention_files_wanted(self, event: Mention.FilesWanted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.find_files(event.query, event.revision)

    def on_mention_files_shown(self, event: Mention.FilesShown) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.show_files(event.paths, event.chosen, event.open)

    def on_queueing_fork_left(self, event: Queueing.ForkLeft) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.leave_fork()

    def on_chips_image_wanted(self, event: Chips.ImageWanted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.check_image(event.path, event.written)

    def on_shelling_shell_wanted(self, event: Shelling.ShellWanted) -> None:
        event.stop()
        if self._exchange is None or not self._exchange.run_shell(event.line):
            self.composer.put_back(f"!{event.line}", written=True)

    def on_shelling_shell_left(self, event: Shelling.ShellLeft) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.leave_shell()

    def on_shelling_output_wanted(self, event: Shelling.OutputWanted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.add_output()

    def on_recalling_sought(self, event: Recalling.Sought) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.show_sought(event.query, event.texts, event.chosen)

    def on_queueing_queued(self, event: Queueing.Queued) -> None:
        event.stop()
        if self._exchange is not None and self._exchange.queue(event.text, event.attachments):
            return
        self.composer.put_before(event.text)  # nobody can take it yet; what was typed behind it stays

    def on_queueing_queue_goes_on(self, event: Queueing.QueueGoesOn) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.queue_goes_on()

    def on_queueing_queue_take(self, event: Queueing.QueueTake) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.queue_take(drop=event.drop)

    def on_composer_editor_wanted(self, event: Composer.EditorWanted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.edit()

    def on_slash_suggested(self, event: Slash.Suggested) -> None:
        event.stop()
        found = self.query_one(SlashList)
        found.commands, found.chosen = event.commands, event.chosen

    def on_slash_list_picked(self, event: SlashList.Picked) -> None:
        event.stop()
        self.set_focus(self.composer)
        self.composer.call_later(self.composer.take, event.command)  # said by the composer, so that it reaches the app

    def on_key(self, event: events.Key) -> None:
        """A character typed while nothing that writes has the focus is meant for the composer (E10)."""
        composer = self.composer
        bound = event.key in self.active_bindings
        if event.is_printable and event.character and not bound and composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """The same for a paste."""
        composer = self.composer
        if composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.text)
