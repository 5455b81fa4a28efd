"""Acceptance row 28: a client that speaks only Opal's fields holds a whole conversation, in a process of its own.

Leave to run, a form with a branch, a schema, several choices, a diff, a result: every human question through
`client/ask_user` (inquiries.md R240, R241), and the record says what was answered.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jp_tui.headless.rpc.schema import document
from tests.headless.asking_tools import YES_NO, configure, question, results
from tests.headless.running import LIMIT, ROOT, command, environment, log

CLIENT = Path(__file__).with_name("opal_client.py")
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
FORM = [
    {"id": "env", "text": "Where to?", "answer_type": "select", "options": ["test", "live"]},
    {"id": "sure", "text": "Live, really?", "answer_type": "boolean", "when": {"question_id": "env", "equals": "live"}},
    {"id": "days", "text": "Which days?", "answer_type": "multi_select", "options": ["mo", "tu", "we"]},
    {"id": "note", "text": "Anything to note?", "answer_type": "text"},
    {"id": "limits", "text": "Limits?", "answer_type": "schema", "schema": SCHEMA},
]
TURNS = """
rate = 0
fallback = "Nothing to that."
[[walks]]
name = "work"
[[walks.turns]]
text = "First a form."
calls = [{{ name = "ask_user", arguments = {{ questions = {form} }} }}]
[[walks.turns]]
text = "Then a file."
[[walks.turns.calls]]
name = "fs_create_file"
arguments = {{ path = "a.txt", content = "one" }}
[[walks.turns.calls]]
name = "guarded"
arguments = {{ path = "x" }}
[[walks.turns]]
text = "Done."
"""


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + " }"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def talk(home: Path, *, prompts: list[str], answers: list[list[str]], words: list[str]) -> dict[str, Any]:
    """What the client reports."""
    plan = {"command": command("rpc", *words), "prompts": prompts, "answers": answers}
    ran = subprocess.run(
        [sys.executable, str(CLIENT)],
        input=json.dumps(plan),
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        env=environment(home),
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout))


@pytest.fixture
def configured(tmp_path: Path) -> str:
    """A tool that wants leave to run and to deliver, and asks; the model to use."""
    home = tmp_path / "home"
    home.mkdir()
    guarded = {"run": "ask", "result": "ask", "ask": question(YES_NO, text="Really sure?", context="one\ntwo")}
    configure(home, {"guarded": guarded})
    script = tmp_path / "work.toml"
    script.write_text(TURNS.format(form=toml(FORM)))
    return f"demo/{script}"


def test_row_28_a_whole_conversation_with_the_contracts_fields_alone(tmp_path: Path, configured: str) -> None:
    """R240, R241: one request a question; misfits come again with a reason; every line keeps the schema."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    answers = [
        ["Where to?", "moon"],
        ["Not accepted", "live"],
        ["Live, really?", "TRUE"],
        ["Which days?", "we\nmo"],
        ["Anything to note?", "two\nlines"],
        ["Limits?", '{"n": "x"}'],
        ["Not accepted", '{"n": 3}'],
        ["a.txt", "yes"],
        ["Run local guarded tool?", "Print arguments as JSON"],
        ["Run local guarded tool?", "Run tool"],
        ["Really sure?", "No"],
        ["Deliver guarded result", "Edit result first"],
        ["Edit result first: the assistant reads this", "shorter"],
    ]
    words = ["--model", configured, "--workspace", str(work)]
    report = talk(home, prompts=["work", "thanks"], answers=answers, words=words)
    assert report["left"] == [] and report["status"] == 0
    assert [end["outcome"] for end in report["ended"]] == ["done", "done"]
    assert report["said"] == ["First a form.", "Then a file.", "Done.", "Nothing to that."]
    _the_questions(report["asked"], report["session"])
    stored = log(home, report["session"])
    read = results(stored)
    assert json.loads(read["ask_user"]) == {
        "env": "live", "sure": True, "days": ["we", "mo"], "note": "two\nlines", "limits": {"n": 3},
    }  # fmt: skip
    assert read["guarded"] == "shorter" and (work / "a.txt").read_text() == "one"
    answered = [event for event in stored if event["type"] == "inquiry_response"]
    assert {event["responder"]["via"] for event in answered} == {"rpc"}, "R25"
    assert [json.loads(line)["params"]["event"]["seq"] for line in report["lines"] if '"session/event"' in line] == [
        event["seq"] for event in stored
    ], "S30: every event as stored, none twice, in order"
    _schema(report["lines"])


def _the_questions(asked: list[dict[str, Any]], session: str) -> None:
    assert {one["session_id"] for one in asked} == {session}
    shown = {one["question"]: one["choices"] for one in asked}
    assert shown["Where to?"] == ["test", "live"] and shown["Live, really?"] == ["yes", "no"]
    assert shown["Which days?"] == ["mo", "tu", "we"]
    assert shown["Anything to note?"] == shown["Limits?"] == [], "R240: always written"
    assert shown["Not accepted: it is none of the choices.\n\nWhere to?"] == ["test", "live"]
    (limits,) = (text for text in shown if text.startswith("Not accepted: ") and text.endswith("Limits?"))
    assert len(limits.partition("\n\n")[0].splitlines()) == 1, "R241: one line that says why"
    assert shown["one\ntwo\n\nReally sure?"] == ["yes", "no"], "R241: the context stands before the question"
    assert any("+one" in text and choices == ["yes", "no"] for text, choices in shown.items()), "the diff is shown"
    (run,) = {tuple(choices) for text, choices in shown.items() if "Run local guarded tool?" in text}
    assert run[:2] == ("Run tool", "Skip running tool") and not any("remember" in label for label in run)


def _schema(lines: list[str]) -> None:
    """Each line is what `rpc --schema` says."""
    found = document()
    by_name: dict[str, Draft202012Validator] = {}
    for line in lines:
        message = json.loads(line)
        name = message["method"].replace("/", ".") if "method" in message else ""
        kind = "request" if "id" in message else "notification"
        where = f"{name}.{kind}" if name else ""
        known = by_name.setdefault(
            where,
            Draft202012Validator(
                {"$defs": found["$defs"], **({"$ref": f"#/$defs/{where}"} if where else {"anyOf": found["anyOf"]})}
            ),
        )
        assert known.is_valid(message), next(known.iter_errors(message)).message


def test_row_28_the_worked_client_holds_a_conversation(tmp_path: Path, configured: str) -> None:
    """config/examples: typed, standard library only; used as its words say."""
    home, work, bin_ = tmp_path / "home", tmp_path / "work", tmp_path / "bin"
    work.mkdir()
    bin_.mkdir()
    program = bin_ / "jp-tui"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m jp_tui "$@"\n')
    program.chmod(0o755)
    script = ROOT / "config" / "examples" / "rpc_client" / "rpc_client.py"
    typed = '1\nmo\nnothing\n{"n": 1}\n2\n1\n'
    kept = environment(home, PATH=f"{bin_}:/usr/bin:/bin", PYTHONPATH=str(ROOT))
    ran = subprocess.run(
        [sys.executable, str(script), "--model", configured, "work"],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        env=kept,
        cwd=work,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "First a form.\nThen a file.\nDone.\n"
    assert "Where to?\n  1  test\n  2  live\n> " in ran.stderr and "Run local guarded tool?" in ran.stderr
    assert (work / "a.txt").read_text() == "one"
