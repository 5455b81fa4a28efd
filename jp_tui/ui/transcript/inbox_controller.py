"""The inbox's side of the engine: open questions from anywhere, how to reach them, and which are snoozed (E51).

The list of other conversations is requested once when a conversation opens, when the terminal gets the focus and when
the inbox closes, and followed only while the inbox is open: an idle workspace requests nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.transcript.conversation_column import ConversationColumn
from jp_tui.ui.transcript.snooze_store import SnoozeStore
from jp_tui.view.questions import inbox_lines as words
from jp_tui.view.questions import people
from jp_tui.view.questions.inbox import InboxState
from jp_tui.view.questions.offered_prompt import is_outside, offer_of, prompt_of
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.questions.people import PEOPLE
from jp_tui.view.questions.queue import NONE, Key, key_of


class InboxController:
    """Keeps the inbox up to date and carries out the user's actions on a question.

    `widget` posts the messages and runs the timers; `changed` is called after the user changed the inbox.
    """

    @dataclass
    class Notice(Message):
        """A short text for the last line."""

        words: Content

    @dataclass
    class TurnEnded(Message):
        """A turn ended that the user had resumed in the background."""

        ended: ev.TurnCompleted
        title: Foreign

    @dataclass
    class Unsnoozed(Message):
        """A snoozed question waits again."""

        key: Key

    def __init__(
        self,
        widget: Widget,
        *,
        column: ConversationColumn,
        snoozes: SnoozeStore,
        send: Callable[[cmd.Command], None],
        clock: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        self._widget, self._column, self._snoozes = widget, column, snoozes
        self._send, self._clock, self._changed = send, clock, changed
        self._inbox = InboxState()
        self._following = self._requested = False
        self._wanted = NONE  # a requested question of another conversation, until it comes
        self._next_due: Timer | None = None
        self._background: set[str] = set()  # conversations that the user resumed in the background
        self._offers: dict[Key, PromptRequest] = {}  # questions of another process that are asked here as well

    @property
    def inbox(self) -> InboxState:
        """The current state of the inbox."""
        return self._inbox

    # -- events of the engine

    def apply(self, event: ev.Event, now: float) -> None:
        """Take an event of any conversation."""
        before, self._inbox = self._inbox, self._inbox.apply(event, now)
        match event:
            case ev.WaitingListed(arrive=arrive):
                self._listed(arrive)
            case ev.OfferSettled():
                self._offer_settled(event)
            case ev.PromptChanged(conversation=conversation, inquiry=inquiry):
                if (prompt := self._inbox.prompts.get((conversation, inquiry))) is not None:
                    self._column.people_changed(prompt)
            case ev.ConversationOpened(conversation=conversation):
                self._background.discard(conversation)  # it is visible now
                self.request()
            case ev.TurnCompleted(conversation=conversation) if conversation in self._background:
                self._background.discard(conversation)
                title = self._inbox.titles.get(conversation, Foreign(""))
                who = foreign(title, mode="line", limit=40)
                self._notify(ours(words.ENDED[event.outcome], who=who))
                self._widget.post_message(self.TurnEnded(event, title))
            case ev.Refused(command="carry_on"):
                self._wanted = NONE
            case _:
                pass
        if self._inbox is not before:
            self._schedule()

    def _notify(self, words: Content) -> None:
        self._widget.post_message(self.Notice(words))

    def _listed(self, arrive: str) -> None:
        """Close the offers that are no longer listed: they were answered elsewhere."""
        requested, self._requested = self._requested, False
        listed = {(one.conversation, one.inquiry) for one in self._inbox.elsewhere}
        for key in [key for key in self._offers if key not in listed]:
            self._drop_offer(key)
            self._column.remove_settled(key)
        self._renew_offers()
        if arrive != "inbox":
            self._show_new(unfolds=arrive == "sheet")
        if requested and not self._following and not self._held:
            self._send(cmd.WatchWaiting(on=False))

    def _renew_offers(self) -> None:
        """Show which people the questions of other processes ask now."""
        for one in self._inbox.elsewhere if self._offers else ():
            key = one.conversation, one.inquiry
            before = self._offers.get(key)
            now = {name: getattr(one, name) for name in PEOPLE}
            if before is not None and any(getattr(before, name) != value for name, value in now.items()):
                self._offers[key] = before.model_copy(update=now)
                self._column.people_changed(self._offers[key])

    def _show_new(self, *, unfolds: bool) -> None:
        """Show new questions of other programs, folded to a line or open (N6)."""
        for one in self._inbox.elsewhere:
            key = one.conversation, one.inquiry
            if one.asker is not None and key not in self._offers and (prompt := prompt_of(one)) is not None:
                prompt = prompt.model_copy(update={"unfolds": unfolds})
                self._offers[key] = prompt
                self._column.ask(prompt)

    def request(self) -> None:
        """Request once the open questions of other conversations."""
        if not self._following:
            self._requested = True
            self._send(cmd.WatchWaiting())

    def follow(self, on: bool) -> None:
        """Follow the open questions of other conversations, or stop and request them one last time."""
        self._following = on
        if on:
            self._send(cmd.WatchWaiting())
        else:
            self.request()

    # -- questions of another process

    def _offer(self, key: Key) -> None:
        """Ask a question of another process here; the answer is offered to that process (S12)."""
        entry = next(one for one in self._inbox.elsewhere if (one.conversation, one.inquiry) == key)
        prompt, who = prompt_of(entry), foreign(Foreign(words.short(entry.held_by)), mode="line", limit=40)
        recorded = not entry.held_by and entry.asker is None
        if recorded and (listed := self._inbox.get(key)) is not None:
            who = foreign(Foreign(words.goes_on(listed)), mode="line", limit=60)
        if prompt is None:
            self._notify(ours(words.ANSWER_IN if recorded else words.ANSWER_THERE, who=who))
            return
        if not self._offers and entry.asker is None:
            self._send(cmd.WatchWaiting())
        self._offers[key] = prompt
        if entry.asker is None:
            self._notify(ours(words.RECORDED if recorded else words.OFFERED, who=who))
        self._column.ask(prompt)
        self._column.turn_to_new(key)

    def _offer_settled(self, settled: ev.OfferSettled) -> None:
        """Show the result of an offered answer: the first one wins, others learn whose it was (E53)."""
        key = next((key for key in self._offers if key[1] == settled.inquiry), NONE)
        if key == NONE:
            return
        if settled.status == "accepted":
            self._column.remove_settled(key)
        elif settled.status == "counted":
            self._column.remove_settled(key)
            if settled.approvals is not None:
                counted = Foreign(people.approvals_text(settled.approvals))
                self._notify(ours(people.COUNTED, approvals=foreign(counted, mode="line", limit=120)))
        else:
            still_open = settled.status in ("invalid", "no_reaction", "claimed")
            by = elsewhere(settled.by) if settled.by else ""
            self._column.refused(key, settled.message, not still_open, by)
            if still_open:
                return
        self._drop_offer(key)

    @property
    def _held(self) -> bool:
        """True if a question of another process of ours is asked here: they are followed as long."""
        return any(not is_outside(prompt) for prompt in self._offers.values())

    def _drop_offer(self, key: Key) -> None:
        gone = self._offers.pop(key)
        if not is_outside(gone) and not self._held and not self._following:
            self.request()

    def handed_over(self, key: Key) -> None:
        """Stop asking a question of another process that another person has now; one of this process stays open, and
        the engine reports whom it asks."""
        if key in self._offers:
            self._column.handed_over(key)
            self._drop_offer(key)

    def answer(self, settled: SheetDock.Settled) -> None:
        """Send an answer to each of its questions, or offer it to the process that asked."""
        if (prompt := self._offers.get((settled.conversation, settled.inquiry))) is not None:
            if (offer := offer_of(prompt, settled.response)) is not None:
                self._send(offer)
            return
        for conversation, inquiry in ((settled.conversation, settled.inquiry), *settled.also):
            self._send(
                cmd.AnswerQuestion(
                    conversation=conversation, inquiry=inquiry, digest=settled.digest, response=settled.response
                )
            )

    # -- questions that are asked here

    def ask(self, prompt: PromptRequest, draft: str) -> None:
        """Show a question with its draft, snoozed if it was when the program ended."""
        key, (text, snoozed, seconds) = key_of(prompt), self._snoozes.asked(prompt, draft)
        if text:
            self._column.dock.restore_draft(key, text)
        if snoozed and key != self._wanted and self._column.put_off(prompt):
            now = self._clock()
            self._inbox = self._inbox.put_off(key, None if seconds is None else now + seconds, now)
            self._schedule()
        self._column.ask(prompt)
        if key == self._wanted:
            self._wanted = NONE
            self._column.turn_to_new(key)

    def shown(self, key: Key, digest: str) -> bool:
        """Note that a question is on the screen. Return True if that changed the inbox."""
        before, self._inbox = self._inbox, self._inbox.shown(key, digest)
        return before is not self._inbox

    # -- actions of the user

    def jump(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """Go to a question. One of a conversation that isn't open is resumed first, in the background.

        The answer is for all of `alike` as well.
        """
        if key in self._inbox.prompts:
            self._inbox = self._inbox.back(key)
            self._snoozes.unsnooze(key)
            self._column.open_question(key, alike)
            self._schedule()
            self._changed()
        elif (entry := self._inbox.get(key)) is not None and entry.away:
            self._offer(key)
        elif entry is not None:
            self._wanted = key
            who = foreign(entry.title or entry.who, mode="line", limit=40)
            self._notify(ours(words.TAKEN_UP, who=who))
            self._background.add(entry.goes_on)
            self._send(cmd.CarryOn(conversation=key[0]))

    def snooze(self, key: Key, seconds: float | None) -> None:
        """Hide a question for so long, or with None until nothing else waits; it stays in the inbox."""
        prompt = self._inbox.prompts.get(key)
        if prompt is not None and self._column.put_off(prompt):
            now = self._clock()
            self._inbox = self._inbox.put_off(key, None if seconds is None else now + seconds, now)
            self._snoozes.snooze(prompt, seconds)
            self._schedule()
            self._changed()

    def unsnooze(self, key: Key) -> None:
        """Let a snoozed question wait like any other."""
        if key in self._inbox.off:
            self._inbox = self._inbox.back(key)
            self._snoozes.unsnooze(key)
            self._column.dock.bring_back(key)
            self._widget.post_message(self.Unsnoozed(key))
            self._schedule()
            self._changed()

    def unsnooze_due(self) -> None:
        """Unsnooze questions whose time is over."""
        for key in self._inbox.over(self._clock()):
            self.unsnooze(key)
        self._schedule()

    def _schedule(self) -> None:
        if self._next_due is not None:
            self._next_due.stop()
            self._next_due = None
        if (due := self._inbox.due) is not None:
            self._next_due = self._widget.set_timer(max(due - self._clock(), 0.001), self.unsnooze_due)
