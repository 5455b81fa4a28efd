"""Search in all conversations: their titles, and the texts of their events by the index, with a line for each hit.

In slices, so that the engine's loop isn't blocked; a later search cancels an earlier one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.desks.upkeep import Upkeep, sound
from jp_tui.engine.record.rows import conversation_info
from jp_tui.engine.record.snippets import Marker
from jp_tui.journal.fts_query import terms
from jp_tui.journal.port import ConversationRow, Hits, Shown
from jp_tui.protocol.library import ConversationsFound, Found, Hit, SearchConversations

SLICE_SECONDS = 0.02
TITLES = 20_000
MOST, MOST_HITS = 500, 50
NO_INDEX = (
    "Only titles are searched because this Python's SQLite has no FTS5. Use a Python from python.org, uv or your "
    "system's packages has it."
)


@dataclass(slots=True)
class _Both:
    """Conversation found by its title, its texts, or both."""

    row: ConversationRow
    title: bool = False
    hits: Hits | None = None


class SearchDesk:
    """Handles SearchConversations."""

    def __init__(self, setup: EngineDependencies, upkeep: Upkeep) -> None:
        self._setup, self._upkeep = setup, upkeep
        self._latest = 0

    async def search(self, command: SearchConversations) -> ConversationsFound | None:
        """Return the results; None if a later search replaced it. Raises JournalError."""
        self._latest += 1
        mine = self._latest
        return await sound(self._setup, lambda: self._searched(command, mine))

    async def _searched(self, command: SearchConversations, mine: int) -> ConversationsFound | None:
        journal = self._setup.journal
        if command.whole:
            await self._upkeep.whole(command.job)
        else:
            await self._upkeep.recent()
            self._upkeep.start()
        limit, hits = min(max(command.limit, 1), MOST), min(max(command.hits, 1), MOST_HITS)
        shown: Shown = "all" if command.archived else "active"
        here = command.workspace or None
        found = journal.search(command.text, limit=limit, hits=hits, shown=shown, workspace=here)
        over = False
        while not over:
            over = found.run_for(SLICE_SECONDS)
            await asyncio.sleep(0)
            if mine != self._latest:
                return None
        marker = Marker(terms(command.text))
        rows = journal.conversations(here, limit=TITLES, shown=shown)
        both = {row.id: _Both(row, title=True) for row in rows if marker.fits(row.title)}
        for one in found.found():
            both.setdefault(one.row.id, _Both(one.row)).hits = one
        ordered = sorted(both.values(), key=lambda one: (one.title, one.row.updated), reverse=True)
        return ConversationsFound(
            text=command.text,
            revision=command.revision,
            found=tuple(self._result(one, marker, hits) for one in ordered[:limit]),
            more=found.more or len(ordered) > limit,
            unindexed=journal.unindexed() if journal.can_search() else 0,
            notice="" if journal.can_search() else NO_INDEX,
        )

    def _result(self, one: _Both, marker: Marker, most: int) -> Found:
        hits: list[Hit] = []
        if one.title:
            title = Foreign(one.row.title)
            hits.append(Hit(seq=0, turn=0, kind="title", text=title, marks=marker.marks(one.row.title)))
        places = one.hits.places if one.hits is not None else ()
        for seq in places:
            for stored in self._setup.journal.read(one.row.id, seq - 1, 1):
                line, marks = marker.line(stored.entry.text)
                entry = stored.entry
                hits.append(
                    Hit(seq=seq, turn=entry.turn, kind=entry.kind, at=entry.at, text=Foreign(line), marks=marks)
                )
        more = (one.hits.more if one.hits is not None else False) or len(hits) > most
        return Found(info=conversation_info(one.row), hits=tuple(hits[:most]), more=more)
