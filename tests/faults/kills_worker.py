"""A warmed-up process that lets its children play and kills them: one run costs a fork, not a start.

`python -m tests.faults.kills_worker SEED FIRST LAST` prints one JSON line a run. Even runs are killed at a random
moment, odd ones at the next of all (scene, commit, before or after it). It has one thread and reaps what its children
leave behind, so that it also sees what outlives them. It judges in a child, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jp_tui.protocol.base import Model, adapter
from jp_tui.settings.cli.arguments import CommandLine, parse
from jp_tui.startup.parts import Parts, RunLocation, parts
from jp_tui.system.paths import Paths
from tests.faults import kills_player as player
from tests.faults.kills_judge import judged
from tests.faults.kills_scenes import SCENES, furnish, settle
from tests.faults.workers import answers_with_stacks, descendants, memory, stacks_of
from tests.limits import LIMIT, starved, stolen

PATIENCE = LIMIT / 2
"""Seconds for one run, and for its judge."""
REMAINS = 30.0
"""Seconds after which no child may be left; then those that are left are named and killed."""
_SUBREAPER = 36


def warmed(home: Path) -> Parts:
    """The parts of a run, with everything imported that a run imports; starts no thread."""
    settle(home)
    os.environ.clear()
    os.environ.update({"HOME": str(home), "PATH": os.defpath, "JP_TUI_HOME": str(home), "LANG": "C.UTF-8"})
    os.chdir(home)
    arguments = parse(["--workspace", str(home), "begin"])
    assert isinstance(arguments, CommandLine)
    place = RunLocation(arguments)

    return parts(arguments, place.sources.load(), place)


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """A child in a session of its own that does `work(pipe)`; its number and the other end of the pipe."""
    out, into = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.close(into)
        return child, out
    code = 1
    try:
        os.setsid()
        os.close(out)
        gc.disable()
        work(into)
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def heard(pipe: int, seconds: float, lines: int | None = None) -> tuple[bytes, bool]:
    """What comes through the pipe in so many seconds, or up to so many lines, and whether it has ended."""
    data, end = b"", time.monotonic() + seconds
    while (lines is None or data.count(b"\n") < lines) and (left := end - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return data, True
        data += piece
    return data, False


def remains() -> float:
    """Seconds until everything that our children left behind was gone; it is reaped. REMAINS when it stays."""
    began = time.monotonic()
    while (now := time.monotonic() - began) < REMAINS:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.002)
        except ChildProcessError:
            return now
    for pid in descendants(os.getpid()):
        stacks_of(pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return REMAINS


def _built(model: type[Model]) -> None:
    """The validators of all messages, which are else made where the first one is needed."""
    for one in model.__subclasses__():
        adapter(one)
        _built(one)


@dataclass(frozen=True, slots=True)
class Moment:
    """After so many lines of what it says, and so many seconds more: all of it is reached on a busy machine, too."""

    lines: int | None
    later: float

    def __str__(self) -> str:
        return f"line {self.lines} and {self.later * 1000:.0f} ms"


class Worker:
    """Plays scenes below one folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = warmed(folder / "home")
        self.lines: dict[str, int] = {}
        self.commits: dict[str, int] = {}
        self.hung = False
        """Whether a child came to no end in its time; where it was stands in our error output."""

    def parts(self, run: str) -> Parts:
        """Those of a fresh place."""
        workspace, home = self._folder / run / "workspace", self._folder / run / "home"
        furnish(workspace)
        environment = {**self._made.environment, "JP_TUI_HOME": str(home)}
        return replace(self._made, paths=Paths.of(environment), workspace=workspace, environment=environment)

    def measure(self) -> None:
        """Play each scene to its end: how much it says and how many commits it makes. What it had to load is loaded
        here from then on, so those that load most come first, and once more."""
        for name in ("local tool", "agents", *SCENES):
            self.warm(name)

    def warm(self, name: str) -> None:
        """Play one scene to its end."""
        said, _ = self._play(f"measured {name} {time.monotonic()}", SCENES[name], name, None)
        told = player.lines(said)
        loaded = [one for line in told for one in line.get("loaded", ())]
        assert loaded, f"{name} came to no end: {told[-5:]}"
        self.lines[name] = next(at for at, line in enumerate(told) if "done" in line)
        self.commits[name] = max(line.get("commit", 0) for line in told)
        for module in set(loaded) - set(sys.modules):
            try:
                importlib.import_module(module)
            except ImportError as problem:
                sys.stderr.write(f"{module} was loaded in a child and cannot be here: {problem}\n")
        _built(Model)
        print(flush=True)  # it gets on

    def _play(
        self, run: str, says: tuple[str, ...], seed: str, kill: player.Kill | Moment | None
    ) -> tuple[bytes, float]:
        """What the player said until it was killed, if it has not ended before; and the end of the time that it had,
        by its clock: what it waited for a CPU is not its own."""
        made = self.parts(run)
        os.chdir(made.workspace)
        at = kill if isinstance(kill, Moment) else Moment(None, PATIENCE)
        itself = kill if isinstance(kill, player.Kill) else None
        lost = stolen()
        child, pipe = forked(lambda into: player.play(made, says, into, seed, itself))
        said, ended = heard(pipe, PATIENCE, at.lines)
        if not ended and (at.lines is None or said.count(b"\n") < at.lines):
            self._hangs(child)
        elif not ended:
            more, ended = heard(pipe, at.later)
            said += more
        died, waited = time.monotonic(), starved(child)
        if not ended:
            os.kill(child, signal.SIGKILL)
            said += heard(pipe, PATIENCE)[0]
        os.waitpid(child, 0)
        os.close(pipe)
        for line in player.lines(said)[-1:]:
            if "starved" in line:  # it killed itself
                died, waited = line["at"], line["starved"]
        return said, died - waited - (stolen() - lost)

    def _hangs(self, child: int) -> None:
        stacks_of(child)
        self.hung = True

    def run(self, number: int, seed: int, scene: str, kill: player.Kill | None) -> dict[str, Any]:
        """One kill and what it left."""
        dice = random.Random(f"{seed}.{number}")
        at = kill or Moment(dice.randrange(self.lines[scene]), dice.choice([0.0, dice.uniform(0, 0.05)]))
        name = f"{number}"
        said, died = self._play(name, SCENES[scene], f"{seed}.{number}", at)
        told = player.lines(said)
        left = remains()
        made = replace(
            self._made,
            paths=Paths.of({"JP_TUI_HOME": str(self._folder / name / "home")}),
            workspace=self._folder / name / "workspace",
            environment={**self._made.environment, "JP_TUI_HOME": str(self._folder / name / "home")},
        )
        folder = self._folder / name

        def judge(into: int) -> None:
            verdict = judged(made, told, died, folder, goes_on=number % 3 == 0)
            os.write(into, json.dumps(verdict).encode())

        child, pipe = forked(judge)
        verdict, ended = heard(pipe, PATIENCE)
        if not ended:
            self._hangs(child)
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(pipe)
        found = json.loads(verdict) if verdict else {"found": ["the judge said nothing"], "figures": {}}
        if self.hung:
            found["found"].append(f"it came to no end in {PATIENCE:.0f} s; no more was tried. Said last: {told[-3:]}")
        if left >= REMAINS:
            found["found"].append(f"after {REMAINS:.0f} s there were processes left")
        if not found["found"]:
            shutil.rmtree(self._folder / name)
        return {
            "run": number,
            "scene": scene,
            "where": str(at),
            "what": "commits" if kill else "moments",
            "left": left,
            "died": not any("done" in line for line in told),
            **found,
        }


