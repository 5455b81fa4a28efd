"""`jp-tui conversations compact` (context.md K23), as a user and a script run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jp_tui.startup import run
from tests.headless.running import lines
from tests.headless.test_library import Cli, brought
from tests.headless.test_library import cli as cli


def test_k23_it_prints_the_event_and_undoes_it(cli: Cli, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    id_ = brought(cli, tmp_path)
    before = cli("show", id_, "--json")[1]
    status, out, err = cli("compact", id_, "--focus", "stripes", "--json")
    (event,) = lines(out)
    assert (status, event["type"], event["trigger"], event["focus"], event["conversation"]) == (
        0, "compaction", "user", "stripes", id_,
    ), err  # fmt: skip
    assert event["record"] == [] and event["carried"]["said"] == ["Zebras\u001b[2J"]
    run(["context", "-r", id_, "--json"])
    parts = {one["part"]: one for one in lines(capfd.readouterr().out)}
    assert list(parts)[-4:] == ["summary", "record", "messages", "total"] and parts["summary"]["tokens"] > 50
    status, out, _ = cli("compact", id_, "--undo")
    assert status == 0 and out.startswith("Compaction undone")
    status, out, err = cli("compact", id_, "--undo")
    assert (status, out) == (1, "") and "There is no compaction here." in err
    after = cli("show", id_, "--json")[1]
    assert after.startswith(before), "the log keeps all"
    assert [json.loads(line)["type"] for line in after[len(before) :].splitlines()][-2:] == [
        "compaction", "compaction_undone",
    ]  # fmt: skip


def test_k23_what_cannot_be_compacted(cli: Cli, tmp_path: Path) -> None:
    status, _, err = cli("compact", "nobody")
    assert status == 2 and "no conversation nobody" in err
    id_ = brought(cli, tmp_path)
    status, _, err = cli("compact", id_, "--undo", "--focus", "x")
    assert status == 2 and "--undo and --focus" in err
    assert cli("compact", id_)[0] == 0
    status, _, err = cli("compact", id_)
    assert status == 1 and "nothing to compact" in err
