"""An agent or an answerer on a shared store, as a process that is killed (`test_shared_store.py`).

`python -m tests.faults.store_player agent URL MACHINE NAME QUESTIONS` asks one question after the other in a
conversation that it holds, takes the first answer that is offered, and begins the call once.
`… answerer URL MACHINE NAME SEED FILE` offers answers, and writes to FILE which were accepted. Both go on where a
killed one of that name was.
"""

from __future__ import annotations

import os
import random
import sys
import time
from typing import Any

from jp_tui.journal.port import Journal, JournalError, NewEvent, Stored
from tests.fakes.postgres import settings_of
from tests.journal.made import at
from tests.limits import LIMIT

LEASE_SECS, POLL_SECS, LOOK_SECONDS = 2, 0.3, 0.02
BEGUN = "call_begun"


def opened(url: str, machine: str) -> Journal:
    from jp_tui.journal.postgres.store import open_store

    while True:
        try:
            return open_store(settings_of(url, machine, lease_secs=LEASE_SECS, poll_secs=POLL_SECS, connect_secs=2))
        except JournalError:
            time.sleep(0.1)


def again(work: Any) -> Any:
    """The result, however often the server goes away meanwhile."""
    while True:
        try:
            return work()
        except JournalError as problem:
            if problem.kind not in ("offline", "io", "unusable", "readonly"):
                raise
            time.sleep(0.05)


def agent(url: str, machine: str, name: str, questions: int) -> None:
    journal = opened(url, machine)
    while True:
        try:
            held(journal, name, questions)
            return
        except JournalError as problem:  # the lease was lost, or the server for long: as after a kill
            if problem.kind not in ("held", "offline", "io", "unusable"):
                raise


def held(journal: Journal, name: str, questions: int) -> None:
    locks = journal.locks()
    assert locks is not None
    while isinstance(lease := again(lambda: locks.take(name, "agent", os.getpid())), str):
        time.sleep(0.05)
    try:
        if again(lambda: journal.conversation(name)) is None:
            try:
                journal.create(name, workspace="/w", model="m", at=at(0)).result(LIMIT)
            except JournalError as problem:
                if problem.kind != "exists":
                    raise
        for number in range(questions):
            one(journal, name, f"{name}.q.{number}", number + 1)
    finally:
        lease.release()
        time.sleep(0)


def one(journal: Journal, name: str, inquiry: str, turn: int) -> None:
    """A question from wherever its record ends."""

    def record(kind: str, text: str = "") -> None:
        stored = NewEvent(kind, turn, text or "{}", at=at(turn), inquiry=inquiry)
        journal.append(name, [stored]).result(LIMIT)

    def kinds() -> list[str]:
        return [found.entry.kind for found in again(lambda: journal.inquiry_events(name, inquiry))]

    there = kinds()
    if "inquiry_request" not in there:
        record("inquiry_request")
    while "inquiry_response" not in there:
        for offer in again(lambda: journal.offers(name)):
            if offer.inquiry != inquiry:
                journal.settle_offer(offer.id, "stale").result(LIMIT)
            elif "inquiry_response" in there:
                journal.settle_offer(offer.id, "answered").result(LIMIT)
            else:
                record("inquiry_response", offer.payload)
                there = kinds()
                journal.settle_offer(offer.id, "accepted").result(LIMIT)
        time.sleep(LOOK_SECONDS)
        there = there if "inquiry_response" in there else kinds()
    if BEGUN not in there:
        record(BEGUN)
    if "turn_outcome" not in there:
        record("turn_outcome")


def answerer(url: str, machine: str, name: str, seed: int, file: str) -> None:
    """Until it is killed."""
    journal, chance, number = opened(url, machine), random.Random(f"{seed}{os.getpid()}"), 0
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while True:
        waits: list[Stored] = again(lambda: journal.open_inquiries())
        if not waits:
            time.sleep(LOOK_SECONDS)
            continue
        found, number = chance.choice(waits), number + 1
        payload = f'"{name} {os.getpid()} {number}"'
        try:
            made = journal.make_offer(found.conversation, found.entry.inquiry or "", payload, at(1)).result(LIMIT)
            until = time.monotonic() + 5
            while time.monotonic() < until:
                offer = again(lambda: journal.offer(made))  # noqa: B023
                if offer is None or offer.state != "open":
                    break
                time.sleep(LOOK_SECONDS)
            if offer is not None and offer.state == "accepted":
                os.write(descriptor, f"{found.entry.inquiry}\t{payload}\n".encode())
        except JournalError:
            time.sleep(0.05)


if __name__ == "__main__":
    role, *words = sys.argv[1:]
    if role == "agent":
        agent(words[0], words[1], words[2], int(words[3]))
    else:
        answerer(words[0], words[1], words[2], int(words[3]), words[4])
