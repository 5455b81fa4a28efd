"""The pages over the workspace: opens those of `pages.py`, and passes the engine's events on to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.ui.pages import PAGES, Host
from jp_tui.ui.text import foreign, ours

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from jp_tui.protocol.events import Event
    from jp_tui.ui.screens.workspace import WorkspaceScreen


class OpenPages:
    """The pages of one app. `host` has what a page may use."""

    def __init__(self, app: App[Any], main: WorkspaceScreen, host: Callable[[], Host]) -> None:
        self._app, self._main, self._host = app, main, host

    def open(self, name: str, argument: str = "") -> None:
        """Open a page, unless it is open, or show in the last line why there is nothing to open."""
        opened = PAGES[name].opener()(self._host(), argument)
        if isinstance(opened, Content):
            self._main.show_message(opened)
        elif opened is not None and not any(type(one) is type(opened) for one in self._app.screen_stack):
            self._app.push_screen(opened)

    def works(self, name: str) -> bool:
        """Return True if the key of a page does something now: an open sheet has most keys to itself (R245)."""
        page = PAGES[name]
        return page.works(self._main) and (page.over_sheet or not self._main.sheet_open)

    def show_waiting(self) -> None:
        """Show the open questions on pages that cover the status line, and in the inbox if it is open."""
        if self._app.screen is self._main or self._main.inbox is None:
            return
        from jp_tui.ui.widgets.status import StatusLine
        from jp_tui.view.activity.status import waiting_text

        for page in self._app.screen_stack:
            if callable(show := getattr(page, "waits", None)):
                show(waiting_text(self._main.query_one(StatusLine).status))
        if callable(follow := getattr(self._app.screen, "inbox_changed", None)):
            follow(self._main.inbox)

    def deliver(self, event: Event) -> None:
        """Give the page on top the engine's event for it."""
        from jp_tui.protocol import events as ev
        from jp_tui.ui.screens.overlay import Overlay
        from jp_tui.view.pages.models import ONCE, SWITCHED, with_effort

        over = next((one for one in reversed(self._app.screen_stack) if isinstance(one, Overlay)), None)
        if over is not None:  # a list of names may be over it
            over.handle(event)
            return
        match event:
            case ev.ConversationForked(info=info):
                self._host().go_to(info.id)
            case ev.ModelSwitched(model=model, once=once, effort=effort):
                name = foreign(Foreign(model), mode="line")
                self._main.show_message(ours(ONCE if once else SWITCHED, model=name, effort=ours(with_effort(effort))))
            case ev.Refused(message=message):
                self._main.show_message(ours("{message}", style="$failed-foreground", message=Foreign(message)))
            case _:
                pass  # the page was closed meanwhile
