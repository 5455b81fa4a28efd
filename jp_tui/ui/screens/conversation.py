"""The engine's side of the workspace: events come in through `show`, one exhaustive match, commands go out.

It keeps what the reducers of `view/` made of the events and hands them to the widgets. Which keys do what, and what
is shown where, is `screens/workspace.py`; what is open and has the focus is `widgets/column.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from textual import on
from textual.message import Message
from textual.screen import Screen

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.screens.drafts import COMPOSER, Drafts
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.banner import Banner
from jp_tui.ui.widgets.column import Column
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.dock import SheetDock
from jp_tui.ui.widgets.sidebar import Sidebar
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view import activity, status

ASK = ours("Ask anything")
NOTHING = ("", "")


class ConversationScreen(Screen[None], inherit_bindings=False):
    """One conversation between the engine and the widgets that show it."""

    @dataclass
    class Told(Message):
        """The status changed; for the terminal's title."""

        status: status.Status

    @dataclass
    class Copied(Message):
        """This text is to be on the clipboard."""

        text: str

    @dataclass
    class Unopened(Message):
        """There is no conversation to show: why, and what to do."""

        message: str
        advice: str

    def __init__(
        self,
        *,
        send: Callable[[cmd.Command], None],
        clock: Callable[[], float],
        workspace: str,
        home: str,
        editor: Callable[[str], str],
        first_prompt: str,
    ) -> None:
        """`editor` takes a text and gives it back edited, or raises OSError with the reason."""
        super().__init__(id="workspace")
        self._send = send
        self._clock = clock
        self._editor = editor
        self._status = status.Status(workspace=workspace, home=home)
        self._activity = activity.Activity()
        self._first_prompt = first_prompt
        self._unsent = ""
        self.drafts = Drafts(send=send, later=self.set_timer)

    # -- from the engine

    def show(self, reported: list[ev.Event]) -> None:
        """What the engine reported, in order; status and activity are painted once for all of it."""
        now = self._clock()
        for event in reported:
            if self._here(event):
                self._status = status.applied(self._status, event, now)
                self._activity = activity.applied(self._activity, event, now)
                self._one(event)
        self._told()

    def _here(self, event: ev.Event) -> bool:
        """Whether an event concerns this conversation; a question of another one still reaches its human (E4)."""
        if isinstance(event, (ev.ConversationOpened, ev.QuestionAsked, ev.QuestionSettled, ev.AnswerRefused)):
            return True
        return getattr(event, "conversation", "") in ("", self._status.conversation)

    def _one(self, event: ev.Event) -> None:
        match event:
            case ev.ConversationOpened():
                self._opened(event)
            case ev.TurnStarted():
                self._unsent = ""
                self.query_one(Composer).busy = True
                self.query_one(Transcript).apply(event)
            case ev.TurnCompleted():
                self.query_one(Column).close_menu()
                self._released(event.returned)
                self.query_one(Transcript).apply(event)
            case (
                ev.EventsRead()
                | ev.EventAppended()
                | ev.PartDelta()
                | ev.PartDropped()
                | ev.CallChanged()
                | ev.TurnPhase()
            ):
                self.query_one(Transcript).apply(event)
            case ev.QuestionAsked(prompt=prompt):
                self.query_one(Column).ask(prompt)
            case ev.QuestionSettled(inquiry=inquiry):
                self.query_one(Column).settle(inquiry)
                self.drafts.over(self._status.conversation, inquiry)
            case ev.AnswerRefused(inquiry=inquiry, reason=reason, gone=gone):
                self.query_one(Column).refused(inquiry, reason, gone)
            case ev.HistoryRead(texts=texts):
                self.query_one(Composer).remember(texts)
            case ev.Refused():
                self._refused(event)
            case ev.StorageFailed():
                self._released(self._unsent)
            case (
                ev.ConversationsListed()
                | ev.ConversationRead()
                | ev.SettingChanged()
                | ev.EngineFailed()
                | ev.Stopped()
            ):
                pass  # the app's, or another screen's
            case _:
                assert_never(event)

    def _opened(self, opened: ev.ConversationOpened) -> None:
        composer = self.query_one(Composer)
        composer.busy = False
        composer.locked = bool(opened.held_by)
        composer.placeholder = ours("Read-only: {who}", who=Foreign(opened.held_by)) if opened.held_by else ASK
        self.drafts.loaded(opened.conversation, opened.drafts)
        self.query_one(Transcript).open(opened)
        for key, text in opened.drafts.items():
            if key != COMPOSER:
                self.query_one(SheetDock).restore_draft(key, text)
        if opened.held_by:
            return
        composer.put_before(opened.drafts.get(COMPOSER, ""))
        if self._first_prompt:
            text, self._first_prompt = self._first_prompt, ""
            self._start(text)

    def _refused(self, event: ev.Refused) -> None:
        if not self._status.conversation:
            self.post_message(self.Unopened(event.message, event.advice))
            return
        self.query_one(Banner).refusal = (event.message, event.advice)
        if event.command == "start_turn":
            self._released(self._unsent)

    def _released(self, text: str) -> None:
        """No turn runs; text that nothing came of goes back to where it was written."""
        self._unsent = ""
        composer = self.query_one(Composer)
        composer.busy = False
        composer.put_back(text)

    def _told(self) -> None:
        """Paint what the reducers hold."""
        line = self.query_one(StatusLine)
        line.now = self._clock()
        line.status = self._status
        self.query_one(Banner).trouble = (self._status.trouble, self._status.advice)
        self.query_one(Sidebar).show(self._activity)
        self.refresh_bindings()
        self.post_message(self.Told(self._status))

    # -- to the engine

    def _start(self, text: str) -> None:
        self._unsent = text
        self.query_one(Composer).busy = True
        self.query_one(Banner).refusal = NOTHING
        self._send(cmd.StartTurn(conversation=self._status.conversation, text=text))

    @on(Composer.Submitted)
    def _submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        self.drafts.over(self._status.conversation, COMPOSER)
        self.query_one(Transcript).scroll_to_end()
        self._start(event.text)

    @on(Transcript.WordPicked)
    def _word_picked(self, event: Transcript.WordPicked) -> None:
        event.stop()
        composer = self.query_one(Composer)
        if not composer.busy and not composer.locked:
            self._start(event.text)

    @on(Transcript.NeedEvents)
    def _need_events(self, event: Transcript.NeedEvents) -> None:
        event.stop()
        here = self._status.conversation
        self._send(cmd.ReadEvents(conversation=here, around=event.around, count=event.count))

    @on(SheetDock.Settled)
    def _answered(self, event: SheetDock.Settled) -> None:
        event.stop()
        self._send(
            cmd.AnswerQuestion(
                conversation=event.conversation,
                inquiry=event.inquiry,
                digest=event.digest,
                response=event.response,
            )
        )

    @on(Column.Interrupted)
    def _interrupted(self, event: Column.Interrupted) -> None:
        event.stop()
        here = self._status.conversation
        if event.text:
            self.drafts.over(here, COMPOSER)
        self._send(cmd.InterruptTurn(conversation=here, action=event.action, text=event.text))

    @on(SheetDock.DraftChanged)
    def _answer_drafted(self, event: SheetDock.DraftChanged) -> None:
        event.stop()
        self.drafts.changed(self._status.conversation, event.inquiry, lambda: event.text)

    @on(Composer.Edited)
    def _composer_edited(self, event: Composer.Edited) -> None:
        event.stop()
        composer = self.query_one(Composer)
        if not composer.locked:
            self.drafts.changed(self._status.conversation, COMPOSER, lambda: composer.written)

    @on(Composer.EditorWanted)
    def _editor_wanted(self, event: Composer.EditorWanted) -> None:
        event.stop()
        composer = self.query_one(Composer)
        try:
            composer.put(self._editor(composer.written))
        except OSError as error:
            self.query_one(Banner).refusal = (f"The editor did not give a text back: {error}", "")

    @on(Transcript.SelectionCopied)
    def _selection_copied(self, event: Transcript.SelectionCopied) -> None:
        event.stop()
        self.post_message(self.Copied(event.text))

    @on(Transcript.LinkClicked)
    def _link_clicked(self, event: Transcript.LinkClicked) -> None:
        event.stop()
        self.post_message(self.Copied(event.url))
