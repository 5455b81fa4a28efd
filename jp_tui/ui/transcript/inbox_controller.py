"""The inbox's side of the engine: what waits for the user anywhere, how to get there, and what is snoozed (E51).

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
from jp_tui.view.questions.inbox import InboxState
from jp_tui.view.questions.offered_prompt import prompt_of, words_of
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.questions.queue import NONE, Key, key_of


class InboxController:
    """Keeps the inbox up to date and does what the user wants with a question.

    `widget` posts the messages and runs the timers; `changed` is called after the user changed the inbox.
    """

    @dataclass
    class Notice(Message):
        """A few words for the last line."""

        words: Content

    @dataclass
    class TurnEnded(Message):
        """A turn that the user had continued in the background ended."""

        ended: ev.TurnCompleted
        title: Foreign

    @dataclass
    class Unsnoozed(Message):
        """A question that was snoozed waits again."""

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
        self._wanted = NONE  # a question of another conversation that was requested and isn't there yet
        self._next_due: Timer | None = None
        self._background: set[str] = set()  # conversations that the user had continued in the background
        self._offers: dict[Key, PromptRequest] = {}  # questions of another process that are asked here as well

    @property
    def inbox(self) -> InboxState:
        """What is known now."""
        return self._inbox

    # -- events of the engine

    def apply(self, event: ev.Event, now: float) -> None:
        """Take an event of any conversation."""
        before, self._inbox = self._inbox, self._inbox.heard(event, now)
        match event:
            case ev.WaitingListed():
                self._listed()
            case ev.OfferSettled():
                self._offer_settled(event)
            case ev.ConversationOpened(conversation=conversation):
                self._background.discard(conversation)  # now it is in sight
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

    def _listed(self) -> None:
        """Settle the offers that are no longer listed: they were answered elsewhere."""
        requested, self._requested = self._requested, False
        listed = {(one.conversation, one.inquiry) for one in self._inbox.elsewhere}
        for key in [key for key in self._offers if key not in listed]:
            self._drop_offer(key)
            self._column.settle(key)
        if requested and not self._following and not self._offers:
            self._send(cmd.WatchWaiting(on=False))

    def request(self) -> None:
        """Request once what waits elsewhere."""
        if not self._following:
            self._requested = True
            self._send(cmd.WatchWaiting())

    def follow(self, on: bool) -> None:
        """Follow what waits elsewhere, or stop and request it once more."""
        self._following = on
        if on:
            self._send(cmd.WatchWaiting())
        else:
            self.request()

    # -- questions of another process

    def _offer(self, key: Key) -> None:
        """Ask here what another process asks; the answer is offered to it (S12)."""
        entry = next(one for one in self._inbox.elsewhere if (one.conversation, one.inquiry) == key)
        prompt, who = prompt_of(entry), foreign(Foreign(words.short(entry.held_by)), mode="line", limit=40)
        if prompt is None:
            self._notify(ours(words.ANSWER_THERE, who=who))
            return
        if not self._offers:
            self._send(cmd.WatchWaiting())
        self._offers[key] = prompt
        self._notify(ours(words.OFFERED, who=who))
        self._column.ask(prompt)
        self._column.turn_to_new(key)

    def _offer_settled(self, settled: ev.OfferSettled) -> None:
        """Show what became of an answer that was offered: the first one wins, others learn whose it was (E53)."""
        key = next((key for key in self._offers if key[1] == settled.inquiry), NONE)
        if key == NONE:
            return
        if settled.status == "accepted":
            self._column.settle(key)
        else:
            still_open = settled.status in ("invalid", "no_reaction")
            by = elsewhere(settled.by) if settled.by else ""
            self._column.refused(key, settled.message, not still_open, by)
            if still_open:
                return
        self._drop_offer(key)

    def _drop_offer(self, key: Key) -> None:
        del self._offers[key]
        if not self._offers and not self._following:
            self.request()

    def answer(self, settled: SheetDock.Settled) -> None:
        """Send an answer to each question that it is for, or offer it to the process that asked."""
        if (prompt := self._offers.get((settled.conversation, settled.inquiry))) is not None:
            if (value := words_of(prompt, settled.response)) is not None:
                self._send(cmd.OfferAnswer(conversation=prompt.conversation, inquiry=prompt.inquiry, value=value))
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

    # -- what the user does

    def jump(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """Go to a question. One of a conversation that isn't open is resumed first, in the background.

        The answer is for all of `alike` as well.
        """
        if key in self._inbox.prompts:
            self._inbox = self._inbox.back(key)
            self._snoozes.unsnooze(key)
            self._column.turn_to(key, alike)
            self._schedule()
            self._changed()
        elif (entry := self._inbox.get(key)) is not None and entry.held_by:
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
            self._column.bring_back(key)
            self._widget.post_message(self.Unsnoozed(key))
            self._schedule()
            self._changed()

    def unsnooze_due(self) -> None:
        """Unsnooze what is due by the clock."""
        for key in self._inbox.over(self._clock()):
            self.unsnooze(key)
        self._schedule()

    def _schedule(self) -> None:
        if self._next_due is not None:
            self._next_due.stop()
            self._next_due = None
        if (due := self._inbox.due) is not None:
            self._next_due = self._widget.set_timer(max(due - self._clock(), 0.001), self.unsnooze_due)
