"""`python -m tests.bench.exchange FOLDER URL RAW_URL COUNT`: a question asked on one machine and answered on another,
in turns with the same over psycopg alone, on a store of its own. `shared.py` reads what it prints: one JSON object,
seconds by what was measured.

Each machine is a process. Each exchange is three commits: the request, the offer of an answer, and the response with
the offer's result. What is counted is from the request until the other machine knows it ("seen"), and from its answer
until both know that it was taken; "told" is the sum of both.

Over psycopg it is the same content of the store: what D9 and D10 of the law demand of each transaction (an id of its
own, the writer's lease, whether the question is still open) and what the inbox shows, statement by statement.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from jp_tui.journal.postgres.store import PostgresJournal
from jp_tui.link.local import LocalLink
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.settings.cli.arguments import CommandLine, parse
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, journal, parts
from tests.bench.setting import ROOT
from tests.faults.kills_scenes import settle

LIMIT, QUIET_SECONDS = 20.0, 0.7
"""Seconds for one exchange; and before each question and each answer, as long as a person would take at least."""
ANSWERS = "answers"
"""Argument of the process that answers."""


class Clock:
    """When the last request was handed to the store."""

    def __init__(self) -> None:
        self.asked = 0.0
        append = PostgresJournal.append

        def noted(journal: PostgresJournal, conversation: str, entries, **more):  # type: ignore[no-untyped-def]
            if any(one.kind == "inquiry_request" for one in entries):
                self.asked = time.monotonic()
            return append(journal, conversation, entries, **more)

        PostgresJournal.append = noted  # type: ignore[method-assign]


@contextlib.contextmanager
def machine(folder: Path, url: str) -> Iterator[LocalLink]:
    """An engine with a home and a name of its own, on the store."""
    os.environ |= {"JP_TUI_HOME": str(folder), "JP_TUI_STORE": url, "JP_TUI_STORE__MACHINE": f'"{folder.name}"'}
    settle(folder)
    (workspace := folder.parent / "workspace").mkdir(exist_ok=True)
    arguments = parse(["--workspace", str(workspace), "begin"])
    assert isinstance(arguments, CommandLine)
    place = RunLocation(arguments)
    made = parts(arguments, place.sources.load(), place)
    found = link(made, journal(made), client=True, command=folder.name)
    found.start(lambda: None)
    yield found
    found.close(5)


def say(who: str, *times: float) -> None:
    """Report to the other process when a question was seen, answered, and the answer known as taken."""
    print(json.dumps([who, *times]), flush=True)


def answer(engine: LocalLink) -> None:
    """Answer each question of the other machine as soon as it is seen."""
    known, seen, answered = set[tuple[str, str, str]](), 0.0, 0.0
    engine.send(c.WatchWaiting())
    while True:
        engine.wait(1)
        for event in engine.collect():
            match event:
                case e.WaitingListed(waiting=waiting):
                    for one in waiting:
                        if (key := (one.conversation, one.inquiry, one.since)) not in known:
                            known.add(key)
                            seen = time.monotonic()
                            time.sleep(QUIET_SECONDS)
                            answered = time.monotonic()
                            engine.send(c.OfferAnswer(conversation=one.conversation, inquiry=one.inquiry, value="x"))
                case e.OfferSettled(status=status, message=message):
                    assert status == "accepted", message
                    say("ours", seen, answered, time.monotonic())
                case _:
                    pass


class Heard:
    """What the other process reports."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "tests.bench.exchange", *words, ANSWERS]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self._times: dict[str, list[float]] = {}
        self._gate = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            who, *times = json.loads(line)
            with self._gate:
                self._times[who] = times
                self._gate.notify_all()

    def take(self, who: str) -> list[float]:
        """Wait for a report."""
        with self._gate:
            assert self._gate.wait_for(lambda: who in self._times, LIMIT), "an exchange came to no end"
            return self._times.pop(who)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def exchanges(folder: Path, url: str, count: int, heard: Heard) -> Iterator[dict[str, float]]:
    """One exchange over two engines each time. The first one isn't counted, as over psycopg."""
    clock = Clock()
    with machine(folder / "laptop", url) as asking:
        asking.send(c.OpenConversation(which="new"))
        conversation = ""
        for number in range(-2, count):
            settled, ended = 0.0, number < -1
            until = time.monotonic() + LIMIT
            while not ended or not conversation:
                assert time.monotonic() < until, "an exchange came to no end"
                asking.wait(0.1)
                for event in asking.collect():
                    match event:
                        case e.ConversationOpened(conversation=id_):
                            conversation = id_
                        case e.QuestionSettled():
                            settled = time.monotonic()
                        case e.TurnCompleted():
                            ended = True
                        case _:
                            pass
            if number >= -1:
                seen, answered, told = heard.take("ours")
            if number >= 0:
                yield {"seen": seen - clock.asked, "told": seen - clock.asked + max(settled, told) - answered}
            time.sleep(QUIET_SECONDS)
            asking.send(c.StartTurn(conversation=conversation, text="ask"))


_WRITE = "INSERT INTO jp_tui.writes (id) VALUES (gen_random_uuid()::text)"
_LOCK = "SELECT key, last_seq FROM jp_tui.conversations WHERE id = 'raw' FOR UPDATE"
_FENCE = "SELECT 1 FROM jp_tui.leases WHERE name = 'raw' AND fence = 1 AND token = 'x' FOR SHARE"
_EVENT = """INSERT INTO jp_tui.events (conversation, seq, turn, kind, inquiry, at, lines, characters, payload, text,
 fence) VALUES (%s, %s, 1, %s, 'q', '2026-01-01', 0, 0, %s, '', 1)"""
