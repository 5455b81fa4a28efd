"""`jp-tui store copy`: between a file and a server, killed and run again (store.md D8)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from jp_tui.journal.port import OUTSIDE, Copied, Journal
from jp_tui.journal.store import open_journal
from jp_tui.startup.store import copying
from jp_tui.system.lock import Holder, acquire, lock_path
from tests.fakes import postgres
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment, jp, lines
from tests.journal.made import at, begin, entry
from tests.sampling import whole

CONVERSATIONS, EVENTS = 24, 60
MANY, LONG, KILLS = (1_000, 500, 50) if whole() else (CONVERSATIONS, EVENTS, 4)
"""The whole has 1,000,000 events: a conversation has as many more as its number."""


def filled(journal: Journal, conversations: int = CONVERSATIONS, length: int = EVENTS) -> None:
    """Conversations of every kind."""
    for number in range(conversations):
        begin(journal, f"c{number}", number=number)
        events = [entry(one, turn=1 + one // 9) for one in range(length + number)]
        journal.append(f"c{number}", events, durable=False)
    journal.create("c0x", workspace="/v", model="m", at=at(3), parent="c0", title="a\0b")
    journal.append("c0x", [entry(1, kind="inquiry_request", inquiry="a.q.1")])
    journal.set_archived("c1", True)
    journal.hide("c2", at(9))
    journal.set_title("c3", "mine")
    journal.partial("c3", "p", "message", "half\0", durable=True)
    journal.save_draft("c3", "composer", "half a thought")
    journal.make(Copied("c4copy", "/w", "m", at(5), "t", "model", origin="c4", imported="jp-c1", copied=2))
    journal.append("c4copy", [entry(1), entry(2)])
    journal.reveal("c4copy")
    journal.make(Copied("unfinished", "/w", "m", at(5), "t"))
    asked = [entry(1, kind=OUTSIDE), entry(2, kind="inquiry_request", inquiry="ask.a.1")]
    for name in ("o1", "o2"):
        journal.ask_outside(name, asked, workspace="/w", at=at(1), title="t", admits=lambda _: None)
    journal.settle_outside("o1", "ask.a.1", [entry(3, kind="inquiry_response", inquiry="ask.a.1")]).result(LIMIT)


def copy(home: Path, source: str, target: str, limit: float = LIMIT) -> tuple[int, dict[str, Any], str]:
    words = ["store", "copy", "--from", source, "--to", target, "--json"]
    with Forked(words, env=environment(home), stdin=subprocess.DEVNULL) as child:
        out, err = child.communicate(b"", timeout=limit)
    return child.wait(), (lines(out.decode()) or [{}])[-1], err.decode()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A home with conversations in its file."""
    (tmp_path / "data").mkdir(mode=0o700)
    journal = open_journal(tmp_path / "data" / "conversations.db")
    filled(journal)
    journal.close()
    return tmp_path


def test_d8_there_and_back(source: Path, postgres_server: postgres.Server) -> None:
    url, back = postgres.emptied(postgres_server, "copied"), f"sqlite:{source}/back.db"
    status, first, said = copy(source, "sqlite", url)
    assert status == 0, said
    assert (first["type"], first["conversations"], first["skipped"]) == ("copied", CONVERSATIONS + 4, 0)
    status, second, said = copy(source, url, back)
    assert status == 0 and len({first["digest_from"], first["digest_to"], second["digest_to"]}) == 1, said
    assert first["events"] == second["events"]
    journal = open_journal(source / "back.db")
    row = journal.conversation("c4copy")
    assert row is not None and (row.origin, row.imported, row.copied, row.titled) == ("c4", "jp-c1", 2, "model")
    assert [one.id for one in journal.conversations(shown="deleted")] == ["c2"]
    assert [one.id for one in journal.conversations(shown="archived")] == ["c1"]
    assert journal.drafts("c3") == {"composer": "half a thought"} and journal.partials("c3")[0].text == "half\0"
    assert sorted(one.conversation for one in journal.open_inquiries()) == ["c0x", "o2"]
    assert journal.children("c0") == ["c0x"] and "unfinished" not in journal.everything()
    journal.append("c5", [entry(999)]).result(LIMIT)
    for name in ("c6", "c7"):
        journal.set_title(name, "renamed").result(LIMIT)
    journal.save_draft("c8", "composer", "typed there").result(LIMIT)
    journal.restore("c2").result(LIMIT)
    journal.close()
    status, third, _ = copy(source, url, back)
    assert status == 1 and third["differ"] == ["c5"] and third["skipped"] == CONVERSATIONS + 3
    assert third["digest_from"] == third["digest_to"], "titles and marks follow"
    status, fourth, _ = copy(source, back, url)
    assert status == 0 and fourth["events"] == 1, "what has grown is added"


