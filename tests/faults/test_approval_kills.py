"""Ten people race to approve each other's questions, which two must approve, while they and those who ask are killed
(store.md D15).

The record is read afterwards: no yes of one, no one counted twice, in two names or one name by two, never who asks, and
each approval that was reported is on record.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes import postgres
from tests.sampling import whole

ASKERS, TURNS, CALLS, ANSWERERS, KILLS = (5, 10, 20, 10, 100) if whole() else (1, 2, 4, 3, 5)
LIMIT = 3_000.0 if whole() else 100.0
DATABASE = "agree"
PEOPLE = [f"p{number}" for number in range(10)]
AWAY, DEPUTY = "p0", "p1"
"""The deputy may give one of the two approvals, in its own name or in that of who is away."""
PROJECT = Path(__file__).parents[2]


@contextlib.contextmanager
def store() -> Iterator[postgres.Server]:
    """A server that syncs, with a store of ten people."""
    with postgres.running(("fsync=on", "max_connections=200", "shared_buffers=32MB")) as server:
        server.sql("; ".join(f"CREATE ROLE {one} LOGIN" for one in PEOPLE))
        server.sql(f"CREATE DATABASE {DATABASE} OWNER p9")
        postgres.migrated(server.url(DATABASE, "p9"))
        postgres.granted(server.url(DATABASE, "p9"), dict.fromkeys(PEOPLE[:9], "person"))
        server.sql(f"SELECT jp_tui.set_away(now() + interval '1 day', '{DEPUTY}')", DATABASE, AWAY)
        yield server


@pytest.mark.skipif(
    not whole() and os.environ.get("JP_TUI_POSTGRES") != "required",
    reason="a lane of .ci/run: JP_TUI_POSTGRES=required",
)
@pytest.mark.slow
@pytest.mark.timeout(int(LIMIT) + 120)
def test_d15_two_agree_whoever_is_killed(tmp_path: Path) -> None:
    chance = random.Random(26)
    with store() as server:
        words = {
            **{f"a{n}": ("asker", PEOPLE[-1 - n], f"a{n}", str(TURNS), str(CALLS)) for n in range(ASKERS)},
            **{f"w{n}": ("answerer", PEOPLE[n], f"w{n}", "26") for n in range(ANSWERERS)},
        }
        children: dict[str, subprocess.Popen[bytes]] = {}

        def start(name: str) -> None:
            role, person, folder, *rest = words[name]
            command = [
                sys.executable,
                "-m",
                "tests.faults.approvals_player",
                role,
                server.url(DATABASE, person),
                person,
            ]
            children[name] = subprocess.Popen([*command, str(tmp_path / folder), *rest], cwd=PROJECT)

        def busy() -> list[str]:
            return [name for name in words if name[0] == "a" and children[name].poll() is None]

        for name in words:
            start(name)
        kills, until = 0, time.monotonic() + LIMIT
        try:
            while running := busy():
                assert time.monotonic() < until, (kills, running, progress(server))
                if kills < KILLS and progress(server) >= kills / (1.3 * KILLS):
                    name = chance.choice([*running, *(one for one in words if one[0] == "w")])
                    assert children[name].poll() is None or name[0] == "a", f"{name} ended by itself"
                    children[name].kill()
                    children[name].wait()
                    start(name)
                    kills += 1
                else:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        children[running[0]].wait(0.05)
        finally:
            for child in children.values():
                child.kill()
                child.wait()
        assert kills > KILLS // 2 and all(children[name].returncode == (0 if name[0] == "a" else -9) for name in words)
        found = Judge(server)
        found.all()
        reported = found.reported(tmp_path)
        print(f"{kills} kills, {len(found.questions)} questions, {found.yes} approved, {reported} approvals reported")


def progress(server: postgres.Server) -> float:
    """The share of all questions that are answered."""
    ((count,),) = server.sql("SELECT count(*) FROM jp_tui.events WHERE kind = 'inquiry_response'", DATABASE)
    return int(str(count)) / (ASKERS * TURNS * CALLS)


@dataclass
class Question:
    """What is on record of one question."""

    owner: str
    digests: set[str] = field(default_factory=set)
    votes: list[tuple[str, str, str]] = field(default_factory=list)
    """Who, in whose name, on which digest."""
    answers: list[dict[str, object]] = field(default_factory=list)


class Judge:
    """Reads the record past all rights, and counts for itself."""

    def __init__(self, server: postgres.Server) -> None:
        self.questions: dict[tuple[str, int, str], Question] = {}
        self.yes = 0
        rows = server.sql(
            "SELECT c.id, e.turn, e.inquiry, c.owner, e.kind, e.who, e.payload FROM jp_tui.events AS e"
            " JOIN jp_tui.conversations AS c ON c.key = e.conversation"
            " WHERE e.inquiry IS NOT NULL ORDER BY c.id, e.seq",
            DATABASE,
        )
        for conversation, turn, inquiry, owner, kind, who, payload in rows:
            key = str(conversation), int(str(turn)), str(inquiry)
            one, raw = self.questions.setdefault(key, Question(str(owner))), json.loads(str(payload))
            by = raw.get("responder") or {}
            if kind == "inquiry_request":
                assert (raw["metadata"]["approvals"], raw["metadata"]["asked_by"], who) == (2, owner, owner)
                one.digests.add(raw["metadata"]["digest"])
            elif kind == "inquiry_vote":
                assert raw["vote"] is True and by["who"] == who and not one.answers
                one.votes.append((str(who), by.get("for", who), raw["metadata"]["digest"]))
            elif raw["outcome"] == "answered":
                assert by["who"] == who and by["kind"] == "user"
                one.answers.append({"who": who, "for": by.get("for", who), **raw})

    def all(self) -> None:
        """Each question has one answer: a no of one other person, or a yes of two."""
        assert len(self.questions) == ASKERS * TURNS * CALLS
        for key, one in self.questions.items():
            (answer,) = one.answers
            given = [*one.votes, *([(answer["who"], answer["for"], "")] if answer["answer"] is True else [])]
            for number in (0, 1):
                names = [vote[number] for vote in given]
                assert len(set(names)) == len(names) <= 2, (key, given)
                assert one.owner not in names and answer["who"] != one.owner, (key, given)
            assert len(one.digests) == 1 and {vote[2] for vote in one.votes} <= one.digests
            if answer["answer"] is True:
                self.yes += 1
                assert len(given) == 2 and answer["approved_by"] == [vote[0] for vote in given], (key, given)
        assert self.yes

    def reported(self, folder: Path) -> int:
        """Return how many approvals were reported as recorded; each is."""
        count = 0
        for file in folder.glob("w*/said"):
            person = PEOPLE[int(file.parent.name[1:])]
            for line in file.read_text().splitlines():
                conversation, turn, inquiry, _, value = line.split("\t")
                one = self.questions[conversation, int(turn), inquiry]
                (answer,) = one.answers
                given = {vote[0] for vote in one.votes} | {answer["who"]}
                assert person in given, line
                assert value == "yes" or (answer["answer"] is False and answer["who"] == person), line
                count += 1
        assert count
        return count
