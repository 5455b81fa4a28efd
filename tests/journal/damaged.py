"""Stores that are cut or damaged, and what must still be there: every event none of whose pages was touched."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from jp_tui.journal.port import MISSING, NewEvent, Stored
from jp_tui.journal.reader import JournalReader
from jp_tui.journal.repair.pages import DatabasePages
from jp_tui.journal.schema import LAST, SHIFT
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import begin, entry
from tests.limits import LIMIT

PAGE = 4096
Damage = Callable[[Path], None]
"""On the path of a database; its log may lie beside it."""


def long(number: int) -> NewEvent:
    """An event that fills pages of its own."""
    event = entry(number)
    return NewEvent(
        event.kind, event.turn, event.payload + " " * 9_000, at=event.at, text=event.text, lines=event.lines
    )


def fill(journal: SqliteJournal, conversations: int = 3, events: int = 60) -> None:
    """Conversations whose events lie between one another, some of them long."""
    for one in range(conversations):
        begin(journal, f"c{one}", number=one)
    for number in range(1, events + 1):
        for one in range(conversations):
            event = long(number) if number % 20 == one else entry(number, turn=1 + number // 10)
            journal.append(f"c{one}", [event]).result(LIMIT)


def stored(reader: JournalReader, conversations: int = 3) -> dict[tuple[str, int], NewEvent]:
    """All events by conversation and number, but for marks of missing ones."""
    found: list[Stored] = []
    for one in range(conversations):
        found += reader.read(f"c{one}", limit=100_000)
    return {(item.conversation, item.seq): item.entry for item in found if item.entry.kind != MISSING}


class Traced(DatabasePages):
    """Remembers which pages were read."""

    def page(self, number: int) -> bytes:
        self.seen = {*getattr(self, "seen", ()), number}
        return super().page(number)

    def of_events(self) -> Iterator[tuple[tuple[str, int], set[int]]]:
        """Each event with the pages that it lies on; keys are given from 1 to conversations that are named from 0."""
        for number in self.numbers():
            page = self.page(number)
            for slot in range(page[3] << 8 | page[4] if page[0] == 0x0D else 0):
                self.seen = {number}
                head = page[8 + 2 * slot] << 8 | page[9 + 2 * slot]
                cell = self._cell(page, page[0], head) if head else None
                if cell is not None and len(cell.columns) == 11:
                    yield (f"c{(cell.rowid >> SHIFT) - 1}", cell.rowid & LAST), self.seen


def places(path: Path) -> dict[tuple[str, int], set[int]]:
    """The pages of each event in a file whose log is empty."""
    return dict(Traced(path, path.with_name("no log")).of_events())


def whole(found: dict[tuple[str, int], set[int]], touched: set[int]) -> set[tuple[str, int]]:
    """The events of which no page was touched."""
    return {event for event, pages in found.items() if pages.isdisjoint(touched)}


def cut(size: int) -> Damage:
    return lambda path: os.truncate(path, size)


def over(offset: int, data: bytes) -> Damage:
    def damage(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(data)

    return damage


def swapped(one: int, other: int) -> Damage:
    def damage(path: Path) -> None:
        data = path.read_bytes()
        first, second = (data[(at - 1) * PAGE : at * PAGE] for at in (one, other))
        over((one - 1) * PAGE, second)(path)
        over((other - 1) * PAGE, first)(path)

    return damage


def damages(path: Path, every: int = 1) -> Iterator[tuple[str, set[int], Damage]]:
    """Cuts at and inside of every page, and each page overwritten, emptied or swapped; with the pages it touches."""
    pages = os.path.getsize(path) // PAGE
    for page in range(1, pages + 1, every):
        behind, at = set(range(page, pages + 1)), (page - 1) * PAGE
        yield f"cut before page {page}", behind, cut(at)
        yield f"cut in page {page}", behind, cut(at + random.Random(page).randrange(1, PAGE))
        yield f"page {page} of nothing", {page}, over(at, bytes(PAGE))
        yield f"page {page} of noise", {page}, over(at, random.Random(page).randbytes(PAGE))
        if (other := 1 + (page + 6) % pages) != page:
            yield f"pages {page} and {other} swapped", set(), swapped(page, other)
    yield "no head", set(), over(0, bytes(100))


def copied(path: Path, folder: Path) -> Path:
    """A copy of a database with all that lies beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(path.parent, folder, ignore=shutil.ignore_patterns("*.guard"))
    return folder / path.name


def made(path: Path) -> Path:
    """A store that was closed."""
    journal = open_journal(path)
    fill(journal)
    journal.close()
    return path
