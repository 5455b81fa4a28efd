"""Forms and changes by hunk through the program itself, without a screen (E23, E26, E30, E60; R175-R182b, R251).

A scripted model asks; a person types into a pipe, or at a terminal.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.headless.running import jp, latest, lines, log, on_terminal

SCRIPT = """
rate = 0
fallback = "Because I must know."

[[walks]]
name = "form"

[[walks.turns]]
text = "I ask."
[[walks.turns.calls]]
name = "ask_user"
[[walks.turns.calls.arguments.questions]]
id = "deploy"
text = "Deploy now?"
answer_type = "boolean"
[[walks.turns.calls.arguments.questions]]
id = "env"
text = "Where to?"
answer_type = "select"
options = ["dev", "prod"]
when = { question_id = "deploy", equals = true }
[[walks.turns.calls.arguments.questions]]
id = "parts"
text = "Which parts?"
answer_type = "multi_select"
options = ["api", "web", "docs"]
[[walks.turns.calls.arguments.questions]]
id = "limits"
text = "Limits?"
answer_type = "schema"
schema = { type = "object", required = ["port"], properties = { port = { type = "integer", minimum = 1 } } }
[[walks.turns.calls.arguments.questions]]
id = "note"
text = "Anything else?"
answer_type = "text"

[[walks.turns]]
text = "So be it."

[[walks]]
name = "choices"

[[walks.turns]]
calls = [{ name = "ask_user", arguments = { question = "Which?", choices = ["red", "blue"] } }]

[[walks.turns]]
text = "So be it."

[[walks]]
name = "change"

[[walks.turns]]
[[walks.turns.calls]]
name = "fs_modify_file"
[walks.turns.calls.arguments]
path = "f.txt"
patterns = [
  { old = "line 2\\n", new = "new 2\\n" },
  { old = "line 15\\n", new = "new 15\\n" },
  { old = "line 28\\n", new = "new 28\\n" },
]

[[walks.turns]]
text = "So be it."
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "script.toml"
    file.write_text(SCRIPT)
    return f"demo/{file}"


def result(events: list[dict[str, Any]]) -> str:
    """What the model read of the only call."""
    (told,) = [event for event in events if event["type"] == "tool_call_response"]
    return str(told["content"])


