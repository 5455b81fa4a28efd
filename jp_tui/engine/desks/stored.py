"""Stored data of conversations, read in pages: events, lists, sent prompts; and drafts, which are saved.

Every command takes milliseconds and runs in order; `conversations.py` searches and changes conversations.
"""

from __future__ import annotations

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import draft_allowed
from jp_tui.engine.record.rows import conversation_info
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e


def desk(context: DeskContext) -> Desk:
    """Reads the journal."""
    stored = _Stored(context)
    return Desk(
        in_order={
            c.ReadEvents: stored.events,
            c.ListConversations: stored.conversations,
            c.ReadConversation: stored.conversation,
            c.ReadHistory: stored.history,
            c.SaveDraft: stored.save_draft,
        }
    )


class _Stored:
    def __init__(self, context: DeskContext) -> None:
        self._context, self._journal = context, context.setup.journal

    async def events(self, command: c.ReadEvents) -> None:
        id_, around = command.conversation, command.around
        found = tuple(stored_event(row) for row in self._journal.around(id_, around, command.count))
        self._context.publish(e.EventsRead(conversation=id_, around=around, events=found))

    async def conversations(self, command: c.ListConversations) -> None:
        known = self._journal.conversations(
            command.workspace or None,
            limit=command.limit,
            offset=max(0, command.offset),
            children=command.agents,
            shown=command.which,
        )
        self._context.publish(e.ConversationsListed(conversations=tuple(conversation_info(row) for row in known)))

    async def conversation(self, command: c.ReadConversation) -> None:
        named = command.conversation
        row = self._journal.conversation(named) or self._journal.conversation(named, deleted=True)
        if row is None:
            self._context.unknown(command.type, named)
            return
        rows = self._journal.read(row.id, command.after, command.count)
        found = tuple(stored_event(item) for item in rows)
        more = bool(rows) and rows[-1].seq < row.last_seq
        self._context.publish(e.ConversationRead(info=conversation_info(row), events=found, more=more))

    async def history(self, command: c.ReadHistory) -> None:
        asked = self._journal.last_requests(str(self._context.setup.workspace), command.limit)
        self._context.publish(e.HistoryRead(texts=tuple(item.text for item in reversed(asked) if item.text)))

    async def save_draft(self, command: c.SaveDraft) -> None:
        id_, key, text = command.conversation, command.key, command.text
        if (session := self._context.sessions.get(id_)) is not None:
            session.save_draft(key, text)
        elif not text:
            self._journal.clear_draft(id_, key)
        elif draft_allowed(self._journal, id_, key):  # of a conversation that was just closed
            self._journal.save_draft(id_, key, text)
