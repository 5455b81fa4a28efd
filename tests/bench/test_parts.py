"""The benchmark's own arithmetic, model and seeds; no time is looked at."""

from __future__ import annotations

import asyncio
import importlib
import json
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from jp_tui.journal.reader import open_reader
from jp_tui.providers.scripted.script import read_script
from tests.bench import day, holds, saved, setting, sheets, store, vast
from tests.bench.__main__ import PARTS, run
from tests.bench.model import tokens
from tests.bench.program import Never, NotHere, Program
from tests.bench.report import Row, p95, table
from tests.bench.setting import Bench

ROOT = Path(__file__).resolve().parents[2]


def test_percentile_by_nearest_rank() -> None:
    assert p95([float(one) for one in range(1, 101)]) == 95.0
    assert p95([3.0, 1.0, 2.0]) == 3.0
    assert p95([7.0]) == 7.0


def test_ratios_compare_medians_or_tails() -> None:
    ours, theirs = [0.2, 0.4, 0.9], [0.2, 0.2, 0.3]
    assert Row("x", ours, theirs).ratio == pytest.approx(2.0)
    assert Row("x", ours, theirs, tail=True).ratio == pytest.approx(3.0)
    assert Row("x", ours, [0.0]).ratio is None
    assert Row("x", [], theirs).ratio is None


def test_the_table_shows_what_was_measured() -> None:
    rows = [
        Row("start", [0.2, 0.4, 0.9], [0.2] * 3, goal=1.5, runs=6),
        Row("written", [0], [26_070], unit="B", runs=2_000, failed=3),
        Row("menu", [0.04, 0.05], [0.02] * 2, within=0.1, runs=1),
    ]
    text = table([row.summed() for row in rows] + [{"what": "disk", "not_here": "no disk"}])
    _, _, start, written, menu, disk = text.splitlines()
    assert len({line.count("|") for line in text.splitlines()}) == 1
    assert (
        start
        == "| start, median, ms | 400 (200–900) | bare app | 200 (200–200) | 3 | 6 | **2.00** | ≤ 1.5 | **missed** |"
    )
    assert menu.endswith("| **2.25** | ours ≤ 100 ms | met |")
    assert "| 26,070 (26,070–26,070) | 1 | 2,000, 3 failed | **0.00** |  |  |" in written
    assert disk.startswith("| disk | not run here: no disk | ")


def test_a_goal_is_met_or_missed() -> None:
    ours, theirs = [0.2, 0.4, 0.9], [0.2, 0.2, 0.3]
    assert Row("x", ours, theirs).met is None
    assert Row("x", ours, theirs, goal=2.0).met is True
    assert Row("x", ours, theirs, goal=1.9).met is False
    assert Row("x", ours, theirs, goal=2.0, within=0.3).met is False, "each of its goals counts"
    assert Row("x", ours, theirs, within=0.5, tail=True).met is False
    assert Row("x", [], theirs, goal=2.0).met is None, "nothing was measured"
    assert Row("x", [0], [0], goal=1.0, within=0.0, unit="B").met is True


FIRST = {"commit": "aaaaaaaaaaaa", "tree": "clean", "date": "2026-01-02"}
SECOND = FIRST | {"commit": "bbbbbbbbbbbb"}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "developing.md"
    path.write_text("before\n<!-- bench -->\nold\n<!-- end -->\nbehind\n<!-- end -->\n")
    return path


def test_what_is_saved_stands_between_the_marks(page: Path) -> None:
    rows = [Row("start", [0.2] * 7, [0.2] * 7, goal=1.5), Row("told", [1.0] * 7, [1.0] * 7)]
    saved.save({"one": rows}, FIRST, ["one"], page, page.parent)
    text = page.read_text()
    assert text.startswith("before\n<!-- bench -->\n| what |")
    assert text.endswith("\n- run 1: commit aaaaaaaaaaaa, clean tree, 2026-01-02\n<!-- end -->\nbehind\n<!-- end -->\n")
    assert "start, median" in text
    assert "told, median" not in text, "the page shows what has a goal"
    assert "told, median" in (page.parent / "latest.md").read_text()
    (kept,) = json.loads((page.parent / "latest.json").read_text())["parts"].values()
    assert kept["rows"][0]["met"] is True and kept["run"] == FIRST


