"""STORE-006, STORE-007, STORE-009, STORE-010: rows that nobody wrote are read as far as they are any, and no list and
no other conversation is lost with them. Every change that `python -m tests.faults --only log` knows, by the reader."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import pytest

from jp_tui.conversation.ids import timestamp
from jp_tui.journal.port import MISSING, ConversationRow, JournalError, Offer, Span, Stored
from jp_tui.journal.reader import JournalReader, open_reader
from jp_tui.journal.repair.recovery import kept_aside
from jp_tui.journal.store import open_journal
from tests.bench import store
from tests.faults.log_damage import GOOD, SCHEMAS, VICTIM, WORD, _sql, made, rows
from tests.limits import LIMIT
from tests.sampling import sampled


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def sound(template: Path) -> dict[str, list[Stored]]:
    """The other conversations, as they were."""
    reader = open_reader(template)
    try:
        return {name: reader.read(name) for name in GOOD}
    finally:
        reader.close()


def everything(reader: JournalReader) -> Iterator[object]:
    """Whatever the engine asks of a reader."""
    yield from reader.conversations(shown="all")
    yield from reader.conversations(shown="deleted")
    yield reader.conversation(VICTIM)
    yield reader.latest("/")
    for name in (*GOOD, VICTIM):
        yield from reader.read(name)
        yield from reader.tail(name, 9)
        yield from reader.turn_events(name, 3)
        yield from reader.inquiry_events(name)
        yield from reader.spans(name)
        yield from reader.offers(name)
        reader.children(name), reader.partials(name), reader.drafts(name), reader.last_seq(name)
    yield from reader.open_inquiries()
    reader.hidden(), reader.unindexed(), reader.last_requests("/")


def typed(value: object) -> bool:
    """Whether each field of a value is of the type that it says."""
    if value is None:
        return True
    assert isinstance(value, ConversationRow | Stored | Span | Offer)
    fields = astuple(value)
    wide = (*fields[:2], *fields[2]) if isinstance(value, Stored) else fields
    return all(
        (isinstance(one, str) and one == one.encode("utf-8", "replace").decode())
        or one is None
        or (isinstance(one, int) and 0 <= one < 1 << 53)
        for one in wide
    )


@pytest.mark.parametrize("name", sampled(list(rows()), 2))
def test_an_odd_row_is_read_as_what_it_is_and_takes_nothing_with_it(
    template: Path, sound: dict[str, list[Stored]], tmp_path: Path, name: str
) -> None:
    if "twenty megabytes" in name:
        pytest.skip("in `python -m tests.faults --whole`")
    path = Path(shutil.copy(template, tmp_path))
    rows()[name](path)
    reader = open_reader(path)
    try:
        odd = [one for one in everything(reader) if not typed(one)]
        assert odd == []
        assert {one: reader.read(one) for one in GOOD} == sound
        assert set(GOOD) <= {row.id for row in reader.conversations(shown="all")}
        try:
            asked = reader.search(WORD, limit=9, hits=3, shown="all", workspace=None)
            assert asked.run_for(5.0)
            found = {hits.row.id for hits in asked.found()}
        except JournalError as problem:
            assert str(path) in str(problem)
        else:
            assert set(GOOD) <= found or "index" in name
    finally:
        reader.close()


def test_what_is_odd_is_left_as_it_stands(template: Path, tmp_path: Path) -> None:
    """Nothing is dropped: reading and writing beside it change no byte of it."""
    path = Path(shutil.copy(template, tmp_path))
    _sql("UPDATE events SET payload = x'00ff80' WHERE seq = 4", "UPDATE conversations SET title = x'ff' WHERE key = 3")(
        path
    )
    journal = open_journal(path)
    journal.append(VICTIM, store.turn(9, last=False)).result(LIMIT)
    assert journal.read(VICTIM, 3, 1)[0].entry.payload == "\x00\ufffd\ufffd"
    journal.close()
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM events WHERE payload = x'00ff80'").fetchone() == (3,)
    assert db.execute("SELECT title FROM conversations WHERE key = 3").fetchone() == (b"\xff",)
    db.close()


@pytest.mark.parametrize("column", ["turns", "ended", "events", "last_seq", "updated", "hidden"])
@pytest.mark.parametrize("value", ["'many'", "x'ff'", "-7", "1.5", "NULL", "CAST(x'61eda080' AS TEXT)"])
def test_beside_odd_counts_others_are_written_and_what_cannot_be_is_told(
    template: Path, tmp_path: Path, column: str, value: str
) -> None:
    path = Path(shutil.copy(template, tmp_path))
    _sql(f"UPDATE conversations SET {column} = {value} WHERE id = '{VICTIM}'")(path)
    event, at = store.turn(9, last=False)[0], timestamp(store.BEGAN)
    journal = open_journal(path)
    try:
        before = len(journal.read(VICTIM))
        try:
            journal.append(VICTIM, [event]).result(LIMIT)
        except JournalError as problem:
            assert str(path) in str(problem)
            assert len(journal.read(VICTIM)) == before
        else:
            assert journal.read(VICTIM)[-1].entry == event
        assert journal.append(GOOD[0], [event]).result(LIMIT)
        for _ in range(9):
            journal.index().result(LIMIT)
        asked = journal.search("What about number 9", limit=9, hits=3, shown="all", workspace=None)
        assert asked.run_for(5.0)
        journal.create("new", workspace="/", model="m", at=at).result(LIMIT)
    finally:
        journal.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_form_that_is_not_ours_is_replaced_or_refused_in_words(
    template: Path, sound: dict[str, list[Stored]], tmp_path: Path, name: str
) -> None:
    """(Z24, Z25) A view or a trigger would run with our statements: what is in the tables is copied to a new file, and
    the old one is kept. A newer version is refused, and no events are there where their table was dropped."""
    path = Path(shutil.copy(template, tmp_path))
    _sql(*SCHEMAS[name])(path)
    if name == "a newer version":
        with pytest.raises(JournalError) as trouble:
            open_journal(path)
        assert trouble.value.kind == "newer" and str(path) in str(trouble.value)
        return
    journal = open_journal(path)
    try:
        assert [one for one in everything(journal) if not typed(one)] == []
        if name == "no events table":
            assert [one.entry.kind for one in journal.read(GOOD[0])] == [MISSING]
        else:
            assert {one: journal.read(one) for one in GOOD} == sound
        aside = [one.name for one in kept_aside(path)]
        notices = journal.notices()
        assert len(aside) == len(notices) == (name != "no spans table")
        assert all(aside[0] in one.advice for one in notices)
        assert journal.append(GOOD[0], store.turn(9, last=False)).result(LIMIT)
    finally:
        journal.close()
