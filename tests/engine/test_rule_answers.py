"""Answers make rules: their scope, how long they last, what they cover, and where they stand (rules.md AR1, AR4, AR9,
AR18-AR22; inquiries.md R113, R236, R252)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.base.dependencies import RuleFilesRead
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, ChosenRule, Permitted, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.rules.facts import Covers
from jp_tui.rules.values import ApprovalRule
from jp_tui.settings.edit.approval_rules_edit import add_rule, new_rule_id, revoke_rules
from jp_tui.settings.errors import SettingsError
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_approval_rules import Given, rule
from tests.engine.test_exact_leave import OK, OPEN, asked, results
from tests.engine.test_modes import FILES, change, read
from tests.fakes.models import Script, call, end
from tests.fakes.tools import Made

COMMANDS = Covers(command="command", argv="argv", cwd="cwd")


class Book:
    """The user's rules file, followed by `rules` as the program does."""

    def __init__(self, file: Path, rules: Given) -> None:
        self.file, self.rules = file, rules

    def read(self) -> RuleFilesRead:
        return RuleFilesRead(rules=(), layers=self.rules.layers(), file=str(self.file))

    def new_id(self) -> str:
        return new_rule_id()

    def add(self, table: Mapping[str, Any]) -> ApprovalRule:
        try:
            made = add_rule(self.file, table)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem
        self.rules.user.append(made)
        return made

    def revoke(self, ids: Sequence[str]) -> tuple[str, ...]:
        self.rules.user = [one for one in self.rules.user if one.id not in ids]
        try:
            return revoke_rules(self.file, ids)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem


def lines(bench: Bench, *texts: str, rules: Given | None = None, turns: int = 1) -> None:
    """Turns in which the model sends these command lines, one response each."""
    tool = builtin()["shell_run"]
    bench.tools["shell_run"] = tool_setup("shell_run", tool, run="ask", options=OPEN, covers=COMMANDS)
    bench.approval_rules = rules or bench.approval_rules or Given()
    if bench.rule_book is None:
        assert isinstance(bench.approval_rules, Given)
        bench.rule_book = Book(bench.home / "rules.toml", bench.approval_rules)
    calls = [[*call("shell_run", {"command": one}, f"c{at}"), *end("tools")] for at, one in enumerate(texts, 1)]
    bench.script = Script(*[one for _ in range(turns) for one in (*calls, OK)])
    bench.start()
    bench.say("go")


def edits(bench: Bench, *calls: list[Any]) -> None:
    bench.approval_rules = Given()
    bench.tools["fs_modify_file"] = tool_setup("fs_modify_file", builtin()["fs_modify_file"], covers=FILES)
    (bench.workspace / "src").mkdir()
    for name in ("a.txt", "b.txt", "src/c.txt", "src/d.txt"):
        (bench.workspace / name).write_text("one\n")
    bench.script = Script(*calls, OK)
    bench.start()
    bench.say("go")


def scopes(prompt: PromptRequest) -> list[str]:
    return [one.scope for one in prompt.scopes]


def facts(bench: Bench, kind: str = "rule_added") -> list[dict[str, Any]]:
    return [one for one in bench.log() if one["type"] == kind]


def by(bench: Bench) -> list[str]:
    return [one["metadata"]["permission"]["by"] for one in results(bench)]


def test_ar18_y_takes_the_first_offer_until_the_turn_ends(bench: Bench) -> None:
    lines(bench, "echo one", "echo two", "printenv HOME", turns=2)
    first = bench.prompt()
    assert scopes(first) == ["command", "exact command"] and first.scopes[0].label.raw == "`echo …`"
    assert first.scopes[0].rules == (
        {"effect": "allow", "tool": "shell_run", "command": ["echo"], "folder": str(bench.workspace)},
    )
    bench.answer(first, Permitted(run=True, remember=True))
    other = bench.prompt()
    assert other.call == "c3"
    bench.answer(other, Permitted(run=False))
    bench.turn()
    (fact,) = facts(bench)
    assert (fact["lifetime"], fact["inquiry"], fact["call"], fact["made_by"]) == ("turn", first.inquiry, "c1", "answer")
    decided = [one["metadata"]["permission"] for one in results(bench)]
    assert decided[0]["made_rules"] == [fact["rule"]["id"]] and decided[0]["remember"] is True
    assert decided[1] == {"choice": "run", "by": "rule", "rules": [fact["rule"]["id"]]}
    bench.say("again")
    assert bench.prompt().call == "c1_2"


