"""Every policy without a client, and the same questions with one, as a user runs it (6.3, R144-R147, S1-S4)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.headless.asking_tools import answers, configure, question, results
from tests.headless.running import jp, lines, on_terminal

EXCLUSIVE = question(exclusive=True, default=True)
SECRET = question({"type": "secret"}, default="hunter2")

ALONE: dict[str, tuple[dict[str, Any], str, str]] = {
    # tool: (settings, what the model reads, how the pair was closed)
    "unset": ({"ask": question()}, "failed to provide a valid answer", "backend_error"),  # row 11, no reviewer yet
    "auto": ({"ask": question(), "detached": "auto"}, "failed to provide a valid answer", "backend_error"),
    "defaults": ({"ask": question(default=True), "detached": "defaults"}, "got true", "answered"),  # row 12
    "no_default": ({"ask": question(), "detached": "defaults"}, "(detached policy: defaults)", "no_prompt_backend"),
    "bad_default": (
        {"ask": question(default="yes"), "detached": "defaults"}, "(detached policy: defaults)", "no_prompt_backend",
    ),
    "deny": ({"ask": question(default=True), "detached": "deny"}, "(detached policy: deny)", "no_prompt_backend"),
    "only_tool": ({"ask": question(default=True), "detached": {"tool": "defaults"}}, "got true", "answered"),
    "exclusive": ({"ask": EXCLUSIVE, "detached": "auto"}, "no interactive terminal", "no_prompt_backend"),  # row 8
    "exclusive_default": ({"ask": EXCLUSIVE, "detached": "defaults"}, "got true", "answered"),  # row 9
    "softened": (
        {"ask": EXCLUSIVE, "detached": "deny", "questions": {"q": {"exclusive": False}}},
        "(detached policy: deny)", "no_prompt_backend",
    ),
    "secret": ({"ask": SECRET, "detached": "defaults"}, "no interactive terminal", "no_prompt_backend"),  # row 10
    "pinned": ({"ask": question(), "questions": {"q": {"answer": False}}}, "got false", "answered"),  # row 2
    "badly_pinned": (
        {"ask": question(), "questions": {"q": {"answer": "no"}}},
        "badly_pinned.questions.q.answer", "invalid_static_answer",
    ),
    "schema": (
        {"ask": question({"type": "schema", "schema": {"type": "integer"}}, default=7), "detached": "defaults"},
        "got 7", "answered",
    ),
}  # fmt: skip
DECISIONS = {
    "run_unset": ({"run": "ask"}, "was not run: it needs approval"),
    "run_deny": ({"run": "ask", "detached": {"run": "deny", "deliver": "auto"}}, "(detached policy: deny)"),
    "run_defaults": ({"run": "edit", "detached": "defaults"}, "(detached policy: defaults)"),
    "run_auto": ({"run": "ask", "detached": "auto"}, 'got {"path": "a"}'),
    "run_skip": ({"run": "skip", "detached": "auto"}, "Tool skipped by configuration."),
    "result_unset": ({"result": "ask"}, "was not delivered"),
    "result_deny": ({"result": "ask", "detached": "deny"}, "(detached policy: deny)"),
    "result_auto": ({"result": "edit", "detached": {"result": "auto"}}, 'got {"path": "a"}'),
    "result_skip": ({"result": "skip"}, "Result delivery skipped by configuration."),
}


def test_without_a_client_the_policies_decide(tmp_path: Path) -> None:
    """R144-R147, S1: errors of tools, said to the model; the run ends with 0. A pinned answer needs nobody."""
    tools = {name: settings for name, (settings, _, _) in ALONE.items()}
    tools |= {name: settings for name, (settings, _) in DECISIONS.items()}
    model = configure(tmp_path, tools)
    ran = jp(tmp_path, "query", "--json", "--model", model, "go")
    assert ran.returncode == 0, ran.stderr
    *events, end = lines(ran.stdout)
    assert end["outcome"] == "done"
    told, closed = results(events), answers(events)
    for name, (_, said, how) in ALONE.items():
        assert said in told[name], name
        assert closed[name].get("reason", closed[name]["outcome"]) == how, name
    for name, (_, said) in DECISIONS.items():
        assert said in told[name], (name, told[name])
    assert "hunter2" not in told["secret"]


def test_a_terminal_is_no_client_when_nobody_is_to_be_asked(tmp_path: Path) -> None:
    """R228."""
    model = configure(tmp_path, {"deny": {"ask": question(), "detached": "deny"}})
    with on_terminal(tmp_path, "query", "--non-interactive", "--json", "--model", model, "go") as running:
        shown = running.rest()
        assert running.wait() == 0
    assert "(detached policy: deny)" in shown and "Sure?" in shown and "asks:" not in shown


def test_a_deferred_question_is_answered_from_elsewhere_and_the_turn_goes_on(tmp_path: Path) -> None:
    """Row 14, R230, R207, S1, S6: exit 3 with the words; the other call is there; `answer`; `query -c` goes on."""
    tools: dict[str, Any] = {
        "later": {"ask": EXCLUSIVE, "detached": "defer"},
        "more": {"ask": question({"type": "multi_select", "options": ["a", "b"]}), "detached": "defer"},
        "other": {},
    }
    model = configure(tmp_path, tools)
    ran = jp(tmp_path, "query", "--json", "--model", model, "go")
    assert ran.returncode == 3
    *events, end = lines(ran.stdout)
    assert end["outcome"] == "deferred" and results(events) == {"other": 'got {"path": "a"}'}
    conversation = end["conversation"]
    pending = sorted(lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout), key=lambda one: one["tool"])
    assert [(one["conversation"], one["tool"], one["question"]["text"]) for one in pending] == [
        (conversation, "later", "Sure?"), (conversation, "more", "Sure?"),
    ]  # fmt: skip
    for one in pending:
        assert f"jp-tui answer {conversation}/{one['id']} VALUE" in ran.stderr
    assert f"`jp-tui query -r {conversation}` to resume the turn" in ran.stderr

    waits = jp(tmp_path, "query", "--json", "-c", "and now?")
    assert waits.returncode == 3 and pending[0]["id"] in waits.stderr, "its prompt waits for the old question"
    assert [one["type"] for one in lines(waits.stdout)] == ["turn_end"]

    first = f"{conversation}/{pending[0]['id']}"
    assert jp(tmp_path, "answer", first, "perhaps").returncode == 2
    assert jp(tmp_path, "answer", first, "yes").returncode == 0
    again = jp(tmp_path, "answer", first, "no")
    assert again.returncode == 1 and "already" in again.stderr
    said = jp(tmp_path, "answer", pending[1]["id"], '["b"]', "--json")
    assert said.returncode == 0 and lines(said.stdout)[0]["status"] == "accepted"

    went_on = jp(tmp_path, "query", "--json", "-c", "and now?")
    assert went_on.returncode == 0, went_on.stderr
    *events, end = lines(went_on.stdout)
    stored = lines(jp(tmp_path, "conversations", "show", conversation, "--json").stdout)
    assert results(stored) == {"other": 'got {"path": "a"}', "later": "got true", "more": 'got ["b"]'}
    assert [event["seq"] for event in events] == [event["seq"] for event in stored[-len(events) :]]
    assert [event["content"] for event in stored if event["type"] == "chat_request"] == ["go", "and now?"]
    assert end["outcome"] == "done" and "Resuming the unfinished turn before your message" in went_on.stderr
    record = lines(jp(tmp_path, "inquiries", conversation, "--json").stdout)
    assert sorted((one["tool"], one["answer"], one["responder"]["via"]) for one in record) == [
        ("later", True, "process"), ("more", ["b"], "process"),
    ]  # fmt: skip


def test_with_a_client_the_human_decides(tmp_path: Path) -> None:
    """R146, R86, R93, R97b, 2.2: each type and each prompt, one at a time, whatever the policy; a secret leaves no
    trace (R193, R202)."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tools: dict[str, Any] = {
        "run_it": {"run": "ask", "detached": "deny"},
        "edit_it": {"run": "edit"},
        "skip_it": {"run": "ask"},
        "boolean": {"ask": EXCLUSIVE, "detached": "deny"},
        "multi": {"ask": question({"type": "multi_select", "options": ["a", "b", "c"]})},
        "schema": {"ask": question({"type": "schema", "schema": schema})},
        "secret": {"ask": SECRET, "questions": {"q": {"prompt_label": "Vault"}}},
        "deliver": {"result": "ask"},
    }
    model = configure(tmp_path, tools)
    typed = {
        "Run local run_it tool?": ["1"],
        "? edit_it": ['{"path": "b"}'],
        "Run local skip_it tool?": ["r too early"],
        "? boolean": ["", "y"],
        "? multi": ["3 1"],
        "? schema": ['{"n": "x"}', '{"n": 3}'],
        "? Vault": ["s3cret-value"],
        "Deliver deliver result": ["e", "shorter", ":end"],
    }
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", model, "go", out=write) as running:
        os.close(write)
        seen = ""
        while typed:
            shown = running.until("\n> ")
            (asked,) = (words for words in typed if words in shown)
            *first, last = typed.pop(asked)
            for word in first:
                running.type(f"{word}\n")
                shown += running.until("… " if asked.startswith("Deliver") else "\n> ")
            running.type(f"{last}\n")
            seen += shown
        with os.fdopen(read) as out:
            *events, end = lines(out.read())
        seen += running.rest()
        assert running.wait() == 0, seen
    assert end["outcome"] == "done"
    told = results(events)
    assert told.pop("edit_it").startswith('got {"path": "b"}')
    assert told == {
        "run_it": 'got {"path": "a"}',
        "skip_it": "Tool skipped by user: too early",
        "boolean": "got true",
        "multi": 'got ["a", "c"]',
        "schema": 'got {"n": 3}',
        "secret": 'got "<redacted>"',
        "deliver": "shorter",
    }
    assert answers(events)["secret"]["outcome"] == "redacted" and "s3cret" not in seen
    assert "Not accepted:" in seen and "hunter2" not in seen.replace(str(tmp_path), "")


