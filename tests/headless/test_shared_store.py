"""Two machines on one store: two homes and a PostgreSQL server (store.md D9-D11; surface S6, S12)."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.headless.asking_tools import configure, question, results
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment, jp, lines, on_terminal
from tests.headless.serving import Serving

LATER: dict[str, Any] = {"later": {"ask": question(), "detached": "defer"}}


class Machine:
    """A home with a name of its own on the shared store."""

    def __init__(self, folder: Path, url: str) -> None:
        folder.mkdir()
        self.home, self.model = folder, configure(folder, LATER)
        self.more = {"JP_TUI_STORE": url, "JP_TUI_STORE__MACHINE": f'"{folder.name}"'}

    def run(self, *words: str):  # type: ignore[no-untyped-def]
        return jp(self.home, *words, **self.more)


@pytest.fixture
def machines(tmp_path: Path, postgres_server: postgres.Server) -> tuple[Machine, Machine]:
    url = postgres.emptied(postgres_server, "shared")
    return Machine(tmp_path / "laptop", url), Machine(tmp_path / "desk", url)


def test_what_is_asked_here_is_answered_there_and_resumed_anywhere(machines: tuple[Machine, Machine]) -> None:
    """D10: exit 0 is committed and read by every other client; the second answer is told who was first."""
    laptop, desk = machines
    ran = laptop.run("query", "--json", "--model", laptop.model, "go")
    assert ran.returncode == 3, ran.stderr
    (waits,) = lines(desk.run("inquiries", "--pending", "--json").stdout)
    name = f"{waits['conversation']}/{waits['id']}"
    assert desk.run("answer", name, "yes").returncode == 0
    again = laptop.run("answer", name, "no", "--json")
    assert again.returncode == 1 and lines(again.stdout)[0]["status"] == "answered"
    assert not (laptop.home / "data" / "conversations.db").exists(), "nothing of it is kept on the machine"
    went = laptop.run("query", "--json", "-r", waits["conversation"])
    assert went.returncode == 0 and lines(went.stdout)[-1]["outcome"] == "done", went.stderr
    events = lines(desk.run("conversations", "show", waits["conversation"], "--json").stdout)
    assert results(events)["later"] == "got true"
    (answer,) = (one for one in events if one["type"] == "inquiry_response")
    by = answer["responder"]
    assert (by["kind"], by["who"], by["machine"]) == ("user", postgres.OWNER, "desk"), "D13"
    assert lines(desk.run("conversations", "list", "--json").stdout)[0]["id"] == waits["conversation"]
    assert "go" in desk.run("conversations", "search", "go").stdout


def test_d10_a_question_that_is_shown_here_is_answered_there(machines: tuple[Machine, Machine]) -> None:
    """S12: the answer goes to the holder on the other machine, which goes on at once; nobody else writes meanwhile."""
    laptop, desk = machines
    with on_terminal(laptop.home, "query", "--model", laptop.model, "go", **laptop.more) as running:
        running.until("Sure?")
        (waits,) = lines(desk.run("inquiries", "--pending", "--json").stdout)
        held = desk.run("query", "-r", waits["conversation"], "more")
        assert held.returncode == 1 and "on laptop" in held.stderr, held.stderr
        answered = desk.run("answer", f"{waits['conversation']}/{waits['id']}", "yes", "--json")
        assert answered.returncode == 0, answered.stdout + answered.stderr
        rest = running.rest()
        assert running.wait() == 0, rest
    events = lines(desk.run("conversations", "show", waits["conversation"], "--json").stdout)
    assert results(events)["later"] == "got true"
    assert [one["type"] for one in events].count("inquiry_response") == 1


def test_n1_a_script_here_is_answered_there(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    with Forked(
        ["ask", "Deploy?"],
        env=environment(laptop.home, **laptop.more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:  # fmt: skip
        until = time.monotonic() + LIMIT
        while not (waits := lines(desk.run("inquiries", "--pending", "--json").stdout)):
            assert time.monotonic() < until
        assert desk.run("answer", f"{waits[0]['conversation']}/{waits[0]['id']}", "yes").returncode == 0
        asking.communicate(b"", timeout=LIMIT)
    assert asking.wait() == 0


def asked_on(machine: Machine, *words: str, given: bytes = b"") -> Forked:
    made = Forked(list(words), env=environment(machine.home, **machine.more))
    assert made.stdin is not None
    made.stdin.write(given)
    made.stdin.close()
    made.stdin = None
    return made


def waits_on(machine: Machine) -> dict[str, Any]:
    until = time.monotonic() + LIMIT
    while not (waits := lines(machine.run("inquiries", "--pending", "--json").stdout)):
        assert time.monotonic() < until
    return waits[0]


def test_n3_a_hook_here_is_answered_there_for_its_session(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    call = {"hook_event_name": "PermissionRequest", "session_id": "s1", "cwd": "/", "tool_name": "Bash"}
    given = json.dumps({**call, "tool_input": {"command": "make all"}}).encode()
    with asked_on(laptop, "hook", "claude", given=given) as hook:
        waits = waits_on(desk)
        assert (waits["source"], waits["tool"]) == ("outside", "claude-code.Bash") and waits["asker"]["pid"]
        done = desk.run("answer", f"{waits['conversation']}/{waits['id']}", "yes", "--remember")
        assert done.returncode == 0, done.stderr
        out, _ = hook.communicate(b"", timeout=LIMIT)
    assert b'"behavior":"allow"' in out
    (done,) = lines(laptop.run("inquiries", waits["conversation"], "--json").stdout)
    assert done["answer"] is True, "the session's answer is in the store"


def test_n6_what_was_withdrawn_here_is_closed_there(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    with asked_on(laptop, "ask", "Deploy?") as asking:
        waits = waits_on(desk)
        asking.terminate()
        asking.communicate(b"", timeout=LIMIT)
    late = desk.run("answer", f"{waits['conversation']}/{waits['id']}", "yes")
    assert late.returncode == 1 and "withdrawn" in late.stderr


def test_n8_a_secret_is_given_only_on_its_own_machine(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    with asked_on(laptop, "ask", "Token?", "--type", "secret") as asking:
        waits = waits_on(desk)
        name = f"{waits['conversation']}/{waits['id']}"
        there = jp(desk.home, "answer", name, "-", stdin="s3cret", **desk.more)
        assert there.returncode == 1, there.stderr
        here = jp(laptop.home, "answer", name, "-", stdin="s3cret", **laptop.more)
        assert here.returncode == 0, here.stderr
        out, _ = asking.communicate(b"", timeout=LIMIT)
    assert out == b"s3cret\n"


def test_the_doctor_looks_at_the_store(machines: tuple[Machine, Machine], postgres_server: postgres.Server) -> None:
    found = {one["check"]: one for one in lines(machines[0].run("doctor", "--json").stdout)}
    assert found["store"]["state"] == "warn" and "database" not in found and "unsent text" not in found
    (machines[0].home / "state" / "unsent").mkdir(parents=True)
    (machines[0].home / "state" / "unsent" / "0.1-a.json").write_text("{}")
    machines[0].more["JP_TUI_STORE"] = "postgresql://127.0.0.1:1/x"
    said = [one for one in lines(machines[0].run("doctor", "--json").stdout) if one["check"] == "store"]
    assert said[0]["state"] == "bad" and "does not answer" in said[0]["detail"]
    kept = [one for one in lines(machines[0].run("doctor", "--json").stdout) if one["check"] == "unsent text"]
    assert kept[0]["state"] == "warn" and "unsent" in kept[0]["detail"]


def test_d20_a_worker_here_goes_on_when_the_answer_comes_from_there(machines: tuple[Machine, Machine]) -> None:
    """D21: one of two workers, once; with `any_machine` also what began on another machine. D22: the lease is free."""
    laptop, desk = machines
    workers = [Serving(laptop.home, "serve", **laptop.more) for _ in range(2)]
    assert all(one.until("ready")["store"].startswith("postgresql://owner@/shared") for one in workers)
    ran = laptop.run("query", "--json", "--model", laptop.model, "go")
    (waits,) = lines(desk.run("inquiries", "--pending", "--json").stdout)
    said = desk.run("answer", f"{waits['conversation']}/{waits['id']}", "yes", "--json")
    assert "jp-tui serve" in lines(said.stdout)[0]["worker"], ran.stderr
    ends = [line for one in workers for line in one.lines(2.0) if line["type"] == "turn_end"]
    assert [one["outcome"] for one in ends] == ["done"]
    assert [one.end() for one in workers] == [0, 0]
    events = lines(desk.run("conversations", "show", waits["conversation"], "--json").stdout)
    assert results(events)["later"] == "got true" and [one["type"] for one in events].count("turn_outcome") == 1
    laptop.run("query", "--json", "--model", laptop.model, "go")
    (waits,) = lines(desk.run("inquiries", "--pending", "--json").stdout)
    name = f"{waits['conversation']}/{waits['id']}"
    assert lines(desk.run("answer", name, "yes", "--json").stdout)[0]["worker"] == ""
    other = Serving(desk.home, "serve", **desk.more)
    other.until("ready")
    assert not list(other.lines(1.5)), "it began on another machine"
    assert other.end() == 0
    other = Serving(desk.home, "serve", JP_TUI_SERVE__ANY_MACHINE="true", **desk.more)
    assert other.until("turn_end")["conversation"] == waits["conversation"]
    assert other.end() == 0


def test_d20_a_worker_says_when_its_store_is_out_of_reach(
    machines: tuple[Machine, Machine], postgres_server: postgres.Server
) -> None:
    """It goes on by itself once the store answers again. Without an answer at the start: exit 1 (D4)."""
    laptop, _ = machines
    proxy = Proxy(postgres_server)
    try:
        laptop.more["JP_TUI_STORE"] = proxy.url("shared")
        laptop.run("query", "--json", "--model", laptop.model, "go")
        worker = Serving(laptop.home, "serve", **laptop.more)
        worker.until("ready")
        worker.line(1.0)  # it has looked once
        began = time.monotonic()
        proxy.plan(0)
        worker.line(2.0)
        assert proxy.statements <= (time.monotonic() - began) / 0.2 + 2, "D20: idle, one query each poll_secs"
        proxy.down = True
        proxy.cut_all()
        worker.until("offline")
        proxy.down = False
        worker.until("online")
        (waits,) = lines(laptop.run("inquiries", "--pending", "--json").stdout)
        assert laptop.run("answer", f"{waits['conversation']}/{waits['id']}", "yes").returncode == 0
        assert worker.until("turn_end")["outcome"] == "done"
        assert worker.end() == 0
        proxy.down = True
        ran = laptop.run("serve")
        assert ran.returncode == 1 and "does not answer" in ran.stderr
    finally:
        proxy.close()
