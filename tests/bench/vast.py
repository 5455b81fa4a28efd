"""A store of a million events, as a year of work leaves it: a thousand conversations, whole in the index for searches.

Written by SQL of its own into the present form, as the journal's own way would take many minutes; `checked` proves
by the journal's means that it is such a store. Kept between runs in the folder for temporary files.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jp_tui.conversation.ids import timestamp
from jp_tui.journal import search
from jp_tui.journal.reader import open_reader
from jp_tui.journal.schema import SHIFT, STEPS
from jp_tui.journal.store import open_journal
from jp_tui.system.paths import Paths

EVENTS, EACH, TURN = 1_000_000, 1_000, 5
RARE, BESIDE, END, COMMON = "zqrare", "zqthing", "zqend", "the of"
TITLE = "Talk "
"""How the title of each conversation begins."""
RARES = 10
"""A word that stands in so many events, far apart, the one after it, the last word of each conversation, and
words that stand in most answers."""
_FORM = 3
"""Counted up when what is made changes: a kept store of another form is made anew."""
_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?)"
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def sentences(rand: random.Random, count: int = 4000) -> list[str]:
    """Sentences of 6 to 18 words out of 20,000, a few of which are most of what is said."""
    begin, end = "bdfgklmnprstvw", "aeiou"
    syllables = [a + b for a in begin for b in end]
    words = [*COMMON.split(), "and", "to", "in", "is", "a", "it"]
    words += ["".join(rand.choices(syllables, k=rand.randint(1, 4))) for _ in range(20_000)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    return [" ".join(rand.choices(words, cum_weights=weights, k=rand.randint(6, 18))) + "." for _ in range(count)]


def store(events: int) -> Path:
    """The folder of such a store (a JP_TUI_HOME), made where there is none. It is shared: copy before writing."""
    folder = Path(tempfile.gettempdir()) / f"jp-tui-bench-{os.getuid()}" / f"{events}-{len(STEPS)}-{_FORM}"
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        made(folder, events)
        (folder / "made").touch()
    return folder


def made(home: Path, events: int, each: int = EACH) -> Path:
    """Write one; the path of its database."""
    paths = Paths.of({"JP_TUI_HOME": str(home)})
    paths.prepare()
    open_journal(paths.database).close()
    db = sqlite3.connect(paths.database, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        db.execute("BEGIN")
        db.execute(search._CREATE)
        rand = random.Random(1)
        said = sentences(rand)
        for key in range(1, events // each + 1):
            db.executemany(_EVENT, _conversation(key, each, events // RARES, rand, said))
        db.execute(f"{search._ADD} WHERE text <> ''")
        db.execute(
            "INSERT INTO spans SELECT conversation, (seq - 1) / 256, min(seq), max(seq), count(*), sum(characters),"
            " sum(lines) FROM events GROUP BY conversation, (seq - 1) / 256"
        )
        db.execute(
            "INSERT INTO conversations (key, id, workspace, title, model, created, updated, events, turns, last_seq,"
            " ended, indexed) SELECT conversation, printf('vast%05d', conversation), '/work',"
            " printf('Talk %d', conversation), 'bench/steady', min(at), max(at), count(*), max(turn),"
            " max(seq), max(turn), max(seq) FROM events GROUP BY conversation"
        )
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        db.close()
    return paths.database


def _conversation(key: int, each: int, rare: int, rand: random.Random, said: list[str]) -> Iterator[tuple[object, ...]]:
    for seq in range(1, each + 1):
        number = (key - 1) * each + seq
        at = timestamp(_BEGAN + timedelta(seconds=number))
        kind, event, text = _event(seq, number, rand, said)
        if kind == "chat_response" and "message" in event:
            text += f"\n{RARE} {BESIDE}" * (number % rare == 4) + f"\n\n{END}" * (seq > each - TURN)
            event["message"] = text
        payload = json.dumps({"timestamp": at, "type": kind, **event}, ensure_ascii=False)
        turn = 1 + (seq - 1) // TURN
        yield key << SHIFT | seq, key, seq, turn, kind, at, text.count("\n"), len(text), payload, text


def _event(seq: int, number: int, rand: random.Random, said: list[str]) -> tuple[str, dict[str, object], str]:
    match (seq - 1) % TURN:
        case 0:
            return "turn_start", {}, ""
        case 1:
            text = f"{rand.choice(said)} What about number {number}?"
            return "chat_request", {"content": text}, text
        case 2:
            text = rand.choice(said)
            return "chat_response", {"reasoning": text}, text
        case 3:
            text = "\n".join(rand.choices(said, k=rand.randint(1, 9)))
            return "chat_response", {"message": text}, text
        case _:
            return "turn_outcome", {"outcome": "done", "model": "bench/steady", "ms": 1200}, ""


def checked(home: Path, events: int, each: int = EACH) -> None:
    """Assert by the journal's own means that it is whole, indexed, and can be read."""
    reader = open_reader(Paths.of({"JP_TUI_HOME": str(home)}).database)
    try:
        assert reader.unindexed() == 0
        rows = reader.conversations(limit=events)
        assert sum(row.events for row in rows) == events
        assert [one.seq for one in reader.read(rows[0].id, limit=each)] == list(range(1, each + 1))
        assert sum(span.events for span in reader.spans(rows[0].id)) == each
        assert rows[0].turns == each // TURN
    finally:
        reader.close()
