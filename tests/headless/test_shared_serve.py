"""`jp-tui serve` on a store on a server that can't be written: a full disk, a schema that is newer by now (store.md D7,
D20, D24)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.fakes import postgres
from tests.headless.asking_tools import configure, question
from tests.headless.running import LIMIT, jp, lines
from tests.headless.serving import Serving

LATER: dict[str, Any] = {"later": {"ask": question({"type": "text"}), "detached": "defer"}}
DATABASE = "shared_serve"
OPEN = "SELECT count(*) FROM jp_tui.events WHERE kind = 'turn_outcome'"


def answered(home: Path, value: str, **more: str) -> None:
    """A conversation whose question is answered with `value`; its tool counts its runs with an answer."""
    model = configure(home, LATER)
    tool = home / "ask.py"
    counts = f"with open({str(home / 'runs')!r}, 'a') as file:\n        file.write('x')"
    tool.write_text(tool.read_text().replace("else:", f"else:\n    {counts}", 1))
    assert jp(home, "query", "--model", model, "go", **more).returncode == 3
    (waits,) = lines(jp(home, "inquiries", "--pending", "--json", **more).stdout)
    answer = jp(home, "answer", f"{waits['conversation']}/{waits['id']}", value, **more)
    assert answer.returncode == 0, answer.stderr


def runs(home: Path) -> int:
    """How often the tool ran with its answer."""
    return len((home / "runs").read_text()) if (home / "runs").exists() else 0


def test_d24_a_worker_and_a_full_disk(tmp_path: Path) -> None:
    """It repeats the server's words, and stays. With room again the turn is carried on; a call whose mark had room, and
    whose result hadn't, is asked about (D21)."""
    with postgres.small_disk() as (server, fill, rest):
        more = {"JP_TUI_STORE": server.url(postgres.SMALL)}
        answered(tmp_path, os.urandom(60_000).hex(), **more)  # its result can't be compressed into a page with room
        fill()
        worker = Serving(tmp_path, "serve", **more)
        assert worker.until("turn_end")["outcome"] == "failed"
        assert "No space left on device" in worker.problem()
        assert worker.process.poll() is None
        rest.unlink()
        assert worker.end() == 0
        assert server.sql(OPEN, postgres.SMALL) == [(0,)]
        second = Serving(tmp_path, "serve", **more)
        if runs(tmp_path):
            assert second.until("turn_end")["outcome"] == "deferred"
            (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json", **more).stdout)
            assert waits["question"]["text"] == "later may have run when its worker went away."
            assert jp(tmp_path, "answer", f"{waits['conversation']}/{waits['id']}", "failed", **more).returncode == 0
        assert second.until("turn_end")["outcome"] == "done"
        assert second.end() == 0 and runs(tmp_path) == 1


def test_d7_a_worker_that_the_schema_overtakes_ends_with_1(tmp_path: Path, postgres_server: postgres.Server) -> None:
    """It says why and starts nothing more; the turn is there for a newer worker."""
    more = {"JP_TUI_STORE": postgres.emptied(postgres_server, DATABASE)}
    version = "UPDATE jp_tui.schema_version SET version = {0}, oldest_client = {0}"
    worker = Serving(tmp_path, "serve", **more)
    try:
        answered(tmp_path, "yes", **{**more, "JP_TUI_STORE__MACHINE": '"another"'})
        assert (ready := worker.line()) is not None and ready["type"] == "ready"
        events = postgres_server.sql("SELECT count(*) FROM jp_tui.events", DATABASE)
        postgres_server.sql(version.format(7), DATABASE)
        assert [one["type"] for one in worker.lines(LIMIT)] == ["stopped"]
        assert worker.process.wait(LIMIT) == 1
        said = worker.problem()
        assert "has a newer schema now. Nothing more is recorded here. Restart with a newer jp-tui." in said
        assert said.count("jp-tui serve:") == 1
        assert postgres_server.sql("SELECT count(*) FROM jp_tui.events", DATABASE) == events
        again = jp(tmp_path, "serve", **more)
        assert again.returncode == 2 and "schema 7" in again.stderr
    finally:
        postgres_server.sql(version.format(2), DATABASE)
        worker.kill()
    second = Serving(tmp_path, "serve", JP_TUI_SERVE__ANY_MACHINE="true", **more)
    assert second.until("turn_end")["outcome"] == "done" and runs(tmp_path) == 1
    assert second.end() == 0
