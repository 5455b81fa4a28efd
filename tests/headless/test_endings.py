"""Every way a query ends before its turn does: signals, kills, readers that go away, closed streams (S1, S2)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.headless.forked import Forked
from tests.headless.running import ROOT, command, environment, jp, latest, lines, log, on_terminal
from tests.limits import LIMIT

SLOW = """
rate = 1000
fallback = "Nothing to that."

[[walks]]
name = "slow"

[[walks.turns]]
reasoning = "Let me think."
text = "I look first."
calls = [{ name = "fs_list_files", arguments = {} }, { name = "no_such_tool", arguments = {} }]

[[walks.turns]]
text = "WORDS"

[[walks]]
name = "ask"

[[walks.turns]]
text = "Let me ask."
calls = [
  { name = "ask_user", arguments = { question = "Which?", answer_type = "select", options = ["red", "blue"] } },
  { name = "ask_user", arguments = { question = "And why?", answer_type = "text" } },
]

[[walks.turns]]
text = "So be it."
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "script.toml"
    file.write_text(SLOW.replace("WORDS", " ".join(f"word{number}" for number in range(2000))))
    return f"demo/{file}"


def start(home: Path, *words: str, **streams: Any) -> subprocess.Popen[bytes] | Forked:
    """Python itself is started where more is special than where its output goes."""
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    if not streams or (streams.keys() == {"stdout"} and isinstance(streams["stdout"], int)):
        return Forked(list(words), env=environment(home), **given)
    return subprocess.Popen(command(*words), env=environment(home), cwd=ROOT, **given)


def whole(events: list[dict[str, Any]]) -> None:
    """R102: each call one response, each turn one end; numbers without a gap."""
    kinds = [event["type"] for event in events]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert kinds.count("tool_call_request") == kinds.count("tool_call_response")
    assert kinds.count("inquiry_request") == kinds.count("inquiry_response")
    assert kinds.count("turn_start") == kinds.count("turn_outcome")


@pytest.mark.slow
def test_killed_again_and_again_every_printed_event_is_in_the_log(tmp_path: Path, script: str) -> None:
    """What `--json` printed is there after SIGKILL, in order, once; what streamed is kept and marked."""
    conversation, printed, kept = "", list[dict[str, Any]](), 0
    # how many lines are read, and how long it then goes on: the seventh and eighth are the tools' results
    for count, seconds in ((1, 0.0), (3, 0.05), (8, 1.5), (5, 0.0), (8, 0.4), (6, 0.02), (8, 1.2)):
        go_on = ["--resume", conversation] if conversation else ["--model", script]
        with start(tmp_path, "query", "--json", *go_on, "slow") as child:
            assert child.stdout is not None
            for _ in range(count):
                event = json.loads(child.stdout.readline())
                conversation = event["conversation"]
                printed.append(event)
            time.sleep(seconds)  # the moment of the kill is what is tried here
            child.kill()
            child.wait()
            rest = child.stdout.read().split(b"\n")
            printed += [json.loads(line) for line in rest[:-1]]
    ran = jp(tmp_path, "query", "--json", "--resume", conversation, "enough")
    assert ran.returncode == 0, ran.stderr
    events = log(tmp_path, conversation)
    by_number = {event["seq"]: event for event in events}
    assert all(by_number[event["seq"]] == event for event in printed)
    whole(events)
    for event in events:
        text = event.get("message", "")
        if event["type"] == "chat_response" and text.startswith("word0 "):
            kept += 1
            assert event["metadata"]["incomplete"] is True
            assert " ".join(f"word{number}" for number in range(2000)).startswith(text.rstrip())
    assert kept, "none was killed while it streamed"


@pytest.mark.slow
def test_of_what_streamed_at_most_a_second_is_missing(tmp_path: Path, script: str) -> None:
    """At 1,000 characters a second, killed once 2,500 were shown."""
    with start(tmp_path, "query", "--model", script, "slow") as child:
        assert child.stdout is not None
        shown = b""
        while len(shown) < 2500:
            shown += os.read(child.stdout.fileno(), 65536)
        child.kill()
        child.wait()
    conversation = latest(tmp_path)
    before = log(tmp_path, conversation)
    assert [event["type"] for event in before][-1] == "tool_call_response", "looking changes nothing"
    jp(tmp_path, "query", "-c", "enough")
    kept = [event for event in log(tmp_path, conversation) if event.get("metadata", {}).get("incomplete")]
    text = shown.decode().split("I look first.\n")[1]
    assert len(kept) == 1 and len(kept[0]["message"]) >= len(text) - 1000
    assert kept[0]["message"].startswith(text[:1000])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("as_json", [True, False], ids=["json", "text"])
