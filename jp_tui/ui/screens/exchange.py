"""The engine's side of the workspace: events come in through `show`, commands go out.

An event that the conversation does not need is for the page over the workspace, if one is open.

It keeps what the reducers of `view/` made of the events, and says it upwards. Which keys do what is
`screens/workspace.py`, what is open and has the focus `widgets/column.py`. Loaded after the first frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.pages import PAGE_COMMANDS
from jp_tui.ui.screens.composing import COMPOSINGS, Composed, Composing
from jp_tui.ui.screens.drafts import COMPOSER, FOLDS, OWN, Drafts
from jp_tui.ui.screens.snoozes import Snoozes
from jp_tui.ui.screens.waiting import Waits
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.banner import Banner
from jp_tui.ui.widgets.column import Column
from jp_tui.ui.widgets.composer import ASK, Composer
from jp_tui.ui.widgets.dock import SheetDock
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view.activity import activity, status_reducer
from jp_tui.view.activity.agents import Agent, Agents, asking
from jp_tui.view.activity.status import Status
from jp_tui.view.questions.inbox import Inbox, counted
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.questions.snooze import unpacked
from jp_tui.view.wording.failures import words as failed

NOTHING = ("", "")


class Exchange(Composing, Waits):
    """One conversation between the engine and the widgets that show it."""

    DEFAULT_CSS = """
    Exchange { width: 100%; height: 1fr; }  /* 1fr is narrowed by the widest margin of any sibling */
    """

    @dataclass
    class Told(Message):
        """What is known has changed."""

        status: Status
        activity: activity.Activity
        agents: tuple[Agent, ...]
        inbox: Inbox

    @dataclass
    class Listed(Message):
        """An event for the page that lies over the workspace."""

        reported: ev.Event

    @dataclass
    class Copied(Message):
        """To be on the clipboard; `what` is its name in words of ours, if it has one."""

        text: str
        what: str = ""

    @dataclass
    class Unopened(Message):
        """There is no conversation to show: why, what to do, and the exit status."""

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
        drafts: Drafts,
        status: Status,
        first_prompt: str,
        notices: tuple[str, ...] = (),
        patience: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`editor` takes a text and gives it back edited, or raises OSError; `notices` are said first."""
        super().__init__(send=send, clock=clock, patience=patience, id="exchange")
        self.column = Column(composer=composer, clock=clock, editor=editor, id="column")
        self._editor = editor
        self._composer = composer
        self._drafts = drafts
        self.snoozes = Snoozes(save=lambda key, text: drafts.changed(*key, lambda: text))
        self._status = status
        self._activity = activity.Activity()
        self._agents = Agents()
        self._first_prompt = first_prompt
        self._notices = notices
        self._unsent = ""

    def compose(self) -> ComposeResult:
        yield self.column
        yield self.above

    def on_mount(self) -> None:
        if self._notices:
            self.query_one(Banner).refusal = ("\n".join(self._notices), "")

    @property
    def noticed(self) -> bool:
        return bool(self.query_one(Banner).refusal[0])

    def note(self, words: str, advice: str = "") -> None:
        """Say something of the settings, below what is said already."""
        banner = self.query_one(Banner)
        before = banner.refusal[0]
        banner.refusal = (f"{before}\n{words}" if before else words, advice)

    def put_notice_away(self) -> None:
        """The user has read it."""
        self.query_one(Banner).refusal = NOTHING

    # -- from the engine

    def show(self, reported: list[ev.Event]) -> None:
        """What the engine reported, in order; it is said upwards once for all of it."""
        now = self._clock()
        before = self._status, self._activity, self._agents, self._inbox
        with self.column.together():
            for event in reported:
                self._heard(event, now)
        known = self._status, self._activity, self._agents, self._inbox
        if any(old is not new for old, new in zip(before, known, strict=True)):  # text that streams in changes none
            self.soon(now)

    def _heard(self, event: ev.Event, now: float) -> None:
        self._agents = self._agents.heard(event, now)
        self.hear(event, now)
        if self._here(event):
            self._status = status_reducer.applied(self._status, event, now)
            self._activity = activity.applied(self._activity, event, now, here=not self._elsewhere(event))
            self._one(event)
        elif isinstance(event, ev.Retrying) and (parent := self._agents.parent(event.conversation)):
            self.query_one(Transcript).apply(event.model_copy(update={"conversation": parent}))

    @property
    def working(self) -> int:
        return len(self._agents.by) + sum(call.busy for call in self._activity.calls)

    def tell(self) -> None:
        self.told()
        self._status = counted(self._status, self._inbox)
        self.query_one(Banner).trouble = (self._status.trouble, self._status.advice)
        self.query_one(SheetDock).among(self._status.conversation, self._inbox.titles)
        agents = self._agents.of_parent(self._status.conversation)
        self.query_one(Transcript).asking(asking(agents))
        self.post_message(self.Told(self._status, self._activity, agents, self._inbox))

    def _here(self, event: ev.Event) -> bool:
        """Whether an event concerns this conversation; a question of another one still reaches its human (E4)."""
        asked = (ev.QuestionAsked, ev.QuestionSettled, ev.AnswerRefused, ev.AnswerChecked, ev.AsideDelta, ev.AsideEnded)
        if isinstance(event, (ev.ConversationOpened, *asked)):
            return True
        if isinstance(event, ev.Refused) and event.command in PAGE_COMMANDS:  # about any conversation
            return True
        return getattr(event, "conversation", "") in ("", self._status.conversation)

    def _elsewhere(self, event: ev.Event) -> bool:
        """Whether it is of a conversation that is not in sight."""
        if isinstance(event, ev.ConversationOpened):
            return False
        said = event.prompt.conversation if isinstance(event, ev.QuestionAsked) else getattr(event, "conversation", "")
        return said not in ("", self._status.conversation)

    def _one(self, event: ev.Event) -> None:
        if isinstance(event, Composed):
            self.compose_with(event)
            return
        match event:
            case ev.ConversationOpened():
                self._opened(event)
            case ev.TurnStarted():
                self._unsent = ""
                self._composer.busy = True
                self.query_one(Transcript).apply(event)
            case ev.TurnCompleted():
                self.column.close_menu()
                self._released(event.returned)
                self.query_one(Transcript).apply(event)
            case ev.EventsRead(conversation=conversation, events=read):
                self.query_one(Transcript).apply(event)
                self.query_one(SheetDock).read(conversation, read)
            case ev.EventAppended() | ev.PartDelta() | ev.PartDropped():
                self.query_one(Transcript).apply(event)
            case ev.CallChanged() | ev.TurnPhase() | ev.Retrying():
                self.query_one(Transcript).apply(event)
            case ev.QuestionAsked(prompt=prompt, draft=draft):
                self.asks(prompt, draft)
            case ev.QuestionSettled(conversation=conversation, inquiry=inquiry, how=how, by=by):
                self.column.settle((conversation, inquiry), elsewhere(by) if how in ("answered", "redacted") else "")
                self.snoozes.over((conversation, inquiry))
                self._drafts.over(conversation, inquiry)
            case ev.AnswerRefused(conversation=conversation, inquiry=inquiry, reason=reason, gone=gone, by=by):
                self.column.refused((conversation, inquiry), reason, gone, elsewhere(by))
            case ev.HistoryRead(texts=texts):
                self._composer.remember(texts)
            case ev.Refused():
                self._refused(event)
            case ev.StorageNotice(message=message, advice=advice):
                self.note(message, advice)
            case ev.StorageFailed():
                if self._unsent:  # what was sent is not durable and so not said
                    self._released(self._unsent)
            case ev.ReviewStarted() | ev.ReviewDelta():
                self.query_one(Transcript).apply(event)
            case ev.OfferSettled():
                pass  # nobody here offers an answer: a sheet sends AnswerQuestion
            case ev.AnswerChecked(conversation=conversation, inquiry=inquiry, revision=revision, problems=problems):
                self.column.checked((conversation, inquiry), revision, problems)
            case ev.AsideDelta(conversation=conversation, inquiry=inquiry, text=text):
                self.query_one(SheetDock).said((conversation, inquiry), text)
            case ev.AsideEnded(conversation=conversation, inquiry=inquiry, error=error):
                self.query_one(SheetDock).said_all((conversation, inquiry), error.message if error else "")
            case ev.BackgroundFailed(message=message, file=file):
                self.note(*failed(message, file))
            case ev.EngineFailed() | ev.Stopped() | ev.TitleChanged() | ev.WaitingListed():
                pass  # the app's, the status line's, the inbox's
            case _:
                if not self.fork_made(event):
                    self.post_message(self.Listed(event))

    def _opened(self, opened: ev.ConversationOpened) -> None:
        composer = self._composer
        composer.busy = False
        composer.locked = bool(opened.held_by)
        composer.placeholder = ours("Read-only: {who}", who=Foreign(opened.held_by)) if opened.held_by else ASK
        self._drafts.loaded(opened.conversation, opened.drafts)
        self.query_one(Transcript).open(opened)
        self.query_one(SheetDock).read(opened.conversation, opened.page)
        for key, text in opened.drafts.items():
            if key not in OWN:
                self.query_one(SheetDock).restore_draft((opened.conversation, key), unpacked(text)[0])
        first, self._first_prompt = self._first_prompt, ""
        if opened.held_by:
            composer.put_back(first)
            return
        composer.put_before(opened.drafts.get(COMPOSER, ""), opened.drafts.get(FOLDS, ""))
        self.read_queue(opened.conversation)
        if first:
            self._start(first, self.files_of_first())

    def _refused(self, event: ev.Refused) -> None:
        if not self._status.conversation:
            self.post_message(self.Unopened(event.message, event.advice, 1 if event.storage else 2))
            return
        if event.command in PAGE_COMMANDS:
            if not self.fork_refused(event):
                self.post_message(self.Listed(event))
            return
        if event.command in COMPOSINGS:
            self.not_composed(event)
            return
        if event.command == "ask_aside":
            self.query_one(SheetDock).said_all(broken=event.message)
            return
        self.query_one(Banner).refusal = (event.message, event.advice)
        if event.command == "start_turn":
            self._released(self._unsent)

    def _released(self, text: str) -> None:
        """No turn runs; text that nothing came of goes back to where it was written."""
        self._unsent = ""
        self._composer.busy = False
        if not self._composer.text:
            self._composer.put_back(text)
        elif text and not self._composer.written.startswith(text):  # something else was begun meanwhile
            self._composer.put_before(text)

    # -- to the engine

    def submitted(self, text: str, attachments: tuple[str, ...] = ()) -> None:
        """The user sends this: to the menu that asked for words, or to the model, once there is a conversation."""
        if self.column.take_words(text) or self.forked(text, attachments):
            return
        if not self._status.conversation:
            self._first_prompt = text
            return
        self._drafts.over(self._status.conversation, COMPOSER)
        self.query_one(Transcript).scroll_to_end()
        self._start(text, attachments)

    def _start(self, text: str, attachments: tuple[str, ...] = ()) -> None:
        self._unsent = text
        self._composer.busy = True
        self.query_one(Banner).refusal = NOTHING
        self.say_or_queue(text, attachments)

    @on(Transcript.WordPicked)
    def _word_picked(self, event: Transcript.WordPicked) -> None:
        event.stop()
        if not self._composer.busy and not self._composer.locked:
            self._start(event.text)

    @on(Transcript.NeedEvents)
    def _need_events(self, event: Transcript.NeedEvents) -> None:
        event.stop()
        here = self._status.conversation
        self._send(cmd.ReadEvents(conversation=here, around=event.around, count=event.count))

    @on(SheetDock.DraftChanged)
    def _answer_drafted(self, event: SheetDock.DraftChanged) -> None:
        event.stop()
        self.snoozes.typed((event.conversation, event.inquiry), event.text)

    @on(Column.Interrupted)
    def _interrupted(self, event: Column.Interrupted) -> None:
        event.stop()
        here = self._status.conversation
        if event.text:
            self._drafts.over(here, COMPOSER)
        self._send(cmd.InterruptTurn(conversation=here, action=event.action, text=event.text))

    @on(Transcript.SelectionCopied)
    def _selection_copied(self, event: Transcript.SelectionCopied) -> None:
        event.stop()
        self.post_message(self.Copied(event.text))

    @on(Transcript.Copied)
    def _taken(self, event: Transcript.Copied) -> None:
        event.stop()
        self.post_message(self.Copied(event.text, event.what))

    @on(Transcript.LinkClicked)
    def _link_clicked(self, event: Transcript.LinkClicked) -> None:
        event.stop()
        self.post_message(self.Copied(event.url))