def test_a_part_that_is_not_measured_again_keeps_its_commit(page: Path) -> None:
    def one(what: str) -> Row:
        return Row(what, [0.2], [0.2], goal=1.0, runs=2)

    saved.save({"a": [one("first")], "b": [one("second")]}, FIRST, "abc", page, page.parent)
    saved.save({"b": [one("third")], "c": "no disk"}, SECOND, "abcd", page, page.parent)
    lines = page.read_text().splitlines()
    assert [line.rpartition("|")[0].rpartition("|")[2].strip() for line in lines[4:8]] == ["1", "2", "2", ""]
    assert lines[4].startswith("| first") and lines[5].startswith("| third")
    assert lines[6].startswith("| c | not run here: no disk |")
    assert lines[7].startswith("| d | not run here: never saved |")
    assert [line for line in lines if "run 1" in line] == ["- run 1: commit aaaaaaaaaaaa, clean tree, 2026-01-02"]
    assert [line for line in lines if "run 2" in line] == ["- run 2: commit bbbbbbbbbbbb, clean tree, 2026-01-02"]


def test_figures_without_a_commit_are_not_kept(page: Path) -> None:
    (page.parent / "latest.json").write_text(json.dumps({"facts": {}, "rows": [{"what": "old"}]}))
    saved.save({}, FIRST, ["a"], page, page.parent)
    assert "| a | not run here: never saved |" in page.read_text()


def test_runs_are_counted_also_those_in_which_nothing_came(tmp_path: Path) -> None:
    bench, tried = Bench(tmp_path, quick=True), list[str]()

    @contextmanager
    def start() -> Iterator[Program]:
        with bench.run("-c", "pass"):
            yield cast(Program, SimpleNamespace(first_key=lambda: 0.0))

    def measure(name: str, program: Program) -> None:
        tried.append(name)
        if len(tried) == 2:
            raise Never("nothing came")

    setting.interleaved(6, {"ours": start}, measure)
    assert (bench.runs, bench.failed, len(tried)) == (7, 1, 6), "the first isn't measured"
    bench.begin()
    assert (bench.runs, bench.failed) == (0, 0)
    with pytest.raises(Never):
        tried.clear()
        setting.interleaved(2, {"ours": start}, measure)


def test_what_is_measured_once_counts_for_each_part_that_uses_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, quick=True)

    def measure() -> int:
        with bench.run("-c", "pass"):
            return 7

    assert (bench.once("it", measure), bench.once("it", measure), bench.runs) == (7, 7, 1)
    bench.begin()
    assert (bench.once("it", measure), bench.once("it", measure), bench.runs) == (7, 7, 1)


def test_a_part_that_fails_or_is_not_for_this_machine_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(bench: Bench) -> list[Row]:
        raise Never("nothing came")

    def not_here(bench: Bench) -> list[Row]:
        raise NotHere("no disk")

    def works(bench: Bench) -> list[Row]:
        with bench.run("-c", "pass"):
            return [Row("it", [1.0], [1.0])]

    modules = {"fails": fails, "not_here": not_here, "works": works}
    found_by = SimpleNamespace(import_module=lambda name: SimpleNamespace(rows=modules[name], SECONDS=9))
    monkeypatch.setattr("tests.bench.__main__.importlib", found_by)
    found, whole = run(Bench(tmp_path, quick=True), {name: name for name in modules})
    assert (set(found), found["not_here"], whole) == ({"not_here", "works"}, "no disk", False)
    assert [(row.runs, row.failed) for row in found["works"] if isinstance(row, Row)] == [(1, 0)]
    assert "not here: no disk" in capsys.readouterr().err


@pytest.mark.parametrize("name", PARTS)
def test_each_part_says_how_long_it_may_take(name: str) -> None:
    part = importlib.import_module(PARTS[name])
    assert callable(part.rows)
    assert part.SECONDS > 0


def test_all_parts_together_take_less_than_fifteen_minutes() -> None:
    assert sum(importlib.import_module(module).SECONDS for module in PARTS.values()) <= 900


def test_tokens_are_counted_and_repeatable() -> None:
    assert len(list(tokens(500))) == 500
    assert "".join(tokens(300)) == "".join(tokens(300)) != "".join(tokens(300, seed=2))
    assert "".join(tokens(300)).count("zqlast") == 1