def test_a_signal_ends_the_turn_in_good_order(tmp_path: Path, script: str, number: int, as_json: bool) -> None:
    """S1: 128+N. What streamed is in the log, the turn is closed, the last line of JSON is `turn_end`, and whole."""
    with start(tmp_path, "query", *(["--json"] if as_json else []), "--model", script, "slow") as child:
        assert child.stdout is not None and child.stderr is not None
        shown = b""
        while (b'"tool_call_response"' if as_json else b"word1") not in shown:
            shown += os.read(child.stdout.fileno(), 65536)
        child.send_signal(number)
        shown += child.stdout.read()
        assert child.wait() == 128 + number
        assert b"Traceback" not in child.stderr.read()
    events = log(tmp_path, latest(tmp_path))
    whole(events)
    assert events[-1]["outcome"] == "interrupted"
    if as_json:
        *printed, end = lines(shown.decode())
        assert printed == events and end["type"] == "turn_end" and end["outcome"] == "interrupted"
    else:
        assert shown.endswith(b"\n")


def test_a_second_signal_ends_at_once(tmp_path: Path, script: str) -> None:
    """Also when the first could not be heard: here standard error is full and nobody reads it."""
    with start(tmp_path, "query", "--model", script, "slow") as child:
        assert child.stdout is not None
        child.stdout.read(20)
        child.send_signal(signal.SIGSTOP)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGCONT)
        assert child.wait(LIMIT) in (128 + signal.SIGTERM, 128 + signal.SIGINT, -signal.SIGTERM, -signal.SIGINT)
    jp(tmp_path, "query", "-c", "enough")
    whole(log(tmp_path, latest(tmp_path)))


def test_what_was_ignored_at_the_start_stays_ignored(tmp_path: Path, script: str) -> None:
    """`nohup jp-tui query …` outlives its terminal."""
    ignore = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command("query", "--model", script, "nothing")]
    with subprocess.Popen(ignore, env=environment(tmp_path), cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        child.send_signal(signal.SIGHUP)
        assert child.wait(LIMIT) == 0


@pytest.mark.parametrize(
    "words", [["query", "--json"], ["query"], ["conversations", "list"], ["conversations", "show"]]
)
def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path, script: str, words: list[str]) -> None:
    """`| head -1`: no traceback, no word, the status of a tool that SIGPIPE ended; the log is whole."""
    jp(tmp_path, "query", "--model", script, "one")
    more = [] if words[0] == "conversations" else ["--model", script, "slow"]
    if words[-1] == "show":
        more = [latest(tmp_path)]
    read, write = os.pipe()
    os.close(read)
    with start(tmp_path, *words, *more, stdout=write) as child:
        os.close(write)
        assert child.stderr is not None
        assert child.wait(LIMIT) == 141
        assert child.stderr.read() == b""
    whole(log(tmp_path, latest(tmp_path)))


def test_output_that_cannot_be_written_is_said(tmp_path: Path, script: str) -> None:
    """A full disk behind `>`, and a standard output that was closed: one line, status 1."""
    with open("/dev/full", "wb") as full, start(tmp_path, "query", "--model", script, "x", stdout=full) as child:
        assert child.stderr is not None
        said = child.stderr.read().decode()
        assert child.wait() == 1 and "No space left" in said and "Traceback" not in said
    for closed in ('exec "$@" >&-', 'exec "$@" >&- 2>&- <&-'):
        ran = subprocess.run(
            ["sh", "-c", closed, "sh", *command("query", "--json", "--model", script, "x")],
            env=environment(tmp_path),
            cwd=ROOT,
            capture_output=True,
            timeout=LIMIT,
        )
        assert ran.returncode == 1 and b"Traceback" not in ran.stderr
    whole(log(tmp_path, latest(tmp_path)))


def test_a_command_that_cannot_write_its_list_says_so(tmp_path: Path) -> None:
    """S1: status 1 and one line, never a traceback."""
    for words in (["config", "path"], ["conversations", "list"]):
        closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command(*words)]
        ran = subprocess.run(closed, env=environment(tmp_path), cwd=ROOT, capture_output=True, timeout=LIMIT)
        assert ran.returncode == 1 and b"Can't write to" in ran.stderr and b"Traceback" not in ran.stderr


def test_without_standard_error_results_are_all_there(tmp_path: Path, script: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&- <&-', "sh", *command("query", "--json", "--model", script, "x")],
        env=environment(tmp_path),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        timeout=LIMIT,
    )
    assert ran.returncode == 0 and lines(ran.stdout.decode())[-1]["outcome"] == "done"


def test_two_at_once_and_one_writes(tmp_path: Path, script: str) -> None:
    """S12: the other says who holds it, and touches nothing."""
    jp(tmp_path, "query", "--model", script, "one")
    with start(tmp_path, "query", "--json", "-c", "slow") as first:
        assert first.stdout is not None
        first.stdout.readline()
        second = jp(tmp_path, "query", "--json", "-c", "two")
        assert second.returncode == 1 and second.stdout == "" and f"process {first.pid}" in second.stderr
        first.send_signal(signal.SIGINT)
        first.stdout.read()
        first.wait(LIMIT)
    events = log(tmp_path, latest(tmp_path))
    whole(events)
    assert [event["content"] for event in events if event["type"] == "chat_request"] == ["one", "slow"]


