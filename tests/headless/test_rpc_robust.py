"""`jp-tui rpc` under bad input, a client that never reads, and every end (surface S1, S30; issue 7 "Reliability")."""

from __future__ import annotations

import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import YES_NO, answers, configure, question, results
from tests.headless.rpc_peer import Rpc, prompted, rpc
from tests.headless.running import LIMIT, ROOT, environment, jp, latest, log

ASKS = {"a": {"ask": question(YES_NO, text="Sure?")}}


def code(message: Any) -> tuple[Any, int]:
    return message["id"], message["error"]["code"]


def test_bad_lines_are_answered_with_the_standards_codes_and_it_goes_on(tmp_path: Path) -> None:
    """Malformed JSON, wrong version, no request, unknown method, bad params with their place, a batch, duplicate ids,
    a notification: a proper error or nothing, and the next line is read."""
    with rpc(tmp_path, "--model", configure(tmp_path, ASKS)) as running:
        for line, expected in (
            (b"{nonsense\n", (None, -32700)),
            (b'\xff{"jsonrpc":"2.0"}\n', (None, -32700)),
            (b'{"jsonrpc":"1.0","id":500,"method":"initialize"}\n', (500, -32600)),
            (b"[]\n", (None, -32600)),
            (b'{"jsonrpc":"2.0","id":"u","method":"session/fork"}\n', ("u", -32601)),
            (b'{"jsonrpc":"2.0","id":"p","method":"session/list","params":["x"]}\n', ("p", -32602)),
        ):
            running.raw(line)
            assert code(running.next()) == expected, line
        for method, params, where in (
            ("session/new", {"workspace": 1}, "/workspace"),
            ("session/new", {"workspase": "/"}, "/workspase"),
            ("session/new", {"workspace": str(tmp_path / "nowhere")}, "/workspace"),
            ("session/new", {"model": "nowhere/m"}, "/model"),
            ("session/resume", {"session_id": "zzzzzzzz"}, "/session_id"),
            ("session/resume", {"session_id": "zzzzzzzz", "after": -1}, "/after"),
            ("session/prompt", {"session_id": "x"}, "/prompt"),
            ("session/prompt", {"session_id": "x", "prompt": "p"}, "/session_id"),
            ("session/cancel", {"session_id": "x"}, "/session_id"),
            ("session/list", {"limit": True}, "/limit"),
            ("initialize", {"capabilities": "secret"}, "/capabilities"),
        ):
            refused = running.refused(method, **params)
            assert refused["code"] == -32602 and refused["data"]["problems"][0]["where"] == where, refused
        assert running.call("initialize", client="x")["server"]["name"] == "jp-tui"
        assert running.refused("initialize")["code"] == -32600
        running.raw(b"\n \r\n")
        running.send(method="session/cancel", params={"session_id": "x"})
        running.send(method="no/such")
        session = running.session()
        assert running.refused("session/prompt", session_id=session, prompt=" \n")["code"] == -32602
        batch = [
            {
                "jsonrpc": "2.0",
                "id": "one",
                "method": "session/prompt",
                "params": {"session_id": session, "prompt": "go"},
            },
            {"jsonrpc": "2.0", "method": "no/such"},
            {"jsonrpc": "2.0", "id": "two", "method": "session/list"},
            3,
        ]
        running.raw(json.dumps(batch).encode() + b"\n")
        asked = running.asked()
        running.send(id="one", method="session/list")
        assert code(running.next()) == (None, -32600), "that id waits for its answer in the batch"
        running.raw(json.dumps([{"jsonrpc": "2.0", "id": asked["id"], "result": {"answer": "yes"}}]).encode() + b"\n")
        said = running.until(lambda one: isinstance(one, list))
        assert [one["id"] for one in said] == ["one", "two", None]
        assert said[0]["result"]["outcome"] == "done" and said[2]["error"]["code"] == -32600
        assert running.ends() == 0