def test_ar4_a_rule_of_the_conversation_outlasts_turn_and_restart(bench: Bench) -> None:
    lines(bench, "echo one", turns=2)
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="exact command", lifetime="conversation")))
    bench.turn()
    bench.stop()
    bench.start("id", bench.conversation)
    bench.say("again")
    bench.turn()
    assert by(bench) == ["rule"] and not asked(bench)


def test_ar4_a_yes_to_ls_runs_no_other_command_and_the_folders_rule_does_not_ask_again(bench: Bench) -> None:
    """The proof of the issue: the rule is in the user's file, and names the folder."""
    lines(bench, "ls", "cat a", turns=2)
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="command", lifetime="folder")))
    bench.answer(bench.prompt(), Permitted(run=False))
    bench.turn()
    bench.say("again")
    prompt = bench.prompt()
    assert prompt.call == "c2_2"  # `ls` ran
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert by(bench) == ["user", "user", "rule", "user"]
    text = (bench.home / "rules.toml").read_text()
    assert 'command = ["ls"]' in text and f'folder = "{bench.workspace}"' in text and 'made_by = "answer"' in text
    assert facts(bench)[0]["rule"]["id"] in text and facts(bench)[0]["lifetime"] == "folder"


def test_ar18_n_denies_the_scope_with_its_reason(bench: Bench) -> None:
    lines(bench, "echo one", "echo two")
    bench.answer(bench.prompt(), Permitted(run=False, remember=True, reason="be quiet"))
    bench.turn()
    assert asked(bench) == 1 and facts(bench)[0]["rule"]["effect"] == "deny"
    assert results(bench)[1]["content"].startswith(f"Refused by a rule ({facts(bench)[0]['rule']['id']}): be quiet.")


@pytest.mark.parametrize("line", ["rm -rf x", "echo $(id)"])
def test_ar9_danger_and_what_is_not_understood_offer_only_once(bench: Bench, line: str) -> None:
    lines(bench, line, line)
    for _ in range(2):
        prompt = bench.prompt()
        assert not prompt.scopes and "remember" not in prompt.controls
        bench.answer(prompt, Permitted(run=False, remember=True))
    bench.turn()
    assert not facts(bench)