def test_questions_come_one_at_a_time_on_the_terminal(tmp_path: Path, script: str) -> None:
    """R116, R147: standard output is a pipe, the questions are on the terminal."""
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", script, "ask", out=write) as running:
        os.close(write)
        assert "And why?" not in running.until("> ")
        running.type("2\n")
        assert "And why?" in running.until("> ")
        running.type("because\n")
        with os.fdopen(read) as out:
            *events, end = lines(out.read())
        assert running.wait() == 0 and end["outcome"] == "done"
    answers = [event["answer"] for event in events if event["type"] == "inquiry_response"]
    assert answers == ["blue", "because"]
    whole(events)


def test_ending_the_turn_asks_nothing_more(tmp_path: Path, script: str) -> None:
    """R180: with a second question waiting behind the first."""
    with on_terminal(tmp_path, "query", "--model", script, "ask") as running:
        running.until("> ")
        running.type(":s\n")
        assert "And why?" not in running.rest()
        assert running.wait() == 0
    events = log(tmp_path, latest(tmp_path))
    whole(events)
    assert [event["reason"] for event in events if event["type"] == "inquiry_response"] == ["user", "user"]


@pytest.mark.parametrize("how", ["end of input", "hang up", "term"])
def test_a_question_whose_terminal_goes_away_stays_open(tmp_path: Path, script: str, how: str) -> None:
    """R248, R207: nothing was answered, so nothing is recorded as answered; who comes later is told how to answer."""
    with on_terminal(tmp_path, "query", "--model", script, "ask") as running:
        running.until("> ")
        if how == "end of input":
            running.type("\x04")
            shown = running.rest()
            assert running.wait() == 3 and "demo_1.answer.1 VALUE" in shown and "jp-tui -r" in shown
        elif how == "hang up":
            running.hang_up()
            assert running.wait() in (3, 128 + signal.SIGHUP)
        else:
            running.process.send_signal(signal.SIGTERM)
            assert running.wait() == 128 + signal.SIGTERM
    conversation = latest(tmp_path)
    events = log(tmp_path, conversation)
    assert [event["type"] for event in events][-1] == "inquiry_request"
    alone = jp(tmp_path, "query", "-c", "enough")
    assert alone.returncode == 3 and alone.stderr.count("Waiting for an answer: ") == 2
    with on_terminal(tmp_path, "query", "-r", conversation, "enough") as running:
        assert "Resuming the unfinished turn" in running.until("Which?")
        running.until("> ")
        running.type("red\n")
        running.until("And why?")
        running.until("> ")
        running.type("because\n")
        shown = running.rest()
        assert running.wait() == 0 and "So be it." in shown and "Nothing to that." in shown
    events = log(tmp_path, conversation)
    whole(events)
    asked = [event["id"] for event in events if event["type"] == "inquiry_request"]
    assert len(set(asked)) == len(asked) == 2, "the same questions, under the same ids (E52)"


def test_interrupting_a_question_closes_it(tmp_path: Path, script: str) -> None:
    """Ctrl+C is the user's own word."""
    with on_terminal(tmp_path, "query", "--model", script, "ask") as running:
        running.until("> ")
        running.type("\x03")
        assert "Traceback" not in running.rest()
        assert running.wait() == 130
    events = log(tmp_path, latest(tmp_path))
    whole(events)
    assert events[-1]["outcome"] == "interrupted"


def test_the_first_answer_wins_and_the_other_side_says_so(tmp_path: Path, script: str) -> None:
    """E53, S12: answered from another process while it is asked here; the turn goes on at once."""
    with on_terminal(tmp_path, "query", "--model", script, "ask") as running:
        running.until("> ")
        conversation = latest(tmp_path)
        assert jp(tmp_path, "answer", f"{conversation}/demo_1.answer.1", "blue").returncode == 0
        shown = running.until("And why?")
        assert "is closed" in shown and "elsewhere" in shown
        running.until("> ")
        running.type("because\n")
        assert "So be it." in running.rest() and running.wait() == 0
        late = jp(tmp_path, "answer", f"{conversation}/demo_1.answer.1", "red")
        assert late.returncode == 1 and "already" in late.stderr
    answers = [event for event in log(tmp_path, conversation) if event["type"] == "inquiry_response"]
    assert [event["answer"] for event in answers] == ["blue", "because"]
    assert answers[0]["responder"]["via"] == "process"


def test_nobody_waits_for_a_terminal_that_is_not_there(tmp_path: Path, script: str) -> None:
    """Standard input is a terminal, but no controlling one can be opened: nobody can be asked (R146)."""
    master, slave = os.openpty()
    with start(tmp_path, "query", "--json", "--model", script, "ask", stdin=slave, start_new_session=True) as child:
        os.close(slave)
        assert child.stdout is not None
        printed = lines(child.stdout.read().decode())
        assert child.wait(LIMIT) == 0
    os.close(master)
    assert "no interactive terminal" in next(e["content"] for e in printed if e["type"] == "tool_call_response")
