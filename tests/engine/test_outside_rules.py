"""Rules that the answer to another program's question makes, and what of a session is revoked (intake.md N3, N21;
rules.md AR18-AR22). Each question is asked by an engine of its own, as by a process of its own."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.engine.record.rules.record import ADDED, REVOKED
from jp_tui.engine.session import session_memory
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.rules import RulesRead
from jp_tui.protocol.values import Answered, ChosenRule, Edited, WaitingInfo
from jp_tui.system.agents.presence import AgentSession
from jp_tui.view.pages.rules import rows
from jp_tui.view.questions.offered_prompt import offer_of, prompt_of
from jp_tui.view.questions.rule_choice import RuleChoice
from tests.engine.conftest import Bench
from tests.engine.test_approval_rules import Given, rule
from tests.engine.test_outside import ASKER, answer
from tests.engine.test_outside_permission import BASH, Asks, asks, person, said
from tests.engine.test_rules_desk import Files

__all__ = ["asks", "person"]

SESSION, FOLDER = "conversation", "folder"


def waits(person: Bench) -> WaitingInfo:
    person.send(c.WatchWaiting())
    (found,) = person.until(e.WaitingListed).waiting
    person.send(c.WatchWaiting(on=False))
    return found


def rules_read(one: Bench) -> RulesRead:
    one.send(c.ReadRules())
    return one.until(RulesRead)


@pytest.fixture
def files(person: Bench, bench: Bench) -> Files:
    """Rules on the disk, for those who ask and for the one who answers."""
    person.stop()
    made = Files(bench)
    person.rule_book, person.approval_rules = made.book, made
    person.run()
    return made


def test_ar18_a_prompt_offers_rules_for_the_session(asks: Asks, person: Bench) -> None:
    asks(command="git log -1").until(e.OutsideAsked)
    prompt = prompt_of(waits(person))
    assert prompt is not None and "remember" in prompt.controls
    assert (prompt.scopes[0].scope, prompt.scopes[0].lifetimes) == ("command", (SESSION,))
    choice = RuleChoice.of(prompt)
    assert choice is not None
    assert choice.sentence().raw == "Y allows, N denies `git log …` in this session · nothing like it was asked before"
    assert choice.short == "this session" and choice.moved(1).chosen == ChosenRule(scope="program", lifetime=SESSION)
    offered = offer_of(prompt, Answered(value=True, rule=choice.chosen))
    assert offered is not None and offered.rule == ChosenRule(scope="command", lifetime=SESSION)


def test_ar18_a_yes_makes_a_rule_of_the_session_alone(asks: Asks, person: Bench) -> None:
    asked = asks(command="git log -1").until(e.OutsideAsked)
    assert answer(person, asked, rule=ChosenRule(scope="command", lifetime=SESSION)).status == "accepted"
    asks_again = asks(command="git log -9 --oneline")
    outcome, value, _ = said(asks_again)
    assert (outcome, value) == ("answered", True)
    for other in ({"session": "s2"}, {"pid": 9}, {"command": "git push"}):
        left = asks(**{"command": "git log", **other}).until(e.OutsideAsked)
        assert answer(person, left, "no").status == "accepted"


def test_ar18_a_no_makes_a_deny_with_its_reason(asks: Asks, person: Bench) -> None:
    asked = asks(command="git fetch").until(e.OutsideAsked)
    answer(person, asked, "no", note="not today", rule=ChosenRule(scope="command", lifetime=SESSION))
    settled = asks(command="git fetch origin").until(e.OutsideSettled)
    assert settled.answer is False and "not today" in settled.reason


def test_ar19_the_figures_are_of_this_session(asks: Asks, person: Bench) -> None:
    for command, value in (("git log", "yes"), ("git log -3", "no"), ("make", "yes")):
        answer(person, asks(command=command).until(e.OutsideAsked), value)
    asks(command="git log -1").until(e.OutsideAsked)
    covered = waits(person).scopes[0].covered
    assert (covered.matched, covered.refused, covered.of) == (2, 1, 3)


@pytest.mark.parametrize(
    "input_", [{"command": "git push --force"}, {"command": "ls $(x)"}, {"command": "cat .env"}], ids=str
)
def test_ar18_what_is_allowed_once_offers_nothing(asks: Asks, person: Bench, input_: dict[str, str]) -> None:
    asked = asks(**input_).until(e.OutsideAsked)
    assert all(one.scope == "exact command" for one in waits(person).scopes)
    assert answer(person, asked, rule=ChosenRule(scope="command", lifetime=SESSION)).status == "invalid"


@pytest.mark.parametrize(
    "rule_", [ChosenRule(scope="tool", lifetime=SESSION), ChosenRule(scope="command", lifetime="turn"),
              ChosenRule(scope="command", lifetime=FOLDER)], ids=lambda one: f"{one.scope} {one.lifetime}"
)  # fmt: skip
def test_ar20_what_was_not_offered_makes_nothing(asks: Asks, person: Bench, rule_: ChosenRule) -> None:
    """There is no file of rules here, so none for the folder."""
    asked = asks(command="git log").until(e.OutsideAsked)
    assert answer(person, asked, rule=rule_).status == "invalid"
    assert answer(person, asked).status == "accepted"


def test_ar18_a_rule_for_the_folder_is_in_the_file(bench: Bench, asks: Asks, person: Bench, files: Files) -> None:
    bench.rule_book = files.book
    asked = asks(command="git log -1").until(e.OutsideAsked)
    assert waits(person).scopes[0].lifetimes == (SESSION, FOLDER)
    assert answer(person, asked, rule=ChosenRule(scope="command", lifetime=FOLDER)).status == "accepted"
    (made,) = files.layers().user.rules.rules
    assert (made.tool, made.effect, made.command, made.made_by) == (BASH, "allow", (("git",), ("log",)), "answer")
    assert said(asks(command="git log", session="s2"))[:2] == ("answered", True)


def test_ar22_a_rule_that_the_file_does_not_take_is_revoked_on_record(
    bench: Bench, asks: Asks, person: Bench, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer counts; the log doesn't say that there is such a rule."""
    bench.rule_book = files.book

    def refuses(table: object) -> None:
        raise ValueError("the file can't be written")

    asked = asks(command="git log -1").until(e.OutsideAsked)
    monkeypatch.setattr(files.book, "add", refuses)
    settled = answer(person, asked, rule=ChosenRule(scope="command", lifetime=FOLDER))
    assert settled.status == "accepted" and "but not its rule: the file can't be written" in settled.message
    added, revoked = (person.journal.of_kinds(asked.conversation, (kind,), "", 0) for kind in (ADDED, REVOKED))
    assert len(added) == 1
    assert [json.loads(one.entry.payload)["id"] for one in revoked] == [
        json.loads(one.entry.payload)["rule"]["id"] for one in added
    ]


