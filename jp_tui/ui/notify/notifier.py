"""Notify a user who looks elsewhere (asking.md E50): the window's title, and a notification, the bell or a command.

`timing.py` decides when, `channels.py` how. The notifier follows the engine's events and the terminal's focus. It has a
timer only while a notification is due (T24) and waits for nothing (E13). It answers no question and opens nothing, and
no text goes into a terminal sequence unfiltered (R197).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from jp_tui.conversation.text import Foreign
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui.notify.timing import AWAY, TURN, Key, Presence, Schedule
from jp_tui.ui.notify.window_title import WindowTitle
from jp_tui.ui.text import foreign, ours
from jp_tui.view.activity.status import Status

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from jp_tui.protocol import events as ev
    from jp_tui.protocol.values import PromptRequest
    from jp_tui.ui.notify.channels import TerminalFacts

NOTICE_SECONDS = 10.0
"""Seconds for which the last line shows a problem of a notification."""
UNSEEN = "Notified you after {secs:.0f} s without a key press: this terminal doesn't report focus"
_TITLE, _TEXT = 120, 400
"""Bytes of a notification's title and text."""


class Notifier:
    """Notifies the user of one app.

    `write` goes to the terminal, `later` sets a timer, `say` shows a text in the last line for some seconds, and
    `clock` gives monotonic seconds.
    """

    def __init__(
        self,
        *,
        settings: Notify,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        write: Callable[[str], None],
        later: Callable[[float, Callable[[], None]], Timer],
        say: Callable[[Content, float], None],
    ) -> None:
        self._settings, self._environment = settings, environment
        self._clock, self._write, self._later, self._say = clock, write, later, say
        self._presence = Presence(always=settings.when == "always", last_input=clock())
        self._schedule = Schedule(self._presence)
        self._terminal: TerminalFacts | None = None
        self.title = WindowTitle(write=write) if settings.title else None
        """The window's title, which the driver restores whenever the screen is left."""
        self.query_terminal: Callable[[str], None] | None = None
        """Sends the terminal a query about itself; None if an answer couldn't be received."""
        self._status = Status()
        self._prompts: dict[Key, PromptRequest] = {}
        self._ended: ev.TurnCompleted | None = None
        self._ended_title: Foreign | None = None  # of the conversation in which the turn ended, if it is another
        self._timer: Timer | None = None
        self._timer_due = 0.0
        self._running: asyncio.Task[None] | None = None
        self._next: tuple[str, str] | None = None
        self._notices: list[Content] = []
        self._noticed: set[str] = set()

    @property
    def rings(self) -> bool:
        """True if the settings allow the bell."""
        return self._settings.bell

    # -- events

    def handle(self, reported: list[ev.Event]) -> None:
        """Follow the engine's events, in order."""
        from jp_tui.protocol import events as ev

        now = self._clock()
        if self.query_terminal is not None and reported:  # once, after the first frame
            self._query_terminal(self.query_terminal)
        for event in reported:
            match event:
                case ev.QuestionAsked(conversation=conversation, prompt=prompt):
                    self._prompts[conversation, prompt.inquiry] = prompt
                    self._schedule.asked((conversation, prompt.inquiry), now)
                case ev.QuestionSettled(conversation=conversation, inquiry=inquiry):
                    self._prompts.pop((conversation, inquiry), None)
                    self._schedule.closed((conversation, inquiry))
                case ev.TurnStarted(conversation=conversation) if conversation == self._status.conversation:
                    self._schedule.turn_started()
                case ev.TurnCompleted(conversation=conversation) if conversation == self._status.conversation:
                    self._turn_ended(event, now)
        self._set_timer()

    def _query_terminal(self, send: Callable[[str], None]) -> None:
        """Ask which terminal it is, if the environment doesn't say and the answer would be used."""
        from jp_tui.ui.notify.channels import query  # after the first frame

        self.query_terminal = None
        sequence = query(self._environment)
        if sequence and self._settings.desktop == "auto":
            send(sequence)

    def turn_ended_elsewhere(self, event: ev.TurnCompleted, title: Foreign) -> None:
        """Handle the end of a background turn, in another conversation of this title."""
        self._turn_ended(event, self._clock(), title)
        self._set_timer()

    def _turn_ended(self, event: ev.TurnCompleted, now: float, title: Foreign | None = None) -> None:
        """Schedule a notification of a long turn. An interrupted one was ended by the user, who is there."""
        long = self._settings.turn_secs
        if long and event.ms >= long * 1000 and event.outcome != "interrupted":
            self._ended, self._ended_title = event, title
            self._schedule.turn_ended(now)

    def snooze_ended(self, conversation: str, inquiry: str) -> None:
        """Notify again of a question whose snooze is over."""
        if (conversation, inquiry) in self._prompts:
            self._schedule.asked_again((conversation, inquiry), self._clock())
            self._set_timer()

    def show_status(self, status: Status) -> None:
        """Show the status in the window's title."""
        self._status = status
        if self.title is not None:
            self.title.show(status)

    def focus_changed(self, focused: bool) -> None:
        """Handle a focus report of the terminal."""
        self._presence.focus_reported(focused)
        if focused:
            self._show_notices()
        self._set_timer()

    def terminal_answered(self, facts: TerminalFacts) -> None:
        """Use the terminal's answers. A multiplexer may announce focus reports that it doesn't get itself."""
        from jp_tui.ui.notify.channels import multiplexer

        self._terminal = facts
        if facts.focus and not multiplexer(self._environment, facts):
            self._presence.reports = True
        self._set_timer()

    def user_active(self) -> None:
        """Note a key press, a click or a paste."""
        self._presence.active(self._clock())
        if self._notices:
            self._show_notices()

    def _show_notices(self) -> None:
        for notice in self._notices:
            self._say(notice, NOTICE_SECONDS)
        self._notices.clear()

    # -- when to notify

    def tick(self) -> None:
        """Send the notifications that are due now."""
        self._timer = None
        due = self._schedule.take_due(self._clock())
        if due:
            self._notify(due)
        self._set_timer()

    def _set_timer(self) -> None:
        due = self._schedule.due
        if self._timer is not None:
            if due is not None and self._timer_due <= due:
                return  # `tick` sets it again: a timer for each of a thousand questions is expensive
            self._timer.stop()
            self._timer = None
        if due is not None:
            self._timer_due = due
            self._timer = self._later(max(due - self._clock(), 0.001), self.tick)

    # -- how to notify

    def _notify(self, due: list[Key]) -> None:
        from jp_tui.ui.notify.channels import plain

        if not self._presence.always and not self._presence.reports:
            self._notice_once("focus", ours(UNSEEN, secs=AWAY))
        prompts = [self._prompts[key] for key in due if key in self._prompts]
        status = self._status if self._ended_title is None else replace(self._status, title=self._ended_title)
        title, text = _message(prompts, self._ended if TURN in due else None, status, text=self._settings.text)
        title, text = plain(title, _TITLE), plain(text, _TEXT)
        if self._settings.command:
            self._by_command(title, text)
        else:
            self._by_terminal(title, text)

    def _by_terminal(self, title: str, text: str) -> None:
        from jp_tui.ui.notify.channels import choose, sequence

        for channel in choose(self._settings.desktop, self._settings.bell, self._environment, self._terminal):
            self._write(sequence(channel, title, text, mark=f"jp-tui-{os.getpid()}"))

    def _by_command(self, title: str, text: str) -> None:
        """Run the user's command, one at a time. While it runs, only the newest notification waits."""
        if self._running is not None:
            self._next = (title, text)
        else:
            self._running = asyncio.get_running_loop().create_task(self._run(title, text))

    async def _run(self, title: str, text: str) -> None:
        from jp_tui.system.notify import call

        try:
            problem = await call(self._settings.command, title, text, self._environment)
        finally:
            self._running = None
        if problem:  # the command didn't notify, so the terminal does
            self._by_terminal(title, text)
            self._notice_once(
                "command", ours("notify.command {problem}", problem=foreign(Foreign(problem), mode="line"))
            )
        if self._next is not None:
            following, self._next = self._next, None
            self._by_command(*following)

    def _notice_once(self, kind: str, notice: Content) -> None:
        """Show a notice as soon as the user is there to read it, once for each kind."""
        if kind not in self._noticed:
            self._noticed.add(kind)
            self._notices.append(notice)
            if self._presence.reports and self._presence.focused:
                self._show_notices()

    def close(self) -> None:
        """Restore the title and end a command that still runs."""
        if self.title is not None:
            self.title.restore()
        if self._running is not None:
            self._running.cancel()


