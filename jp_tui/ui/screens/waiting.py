"""What waits for the human, in the workspace: the list, where to turn to, what is put off and when it is back (E51).

A part of `Exchange`. The list of other conversations is asked for once when a conversation opens, when the terminal
gets the focus and when the inbox closes, and followed only while the inbox is open: at rest nothing is asked at all.
What is answered goes out as it was said, and to nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.screens.snoozes import Snoozes
from jp_tui.ui.sheets import preload as ahead
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.widgets.column import Column
from jp_tui.view.questions import inbox_lines as words
from jp_tui.view.questions.inbox import Inbox
from jp_tui.view.questions.offered_prompt import prompt_of, words_of
from jp_tui.view.questions.outcome_line import elsewhere
from jp_tui.view.questions.queue import NONE, Key, key_of

MANY, EACH = 50, 0.0008
"""How many may wait before the lists are painted less often, and seconds between two of them for each."""


class Waits(Vertical):
    """Knows what waits, and does what the user wants with it."""

    @dataclass
    class Said(Message):
        """A few words for the last line."""

        words: Content

    @dataclass
    class Ended(Message):
        """A turn that went on in the background by the user's wish is over."""

        ended: ev.TurnCompleted
        title: Foreign

    @dataclass
    class Back(Message):
        """What was put off waits again."""

        key: Key

    column: Column
    snoozes: Snoozes

    def __init__(
        self,
        *,
        send: Callable[[cmd.Command], None],
        clock: Callable[[], float],
        patience: Callable[[], float] = lambda: 0.0,
        id: str | None = None,
    ) -> None:
        """`patience` says for how many seconds a key that is on its way comes first."""
        super().__init__(id=id)
        self._patience = patience
        self._send, self._clock = send, clock
        self._inbox = Inbox()
        self._watched = self._looks = False
        self._wanted = NONE  # asked for in another conversation, and not there yet
        self._returns: Timer | None = None
        self._carried: set[str] = set()  # conversations that go on in the background by the user's wish
        self._offers: dict[Key, PromptRequest] = {}  # held by another process, and asked here all the same
        self._told, self._tells = 0.0, cast(Timer | None, None)
        self._sheets_load = False

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self._window_focused, init=False)

    def tell(self) -> None:
        """What waits has changed."""
        raise NotImplementedError

    @property
    def working(self) -> int:
        """How many sub-agents there are, each of which has calls of its own, and calls that run."""
        raise NotImplementedError

    def soon(self, now: float) -> None:
        """Tell it now; where a lot waits, all of which is listed anew then, not more often than it can be read."""
        many = len(self._inbox.prompts) + 8 * self.working
        wait = self._told + EACH * many - now if many > MANY else 0.0
        if wait <= 0:
            self._tell_unless_keys()
        elif self._tells is None:
            self._tells = self.set_timer(wait, self._tell_unless_keys)

    def _tell_unless_keys(self) -> None:
        """Where a lot waits a key that is on its way is painted first."""
        if self._tells is not None:
            self._tells.stop()
            self._tells = None
        left = self._patience() if len(self._inbox.prompts) + 8 * self.working > MANY else 0.0
        if left > 0:
            self._tells = self.set_timer(left, self._tell_unless_keys)
        else:
            self.tell()

    def told(self) -> None:
        """It is told."""
        self._told = self._clock()
        if self._tells is not None:
            self._tells.stop()
            self._tells = None

    # What is heard

    def hear(self, event: ev.Event, now: float) -> None:
        """An event of any conversation."""
        before, self._inbox = self._inbox, self._inbox.heard(event, now)
        match event:
            case ev.TurnStarted() if not self._sheets_load:
                self._sheets_load = True
                self.set_timer(ahead.BREATH, lambda: ahead.load(self.set_timer))
            case ev.WaitingListed():
                self._listed()
            case ev.OfferSettled():
                self._offered(event)
            case ev.ConversationOpened(conversation=conversation):
                self._carried.discard(conversation)  # it is in sight
                self._look()
            case ev.TurnCompleted(conversation=conversation) if conversation in self._carried:
                self._carried.discard(conversation)
                title = self._inbox.titles.get(conversation, Foreign(""))
                who = foreign(title, mode="line", limit=40)
                self.post_message(self.Said(ours(words.ENDED[event.outcome], who=who)))
                self.post_message(self.Ended(event, title))
            case ev.Refused(command="carry_on"):
                self._wanted = NONE
            case _:
                pass
        if self._inbox is not before:
            self._schedule()

    def _listed(self) -> None:
        """The list came: what is offered and stands in it no longer was answered elsewhere."""
        looked, self._looks = self._looks, False
        still = {(one.conversation, one.inquiry) for one in self._inbox.elsewhere}
        for key in [key for key in self._offers if key not in still]:
            self._over(key)
            self.column.settle(key)
        if looked and not self._watched and not self._offers:
            self._send(cmd.WatchWaiting(on=False))

    def _offer(self, key: Key) -> None:
        """Ask here what another process holds; the answer is offered to it (S12)."""
        told = next(one for one in self._inbox.elsewhere if (one.conversation, one.inquiry) == key)
        prompt, who = prompt_of(told), foreign(Foreign(words.short(told.held_by)), mode="line", limit=40)
        if prompt is None:
            self.post_message(self.Said(ours(words.ANSWER_THERE, who=who)))
            return
        if not self._offers:
            self._send(cmd.WatchWaiting())
        self._offers[key] = prompt
        self.post_message(self.Said(ours(words.OFFERED, who=who)))
        self.column.ask(prompt)
        self.column.wish(key)

    def _offered(self, settled: ev.OfferSettled) -> None:
        """What became of an answer that was offered; the first one wins, and the other is told by whom (E53)."""
        key = next((key for key in self._offers if key[1] == settled.inquiry), NONE)
        if key == NONE:
            return
        if settled.status == "accepted":
            self.column.settle(key)
        else:
            lives = settled.status in ("invalid", "no_reaction")
            by = elsewhere(settled.by) if settled.by else ""
            self.column.refused(key, settled.message, not lives, by)
            if lives:
                return
        self._over(key)

    def _over(self, key: Key) -> None:
        del self._offers[key]
        if not self._offers and not self._watched:
            self._look()

    def asks(self, prompt: PromptRequest, draft: str) -> None:
        """A question is asked here: was it put off before the program was left? Is it the one that the user wanted to
        see?"""
        key, (text, off, seconds) = key_of(prompt), self.snoozes.came(prompt, draft)
        if text:
            self.query_one(SheetDock).restore_draft(key, text)
        if off and key != self._wanted and self.column.put_off(prompt):
            now = self._clock()
            self._inbox = self._inbox.put_off(key, None if seconds is None else now + seconds, now)
            self._schedule()
        self.column.ask(prompt)
        if key == self._wanted:
            self._wanted = NONE
            self.column.wish(key)

    def _window_focused(self, focused: bool) -> None:
        if focused and self.is_attached:
            self._look()

    def _look(self) -> None:
        """What waits elsewhere, once."""
        if not self._watched:
            self._looks = True
            self._send(cmd.WatchWaiting())

    def follow(self, on: bool) -> None:
        """While the inbox is open its list is live; a last look is taken when it closes."""
        self._watched = on
        if on:
            self._send(cmd.WatchWaiting())
        else:
            self._look()

    # What the user wants

    def jump(self, key: Key, alike: tuple[Key, ...] = ()) -> None:
        """To a question: its sheet opens. One of a conversation that is not open is taken up first, in the background;
        with `alike` the answer is given to all of these."""
        if key in self._inbox.prompts:
            self._inbox = self._inbox.back(key)
            self.snoozes.back(key)
            self.column.turn_to(key, alike)
            self._changed()
        elif (entry := self._inbox.get(key)) is not None and entry.held_by:
            self._offer(key)
        elif entry is not None:
            self._wanted = key
            who = foreign(entry.title or entry.who, mode="line", limit=40)
            self.post_message(self.Said(ours(words.TAKEN_UP, who=who)))
            self._carried.add(entry.goes_on)
            self._send(cmd.CarryOn(conversation=key[0]))

    def put_off(self, key: Key, seconds: float | None) -> None:
        """Out of sight for so long, or with None until nothing else waits; it stays in the inbox."""
        prompt = self._inbox.prompts.get(key)
        if prompt is not None and self.column.put_off(prompt):
            now = self._clock()
            self._inbox = self._inbox.put_off(key, None if seconds is None else now + seconds, now)
            self.snoozes.put_off(prompt, seconds)
            self._changed()

    def take_back(self, key: Key) -> None:
        """What was put off waits again."""
        if key in self._inbox.off:
            self._inbox = self._inbox.back(key)
            self.snoozes.back(key)
            self.column.bring_back(key)
            self.post_message(self.Back(key))
            self._changed()

    @on(SheetDock.Shown)
    def _shown(self, event: SheetDock.Shown) -> None:
        event.stop()
        before, self._inbox = self._inbox, self._inbox.shown(event.key, event.digest)
        if before is not self._inbox:
            self.tell()

    @on(Column.Behind)
    def _behind(self, event: Column.Behind) -> None:
        event.stop()
        self.post_message(self.Said(ours(words.WAITS_BEHIND)))

    # What sheets say

    @on(SheetDock.Settled)
    def _answered(self, event: SheetDock.Settled) -> None:
        event.stop()
        if (prompt := self._offers.get((event.conversation, event.inquiry))) is not None:
            if (said_here := words_of(prompt, event.response)) is not None:
                self._send(cmd.OfferAnswer(conversation=prompt.conversation, inquiry=prompt.inquiry, value=said_here))
            return
        for conversation, inquiry in ((event.conversation, event.inquiry), *event.also):
            digest, said = event.digest, event.response
            self._send(cmd.AnswerQuestion(conversation=conversation, inquiry=inquiry, digest=digest, response=said))

    @on(SheetDock.CheckWanted)
    def _check_wanted(self, event: SheetDock.CheckWanted) -> None:
        event.stop()
        here = event.conversation
        self._send(
            cmd.CheckAnswer(conversation=here, inquiry=event.inquiry, revision=event.revision, value=event.value)
        )

    @on(SheetDock.AsideAsked)
    def _aside_asked(self, event: SheetDock.AsideAsked) -> None:
        event.stop()
        self._send(cmd.AskAside(conversation=event.conversation, inquiry=event.inquiry, text=event.text))

    @on(SheetDock.AsideSent)
    def _aside_sent(self, event: SheetDock.AsideSent) -> None:
        event.stop()
        self._send(cmd.SendAside(conversation=event.conversation, inquiry=event.inquiry, send=event.send))

    # What comes back by itself

    def come_back(self) -> None:
        """Look at the clock: is something that was put off back?"""
        for key in self._inbox.over(self._clock()):
            self.take_back(key)
        self._schedule()

    def _changed(self) -> None:
        self._schedule()
        self.tell()

    def _schedule(self) -> None:
        if self._returns is not None:
            self._returns.stop()
            self._returns = None
        if (due := self._inbox.due) is not None:
            self._returns = self.set_timer(max(due - self._clock(), 0.001), self.come_back)
