"""`jp-tui conversations …` as a user and a script run them (surface S1, S2): what is printed where, and how it ends."""

from __future__ import annotations

import json
import signal
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jp_tui.startup import run
from jp_tui.system.lock import Holder, acquire, lock_path
from tests.headless.running import ROOT, command, environment, lines
from tests.limits import LIMIT

Ran = tuple[int, str, str]
Cli = Callable[..., Ran]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Run `jp-tui conversations …` here: its status, what it printed, what it said."""
    for name, value in environment(tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JP_USER_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)

    def ran(*words: str) -> Ran:
        status = run(["conversations", *words])
        out, err = capfd.readouterr()
        return status, out, err

    return ran


def sample(folder: Path, *texts: str, name: str = "17000000001-a-talk") -> Path:
    place = folder / name
    place.mkdir(parents=True)
    events: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        at = {"timestamp": f"2026-01-01 10:00:{number % 60:02d}.0"}
        events += [
            {**at, "type": "turn_start"},
            {**at, "type": "chat_request", "content": text},
            {**at, "type": "chat_response", "message": f"On {text}."},
        ]
    (place / "events.json").write_text(json.dumps(events))
    return place


def brought(cli: Cli, tmp_path: Path) -> str:
    """A conversation of two turns; its id."""
    status, out, _ = cli("import", str(sample(tmp_path / "jp", "Zebras\x1b[2J", "Giraffes")), "--json")
    assert status == 0
    (row,) = lines(out)
    return str(row["id"])


def test_import_says_what_came_what_was_here_and_what_cannot_be_read(cli: Cli, tmp_path: Path) -> None:
    sample(tmp_path / "jp", "Zebras\x1b[2J")
    (tmp_path / "jp" / "17000000002-bad").mkdir()
    (tmp_path / "jp" / "17000000002-bad" / "events.json").write_text("{")
    status, out, err = cli("import", str(tmp_path / "jp"))
    assert status == 0 and "1 imported.\n" in out and "jp-c17000000001" in out and "\x1b" not in out
    assert "17000000002-bad/events.json: isn't a JSON array" in err
    status, out, err = cli("import", str(tmp_path / "jp"), "--json")
    assert status == 0 and "17000000002-bad" in err
    assert [sorted(row) for row in lines(out)] == [["events", "path", "problem"]]
    assert cli("import", str(tmp_path / "jp" / "17000000002-bad"))[0] == 1
    status, out, err = cli("import", str(tmp_path / "nowhere"))
    assert status == 2 and not out and "does not exist" in err


def test_search_prints_hits_and_ends_with_1_for_none(cli: Cli, tmp_path: Path) -> None:
    id_ = brought(cli, tmp_path)
    status, out, err = cli("search", "giraf")
    assert status == 0 and not err
    assert out.splitlines()[0].startswith(id_) and "     6  On Giraffes." in out and "     5  Giraffes" in out
    (row,) = lines(cli("search", "on giraffes", "--json")[1])
    assert row["info"]["id"] == id_ and row["hits"][0]["marks"] == [[0, 2], [3, 11]]
    status, out, err = cli("search", "okapi")
    assert (status, out) == (1, "") and "No matches" in err
    assert cli("search", '"*') == (1, "", "No matches.\n")
    assert "\x1b" not in cli("search", "zebras")[1]


def test_a_fork_is_a_conversation_of_its_own(cli: Cli, tmp_path: Path) -> None:
    id_ = brought(cli, tmp_path)
    status, out, _ = cli("fork", id_[:6], "--at", "3", "--json")
    (row,) = lines(out)
    assert status == 0 and row["forked_from"] == id_ and row["forked_at"] == 3
    kinds = [event["type"] for event in lines(cli("show", row["id"], "--json")[1])]
    assert kinds == ["turn_start", "chat_request", "chat_response", "turn_outcome"]
    assert cli("fork", id_)[1].split()[1:] == ["from", id_, "at", "7"]
    for words in (("--at", "99"), ("--at", "0"), ("--at", "x")):
        status, out, err = cli("fork", id_, *words)
        assert status == 2 and not out and "event" in err
    assert cli("fork", "nowhere")[0] == 2


def test_rename_archive_and_rm_with_their_undo(cli: Cli, tmp_path: Path) -> None:
    id_ = brought(cli, tmp_path)

    def listed(*words: str) -> list[str]:
        return [row["title"] for row in lines(cli("list", "--json", *words)[1])]

    assert cli("rename", id_, "Okapis")[1] == f"{id_} renamed to Okapis\n" and listed() == ["Okapis"]
    assert cli("archive", id_)[0] == 0 and (listed(), listed("--archived")) == ([], ["Okapis"])
    assert cli("archive", id_, "--undo")[0] == 0 and listed() == ["Okapis"]
    status, out, err = cli("rm", id_)
    assert status == 0 and "deleted: " in out and f"rm --undo {id_}" in err
    assert (listed(), listed("--deleted")) == ([], ["Okapis"])
    assert cli("rm", "--undo", id_)[0] == 0 and listed() == ["Okapis"]
    assert cli("rm", "--now", "--undo", id_)[0] == 2 == cli("list", "--archived", "--deleted")[0]
    assert cli("rm", "--now", id_)[1].startswith(f"{id_} permanently deleted")
    assert listed("--deleted") == [] and cli("rm", "--undo", id_)[0] == 2
    assert cli("list", "--deleted")[1] == "No deleted conversations.\n"


def test_what_another_holds_is_refused_with_its_name(cli: Cli, tmp_path: Path) -> None:
    """S12."""
    id_ = brought(cli, tmp_path)
    (locks,) = {path.parent for path in (tmp_path / "home").rglob("*.lock")} or {tmp_path / "home" / "state" / "locks"}
    held = acquire(lock_path(locks, id_), Holder.me("jp-tui elsewhere", "noon"))
    assert not isinstance(held, Holder)
    for words in (("rename", id_, "x"), ("archive", id_), ("rm", id_)):
        status, out, err = cli(*words)
        assert status == 2 and not out and "jp-tui elsewhere" in err
    held.release()


def test_export_in_each_format_to_a_file_that_is_ones_own(cli: Cli, tmp_path: Path) -> None:
    id_ = brought(cli, tmp_path)
    assert "## You\n\nGiraffes\n" in cli("export", id_)[1]
    assert len(json.loads(cli("export", id_, "--json")[1])["events"]) == 7
    file = tmp_path / "talk.html"
    status, out, err = cli("export", id_, "--format", "html", "--output", str(file))
    assert status == 0 and not out and str(file) in err
    assert file.read_text().startswith("<!doctype html>") and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*html*")] == ["talk.html"]
    assert cli("export", id_, "--output", str(tmp_path / "no" / "x"))[0] == 1
    assert cli("export", id_, "--format", "pdf")[0] == 2 == cli("export", "nowhere")[0]
    assert not list(tmp_path.glob(".jp-tui-*"))


def test_ctrl_c_undoes_an_import(tmp_path: Path) -> None:
    """S1: 130, and nothing of what was begun is left."""
    sample(tmp_path / "jp", *(f"text {number}" for number in range(30_000)))
    words = command("conversations", "import", str(tmp_path / "jp"))
    home = tmp_path / "home"
    with subprocess.Popen(words, env=environment(home), cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("Importing: 0 of 1  17000000001-a-talk")
        running.send_signal(signal.SIGINT)
        assert "Traceback" not in running.stderr.read()
        assert running.wait(LIMIT) == 130
    with sqlite3.connect(home / "data" / "conversations.db") as db:
        assert db.execute("SELECT count(*) FROM conversations WHERE hidden <> 'making'").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM events").fetchone() == (0,)
    db.close()
