"""A scripted reviewer through the program itself, without a screen: each way that a verdict goes (rows 5, 6).

R139, R148-R156, R25, S1-S4, E40-E42.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import answers, configure, question, results
from tests.headless.running import OnTerminal, jp, latest, lines, log, on_terminal

NO = 'answer = false\nreason = "It breaks the build.\\n? paint asks: sure"'
YES = 'answer = true\nreason = "It is what was asked for."'
HANGS = f"{YES}\nwait = 600"
ESCALATES = {"questions": {"q": {"target": "assistant_with_escalation"}}}
ALONE = {"questions": {"q": {"target": "assistant"}}}
STORED = {"turn_start", "chat_request", "chat_response", "tool_call_request", "tool_call_response", "inquiry_request",
          "inquiry_response", "turn_outcome"}  # fmt: skip


def scripted(home: Path, tools: dict[str, dict[str, Any]], *verdicts: str) -> str:
    """As `configure`, and what the script says as a reviewer of `q`."""
    model = configure(home, tools)
    with (home / "asking.toml").open("a") as script:
        for verdict in verdicts:
            script.write(f'[[verdicts]]\nquestion = "q"\n{verdict}\n')
    return model


def pairs(events: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Each attempt: who answered and what, or why there is no answer; open ones have neither."""
    ends = {event["id"]: event for event in events if event["type"] == "inquiry_response"}
    found = []
    for event in events:
        if event["type"] == "inquiry_request":
            end = ends.get(event["id"], {})
            found.append((end.get("responder", {}).get("kind", ""), end.get("answer", end.get("reason"))))
    return found


TO_NO = [("assistant", False)]
POLICIES: dict[str, tuple[str, bool | None, str, list[Any]]] = {
    # tool: (detached, the question's default, what the tool got, the attempts)
    "deny": ("deny", True, "got false", TO_NO),
    "auto": ("auto", True, "got false", TO_NO),
    "unset": ("", True, "got false", TO_NO),
    "yes": ("defaults", True, "got true", [*TO_NO, ("default", True)]),
    "no": ("defaults", False, "got false", TO_NO),
    "none": ("defaults", None, "got false", TO_NO),
}


def test_without_a_client_each_policy_says_what_a_no_means(tmp_path: Path) -> None:
    """R153, S1: never a yes over a no, but for a default of yes where defaults count; the run ends with 0."""
    tools: dict[str, dict[str, Any]] = {}
    for name, (policy, default, _, _) in POLICIES.items():
        asked = question() if default is None else question(default=default)
        tools[name] = {"ask": asked, **ESCALATES, **({"detached": policy} if policy else {})}
    ran = jp(tmp_path, "query", "--json", "--model", scripted(tmp_path, tools, NO), "go")
    *events, end = lines(ran.stdout)
    assert (ran.returncode, ran.stderr, end["outcome"]) == (0, "", "done")
    asked_by = {event["id"]: event["metadata"]["tool"] for event in events if event["type"] == "inquiry_request"}
    for name, (_, _, got, attempts) in POLICIES.items():
        mine = [event for event in events if asked_by.get(event.get("id", "")) == name]
        assert (results(events)[name], pairs(mine)) == (got, attempts), name