def _message(
    prompts: list[PromptRequest], turn: ev.TurnCompleted | None, status: Status, *, text: bool
) -> tuple[str, str]:
    """Return the title and text for these questions, or for the end of a turn; without `text` nothing untrusted.

    Both begin with jp-tui's own text. The rest may be untrusted, and the caller filters it.
    """
    title, about = _asked(prompts, status) if prompts or turn is None else _done(turn, status)
    folder = os.path.basename(status.workspace.rstrip("/"))
    return (f"{title} in {folder}" if folder else title, about) if text else (title, "")


def _asked(prompts: list[PromptRequest], status: Status) -> tuple[str, str]:
    """`2 questions wait`, `From fs_modify_file: Apply this change?`. The number is of all that wait."""
    from jp_tui.view.questions.prompt_line import asker, headline  # with the first notification

    number = max(len(prompts), len(status.waiting))
    title = "jp-tui: 1 question is waiting" if number <= 1 else f"jp-tui: {number} questions are waiting"
    return title, f"From {asker(prompts[0])}: {headline(prompts[0])}" if prompts else ""


def _done(turn: ev.TurnCompleted, status: Status) -> tuple[str, str]:
    """`done after 2 m 05 s` with the conversation's title; for a failed turn with the reason."""
    from jp_tui.view.wording.amounts import seconds  # with the first notification

    how = "failed" if turn.outcome == "failed" else "stopped" if turn.outcome == "deferred" else "done"
    about = turn.error.message if turn.error is not None else status.title.raw
    return f"jp-tui: {how} after {seconds(turn.ms / 1000)}", f"About: {about}" if about else ""
