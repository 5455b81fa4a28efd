"""The screen's side of the composer: passes on what it posts, and keys that are typed where nothing takes text (E10).

A part of `WorkspaceScreen`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.slash_list import SlashList

if TYPE_CHECKING:
    from textual.screen import Screen

    from jp_tui.ui.bridge import Keys
    from jp_tui.ui.transcript.conversation_controller import ConversationController

    _Part = Screen[None]
else:
    _Part = object


class Writing(_Part):
    """The screen's side of the composer."""

    _exchange: ConversationController | None
    _first_prompt: str
    _keys: Keys | None

    @property
    def composer(self) -> Composer:
        """The composer."""
        return self.query_one(Composer)

    def on_composer_typed(self, event: Composer.Typed) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.column.note_typing()
        if self._keys is not None:
            self.call_after_refresh(self._keys.painted)

    def on_composer_after_keys(self, event: Composer.AfterKeys) -> None:
        event.stop()
        event.do()

    def on_composer_edited(self, event: Composer.Edited) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.composing.text_edited()

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        if self._exchange is not None:
            self._exchange.submit(event.text, event.attachments)
        else:
            self._first_prompt = event.text  # sent as soon as a conversation is open

    def on_composer_requested(self, event: Composer.Requested) -> None:
        event.stop()
        if self._exchange is None or not self._exchange.composing.handle(event.request):
            self.composer.return_unsent(event.request)

    def on_composer_suggested(self, event: Composer.Suggested) -> None:
        event.stop()
        found = self.query_one(SlashList)
        found.commands, found.chosen = event.commands, event.chosen

    def on_slash_list_picked(self, event: SlashList.Picked) -> None:
        event.stop()
        self.set_focus(self.composer)
        self.composer.call_later(self.composer.run_command, event.command)  # posted by the composer, to reach the app

    def on_key(self, event: events.Key) -> None:
        """Give a character to the composer that is typed while nothing that takes text has the focus (E10)."""
        composer = self.composer
        bound = event.key in self.active_bindings
        if event.is_printable and event.character and not bound and composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """Give a paste to the composer in the same way."""
        composer = self.composer
        if composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.text)
