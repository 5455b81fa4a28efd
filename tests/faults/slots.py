"""Part `slots`: every slot of the workspace × the hostile groups terminal, markup, unicode and sizes, in a real pty.

A program (`slots_app.py`) shows one scene after the other with one text in all of its slots; whatever it writes is read
by `obeyed.py`. Each slot's mark must come out of the terminal, no control of content may, nothing that could be clicked
into an action, no action may run, and no step of the loop may take over 100 ms. Bounded: each scene with one case of
each group, by the seed; whole: all pairs, `sizes` in each slot by itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jp_tui.conversation.urls import clean_url
from tests.conftest import ROOT
from tests.faults import obeyed
from tests.faults.report import Found
from tests.faults.slot_scenes import SCENES
from tests.faults.slots_app import SYNC
from tests.hostile import recorded
from tests.limits import LIMIT

GROUPS = ("terminal", "markup", "unicode", "sizes")
HELD = 0.1
"""Seconds of work that no single step of the loop may take; what a busy machine adds is no work."""
BELLS = 2
"""A question that nobody looks at rings."""
SIZE = (120, 50)
CONTROL = [["plain words", 1]]
Pieces = list[tuple[str, int]]


@dataclass
class Shown:
    """What came of one show. `words` is all that was printed, without blanks."""

    scene: str
    case: str
    told: dict[str, Any]
    words: str
    faults: list[str]

    @property
    def unseen(self) -> list[str]:
        """Slots whose mark never reached the terminal."""
        return [slot for slot, mark in self.told["slots"].items() if mark not in self.words]

    @property
    def wrong(self) -> list[str]:
        """What breaks a promise, in words."""
        told = self.told
        found = [f"reached the terminal: {fault}" for fault in self.faults]
        found += [f"on the screen: {fault}" for fault in told["faults"] if not leads_where_it_says(fault)]
        found += [f"an action ran: {one}" for one in told["acted"]]
        found += [f"raised: {told['problem']}"] if told["problem"] else []
        if told["worked"] > HELD:
            found.append(f"one step of the loop worked for {told['worked'] * 1000:.0f} ms")
        return [f"{self.scene}, {self.case}: {one}" for one in found]


def leads_where_it_says(fault: str) -> bool:
    """A link is no fault where its address is clean: its host is written out (R197)."""
    address = fault.rpartition(" ")[2]
    return fault.startswith("acts when clicked") and clean_url(address) == address


class Program:
    """The workspace in a pty, taking orders."""

    def __init__(self, folder: Path) -> None:
        self._terminal = obeyed.Terminal(rings=True)
        self._decode = getincrementaldecoder("utf-8")("strict").decode
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
        orders, self._orders = os.pipe()
        self._reports, reports = os.pipe()
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        env = (
            kept
            | {"HOME": str(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
            | {k: v for k, v in os.environ.items() if k == "HOLDS"}
        )
        self._heard, self._turn = b"", 0
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("slots_app.py")), str(orders), str(reports)],
            stdin=slave, stdout=slave, stderr=slave, env=env, cwd=ROOT, pass_fds=(orders, reports),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        for descriptor in (slave, orders, reports):
            os.close(descriptor)

    def show(self, scene: str, case: str, text: Sequence[Sequence[Any]], only: Sequence[str] = ()) -> Shown:
        """One scene with one text; AssertionError when the program ends or says no more."""
        self._turn += 1
        terminal = self._terminal
        terminal.words.clear()
        terminal.faults.clear()
        terminal.titles.clear()
        terminal.bells = 0
        order = {"scene": scene, "text": text, "only": list(only), "turn": self._turn}
        raw = json.dumps(order).encode() + b"\n"
        end = time.monotonic() + LIMIT
        lines: list[bytes] = []
        while not lines or f"{SYNC}{self._turn}" not in terminal.titles:
            assert time.monotonic() < end, f"{scene}, {case}: nothing more was told: {''.join(terminal.words)[-300:]}"
            writes = [self._orders] if raw else []
            readable, writable, _ = select.select([self.master, self._reports], writes, [], 1.0)
            if writable:
                raw = raw[os.write(self._orders, raw[:32768]) :]
            if self.master in readable:
                self._read(f"{scene}, {case}")
            if self._reports in readable:
                self._heard += os.read(self._reports, 65536)
                *lines, self._heard = self._heard.split(b"\n")
        titles = [title for title in terminal.titles if not title.startswith(SYNC)]
        words = re.sub(r"\s", "", "".join([*terminal.words, *titles]))
        faults = list(terminal.faults)
        if terminal.bells > BELLS:
            faults.append(f"{terminal.bells} bells")
        return Shown(scene, case, json.loads(lines[0]), words, faults)

    def _read(self, what: str) -> None:
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        if not data:
            raise AssertionError(f"{what}: the program ended: {''.join(self._terminal.words)[-2000:]}")
        self._terminal.feed(self._decode(data))

    def close(self) -> None:
        os.close(self._orders)
        with contextlib.suppress(OSError, AssertionError, subprocess.TimeoutExpired):
            end = time.monotonic() + 10
            while self.process.poll() is None and time.monotonic() < end:
                if select.select([self.master], [], [], 0.1)[0]:
                    self._read("the end")
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for descriptor in (self.master, self._reports):
            os.close(descriptor)


@contextlib.contextmanager
def program() -> Iterator[Program]:
    with TemporaryDirectory() as folder:
        running = Program(Path(folder))
        try:
            yield running
        finally:
            running.close()


def expanded(payload: dict[str, Any]) -> Pieces:
    """The text of a case as pieces and how often each stands; nothing for what is no text."""
    kind = payload["kind"]
    if kind == "text":
        return [(payload["utf8"], 1)]
    if kind == "chunks":
        return [("".join(payload["utf8"]), 1)]
    if kind == "gen":
        return _generated(payload)
    if "url" in payload:
        return [(f"[words]({payload['url']}) and {payload['url']} or <{payload['url']}>", 1)]
    if "text" in payload:
        return [(str(payload["text"]), 1)]
    return []


def _generated(one: dict[str, Any]) -> Pieces:
    if one["op"] == "repeat":
        return [(one["s"], one["n"])]
    if one["op"] == "lit":
        return [(one["s"], 1)]
    return [piece for part in one["parts"] for piece in _generated(part)]


def cases() -> dict[str, dict[str, Pieces]]:
    """By group and id, the texts of the recorded cases."""
    return {
        group: {id_: text for id_, one in recorded.cases(group).items() if (text := expanded(one["payload"]))}
        for group in GROUPS
    }


@dataclass
class Tried:
    """What all shows of a run came to."""

    pairs: int = 0
    failed: list[str] = field(default_factory=list)
    slots: set[tuple[str, str]] = field(default_factory=set)
    longest: float = 0.0

    def add(self, shown: Shown) -> None:
        self.pairs += len(shown.told["slots"])
        self.failed += shown.wrong
        self.slots |= {(shown.scene, slot) for slot in shown.told["slots"]}
        self.longest = max(self.longest, shown.told["worked"])


def tried(whole: bool, seed: int, scenes: Sequence[str] = tuple(SCENES), groups: Sequence[str] = GROUPS) -> list[Found]:
    """Only these `scenes` and `groups`. A scene that ends the program is told, and the next begins in another one."""
    chance, given, run = random.Random(seed), cases(), Tried()
    left = list(scenes)
    while left:
        with program() as running:
            while left:
                try:
                    _scene(
                        running, left.pop(0), {group: given[group] for group in groups}, run, None if whole else chance
                    )
                except AssertionError as problem:
                    run.failed.append(str(problem))
                    break
    figures = {"slots": f"{len(run.slots)}", "longest step": f"{run.longest * 1000:.0f} ms of work"}
    return [Found("slots × hostile texts in a real pty", run.pairs, run.failed, figures)]


def _scene(
    running: Program, scene: str, given: dict[str, dict[str, Pieces]], run: Tried, chance: random.Random | None
) -> None:
    """A scene with a harmless text, which must come out of the terminal in each slot, and then with one case of each
    group, or with all. What is large stands in one slot at a time."""
    shown = running.show(scene, "plain words", CONTROL)
    run.failed += [f"{scene}: {slot!r} is not on the screen" for slot in shown.unseen]
    run.add(shown)
    slots = list(shown.told["slots"])
    for group, texts in given.items():
        for id_ in texts if chance is None else [chance.choice(list(texts))]:
            if group != "sizes":
                run.add(running.show(scene, id_, texts[id_]))
                continue
            for slot in slots if chance is None else [chance.choice(slots)]:
                run.add(running.show(scene, f"{id_} in {slot!r}", texts[id_], (slot,)))
