"""Conversation of a sub-agent that works for its parent: it starts its task, resumes it, or is ended.

Front ends treat it like any other conversation.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.conversation.reading import read_event
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.recovery.resume_turn import ResumableTurn
from jp_tui.engine.recovery.unattended import waiting_calls
from jp_tui.engine.session.session import Session
from jp_tui.engine.turn.subagent_context import SubagentContext
from jp_tui.inquiry import effects as s


class SubagentSession(Session):
    """Open while the task runs, and afterwards while a front end shows it."""

    async def work(self, task: str) -> None:
        """Start the task, or resume it; a finished one stays finished. Raises JournalError, ValueError."""
        log = self._log
        if not log.turn:
            self._hold()
            self._begin(task)
            return
        cut = await repair_log.unfinished(log)
        if cut is not None and self._child is not None:
            cut = await self._with_parent_answers(cut, self._child)
        self._tell()
        if cut is not None:
            log.total = repair_log.count(log, [])
            stays = await waiting_calls(cut, log.setup, self._checks)
            self._run_turn(cut.text, replace(cut, stays=stays))

    async def _with_parent_answers(self, cut: ResumableTurn, child: SubagentContext) -> ResumableTurn | None:
        """Record answers that were given at its parent's while neither was open."""
        log, agent = self._log, child.agent
        rows = log.setup.journal.turn_events(agent.parent, agent.turn)
        parent = [read_event(stored_event(row).event) for row in rows]
        if not (events := subagent_events.answered(parent, log.id, cut.waits)):
            return cut
        await log.append(events, quiet=True)
        return await repair_log.unfinished(log)

    def _tell(self) -> None:
        """Forward items closed only here to the parent."""
        if self._child is None:
            return
        for pair in pairing.pair(self._log.turn_so_far(self._log.turn)):
            if (response := pair.response) is not None:
                who = None if isinstance(response, ev.InquiryRedacted) else response.responder
                how: s.How = "answered" if isinstance(response, ev.InquiryAnswered) else "cancelled"
                self._child.handler.closed(pair.request.id, how, who.kind if who is not None else "", response)

    def abort(self) -> None:
        """Stop because no one awaits the result any more."""
        self._leaving = True
        if self.busy and self._turn is not None:
            self._turn.abort()

    def over(self) -> None:
        """Detach from its parent: from now on it is a conversation like any other."""
        self._child, self._leaving = None, False
