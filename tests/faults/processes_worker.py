"""Random schedules of two to eight processes on one conversation, in children of one warmed-up process.

`python -m tests.faults.processes_worker SEED FIRST LAST` prints one JSON line a schedule. Which processes, when each
begins and who is killed when: all of it from the seed and the number.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jp_tui.startup.parts import Parts, journal
from jp_tui.system.lock import FileLock, acquire, lock_path
from jp_tui.system.lock import Holder as Held
from tests import limits
from tests.faults import kills_player as player
from tests.faults import processes_actors as actors
from tests.faults.kills_player import Told
from tests.faults.kills_worker import REMAINS, Worker, forked, heard, remains
from tests.faults.workers import answers_with_stacks, memory, stacks_of

KINDS = ("answer", "answer", "answer", "look", "query", "rpc")
LIMIT = limits.LIMIT / 2
"""Seconds for all processes of one schedule together; then each that is left says where it is, and is killed."""
LAST = limits.LIMIT / 2
"""Seconds for the one that takes it up at the end."""
HELD = 30.0
"""Seconds within which a dead holder's lock must be free; how soon it is, is a figure."""
_SUBREAPER = 36


@dataclass
class Child:
    """One process: `said` is what it said, `killed` whether we did that."""

    name: str
    kind: str
    pid: int
    pipe: int
    killed: bool = False
    said: list[Any] = field(default_factory=list)

    def of(self, key: str) -> Any:
        return next((line[key] for line in self.said if key in line), None)