def test_d8_one_of_the_same_length_with_other_events_is_not_touched(source: Path, tmp_path: Path) -> None:
    """It is found when both sides are read back, and keeps its drafts and marks."""
    other = open_journal(tmp_path / "other.db")
    begin(other, "c9", number=9)
    other.append("c9", [entry(one + 7) for one in range(EVENTS + 9)]).result(LIMIT)
    other.close()
    status, found, said = copy(source, "sqlite", f"sqlite:{tmp_path}/other.db")
    assert status == 1 and found["differ"] == ["c9"] and "c9 is there with other events" in said
    assert found["digest_from"] == found["digest_to"] and found["conversations"] == CONVERSATIONS + 3
    ran = jp(tmp_path, "store", "copy", "--from", "sqlite", "--to", f"sqlite:{tmp_path}/other.db")
    assert (
        ran.returncode == 1 and f"Copied 0 conversations with 0 events; {CONVERSATIONS + 3} were there." in ran.stdout
    )
    other = open_journal(tmp_path / "other.db")
    assert other.read("c9", limit=1)[0].entry == entry(7)
    other.close()


@pytest.mark.timeout(4_000 if whole() else 120)
def test_d8_killed_and_run_again(tmp_path: Path, postgres_server: postgres.Server) -> None:
    """Nothing twice, nothing missing, and hardly longer than in one go: what is there is passed over by its numbers."""
    limit = 1_800 if whole() else LIMIT
    (tmp_path / "data").mkdir(mode=0o700)
    journal = open_journal(tmp_path / "data" / "conversations.db")
    filled(journal, MANY, LONG)
    journal.close()
    began = time.monotonic()
    status, found, said = copy(tmp_path, "sqlite", postgres.emptied(postgres_server, "unbroken"), limit)
    assert status == 0, said
    unbroken, took, chance = time.monotonic() - began, 0.0, random.Random(21)
    url = postgres.emptied(postgres_server, "copied")
    words = ["store", "copy", "--from", "sqlite", "--to", url, "--json"]
    made = "SELECT count(*) FROM jp_tui.conversations"
    import psycopg

    looks = psycopg.connect(url, autocommit=True)  # one connection: to open many would slow down what is timed
    for number in range(1, KILLS + 1):
        began = time.monotonic()
        with Forked(
            words,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as child:
            wanted = MANY * number // (KILLS + 1) - chance.randint(0, 3)
            while (looks.execute(made).fetchone() or (0,)) < (wanted,):
                assert time.monotonic() < began + limit
                time.sleep(0.02)
            child.send_signal(signal.SIGKILL)
            child.wait(LIMIT)
        took += time.monotonic() - began
        postgres_server.sql("UPDATE jp_tui.leases SET expires = '-infinity'", "copied")
    looks.close()
    began = time.monotonic()
    status, again, said = copy(tmp_path, "sqlite", url, limit)
    took += time.monotonic() - began
    assert status == 0 and again["digest_from"] == again["digest_to"] == found["digest_to"], said
    assert postgres_server.sql(made, "copied") == [(MANY + 4,)]
    assert again["conversations"] + again["skipped"] == MANY + 4
    print(
        f"{found['events']:,} events, {KILLS} kills: {took:.1f} s, unbroken {unbroken:.1f} s, {took / unbroken:.2f} x"
    )
    if whole():
        assert took <= 1.3 * unbroken


def test_d8_one_that_is_held_is_left_out(
    source: Path, postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import RunLocation

    class Output:
        as_json = True

        def __init__(self) -> None:
            self.said: list[Any] = []

        def line(self, found: Any) -> None:
            self.said.append(found)

        tell = line

    monkeypatch.setenv("JP_TUI_HOME", str(source))
    monkeypatch.setattr(copying, "HELD_SECONDS", 0.0)
    arguments = CommandLine("store copy", source="sqlite", to=postgres.emptied(postgres_server, "copied"))
    place = RunLocation(arguments)
    held = acquire(lock_path(place.paths.locks, "c7"), Holder.me("somebody", "now"))
    output = Output()
    assert copying.store_copy(arguments, place.sources.load(), place, output) == 1  # type: ignore[arg-type]
    assert (
        "c7 is left out: held by somebody" in output.said[0] and output.said[-1]["conversations"] == CONVERSATIONS + 3
    )
    held.release()  # type: ignore[union-attr]
    output = Output()
    assert copying.store_copy(arguments, place.sources.load(), place, output) == 0  # type: ignore[arg-type]
    assert os.environ["JP_TUI_HOME"] == str(source) and output.said[-1]["conversations"] == 1


def test_d8_what_is_refused(tmp_path: Path) -> None:
    for words in (["--from", "sqlite"], ["--from", "sqlite", "--to", "sqlite"], []):
        assert jp(tmp_path, "store", "copy", *words).returncode == 2
    ran = jp(tmp_path, "store", "copy", "--from", "sqlite:/nowhere/c.db", "--to", "sqlite")
    assert ran.returncode == 2 and "/nowhere/c.db" in ran.stderr
    ran = jp(tmp_path, "store", "copy", "--from", "sqlite:x", "--to", "postgresql://me:pw@h/x")
    assert ran.returncode == 2 and "pw" not in ran.stderr.replace("password", "").replace("pgpass", "")
