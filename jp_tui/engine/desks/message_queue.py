"""Messages queued for after the running turn: stored on disk as a draft, sent one by one as turns succeed.

A turn that failed, was interrupted or waits for an answer pauses the queue; the user continues it. A message is removed
only after its turn began, and never dropped without a request.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field

from jp_tui.engine.desks.image_reading import send_message
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.drafts import QUEUE
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.session.session import Session
from jp_tui.journal.port import JournalError
from jp_tui.protocol.composing import (
    QueueChanged,
    QueuedMessage,
    QueueTaken,
    QueueTurn,
    ReadQueue,
    SendQueued,
    TakeQueued,
)
from jp_tui.protocol.events import Event, EventAppended
from jp_tui.tools.port import reasonless

RESTORED = "kept from before"
HELD = {
    "failed": "the previous turn failed",
    "interrupted": "you ended the previous turn",
    "deferred": "the previous turn waits for an answer",
}
NOT_TAKEN = "it couldn't be sent"
NOT_SENT = "not sent, the store doesn't answer"
"""Exact (D12)."""
NOT_SENT_NEWER = "not sent, the store has a newer schema"
_UNSENT = (NOT_SENT, NOT_SENT_NEWER)


@dataclass(slots=True)
class _Queue:
    messages: list[QueuedMessage]
    held: str = ""
    sent: tuple[QueuedMessage, int] | None = None
    """The last sent message and its turn: it is deleted from the disk once that is in the log."""
    at_work: asyncio.Lock = field(default_factory=asyncio.Lock)
    watching: asyncio.Task[None] | None = None

    @property
    def next_id(self) -> int:
        return max((one.id for one in self.messages), default=0) + 1


def desk(context: DeskContext) -> Desk:
    """Serves the queues of the open conversations."""
    queues = _Queues(context)
    context.listeners.append(queues.hear)
    takes = (QueueTurn, TakeQueued, SendQueued, ReadQueue)
    context.returns.append(queues.store_back)
    return Desk(beside=dict.fromkeys(takes, queues.handle), close=queues.close)


class _Queues:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._queues: dict[str, _Queue] = {}
        self._reasonless: set[tuple[str, str]] = set()
        self._telling: set[asyncio.Task[None]] = set()

    def hear(self, event: Event) -> None:
        """Queue the reason of a no that an agent didn't get (N42)."""
        if not isinstance(event, EventAppended) or (session := self._context.sessions.get(event.conversation)) is None:
            return
        told = event.stored.event
        key = (event.conversation, str(told.get("id")))
        if told.get("type") == "tool_call_request":
            setup = session.log.setup.tools.get(str(told.get("name")))
            if setup is not None and reasonless(setup.tool):
                self._reasonless.add(key)
        elif told.get("type") == "tool_call_response" and key in self._reasonless:
            self._reasonless.discard(key)
            about = told.get("metadata")
            said = about.get("permission") if isinstance(about, dict) else None
            if not isinstance(said, dict) or (said.get("choice"), said.get("by")) != ("skip", "user"):
                return
            if isinstance(reason := said.get("reason"), str) and reason.strip():
                task = asyncio.get_running_loop().create_task(self._reason(event.conversation, reason))
                self._telling.add(task)
                task.add_done_callback(self._telling.discard)

    async def _reason(self, conversation: str, reason: str) -> None:
        with suppress(JournalError, ValueError):  # it stays in the log
            await self.handle(QueueTurn(conversation=conversation, text=reason))

    async def handle(self, command: QueueTurn | TakeQueued | SendQueued | ReadQueue) -> None:
        """Handle one command at a time for each queue. Raises JournalError, ValueError."""
        id_ = command.conversation
        session = self._context.sessions.get(id_)
        if session is None or session.held_by:
            raise ValueError("This conversation is read-only here.")
        queue = self._queue(session)
        async with queue.at_work:
            match command:
                case QueueTurn():
                    await self._add(session, queue, command)
                case TakeQueued(id=wanted, drop=drop):
                    await self._dequeue(session, queue, wanted, drop)
                case SendQueued():
                    queue.held = ""
                    await self._start_next(session, queue)
                case ReadQueue():
                    self._tell(id_, queue)
        self._watch(session, queue)

    async def store_back(self) -> None:
        """Send what wasn't sent while the store was out of reach (D12)."""
        for id_, queue in [*self._queues.items()]:
            if (session := self._context.sessions.get(id_)) is None or session.held_by:
                continue
            async with queue.at_work:
                with suppress(JournalError):
                    known = {(one.text, one.attachments) for one in queue.messages}
                    kept = _read(session.draft(QUEUE), session.log.turn)
                    found = [one for one in kept if (one.text, one.attachments) not in known]
                    for number, one in enumerate(found, queue.next_id):
                        queue.messages.append(one.model_copy(update={"id": number}))
                if queue.held in _UNSENT:
                    queue.held = ""
                await self._start_next(session, queue)
            self._watch(session, queue)

    async def close(self) -> None:
        watching = [one.watching for one in self._queues.values() if one.watching is not None]
        watching += self._telling
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

    def _queue(self, session: Session) -> _Queue:
        """Return the queue; one from an earlier run is paused until the user continues it."""
        if session.id not in self._queues:
            kept: list[QueuedMessage] = []
            with suppress(JournalError):
                kept = _read(session.draft(QUEUE), session.log.turn)
            self._queues[session.id] = _Queue(kept, RESTORED if kept and not _busy(session) else "")
        queue = self._queues[session.id]
        if not _busy(session) and queue.watching is None and queue.messages and not queue.held:
            queue.held = RESTORED  # the conversation was closed and opened again
        return queue

    async def _add(self, session: Session, queue: _Queue, command: QueueTurn) -> None:
        if not command.text.strip():
            raise ValueError("The message is empty.")
        text = storable(command.text)
        message = QueuedMessage(id=queue.next_id, text=text, attachments=command.attachments, command=command.command)
        ahead = command.first and not _busy(session)
        queue.messages.insert(0 if ahead else len(queue.messages), message)
        if not _busy(session):
            queue.held = ""
        await self._keep(session, queue)
        await self._start_next(session, queue)

    async def _dequeue(self, session: Session, queue: _Queue, wanted: int, drop: bool) -> None:
        message = next((one for one in queue.messages if one.id == wanted), None)
        if message is None:
            raise ValueError("This message is already sent.")
        queue.messages.remove(message)
        if not queue.messages:
            queue.held = ""
        await self._keep(session, queue)
        self._context.publish(QueueTaken(conversation=session.id, message=message, dropped=drop))
        self._tell(session.id, queue)

    async def _start_next(self, session: Session, queue: _Queue) -> None:
        """Start the next message's turn, if nothing runs and the queue isn't paused."""
        if queue.messages and not queue.held and not _busy(session) and self._context.offline():
            found = self._context.setup.journal.connection()
            queue.held = NOT_SENT_NEWER if found is not None and found.newer else NOT_SENT
        if queue.messages and not queue.held and not _busy(session):
            message, before = queue.messages[0], session.log.turn
            try:
                await send_message(session, message.text, message.attachments, command=message.command)
            except ValueError as problem:  # an image or a command is invalid: nothing was sent
                queue.held = str(problem)
                self._tell(session.id, queue)
                return
            if _busy(session):
                queue.messages.remove(message)
                queue.sent = message, before + 1
                await self._keep(session, queue)
            else:
                queue.held = NOT_TAKEN  # the refusal gave the reason
        self._tell(session.id, queue)

    def _watch(self, session: Session, queue: _Queue) -> None:
        if (queue.messages or queue.sent) and _busy(session) and queue.watching is None:
            queue.watching = asyncio.create_task(self._follow(session, queue))

    async def _follow(self, session: Session, queue: _Queue) -> None:
        """While messages wait and a turn runs, continue at its end."""
        try:
            while (queue.messages or queue.sent) and _busy(session):
                await session.finished()
                async with queue.at_work:
                    if self._context.sessions.get(session.id) is not session or _busy(session):
                        if _busy(session):
                            continue
                        return  # closed: the queue is on the disk
                    if queue.sent is not None:
                        queue.sent = None
                        await self._keep(session, queue)
                    queue.held = HELD.get(session.outcome, "") if queue.messages else ""
                    await self._start_next(session, queue)
        except JournalError as problem:
            queue.held = str(problem)
            self._tell(session.id, queue)
        finally:
            queue.watching = None

    async def _keep(self, session: Session, queue: _Queue) -> None:
        """Store it before it is shown. Raises JournalError."""
        sent = queue.sent
        said: list[dict[str, object]] = [{"text": sent[0].text, "turn": sent[1]}] if sent is not None else []
        said += [_kept(one) for one in queue.messages]
        await session.keep_draft(QUEUE, json.dumps(said, ensure_ascii=False) if said else "")

    def _tell(self, id_: str, queue: _Queue) -> None:
        held = queue.held
        self._context.publish(
            QueueChanged(conversation=id_, messages=tuple(queue.messages), held=held, unsent=held in _UNSENT)
        )


def _busy(session: Session) -> bool:
    """True if a turn runs. Evaluated each time: it changes during waits."""
    return session.busy


def _kept(one: QueuedMessage) -> dict[str, object]:
    """A message as it is stored."""
    kept: dict[str, object] = {"text": one.text, "attachments": list(one.attachments)}
    return {**kept, "command": True} if one.command else kept


def _read(text: str, turns: int) -> list[QueuedMessage]:
    """Parse a queue of an earlier run, without messages sent in these turns; text in another form is one message, so
    that nothing typed is lost."""
    if not text:
        return []
    try:
        found = [one for one in json.loads(text) if one.get("turn") is None or one["turn"] > turns]
        said = [
            (str(one["text"]), tuple(map(str, one.get("attachments", ()))), one.get("command") is True) for one in found
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return [QueuedMessage(id=1, text=text)]
    return [
        QueuedMessage(id=number, text=words, attachments=files, command=command)
        for number, (words, files, command) in enumerate(said, 1)
        if words.strip()
    ]