def test_the_end_of_input_answers_nothing(tmp_path: Path) -> None:
    """Z9: Ctrl+D is the end of input: both questions stay open, and the exit status is 3."""
    model = configure(tmp_path, {"first": {"ask": question()}, "second": {"ask": question()}})
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", model, "go", out=write) as running:
        os.close(write)
        running.until("\n> ")
        running.type("\x04")
        with os.fdopen(read) as out:
            *events, end = lines(out.read())
        assert running.wait() == 3
        assert "jp-tui query -r" in running.rest()
    assert end["outcome"] == "deferred" and results(events) == {}
    assert answers(events) == {"first": {}, "second": {}}


def test_a_time_limit_ends_the_question_and_is_no_answer(tmp_path: Path) -> None:
    """E13, R243, M48: said before, said when it is over, recorded as `timed_out`."""
    model = configure(tmp_path, {"paint": {"ask": question(), "questions": {"q": {"deadline_secs": 1}}}})
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", model, "go", out=write) as running:
        os.close(write)
        assert "1 s, counted from" in running.until("\n> ")
        assert "is closed: The time to answer is over." in running.until("over.")
        with os.fdopen(read) as out:
            *events, _ = lines(out.read())
        assert running.wait() == 0
    assert results(events) == {"paint": "No answer within the time limit set by the user."}
    assert answers(events)["paint"]["reason"] == "timed_out"
