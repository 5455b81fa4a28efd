"""Questions outside their turns: the record, open ones, checks of an answer, answers from other places."""

from __future__ import annotations

from contextlib import suppress

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.asked_people import open_inquiries
from jp_tui.engine.record.inquiries import listed, waiting
from jp_tui.engine.session.answer_router import AnswerRouter
from jp_tui.engine.session.background import BackgroundSessions
from jp_tui.engine.session.claims import Claims
from jp_tui.engine.session.inbox import InboxFeed
from jp_tui.engine.session.outside import close_ended
from jp_tui.journal.port import JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.questions.reading import read_recorded
from jp_tui.questions.types import AnswerType, SchemaAnswer


def desk(context: DeskContext) -> Desk:
    """Serves the inbox, and conversations that run in the background once they are answered."""
    inquiries = _Inquiries(context)
    return Desk(
        beside={
            c.CheckAnswer: inquiries.check,
            c.OfferAnswer: inquiries.offer,
            c.ClaimInquiry: inquiries.claim,
            c.CarryOn: inquiries.carry_on,
        },
        in_order={
            c.ListInquiries: inquiries.list,
            c.ListPeople: inquiries.people,
            c.WatchWaiting: inquiries.watch,
        },
        close=inquiries.close,
    )


class _Inquiries:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._background = BackgroundSessions(context.setup, context.sessions, context.resume)
        self._answers = AnswerRouter(context.setup, context.checks, context.sessions.get)
        self._claims = Claims(context.setup, self._answers)
        self._inbox = InboxFeed(context.setup, context.publish, context.sessions)
        context.listeners.append(self._inbox.handle)

    async def close(self) -> None:
        self._inbox.close()
        await self._background.close()

    async def check(self, command: c.CheckAnswer) -> None:
        """Report whether a value fits the waiting question."""
        session = self._context.sessions.get(command.conversation)
        shown = session.prompt(command.inquiry) if session is not None else None
        kind = shown.question.answer_type if shown is not None else self._outside(command)
        if isinstance(kind, SchemaAnswer):
            found = await self._context.checks.problems(kind.schema, command.value)
        else:
            why = kind.problem(command.value)
            found = [] if why is None else [("", why)]
        self._context.publish(
            e.AnswerChecked(
                conversation=command.conversation,
                inquiry=command.inquiry,
                revision=command.revision,
                problems=tuple(found),
            )
        )

    def _outside(self, command: c.CheckAnswer) -> AnswerType:
        """Return the answer type of an open question of another program. Raises ValueError for a closed one."""
        for _, request in waiting(self._context.setup.journal, command.conversation):
            if request.id == command.inquiry and request.source.kind == "outside":
                return read_recorded(request.id, request.question).answer_type
        raise ValueError("This question is closed.")

    async def offer(self, command: c.OfferAnswer) -> None:
        settled = await self._answers.offer(command)
        self._context.publish(settled)
        if command.carry_on and settled.status == "accepted" and not settled.outside:
            with suppress(ValueError):  # another process owns it, and resumes it
                await self._background.carry_on(settled.conversation)

    async def claim(self, command: c.ClaimInquiry) -> None:
        try:
            settled = await self._claims.claim(command)
        except JournalError as problem:  # an open sheet sends it by itself: nothing to bother people with
            settled = e.ClaimSettled(status="no_reaction", inquiry=command.inquiry, message=str(problem))
        self._context.publish(settled)

    async def people(self, _: c.ListPeople) -> None:
        self._context.publish(self._claims.people())

    async def carry_on(self, command: c.CarryOn) -> None:
        await self._background.carry_on(command.conversation)

    async def list(self, command: c.ListInquiries) -> None:
        journal, named = self._context.setup.journal, command.conversation
        row = journal.conversation(named) if named else None
        if named and row is None and self._context.sessions.get(named) is None:
            self._context.unknown(command.type, named)
            return
        await close_ended(self._context.setup)
        new = bool(named) and row is None  # open, and nothing is stored of it yet
        of, setup = row.id if row is not None else "", self._context.setup
        if new:
            found = []
        elif command.pending:
            found = open_inquiries(setup, of, every=command.every or bool(of))
        else:
            found = listed(journal, of)
        self._context.publish(e.InquiriesListed(inquiries=tuple(found)))

    async def watch(self, command: c.WatchWaiting) -> None:
        self._inbox.watch(on=command.on)