def test_a_no_that_is_put_off_ends_with_3_and_is_answered_from_elsewhere(tmp_path: Path) -> None:
    """R153, row 14, S1, S6: the verdict stays on record; whoever answers decides."""
    tools = {"paint": {"ask": question(default=True), "detached": "defer", **ESCALATES}}
    ran = jp(tmp_path, "query", "--json", "--model", scripted(tmp_path, tools, NO), "go")
    *events, end = lines(ran.stdout)
    assert (ran.returncode, end["outcome"], pairs(events)) == (3, "deferred", [*TO_NO, ("", None)])
    (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert f"jp-tui answer {end['conversation']}/{waits['id']} VALUE   (VALUE: yes or no)" in ran.stderr
    assert jp(tmp_path, "answer", waits["id"], "yes").returncode == 0
    assert jp(tmp_path, "query", "-c", "and now?").returncode == 0
    assert results(log(tmp_path, end["conversation"]))["paint"] == "got true"


def test_json_has_stored_events_and_nothing_else(tmp_path: Path) -> None:
    """S3: no delta, no word that a review began; the verdict with reason, time and tokens on record (R25, R140)."""
    model = scripted(tmp_path, {"paint": {"ask": question(), **ALONE}}, f'{YES}\nreasoning = "Let me see."')
    ran = jp(tmp_path, "query", "--json", "--model", model, "go")
    *events, end = lines(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, "") and {event["type"] for event in events} <= STORED
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert end["type"] == "turn_end" and "Let me see" not in ran.stdout
    said = answers(events)["paint"]
    assert said["reason"] == "It is what was asked for." and said["responder"]["kind"] == "assistant"
    assert {"ms", "usage", "model"} <= said["responder"].keys()


def test_plain_query_tells_what_happens_beside_the_text(tmp_path: Path) -> None:
    """S4: on stderr without a terminal, which it says; standard output has the assistant's words alone."""
    model = scripted(tmp_path, {"paint": {"ask": question(), **ALONE}}, YES)
    ran = jp(tmp_path, "query", "--plain", "--model", model, "go")
    assert (ran.returncode, ran.stdout) == (0, "I ask.\nSo be it.\n")
    assert "no terminal: the detached" in ran.stderr
    assert "paint: Sure? – reviewer asking.toml decides.\n" in ran.stderr, "nobody can take it over"
    assert "paint asked: Sure? – yes (reviewer asking.toml, " in ran.stderr
    assert "): It is what was asked for.\ntool: paint a – done" in ran.stderr
    quiet = jp(tmp_path, "query", "--model", model, "go")
    assert (quiet.stdout, quiet.stderr) == ("I ask.\nSo be it.\n", "")
    both = jp(tmp_path, "query", "--plain", "--json", "--non-interactive", "--model", model, "go")
    assert lines(both.stdout)[-1]["outcome"] == "done" and "tool: paint" in both.stderr
    assert "no terminal" not in both.stderr


def begins(running: OnTerminal, *, plain: bool) -> str:
    """Up to the place where a reviewer decides."""
    shown = ""
    if plain:
        shown = running.until("you> ")
        running.type("go\n")
    return shown + running.until("decides. t and Enter to decide yourself.")


@pytest.mark.parametrize("plain", [False, True], ids=["query", "plain"])
def test_a_no_reaches_the_human_with_its_reason(tmp_path: Path, plain: bool) -> None:
    """Acceptance row 9; R149, R150, R154, E41: M12 to the letter first, then the question, then one's own yes."""
    model = scripted(tmp_path, {"paint": {"ask": question(context="the diff"), **ESCALATES}}, NO)
    words = ["--plain", "--model", model] if plain else ["query", "--model", model, "go"]
    with on_terminal(tmp_path, *words) as running:
        shown = begins(running, plain=plain)
        shown += running.until("\n> ")
        running.type("y\n")
        shown += running.until("So be it.")
        if plain:
            running.type("/quit\n")
        shown += running.rest()
        assert running.wait() == 0
    shown = shown.replace("\r\n", "\n")
    banner = 'The assistant recommended rejecting this change:\n| "It breaks the build.\n| ? paint asks: sure"\n'
    assert f"? paint · a asks:\nReviewer: {model}" in shown and f"\n{banner}" in shown
    assert "You decide.\n| the diff\nSure?" in shown
    assert "\n? paint asks: sure" not in shown and "\x1b" not in shown
    events = log(tmp_path, latest(tmp_path))
    assert pairs(events) == [("assistant", False), ("user", True)] and results(events)["paint"] == "got true"
    (figures,) = lines(jp(tmp_path, "reviewers", "--json").stdout)
    assert (figures["tool"], figures["question"], figures["model"]) == ("paint", "q", model)
    assert [figures[key] for key in ("asked", "rejected", "overturned", "outcomes")] == [1, 1, 1, "o"]
    if plain:
        told = jp(tmp_path, "reviewers").stdout
        assert told.startswith("paint · q\n") and "you overturned 1 of 1 rejections (100 %)" in told and "█" in told
        shown = jp(tmp_path, "conversations", "show", latest(tmp_path)).stdout
        assert "Reason: It breaks the build.\n  ? paint asks: sure\nBy: reviewer asking.toml · " in shown
        assert "Asked: escalated to you\n" in shown and "By: you, in plain mode, over the reviewer's no\n" in shown
        assert "  reason:\n| It breaks the build.\n" in jp(tmp_path, "inquiries").stdout


@pytest.mark.parametrize("plain", [False, True], ids=["query", "plain"])
def test_t_and_enter_take_a_decision_over(tmp_path: Path, plain: bool) -> None:
    """R156, E40: the model's call is cancelled and recorded, the question comes to the human, who decides alone."""
    model = scripted(tmp_path, {"paint": {"ask": question(), **ESCALATES}}, HANGS)
    words = ["--plain", "--model", model] if plain else ["query", "--model", model, "go"]
    with on_terminal(tmp_path, *words) as running:
        begins(running, plain=plain)
        if not plain:
            running.type("what\n")
            running.until("reviewer asking.toml decides. t and Enter to decide yourself.")
        running.type("t\n")
        shown = running.until("\n> ").replace("\r\n", "\n")
        running.type("n\n")
        running.until("So be it.")
        if plain:
            running.type("/quit\n")
        running.rest()
        assert running.wait() == 0
    assert "you decide." in shown and "\nYou took this over from the reviewer.\nYou decide." in shown
    events = log(tmp_path, latest(tmp_path))
    assert pairs(events) == [("user", "user"), ("user", False)]
    (figures,) = lines(jp(tmp_path, "reviewers", "--json").stdout)
    assert figures["taken_over"] == 1 and figures["outcomes"] == "t"


def test_json_at_a_terminal_stays_clean_while_a_decision_is_taken_over(tmp_path: Path) -> None:
    """S2, S3: words for people go to the terminal."""
    model = scripted(tmp_path, {"paint": {"ask": question(), **ESCALATES}}, HANGS)
    read, write = os.pipe()
    with on_terminal(tmp_path, "query", "--json", "--model", model, "go", out=write) as running:
        os.close(write)
        begins(running, plain=False)
        running.type("t\n")
        running.until("\n> ")
        running.type("y\n")
        with os.fdopen(read) as out:
            *events, end = lines(out.read())
        running.rest()
        assert running.wait() == 0
    assert {event["type"] for event in events} <= STORED and end["outcome"] == "done"
    assert pairs(events) == [("user", "user"), ("user", True)]


def test_a_reviewer_that_fails_hands_over_and_says_why(tmp_path: Path) -> None:
    """R155."""
    model = scripted(tmp_path, {"paint": {"ask": question(), **ESCALATES}}, 'error = "It is closed today."')
    with on_terminal(tmp_path, "query", "--model", model, "go") as running:
        shown = running.until("\n> ").replace("\r\n", "\n")
        running.type("y\n")
        running.rest()
        assert running.wait() == 0
    assert "The reviewer couldn't decide, so you decide:\n| " in shown and "It is closed today." in shown
    alone = jp(tmp_path, "query", "--json", "--model", model, "go")
    *events, _ = lines(alone.stdout)
    assert alone.returncode == 0 and answers(events)["paint"]["reason"] == "backend_error"
    assert "failed to provide a valid answer" in results(events)["paint"]