class Schedule:
    """One of them, played and judged."""

    def __init__(self, made: Parts, notes: Path, dice: random.Random) -> None:
        self._made, self._notes, self._dice = made, notes, dice
        self.found: list[str] = []
        self.free = 0.0
        self.hung = False
        """Whether a process came to no end; where it was stands in our error output."""
        self._end_at = time.monotonic() + LIMIT
        self.figures: Counter[str] = Counter()

    def play(self) -> None:
        dice = self._dice
        after = dice.choice([None, None, dice.uniform(0, 0.25)])
        dies = after is None or dice.random() < 0.3
        holder = self._start("holder", "holder", lambda told: actors.Holder(self._made, told, after).hold())
        data, ended = b"", False
        while b'"asked"' not in data and not ended and time.monotonic() < self._end_at:
            more, ended = heard(holder.pipe, 0.02)
            data += more
        asked = next((line for line in player.lines(data) if "asked" in line), None)
        if asked is None:
            self._end(holder, data)
            self.found.append(f"the holder asked nothing, but said {holder.said}")
            return
        others = self._others(asked["conversation"], asked["asked"], holder if dies else None)
        for one in [holder, *others]:
            self._end(one, data if one is holder else b"")
        self._finish(asked["conversation"])
        self._judge(holder, others, asked)

    def _others(self, conversation: str, inquiry: str, victim: Child | None) -> list[Child]:
        """Start them, each at its time; and kill the holder, and sometimes one more, at theirs."""
        dice, began, found = self._dice, time.monotonic(), list[Child]()
        plan: list[tuple[float, str]] = [(dice.uniform(0, 0.25), dice.choice(KINDS)) for _ in range(dice.randint(1, 7))]
        plan += [(dice.uniform(0, 0.3), "kill")] if victim else []
        plan += [(dice.uniform(0.05, 0.4), "kill one")] if dice.random() < 0.3 else []
        for number, (at, kind) in enumerate(sorted(plan)):
            time.sleep(max(0.0, began + at - time.monotonic()))
            if kind == "kill" and victim is not None:
                self._kill(victim, conversation)
            elif kind == "kill one":
                alive = [one for one in found if one.kind != "answer" and not one.killed]
                if alive:
                    self._kill(dice.choice(alive), conversation)
            elif kind != "kill":
                found.append(self._other(f"{kind} {number}", kind, conversation, inquiry))
        return found

    def _other(self, name: str, kind: str, conversation: str, inquiry: str) -> Child:
        made = self._made
        words = {
            "answer": ["answer", f"{conversation}/{inquiry}", f"by {name}"],
            "query": ["query", "-r", conversation, "--non-interactive", "words"],
            "rpc": ["rpc"],
        }
        if kind == "look":
            return self._start(name, kind, lambda told: actors.Looker(made, told, name).look(conversation))
        given = actors.rpc_lines(conversation) if kind == "rpc" else ""
        return self._start(name, kind, lambda told: actors.command(made, told, words[kind], given))

    def _start(self, name: str, kind: str, work: Any) -> Child:
        def play(into: int) -> None:
            actors.watched(self._notes)
            work(Told(into))

        pid, pipe = forked(play)
        return Child(name, kind, pid, pipe)

    def _kill(self, child: Child, conversation: str) -> None:
        """kill -9, and the time until it holds nothing any more."""
        began = time.monotonic()
        os.kill(child.pid, signal.SIGKILL)
        child.killed = True
        path = lock_path(self._made.paths.locks, conversation)
        me = Held.me("the judge", "now")
        while True:
            held = acquire(path, me)
            if isinstance(held, FileLock):
                held.release()
            if isinstance(held, FileLock) or held.pid not in (child.pid, 0):
                break
            if time.monotonic() > began + HELD:
                break
        self.free = max(self.free, time.monotonic() - began)
        self.figures["killed"] += 1

    def _end(self, child: Child, data: bytes) -> None:
        more, ended = heard(child.pipe, max(0.0, self._end_at - time.monotonic()))
        child.said = player.lines(data + more)
        if not ended:
            self.found.append(f"{child.name} came to no end: {child.said[-2:]}")
            self.hung = True
            stacks_of(child.pid)
            os.kill(child.pid, signal.SIGKILL)
        self.hung = self.hung or child.of("hangs") is not None
        os.waitpid(child.pid, 0)
        os.close(child.pipe)

    def _finish(self, conversation: str) -> None:
        """Whatever became of it, the next one can take it up."""
        self._end_at = time.monotonic() + LAST
        last = self._start("last", "look", lambda told: actors.Looker(self._made, told, "last").look(conversation))
        self._end(last, b"")
        if last.of("held_by") != "" or last.of("refused") or not last.of("over"):
            self.found.append(f"the next one could not go on with it: {last.said}")

    # -- what is true afterwards

    def _judge(self, holder: Child, others: list[Child], asked: Any) -> None:
        if self.free > HELD:
            self.found.append(f"what a dead process held was not free after {HELD:.0f} s")
        log = self._log(asked["conversation"])
        given = [one for one in log if one["type"] == "inquiry_response" and one["id"] == asked["asked"]]
        if len(given) != 1:
            self.found.append(f"the question has {len(given)} responses: {given}")
            return
        answers = [one for one in others if one.kind == "answer"]
        won = [one.name for one in answers if one.of("status") == 0]
        author = str(given[0].get("answer", "")).removeprefix("by ")
        mine = [author] if any(one.name == author for one in answers) else []
        if won != mine:
            self.found.append(f"on record is {given[0]}, and it was accepted from {won}")
        for one in answers:
            if one.name not in won and not (
                one.of("status") == 1 and any(words in str(one.of("words")) for words in ("already", "no longer"))
            ):
                self.found.append(f"{one.name} was not told that it came too late: {one.said}")
        for one in others:
            if not one.killed and not _in_order(one):
                self.found.append(f"{one.name} ended in an unknown way: {one.said}")
        self.figures.update({"processes": 1 + len(others), "answers": len(answers), "told": len(answers) - len(won)})
        self._one_writer()

    def _log(self, conversation: str) -> list[Any]:
        store = journal(self._made)
        try:
            rows = store.read(conversation, 0, 100_000)
        finally:
            store.close()
        db = sqlite3.connect(self._made.paths.database)
        if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            self.found.append("the store is damaged")
        db.close()
        if [one.seq for one in rows] != list(range(1, len(rows) + 1)):
            self.found.append("the log has a gap")
        turns = [one.entry.turn for one in rows]
        if turns != sorted(turns):
            self.found.append(f"turns are mixed: {turns}")
        log = [json.loads(one.entry.payload) for one in rows]
        for kind in ("turn_start", "tool_call_request"):
            other = {"turn_start": "turn_outcome", "tool_call_request": "tool_call_response"}[kind]
            if (begun := sum(one["type"] == kind for one in log)) != sum(one["type"] == other for one in log):
                self.found.append(f"{begun} {kind} have not as many {other}")
        return log

    def _one_writer(self) -> None:
        """Nobody appends between two appends of somebody else."""
        writers = [line.split()[0] for line in self._notes.read_text().splitlines()]
        runs = [pid for at, pid in enumerate(writers) if at == 0 or writers[at - 1] != pid]
        self.figures["writers"] += len(runs)
        if len(runs) != len(set(runs)):
            self.found.append(f"processes wrote by turns: {runs}")


def _in_order(child: Child) -> bool:
    if child.kind == "look":
        held = child.of("held_by")
        return child.of("over") is True and (not held or "being written" in str(child.of("refused")))
    status, words = child.of("status"), str(child.of("words"))
    if child.kind == "query" and status == 1:
        return "This conversation is open in" in words
    return status in {"answer": (0, 1), "query": (0, 3), "rpc": (0,)}[child.kind]


def main() -> None:
    seed, first, last = map(int, sys.argv[1:])
    answers_with_stacks()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    folder = Path(tempfile.mkdtemp(prefix="processes-", dir=memory()))
    worker = Worker(folder)
    worker.warm("questions")
    gc.freeze()
    for number in range(first, last):
        made = worker.parts(str(number))
        made.paths.prepare()
        os.chdir(made.workspace)
        schedule = Schedule(made, folder / f"{number}" / "notes", random.Random(f"{seed}.{number}"))
        schedule.play()
        if (left := remains()) >= REMAINS:
            schedule.found.append(f"after {left:.0f} s there were processes left")
        result = {"run": number, "found": schedule.found, "free": schedule.free, "figures": dict(schedule.figures)}
        print(json.dumps(result), flush=True)
        if schedule.hung:  # the others would take as long, and say no more
            break
        if not schedule.found:
            shutil.rmtree(folder / f"{number}")
    os.chdir("/")
    if not any((folder / f"{number}").exists() for number in range(first, last)):
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
