"""What is worked out from events is set right wherever it disagrees with them (Z25)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.journal import derived, opening
from jp_tui.journal.port import MISSING, SPAN, JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.journal.repair.recovery import kept_aside
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.damaged import copied
from tests.journal.made import at, begin, entry
from tests.journal.tampered import KEY, TAMPERED, tamper
from tests.journal.test_waiting import answer, ask, over
from tests.limits import LIMIT

EVENTS = SPAN + 20


def filled(path: Path) -> SqliteJournal:
    """c1 waits for an answer in its last turn, c2 has ended; c1 was written to last."""
    journal = open_journal(path)
    for number, name in enumerate(("c1", "c2")):
        journal.create(name, workspace="/w", model="demo/tour", at=at(number), title=f"About {name}").result(LIMIT)
    journal.append("c2", [entry(1), entry(2), over(3)]).result(LIMIT)
    for number in range(1, EVENTS - 3):
        journal.append("c1", [entry(number, turn=1 + number // 100)]).result(LIMIT)
    turn = 2 + EVENTS // 100
    journal.append("c1", [entry(EVENTS - 3, turn=turn), ask(EVENTS - 2, "a.q.1", turn)]).result(LIMIT)
    journal.append("c1", [answer(EVENTS - 1, "a.q.1", turn), ask(EVENTS, "a.q.2", turn)]).result(LIMIT)
    return journal


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("derived") / "data" / "conversations.db"
    filled(path).close()
    return path


def told(journal: SqliteJournal) -> object:
    """Everything that is derived, as a reader is told."""
    return (
        journal.conversations(),
        journal.latest("/w"),
        [(one.conversation, one.entry.inquiry, one.seq) for one in journal.open_inquiries()],
        [(one.conversation, one.entry.inquiry) for one in journal.open_inquiries("c1")],
        {name: (journal.spans(name), journal.last_seq(name), journal.tail(name, 3)) for name in ("c1", "c2")},
        [one.seq for one in journal.turn_events("c1", 2)],
    )


@pytest.fixture(scope="module")
def right(template: Path, tmp_path_factory: pytest.TempPathFactory) -> object:
    journal = open_journal(copied(template, tmp_path_factory.mktemp("right") / "data"))
    try:
        return told(journal)
    finally:
        journal.close()


@pytest.mark.parametrize("name", TAMPERED)
def test_at_the_start_everything_is_as_the_events_say(template: Path, right: object, tmp_path: Path, name: str) -> None:
    """(Z25) Neither a turn nor a question is lost, nothing is told, no file is put aside."""
    path = copied(template, tmp_path / "data")
    tamper(path, *TAMPERED[name])
    journal = open_journal(path)
    try:
        assert told(journal) == right
        assert journal.append("c1", [entry(EVENTS + 1, turn=4)]).result(LIMIT) == [EVENTS + 1]
        assert journal.append("c2", [ask(4, "n.q.1", 2)]).result(LIMIT) == [4]
        assert {one.entry.inquiry for one in journal.open_inquiries()} == {"a.q.2", "n.q.1"}
        assert journal.notices() == [] and kept_aside(path) == []
    finally:
        journal.close()


@pytest.mark.parametrize("value", ["NULL", "'x'"])
@pytest.mark.parametrize("column", ["last_seq", "turns", "ended", "events", "updated"])
def test_a_value_that_is_none_costs_nothing(
    template: Path, right: object, tmp_path: Path, column: str, value: str
) -> None:
    """(Z25) Where another program made it possible."""
    path = copied(template, tmp_path / "data")
    tamper(path, f"UPDATE conversations SET {column} = {value}")
    journal = open_journal(path)
    try:
        assert told(journal) == right
    finally:
        journal.close()


LATER = tuple(name for name in TAMPERED if name.endswith(("waits", "elsewhere", "ago", "tomorrow")))
"""What is found at the next start."""
LIVE = [name for name in TAMPERED if name not in LATER]


@pytest.mark.parametrize("name", LIVE)
def test_while_it_is_open_the_next_event_finds_it(template: Path, tmp_path: Path, name: str) -> None:
    """(Z25) Numbers go on, and what the row says is right again."""
    path = copied(template, tmp_path / "data")
    journal = open_journal(path)
    try:
        journal.append("c1", [entry(EVENTS + 1, turn=4)]).result(LIMIT)
        tamper(path, *TAMPERED[name])
        assert journal.append("c1", [entry(EVENTS + 2, turn=4)]).result(LIMIT) == [EVENTS + 2]
        row = journal.conversation("c1")
        assert row is not None and (row.last_seq, row.turns, row.title) == (EVENTS + 2, 4, "About c1")
        assert journal.spans("c1")[-1].last_seq == EVENTS + 2
        assert [one.seq for one in journal.read("c1", EVENTS)] == [EVENTS + 1, EVENTS + 2]
        assert [one.entry.inquiry for one in journal.open_inquiries("c1")] == ["a.q.2"]
        assert journal.notices() == [] and kept_aside(path) == []
    finally:
        journal.close()


@pytest.mark.parametrize("name", LIVE)
def test_while_it_is_open_reading_finds_it(template: Path, right: object, tmp_path: Path, name: str) -> None:
    """(Z25) A conversation that is opened, with its last page and its spans."""
    path = copied(template, tmp_path / "data")
    journal = open_journal(path)
    try:
        tamper(path, *TAMPERED[name])
        row, tail, spans = journal.conversation("c1"), journal.tail("c1", 3), journal.spans("c1")
        assert row is not None and (row.last_seq, row.turns) == (EVENTS, 4)
        assert [one.seq for one in tail] == [EVENTS - 2, EVENTS - 1, EVENTS]
        assert [(one.first_seq, one.last_seq) for one in spans] == [(1, SPAN), (SPAN + 1, EVENTS)]
        assert [one.entry.inquiry for one in journal.open_inquiries("c1")] == ["a.q.2"]
    finally:
        journal.close()


def test_an_answer_to_a_question_that_nobody_counted_leaves_the_next_one_waiting(
    template: Path, tmp_path: Path
) -> None:
    """(Z25) What waits is counted from the events of the inquiry, not from the count before."""
    path = copied(template, tmp_path / "data")
    journal = open_journal(path)
    try:
        tamper(path, "DELETE FROM waiting")
        journal.append("c1", [answer(EVENTS + 1, "a.q.2", 4), ask(EVENTS + 2, "a.q.2", 4)]).result(LIMIT)
        assert [one.seq for one in journal.open_inquiries()] == [EVENTS + 2]
    finally:
        journal.close()


def test_what_another_program_wrote_while_it_was_open_is_looked_at_at_the_next_start(
    template: Path, right: object, tmp_path: Path
) -> None:
    """(Z25) Closing it does not make what was changed trusted."""
    path = copied(template, tmp_path / "data")
    journal = open_journal(path)
    tamper(path, "DELETE FROM waiting")
    journal.close()
    again = open_journal(path)
    assert told(again) == right
    again.close()


def test_what_nobody_touched_is_not_looked_at(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a start: nothing is compared where the file is as it was left, and all is where it is not."""
    looked: list[str] = []
    look: Callable[[sqlite3.Connection, float], tuple[list[int], list[int]]] = derived.disagreeing

    def noted(db: sqlite3.Connection, seconds: float) -> tuple[list[int], list[int]]:
        looked.append("looked")
        return look(db, seconds)

    monkeypatch.setattr(opening.derived, "disagreeing", noted)
    path = copied(template, tmp_path / "data")
    for _ in range(2):  # a copy is another file
        open_journal(path).close()
    assert looked == ["looked"]
    tamper(path, "UPDATE conversations SET archived = 0")
    open_journal(path).close()
    assert looked == ["looked"] * 2


