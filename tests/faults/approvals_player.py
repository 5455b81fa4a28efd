"""A person of a shared store as a process that is killed (`test_approval_kills.py`).

`python -m tests.faults.approvals_player asker URL NAME FOLDER TURNS CALLS` begins or resumes a conversation in which
each turn asks so many questions at once, each of which two people must approve, until so many turns are done.
`… answerer URL NAME FOLDER SEED` answers what asks it, and tries its own questions, until it is killed; FOLDER/said has
a line for each approval that was reported as recorded.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

from jp_tui.conversation import model as m
from jp_tui.inquiry.people import WantedPeople
from jp_tui.inquiry.values import Rule
from jp_tui.journal.port import Journal, JournalError
from jp_tui.journal.postgres.store import open_store
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.postgres import settings_of

LEASE_SECS, POLL_SECS, PAUSE = 2, 0.3, 0.02
NO, OWN, TWICE = 0.02, 0.1, 0.15
"""Shares of answers that are a no, that are to a question of one's own, or that repeat an approval."""


class Asks(Script):
    """After a message of the user it asks so many questions at once; after their answers it ends."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls = calls

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        asked = {"question": "Deploy?", "answer_type": "boolean"}
        done = any(isinstance(part, m.Result) for part in request.messages[-1].parts)
        calls = [] if done else [part for n in range(self._calls) for part in call("ask_user", asked, f"c{n}", n)]
        for item in [*calls, *end("tools")] if calls else [*text("Done."), *end()]:
            assert isinstance(item, m.PartOpened | m.PartGrew | m.PartEnded | m.Finished)
            yield item


class Two(Mapping[str, Rule]):
    """Each question must be approved by two others."""

    _rule = Rule(people=WantedPeople("", "", 2, "approvals"))

    def __getitem__(self, question: str) -> Rule:
        return self._rule

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def opened(url: str, name: str) -> Journal:
    while True:
        try:
            return open_store(settings_of(url, f"of {name}", lease_secs=LEASE_SECS, poll_secs=POLL_SECS), patience=None)
        except JournalError:
            time.sleep(0.1)


def bench_of(url: str, name: str, folder: str, calls: int = 0) -> Bench:
    Path(folder).mkdir(exist_ok=True)
    bench = Bench(Path(folder))
    bench.machine, bench.prefix, bench.script = f"of {name}", f"{name}-{os.getpid()}", Asks(calls)
    # idempotent: a call that was cut off runs again, and asks nobody whether it may (D21)
    bench.tools = {"ask_user": tool_setup("ask_user", builtin()["ask_user"], hidden=True, idempotent=True, rules=Two())}
    bench.opens = lambda: opened(url, name)
    return bench


def asker(url: str, name: str, folder: str, turns: int, calls: int) -> None:
    bench, journal = bench_of(url, name, folder, calls), opened(url, name)
    rows = journal.conversations(limit=1)
    at = bench.start("id", rows[0].id) if rows else bench.start()
    while at.held_by:  # the lease of a killed one
        bench.stop()
        time.sleep(0.2)
        at = bench.start("id", at.conversation)
    while True:
        kinds = [one.entry.kind for one in journal.read(bench.conversation, limit=100_000)]
        if kinds.count("turn_outcome") >= turns:
            break
        if kinds.count("turn_outcome") == kinds.count("chat_request"):
            bench.say("go")
        bench.turn()
    bench.stop()


def answerer(url: str, name: str, folder: str, seed: int) -> None:
    bench = bench_of(url, name, folder)
    chance = random.Random(f"{seed} {os.getpid()}")
    bench.run()
    said = os.open(f"{folder}/said", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while True:
        bench.send(c.ListInquiries(pending=True, every=True))
        waits = list(bench.until(e.InquiriesListed).inquiries)
        chance.shuffle(waits)
        found = 0
        for one in waits:
            by = () if one.approvals is None else one.approvals.by
            share = OWN if one.owner == name else TWICE if name in by else 1.0
            if chance.random() > share or found == 3:
                continue
            found += 1
            value = "no" if chance.random() < NO else "yes"
            asked = {"conversation": one.conversation, "inquiry": one.id, "digest": one.digest}
            bench.send(c.OfferAnswer(**asked, value=value, anyway=True))
            settled = bench.until(e.OfferSettled)
            if settled.status in ("accepted", "counted"):
                line = "\t".join((one.conversation, str(one.turn), one.id, settled.status, value))
                os.write(said, f"{line}\n".encode())
            bench.events.clear()
            bench._seen = 0
        if not found:
            time.sleep(PAUSE)


if __name__ == "__main__":
    role, url, name, folder, *rest = sys.argv[1:]
    if role == "asker":
        asker(url, name, folder, int(rest[0]), int(rest[1]))
    else:
        answerer(url, name, folder, int(rest[0]))
