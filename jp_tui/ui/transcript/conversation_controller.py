"""The open conversation: the engine's events go to the widgets that show them, the user's actions become commands.

Keeps the states that the reducers of `view/` make of the events and reports them to the screen. It owns the column with
transcript and questions, the composer's controller and the inbox's. Keys of the workspace are in
`screens/workspace.py`. Loaded after the first frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.context import ContextRead, ReadContext
from jp_tui.protocol.own_commands import OwnCommand
from jp_tui.protocol.people import ClaimSettled, PeopleListed
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.controller import COMPOSER_COMMANDS, ComposerController, ComposerEvent
from jp_tui.ui.composer.drafts import COMPOSER, OWN, DraftStore
from jp_tui.ui.pages import PAGE_COMMANDS, PAGES
from jp_tui.ui.sheets import preload
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.sheets.messages import CopyRequested, HandOverRequested, SideQuestionAsked, SideQuestionForwarded
from jp_tui.ui.text import ours
from jp_tui.ui.transcript.claim_controller import ClaimController
from jp_tui.ui.transcript.conversation_column import ConversationColumn
from jp_tui.ui.transcript.inbox_controller import InboxController
from jp_tui.ui.transcript.snooze_store import SnoozeStore
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.view.activity import activity, status_reducer
from jp_tui.view.activity.agents import Agent, AgentTree, asking
from jp_tui.view.activity.status import Status
from jp_tui.view.composer.commands import SlashCommand, own_slash, server_prompt
from jp_tui.view.pages import first_screen
from jp_tui.view.pages.first_screen import FirstScreenView
from jp_tui.view.questions import inbox_lines
from jp_tui.view.questions.inbox import InboxState, counted
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.questions.queue import key_of
from jp_tui.view.questions.snooze import unpacked
from jp_tui.view.wording.failures import words as failed
from jp_tui.view.wording.modes import mode_text
from jp_tui.view.wording.store import notice

MANY, EACH = 50, 0.0008
"""Questions and running calls above which the state is reported less often, and seconds between two reports for each:
the screen lists all of them again at every report."""


class ConversationController(Vertical):
    """The column of the conversation, and below it the panels of the composer."""

    DEFAULT_CSS = """
    ConversationController { width: 100%; height: 1fr; }  /* 1fr is narrowed by the widest margin of any sibling */
    """

    @dataclass
    class StateChanged(Message):
        """The state of the conversation, its agents or the inbox changed."""

        status: Status
        activity: activity.Activity
        agents: tuple[Agent, ...]
        inbox: InboxState

    @dataclass
    class Told(Message):
        """A text of jp-tui's for the last line."""

        words: str

    @dataclass
    class ForPage(Message):
        """An event for the page over the workspace."""

        reported: ev.Event

    @dataclass
    class Copied(Message):
        """The user wants this on the clipboard; `what` is its name, if it has one."""

        text: str
        what: str = ""

    @dataclass
    class OpenFailed(Message):
        """No conversation can be opened: why, what to do, and the exit status."""

        message: str
        advice: str
        status: int

    def __init__(
        self,
        *,
        send: Callable[[cmd.Command], None],
        clock: Callable[[], float],
        editor: Callable[[str], str],
        composer: Composer,
        drafts: DraftStore,
        status: Status,
        first_prompt: str,
        first_command: bool = True,
        notices: tuple[str, ...] = (),
        patience: Callable[[], float] = lambda: 0.0,
        first: FirstScreenView | None = None,
    ) -> None:
        """`editor` returns an edited text or raises OSError; `notices` are shown first; `patience` returns the seconds
        for which a pending key comes before a report of many questions; `first` is the first screen that the first
        frame shows already."""
        super().__init__(id="conversation-controller")
        self._send, self._clock, self._patience = send, clock, patience
        self._drafts = drafts
        self._notices = notices
        self._status = status
        self._activity = activity.Activity()
        self._agents = AgentTree()
        self._offline = ("", "")
        """The notice about a store that is out of reach."""
        self._reported_at = 0.0
        self._report_timer: Timer | None = None
        self._sheets_load = False
        self._first = self._kept = first
        """The first screen of an empty conversation, and the one that is shown before the engine's answer."""
        self._listing = False
        """True while the list of the last conversations is awaited for it."""
        self.instructions: str | None = None
        """Line of the first screen about instruction files, once it is known."""
        self.column = ConversationColumn(composer=composer, clock=clock, editor=editor, first=first, id="column")
        self._snoozes = SnoozeStore(save=lambda key, text: drafts.changed(*key, lambda: text))
        self.inbox = InboxController(
            self, column=self.column, snoozes=self._snoozes, send=send, clock=clock, changed=self._report
        )
        self._claims = ClaimController(
            self, send=send, notify=lambda words: self.post_message(InboxController.Notice(words)),
            handed_over=self.inbox.handed_over,
        )  # fmt: skip
        self._composer = composer
        self.composing = ComposerController(
            composer=composer,
            drafts=drafts,
            send=send,
            status=lambda: self._status,
            show_problem=self._show_problem,
            editor=editor,
            clock=clock,
            first_prompt=first_prompt,
            first_command=first_command,
            id="above",
        )

    def compose(self) -> ComposeResult:
        yield self.column
        yield self.composing

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self._window_focused, init=False)
        if self._notices:
            self._show_problem("\n".join(self._notices), "")

    def _window_focused(self, focused: bool) -> None:
        if focused and self.is_attached:
            self.inbox.request()

    # -- notices

    @property
    def noticed(self) -> bool:
        """True while there is a notice that can be closed."""
        return bool(self.column.banner.refusal[0])

    def note(self, words: str, advice: str = "") -> None:
        """Show a notice below those that are shown already."""
        before = self.column.banner.refusal[0]
        self._show_problem(f"{before}\n{words}" if before else words, advice)

    def put_notice_away(self) -> None:
        """Hide the notices: the user has read them."""
        self._show_problem("", "")

    def _show_problem(self, message: str, advice: str) -> None:
        self.column.banner.refusal = (message, advice)

    # -- reports to the screen

    @property
    def _work(self) -> int:
        """The number of sub-agents, each of which has calls of its own, and of calls that run."""
        return len(self._agents.by) + sum(call.busy for call in self._activity.calls)

    @property
    def _amount(self) -> int:
        """The number of items that the screen lists at a report."""
        return len(self.inbox.inbox.prompts) + 8 * self._work

    def _report_soon(self, now: float) -> None:
        """Report the state now; with many items, not more often than it can be read."""
        wait = self._reported_at + EACH * self._amount - now if self._amount > MANY else 0.0
        if wait <= 0:
            self._report_unless_keys()
        elif self._report_timer is None:
            self._report_timer = self.set_timer(wait, self._report_unless_keys)

    def _report_unless_keys(self) -> None:
        """Report the state; with many items, a pending key is painted first."""
        self._stop_report_timer()
        left = self._patience() if self._amount > MANY else 0.0
        if left > 0:
            self._report_timer = self.set_timer(left, self._report_unless_keys)
        else:
            self._report()

    def _stop_report_timer(self) -> None:
        if self._report_timer is not None:
            self._report_timer.stop()
            self._report_timer = None

    def _report(self) -> None:
        """Report the state now."""
        self._reported_at = self._clock()
        self._stop_report_timer()
        inbox = self.inbox.inbox
        self._status = counted(self._status, inbox)
        self.column.banner.trouble = (self._status.trouble, self._status.advice)
        self.column.dock.host.among(self._status.conversation, inbox.titles, bool(self._status.store))
        agents = self._agents.of_parent(self._status.conversation)
        self.column.transcript.asking(asking(agents))
        if self._first is not None:
            self._first = replace(self._first, model=self._status.model)
            if self.column.first is not None:
                self.column.show_first(self._first)
        self.post_message(self.StateChanged(self._status, self._activity, agents, inbox))

    # -- events of the engine

    def show(self, reported: list[ev.Event]) -> None:
        """Show the engine's events, in order. The state is reported once for all of them."""
        now = self._clock()
        before = self._status, self._activity, self._agents, self.inbox.inbox
        with self.column.together():
            for event in reported:
                self._apply(event, now)
        if self._first is not None and self.column.transcript.document.total:  # there is a message now
            self._first = None
            self.column.show_first(None)
        after = self._status, self._activity, self._agents, self.inbox.inbox
        if any(old is not new for old, new in zip(before, after, strict=True)):  # streamed text changes none
            self._report_soon(now)

    def _apply(self, event: ev.Event, now: float) -> None:
        self._agents = self._agents.apply(event, now)
        self.inbox.apply(event, now)
        self._claims.apply(event)
        if isinstance(event, ev.TurnStarted) and not self._sheets_load:
            self._sheets_load = True  # a question is likely now
            self.set_timer(preload.BREATH, lambda: preload.load(self.set_timer))
        if self._is_relevant(event):
            self._status = status_reducer.applied(self._status, event, now)
            self._activity = activity.applied(self._activity, event, now, here=not self._is_of_another(event))
            self._show_one(event)
        elif isinstance(event, ev.Retrying) and (parent := self._agents.parent(event.conversation)):
            self.column.transcript.apply(event.model_copy(update={"conversation": parent}))

    def _is_relevant(self, event: ev.Event) -> bool:
        """Return True for events of this conversation, and for questions of any, which reach the user here (E4)."""
        asked = (ev.QuestionAsked, ev.QuestionSettled, ev.AnswerRefused, ev.AnswerChecked, ev.AsideDelta, ev.AsideEnded)
        if isinstance(event, (ev.ConversationOpened, ev.AnswerHeld, *asked)):
            return True
        if isinstance(event, ev.Refused) and event.command in PAGE_COMMANDS:  # a page may be about any conversation
            return True
        return getattr(event, "conversation", "") in ("", self._status.conversation)

    def _is_of_another(self, event: ev.Event) -> bool:
        """Return True for events of a conversation that isn't in sight."""
        if isinstance(event, ev.ConversationOpened):
            return False
        named = event.prompt.conversation if isinstance(event, ev.QuestionAsked) else getattr(event, "conversation", "")
        return named not in ("", self._status.conversation)

    def _show_one(self, event: ev.Event) -> None:
        if isinstance(event, ComposerEvent):
            self.composing.apply(event)
            return
        column = self.column
        match event:
            case ev.ConversationOpened():
                self._opened(event)
            case ev.TurnStarted():
                self.composing.turn_started()
                column.transcript.apply(event)
            case ev.TurnCompleted():
                column.close_menu()
                self.composing.turn_ended(event.returned, failed=event.outcome == "failed")
                column.transcript.apply(event)
            case ev.EventsRead(conversation=conversation, events=read):
                column.transcript.apply(event)
                column.dock.replies.read(conversation, read)
            case (
                ev.EventAppended() | ev.PartDelta() | ev.PartDropped() | ev.CallChanged() | ev.TurnPhase()
                | ev.Retrying() | ev.ReviewStarted() | ev.ReviewDelta()
            ):  # fmt: skip
                column.transcript.apply(event)
            case ev.QuestionAsked(prompt=prompt, draft=draft):
                self.inbox.ask(prompt, draft)
            case ev.QuestionSettled(conversation=conversation, inquiry=inquiry, how=how, by=by):
                column.remove_settled((conversation, inquiry), elsewhere(by) if how in ("answered", "redacted") else "")
                self._snoozes.forget_settled((conversation, inquiry))
                self._drafts.discard(conversation, inquiry)
            case ev.AnswerRefused(conversation=conversation, inquiry=inquiry, reason=reason, gone=gone, by=by):
                column.refused((conversation, inquiry), reason, gone, elsewhere(by))
            case ev.AnswerChecked(conversation=conversation, inquiry=inquiry, revision=revision, problems=problems):
                column.dock.checked((conversation, inquiry), revision, problems)
            case ev.AsideDelta(conversation=conversation, inquiry=inquiry, text=text):
                column.dock.replies.received((conversation, inquiry), text)
            case ev.AsideEnded(conversation=conversation, inquiry=inquiry, error=error):
                column.dock.replies.ended((conversation, inquiry), error.message if error else "")
            case ev.OwnCommandsRead(commands=commands):
                self._composer.know_commands([_slash(one) for one in commands])
            case ev.ApprovalModeSet():
                self.post_message(self.Told(mode_text(event)))
            case ev.HistoryRead(texts=texts):
                self._composer.remember(texts)
            case ev.Refused():
                self._refused(event)
            case ev.UserNotice(message=message, advice=advice):
                self.note(message, advice)
            case ev.StoreState():
                self._store_changed(event)
            case ev.AnswerHeld(conversation=conversation, inquiry=inquiry, held=held):
                column.answer_held((conversation, inquiry), held)
            case ev.DraftsFound(drafts=drafts):
                self.composing.drafts_found(drafts)
            case ev.StorageFailed():
                self.composing.storage_failed()
            case ev.BackgroundFailed(message=message, file=file):
                self.note(*failed(message, file))
            case ev.Compacted(message=message):
                self.note(message, "") if message else None
            case ev.OfferSettled() | ClaimSettled() | PeopleListed():
                pass  # the inbox and the claims have it already
            case ev.EngineFailed() | ev.Stopped() | ev.TitleChanged() | ev.WaitingListed():
                pass  # handled by the app, the status line, the inbox
            case ContextRead(parts=parts) if self._first is not None:
                said = first_screen.instructions(parts, self._first.folder, self._first.home)
                self._first = replace(self._first, instructions=said)
                self.instructions = said
                if self.column.first is not None:
                    self.column.show_first(self._first)
                self.post_message(self.ForPage(event))
            case ev.ConversationsListed(conversations=listed) if self._first is not None and self._listing:
                self._listing = False
                self._first = replace(self._first, recent=first_screen.recent(listed, self._status.conversation))
                self.column.show_first(self._first)
                self.post_message(self.ForPage(event))
            case _:
                if not (isinstance(event, ev.ConversationForked) and self.composing.fork_made(event)):
                    self.post_message(self.ForPage(event))

    def _store_changed(self, state: ev.StoreState) -> None:
        """Show a notice while the store is out of reach; the status line says so, too."""
        before, self._offline = self._offline, notice(state, kept=True) if state.problem else ("", "")
        if state.problem or self.column.banner.refusal == before:
            self._show_problem(*self._offline)
        if state.back:
            self.post_message(self.Told(notice(state)[0]))

    def _opened(self, opened: ev.ConversationOpened) -> None:
        self._drafts.loaded(opened.conversation, opened.drafts)
        self.column.transcript.open(opened)
        self.column.dock.replies.read(opened.conversation, opened.page)
        for key, text in opened.drafts.items():
            if key not in OWN:
                self.column.dock.restore_draft((opened.conversation, key), unpacked(text)[0])
        self._show_first(opened)
        self.composing.opened(opened)

    def _show_first(self, opened: ev.ConversationOpened) -> None:
        """Show the first screen for an empty conversation, once the list of the last ones is there (S51). One that is
        shown already stays, with the same tips."""
        kept, self._kept, self._first = self._kept, None, None
        empty = not (opened.last_seq or opened.greeting or opened.held_by or opened.agent)
        if kept is None or not empty:
            self.column.show_first(None)
        if empty:
            self._first = FirstScreenView(
                model=opened.model,
                folder=opened.workspace,
                home=self._status.home,
                instructions=kept.instructions if kept is not None else "",
                recent=kept.recent if kept is not None else (),
                tips=kept.tips if kept is not None else first_screen.tips(opened.conversation),
            )
            self._listing = True
            self._send(cmd.ListConversations(workspace=opened.workspace, limit=first_screen.RECENT + 1))
            self._send(ReadContext(conversation=opened.conversation))

    def _refused(self, event: ev.Refused) -> None:
        if not self._status.conversation:
            self.post_message(self.OpenFailed(event.message, event.advice, 1 if event.storage else 2))
        elif event.command in PAGE_COMMANDS:
            if not self.composing.fork_refused(event):
                self.post_message(self.ForPage(event))
        elif event.command in COMPOSER_COMMANDS:
            self.composing.refused(event)
        elif event.command in ("claim_inquiry", "list_people"):
            pass  # the claims have it already
        elif event.command == "ask_aside":
            self.column.dock.replies.ended(broken=event.message)
        else:
            self._show_problem(event.message, event.advice)
            if event.command == "start_turn":
                self.composing.start_failed()

    # -- actions of the user

    def submit(self, text: str, attachments: tuple[str, ...] = (), command: bool = False) -> None:
        """Give a text to the menu that asked for one, or send it to the model."""
        if not self.column.take_words(text) and self.composing.submit(text, attachments, command):
            self.column.transcript.scroll_to_end()

    @on(ConversationColumn.Arranged)
    def _arranged(self) -> None:
        self.composing.keys_work(bool(self._composer.display))

    @on(ConversationColumn.Behind)
    def _behind(self, event: ConversationColumn.Behind) -> None:
        event.stop()
        self.post_message(InboxController.Notice(ours(inbox_lines.WAITS_BEHIND)))

    @on(ConversationColumn.Interrupted)
    def _interrupted(self, event: ConversationColumn.Interrupted) -> None:
        event.stop()
        here = self._status.conversation
        if event.text:
            self._drafts.discard(here, COMPOSER)
        self._send(cmd.InterruptTurn(conversation=here, action=event.action, text=event.text))

    @on(Transcript.WordPicked)
    def _word_picked(self, event: Transcript.WordPicked) -> None:
        event.stop()
        self.composing.pick_word(event.text)

    @on(Transcript.NeedEvents)
    def _need_events(self, event: Transcript.NeedEvents) -> None:
        event.stop()
        here = self._status.conversation
        self._send(cmd.ReadEvents(conversation=here, around=event.around, count=event.count))

    @on(Transcript.Resend)
    def _resend(self, event: Transcript.Resend) -> None:
        event.stop()
        self.composing.edit_in_fork(event.seq, event.text)

    @on(Transcript.ForkHere)
    def _fork_here(self, event: Transcript.ForkHere) -> None:
        event.stop()
        self._send(cmd.ForkConversation(conversation=self._status.conversation, at=event.seq))

    @on(Transcript.SelectionCopied)
    def _selection_copied(self, event: Transcript.SelectionCopied) -> None:
        event.stop()
        self.post_message(self.Copied(event.text))

    @on(Transcript.Copied)
    @on(CopyRequested)
    def _copied(self, event: Transcript.Copied | CopyRequested) -> None:
        event.stop()
        self.post_message(self.Copied(event.text, event.what))

    @on(Transcript.LinkClicked)
    def _link_clicked(self, event: Transcript.LinkClicked) -> None:
        event.stop()
        self.post_message(self.Copied(event.url))

    @on(SheetDock.Shown)
    def _shown(self, event: SheetDock.Shown) -> None:
        event.stop()
        self._claims.shown(self.column.dock.queue.get(event.key))
        if self.inbox.shown(event.key, event.digest):
            self._report()

    @on(SheetDock.Turned)
    def _turned(self, event: SheetDock.Turned) -> None:
        """End a claim. The screen handles the message, too: what waits lists only the other questions (Z14)."""
        self._claims.turned(event.prompt)

    @on(HandOverRequested)
    def _hand_over(self, event: HandOverRequested) -> None:
        event.stop()
        self._claims.hand_over(key_of(event.prompt))

    @on(SheetDock.DraftChanged)
    def _draft_changed(self, event: SheetDock.DraftChanged) -> None:
        event.stop()
        self._snoozes.draft_changed((event.conversation, event.inquiry), event.text)

    @on(SheetDock.Settled)
    def _answered(self, event: SheetDock.Settled) -> None:
        event.stop()
        self.inbox.answer(event)

    @on(SheetDock.CheckWanted)
    def _check_wanted(self, event: SheetDock.CheckWanted) -> None:
        event.stop()
        here = event.conversation
        self._send(
            cmd.CheckAnswer(conversation=here, inquiry=event.inquiry, revision=event.revision, value=event.value)
        )

    @on(SideQuestionAsked)
    def _aside_asked(self, event: SideQuestionAsked) -> None:
        event.stop()
        here = event.prompt.conversation
        self._send(cmd.AskAside(conversation=here, inquiry=event.prompt.inquiry, text=event.text))

    @on(SheetDock.TakenBack)
    def _taken_back(self, event: SheetDock.TakenBack) -> None:
        event.stop()
        self._send(cmd.TakeBackAnswer(conversation=event.conversation, inquiry=event.inquiry))

    @on(SideQuestionForwarded)
    def _aside_sent(self, event: SideQuestionForwarded) -> None:
        event.stop()
        here = event.prompt.conversation
        self._send(cmd.SendAside(conversation=here, inquiry=event.prompt.inquiry, send=event.send))


def _slash(one: OwnCommand) -> SlashCommand:
    if one.kind == "prompt":
        return server_prompt(one.name, one.description, one.hint, PAGES["prompt"])
    return own_slash(one.name, one.description, one.hint, trusted=one.trusted)
