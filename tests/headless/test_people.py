"""`jp-tui people`, `people away` and `people back` (store.md D17)."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.fakes import postgres
from tests.headless.running import jp, lines

DATABASE = "away"


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["back"], 2, "only you use this store"),
        (["bck"], 2, "Did you mean back?"),
        (["away"], 2, "2026-12-24"),
        (["away", "--until", "soon"], 2, "2026-12-24"),
        (["away", "--until", "2020-01-01"], 2, "in the past"),
        (["away", "--until", "9999-12-31T23:59+99:99"], 2, "--until needs"),
        (["back", "--deputy", "lead"], 2, "people away"),
        (["away", "--until", "2999-01-01", "--deputy", "lead"], 2, "only you"),
    ],
)
def test_d17_a_store_of_one_person_and_bad_words(tmp_path: Path, words: list[str], status: int, said: str) -> None:
    ran = jp(tmp_path, "people", *words)
    assert ran.returncode == status and said in ran.stderr, ran.stderr


def test_d17_one_person_of_a_file(tmp_path: Path) -> None:
    (one,) = lines(jp(tmp_path, "people", "--json").stdout)
    assert (one["kind"], one["groups"], one["away_until"], one["you"]) == ("owner", [], None, True)


def test_d17_away_and_back(tmp_path: Path, postgres_server: postgres.Server) -> None:
    postgres.peopled(postgres_server, DATABASE)

    def run(role: str, *words: str) -> CompletedProcess[str]:
        return jp(tmp_path, "--store", postgres_server.url(DATABASE, role), "people", *words, TZ="UTC")

    ran = run("lead", "away", "--until", "2999-12-24", "--deputy", "third")
    assert (ran.returncode, ran.stdout) == (0, "You are away until 2999-12-24 00:00; third answers too.\n"), ran.stderr
    shown = run("second").stdout.splitlines()
    assert shown == [
        "ada, owner",
        "lead, ops, away until 2999-12-24 00:00; third answers too",
        "second (you), ops",
        "third",
    ]
    ran = run("third", "away", "--until", "2999-12-24T09:30", "--deputy", "lead")
    assert (ran.returncode, ran.stdout) == (1, "") and "lead is away, too" in ran.stderr
    ran = run("third", "away", "--until", "2999-12-24T09:30", "--json")
    assert lines(ran.stdout)[0]["away_until"] == "2999-12-24 09:30:00" and "what asks lead waits" in ran.stderr
    for wrong in ("builder", "nobody", "second"):
        ran = run("second", "away", "--until", "2999-12-24", "--deputy", wrong)
        assert ran.returncode == 1 and ("isn't a person" in ran.stderr or "your own deputy" in ran.stderr)
    assert run("lead", "back").stdout == "You are back.\n" == run("lead", "back").stdout
    ran = run("builder", "back")
    assert ran.returncode == 1 and "builder isn't a person" in ran.stderr
    assert [one["away_until"] for one in lines(run("ada", "--json").stdout)].count(None) == 3