def test_a_line_of_fifty_megabytes_is_refused_and_not_kept(tmp_path: Path) -> None:
    """Bounded memory: it is skipped to its end, and the next line works."""
    with rpc(tmp_path, "--model", configure(tmp_path, ASKS)) as running:
        running.call("initialize")
        before = _peak(running)
        running.raw(b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"model":"')
        for _ in range(50):
            running.raw(b"x" * 1_000_000)
        running.raw(b'"}}\n')
        assert code(running.next()) == (None, -32700)
        assert _peak(running) - before < 45_000, "KiB: at most what a line may hold, twice"
        assert running.session() and running.ends() == 0


def _peak(running: Rpc) -> int:
    """KiB that it had at most."""
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


@pytest.mark.parametrize(
    "half", [b"", b'{"jsonrpc":"2.0","id":9,"method":"sess', b'{"jsonrpc":"2.0","id":9,"method":"session/list"}']
)
def test_the_end_of_input_answers_nothing_and_closes_the_log(tmp_path: Path, half: bytes) -> None:
    """Z9: the question stays open, the turn is deferred, its prompt answered, exit 3; half a line is an error and a
    whole one without its end is read."""
    model = configure(tmp_path, ASKS)
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        running.asked()
        running.raw(half)
        assert running.ends() == 3 and "Traceback" not in running.told
        assert running.reply(turn)["result"]["outcome"] == "deferred"
        if half:
            last = next(one for one in running.heard if one.get("id", 0) in (9, None) and "method" not in one)
            assert ("result" in last) if half.endswith(b"}") else last["error"]["code"] == -32700
    stored = log(tmp_path, session)
    assert answers(stored)["a"] == {} and results(stored) == {}
    assert [event["seq"] for event in running.events()] == [event["seq"] for event in stored], "no event is lost"
    (waits,) = jp(tmp_path, "inquiries", "--pending", "--json").stdout.splitlines()
    assert json.loads(waits)["conversation"] == session


def test_the_end_of_input_closes_what_cannot_be_resumed(tmp_path: Path) -> None:
    """Z9: leave to run a call is on no record, so the call ends, and the model reads that no one answered."""
    model = configure(tmp_path, {"b": {"run": "ask"}})
    with rpc(tmp_path, "--model", model) as running:
        session = running.session()
        turn = prompted(running, session)
        running.asked()
        assert running.ends() == 0
        assert running.reply(turn)["result"]["outcome"] == "interrupted"
    stored = log(tmp_path, session)
    (result,) = [event for event in stored if event["type"] == "tool_call_response"]
    assert result["content"].startswith("No one answered") and result["is_error"]
    assert result["metadata"]["permission"] == {"choice": "cancel", "by": "system", "reason": "client gone"}
    assert stored[-1]["outcome"] == "interrupted"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals(tmp_path: Path, number: signal.Signals, status: int) -> None:
    """S1, Z9: a signal leaves the question where it is for the next start (E52)."""
    with rpc(tmp_path, "--model", configure(tmp_path, ASKS)) as running:
        session = running.session()
        turn = prompted(running, session)
        running.asked()
        running.process.send_signal(number)
        found = running.reply(turn)
        assert running.ends() == status and "Traceback" not in running.told
    stored = log(tmp_path, session)
    assert found["result"]["outcome"] == "deferred" and answers(stored)["a"] == {}
    with rpc(tmp_path) as running:
        resumed = running.call("session/resume", session_id=session)
        assert resumed["turns"] == 1 and resumed["last_seq"] == stored[-1]["seq"]
        turn = prompted(running, session, "and now?")
        running.answer(running.asked(), answer="yes")
        assert running.reply(turn)["result"]["outcome"] == "done", "said after the turn that was cut off"
        assert running.ends() == 0
    said = [event["content"] for event in log(tmp_path, session) if event["type"] == "chat_request"]
    assert said == ["go", "and now?"] and results(log(tmp_path, session))["a"] == "got true"


CYCLES = 50


def long_talk(home: Path) -> list[str]:
    """A turn that says more than any pipe holds: so many cycles, each with words and a file that is read."""
    work, script = home / "work", home / "long.toml"
    work.mkdir()
    (work / "big.txt").write_text("".join(f"{number:06} {'x' * 70}\n" for number in range(500)))
    calls = 'calls = [{ name = "fs_read_file", arguments = { path = "big.txt" } }]'
    turns = "".join(f'[[walks.turns]]\ntext = "{n} {"word " * 800}"\n{calls}\n' for n in range(CYCLES))
    script.write_text(f'rate = 0\nfallback = "."\n[[walks]]\nname = "go"\n{turns}[[walks.turns]]\ntext = "end"\n')
    return ["--model", f"demo/{script}", "--workspace", str(work)]


def _stored(home: Path, count: int) -> None:
    """Wait until so many events are in the log."""
    end = time.monotonic() + LIMIT
    found = 0
    while found < count:
        assert time.monotonic() < end, found
        time.sleep(0.02)
        with contextlib.closing(sqlite3.connect(home / "data" / "conversations.db")) as database:
            (found,) = database.execute("SELECT count(*) FROM events").fetchone()


def test_a_client_that_never_reads(tmp_path: Path) -> None:
    """Backpressure: facts are durable, deltas merge, leaving still works, and nothing grows with what is not read."""
    with rpc(tmp_path, *long_talk(tmp_path)) as running:
        session = running.session()
        prompted(running, session)
        _stored(tmp_path, 3 * CYCLES)
        assert running.process.poll() is None
        assert running.process.stdin is not None
        running.process.stdin.close()
        assert running.process.wait(LIMIT) == 0, "S30: the end of input, although nobody reads"
    stored = log(tmp_path, session)
    assert stored[-1]["type"] == "turn_outcome"
    assert sum(event["type"] == "tool_call_response" for event in stored) == CYCLES


def test_a_client_that_reads_late_gets_every_event(tmp_path: Path) -> None:
    """More than any pipe holds waits; then all of it comes, in order, deltas joined, and the prompt's answer last."""
    with rpc(tmp_path, *long_talk(tmp_path)) as running:
        session = running.session()
        turn = prompted(running, session)
        _stored(tmp_path, 3 * CYCLES)
        assert running.reply(turn)["result"]["outcome"] == "done"
        stored = running.events()
        assert running.ends() == 0
    assert stored == log(tmp_path, session) == log(tmp_path, latest(tmp_path))
    assert len(json.dumps(stored)) > 3 << 19, "more than is kept for a client that does not read"
    deltas = running.method("session/delta")
    whole = {event["message"] for event in stored if event["type"] == "chat_response"}
    parts: dict[str, str] = {}
    for delta in deltas:
        if delta["kind"] == "message":
            parts[delta["part"]] = parts.get(delta["part"], "") + delta["text"]
    assert set(parts.values()) == whole, "joined, and nothing of them is missing"


def test_standard_output_that_is_closed_ends_it(tmp_path: Path) -> None:
    """A closed pipe is the end of the client: it answers nothing (Z9), no traceback, exit 3."""
    with rpc(tmp_path, "--model", configure(tmp_path, ASKS)) as running:
        session = running.session()
        prompted(running, session)
        running.asked()
        assert running.process.stdout is not None and running.process.stderr is not None
        running.process.stdout.close()
        assert running.process.wait(LIMIT) == 3
        assert "Traceback" not in running.process.stderr.read().decode()
    assert answers(log(tmp_path, session))["a"] == {}


def test_usage_and_schema(tmp_path: Path) -> None:
    """S1, S2: what is wrong before anything starts ends with 2; the schema needs no settings and never differs."""
    assert jp(tmp_path, "rpc", "--model", "nowhere/m", stdin="").returncode == 0, (
        "a session that names its own may come"
    )
    assert jp(tmp_path, "rpc", "--nonsense").returncode == 2
    assert jp(tmp_path, "rpc", "--cfg", "ui.theem=1", stdin="").returncode == 2
    first, second = (jp(tmp_path, "rpc", "--schema", "--cfg", "ui.theem=1") for _ in range(2))
    assert first.returncode == 0 and first.stdout == second.stdout and first.stderr == ""
    assert json.loads(first.stdout)["methods"]["session/prompt"]["result"]["$ref"] == "#/$defs/PromptEnded"


def test_it_loads_no_screen_and_nothing_heavy(tmp_path: Path) -> None:
    """HOUSE: a session with a scripted model needs none of these."""
    code = (
        "import sys; from jp_tui.main import main; status = main(['rpc', '--model', 'demo/tour']); "
        "sys.stderr.write('MODULES ' + ' '.join(sys.modules)); sys.exit(status)"
    )
    call = {"jsonrpc": "2.0", "id": 1, "method": "session/new"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(call),
        capture_output=True,
        encoding="utf-8",
        env=environment(tmp_path),
        cwd=ROOT,
        timeout=LIMIT,
    )
    assert ran.returncode == 0 and json.loads(ran.stdout)["result"]["session_id"], "answered before the end of input"
    loaded = {name.partition(".")[0] for name in ran.stderr.partition("MODULES ")[2].split()}
    assert "pydantic" in loaded
    assert not loaded & {"textual", "rich", "httpx", "tomlkit", "pygments", "markdown_it", "jsonschema"}
