"""`jp-tui serve` on the file of this machine: answered turns go on, each once (store.md D20-D22; surface S1, S2)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import configure, question, results
from tests.headless.running import LIMIT, jp, lines, log, on_terminal
from tests.headless.serving import Serving

LATER: dict[str, Any] = {"later": {"ask": question(), "detached": "defer"}}


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    running: list[Serving] = []

    def start(*words: str, **more: str) -> Serving:
        running.append(Serving(tmp_path, "serve", *words, **more))
        assert (ready := running[-1].line()) is not None and ready["type"] == "ready", running[-1].said()
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(LIMIT)


_SLOW = """
import pathlib, time
folder = pathlib.Path({folder!r})
def runs():
    with open(folder / "runs", "a") as file:
        file.write("x")
    while not (folder / "quick").exists():
        time.sleep(0.02)
"""


def slow(home: Path) -> Path:
    """Let a run with its answer last until there is a file `quick`; the file that counts such runs."""
    tool = home / "ask.py"
    tool.write_text(_SLOW.format(folder=str(home)) + tool.read_text().replace("else:", "else:\n    runs()", 1))
    return home / "runs"


def asked(home: Path, model: str, prompt: str = "go") -> tuple[str, str]:
    """A question that waits: the conversation, and the name of the inquiry."""
    ran = jp(home, "query", "--json", "--model", model, prompt)
    assert ran.returncode == 3, ran.stderr
    conversation = lines(ran.stdout)[-1]["conversation"]
    waits = lines(jp(home, "inquiries", "--pending", "--json").stdout)
    (found,) = [one["id"] for one in waits if one["conversation"] == conversation]
    return conversation, f"{conversation}/{found}"


def test_d21_an_answered_turn_goes_on_once_and_the_worker_ends_cleanly(
    tmp_path: Path, serving: Callable[..., Serving]
) -> None:
    """D20: what it says, as JSON. D22: SIGTERM ends it with 0."""
    model = configure(tmp_path, LATER)
    conversation, name = asked(tmp_path, model)
    worker = serving()
    assert jp(tmp_path, "answer", name, "yes").returncode == 0
    resumed = worker.until("resumed")
    assert resumed == {"type": "resumed", "conversation": conversation, "turn": 1}
    end = worker.until("turn_end")
    assert (end["outcome"], end["conversation"], end["resumed"]) == ("done", conversation, True)
    assert end["usage"].keys() >= {"input", "output"}
    events = log(tmp_path, conversation)
    assert results(events)["later"] == "got true"
    assert [one["type"] for one in events].count("turn_outcome") == 1
    assert worker.line(0.5) is None, "nothing is done twice"
    assert worker.end() == 0


def test_d20_lines_for_people_and_the_state_for_systemd(tmp_path: Path) -> None:
    """D22: Type=notify. Without --json each fact is a line; what isn't resumed is said on stderr."""
    model = configure(tmp_path, LATER)
    conversation, name = asked(tmp_path, model)
    assert jp(tmp_path, "answer", name, "no").returncode == 0
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(path)
        supervisor.settimeout(LIMIT)
        worker = Serving(tmp_path, "serve", as_json=False, NOTIFY_SOCKET=path)
        assert supervisor.recv(99) == b"READY=1"
        said = worker.text_until("done.")
        assert "Ready: " in said and f"Resumed turn 1 of {conversation}." in said
        assert worker.end() == 0
        assert supervisor.recv(99) == b"STOPPING=1"


def test_d20_only_its_folders_and_several_of_them(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    model = configure(tmp_path, LATER)
    folders = [tmp_path / name for name in ("one", "two", "other")]
    names = []
    for folder in folders:
        folder.mkdir()
        ran = jp(tmp_path, "query", "--json", "--workspace", str(folder), "--model", model, "go")
        names.append(lines(ran.stdout)[-1]["conversation"])
    worker = serving(*(word for folder in folders[:2] for word in ("--workspace", str(folder))))
    for one in lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout):
        assert jp(tmp_path, "answer", f"{one['conversation']}/{one['id']}", "yes").returncode == 0
    ends = {worker.until("turn_end")["conversation"] for _ in range(2)}
    assert ends == set(names[:2])
    assert worker.line(0.6) is None
    assert worker.end() == 0


