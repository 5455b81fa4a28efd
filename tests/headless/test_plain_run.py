"""`jp-tui --plain`, and terminals, as a user meets them: typed, piped, interrupted (S1, S4, R215, R248, E60)."""

from __future__ import annotations

import os
import subprocess
import termios
from pathlib import Path

import pytest

from tests.headless.asking_tools import configure, question
from tests.headless.running import ROOT, command, environment, jp, latest, log, on_terminal
from tests.limits import LIMIT

SLOW = """
rate = 500
fallback = "Nothing to that."

[[walks]]
name = "slow"

[[walks.turns]]
text = "WORDS"
"""


@pytest.fixture
def slow(tmp_path: Path) -> str:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW.replace("WORDS", " ".join(f"word{number}\\n" for number in range(2000))))
    return f"demo/{file}"


def test_a_conversation_on_a_terminal(tmp_path: Path) -> None:
    """Prompt, question, tool, answer, `/` words; Ctrl+D leaves and says how to come back. Not one escape is written."""
    model = configure(tmp_path, {"paint": {"ask": question(context="a\x1b[2Jb")}})
    with on_terminal(tmp_path, "--plain", "--model", model) as running:
        shown = running.until("you> ")
        running.type("go\n")
        shown += running.until("\n> ")
        running.type("Y\n")
        shown += running.until("you> ")
        running.type("/inquiries\n")
        shown += running.until("you> ")
        running.type("/why\n")
        shown += running.until("you> ")
        running.type("\x04")
        shown += running.rest()
        assert running.wait() == 0
    conversation = latest(tmp_path)
    assert "assistant: I ask." in shown and "assistant: So be it." in shown and "tool: paint a – done" in shown
    assert "| a␛[2Jb" in shown and "yes (you, in plain mode)" in shown and "Why you were asked" in shown
    assert f"jp-tui --plain -r {conversation}" in shown and "\x1b" not in shown
    with on_terminal(tmp_path, "--plain", "-c") as running:
        assert "You: go" in running.until("you> ")
        running.type("/quit\n")
        running.rest()
        assert running.wait() == 0


def test_a_conversation_from_a_pipe(tmp_path: Path) -> None:
    """Each line is a prompt or an answer, in turn; the end of it ends the conversation."""
    model = configure(tmp_path, {"paint": {"ask": question()}})
    ran = jp(tmp_path, "--plain", "--model", model, stdin="go\nn\nand more\n")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.index("? paint") < ran.stdout.index("So be it.") < ran.stdout.index("Nothing to that.")
    told = [event["answer"] for event in log(tmp_path, latest(tmp_path)) if event["type"] == "inquiry_response"]
    assert told == [False]
    open_ = jp(tmp_path, "--plain", "--model", model, stdin="go\n")
    assert open_.returncode == 3 and "VALUE: yes or no" in open_.stderr
    goes_on = jp(tmp_path, "--plain", "-c", stdin="y\n")
    assert goes_on.returncode == 0 and "Resuming the unfinished" in goes_on.stdout and "So be it." in goes_on.stdout


def test_ctrl_c_opens_the_menu_and_the_turn_is_stopped(tmp_path: Path, slow: str) -> None:
    """R211, R215: by number; the partial reply is kept; the second Ctrl+C in the menu leaves, with 0 (S1)."""
    with on_terminal(tmp_path, "--plain", "--model", slow, "slow") as running:
        running.until("word3")
        running.type("\x03")
        running.until("  4  Abort (discard & exit): ")
        running.until("> ")
        running.type("3\n")
        assert "The turn was interrupted." in running.until("you> ")
        running.type("slow\n")
        running.until("word3")
        running.type("\x03")
        running.until("  4  Abort")
        running.type("\x03")
        assert "Resume this conversation" in running.rest()
        assert running.wait() == 0
    outcomes = [event["outcome"] for event in log(tmp_path, latest(tmp_path)) if event["type"] == "turn_outcome"]
    assert outcomes == ["interrupted", "interrupted"]


def test_two_ctrl_c_at_a_question_end_the_turn(tmp_path: Path) -> None:
    """R248."""
    model = configure(tmp_path, {"paint": {"ask": question()}})
    with on_terminal(tmp_path, "--plain", "--model", model, "go") as running:
        running.until("\n> ")
        running.type("\x03")
        running.until("  4  End Turn")
        running.type("\x03")
        assert "The turn was interrupted." in running.until("you> ")
        running.type("/quit\n")
        running.rest()
        assert running.wait() == 0
    (told,) = [event for event in log(tmp_path, latest(tmp_path)) if event["type"] == "inquiry_response"]
    assert (told["outcome"], told["reason"]) == ("cancelled", "user")


@pytest.mark.parametrize("signal", ["INT", "TERM"])
def test_a_signal_while_a_secret_is_typed_gives_the_echo_back(tmp_path: Path, signal: str) -> None:
    """R193: `query`; what was typed so far is nowhere."""
    model = configure(tmp_path, {"vault": {"ask": question({"type": "secret"})}})
    with on_terminal(tmp_path, "query", "--model", model, "go") as running:
        running.until("\n> ")
        assert not termios.tcgetattr(running.master)[3] & termios.ECHO
        if signal == "INT":
            running.type("s3cret\x03")
        else:
            running.process.terminate()
        assert running.wait() == (130 if signal == "INT" else 143)
        assert termios.tcgetattr(running.master)[3] & termios.ECHO
        assert "s3cret" not in running.rest()


def test_plain_without_a_reader_ends_quietly(tmp_path: Path) -> None:
    """S1: as a tool that SIGPIPE ended."""
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        command("--plain", "--model", configure(tmp_path, {"paint": {}})),
        input=b"go\n", stdout=write, stderr=subprocess.PIPE, env=environment(tmp_path), cwd=ROOT, timeout=LIMIT,
    )  # fmt: skip
    os.close(write)
    assert ran.returncode == 141 and b"Traceback" not in ran.stderr


def test_a_dumb_terminal_gets_lines_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Z26: no sequence reaches it, and `/quit` leaves."""
    monkeypatch.setenv("TERM", "dumb")
    with on_terminal(tmp_path, "--model", "demo/tour") as running:
        said = running.until("you> ")
        assert "jp-tui: TERM=dumb: this terminal has no full screen" in said and "(--plain)" in said
        running.type("/quit\n")
        said += running.rest()
        assert running.wait() == 0 and "\x1b" not in said
