"""Commands for an open conversation: send a message, interrupt, answer, ask side questions, compact it.

One that isn't open is opened to be compacted (context.md K23)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from jp_tui.engine.desks.image_reading import send_message
from jp_tui.engine.desks.port import Desk, DeskContext, Handler
from jp_tui.engine.session.session import Session
from jp_tui.protocol import commands as c
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import Refused

PATIENCE_SECONDS = 2.0
_Work = Callable[[Session, Any], Coroutine[object, object, None]]


def desk(context: DeskContext) -> Desk:
    """All in order: a message sent after an answer follows it."""

    def within(work: _Work) -> Handler:
        async def handle(command: Any) -> None:
            id_ = command.conversation
            if (session := context.sessions.get(id_)) is not None:
                await work(session, command)
                return
            message, advice = f"Conversation {id_} is not open.", "Open it first."
            context.publish(Refused(command=command.type, message=message, advice=advice, conversation=id_))

        return handle

    commands: dict[type[Model], _Work] = {
        c.StartTurn: _start,
        c.InterruptTurn: _interrupt,
        c.AnswerQuestion: _answer,
        c.ReadLedger: _read_ledger,
        c.RevokeEntry: _revoke,
        c.AskAside: _ask_aside,
        c.SendAside: _send_aside,
        c.TakeOver: _take_over,
        c.SetPlanMode: _plan_mode,
        c.SetApprovalMode: _set_mode,
    }

    async def compact(command: c.CompactConversation) -> None:
        if (session := context.sessions.get(command.conversation)) is not None:
            await session.compact(command.focus, undo=command.undo)
        elif (row := context.setup.journal.conversation(command.conversation)) is None:
            context.unknown(command.type, command.conversation)
        else:
            session = await context.resume(row)
            try:
                await session.compact(command.focus, undo=command.undo)
            finally:
                await session.close(PATIENCE_SECONDS)

    in_order = {kind: within(work) for kind, work in commands.items()}
    return Desk(beside={c.CompactConversation: compact}, in_order=in_order)


async def _start(session: Session, command: c.StartTurn) -> None:
    await send_message(session, command.text, command.attachments, command=command.command)


async def _interrupt(session: Session, command: c.InterruptTurn) -> None:
    session.interrupt(command.action, command.text, after_calls=command.after_calls)


async def _answer(session: Session, command: c.AnswerQuestion) -> None:
    session.answer(command)


async def _read_ledger(session: Session, _: c.ReadLedger) -> None:
    await session.ledger.read()


async def _revoke(session: Session, command: c.RevokeEntry) -> None:
    await session.ledger.revoke(command.key)


async def _ask_aside(session: Session, command: c.AskAside) -> None:
    session.asides.ask(session.prompt(command.inquiry), command.text)


async def _send_aside(session: Session, command: c.SendAside) -> None:
    await session.asides.send(command.inquiry, send=command.send)


async def _take_over(session: Session, command: c.TakeOver) -> None:
    session.take_over(command.inquiry)


async def _plan_mode(session: Session, command: c.SetPlanMode) -> None:
    await session.plan_mode(command.on)


async def _set_mode(session: Session, command: c.SetApprovalMode) -> None:
    await session.set_mode(command.mode)