def living(person: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the session of the asker count as one that lives."""
    session = AgentSession(program="claude-code", pid=ASKER.pid, started=ASKER.started, host=ASKER.host, session="s1")
    person.agent_sessions = lambda: (session,)
    monkeypatch.setattr(session_memory, "os", SimpleNamespace(getuid=lambda: ASKER.uid))


def test_n3_what_a_session_remembers_is_listed_and_revoked(
    asks: Asks, person: Bench, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.stop()
    living(person, monkeypatch)
    person.run()
    answer(person, asks(command="make all").until(e.OutsideAsked), remember=True)
    answer(person, asks(command="git log").until(e.OutsideAsked), rule=ChosenRule(scope="command", lifetime=SESSION))
    found = {one.scope: one for one in rules_read(person).rules}
    assert {one.lifetime for one in found.values()} == {"session"} and set(found) == {"call", "command"}
    shown = rows(RulesRead(rules=tuple(found.values()), file=Foreign("")))
    assert all(one.revocable and one.passes for one in shown)
    assert f"session of claude-code (pid {ASKER.pid})" in shown[0].about.raw
    for one in found.values():
        person.send(c.RevokeRule(id=one.id))
        done = person.until(RulesRead)
        assert (done.done, done.changed) == ("revoked", one.id)
    assert not rules_read(person).rules
    for command in ("make all", "git log"):
        asks(command=command).until(e.OutsideAsked)


def test_n3_what_an_ended_session_remembers_is_not_listed(asks: Asks, person: Bench, files: Files) -> None:
    answer(person, asks(command="make all").until(e.OutsideAsked), remember=True)
    assert not rules_read(person).rules


def test_n21_edited_arguments_go_back_where_the_program_takes_them(asks: Asks, person: Bench) -> None:
    one = asks(command="make all", edits=True)
    one.until(e.OutsideAsked)
    prompt = prompt_of(waits(person))
    assert prompt is not None and "edit" in prompt.controls and '"make all"' in prompt.arguments.raw
    offered = offer_of(prompt, Edited(arguments={"command": "make test"}))
    assert offered is not None
    person.send(offered)
    assert person.until(e.OfferSettled).status == "accepted"
    settled = one.until(e.OutsideSettled)
    assert (settled.answer, settled.arguments) == (True, {"command": "make test"})


@pytest.mark.parametrize(
    "more", [{"value": "no"}, {"decline": True}, {"remember": True}, {"arguments": {"x": "\ud800"}}], ids=str
)
def test_n21_only_a_yes_takes_other_arguments(asks: Asks, person: Bench, more: dict[str, Any]) -> None:
    asked = asks(command="make all", edits=True).until(e.OutsideAsked)
    given = {"value": "yes", "arguments": {"command": "make"}, **more}
    assert answer(person, asked, given.pop("value"), **given).status == "invalid"


def test_n21_a_program_that_takes_none_gets_none(asks: Asks, person: Bench) -> None:
    asked = asks(command="make all").until(e.OutsideAsked)
    prompt = prompt_of(waits(person))
    assert prompt is not None and "edit" not in prompt.controls
    assert answer(person, asked, arguments={"command": "make"}).status == "invalid"


def test_n21_a_no_of_a_rule_holds_for_what_was_edited(bench: Bench, asks: Asks, person: Bench) -> None:
    bench.approval_rules = Given(rule("deny", "rm", tool=BASH, reason="never here"))
    one = asks(command="make all", edits=True)
    answer(person, one.until(e.OutsideAsked), arguments={"command": "rm all"})
    settled = one.until(e.OutsideSettled)
    assert settled.answer is False and "never here" in settled.reason and not settled.responder


def test_ar15_what_no_prefix_covers_is_offered_for_the_session_alone(
    bench: Bench, asks: Asks, person: Bench, files: Files
) -> None:
    bench.rule_book = files.book
    asked = asks(command="python3 -c 'print(1)'").until(e.OutsideAsked)
    (offer,) = waits(person).scopes
    assert (offer.scope, offer.lifetimes) == ("call", (SESSION,))
    for lifetime in (FOLDER, "turn"):
        rule_ = ChosenRule(scope="call", lifetime=lifetime)  # type: ignore[arg-type]
        assert answer(person, asked, rule=rule_).status == "invalid"
    assert not files.file.exists()
