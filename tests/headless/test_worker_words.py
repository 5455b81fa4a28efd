"""A worker is named as one: in the inbox, in /agents and in lines (store.md D20, D21)."""

from __future__ import annotations

from jp_tui.engine.session.worker_presence import presence, worker_of
from jp_tui.headless.inbox import agent_lines
from jp_tui.protocol.outside import AgentsRead
from jp_tui.protocol.worker import by_worker
from jp_tui.view.questions.inbox_lines import short

HERE = "jp-tui serve (process 12 on laptop, since 2026-01-01 00:00 UTC)"
THERE = "ada on laptop (jp-tui serve, process 12) since 2026-01-01 00:00 UTC"


def test_a_holder_that_is_a_worker() -> None:
    assert by_worker(HERE) and by_worker(THERE)
    assert short(HERE) == short(THERE) == "a worker"
    assert not by_worker("jp-tui (process 12 on laptop)") and short("jp-tui (process 12)") == "jp-tui"


def test_lines_name_it() -> None:
    (line,) = agent_lines(AgentsRead(worker=HERE), 0.0)
    assert "Worker: resumes turns of this folder" in line and "process 12" in line


def test_d21_a_worker_is_looked_for_on_the_machine_and_on_any() -> None:
    held = {presence("", "/w"): "any"}
    assert worker_of("laptop", "/w", lambda names: {name: held[name] for name in names if name in held}) == "any"
    held[presence("laptop", "/w")] = "mine"
    assert worker_of("laptop", "/w", lambda names: {name: held[name] for name in names if name in held}) == "mine"
    assert worker_of("laptop", "/v", lambda names: {name: held[name] for name in names if name in held}) == ""