def test_d21_two_workers_and_one_turn(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    """Whoever takes the lock first resumes it; the tool runs once with its answer."""
    model = configure(tmp_path, LATER)
    workers = [serving(), serving()]
    for _ in range(2):
        conversation, name = asked(tmp_path, model)
        assert jp(tmp_path, "answer", name, "yes").returncode == 0
        ends: list[str] = []
        until = time.monotonic() + LIMIT
        while "turn_end" not in ends:
            assert time.monotonic() < until
            ends += [said["type"] for one in workers for said in one.lines(0.3)]
        assert ends.count("turn_end") == 1
        events = [one["type"] for one in log(tmp_path, conversation)]
        assert events.count("tool_call_response") == events.count("turn_outcome") == 1
    assert [one.end() for one in workers] == [0, 0]


def test_d21_a_killed_worker_leaves_a_question_and_no_second_run(
    tmp_path: Path, serving: Callable[..., Serving]
) -> None:
    """The call began with its answer; the next worker asks, and goes on as it is told."""
    model = configure(tmp_path, LATER)
    runs = slow(tmp_path)
    conversation, name = asked(tmp_path, model)
    worker = serving()
    assert jp(tmp_path, "answer", name, "yes").returncode == 0
    wait_for(lambda: runs.exists() and runs.read_text() == "x")
    worker.process.kill()
    worker.process.wait(LIMIT)
    second = serving()
    end = second.until("turn_end")
    assert end["outcome"] == "deferred" and runs.read_text() == "x"
    (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert waits["question"]["text"] == "later may have run when its worker went away."
    (tmp_path / "quick").touch()
    said = jp(tmp_path, "answer", f"{conversation}/{waits['id']}", "run_again", "--json")
    assert said.returncode == 0 and "jp-tui serve" in lines(said.stdout)[0]["worker"]
    assert second.until("turn_end")["outcome"] == "done" and runs.read_text() == "xx"
    assert results(log(tmp_path, conversation))["later"] == "got true"
    assert second.end() == 0


def wait_for(fact: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT
    while not fact():
        assert time.monotonic() < until
        threading.Event().wait(0.02)


def test_d22_a_drain_waits_for_what_runs_and_then_cuts_it(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    model = configure(tmp_path, LATER)
    runs = slow(tmp_path)
    conversation, name = asked(tmp_path, model)
    assert jp(tmp_path, "answer", name, "yes").returncode == 0
    worker = serving(JP_TUI_SERVE__DRAIN_SECS="0")
    wait_for(runs.exists)
    assert worker.end() == 0
    assert "turn_outcome" not in [one["type"] for one in log(tmp_path, conversation)], "it stays resumable"
    second = serving()
    assert second.until("turn_end")["outcome"] == "deferred", "it may have run: it asks"
    (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert jp(tmp_path, "answer", f"{conversation}/{waits['id']}", "run_again").returncode == 0
    wait_for(lambda: runs.read_text() == "xx")
    second.process.send_signal(signal.SIGTERM)
    second.until("draining")
    (tmp_path / "quick").touch()
    assert second.until("turn_end")["outcome"] == "done", "what runs may end"
    assert second.until("stopped") and second.process.wait(LIMIT) == 0


def test_d22_a_second_signal_ends_it_at_once(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    model = configure(tmp_path, LATER)
    runs = slow(tmp_path)
    _, name = asked(tmp_path, model)
    assert jp(tmp_path, "answer", name, "yes").returncode == 0
    worker = serving()
    wait_for(runs.exists)
    worker.process.send_signal(signal.SIGTERM)
    worker.until("draining")
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(LIMIT) == -signal.SIGTERM
    (tmp_path / "quick").touch()


def test_what_cannot_be_resumed_is_said_and_left(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    """D20: a folder that is gone, a model that isn't there any more; nothing of the turn changes."""
    model = configure(tmp_path, LATER)
    gone = tmp_path / "gone"
    gone.mkdir()
    ran = jp(tmp_path, "query", "--json", "--workspace", str(gone), "--model", model, "go")
    first = lines(ran.stdout)[-1]["conversation"]
    second, _ = asked(tmp_path, model)
    for one in lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout):
        assert jp(tmp_path, "answer", f"{one['conversation']}/{one['id']}", "yes").returncode == 0
    before = {id_: log(tmp_path, id_) for id_ in (first, second)}
    os.rename(tmp_path / "asking.toml", tmp_path / "elsewhere.toml")
    worker = Serving(tmp_path, "serve", "--workspace", str(gone), "--workspace", ".")
    worker.until("ready")
    shutil.rmtree(gone)
    worker.line(1.5)
    said = worker.said()
    assert second in said and "asking.toml" in said, said
    assert {id_: log(tmp_path, id_) for id_ in (first, second)} == before


def test_usage(tmp_path: Path) -> None:
    """S1: a folder that isn't there is said before anything starts, and [serve] of a folder is ignored (D1)."""
    ran = jp(tmp_path, "serve", "--workspace", str(tmp_path / "nowhere"))
    assert ran.returncode == 2 and "nowhere" in ran.stderr
    assert jp(tmp_path, "serve", "x").returncode == 2
    assert "--workspace DIR" in jp(tmp_path, "serve", "--help").stdout
    ran = jp(tmp_path, "serve", JP_TUI_SERVE__PARALLEL="0")
    assert ran.returncode == 2 and "parallel" in ran.stderr
    (tmp_path / "w" / ".jp-tui").mkdir(parents=True)
    (tmp_path / "w" / ".jp-tui" / "config.toml").write_text("[serve]\nany_machine = true\n")
    ran = jp(tmp_path, "config", "show", "serve.any_machine", "--workspace", str(tmp_path / "w"))
    assert "false" in ran.stdout


def test_an_answer_says_whether_a_worker_goes_on(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    """D21, S6."""
    model = configure(tmp_path, LATER)
    _, name = asked(tmp_path, model)
    said = jp(tmp_path, "answer", name, "yes")
    assert "No worker will resume it" in said.stdout and "jp-tui query -r" in said.stdout
    worker = serving()
    worker.until("turn_end")
    _, name = asked(tmp_path, model)
    said = jp(tmp_path, "answer", name, "yes")
    assert "or in a worker: jp-tui serve (process" in said.stdout
    assert worker.end() == 0


def test_s12_what_is_open_somewhere_is_its_holders(tmp_path: Path, serving: Callable[..., Serving]) -> None:
    """The answer goes to the process that has the conversation; the worker leaves it alone."""
    model = configure(tmp_path, LATER)
    worker = serving()
    with on_terminal(tmp_path, "query", "--model", model, "go") as running:
        running.until("Sure?")
        (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
        assert jp(tmp_path, "answer", f"{waits['conversation']}/{waits['id']}", "yes").returncode == 0
        said = running.rest()
        assert running.wait() == 0, said
    assert worker.line(0.6) is None
    assert worker.end() == 0
    assert [one["type"] for one in log(tmp_path, waits["conversation"])].count("tool_call_response") == 1
