"""`[schedule.NAME]` and `jp-tui serve` (store.md D23): begun at its time, nobody attached; bad input."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jp_tui.engine.session.worker_presence import presence
from jp_tui.system.lock import holder, lock_path
from tests.fakes.clock import Clock
from tests.headless.asking_tools import configure, question
from tests.headless.forked import CLOCK
from tests.headless.running import jp, lines, log
from tests.headless.serving import Serving
from tests.headless.test_serve import wait_for

NINE = datetime(2026, 11, 23, 9, 0, 1, tzinfo=UTC)
ID = "nightly.20261123T100000Z"


def scheduled(home: Path, model: str = "", name: str = "nightly", **more: str) -> None:
    """Add a schedule to the user's file, each hour in the folder `w`; a key that is empty is left out."""
    folder = home / "w"
    folder.mkdir(exist_ok=True)
    keys = {"cron": "0 * * * *", "prompt": "go", "workspace": str(folder), "timezone": "UTC", "model": model, **more}
    (home / "config").mkdir(exist_ok=True)
    with open(home / "config" / "config.toml", "a") as file:
        file.write(f"\n[schedule.{name}]\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in keys.items() if value)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path / "clock", NINE)


@pytest.fixture
def serving(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Serving]]:
    """Starts a worker, which has looked at its schedules once."""
    running: list[Serving] = []

    def start(*words: str, as_json: bool = True) -> Serving:
        running.append(Serving(tmp_path, "serve", *words, as_json=as_json, **{CLOCK: str(clock.path)}))
        seen = lock_path(tmp_path / "data" / "locks", presence("", str(tmp_path / "w")))
        wait_for(lambda: holder(seen) is not None)
        return running[-1]

    yield start
    for one in running:
        one.kill()


def test_d23_a_due_time_begins_a_conversation(tmp_path: Path, clock: Clock, serving: Callable[..., Serving]) -> None:
    """With the schedule's title, folder and model. Its question waits, and it goes on like any other turn."""
    model = configure(tmp_path, {"later": {"ask": question(), "detached": "defer"}})
    scheduled(tmp_path, model)
    worker = serving()
    ready = worker.until("ready")
    assert ready["schedules"] == ["nightly"] and ready["workspaces"][1:] == [str(tmp_path / "w")]
    clock.now = NINE + timedelta(hours=1)
    due = "2026-11-23T10:00:00+00:00"
    assert worker.line() == {"type": "scheduled", "name": "nightly", "due": due, "conversation": ID}
    end = worker.until("turn_end")
    assert (end["outcome"], end["conversation"], end["resumed"]) == ("deferred", ID, False)
    (row,) = lines(jp(tmp_path, "conversations", "list", "--workspace", str(tmp_path / "w"), "--json").stdout)
    assert (row["id"], row["title"], row["model"]) == (ID, "nightly, 2026-11-23 10:00", model)
    assert log(tmp_path, ID)[0]["metadata"]["schedule"] == {"name": "nightly", "due": due}
    (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert jp(tmp_path, "answer", f"{ID}/{waits['id']}", "yes").returncode == 0
    assert worker.until("resumed")["conversation"] == ID
    assert worker.until("turn_end")["outcome"] == "done"
    assert [event["type"] for event in log(tmp_path, ID)].count("chat_request") == 1
    assert worker.end() == 0


def test_d23_what_isnt_begun_is_said(tmp_path: Path, clock: Clock, serving: Callable[..., Serving]) -> None:
    """In words, for a person: what began, what has no worker here, and why a schedule can't begin."""
    scheduled(tmp_path, configure(tmp_path, {}))
    scheduled(tmp_path, "demo/nowhere.toml", "broken")
    (tmp_path / "other").mkdir()
    scheduled(tmp_path, name="elsewhere", workspace=str(tmp_path / "other"))
    worker = serving("--workspace", str(tmp_path / "w"), as_json=False)
    clock.now = NINE + timedelta(hours=1)
    said = worker.text_until("done.")
    assert "Schedules: nightly, broken." in said
    assert f"Began {ID}, due at 2026-11-23T10:00:00+00:00." in said and f"Turn 1 of {ID}: done." in said
    err = worker.said()
    assert f"schedule.elsewhere needs a worker for {tmp_path / 'other'}." in err
    assert "broken.20261123T100000Z isn't begun: " in err and "nowhere.toml" in err


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("cron", "61 * * * *", '"61 * * * *" can\'t be used: bad minute'),
        ("cron", "@daily", "expected five fields"),
        ("cron", "", "has no cron"),
        ("workspace", "/no/such/folder", "the workspace /no/such/folder can't be read"),
        ("workspace", "w", "expected a folder as an absolute path"),
        ("workspace", "", "has no workspace"),
        ("prompt", " ", "expected text that is not empty"),
        ("timezone", "Nowhere/City", "unknown time zone"),
        ("overlap", "both", "allowed: skip, queue"),
        ("missed", "all", "allowed: once, skip"),
    ],
)
def test_d23_bad_input_names_the_schedule_and_the_line(tmp_path: Path, key: str, value: str, said: str) -> None:
    """Exit 2, before anything starts. The doctor says the same."""
    scheduled(tmp_path, **{key: value})
    ran = jp(tmp_path, "serve")
    lines = (tmp_path / "config" / "config.toml").read_text().splitlines()
    number = next(at for at, line in enumerate(lines, 1) if line.startswith(f"{key} = " if value else "[schedule"))
    place = f"{tmp_path}/config/config.toml:{number}:"
    assert ran.returncode == 2 and place in ran.stderr and said in ran.stderr, ran.stderr
    assert f"schedule.nightly{f'.{key}' if value else ''}: " in ran.stderr


def test_d23_the_doctor_checks_schedules(tmp_path: Path) -> None:
    scheduled(tmp_path)
    scheduled(tmp_path, name="lost", workspace=str(tmp_path / "gone"))
    ran = jp(tmp_path, "doctor")
    assert "schedule.lost.workspace: the workspace" in ran.stdout and ran.returncode == 1


def test_d23_a_folders_file_sets_no_schedule(tmp_path: Path) -> None:
    """Trusted or not (S10)."""
    (tmp_path / "w" / ".jp-tui").mkdir(parents=True)
    said = f'[schedule.mine]\ncron = "* * * * *"\nprompt = "x"\nworkspace = "{tmp_path}"\n'
    (tmp_path / "w" / ".jp-tui" / "config.toml").write_text(said)
    ran = jp(tmp_path, "config", "show", "schedule", "--workspace", str(tmp_path / "w"))
    assert "mine" not in ran.stdout


def test_d23_names(tmp_path: Path) -> None:
    scheduled(tmp_path, name='"Every Day"')
    ran = jp(tmp_path, "serve")
    assert ran.returncode == 2 and "lower-case letters" in ran.stderr
