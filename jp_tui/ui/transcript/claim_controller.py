"""Looking at a question that several people can answer, and handing it over (store.md D16).

While its sheet is open, others see that the user looks at it; the claim is renewed, and ends with the sheet. Whom a
question may be handed over to is asked of the engine when the user wants to.
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
from jp_tui.protocol.people import ClaimSettled, PeopleListed
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.text import foreign, ours
from jp_tui.view.questions import people
from jp_tui.view.questions.queue import NONE, Key, key_of

RENEW = 240.0
"""Seconds between two renewals of a claim, which lasts 10 minutes."""


class ClaimController:
    """The claim on the question of the open sheet, and the question that is handed over."""

    @dataclass
    class Choose(Message):
        """Let the user choose one of these; `chosen` takes it, or None."""

        names: dict[str, str]
        chosen: Callable[[str | None], None]

    def __init__(
        self, widget: Widget, *, send: Callable[[cmd.Command], None], notify: Callable[[Content], object],
        handed_over: Callable[[Key], None],
    ) -> None:  # fmt: skip
        """`widget` posts the messages and runs the timer; `handed_over` is called with a question that another person
        has now."""
        self._widget, self._send, self._notify, self._handed_over = widget, send, notify, handed_over
        self._claimed = self._choosing = self._handing = NONE
        self._timer: Timer | None = None

    # The claim

    def shown(self, prompt: PromptRequest | None) -> None:
        """The sheet of a question takes keys: say that the user looks at it, if others could answer it, too."""
        if prompt is not None and _claimable(prompt) and key_of(prompt) != self._claimed:
            self.turned(None)
            self._claimed = key_of(prompt)
            self._renew()

    def turned(self, prompt: PromptRequest | None) -> None:
        """Another question is open, or none, or it asks other people now."""
        before = self._claimed
        if before == NONE or (prompt is not None and key_of(prompt) == before and _claimable(prompt)):
            return
        self._claimed = NONE
        if self._timer is not None:
            self._timer.stop()
        self._send(cmd.ClaimInquiry(conversation=before[0], inquiry=before[1], release=True))

    def _renew(self) -> None:
        if self._claimed != NONE:
            self._send(cmd.ClaimInquiry(conversation=self._claimed[0], inquiry=self._claimed[1]))
            self._timer = self._widget.set_timer(RENEW, self._renew)

    # Handing over

    def hand_over(self, key: Key) -> None:
        """Ask for the people and groups to which this question can go."""
        self._choosing = key
        self._send(cmd.ListPeople())

    def apply(self, event: ev.Event) -> None:
        """Take an event of the engine."""
        match event:
            case PeopleListed() if self._choosing != NONE:
                names = people.choices(event)
                if names:
                    self._widget.post_message(self.Choose(names, self._chosen))
                else:
                    self._choosing = NONE
                    self._notify(ours(people.ALONE))
            case ClaimSettled(inquiry=inquiry) if self._handing[1] == inquiry and event.status not in LOOKING:
                key, self._handing = self._handing, NONE
                self._notify(foreign(Foreign(event.message), mode="line", limit=160))
                if event.status == "assigned":
                    self._handed_over(key)
            case ev.Refused(command="list_people" | "claim_inquiry"):
                if self._choosing != NONE or self._handing != NONE:
                    self._notify(foreign(Foreign(event.message), mode="line", limit=160))
                self._choosing = self._handing = NONE
            case _:
                pass

    def _chosen(self, to: str | None) -> None:
        key, self._choosing = self._choosing, NONE
        if to is not None and key != NONE:
            self._handing = key
            self._send(cmd.ClaimInquiry(conversation=key[0], inquiry=key[1], to=to))


LOOKING = ("claimed", "released", "taken")
"""Results of a claim, none of a hand-over."""


def _claimable(prompt: PromptRequest) -> bool:
    """Return True if others could answer it too, and none of them looks at it."""
    asks = bool(prompt.to) or prompt.approvals is not None
    return prompt.kind == "question" and prompt.yours and asks and not prompt.claimed_by
