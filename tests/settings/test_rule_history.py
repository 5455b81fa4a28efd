"""What the record says of rules: hits, makers, `rules why`, `rules suggest` (rules.md AR22, AR24, AR25, AR27)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.record.rules.record import rule_added, rule_revoked
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.limits import LIMIT
from tests.settings.test_approval_rules import Runs
from tests.settings.test_approval_rules import runs as runs

NOW = datetime.now(UTC)
YES = {"choice": "run", "by": "user"}
NO = {"choice": "skip", "by": "user"}


class History:
    """Conversations of a workspace with decided calls."""

    def __init__(self, home: Path, workspace: Path) -> None:
        (home / "home" / "data").mkdir(parents=True, mode=0o700)
        self._journal: SqliteJournal = open_journal(home / "home" / "data" / "conversations.db")
        self.workspace, self._turn = str(workspace), 0

    def call(
        self,
        conversation: str,
        command: str,
        permission: dict[str, Any],
        *,
        days: float = 1,
        id_: str = "",
        **more: Any,
    ) -> None:
        """A call of `shell_run` that was decided about some days ago."""
        self._turn += 1
        name = id_ or f"call_{self._turn}"
        arguments = more.pop("arguments", {"command": command})
        tool = more.pop("tool", "shell_run")
        self.add(
            conversation,
            ev.ToolCallRequest(id=name, name=tool, arguments=arguments),
            ev.ToolCallResponse(id=name, content="done", metadata={"permission": permission}),
            days=days,
        )

    def add(self, conversation: str, *events: ev.Event, days: float = 1) -> None:
        at = timestamp(NOW - timedelta(days=days))
        if self._journal.conversation(conversation) is None:
            self._journal.create(conversation, workspace=self.workspace, model="m/m", at=at).result(LIMIT)
        self._journal.append(conversation, [entry(one, self._turn, at)[0] for one in events]).result(LIMIT)

    def close(self) -> None:
        self._journal.close()


@pytest.fixture
def history(tmp_path: Path, runs: Runs) -> Iterator[History]:
    made = History(tmp_path, runs.workspace)
    yield made
    made.close()


def test_ar25_a_rule_has_its_maker_and_its_hits(history: History, runs: Runs) -> None:
    (made,) = runs.json("add", "allow", "--tool", "shell_run", "--command", "git log")
    assert (made["made_by"], made["hits"], made["last_hit"]) == ("command", 0, None)
    assert made["created"] >= f"{NOW:%Y-%m-%dT%H:%M:%SZ}"
    ruled = {"choice": "run", "by": "rule", "rules": [made["id"]]}
    history.call("c1", "git log", ruled, days=3)
    history.call("c2", "git log -1", ruled, days=2)
    history.call("c2", "git log -2", YES)
    (told,) = runs.json("list")
    assert told["hits"] == 2 and told["last_hit"] == f"{NOW - timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"
    assert f"used 2 times, last {NOW - timedelta(days=2):%Y-%m-%d %H:%M} UTC" in runs("list")[1]


def test_ar22_a_rule_that_had_a_person_asked_counts_that(history: History, runs: Runs) -> None:
    (made,) = runs.json("add", "ask", "--tool", "shell_run", "--command", "git push")
    history.call("c1", "git push", {**NO, "asked_rules": [made["id"]]}, id_="call_7")
    assert runs.json("list")[0]["hits"] == 1
    assert f"you decided, asked by rule {made['id']}" in runs("why", made["id"])[1]


def test_ar24_why_of_a_rule_a_call_and_an_inquiry(history: History, runs: Runs) -> None:
    (made,) = runs.json("add", "deny", "--tool", "shell_run", "--command", "git push", "--reason", "I push myself")
    history.call("c1", "git push", {"choice": "skip", "by": "rule", "rules": [made["id"]]}, id_="call_9")
    history.call("c2", "ls", {**YES, "reason": ""}, id_="call_a")
    asked = ev.InquiryRequest(id="call_a.sure.1", source=ev.Source("tool", "t"), question={"text": "Sure?"})
    answered = ev.InquiryAnswered(id="call_a.sure.1", answer=True, responder=ev.Responder("user"))
    history.add("c2", asked, answered)
    (rule,) = runs.json("why", made["id"])
    assert (rule["kind"], rule["hits"], rule["calls"][0]["call"]) == ("rule", 1, "call_9")
    (call,) = runs.json("why", "call_9")
    assert (call["kind"], call["call"]["choice"], call["rules"][0]["id"]) == ("call", "skip", made["id"])
    (prompt,) = runs.json("why", "call_a.__permission__.2")
    assert (prompt["kind"], prompt["call"]["by"]) == ("call", "user")
    (inquiry,) = runs.json("why", "call_a.sure.1")
    assert (inquiry["kind"], inquiry["question"], inquiry["response"]["answer"]) == ("inquiry", "Sure?", True)
    status, out, err = runs("why", "nothing")
    assert (status, out) == (1, "") and "There is no rule, call or inquiry nothing" in err
    assert "answered by user: true" in runs("why", "call_a.sure.1")[1]


def test_ar22_a_rule_made_from_an_answer_names_it_also_when_it_is_revoked(history: History, runs: Runs) -> None:
    table: Any = {"id": "rule-aaaaaa", "effect": "allow", "tool": "shell_run", "command": ["ls"]}
    fact = rule_added(timestamp(NOW), table, lifetime="folder", inquiry="call_3.__permission__.1", call="call_3")
    history.add("c1", fact)
    (gone,) = runs.json("why", "rule-aaaaaa")
    assert gone["rule"] is None and gone["made"] == table and gone["created"]
    (made,) = runs.json("add", "allow", "--tool", "shell_run", "--command", "ls")
    table["id"] = made["id"]
    history.add("c1", rule_added(timestamp(NOW), table, lifetime="folder", inquiry="call_3.__permission__.1"))
    (told,) = runs.json("list")
    assert told["answer"] == {"conversation": "c1", "inquiry": "call_3.__permission__.1", "call": ""}
    runs("revoke", made["id"])
    history.add("c1", rule_revoked(timestamp(NOW), made["id"]))
    (gone,) = runs.json("why", made["id"])
    assert gone["rule"] is None and gone["revoked"] and gone["made"]["id"] == made["id"]


def test_ar27_what_was_approved_often_and_never_refused_is_suggested(history: History, runs: Runs) -> None:
    for number in range(5):
        history.call(f"c{number % 2}", f"git log -{number}", YES)
        history.call(f"c{number % 2}", "rm a.txt", YES)
        history.call(f"c{number % 2}", "git push", YES)
        history.call(f"c{number % 2}", "python3 -c 'x'", YES)
        history.call(f"c{number % 2}", "cargo build | tail", YES if number else NO)
        history.call("c1", "ls", YES)
        history.call(f"c{number % 2}", "git diff", YES, days=31)
    enabled = ("--cfg", "conversation.tools.shell_run.enable=true")
    assert runs("suggest")[1] == "", "the tool is not enabled"
    (told,) = runs.json("suggest", *enabled)
    assert (told["tool"], told["match"], told["approved"], told["conversations"]) == ("shell_run", ["git", "log"], 5, 2)
    assert told["add"] == "jp-tui rules add allow --tool shell_run --command 'git log'"
    assert "you approved 5 calls in 2 conversations, refused none" in runs("suggest", *enabled)[1]
    assert runs("suggest", "--min", "6", *enabled)[1] == "" and runs("suggest", "--min", "0")[0] == 2
    runs("add", "allow", "--tool", "shell_run", "--command", "git log")
    status, out, err = runs("suggest", *enabled)
    assert (status, out) == (0, "") and "No suggestions" in err


def test_ar22_without_a_log_rules_are_listed_and_explained(runs: Runs) -> None:
    (made,) = runs.json("add", "allow", "--tool", "shell_run", "--command", "git log")
    assert runs.json("list")[0]["hits"] == 0
    assert runs.json("why", made["id"])[0]["rule"]["id"] == made["id"]
    assert runs("suggest")[0] == 0


def test_ar25_with_a_damaged_log_rules_are_listed_without_a_record(tmp_path: Path, runs: Runs) -> None:
    runs("add", "allow", "--tool", "shell_run", "--command", "git log")
    (tmp_path / "home" / "data").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "home" / "data" / "conversations.db").write_bytes(b"no database" * 1000)
    assert runs.json("list")[0]["hits"] is None
