"""`query -c` and `query -r ID` without a prompt resume a turn and send nothing (Z10; surface S1, S3, S6)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import configure, question, results
from tests.headless.running import jp, lines, on_terminal

LATER: dict[str, Any] = {"later": {"ask": question(), "detached": "defer"}, "other": {}}


def deferred(home: Path) -> tuple[str, str]:
    """A run that stopped on a question: the conversation and the inquiry."""
    ran = jp(home, "query", "--json", "--model", configure(home, LATER), "go")
    assert ran.returncode == 3
    conversation = lines(ran.stdout)[-1]["conversation"]
    (waits,) = lines(jp(home, "inquiries", "--pending", "--json").stdout)
    assert f"`jp-tui query -r {conversation}` to resume the turn" in ran.stderr
    return conversation, waits["id"]


@pytest.mark.parametrize("how", ["-c", "-r"])
def test_an_answered_turn_is_resumed_and_nothing_is_added(tmp_path: Path, how: str) -> None:
    """Z10: the turn goes on with the answer, the conversation gets no message, exit 0."""
    conversation, inquiry = deferred(tmp_path)
    answered = jp(tmp_path, "answer", f"{conversation}/{inquiry}", "yes")
    assert answered.returncode == 0 and f"`jp-tui query -r {conversation}`" in answered.stdout
    went = jp(tmp_path, "query", "--json", how, *([conversation] if how == "-r" else []))
    assert went.returncode == 0, went.stderr
    *events, end = lines(went.stdout)
    assert (end["outcome"], end["resumed"], end["conversation"]) == ("done", True, conversation)
    assert [event["seq"] for event in events] == [one["seq"] for one in _all(tmp_path, conversation)[-len(events) :]]
    assert results(_all(tmp_path, conversation))["later"] == "got true"
    said = [event["content"] for event in _all(tmp_path, conversation) if event["type"] == "chat_request"]
    assert said == ["go"]


def _all(home: Path, conversation: str) -> list[dict[str, Any]]:
    return lines(jp(home, "conversations", "show", conversation, "--json").stdout)


def test_an_open_question_is_listed_and_no_request_is_made(tmp_path: Path) -> None:
    """Z10: without a client exit 3, what waits is said, and the log is as it was."""
    conversation, inquiry = deferred(tmp_path)
    before = _all(tmp_path, conversation)
    went = jp(tmp_path, "query", "--json", "-c")
    assert went.returncode == 3 and inquiry in went.stderr
    (end,) = lines(went.stdout)
    assert (end["type"], end["outcome"], end["resumed"]) == ("turn_end", "deferred", False)
    assert _all(tmp_path, conversation) == before


def test_a_conversation_with_nothing_to_resume(tmp_path: Path) -> None:
    """Z10: exit 0, with a word; nothing is added."""
    ran = jp(tmp_path, "query", "--json", "--model", configure(tmp_path, {"other": {}}), "go")
    conversation = lines(ran.stdout)[-1]["conversation"]
    before = _all(tmp_path, conversation)
    went = jp(tmp_path, "query", "--json", "-r", conversation)
    assert went.returncode == 0 and "nothing to resume" in went.stderr
    (end,) = lines(went.stdout)
    assert (end["outcome"], end["resumed"]) == ("done", False)
    assert _all(tmp_path, conversation) == before
    again = jp(tmp_path, "query", "-r", conversation)
    assert again.returncode == 0 and again.stdout == ""


def test_a_conversation_that_is_not_there(tmp_path: Path) -> None:
    """S1: 2."""
    configure(tmp_path, LATER)
    missing = jp(tmp_path, "query", "-r", "nowhere")
    assert missing.returncode == 2 and "nowhere" in missing.stderr
    none = jp(tmp_path, "query", "-c")
    assert none.returncode == 2 and "No conversation to resume" in none.stderr
    assert jp(tmp_path, "conversations", "list").stdout.count("\n") <= 1


def test_a_resumed_turn_that_stops_again(tmp_path: Path) -> None:
    """Z10: two questions, one answer: exit 3 once more, with the command for the next time."""
    tools = {
        "later": {"ask": question(), "detached": "defer"},
        "more": {"ask": question({"type": "text"}), "detached": "defer"},
    }
    ran = jp(tmp_path, "query", "--json", "--model", configure(tmp_path, tools), "go")
    conversation = lines(ran.stdout)[-1]["conversation"]
    pending = {one["tool"]: one["id"] for one in lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)}
    assert jp(tmp_path, "answer", pending["later"], "yes").returncode == 0
    went = jp(tmp_path, "query", "--json", "-c")
    assert went.returncode == 3 and f"`jp-tui query -r {conversation}` to resume" in went.stderr
    assert lines(went.stdout)[-1]["outcome"] == "deferred"
    assert jp(tmp_path, "answer", pending["more"], "well").returncode == 0
    assert jp(tmp_path, "query", "-c").returncode == 0
    assert results(_all(tmp_path, conversation)) == {"later": "got true", "more": 'got "well"'}


def test_on_a_terminal_the_question_is_asked(tmp_path: Path) -> None:
    """Z10: with a client the turn resumes at its question."""
    conversation, _ = deferred(tmp_path)
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "-c", out=write) as running:
        os.close(write)
        running.until("\n> ")
        running.type("y\n")
        with os.fdopen(read) as out:
            *_, end = lines(out.read())
        assert running.wait() == 0
    assert (end["outcome"], end["resumed"]) == ("done", True)
    assert results(_all(tmp_path, conversation))["later"] == "got true"
