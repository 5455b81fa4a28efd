"""Calls somebody who does not look (asking.md E50): the window's title, and a notification, the bell or a command.

When is `attention_pace.py`'s, by what means `attention_means.py`'s; this listens to the engine and to the terminal's
focus, keeps one timer while something is untold and none at rest (T24), and never waits for anything (E13). It answers
nothing, opens nothing, and puts no text raw into a sequence (R197).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import events
from textual.content import Content
from textual.timer import Timer

from jp_tui.conversation.text import Foreign
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui.driver.choice import workspace_driver
from jp_tui.ui.driver.replies import TerminalAnswered
from jp_tui.ui.notify.timing import AWAY, TURN, Key, Pace, Presence
from jp_tui.ui.notify.window_title import WindowTitle
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches.private import terminal_of
from jp_tui.view.activity.status import Status

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from jp_tui.protocol import events as ev
    from jp_tui.protocol.values import PromptRequest
    from jp_tui.ui.notify.channels import Answers

SAID = 10.0
"""Seconds for which it is said what was wrong with a call."""
UNSEEN = "Called you after {secs:.0f} s without a key: this terminal does not report its focus"
_TITLE, _TEXT = 120, 400


class Attention:
    """`write` goes to the terminal, `later` sets a timer, `say` puts words in the last line; `clock` is monotonic."""

    def __init__(
        self,
        *,
        wishes: Notify,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        write: Callable[[str], None],
        later: Callable[[float, Callable[[], None]], Timer],
        say: Callable[[Content, float], None],
    ) -> None:
        self._wishes, self._environment = wishes, environment
        self._clock, self._write, self._later, self._say = clock, write, later, say
        self._presence = Presence(always=wishes.when == "always", touched=clock())
        self._pace = Pace(self._presence)
        self._answers: Answers | None = None
        self.title = WindowTitle(write=write) if wishes.title else None
        """What the driver takes away whenever the screen is left."""
        self.ask: Callable[[str], None] | None = None
        """Asks the terminal something about itself; there is none where nobody could take the answer."""
        self._status = Status()
        self._prompts: dict[Key, PromptRequest] = {}
        self._ended: ev.TurnCompleted | None = None
        self._about: Foreign | None = None  # the title of the conversation in which it ended, where that is another
        self._timer: Timer | None = None
        self._at = 0.0  # when it goes off
        self._running: asyncio.Task[None] | None = None
        self._next: tuple[str, str] | None = None
        self._unsaid: list[Content] = []
        self._once: set[str] = set()

    @property
    def rings(self) -> bool:
        """Whether the bell is to be heard at all."""
        return self._wishes.bell

    # -- what happens

    def heard(self, reported: list[ev.Event]) -> None:
        """What the engine reported, in order."""
        from jp_tui.protocol import events as ev

        now = self._clock()
        if self.ask is not None and reported:  # once, after the first frame
            self._ask(self.ask)
        for event in reported:
            match event:
                case ev.QuestionAsked(conversation=conversation, prompt=prompt):
                    self._prompts[conversation, prompt.inquiry] = prompt
                    self._pace.asked((conversation, prompt.inquiry), now)
                case ev.QuestionSettled(conversation=conversation, inquiry=inquiry):
                    self._prompts.pop((conversation, inquiry), None)
                    self._pace.settled((conversation, inquiry))
                case ev.TurnStarted(conversation=conversation) if conversation == self._status.conversation:
                    self._pace.turn_started()
                case ev.TurnCompleted(conversation=conversation) if conversation == self._status.conversation:
                    self._turn_ended(event, now)
        self._schedule()

    def _ask(self, ask: Callable[[str], None]) -> None:
        """What kind of terminal it is, where the environment leaves that open and the answer would be used."""
        from jp_tui.ui.notify.channels import query  # after the first frame

        self.ask = None
        words = query(self._environment)
        if words and self._wishes.desktop == "auto":
            ask(words)

    def ended_elsewhere(self, event: ev.TurnCompleted, title: Foreign) -> None:
        """A turn of another conversation, of this title, ended that the user had go on in the background."""
        self._turn_ended(event, self._clock(), title)
        self._schedule()

    def _turn_ended(self, event: ev.TurnCompleted, now: float, title: Foreign | None = None) -> None:
        """An interrupted one was ended by somebody who was there."""
        long = self._wishes.turn_secs
        if long and event.ms >= long * 1000 and event.outcome != "interrupted":
            self._ended, self._about = event, title
            self._pace.turn_ended(now)

    def comes_due(self, conversation: str, inquiry: str) -> None:
        """A question that was put off waits again: it is told once more."""
        if (conversation, inquiry) in self._prompts:
            self._pace.comes_due((conversation, inquiry), self._clock())
            self._schedule()

    def told(self, status: Status) -> None:
        """What the status line says now."""
        self._status = status
        if self.title is not None:
            self.title.show(status)

    def focused(self, focused: bool) -> None:
        """The terminal reported its focus."""
        self._presence.told(focused)
        if focused:
            self._is_here()
        self._schedule()

    def answered(self, answers: Answers) -> None:
        """What the terminal said of itself. A multiplexer may promise reports that it does not get itself."""
        from jp_tui.ui.notify.channels import multiplexer

        self._answers = answers
        if answers.focus and not multiplexer(self._environment, answers):
            self._presence.reports = True
        self._schedule()

    def touched(self) -> None:
        """A key or a click came."""
        self._presence.key(self._clock())
        if self._unsaid:
            self._is_here()

    def _is_here(self) -> None:
        for words in self._unsaid:
            self._say(words, SAID)
        self._unsaid.clear()

    # -- when to call

    def tick(self) -> None:
        """Look at the clock."""
        self._timer = None
        taken = self._pace.take(self._clock())
        if taken:
            self._call(taken)
        self._schedule()

    def _schedule(self) -> None:
        due = self._pace.due
        if self._timer is not None:
            if due is not None and self._at <= due:
                return  # it looks again then: a timer for each of a thousand questions is dear
            self._timer.stop()
            self._timer = None
        if due is not None:
            self._at = due
            self._timer = self._later(max(due - self._clock(), 0.001), self.tick)

    # -- how

    def _call(self, taken: list[Key]) -> None:
        from jp_tui.ui.notify.channels import plain
        from jp_tui.ui.notify.message import words

        if not self._presence.always and not self._presence.reports:
            self._say_once("focus", ours(UNSEEN, secs=AWAY))
        prompts = [self._prompts[key] for key in taken if key in self._prompts]
        status = self._status if self._about is None else replace(self._status, title=self._about)
        said = words(prompts, self._ended if TURN in taken else None, status, text=self._wishes.text)
        title, text = plain(said[0], _TITLE), plain(said[1], _TEXT)
        if self._wishes.command:
            self._command(title, text)
        else:
            self._terminal(title, text)

    def _terminal(self, title: str, text: str) -> None:
        from jp_tui.ui.notify.channels import chosen, sequence

        for by in chosen(self._wishes.desktop, self._wishes.bell, self._environment, self._answers):
            self._write(sequence(by, title, text, mark=f"jp-tui-{os.getpid()}"))

    def _command(self, title: str, text: str) -> None:
        """One at a time: while it runs the newest call waits, and takes the place of an older one."""
        if self._running is not None:
            self._next = (title, text)
        else:
            self._running = asyncio.get_running_loop().create_task(self._run(title, text))

    async def _run(self, title: str, text: str) -> None:
        from jp_tui.system.notify import call

        try:
            problem = await call(self._wishes.command, title, text, self._environment)
        finally:
            self._running = None
        if problem:  # nobody was called: then as well as the terminal can
            self._terminal(title, text)
            self._say_once("command", ours("notify.command {problem}", problem=foreign(Foreign(problem), mode="line")))
        if self._next is not None:
            following, self._next = self._next, None
            self._command(*following)

    def _say_once(self, what: str, words: Content) -> None:
        """Said when somebody is there to read it."""
        if what not in self._once:
            self._once.add(what)
            self._unsaid.append(words)
            if self._presence.reports and self._presence.focused:
                self._is_here()

    def close(self) -> None:
        """We leave: a command that still runs is ended."""
        if self.title is not None:
            self.title.restore()
        if self._running is not None:
            self._running.cancel()


class Attentive:
    """To be put before `App` in an app's bases, with `attention` set: hears of its keys and of its focus, and rings
    only where the settings say so."""

    attention: Attention

    def on_mount(self: Any) -> None:
        if (driver := workspace_driver(self)) is not None:
            driver.title = self.attention.title
            self.attention.ask = driver.ask

    def on_terminal_answered(self, event: TerminalAnswered) -> None:
        from jp_tui.ui.notify.channels import Answers

        self.attention.answered(Answers(event.version, event.osc99, event.focus))

    def on_app_focus(self) -> None:
        self.attention.focused(True)

    def on_app_blur(self) -> None:
        self.attention.focused(False)

    async def on_event(self: Any, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown, events.Paste)) and not event.is_forwarded:
            self.attention.touched()
        await super().on_event(event)  # type: ignore[misc]

    def _to_terminal(self: Any, sequence: str) -> None:
        if (driver := terminal_of(self)) is not None:
            driver.write(sequence)

    def bell(self: Any) -> None:
        if self.attention.rings:
            super().bell()  # type: ignore[misc]
