"""What can be done from everywhere, as one list: for `/` in the composer, for the palette, for the keys screen.

A part of the app. A new command is a line in COMMANDS and an action; nothing is listed that does not work. Lists
that lie over the workspace get what the engine says from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import time
from typing import TYPE_CHECKING

from textual.screen import ModalScreen, SystemModalScreen

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys import bound
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches.private import keymap
from jp_tui.view.composer.commands import Command

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from textual import events
    from textual.app import App
    from textual.command import Provider

    from jp_tui.settings.errors import Problem
    from jp_tui.ui.attention import Attention
    from jp_tui.ui.bridge import Bridge
    from jp_tui.ui.composer.composer import Composer
    from jp_tui.ui.screens.agents import Agents
    from jp_tui.ui.screens.inbox import Inbox
    from jp_tui.ui.screens.ledger import Ledger
    from jp_tui.ui.screens.listing import Listing
    from jp_tui.ui.screens.overlay import Overlay
    from jp_tui.ui.screens.reviewers import Reviewers
    from jp_tui.ui.screens.workspace import WorkspaceScreen
    from jp_tui.ui.transcript.conversation_controller import ConversationController
    from jp_tui.ui.transcript.inbox_controller import InboxController
    from jp_tui.ui.widgets.status import StatusLine

    _Part = App[None]
else:
    _Part = object


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Command):
    """`action` is the app's; it is given the argument where the command takes one."""

    action: str


COMMANDS: tuple[Entry, ...] = (
    Entry(name="new", title="New conversation", does="Begin an empty one", action="new"),
    Entry(
        name="conversations",
        title="Conversations",
        does="Search in all of them, open, rename, fork, archive, delete, import",
        action="conversations",
    ),
    Entry(
        name="ledger",
        title="Ledger",
        does="What is remembered or allowed now, and how to take it back",
        action="ledger",
    ),
    Entry(name="inquiries", title="Inquiries", does="Who asked what here, who answered, and why", action="inquiries"),
    Entry(
        name="diff",
        title="Changes",
        does="All changes of the last turn, or of all",
        argument="all",
        choices=("all",),
        action="diff",
    ),
    Entry(
        name="undo",
        title="Undo",
        does="Take back what the last turn changed in files, or bring it back",
        argument="all",
        choices=("all",),
        action="undo_changes",
    ),
    Entry(name="inbox", title="Inbox", does="All that waits for you, wherever it is asked", action="inbox"),
    Entry(name="agents", title="Sub-agents", does="Open a sub-agent's conversation, or come back", action="agents"),
    Entry(name="reviewers", title="Reviewers", does="How often reviewing models were right", action="reviewers"),
    Entry(
        name="decide",
        title="Decide yourself",
        does="Take over what a reviewing model is deciding now",
        action="take_over",
    ),
    Entry(
        name="interrupt",
        title="Interrupt",
        does="The menu of what can become of the turn that runs",
        action="interrupt_menu",
    ),
    Entry(name="sidebar", title="Sidebar", does="Show or hide the tool activity", action="sidebar"),
    Entry(name="theme", title="Theme", does="Choose how everything looks", argument="NAME", action="theme"),
    Entry(
        name="model",
        title="Model",
        does="Talk with another from the next turn on; a list of them with context and prices",
        argument="NAME",
        action="model",
    ),
    Entry(name="usage", title="Usage", does="Tokens and money, by turn, request and reviewer", action="usage"),
    Entry(
        name="settings",
        title="Settings",
        does="All of them: what they mean, where they come from, and change them",
        action="settings",
    ),
    Entry(name="setup", title="Setup", does="Find a model, test it, and write the configuration", action="setup"),
    Entry(
        name="trust",
        title="Trust",
        does="What the folder's own configuration would do, and whether it may",
        action="trust",
    ),
    Entry(name="help", title="Help", does="What can be written and pressed", action="keys"),
    Entry(name="keys", title="Keys", does="All keys, by where they work", action="keys"),
    Entry(name="quit", title="Leave", does="End the turn, close the log, leave", action="leave"),
)