@pytest.mark.parametrize(
    "chosen",
    [ChosenRule(scope="tool"), ChosenRule(scope="command", lifetime="folder"), ChosenRule(scope="")],
    ids=["scope", "lifetime", "empty"],
)
def test_ar20_what_was_not_offered_does_not_fit(bench: Bench, chosen: ChosenRule) -> None:
    bench.rule_book = None
    rules = Given()
    bench.approval_rules = rules
    tool = builtin()["shell_run"]
    bench.tools["shell_run"] = tool_setup("shell_run", tool, run="ask", options=OPEN, covers=COMMANDS)
    bench.script = Script([*call("shell_run", {"command": "echo one"}, "c1"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    if chosen.scope:
        bench.answer(prompt, Permitted(run=True, rule=chosen))
        refused = bench.until(e.AnswerRefused)
        assert not refused.gone and "doesn't offer" in refused.reason and not facts(bench)
    bench.answer(prompt, Permitted(run=True))
    bench.turn()
    assert by(bench) == ["user"]


def test_ar21_the_rule_covers_what_waits(bench: Bench) -> None:
    """R252: both changes of one response wait; the answer to the first decides the second, and no other."""
    made: list[dict[str, Any]] = [
        {"path": one, "patterns": [{"old": "one", "new": "two"}]} for one in ("src/c.txt", "src/d.txt", "a.txt")
    ]
    calls = [item for at, one in enumerate(made) for item in call("fs_modify_file", one, f"c{at + 1}", at)]
    edits(bench, [*calls, *end("tools")])
    prompts = {prompt.call: prompt for prompt in (bench.prompt(), bench.prompt(), bench.prompt())}
    bench.answer(prompts["c1"], Answered(value=True, rule=ChosenRule(scope="folder")))
    settled = bench.until(e.QuestionSettled, lambda one: one.inquiry == prompts["c2"].inquiry)
    assert (settled.how, settled.by) == ("answered", "remembered")
    bench.answer(prompts["c3"], Answered(value=False))
    bench.turn()
    assert [read(bench, name) for name in ("src/c.txt", "src/d.txt", "a.txt")] == ["two\n", "two\n", "one\n"]


def test_ar21_a_rule_is_durable_before_what_it_allows_runs(bench: Bench) -> None:
    """A kill in between: the rule is there, and the call is asked about or run by it, but by no other."""
    lines(bench, "echo one")
    prompt = bench.prompt()
    bench.answer(prompt, Permitted(run=True, remember=True))
    bench.turn()
    kinds = [one["type"] for one in bench.log()]
    assert kinds.index("rule_added") < kinds.index("tool_call_response")


def test_ar18_the_offer_of_a_change_is_its_file_then_its_folder(bench: Bench) -> None:
    edits(bench, change("c1", "src/c.txt"), change("c2", "src/c.txt", "two", "three"), change("c3", "src/d.txt"))
    first = bench.prompt()
    assert [(one.scope, one.label.raw) for one in first.scopes] == [
        ("file", "`src/c.txt`"),
        ("folder", "files in `src/`"),
    ]
    bench.answer(first, Answered(value=True, remember=True))
    other = bench.prompt()
    assert other.call == "c3"  # the same file was changed again, another file asks
    bench.answer(other, Answered(value=False))
    bench.turn()
    assert read(bench, "src/c.txt") == "three\n" and read(bench, "src/d.txt") == "one\n"
    said = [one for one in bench.log() if one["type"] == "inquiry_response"]
    assert [one["responder"]["kind"] for one in said] == ["user", "remembered", "user"]
    assert said[0]["metadata"]["rules"] == said[1]["metadata"]["rules"] == [facts(bench)[0]["rule"]["id"]]


def test_ar18_widened_to_the_folder_it_covers_the_files_in_it_and_no_others(bench: Bench) -> None:
    edits(bench, change("c1", "src/c.txt"), change("c2", "src/d.txt"), change("c3", "a.txt"))
    bench.answer(bench.prompt(), Answered(value=True, rule=ChosenRule(scope="folder")))
    other = bench.prompt()
    assert other.call == "c3"
    bench.answer(other, Answered(value=False, remember=True))
    bench.turn()
    assert read(bench, "src/d.txt") == "two\n" and read(bench) == "one\n"
    assert [one["rule"]["effect"] for one in facts(bench)] == ["allow", "deny"]


def test_ar19_the_figures_are_of_calls_that_a_person_was_asked_about_here(bench: Bench) -> None:
    lines(bench, "echo one", "echo two", "id", "echo three", turns=2)
    for at in range(4):
        prompt = bench.prompt()
        assert prompt.scopes[0].covered.of == at
        bench.answer(prompt, Permitted(run=at != 1))
    bench.turn()
    bench.say("again")
    prompt = bench.prompt()
    covered = {one.scope: one.covered.model_dump() for one in prompt.scopes}
    assert covered["command"] == {"matched": 3, "refused": 1, "of": 4}
    assert covered["exact command"] == {"matched": 1, "refused": 0, "of": 4}
    bench.interrupt("stop")
    bench.turn()


def test_ar10_a_rule_that_cannot_be_kept_is_refused_and_the_question_stays(bench: Bench) -> None:
    (bench.home / "rules.toml").write_text("not toml")
    lines(bench, "echo one")
    prompt = bench.prompt()
    bench.answer(prompt, Permitted(run=True, rule=ChosenRule(scope="command", lifetime="folder")))
    assert "rules.toml" in bench.until(e.AnswerRefused).reason
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert len(facts(bench, "rule_revoked")) == 1 and by(bench) == ["user"]


def test_ar7_what_a_policy_asks_about_has_no_offer(bench: Bench) -> None:
    lines(bench, "echo one", rules=Given(policy=[rule("ask", "echo")]))
    prompt = bench.prompt()
    assert not prompt.scopes and "remember" not in prompt.controls
    bench.answer(prompt, Permitted(run=False))
    bench.turn()


def test_e43_the_ledger_lists_and_revokes_what_answers_made(bench: Bench) -> None:
    lines(bench, "echo one", "echo two")
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="command", lifetime="conversation")))
    bench.turn()
    bench.send(c.ReadLedger(conversation=bench.conversation))
    (entry,) = bench.until(e.LedgerRead).entries
    assert (entry.text.raw, entry.place, entry.value) == ("command echo …", "this conversation", "allow")
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=entry.key))
    assert not bench.until(e.LedgerRead).entries
    assert facts(bench, "rule_revoked")[0]["id"] == facts(bench)[0]["rule"]["id"]


def test_ar21_killed_after_the_answer_the_rule_stands(bench: Bench) -> None:
    """Its event is on the disk before the call runs: what it covers is not asked about again."""
    lines(bench, "echo one")
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="command", lifetime="conversation")))
    bench.until(e.EventAppended, lambda one: one.stored.event["type"] == "rule_added")
    bench.kill()
    bench.script = Script([*call("shell_run", {"command": "echo two"}, "c9"), *end("tools")], OK)
    bench.start("id", bench.conversation)
    bench.say("again")
    bench.turn()
    assert not asked(bench) and results(bench)[-1]["metadata"]["permission"]["by"] == "rule"
    assert "two" in results(bench)[-1]["content"]


