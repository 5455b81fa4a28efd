"""Messages queued for after the running turn: stored on disk as a draft, sent one by one as turns succeed.

A turn that failed, was interrupted or waits for an answer pauses the queue; the user continues it. A message is removed
only after its turn began, and never dropped without a request.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field

from jp_tui.engine.desks.image_reading import send_with_images
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

RESTORED = "kept from before"
HELD = {
    "failed": "the turn before it failed",
    "interrupted": "you ended the turn before it",
    "deferred": "the turn before it waits for an answer",
}
NOT_TAKEN = "it could not be sent"


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
    takes = (QueueTurn, TakeQueued, SendQueued, ReadQueue)
    return Desk(beside=dict.fromkeys(takes, queues.handle), close=queues.close)


class _Queues:
    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._queues: dict[str, _Queue] = {}

    async def handle(self, command: QueueTurn | TakeQueued | SendQueued | ReadQueue) -> None:
        """Handle one command at a time for each queue. Raises JournalError, ValueError."""
        id_ = command.conversation
        session = self._context.sessions.get(id_)
        if session is None or session.held_by:
            raise ValueError("That conversation is not open here for writing.")
        queue = self._queue(session)
        async with queue.at_work:
            match command:
                case QueueTurn():
                    await self._add(session, queue, command)
                case TakeQueued(id=wanted, drop=drop):
                    await self._take(session, queue, wanted, drop)
                case SendQueued():
                    queue.held = ""
                    await self._go_on(session, queue)
                case ReadQueue():
                    self._tell(id_, queue)
        self._watch(session, queue)

    async def close(self) -> None:
        watching = [one.watching for one in self._queues.values() if one.watching is not None]
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

    def _queue(self, session: Session) -> _Queue:
        """Return the queue; one from an earlier run is paused until the user continues it."""
        if session.id not in self._queues:
            kept: list[QueuedMessage] = []
            with suppress(JournalError):
                kept = _read(self._context.setup.journal.drafts(session.id).get(QUEUE, ""), session.log.turn)
            self._queues[session.id] = _Queue(kept, RESTORED if kept and not _busy(session) else "")
        queue = self._queues[session.id]
        if not _busy(session) and queue.watching is None and queue.messages and not queue.held:
            queue.held = RESTORED  # the conversation was closed and opened again
        return queue

    async def _add(self, session: Session, queue: _Queue, command: QueueTurn) -> None:
        if not command.text.strip():
            raise ValueError("There is nothing to send.")
        text = storable(command.text)
        message = QueuedMessage(id=queue.next_id, text=text, attachments=command.attachments)
        ahead = command.first and not _busy(session)
        queue.messages.insert(0 if ahead else len(queue.messages), message)
        if not _busy(session):
            queue.held = ""
        await self._keep(session.id, queue)
        await self._go_on(session, queue)

    async def _take(self, session: Session, queue: _Queue, wanted: int, drop: bool) -> None:
        message = next((one for one in queue.messages if one.id == wanted), None)
        if message is None:
            raise ValueError("That message was sent already.")
        queue.messages.remove(message)
        if not queue.messages:
            queue.held = ""
        await self._keep(session.id, queue)
        self._context.publish(QueueTaken(conversation=session.id, message=message, dropped=drop))
        self._tell(session.id, queue)

    async def _go_on(self, session: Session, queue: _Queue) -> None:
        """Start the next message's turn, if nothing runs and the queue isn't paused."""
        if queue.messages and not queue.held and not _busy(session):
            message, before = queue.messages[0], session.log.turn
            try:
                await send_with_images(session, message.text, message.attachments)
            except ValueError as problem:  # an image is invalid: nothing was sent
                queue.held = str(problem)
                self._tell(session.id, queue)
                return
            if _busy(session):
                queue.messages.remove(message)
                queue.sent = message, before + 1
                await self._keep(session.id, queue)
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
                        await self._keep(session.id, queue)
                    queue.held = HELD.get(session.outcome, "") if queue.messages else ""
                    await self._go_on(session, queue)
        except JournalError as problem:
            queue.held = str(problem)
            self._tell(session.id, queue)
        finally:
            queue.watching = None

    async def _keep(self, id_: str, queue: _Queue) -> None:
        """Store it before it is shown. Raises JournalError."""
        journal, sent = self._context.setup.journal, queue.sent
        said: list[dict[str, object]] = [{"text": sent[0].text, "turn": sent[1]}] if sent is not None else []
        said += [{"text": one.text, "attachments": list(one.attachments)} for one in queue.messages]
        if said:
            await journal.save_draft(id_, QUEUE, json.dumps(said, ensure_ascii=False))
        else:
            await journal.clear_draft(id_, QUEUE)

    def _tell(self, id_: str, queue: _Queue) -> None:
        self._context.publish(QueueChanged(conversation=id_, messages=tuple(queue.messages), held=queue.held))


def _busy(session: Session) -> bool:
    """True if a turn runs. Evaluated each time: it changes during waits."""
    return session.busy


def _read(text: str, turns: int) -> list[QueuedMessage]:
    """Parse a queue of an earlier run, without messages sent in these turns; text in another form is one message, so
    that nothing typed is lost."""
    if not text:
        return []
    try:
        found = [one for one in json.loads(text) if one.get("turn") is None or one["turn"] > turns]
        said = [(str(one["text"]), tuple(map(str, one.get("attachments", ())))) for one in found]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return [QueuedMessage(id=1, text=text)]
    return [
        QueuedMessage(id=number, text=words, attachments=files)
        for number, (words, files) in enumerate(said, 1)
        if words.strip()
    ]
