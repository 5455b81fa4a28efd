"""The app's side of the commands and pages that `pages.py` lists: runs one, and passes a page what the engine reports.

A part of the app.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import time
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import ModalScreen, SystemModalScreen

from jp_tui.conversation.text import Foreign
from jp_tui.ui import themes
from jp_tui.ui.keys import bound
from jp_tui.ui.pages import COMMANDS, PAGES, Entry, Host, Page
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches.private import keymap

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from textual import events
    from textual.app import App
    from textual.command import Provider

    from jp_tui.settings.errors import Problem
    from jp_tui.ui.attention import Attention
    from jp_tui.ui.bridge import Bridge
    from jp_tui.ui.screens.exchange import Exchange
    from jp_tui.ui.screens.listing import Listing
    from jp_tui.ui.screens.overlay import Overlay
    from jp_tui.ui.screens.waiting import Waits
    from jp_tui.ui.screens.workspace import WorkspaceScreen
    from jp_tui.ui.widgets.slash import Slash
    from jp_tui.ui.widgets.status import StatusLine

    _Part = App[None]
else:
    _Part = object


def _provider() -> type[Provider]:
    from jp_tui.ui.screens.palette import OurCommands

    return OurCommands


class Commands(_Part):
    """The app's side of the commands."""

    _bridge: Bridge
    _main: WorkspaceScreen
    _clock: Callable[[], float]
    attention: Attention
    key_problems: tuple[Problem, ...]
    read_own: Callable[[], None]
    copied: Callable[[str, str], None]
    _wear: Callable[[str], bool]
    _theme_files: Mapping[str, str]

    COMMANDS = {_provider}
    wall = staticmethod(time)
    """Seconds since 1970, for what is told of the past."""

    def on_slash_commanded(self, event: Slash.Commanded) -> None:
        event.stop()
        if isinstance(event.command, Entry):
            self.do(event.command, event.argument)

    def on_status_line_pointed(self, event: StatusLine.Pointed) -> None:
        """What the top line counts or names is shown where it is clicked."""
        event.stop()
        for entry in COMMANDS:
            if entry.name == event.command:
                self.do(entry)

    def do(self, entry: Entry, argument: str = "") -> None:
        """Run a command."""
        if isinstance(entry, Page):
            self.action_open(entry.name, argument)
            return
        action = getattr(self, f"action_{entry.action}")
        _ = action(argument) if entry.argument else action()

    def action_open(self, name: str, argument: str = "") -> None:
        """Open a page over the workspace, once."""
        opened = PAGES[name].opener()(self._page_host(), argument)
        if isinstance(opened, Content):
            self._main.say(opened)
        elif opened is not None and not any(type(one) is type(opened) for one in self.screen_stack):
            self.push_screen(opened)

    def _page_host(self) -> Host:
        return Host(
            main=self._main,
            send=self._bridge.send,
            new=self.action_new,
            go_to=self._go_to,
            wear=self._wear,
            themes=lambda: themes.choices(self._theme_files),
            copy=self.copied,
            clock=self._clock,
            wall=self.wall,
        )

    def entries(self) -> list[Entry]:
        """What the palette lists: each action once."""
        return list({entry.action: entry for entry in reversed(COMMANDS)}.values())[::-1]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An open sheet has every key but those that it shows (R245)."""
        if action == "open":
            page = PAGES[str(parameters[0])]
            return page.works(self._main) and (page.over_sheet or not self._main.sheet_open)
        if action == "take_over":
            return bool(self._main.reviewed)
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        """A page over the workspace hears no key of the app; that for the keys works there too."""
        wanted = any(one.action == "keys" for one in bound(self).get(event.key, ()))
        page = isinstance(self.screen, ModalScreen) and not isinstance(self.screen, SystemModalScreen)
        there = bound(self.screen)
        if wanted and page and "escape" in there and event.key not in there:  # one that can be left, and has no F1
            event.stop()
            self.screen.call_later(self.action_keys)

    # -- what they do

    def action_keys(self) -> None:
        from jp_tui.ui.screens.keylist import KeyList, every_key  # with the widgets of every sheet

        if isinstance(self.screen, KeyList):
            self.screen.dismiss()
        else:
            ours_ = next(kind for kind in type(self).__mro__ if "BINDINGS" in kind.__dict__)
            self.read_own()
            node = self.focused or self.screen
            nodes = node.ancestors_with_self
            here = [kind for one in nodes for kind in (*type(one).__mro__, *getattr(one, "key_owners", ()))]
            sections = every_key(ours_, COMMANDS, keymap(self), here)
            self.push_screen(KeyList(sections=sections, problems=self.key_problems))

    def action_new(self) -> None:
        from jp_tui.protocol.commands import OpenConversation

        self._main.drafts.flush()
        self._bridge.send(OpenConversation(which="new"))

    def action_sidebar(self) -> None:
        self._main.action_sidebar()

    def action_interrupt_menu(self) -> None:
        self._main.call_later(self._main.action_interrupt_menu)

    def _go_to(self, conversation: str) -> None:
        from jp_tui.protocol.commands import OpenConversation

        self._main.drafts.flush()
        self._bridge.send(OpenConversation(which="id", conversation=conversation))

    def action_jump(self, conversation: str, inquiry: str) -> None:
        """To a question that waits."""
        if (waits := self._main.waits) is not None:
            waits.jump((conversation, inquiry))

    def on_waits_ended(self, event: Waits.Ended) -> None:
        event.stop()
        self.attention.ended_elsewhere(event.ended, event.title)

    def on_waits_back(self, event: Waits.Back) -> None:
        """Whoever does not look is told once more."""
        event.stop()
        self.attention.comes_due(*event.key)

    def action_take_over(self) -> None:
        """The oldest that a reviewer is deciding comes to the human (R156)."""
        from jp_tui.protocol.commands import TakeOver

        if reviewed := self._main.reviewed:
            self._bridge.send(TakeOver(conversation=reviewed[0][0], inquiry=reviewed[0][1]))
        else:
            self._main.say(ours("No reviewer is deciding anything"))

    # -- lists and the engine

    def on_listing_shown(self, event: Listing.Shown) -> None:
        event.stop()
        self.told_waiting()

    def told_waiting(self) -> None:
        """What waits has changed: a page that covers the status line says so, and the inbox follows, if it is open."""
        if self.screen is self._main or self._main.inbox is None:
            return
        from jp_tui.ui.widgets.status import StatusLine
        from jp_tui.view.activity.status import waits

        for page in self.screen_stack:
            if callable(tell := getattr(page, "waits", None)):
                tell(waits(self._main.query_one(StatusLine).status))
        if callable(follow := getattr(self.screen, "inbox_changed", None)):
            follow(self._main.inbox)

    def on_overlay_wants(self, event: Overlay.Wants) -> None:
        event.stop()
        self._bridge.send(event.command)

    def on_exchange_listed(self, event: Exchange.Listed) -> None:
        """What the engine said for a list goes to the one that is open."""
        from jp_tui.protocol import events as ev
        from jp_tui.ui.screens.overlay import Overlay
        from jp_tui.view.pages.models import ONCE, SWITCHED

        over = next((one for one in reversed(self.screen_stack) if isinstance(one, Overlay)), None)
        if over is not None:  # a list of names may lie over it
            over.hear(event.reported)
            return
        match event.reported:
            case ev.ConversationForked(info=info):
                self._go_to(info.id)
            case ev.ModelSwitched(model=model, once=once):
                self._main.say(ours(ONCE if once else SWITCHED, model=foreign(Foreign(model), mode="line")))
            case ev.Refused(message=message):
                self._main.say(ours("{message}", style="$failed-foreground", message=Foreign(message)))
            case _:
                pass  # the page was closed meanwhile
