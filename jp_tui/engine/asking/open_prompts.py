"""Open prompts of one turn: each as reported to the front ends, its start and its deadline (R116, R243).

It reports to front ends and deletes obsolete drafts. Answers go to the coordinator, which decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.engine.asking.prompt_builder import Ask, PromptContext, people_shown, prompt
from jp_tui.engine.base.people import answerer
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.people import standing
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import CallChanged, PromptChanged, QuestionAsked, QuestionSettled
from jp_tui.protocol.values import CallState, PromptRequest


class OpenPrompts:
    """`passed` is called when a question's deadline is over."""

    def __init__(self, log: Log, passed: Callable[[v.Input], None]) -> None:
        self._log, self._passed = log, passed
        self._asked_at: dict[str, float] = {}
        self._shown: dict[str, PromptRequest] = {}
        self._deadlines: dict[str, asyncio.TimerHandle] = {}
        self._drafts: dict[str, str] | None = None

    def __iter__(self) -> Iterator[PromptRequest]:
        return iter(self._shown.values())

    def get(self, inquiry: str) -> PromptRequest | None:
        """Return the open prompt with this id."""
        return self._shown.get(inquiry)

    def ask(self, ask: Ask, asker: PromptContext, call: PromptContext) -> None:
        """Show it to the user. `asker` asks, and `call` waits for it: a different one if it runs a sub-agent."""
        log, opened = self._log, ask.open
        self._asked_at[opened.inquiry] = log.setup.monotonic()
        match ask:
            case s.AskHuman() | s.AskReview():
                self.report_call(opened.call, call, "awaiting_input")
            case s.AskPermission():
                self.report_call(opened.call, call, "awaiting_permission")
            case s.AskDelivery():
                self.report_call(opened.call, call, "awaiting_result_edit")
        yours = not isinstance(ask, s.AskHuman) or self._yours(ask.open)
        made = self._shown[opened.inquiry] = prompt(log, ask, asker, yours=yours)
        if self._drafts is None:
            self._drafts = self._kept()
        log.publish(QuestionAsked(conversation=log.id, prompt=made, draft=self._drafts.get(opened.inquiry, "")))
        self._until(ask)

    def change(self, opened: v.OpenQuestion, why: str) -> None:
        """Report that people approved it, or that it was handed over."""
        if (shown := self._shown.get(opened.inquiry)) is not None:
            told = people_shown(opened, yours=self._yours(opened))
            self._update(shown, {"to": "", "approvals": None, "yours": True, **told}, why)

    def look(self, claims: Mapping[str, str]) -> None:
        """Report which other person looks at each open question, by its inquiry (store.md D16)."""
        for shown in list(self._shown.values()):
            if (by := claims.get(shown.inquiry, "")) != shown.claimed_by:
                self._update(shown, {"claimed_by": by})

    def _update(self, shown: PromptRequest, said: dict[str, Any], why: str = "") -> None:
        made = shown.model_copy(update={**said, **({"why": why} if why else {})})
        self._shown[shown.inquiry] = made
        self._log.publish(
            PromptChanged(
                conversation=self._log.id,
                inquiry=shown.inquiry,
                to=made.to,
                claimed_by=made.claimed_by,
                approvals=made.approvals,
                yours=made.yours,
                why=why,
            )
        )

    def _yours(self, opened: v.OpenQuestion) -> bool:
        """True if the user of this process may answer it."""
        if opened.asked.anyone:
            return True
        with suppress(JournalError):
            me = answerer(self._log.setup, self._log.owner())
            return me is not None and standing(opened.asked, me.people, me.name).may
        return False

    def elsewhere(self, ask: Ask, call: PromptContext) -> None:
        """Record that this sub-agent's parent shows it."""
        self.report_call(ask.open.call, call, "awaiting_input")
        self._until(ask)

    def _until(self, ask: Ask) -> None:
        """Start its deadline, which belongs to the machine that decides (R243)."""
        if not isinstance(ask, s.AskHuman) or ask.open.asks or (seconds := ask.open.rule.deadline_secs) is None:
            return
        passed = v.DeadlinePassed(ask.open.inquiry)
        self._deadlines[ask.open.inquiry] = asyncio.get_running_loop().call_later(seconds, self._passed, passed)

    def again(self) -> None:
        """Report it to a new front end."""
        drafts = self._kept() if self._shown else {}
        for waiting in self._shown.values():
            draft = drafts.get(waiting.inquiry, "")
            self._log.publish(QuestionAsked(conversation=self._log.id, prompt=waiting, draft=draft))

    def _kept(self) -> dict[str, str]:
        """Return the drafts; if they can't be read, the question is asked nonetheless."""
        with suppress(JournalError):
            return self._log.setup.journal.drafts(self._log.id)
        return {}

    def close_settled(self, inquiry: str, how: s.How, by: str) -> None:
        """Close it."""
        log = self._log
        self._asked_at.pop(inquiry, None)
        if (timer := self._deadlines.pop(inquiry, None)) is not None:
            timer.cancel()
        if self._shown.pop(inquiry, None) is not None:
            log.setup.journal.clear_draft(log.id, inquiry)  # ids repeat in another turn (R29), drafts must not
        log.publish(QuestionSettled(conversation=log.id, inquiry=inquiry, how=how, by=by))

    def since(self, inquiry: str) -> int | None:
        """Return the milliseconds since the question was shown to the user."""
        began = self._asked_at.get(inquiry)
        return None if began is None else int((self._log.setup.monotonic() - began) * 1000)

    def close(self) -> None:
        """Cancel all deadlines."""
        for timer in self._deadlines.values():
            timer.cancel()

    def report_call(self, call: str, about: PromptContext, state: CallState) -> None:
        """Report a call's state."""
        log = self._log
        log.publish(
            CallChanged(
                conversation=log.id,
                turn=log.turn,
                call=call,
                tool=about.tool,
                state=state,
                title=Foreign(about.subject),
                hidden=about.setup.hidden,
                agent=about.agent,
            )
        )
