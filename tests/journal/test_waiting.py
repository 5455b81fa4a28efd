"""What waits for an answer, kept at append: `port.open_inquiries` against a plain recount (R29, R203)."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.journal import changes
from jp_tui.journal.connect import open_writing
from jp_tui.journal.doubt import Doubt
from jp_tui.journal.migrate import migrate
from jp_tui.journal.port import JournalError, NewEvent
from jp_tui.journal.reader import open_reader
from jp_tui.journal.schema import STEPS
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, create_before, entry
from tests.limits import LIMIT


def ask(number: int, inquiry: str, turn: int = 1) -> NewEvent:
    return entry(number, turn=turn, kind="inquiry_request", inquiry=inquiry)


def answer(number: int, inquiry: str, turn: int = 1) -> NewEvent:
    return entry(number, turn=turn, kind="inquiry_response", inquiry=inquiry)


def over(number: int, turn: int = 1) -> NewEvent:
    return entry(number, turn=turn, kind="turn_outcome")


STEP = st.tuples(st.sampled_from(["ask", "answer", "over", "other"]), st.sampled_from(["x", "y"]), st.integers(0, 4))


def expected(entries: list[NewEvent]) -> list[NewEvent]:
    """The contract, word for word, by going through everything."""
    turn = max((one.turn for one in entries), default=0)
    last = [one for one in entries if one.turn == turn]
    if any(one.kind == "turn_outcome" for one in last):
        return []
    waiting = {}
    for inquiry in ("x", "y"):
        own = [one for one in last if one.inquiry == inquiry]
        asked = [one for one in own if one.kind == "inquiry_request"]
        if len(asked) > len(own) - len(asked):
            waiting[entries.index(asked[-1])] = asked[-1]
    return [waiting[place] for place in sorted(waiting)]


def made(steps: list[tuple[str, str, int]]) -> list[NewEvent]:
    """Events whose turn grows now and then."""
    turn, found = 1, []
    for number, (what, inquiry, more) in enumerate(steps, 1):
        turn += more == 4
        make = {"ask": ask, "answer": answer}.get(what)
        found.append(make(number, inquiry, turn) if make else over(number, turn) if what == "over" else entry(number))
    return found


@settings(max_examples=150, deadline=None)
@given(batches=st.lists(st.lists(STEP, max_size=6), max_size=6))
def test_what_waits_is_what_a_recount_gives_before_and_after_a_migration(
    batches: list[list[tuple[str, str, int]]],
) -> None:
    entries = made([step for batch in batches for step in batch])
    kept, old = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    for step in STEPS:
        for statement in step:
            kept.execute(statement)
    for statement in STEPS[0]:
        old.execute(statement)
    changes.create(kept, "c1", "/w", "", "m", at(0), None)
    create_before(old, "c1")
    done = 0
    for batch in batches:
        changes.append(kept, "c1", entries[done : done + len(batch)], [], Doubt())
        done += len(batch)
    old.executemany(f"INSERT {changes.EVENT}", (changes.event_row(1, seq, one) for seq, one in enumerate(entries, 1)))
    old.execute("UPDATE conversations SET turns = (SELECT coalesce(max(turn), 0) FROM events)")
    for statement in STEPS[1]:
        old.execute(statement)
    seqs = [entries.index(one) + 1 for one in expected(entries)]
    for db in (kept, old):
        waiting = db.execute("SELECT place & 0xffffffff FROM waiting WHERE missing > 0 ORDER BY place")
        assert [row[0] for row in waiting] == seqs
    over = [db.execute("SELECT turns, ended >= turns FROM conversations").fetchall() for db in (kept, old)]
    assert over[0] == over[1]


def version_one(path: Path) -> None:
    """A database as the version before left it: one turn that waits, one that ended, one that was left behind."""
    db = open_writing(path)
    migrate(db, path, STEPS[:1])
    logs = {
        "waits": [ask(1, "a.q.1"), answer(2, "a.q.1"), ask(3, "a.q.2"), ask(4, "b.q")],
        "ended": [ask(1, "a.q.1"), over(2)],
        "left": [ask(1, "a.q.1"), entry(2, turn=2)],
    }
    for key, (name, entries) in enumerate(logs.items(), 1):
        create_before(db, name)
        db.executemany(
            f"INSERT {changes.EVENT}", (changes.event_row(key, seq, one) for seq, one in enumerate(entries, 1))
        )
        db.execute(
            "UPDATE conversations SET events = ?, last_seq = ?, turns = ? WHERE key = ?",
            (len(entries), len(entries), max(one.turn for one in entries), key),
        )
    db.execute("INSERT INTO drafts VALUES ('waits', 'composer', 'half a thought')")
    db.close()


def test_a_database_of_the_version_before_is_brought_up_to_date(database: Path) -> None:
    """STORE-027: nothing is lost, and what waited waits."""
    version_one(database)
    with pytest.raises(JournalError, match="older form") as trouble:
        open_reader(database)
    assert trouble.value.kind == "unusable"
    journal = open_journal(database)
    assert [(one.conversation, one.entry.inquiry) for one in journal.open_inquiries()] == [
        ("waits", "a.q.2"),
        ("waits", "b.q"),
    ]
    assert journal.last_seq("waits") == 4 and journal.drafts("waits") == {"composer": "half a thought"}
    journal.append("waits", [answer(5, "b.q")]).result(LIMIT)
    journal.append("ended", [ask(5, "z.q.1")]).result(LIMIT)
    assert [one.entry.inquiry for one in journal.open_inquiries()] == ["a.q.2"]
    assert journal.make_offer("waits", "a.q.2", "{}", at(6)).result(LIMIT) == 1
    journal.close()


def test_a_released_step_is_never_changed() -> None:
    """Databases stand in the world that were made by it."""
    text = "\n".join(" ".join(statement.split()) for statement in STEPS[0])
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "bb6e064b6aac285443fefc7f04f44bad92097fff8437ae4bdc2ee46eddef6398"
    )


def test_thousands_of_conversations_cost_nothing(journal: SqliteJournal) -> None:
    """Only what waits is looked at: 3,000 conversations with 6,000 answered inquiries, one open."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    for step in STEPS:
        for statement in step:
            db.execute(statement)
    for number in range(3000):
        changes.create(db, f"c{number}", "/w", "", "m", at(number), None)
        own = [ask(1, "a.q.1"), answer(2, "a.q.1"), ask(3, "a.q.2"), answer(4, "a.q.2")]
        changes.append(db, f"c{number}", own if number != 77 else own[:-1], [], Doubt())
    from jp_tui.journal.reader import JournalReader

    reader, count = JournalReader(db, Path("memory")), 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    db.set_progress_handler(tick, 10)
    assert [one.conversation for one in reader.open_inquiries()] == ["c77"]
    assert count < 20