_SPAN = """INSERT INTO jp_tui.spans VALUES (%s, 0, %s, %s, 1, 0, 0) ON CONFLICT (conversation, number) DO UPDATE
 SET last_seq = excluded.last_seq, events = spans.events + 1"""
_COUNT = "UPDATE jp_tui.conversations SET events = events + 1, last_seq = %s, turns = 1 WHERE key = %s"
_WAITS = "INSERT INTO jp_tui.waiting VALUES (%s, 'q', 1, %s)"
_OPEN = "DELETE FROM jp_tui.waiting WHERE conversation = %s AND inquiry = 'q' AND missing > 0 RETURNING seq"
_OFFER = """INSERT INTO jp_tui.offers (conversation, inquiry, payload, at) SELECT id, 'q', %s, '2026-01-01'
 FROM jp_tui.conversations WHERE id = 'raw' RETURNING id"""
_ACCEPT = "UPDATE jp_tui.offers SET state = 'accepted' WHERE id = %s AND state = 'open'"
_TELL = "SELECT pg_notify('raw', 'raw')"
_LISTED = """SELECT c.id, c.title, c.workspace, c.machine, e.seq, e.payload FROM jp_tui.waiting AS w
 JOIN jp_tui.conversations AS c ON c.key = w.conversation AND c.hidden = ''
 JOIN jp_tui.events AS e ON e.conversation = w.conversation AND e.seq = w.seq WHERE w.missing > 0 AND c.id = 'raw'"""
_HOLDER = "SELECT role, machine, program, pid FROM jp_tui.leases WHERE name = 'raw' AND expires > clock_timestamp()"
_OFFERS = "SELECT id, payload FROM jp_tui.offers WHERE conversation = 'raw' AND state = 'open'"
_STATE = "SELECT id FROM jp_tui.offers WHERE conversation = 'raw' AND state <> 'open' AND id > %s"
_PAYLOAD = json.dumps({"value": "x" * 400})


class Raw:
    """One side over psycopg alone: a connection that listens and one that reads and writes."""

    def __init__(self, url: str) -> None:
        self._db, self._listens = (psycopg.connect(url, autocommit=True) for _ in range(2))
        self._listens.execute("LISTEN raw")

    def prepare(self) -> None:
        self._db.execute(
            "INSERT INTO jp_tui.conversations (id, workspace, title, model, created, updated, hidden)"
            " VALUES ('raw', '/raw', 'raw', '', '', '', '')"
        )
        self._db.execute("INSERT INTO jp_tui.leases SELECT 'raw', 1, 'x', 'r', 'm', 'p', 1, now(), 'infinity'")

    def ask(self) -> None:
        self._append("inquiry_request")

    def accept(self, offer: int) -> None:
        self._append("inquiry_response", offer)

    def _append(self, kind: str, offer: int = 0) -> None:
        run = self._db.execute
        run("BEGIN")
        run(_WRITE)
        key, last = run(_LOCK).fetchone() or (0, 0)
        assert run(_FENCE).fetchone() is not None
        assert not offer or run(_OPEN, (key,)).fetchone() is not None
        run(_EVENT, (key, last + 1, kind, _PAYLOAD))
        run(_SPAN, (key, last + 1, last + 1))
        run(_COUNT, (last + 1, key))
        run(*((_ACCEPT, (offer,)) if offer else (_WAITS, (key, last + 1))))
        run(_TELL)
        run("COMMIT")

    def offer(self) -> int:
        run = self._db.execute
        run(_LISTED).fetchone()
        run(_HOLDER).fetchone()
        run("BEGIN")
        run(_WRITE)
        (number,) = run(_OFFER, (_PAYLOAD,)).fetchone() or (0,)
        run(_TELL)
        run("COMMIT")
        return int(number)

    def seen(self) -> None:
        """Wait until the question is there."""
        self._until(_LISTED)
        self._db.execute(_HOLDER).fetchone()

    def offered(self) -> int:
        return int(self._until(_OFFERS)[0])

    def taken(self, offer: int) -> None:
        self._until(_STATE, offer - 1)

    def _until(self, query: str, *values: object) -> tuple[Any, ...]:
        while True:
            if (row := self._db.execute(query.encode(), values or None).fetchone()) is not None:
                return row
            for _ in self._listens.notifies(timeout=LIMIT, stop_after=1):
                pass


def raw_exchange(raw: Raw, heard: Heard) -> dict[str, float]:
    """One exchange with the other process."""
    began = time.monotonic()
    raw.ask()
    raw.accept(raw.offered())
    taken = time.monotonic()
    seen, answered, told = heard.take("raw")
    return {"seen": seen - began, "told": seen - began + max(taken, told) - answered}


def answer_raw(raw: Raw) -> None:
    """Answer each question over psycopg."""
    while True:
        raw.seen()
        seen = time.monotonic()
        time.sleep(QUIET_SECONDS)
        answered = time.monotonic()
        raw.taken(raw.offer())
        say("raw", seen, answered, time.monotonic())


def main() -> None:
    folder, (url, raw_url, what) = Path(sys.argv[1]), sys.argv[2:]
    if what == ANSWERS:
        threading.Thread(target=answer_raw, args=(Raw(raw_url),), daemon=True).start()
        with machine(folder / "desk", url) as answering:
            answer(answering)
    raw, found = Raw(raw_url), dict[str, list[float]]()
    raw.prepare()
    heard = Heard(*sys.argv[1:-1])
    raw_exchange(raw, heard)
    for ours in exchanges(folder, url, int(what), heard):
        for name, seconds in ours.items():
            found.setdefault(name, []).append(seconds)
        for name, seconds in raw_exchange(raw, heard).items():
            found.setdefault(f"raw {name}", []).append(seconds)
    heard.end()
    print(json.dumps(found), flush=True)
    os._exit(0)  # threads still wait


if __name__ == "__main__":
    main()
