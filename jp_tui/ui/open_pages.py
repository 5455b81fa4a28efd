"""The pages over the workspace: what they ask of the engine, and what it reports for them.

A page is imported when it is opened, never before (T23), so the classes are named in functions only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import foreign, ours

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event
    from jp_tui.ui.screens.workspace import WorkspaceScreen


class OpenPages:
    """The pages of one app. `send` takes a command for the engine; `open_conversation` opens one by its id."""

    def __init__(
        self,
        app: App[Any],
        main: WorkspaceScreen,
        send: Callable[[Command], None],
        open_conversation: Callable[[str], None],
    ) -> None:
        self._app, self._main, self._send, self._open_conversation = app, main, send, open_conversation

    def is_open(self, kind: type[Screen[Any]]) -> bool:
        """Return True if a page of that kind is open, on top or below another."""
        return any(isinstance(one, kind) for one in self._app.screen_stack)

    def request_list(self) -> None:
        """Ask for what the list on top shows."""
        from jp_tui.protocol.commands import ListInquiries, ReadLedger, ReadReviewers
        from jp_tui.ui.screens.inbox import Inbox
        from jp_tui.ui.screens.ledger import Ledger
        from jp_tui.ui.screens.reviewers import Reviewers

        here = self._main.conversation
        match self._app.screen:
            case Ledger():
                self._send(ReadLedger(conversation=here))
            case Reviewers():
                self._send(ReadReviewers())
            case Inbox():
                self.show_waiting()
            case _:
                self._send(ListInquiries(conversation=here))

    def show_waiting(self) -> None:
        """Show what waits for the user on pages that cover the status line, and in the inbox if it is open."""
        if self._app.screen is self._main or self._main.inbox is None:
            return
        from jp_tui.ui.screens.inbox import Inbox
        from jp_tui.ui.widgets.status import StatusLine
        from jp_tui.view.activity.status import waits

        for page in self._app.screen_stack:
            if callable(show := getattr(page, "waits", None)):
                show(waits(self._main.query_one(StatusLine).status))
        if isinstance(self._app.screen, Inbox):
            self._app.screen.listed(self._main.inbox)

    def deliver(self, event: Event) -> None:
        """Give the page on top what the engine reported for it."""
        from jp_tui.protocol import events as ev
        from jp_tui.ui.screens.inquiries import Inquiries
        from jp_tui.ui.screens.ledger import Ledger
        from jp_tui.ui.screens.overlay import Overlay
        from jp_tui.ui.screens.reviewers import Reviewers
        from jp_tui.view.pages.models import ONCE, SWITCHED

        over = next((one for one in reversed(self._app.screen_stack) if isinstance(one, Overlay)), None)
        if over is not None:  # a list of names may lie over it
            over.hear(event)
            return
        match event, self._app.screen:
            case ev.LedgerRead(entries=entries), Ledger() as screen:
                screen.listed(entries)
            case ev.InquiriesListed(inquiries=inquiries), Inquiries() as screen:
                screen.listed(inquiries)
            case ev.ReviewersRead(reviewers=reviewers), Reviewers() as screen:
                screen.listed(reviewers)
            case ev.SettingChanged(file=file), Reviewers() as screen:
                screen.changed(file)
            case ev.Refused(message=message, advice=advice), (Ledger() | Inquiries() | Reviewers()) as screen:
                screen.refused(message, advice)
            case ev.ConversationForked(info=info), _:
                self._open_conversation(info.id)
            case ev.ModelSwitched(model=model, once=once), _:
                self._main.say(ours(ONCE if once else SWITCHED, model=foreign(Foreign(model), mode="line")))
            case ev.Refused(message=message), _:
                self._main.say(ours("{message}", style="$failed-foreground", message=Foreign(message)))
            case _:
                pass  # the list was closed meanwhile
