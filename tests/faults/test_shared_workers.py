"""Workers on two machines, killed while they carry answered turns on: each call begins with its answers once, unless a
person says that it may run again (store.md D20, D21)."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import postgres
from tests.headless.asking_tools import configure, question
from tests.headless.running import LIMIT, jp, lines
from tests.headless.serving import Serving
from tests.sampling import whole

CONVERSATIONS, KILLS = (30, 25) if whole() else (4, 3)
MAY_HAVE_RUN = "may have run"
_RUNS = """
import json, os, sys, time
given = json.load(sys.stdin)
sys.stdin = __import__("io").StringIO(json.dumps(given))
if "q" in given["answers"]:
    with open({runs!r}, "a") as file:
        file.write(json.dumps(given["answers"]["q"]) + "\\n")
    time.sleep(0.15)
"""


@pytest.mark.skipif(
    not whole() and os.environ.get("JP_TUI_POSTGRES") != "required",
    reason="a lane of .ci/run: JP_TUI_POSTGRES=required",
)
@pytest.mark.slow
@pytest.mark.timeout(1_800 if whole() else 240)
def test_no_call_begins_twice_whoever_is_killed(tmp_path: Path) -> None:
    chance = random.Random(21)
    with postgres.running(("fsync=on", "max_connections=100", "shared_buffers=32MB")) as server:
        url = postgres.emptied(server, "workers")
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        more, tools = dict[str, dict[str, str]](), {"later": {"ask": question({"type": "text"}), "detached": "defer"}}
        models: dict[str, str] = {}
        for name in ("m0", "m1"):
            (home := tmp_path / name).mkdir()
            models[name] = configure(home, tools)
            tool = home / "ask.py"
            tool.write_text(_RUNS.format(runs=str(tmp_path / "runs")) + tool.read_text())
            more[name] = {
                "JP_TUI_STORE": url, "JP_TUI_STORE__MACHINE": f'"{name}"', "JP_TUI_STORE__LEASE_SECS": "2",
                "JP_TUI_SERVE__ANY_MACHINE": "true", "JP_TUI_ASSISTANT__MODEL__ID": f'"{models[name]}"',
            }  # fmt: skip

        def run(name: str, *words: str) -> Any:
            return jp(tmp_path / name, "--workspace", str(workspace), *words, **more[name])

        def serve(name: str) -> Serving:
            return Serving(tmp_path / name, "serve", "--workspace", str(workspace), **more[name])

        for number in range(CONVERSATIONS):
            ran = run(f"m{number % 2}", "query", "--json", "go")
            assert ran.returncode == 3, ran.stderr
        workers = {name: serve(name) for name in more}
        kills, again, until = 0, 0, time.monotonic() + (1_500 if whole() else 200)
        try:
            while open_turns(server) or kills < KILLS:
                assert time.monotonic() < until, (kills, open_turns(server))
                name = chance.choice(sorted(more))
                for one in lines(run(name, "inquiries", "--pending", "--json").stdout)[:3]:
                    doubt = MAY_HAVE_RUN in one["question"]["text"]
                    value = chance.choice(("failed", "failed", "run_again")) if doubt else one["conversation"]
                    done = run(name, "answer", f"{one['conversation']}/{one['id']}", value)
                    assert done.returncode in (0, 1), done.stderr
                    again += value == "run_again" and done.returncode == 0
                time.sleep(chance.uniform(0, 0.6))
                if kills < KILLS:
                    workers[name].process.send_signal(signal.SIGKILL)
                    workers[name].process.wait(LIMIT)
                    workers[name], kills = serve(name), kills + 1
        finally:
            for worker in workers.values():
                worker.process.kill()
                worker.process.wait(LIMIT)
        runs = (tmp_path / "runs").read_text().split() if (tmp_path / "runs").exists() else []
        assert len(runs) <= CONVERSATIONS + again and len(runs) - len(set(runs)) <= again, (runs, again)
        for kind in ("turn_outcome", "tool_call_response"):
            each = f"SELECT count(*) FROM jp_tui.events WHERE kind = '{kind}' GROUP BY conversation"
            assert server.sql(each, "workers") == [(1,)] * CONVERSATIONS, kind
        twice = (
            "SELECT conversation, inquiry FROM jp_tui.events WHERE kind = 'inquiry_response'"
            " GROUP BY 1, 2, turn HAVING count(*) <> 1"
        )
        assert server.sql(twice, "workers") == []
        print(f"{kills} workers killed, {len(runs)} runs of {CONVERSATIONS} calls, {again} said to run again")


def open_turns(server: postgres.Server) -> int:
    """Conversations whose turn has no end."""
    ended = "SELECT count(*) FROM jp_tui.events WHERE kind = 'turn_outcome'"
    return CONVERSATIONS - int(str(server.sql(ended, "workers")[0][0]))