@pytest.mark.parametrize("lifetime", ["turn", "conversation"])
def test_ar21_a_call_whose_rule_is_kept_is_resumed(bench: Bench, lifetime: Any) -> None:
    """A kill between the rule and the run: the turn resumes, and the call runs by the rule."""
    lines(bench, "echo one", "echo two")
    bench.journal.hold = lambda kind: kind == "rule_added"
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="command", lifetime=lifetime)))
    bench.until_on_record("rule_added")
    bench.kill()
    bench.script = Script(OK)
    bench.start("id", bench.conversation)
    assert bench.turn().outcome == "done"
    (result,) = results(bench)
    assert result["metadata"]["permission"]["by"] == "rule" and "one" in result["content"]


def test_ar21_a_call_that_may_have_begun_is_not_resumed(bench: Bench) -> None:
    """Its permission is on the disk, so it may have run: the turn is closed."""
    lines(bench, "sleep 60")
    bench.answer(bench.prompt(), Permitted(run=True, rule=ChosenRule(scope="command", lifetime="conversation")))
    bench.until(e.CallChanged, lambda one: one.state == "running")
    bench.kill()
    bench.script = Script(OK)
    page = [one.event for one in bench.start("id", bench.conversation).page]
    assert [one["type"] for one in page[-2:]] == ["tool_call_response", "turn_outcome"]
    assert page[-2]["is_error"] is True and page[-1]["outcome"] == "interrupted"


def test_e51_one_answer_with_a_rule_for_several_identical_questions_makes_one_rule(bench: Bench) -> None:
    """The inbox sends it to each of them at once: the rule decides the others, and none of them asks again."""
    made: dict[str, Any] = {"path": "src/c.txt", "patterns": [{"old": "one", "new": "two"}]}
    calls = [item for at in range(3) for item in call("fs_modify_file", made, f"c{at}", at)]
    edits(bench, [*calls, *end("tools")])
    prompts = [bench.prompt() for _ in range(3)]
    assert len({prompt.digest for prompt in prompts}) == 1
    for prompt in prompts:
        bench.answer(prompt, Answered(value=True, rule=ChosenRule(scope="folder")))
    assert bench.turn().outcome == "done"
    assert len(facts(bench)) == 1
    said = [one for one in bench.log() if one["type"] == "inquiry_response"]
    assert [one["responder"]["kind"] for one in said] == ["user", "remembered", "remembered"]
    assert all(one.gone for one in bench.events if isinstance(one, e.AnswerRefused))


def test_r249_what_a_sub_agents_answer_makes_counts_there_only(bench: Bench) -> None:
    """Its question is shown by its parent with its own offers, and the rule is in its own log."""
    bench.approval_rules = Given()
    bench.tools["fs_modify_file"] = tool_setup("fs_modify_file", builtin()["fs_modify_file"], covers=FILES)
    for name in ("a.txt", "b.txt"):
        (bench.workspace / name).write_text("one\n")
    bench.script = Script(
        [*call("spawn_agent", {"task": "change it"}, "c1"), *end("tools")],
        change("d1"),
        change("d2", old="two", new="three"),
        OK,
        change("c2", old="three", new="four"),
        OK,
    )
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert scopes(first) == ["file", "folder"] and first.agent is not None
    bench.answer(first, Answered(value=True, remember=True))
    other = bench.prompt()
    assert other.call == "c2" and read(bench) == "three\n"  # the parent's own change asks
    bench.answer(other, Answered(value=False))
    bench.turn()
    made = [one for one in bench.events if isinstance(one, e.EventAppended)]
    assert {one.conversation for one in made if one.stored.event["type"] == "rule_added"} == {first.agent.conversation}


async def sure(call: ToolCall) -> Outcome:
    """Asks about its argument."""
    if "sure" not in call.answers:
        return NeedsInput(Question("sure", f"{call.arguments['what']}?", BooleanAnswer()))
    return Success("did it")


def test_r113_another_question_of_a_tool_is_remembered_as_it_was_shown_only(bench: Bench) -> None:
    """No longer for every question of the tool by its name (AR18)."""
    bench.approval_rules = Given()
    bench.tools["mine"] = tool_setup("mine", Made(sure), kind="local")
    asks = [[*call("mine", {"what": one}, f"c{at}"), *end("tools")] for at, one in enumerate(("a", "a", "b"))]
    bench.script = Script(*asks, OK)
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert not first.scopes and "exactly what is shown here" in first.remember_covers
    bench.answer(first, Answered(value=True, remember=True))
    other = bench.prompt()
    assert other.call == "c2" and asked(bench) == 2
    bench.answer(other, Answered(value=True))
    bench.turn()
    assert not facts(bench)
