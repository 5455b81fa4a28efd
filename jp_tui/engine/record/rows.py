"""Convert a conversation's row to the protocol's form; decides nothing."""

from __future__ import annotations

from jp_tui.conversation.text import Foreign
from jp_tui.journal.port import ConversationRow
from jp_tui.protocol.values import ConversationInfo


def conversation_info(row: ConversationRow) -> ConversationInfo:
    """Return the row in the protocol's form."""
    return ConversationInfo(
        id=row.id,
        title=Foreign(row.title),
        workspace=row.workspace,
        model=row.model,
        created=row.created,
        updated=row.updated,
        events=row.events,
        turns=row.turns,
        parent=row.parent or "",
        archived=row.archived,
        deleted=row.deleted,
        forked_from=row.origin or "",
        forked_at=row.copied if row.origin else 0,
        imported_from=row.imported or "",
        titled=row.titled,
        machine=row.machine,
    )
