"""`jp-tui query` and `conversations` from outside, as scripts use them (surface S1-S5, issue "Bad input")."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.headless.running import jp, lines

SCRIPT = """
rate = 0
fallback = "Nothing to that."

[[walks]]
name = "colour"

[[walks.turns]]
text = "Let me ask."
calls = [{ name = "ask_user", arguments = { question = "Which?", answer_type = "select", options = ["red", "blue"] } }]

[[walks.turns]]
text = "Then \\u001b]0;owned\\u0007 go."

[[walks]]
name = "slow"

[[walks.turns]]
text = "SLOW"
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "script.toml"
    file.write_text(SCRIPT)
    return f"demo/{file}"


def test_json_is_every_event_as_stored_and_then_the_end(tmp_path: Path, script: str) -> None:
    """S3: with `seq` and `conversation`; stdout carries nothing else (S2)."""
    ran = jp(tmp_path, "query", "--json", "--model", script, "colour")
    assert ran.returncode == 0, ran.stderr
    *events, end = lines(ran.stdout)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["conversation"] for event in events} == {end["conversation"]}
    assert [event["type"] for event in events] == [
        "turn_start",
        "chat_request",
        "chat_response",
        "tool_call_request",
        "inquiry_request",
        "inquiry_response",
        "tool_call_response",
        "chat_response",
        "turn_outcome",
    ]
    assert end["type"] == "turn_end" and end["outcome"] == "done" and end["usage"]["input"] > 0
    assert "no interactive terminal" in events[6]["content"], "without a terminal nobody can be asked (M1)"
    shown = jp(tmp_path, "conversations", "show", end["conversation"][:4], "--json")
    assert lines(shown.stdout) == events


def test_plain_output_is_the_assistants_text_and_harmless(tmp_path: Path, script: str) -> None:
    """S4, T1: what a model says reaches a terminal neutralised."""
    ran = jp(tmp_path, "query", "--model", script, "colour")
    assert ran.returncode == 0
    assert ran.stdout == "Let me ask.\nThen  go.\n"


def test_the_prompt_comes_from_standard_input(tmp_path: Path, script: str) -> None:
    ran = jp(tmp_path, "query", "--model", script, "-", stdin="something else\n")
    assert (ran.returncode, ran.stdout) == (0, "Nothing to that.\n")
    assert jp(tmp_path, "query", "--model", script, "-", stdin=" \n").returncode == 2


def test_going_on_with_a_conversation(tmp_path: Path, script: str) -> None:
    """`-c` and `--resume` continue the log; `list` shows it once."""
    first = lines(jp(tmp_path, "query", "--json", "--model", script, "one").stdout)[-1]["conversation"]
    ran = jp(tmp_path, "query", "--json", "-c", "two")
    *events, end = lines(ran.stdout)
    assert end["conversation"] == first and events[0]["seq"] == 5
    again = jp(tmp_path, "query", "--json", "--resume", first, "three")
    assert lines(again.stdout)[-1]["conversation"] == first
    (row,) = lines(jp(tmp_path, "conversations", "list", "--json").stdout)
    assert row["id"] == first and row["turns"] == 3 and row["title"] == "one"
    people = jp(tmp_path, "conversations", "show", first)
    assert "You: two" in people.stdout and "Assistant: Nothing to that." in people.stdout


def test_a_deferred_question_ends_with_3(tmp_path: Path, script: str) -> None:
    """S1: stopped on a question it could not resolve."""
    ran = jp(
        tmp_path, "query", "--json", "--model", script, "--cfg", "conversation.tools.ask_user.detached=defer", "colour"
    )
    assert ran.returncode == 3, ran.stderr
    assert lines(ran.stdout)[-1]["outcome"] == "deferred"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nonsense"], "--nonsense"),
        (["query"], "prompt"),
        (["query", "--model", "nowhere/x", "hi"], "nowhere"),
        (["conversations", "list", "--cfg", "ui.theem=1"], "ui.theme"),
        (["query", "--workspace", "does-not-exist", "hi"], "does-not-exist"),
        (["-T", "nothing_such", "query", "hi"], "nothing_such"),
        (["conversations", "show", "zzzz"], "zzzz"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_ends_with_2_and_plain_words(tmp_path: Path, words: list[str], said: str) -> None:
    ran = jp(tmp_path, *words)
    assert ran.returncode == 2, ran.stderr
    assert said in ran.stderr and "Traceback" not in ran.stderr and ran.stdout == ""


def test_a_broken_configuration_names_file_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "config.toml"
    file.write_text("[ui]\ntheme = = 1\n")
    ran = jp(tmp_path, "query", "hi")
    assert ran.returncode == 2 and f"{file}:2:" in ran.stderr


def test_a_database_that_is_none_is_kept_aside_and_told(tmp_path: Path) -> None:
    """(Z24)"""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "conversations.db").write_bytes(b"this is no database, it is a letter to my aunt" * 40)
    ran = jp(tmp_path, "query", "hi")
    assert ran.returncode == 0 and "was damaged" in ran.stderr and "Traceback" not in ran.stderr
    (kept,) = (tmp_path / "data").glob("conversations.db.damaged-*")
    assert kept.read_bytes().startswith(b"this is no database") and str(kept) in ran.stderr


def test_a_server_that_refuses_the_connection(tmp_path: Path) -> None:
    """Exit 1, what happened and what to do on stderr; the conversation keeps it."""
    config = 'providers.llm.here={wire="openai-chat",base_url="http://127.0.0.1:9/v1"}'
    ran = jp(tmp_path, "query", "--json", "--cfg", config, "--model", "here/m", "hi")
    assert ran.returncode == 1
    assert "127.0.0.1:9" in ran.stderr and "Traceback" not in ran.stderr
    *events, end = lines(ran.stdout)
    assert end["outcome"] == "failed" and events[-1]["error"]["message"]


def test_a_key_is_missing(tmp_path: Path) -> None:
    ran = jp(tmp_path, "query", "--model", "anthropic/claude-sonnet-4-5", "hi")
    assert ran.returncode == 1 and "ANTHROPIC_API_KEY" in ran.stderr


def test_what_a_path_brings_along_acts_nowhere(tmp_path: Path) -> None:
    """R195: not in the words for people either, whoever made the folder's name."""
    ran = jp(tmp_path, "query", "--workspace", "/nowhere\x1b]0;x\x07\x9b2J", "hi")
    assert ran.returncode == 2 and "can't be read" in ran.stderr
    assert ran.stderr.replace("\n", "").isprintable(), ran.stderr
