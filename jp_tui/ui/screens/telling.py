"""What the workspace says by itself: a few words in the last line for a moment, or something to know above it.

A part of `WorkspaceScreen`. It decides no words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.status import StatusLine

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.screen import Screen

    from jp_tui.ui.transcript.conversation_controller import ConversationController
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.activity.status import Status
    from jp_tui.view.questions.inbox import Inbox

    _Part = Screen[None]
else:
    _Part = object


BACK = "go back"


class Telling(_Part):
    """The screen's own words."""

    _exchange: ConversationController | None
    _status: Status
    _unsay: Timer | None = None
    agents: tuple[Agent, ...]
    inbox: Inbox | None

    _bound: object = None

    def on_conversation_controller_state_changed(self, event: ConversationController.StateChanged) -> None:
        """Paint what is known."""
        self._status = event.status
        self.query_one(StatusLine).status = event.status
        self.agents = event.agents
        self.inbox = event.inbox
        self.query_one(Sidebar).show(event.activity, event.agents, event.inbox.entries)
        if (bound := self._facts()) != self._bound:
            self._bound = bound
            self.refresh_bindings()

    def _facts(self) -> object:
        """What decides which keys work: they are looked for anew when it changes, which is dear."""
        now = self._status
        waits = min(len(now.waiting), 2), bool(now.put_off), bool(now.elsewhere)
        noticed = self._exchange is not None and self._exchange.noticed
        reviewed = bool(now.reviewed) or any(one.reviewed for one in self.agents)
        return *waits, now.working, now.phase, now.held_by, now.parent, reviewed, bool(self.agents), noticed

    def say(self, words: Content, seconds: float = 3.0) -> None:
        """A few words in the last line, for a moment."""
        if not self.is_mounted:
            return
        if self._unsay is not None:
            self._unsay.stop()
        self.query_one(KeyBar).notice = words
        self._unsay = self.set_timer(seconds, self._unsaid)

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """With the key to the sub-agents named by what it does in the conversation of one: it goes back (E5)."""
        found = super().active_bindings
        if self._status.parent:
            for key, one in found.items():
                if one.binding.id == "workspace.agents":
                    found[key] = one._replace(binding=replace(one.binding, description=BACK))
        return found

    def note(self, words: str, advice: str = "") -> None:
        """Something to know, until it is put away."""
        if self._exchange is not None and self._exchange.is_mounted:
            self._exchange.note(words, advice)

    def _unsaid(self) -> None:
        self.query_one(KeyBar).notice = None