def test_the_model_streams_all_of_it() -> None:
    command = [sys.executable, "-m", "tests.bench.model", "100000", "50"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1/chat/completions"
        with urllib.request.urlopen(urllib.request.Request(url, data=b"{}"), timeout=60) as reply:
            lines = [line[6:] for line in reply.read().decode().splitlines() if line]
        server.stdin.close()
    assert lines.pop() == "[DONE]"
    choices = [json.loads(line)["choices"][0] for line in lines]
    assert "".join(one["delta"].get("content", "") for one in choices) == "".join(tokens(50))
    assert choices[-1]["finish_reason"] == "stop"


def test_seeded_conversations_can_be_read(tmp_path: Path) -> None:
    store.seed(tmp_path, tmp_path, {"small": 10, "large": 50})
    reader = open_reader(tmp_path / "data" / "conversations.db")
    try:
        assert {row.id: row.events for row in reader.conversations()} == {"small": 10, "large": 50}
        (last,) = [one for one in reader.tail("large", 2) if one.entry.kind == "chat_response"]
        assert json.loads(last.entry.payload)["message"].endswith("zqend")
    finally:
        reader.close()


def test_appends_are_measured_in_turns_and_leave_the_same(tmp_path: Path) -> None:
    found = asyncio.run(store.appends(tmp_path, 12))
    assert {len(times) for times in found.values()} == {12}
    assert min(map(min, found.values())) > 0
    tables = []
    for path in (tmp_path / "data" / "conversations.db", tmp_path / "same.db"):
        db = sqlite3.connect(path)
        tables.append([db.execute(f"SELECT * FROM {name}").fetchall() for name in ("events", "spans")])
        tables[-1].append(db.execute("SELECT events, last_seq, turns, updated FROM conversations").fetchall())
        db.close()
    assert [[tuple(row) for row in rows] for rows in tables[0]] == tables[1]


def test_the_vast_store_is_one_of_the_present_form(tmp_path: Path) -> None:
    vast.made(tmp_path, 400, each=100)
    vast.checked(tmp_path, 400, each=100)
    reader = open_reader(tmp_path / "data" / "conversations.db")
    try:
        asked = reader.search(vast.RARE, limit=20, hits=3, shown="active", workspace=None)
        assert asked.run_for(10)
        assert sum(len(hits.places) for hits in asked.found()) == vast.RARES
        assert json.loads(reader.tail("vast00004", 2)[0].entry.payload)["message"].endswith(vast.END)
    finally:
        reader.close()


def test_the_longest_hold_of_a_time_is_found(tmp_path: Path) -> None:
    log = tmp_path / "holds"
    log.write_text("10.0 0.002 0.001\n10.5 0.030 0.004\n11.0 0.009 0.008\n20.0 0.5 0.5\n")
    assert holds.longest(log, 10.0, 12.0) == (0.030, 0.008)
    assert holds.longest(log, 10.52, 10.6) == (0.030, 0.004), "it had begun before"
    assert holds.longest(log, 12.0, 19.0) == (holds.LEAST, holds.LEAST)


def test_what_holds_a_loop_is_written_down(tmp_path: Path) -> None:
    script, log = tmp_path / "busy.py", tmp_path / "holds"
    script.write_text(
        "import asyncio, sys, time\n"
        "async def busy():\n    end = time.monotonic() + 0.02\n    while time.monotonic() < end: pass\n"
        "asyncio.run(busy())\nprint(sys.argv)\n"
    )
    command = [sys.executable, "-m", "tests.bench.holds", str(log), str(script), "one"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{[str(script), 'one']}\n"
    assert holds.longest(log, 0.0, float("inf"))[0] >= 0.02


def test_each_turn_of_a_day_is_work(tmp_path: Path) -> None:
    walks = read_script(day.written(tmp_path / "day.toml", tmp_path)).walks
    assert [walk.words for walk in walks] == [(word,) for word in day.SAID]
    assert all(walk.turns[0].calls and walk.turns[1].text.endswith(f"{day.OVER} {{user}} {day.OVER}") for walk in walks)
    assert (tmp_path / "read.txt").read_text().count("\n") == 60


def test_each_large_sheet_is_asked_by_a_script_that_can_be_read(tmp_path: Path) -> None:
    listed = sheets.cases(tmp_path)
    for case in listed:
        path = tmp_path / "case.toml"
        path.write_text(sheets.script(case))
        assert read_script(path).turns[0].calls == (case.call,)
    for made in (sheets.wide, sheets.deep, sheets.choices, sheets.wordy, sheets.referring):
        assert 0.8 * sheets.SIZE < len(json.dumps(made())) < 1.3 * sheets.SIZE, made.__doc__
    assert 0.8 * sheets.SIZE < len(sheets.document()) < 1.3 * sheets.SIZE
    assert (tmp_path / "long.txt").read_text().count("= old") == sheets.HUNKS
