"""The service of approval rules: lists them with their record, revokes, makes suggested ones (rules.md AR22-AR27)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import ChosenRule, Permitted
from jp_tui.rules.facts import Covers
from jp_tui.settings.sources import Sources
from jp_tui.startup.rule_book import RuleBookOnDisk
from jp_tui.tools.files.rule_places import RulePlacesOnDisk
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_approval_rules import DANGERS
from tests.engine.test_exact_leave import OK, OPEN, results
from tests.fakes.models import Script, call, end


class Files:
    """Rules in files, as a run has them."""

    def __init__(self, bench: Bench) -> None:
        self.file = bench.home / "config" / "rules.toml"
        self.sources = Sources(
            bench.home / "config" / "config.toml", bench.workspace / ".jp-tui" / "config.toml", bench.home / "trust", {}
        )
        self.book = RuleBookOnDisk(self.sources)
        bench.rule_book, bench.approval_rules = self.book, self

    def layers(self) -> Any:
        return self.book.read().layers

    def dangers(self) -> Any:
        return DANGERS

    def places(self, root: str, secrets: Any) -> RulePlacesOnDisk:
        return RulePlacesOnDisk(root, os.environ, secrets)

    def write(self, text: str) -> None:
        self.file.parent.mkdir(exist_ok=True, mode=0o700)
        self.file.write_text(text)


@pytest.fixture
def files(bench: Bench) -> Files:
    made = Files(bench)
    covers = Covers(command="command", argv="argv", cwd="cwd")
    bench.tools["shell_run"] = tool_setup("shell_run", builtin()["shell_run"], run="ask", options=OPEN, covers=covers)
    return made


def says(bench: Bench, *lines: str, allow: bool = True, asks: bool = True) -> None:
    """A conversation of one turn in which the model sends these lines, each allowed or refused."""
    calls = [[*call("shell_run", {"command": line}, f"c{at}"), *end("tools")] for at, line in enumerate(lines, 1)]
    bench.script = Script(*calls, OK)
    bench.start()
    bench.say("go")
    for _ in lines if asks else ():
        bench.answer(bench.prompt(), Permitted(run=allow))
    bench.turn()


def read(bench: Bench) -> e.RulesRead:
    bench.send(c.ReadRules())
    return bench.until(e.RulesRead)


ONE = '[[rule]]\nid = "echoes"\neffect = "allow"\ntool = "shell_run"\ncommand = ["echo"]\n'


def test_ar22_the_list_counts_what_a_rule_decided(bench: Bench, files: Files) -> None:
    files.write(f'{ONE}\n[[rule]]\nid = "never"\neffect = "deny"\ntool = "shell_run"\ncommand = ["id"]\n')
    says(bench, "echo 1", "echo 2; echo 3", "id", asks=False)
    told = read(bench)
    assert [(rule.id, rule.hits, rule.layer) for rule in told.rules] == [("echoes", 2, "user"), ("never", 1, "user")]
    assert told.rules[0].last_hit and told.problems == () and told.file.raw == str(files.file)


def test_ar22_an_ask_rule_is_named_in_the_record_of_the_answer(bench: Bench, files: Files) -> None:
    files.write(ONE.replace("allow", "ask"))
    says(bench, "echo 1")
    permission = results(bench)[0]["metadata"]["permission"]
    assert (permission["by"], permission["asked_rules"]) == ("user", ["echoes"])
    assert read(bench).rules[0].hits == 1


def test_ar24_revoking_writes_the_fact_first_and_takes_the_rule_out(bench: Bench, files: Files) -> None:
    files.write(f"# mine\n{ONE}")
    says(bench, "echo 1", asks=False)
    bench.send(c.RevokeRule(conversation=bench.conversation, id="echoes"))
    told = bench.until(e.RulesRead)
    assert (told.done, told.changed, told.rules) == ("revoked", "echoes", ())
    assert files.file.read_text() == "# mine\n"
    assert [one["id"] for one in bench.log() if one["type"] == "rule_revoked"] == ["echoes"]
    bench.send(c.RevokeRule(id="echoes"))
    assert "no rule echoes any more" in bench.until(e.Refused).message


def test_ar7_a_rule_of_the_folder_is_not_revoked(bench: Bench, files: Files) -> None:
    folder = bench.workspace / ".jp-tui"
    folder.mkdir()
    (folder / "rules.toml").write_text(ONE.replace("allow", "deny"))
    bench.start()
    bench.send(c.RevokeRule(id="echoes"))
    assert "rule is the folder's" in bench.until(e.Refused).message
    assert read(bench).rules[0].layer == "folder"


def test_ar27_a_suggestion_becomes_a_rule_with_its_fact_and_nothing_else_does(bench: Bench, files: Files) -> None:
    for _ in range(2):
        says(bench, "echo 1", "echo 2", "rm a")
        bench.stop()
    says(bench, "echo 5", "id")
    (told,) = read(bench).suggestions
    assert (told.match, told.approved, told.conversations) == (["echo"], 5, 3)
    bench.send(c.TakeSuggestion(conversation=bench.conversation, table={**told.table, "command": ["rm"]}))
    assert "doesn't suggest this rule any more" in bench.until(e.Refused).message
    assert not files.file.exists()
    bench.send(c.TakeSuggestion(conversation=bench.conversation, table=told.table))
    after = bench.until(e.RulesRead)
    (rule,) = after.rules
    assert (after.done, after.changed, after.suggestions) == ("added", rule.id, ())
    assert (rule.made_by, rule.folder) == ("suggestion", os.path.realpath(bench.workspace))
    (fact,) = [one for one in bench.log() if one["type"] == "rule_added"]
    assert fact["rule"]["id"] == rule.id and fact["made_by"] == "suggestion"


def test_ar10_with_a_flaw_in_a_file_nothing_is_suggested_and_the_flaw_is_named(
    bench: Bench, files: Files, tmp_path: Path
) -> None:
    files.write(f"{ONE}colour = 1\n")
    bench.start()
    told = read(bench)
    assert "rules.toml:6" in told.problems[0].raw and told.suggestions == () and told.rules == ()


def test_ar22_a_question_and_the_ledger_say_the_same_of_a_rule_as_the_list(bench: Bench, files: Files) -> None:
    made = 'created = 2026-02-20T10:00:00Z\nmade_by = "command"\n'
    files.write(ONE.replace("allow", "ask") + made)
    says(bench, "echo 1")
    calls = [*call("shell_run", {"command": "echo 2"}, "c2"), *end("tools")]
    bench.script = Script(calls, OK)
    bench.stop()
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    for words in (
        "an approval rule asks you (echoes)",
        "made 2026-02-20 10:00 UTC with `jp-tui rules add`",
        "used once",
    ):
        assert words in prompt.why
    assert f"{files.file}:1" in prompt.why
    bench.answer(prompt, Permitted(run=True))
    bench.turn()
    bench.send(c.ReadLedger(conversation=bench.conversation))
    (entry,) = bench.until(e.LedgerRead).entries
    assert (entry.key, entry.kind, entry.value, entry.uses) == ("rule:echoes", "rule", "ask", 2)
    assert (entry.since, entry.place) == ("2026-02-20T10:00:00Z", f"{files.file}:1")
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=entry.key))
    assert bench.until(e.LedgerRead).entries == () and files.file.read_text() == ""
    assert [one["id"] for one in bench.log() if one["type"] == "rule_revoked"] == ["echoes"]


def test_ar24_the_ledger_does_not_revoke_a_rule_of_the_folder(bench: Bench, files: Files) -> None:
    (bench.workspace / ".jp-tui").mkdir()
    (bench.workspace / ".jp-tui" / "rules.toml").write_text(ONE.replace("allow", "deny"))
    bench.start()
    bench.send(c.ReadLedger(conversation=bench.conversation))
    (entry,) = bench.until(e.LedgerRead).entries
    assert not entry.revocable
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=entry.key))
    assert "isn't in your rules.toml" in bench.until(e.Refused).message
    assert not [one for one in bench.log() if one["type"] == "rule_revoked"]


def test_ar22_rules_of_the_turn_and_the_conversation_are_listed_and_revoked(bench: Bench, files: Files) -> None:
    line = [*call("shell_run", {"command": "echo 1"}, "c1"), *end("tools")]
    bench.script = Script(line, [*call("shell_run", {"command": "echo 2"}, "c2"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    chosen = ChosenRule(scope=prompt.scopes[0].scope, lifetime="conversation")
    bench.answer(prompt, Permitted(run=True, rule=chosen))
    bench.turn()
    bench.send(c.ReadRules(conversation=bench.conversation))
    (made,) = bench.until(e.RulesRead).rules
    assert (made.lifetime, made.effect, made.match, made.made_by) == ("conversation", "allow", ["echo"], "answer")
    assert made.answer is not None and made.answer.conversation == bench.conversation and made.hits
    bench.send(c.RevokeRule(conversation=bench.conversation, id=made.id))
    assert bench.until(e.RulesRead).rules == ()
    assert [one["id"] for one in bench.log() if one["type"] == "rule_revoked"] == [made.id]
