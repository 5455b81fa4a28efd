"""Agents and answerers on two machines share one store; agents, answerers and the server are killed, and one machine is
cut off (store.md D9, D10).

The record is read afterwards: each question has one answer, each answer that was reported as accepted is that one, no
call was begun twice, and numbers have no gaps.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.journal.postgres.store import open_store
from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.faults.namespace import HERE, THERE, Namespace, namespace
from tests.faults.store_player import BEGUN, LEASE_SECS
from tests.sampling import whole

AGENTS, QUESTIONS, ANSWERERS, KILLS, CRASHES, CUTS = (50, 40, 10, 100, 8, 8) if whole() else (4, 6, 3, 9, 2, 1)
LIMIT = 3_000.0 if whole() else 100.0
CUT_SECONDS = 2.0 * LEASE_SECS
"""How long a machine is cut off: its leases expire meanwhile."""
PROJECT = Path(__file__).parents[2]
SETTINGS = ("fsync=on", "max_connections=300", "shared_buffers=32MB")


class Cable:
    """Between the machine `m1` and the server: a network namespace, or a proxy where there can be none."""

    def __init__(self, server: postgres.Server, network: Namespace | None) -> None:
        self.network, self.proxy = network, None if network is not None else Proxy(server)
        url = self.proxy.url("players") if self.proxy is not None else f"postgresql://{postgres.OWNER}@{HERE}/players"
        self.url = url if self.proxy is not None else f"{url}?sslmode=disable"
        self.cuts, self.cut_until = 0, 0.0

    @property
    def command(self) -> list[str]:
        return self.network.command if self.network is not None else []

    def pull(self) -> None:
        self.cuts, self.cut_until = self.cuts + 1, time.monotonic() + CUT_SECONDS
        if self.network is not None:
            self.network.pull()
        elif self.proxy is not None:
            self.proxy.passing.clear()

    def look(self) -> None:
        """Plug it in again once its time is over."""
        if self.cut_until and time.monotonic() > self.cut_until:
            self.plug()

    def plug(self) -> None:
        self.cut_until = 0.0
        if self.network is not None:
            self.network.plug()
        elif self.proxy is not None:
            self.proxy.cut_all()
            self.proxy.passing.set()


@contextlib.contextmanager
def clustered() -> Iterator[tuple[postgres.Server, Cable]]:
    """A server that syncs, and the cable to it."""
    with namespace() as network:
        settings = SETTINGS if network is None else (*SETTINGS, f"listen_addresses={HERE}")
        with postgres.running(settings, f"host all all {THERE}/32 trust" if network is not None else "") as server:
            postgres.emptied(server, "players")
            yield server, Cable(server, network)


@pytest.mark.skipif(
    not whole() and os.environ.get("JP_TUI_POSTGRES") != "required",
    reason="a lane of .ci/run: JP_TUI_POSTGRES=required",
)
@pytest.mark.slow
@pytest.mark.timeout(int(LIMIT) + 120)
def test_each_question_gets_one_answer_whoever_is_killed(tmp_path: Path) -> None:
    """While a machine is cut off, the agents of some of its conversations begin on the other one, too."""
    chance = random.Random(21)
    with clustered() as (server, cable):
        url = server.url("players")
        words = {
            **{f"a{n:02}": ("agent", f"m{n % 2}", f"a{n:02}", str(QUESTIONS)) for n in range(AGENTS)},
            **{f"w{n}": ("answerer", f"m{n % 2}", f"w{n}", "7", str(tmp_path / f"w{n}")) for n in range(ANSWERERS)},
        }
        children: dict[str, subprocess.Popen[bytes]] = {}

        def start(name: str) -> None:
            role, machine, *rest = words[name]
            far = machine == "m1"
            command = [sys.executable, "-m", "tests.faults.store_player", role, cable.url if far else url, machine]
            children[name] = subprocess.Popen([*(cable.command if far else []), *command, *rest], cwd=PROJECT)

        def busy() -> list[str]:
            return [name for name in words if name[0] == "a" and children[name].poll() is None]

        def cut() -> None:
            cable.pull()
            for name in [name for name in busy() if words[name][1] == "m1"][:5]:
                if (twin := f"{name} twin") not in words:
                    words[twin] = ("agent", "m0", *words[name][2:])
                    start(twin)

        for name in words:
            start(name)
        kills = crashes = 0
        until = time.monotonic() + LIMIT
        try:
            while (running := busy()) or kills < KILLS:
                assert time.monotonic() < until, (kills, crashes, running)
                cable.look()
                if kills < KILLS and progress(server) >= (kills + 1) / (KILLS + 2):
                    name = chance.choice([*running, *(one for one in words if one[0] == "w")])
                    children[name].kill()
                    children[name].wait()
                    start(name)
                    kills += 1
                    if crashes < CRASHES and kills % (KILLS // CRASHES) == 0:
                        crash(server)
                        crashes += 1
                    elif cable.cuts < CUTS and not cable.cut_until and kills % (KILLS // (CUTS + 1)) == 1:
                        cut()
                elif running:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        children[running[0]].wait(0.05)
        finally:
            cable.plug()
            for child in children.values():
                child.kill()
                child.wait()
        assert (kills, crashes, cable.cuts) == (KILLS, CRASHES, CUTS)
        assert all(children[name].returncode in (0, -9) for name in words)
        judged(url, tmp_path)
        print(f"{kills} kills, {crashes} crashes of the server, {cable.cuts} cuts by {cable.command[:2] or 'a proxy'}")


def progress(server: postgres.Server) -> float:
    """The share of all events that is on record."""
    ((count,),) = server.sql("SELECT count(*) FROM jp_tui.events", "players")
    return int(str(count)) / (4 * AGENTS * QUESTIONS)


def crash(server: postgres.Server) -> None:
    """The server is killed: its sessions end with it, and it starts again once the last one has."""
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    until = time.monotonic() + 60
    while True:
        try:
            server.start()
            return
        except AssertionError:  # a session still ends
            assert time.monotonic() < until


def judged(url: str, folder: Path) -> None:
    journal = open_store(postgres.settings_of(url))
    answers: dict[str, str] = {}
    for number in range(AGENTS):
        name = f"a{number:02}"
        events = journal.read(name, limit=100_000)
        assert [one.seq for one in events] == list(range(1, 4 * QUESTIONS + 1)), name
        found = Counter((one.entry.inquiry, one.entry.kind) for one in events)
        assert set(found.values()) == {1} and len(found) == 4 * QUESTIONS, "one of each for each question"
        assert sum(kind == BEGUN for _, kind in found) == QUESTIONS
        answers |= {
            one.entry.inquiry or "": one.entry.payload for one in events if one.entry.kind == "inquiry_response"
        }
    assert journal.open_inquiries() == []
    reported = 0
    for file in folder.glob("w*"):
        for line in file.read_text().splitlines():
            inquiry, payload = line.split("\t")
            assert answers[inquiry] == payload, "an answer that was reported as accepted is on record"
            reported += 1
    assert reported > 0
    fences = journal._all("SELECT count(*) FROM (SELECT fence, max(fence) OVER (PARTITION BY conversation ORDER BY seq)"
                          " AS most FROM jp_tui.events) AS e WHERE fence < most")  # fmt: skip
    assert fences == [(0,)], "nothing of a former holder came after its successor"
    journal.close()