def kills(worker: Worker) -> Iterator[tuple[str, player.Kill]]:
    """Every commit of every scene, before and after."""
    for scene, count in worker.commits.items():
        for commit in range(1, count + 1):
            for before in (True, False):
                yield scene, player.Kill(commit, before)


def main() -> None:
    seed, first, last = map(int, sys.argv[1:])
    answers_with_stacks()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    # a kill leaves to the system's memory what was written, so that no disk is needed to see what is left of it
    folder = Path(tempfile.mkdtemp(prefix="kills-", dir=memory()))
    worker = Worker(folder)
    worker.measure()
    gc.freeze()  # a child that looks for garbage among what we share would have to copy it
    # by an order of each kill's own: how many commits a scene makes varies with the load, and moves no other kill
    every = sorted(kills(worker), key=lambda one: random.Random(f"{seed}.{one}").random())
    for number in range(first, last):
        pair = number // 2
        scene, kill = every[pair % len(every)] if number % 2 else (list(SCENES)[pair % len(SCENES)], None)
        print(json.dumps(worker.run(number, seed, scene, kill)), flush=True)
        if worker.hung:
            break
    with contextlib.suppress(OSError):
        shutil.rmtree(folder / "home")
        for measured in folder.glob("measured *"):
            shutil.rmtree(measured)
        folder.rmdir()  # what was found wrong stays there to be looked at


if __name__ == "__main__":
    main()