def test_events_of_nobody_become_a_conversation(template: Path, tmp_path: Path) -> None:
    """(Z25) Also where neither record of what it is called is left."""
    path = copied(template, tmp_path / "data")
    tamper(
        path, "UPDATE events SET kind = 'chat_request' WHERE seq = 2", "DELETE FROM names", "DELETE FROM conversations"
    )
    journal = open_journal(path)
    rows = journal.conversations()
    assert {(row.id, row.last_seq, row.title) for row in rows} == {
        ("found1", EVENTS, "words of 2"),
        ("found2", 3, "words of 2"),
    }
    journal.append("found1", [entry(EVENTS + 1, turn=4)]).result(LIMIT)
    journal.close()


def test_events_that_are_gone_are_marked_once_and_their_numbers_are_not_given_again(
    template: Path, tmp_path: Path
) -> None:
    """(Z25) The row and the spans agree that there were more."""
    path = copied(template, tmp_path / "data")
    tamper(path, f"DELETE FROM events WHERE conversation = {KEY} AND (seq > {EVENTS - 30} OR seq BETWEEN 5 AND 9)")
    for _ in range(2):
        journal = open_journal(path)
        marks = [(one.seq, one.entry.characters) for one in journal.read("c1", limit=999) if one.entry.kind == MISSING]
        assert marks == [(9, 5), (EVENTS, 30)]
        row = journal.conversation("c1")
        assert row is not None and (row.last_seq, row.turns) == (EVENTS, 4)
        journal.close()
    journal = open_journal(path)
    assert journal.append("c1", [entry(EVENTS + 1, turn=5)]).result(LIMIT) == [EVENTS + 1]
    journal.close()


def test_an_unknown_conversation_stays_unknown(template: Path, tmp_path: Path) -> None:
    """The control: nothing is examined for it."""
    journal = open_journal(copied(template, tmp_path / "data"))
    with pytest.raises(JournalError) as trouble:
        journal.append("nobody", [entry(1)]).result(LIMIT)
    assert trouble.value.kind == "unknown" and journal.conversation("nobody") is None
    journal.close()


def test_a_look_changes_nothing_of_a_sound_store(database: Path) -> None:
    """The control of all above: after many kinds of appends nothing disagrees."""
    journal = filled(database)
    begin(journal, "empty", number=5)
    journal.append("c1", [over(EVENTS + 1, 4), entry(EVENTS + 2, turn=5), ask(EVENTS + 3, "b", 5)]).result(LIMIT)
    journal.append("c1", [over(EVENTS + 4, 5), over(EVENTS + 5, 5), answer(EVENTS + 6, "b", 5)]).result(LIMIT)
    journal.append("c2", [entry(4, turn=2), entry(5, turn=1)]).result(LIMIT)
    journal.set_title("c2", "Another").result(LIMIT)
    journal.hide("c2", at(9)).result(LIMIT)
    db = sqlite3.connect(database)
    assert derived.disagreeing(db, 10.0) == ([], [])
    db.close()
    journal.close()
    reader = open_reader(database)
    assert [one.entry.inquiry for one in reader.open_inquiries()] == []
    reader.close()