def said(events: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Each showing of a question in its order, and how it ended."""
    kept = {event["id"]: event for event in events if event["type"] == "inquiry_response"}
    asked = [event["id"] for event in events if event["type"] == "inquiry_request"]
    return [(one.partition(".")[2], kept[one].get("answer", kept[one].get("reason"))) for one in asked]


def typed(*entries: str) -> str:
    return "".join(f"{entry}\n" for entry in entries)


def test_a_form_from_a_pipe(tmp_path: Path, model: str) -> None:
    """R175-R178, R182b, E23: over a branch and back, with an undo, a misfit of a schema, and a last look."""
    entries = typed("form", "y", "prod", "b", "u", "b", "b", "n", "1,3", '{"port": 0}', '{"port": 8}', "bye")
    ran = jp(tmp_path, "--plain", "--model", model, stdin=entries + typed("", "3", "u", "5", "", "submit"))
    assert ran.returncode == 0, ran.stderr
    places = [line for line in ran.stdout.split("\n") if " asks: " in line]
    order = [1, 2, 3, 2, 3, 2, 1, 3, 4, 5, 0, 3, 0, 5, 0]
    assert places == [f"? Assistant asks: {f'[{n}/5]' if n else 'review'}" for n in order]
    assert "– env: skipped: asked only if `deploy` is yes\nWhich parts?" in ran.stdout
    assert "Not accepted: `/port` must be at least 1" in ran.stdout and "Not sent yet" in ran.stdout
    assert "u Restore the answers Back removed: parts, limits, note" in ran.stdout
    assert "  3  parts: api, docs\n     Which parts?\n  4  limits: {" in ran.stdout
    events = log(tmp_path, latest(tmp_path))
    answers = {"deploy": False, "env": None, "parts": ["api", "docs"], "limits": {"port": 8}, "note": "bye"}
    assert json.loads(result(events)) == answers and list(json.loads(result(events))) == list(answers)
    assert said(events) == [
        ("deploy.1", True), ("env.1", "prod"), ("parts.1", "user_back"), ("env.2", "user_back"),
        ("parts.2", "user_back"), ("env.3", "user_back"), ("deploy.2", False), ("parts.3", ["api", "docs"]),
        ("limits.1", {"port": 8}), ("note.1", "bye"), ("parts.4", "user_back"), ("note.2", "bye"),
    ]  # fmt: skip
    listed = jp(tmp_path, "inquiries").stdout
    assert "turn 1  the assistant asked 5 questions in one call:\n" in listed and "went back (you)" in listed


@pytest.mark.parametrize(
    ("last", "body"),
    [
        ("rather the moon", {"cancelled": True, "answered": {"deploy": True}, "reply": "rather the moon"}),
        ("r", {"cancelled": True, "answered": {"deploy": True}}),
    ],
)
def test_a_form_is_left_in_words(tmp_path: Path, model: str, last: str, body: Any) -> None:
    """R179, R238, M43: other words than the choices of a select are a reply, and so is `r`, with or without words."""
    more = [""] if last == "r" else []
    ran = jp(tmp_path, "--plain", "--model", model, stdin=typed("form", "y", last, *more))
    assert ran.returncode == 0, ran.stderr
    events = log(tmp_path, latest(tmp_path))
    assert json.loads(result(events)) == body and said(events)[-1] == ("env.1", "user_reply")


def test_words_beside_the_choices_are_an_answer_where_that_was_promised(tmp_path: Path, model: str) -> None:
    """R226, R227; one question alone has no progress and no review (R170)."""
    ran = jp(tmp_path, "--plain", "--model", model, stdin=typed("choices", "a reddish blue"))
    assert ran.returncode == 0 and "[1/1]" not in ran.stdout and "review" not in ran.stdout, ran.stderr
    assert json.loads(result(log(tmp_path, latest(tmp_path)))) == {"answer_type": "text", "answer": "a reddish blue"}


def test_a_form_on_a_terminal_with_a_side_question(tmp_path: Path, model: str) -> None:
    """E11, E30, E60, S3: `query --json` prints what was said aside like any event; what was typed meanwhile is no
    answer; Enter and a digit do not submit."""
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", model, "form", out=write) as running:
        os.close(write)
        shown = ""
        for one in ("n", "2", ':? why "that"', ":a", '{"port": 1}', ":b", "", "bye", "", "9", "submit"):
            shown += running.until("\n> ")
            running.type(f"{one}\n")
        shown += running.rest()
        with os.fdopen(read) as out:
            *events, end = lines(out.read())
        assert running.wait() == 0 and end["outcome"] == "done"
    assert "| Because I must know." in shown and "is sent to the model after the results." in shown
    assert shown.count("Not sent yet") == 2 and "required): 1\r\n  (your earlier answer)" in shown
    answers = {"deploy": False, "env": None, "parts": ["web"], "limits": {"port": 1}, "note": "bye"}
    assert json.loads(result(events)) == answers
    asides = [event for event in events if event["type"] == "inquiry_aside"]
    assert [one.get("question") for one in asides] == ['why "that"', None] and asides[1]["send"] is True
    assert asides[0]["answer"] == "Because I must know." and all(one["conversation"] for one in asides)
    assert events == log(tmp_path, latest(tmp_path))
    along = [event["content"] for event in events if event["type"] == "chat_request"][1]
    assert "I asked: why" in along and "I was told: Because I must know." in along


def test_the_end_of_input_at_the_review_sends_nothing(tmp_path: Path, model: str) -> None:
    """E14, R248: it is asked again by whoever opens the conversation next, with all answers kept."""
    first = jp(tmp_path, "--plain", "--model", model, stdin=typed("form", "n", "none", '{"port": 1}', '""'))
    assert first.returncode == 3 and "review" in first.stdout and "So be it." not in first.stdout
    assert not [one for one in log(tmp_path, latest(tmp_path)) if one["type"] == "tool_call_response"]
    then = jp(tmp_path, "--plain", "-c", stdin=typed("submit"))
    assert then.returncode == 0 and "Which parts?\n  4" in then.stdout, then.stdout
    kept = json.loads(result(log(tmp_path, latest(tmp_path))))
    assert kept == {"deploy": False, "env": None, "parts": [], "limits": {"port": 1}, "note": ""}


@pytest.mark.parametrize("face", ["pipe", "terminal"])
def test_a_change_by_hunk(tmp_path: Path, model: str, face: str) -> None:
    """E26, R251, acceptance row 27: exactly what is said to be taken is written; the model reads the rest and why."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "f.txt").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    entries = ["2", ":k 2 keep this one", "y"]
    words = ["--workspace", str(root), "--model", model]
    if face == "pipe":
        ran = jp(tmp_path, "--plain", *words, stdin=typed("change", *entries))
        assert ran.returncode == 0, ran.stderr
        shown = ran.stdout
    else:
        with on_terminal(tmp_path, "query", *words, "change") as running:
            shown = ""
            for one in entries:
                shown += running.until("\n> ")
                running.type(f"{one}\n")
            shown += running.rest()
            assert running.wait() == 0
        shown = shown.replace("\r\n", "\n")
    assert "  2  taken  f.txt, line 15  +1 −1\n" in shown and "y applies all 3 hunks.\n" in shown
    assert "2 of 3 hunks selected: y applies 1, 3 and nothing else.\n" in shown
    new = "".join(f"{'new' if n in (2, 28) else 'line'} {n}\n" for n in range(1, 31))
    assert (root / "f.txt").read_text() == new
    events = log(tmp_path, latest(tmp_path))
    (answer,) = [event for event in events if event["type"] == "inquiry_response"]
    assert answer["answer"] is True
    assert answer["parts"] == {"accepted": ["1", "3"], "comments": {"2": "keep this one"}}
    assert "keep this one" in result(events)
    listed = jp(tmp_path, "inquiries", latest(tmp_path)).stdout
    assert "yes to 2 of 3 hunks" in listed and "  left  f.txt, line 15: keep this one\n" in listed
