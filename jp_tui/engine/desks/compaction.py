"""The desk for compacting a conversation by hand (context.md K23). It decides nothing; a conversation that isn't open
is opened for that alone."""

from __future__ import annotations

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.compaction import CompactConversation, Compacted

PATIENCE_SECONDS = 2.0


def desk(context: DeskContext) -> Desk:
    """It may take as long as a model."""

    async def compact(command: CompactConversation) -> None:
        if (session := context.sessions.get(command.conversation)) is not None:
            await session.compact(command.focus, undo=command.undo)
            return
        row = context.setup.journal.conversation(command.conversation)
        if row is None:
            context.unknown(command.type, command.conversation)
            return
        session = await context.resume(row)
        try:
            if session.mine:
                await session.compact(command.focus, undo=command.undo)
            else:
                words = f"This conversation is being written by {session.held_by}."
                context.publish(Compacted(conversation=row.id, message=words))
        finally:
            await session.close(PATIENCE_SECONDS)

    return Desk(beside={CompactConversation: compact})