def choosable(entries: tuple[Entry, ...], **choices: Iterable[str]) -> tuple[Entry, ...]:
    """The same, with what may follow some of them, by their names."""
    return tuple(replace(one, choices=tuple(choices.get(one.name, one.choices))) for one in entries)


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

    COMMANDS = {_provider}
    wall = staticmethod(time)
    """Seconds since 1970, for what is told of the past."""

    def on_composer_commanded(self, event: Composer.Commanded) -> None:
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
        action = getattr(self, f"action_{entry.action}")
        _ = action(argument) if entry.argument else action()

    def entries(self) -> list[Entry]:
        """What the palette lists: each action once."""
        return list({entry.action: entry for entry in reversed(COMMANDS)}.values())[::-1]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An open sheet has every key but those that it shows (R245)."""
        if action in ("ledger", "inquiries", "reviewers", "diff", "undo_changes"):
            return not self._main.sheet_open
        if action == "agents":
            return bool(self._main.agents or self._main.parent_conversation)
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

    def action_ledger(self) -> None:
        from jp_tui.ui.screens.ledger import Ledger

        self._list(Ledger)

    def action_inquiries(self) -> None:
        from jp_tui.ui.screens.inquiries import Inquiries

        self._list(Inquiries)

    def action_agents(self) -> None:
        """Open a sub-agent's conversation; from there, back to the one that it works for."""
        from jp_tui.ui.screens.agents import Agents

        agents = self._main.agents
        if parent := self._main.parent_conversation:
            self._go_to(parent)
        elif not agents:
            self._main.say(ours("No sub-agent works here"))
        elif len(agents) == 1:
            self._go_to(agents[0].info.conversation)
        elif not isinstance(self.screen, Agents):
            self.push_screen(Agents(lambda: self._main.agents))

    def on_agents_chosen(self, event: Agents.Chosen) -> None:
        event.stop()
        self.screen.dismiss(None)
        self._go_to(event.conversation)

    def _go_to(self, conversation: str) -> None:
        from jp_tui.protocol.commands import OpenConversation

        self._main.drafts.flush()
        self._bridge.send(OpenConversation(which="id", conversation=conversation))

    def action_inbox(self) -> None:
        """All that waits, live while it is open (E51)."""
        from jp_tui.ui.screens.inbox import Inbox

        waits = self._main.waits
        if waits is None or not self._main.conversation:
            self._main.say(ours("There is no conversation yet"))
        elif not any(isinstance(one, Inbox) for one in self.screen_stack):
            waits.follow(True)
            self.push_screen(Inbox(clock=self._clock, wall=self.wall), lambda _: waits.follow(False))

    def action_jump(self, conversation: str, inquiry: str) -> None:
        """To a question that waits."""
        if (waits := self._main.waits) is not None:
            waits.jump((conversation, inquiry))

    def on_inbox_jump(self, event: Inbox.Jump) -> None:
        event.stop()
        self.screen.dismiss(None)
        if (waits := self._main.waits) is not None:
            waits.jump(event.key, event.alike)

    def on_inbox_put_off(self, event: Inbox.PutOff) -> None:
        event.stop()
        if (waits := self._main.waits) is not None:
            waits.snooze(event.key, event.seconds)

    def on_inbox_take_back(self, event: Inbox.TakeBack) -> None:
        event.stop()
        if (waits := self._main.waits) is not None:
            waits.unsnooze(event.key)

    def on_inbox_controller_turn_ended(self, event: InboxController.TurnEnded) -> None:
        event.stop()
        self.attention.ended_elsewhere(event.ended, event.title)

    def on_inbox_controller_unsnoozed(self, event: InboxController.Unsnoozed) -> None:
        """Whoever does not look is told once more."""
        event.stop()
        self.attention.comes_due(*event.key)

    def action_reviewers(self) -> None:
        from jp_tui.ui.screens.reviewers import Reviewers

        if not isinstance(self.screen, Reviewers):  # of all conversations: none need be open
            self.push_screen(Reviewers())

    def action_take_over(self) -> None:
        """The oldest that a reviewer is deciding comes to the human (R156)."""
        from jp_tui.protocol.commands import TakeOver

        if reviewed := self._main.reviewed:
            self._bridge.send(TakeOver(conversation=reviewed[0][0], inquiry=reviewed[0][1]))
        else:
            self._main.say(ours("No reviewer is deciding anything"))

    def _list(self, kind: type[Listing]) -> None:
        if not self._main.conversation:
            self._main.say(ours("There is no conversation yet"))
        elif not isinstance(self.screen, kind):
            self.push_screen(kind())

    # -- lists and the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        from jp_tui.protocol.commands import ListInquiries, ReadLedger, ReadReviewers
        from jp_tui.ui.screens.inbox import Inbox
        from jp_tui.ui.screens.ledger import Ledger
        from jp_tui.ui.screens.reviewers import Reviewers

        event.stop()
        here = self._main.conversation
        match self.screen:
            case Ledger():
                self._bridge.send(ReadLedger(conversation=here))
            case Reviewers():
                self._bridge.send(ReadReviewers())
            case Inbox():
                self.told_waiting()
            case _:
                self._bridge.send(ListInquiries(conversation=here))

    def on_listing_shown(self, event: Listing.Shown) -> None:
        event.stop()
        self.told_waiting()

    def told_waiting(self) -> None:
        """What waits has changed: a page that covers the status line says so, and the inbox follows, if it is open."""
        if self.screen is self._main or self._main.inbox is None:
            return
        from jp_tui.ui.screens.inbox import Inbox
        from jp_tui.ui.widgets.status import StatusLine
        from jp_tui.view.activity.status import waits

        for page in self.screen_stack:
            if callable(tell := getattr(page, "waits", None)):
                tell(waits(self._main.query_one(StatusLine).status))
        if isinstance(self.screen, Inbox):
            self.screen.listed(self._main.inbox)

    def on_reviewers_change(self, event: Reviewers.Change) -> None:
        """A policy is changed in the user's file; the list says so when it is (SettingChanged)."""
        from jp_tui.protocol.commands import ReadReviewers, SetSetting

        event.stop()
        self._bridge.send(SetSetting(key=event.key, value=event.value))
        self._bridge.send(ReadReviewers())

    def on_ledger_revoke(self, event: Ledger.Revoke) -> None:
        from jp_tui.protocol.commands import RevokeEntry

        event.stop()
        self._bridge.send(RevokeEntry(conversation=self._main.conversation, key=event.key))

    def on_overlay_wants(self, event: Overlay.Wants) -> None:
        event.stop()
        self._bridge.send(event.command)

    def on_conversation_controller_for_page(self, event: ConversationController.ForPage) -> None:
        """What the engine said for a list goes to the one that is open."""
        from jp_tui.protocol import events as ev
        from jp_tui.ui.screens.inquiries import Inquiries
        from jp_tui.ui.screens.ledger import Ledger
        from jp_tui.ui.screens.overlay import Overlay
        from jp_tui.ui.screens.reviewers import Reviewers
        from jp_tui.view.pages.models import ONCE, SWITCHED

        over = next((one for one in reversed(self.screen_stack) if isinstance(one, Overlay)), None)
        if over is not None:  # a list of names may lie over it
            over.hear(event.reported)
            return
        match event.reported, self.screen:
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
                self._go_to(info.id)
            case ev.ModelSwitched(model=model, once=once), _:
                self._main.say(ours(ONCE if once else SWITCHED, model=foreign(Foreign(model), mode="line")))
            case ev.Refused(message=message), _:
                self._main.say(ours("{message}", style="$failed-foreground", message=Foreign(message)))
            case _:
                pass  # the list was closed meanwhile
