"""Permission of other programs' tools (intake.md N2, N3, N20): rules and settings, a reviewer, a person, and what lasts
for a session. Each question is asked by an engine of its own, as by a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.events import InquiryAnswered
from jp_tui.engine.base.dependencies import OutsideCall
from jp_tui.engine.session.permission import SessionMemory, tool_name, wanted_permission
from jp_tui.engine.session.permission import WantedPermission as Wanted
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.effects import AskHuman, AskReviewer, Record
from jp_tui.inquiry.values import QuestionRaised, Rule, State, Work
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.outside import InputChange
from jp_tui.rules.facts import Covers
from tests.engine.conftest import Bench
from tests.engine.test_approval_rules import Given, rule
from tests.engine.test_outside import ASKER, Reviews, answer, here, record

BASH, EDIT = "claude-code.Bash", "claude-code.Edit"
COVERS: dict[str, Any] = {
    "Bash": {"command": "command"},
    "Edit": {"path": ["file_path"]},
    "Write": {"path": ["file_path"]},
}
Asks = Callable[..., Bench]
_OPTIONS = ("changes", "writes", "folder", "named", "carries", "edits", "timeout_secs")


@pytest.fixture
def person(bench: Bench) -> Iterator[Bench]:
    """The process that answers."""
    made = bench.other()
    made.run()
    yield made
    made.stop()


@pytest.fixture
def asks(bench: Bench) -> Iterator[Asks]:
    """Ask from a new process, with the rules and settings of `bench`; return its engine."""
    made: list[Bench] = []

    def ask(tool: str = "Bash", *, session: str = "s1", pid: int = ASKER.pid, **more: Any) -> Bench:
        one = bench.other()
        one.approval_rules, one.rule_book = bench.approval_rules or Given(), bench.rule_book
        one.outside_rule, one.outside_call, one.reviewer = bench.outside_rule, bench.outside_call, bench.reviewer
        one.run()
        made.append(one)
        options = {key: more.pop(key) for key in _OPTIONS if key in more}
        one.send(
            c.PermitOutside(
                asker=ASKER.model_copy(update={"pid": pid}), waiter=here(), program="claude-code", session=session,
                tool=tool, arguments=more, covers=COVERS.get(tool, {}), **options,
            )
        )  # fmt: skip
        return one

    yield ask
    for one in made:
        one.stop()


def said(one: Bench) -> tuple[str, object, str]:
    ended = one.until(e.OutsideSettled)
    return ended.outcome, ended.answer, str(ended.responder.get("kind", ""))


@pytest.mark.parametrize("value", [True, False])
def test_n3_it_is_a_pair_with_the_whole_input(asks: Asks, person: Bench, value: bool) -> None:
    one = asks(command="make deploy\nmake notify", timeout=5)
    asked = one.until(e.OutsideAsked)
    (found,) = record(person, asked)
    assert (found["source"], found["source_name"], found["tool"]) == ("outside", "claude-code", BASH)
    assert found["question"]["text"] == "Allow Bash: make deploy?" and asked.inquiry.endswith(".permission.1")
    assert found["question"]["context"] == "command:\n  make deploy\n  make notify\ntimeout: 5\n"
    assert answer(person, asked, "yes" if value else "no", note="not on a Friday").status == "accepted"
    ended = one.until(e.OutsideSettled)
    assert (ended.outcome, ended.answer, ended.reason) == ("answered", value, "not on a Friday")


def test_n3_a_change_of_a_file_is_a_diff(asks: Asks, person: Bench) -> None:
    file = person.workspace / "notes.txt"
    file.write_text("one\ntwo\n")
    path = str(file)
    asked = asks("Edit", file_path=path, old_string="two", new_string="2", replace_all=True,
                 changes=(InputChange(path=path, before="two", after="2"),)).until(e.OutsideAsked)  # fmt: skip
    shown = record(person, asked)[0]["question"]["context"]
    assert shown.startswith(f"file_path: {path}\nreplace_all: true\n--- a/notes.txt\n") and "-two\n+2\n" in shown
    assert "old_string" not in shown
    answer(person, asked)
    asked = asks("Write", file_path=path, content="one\n", changes=(InputChange(path=path, after="one\n"),)).until(
        e.OutsideAsked
    )
    assert "-two\n" in record(person, asked)[-1]["question"]["context"], "what stands in the file now"


def test_n3_no_argument_can_look_like_another(asks: Asks, person: Bench) -> None:
    asked = asks("Other", note="fine\ncommand: ls", command="rm x").until(e.OutsideAsked)
    lines = record(person, asked)[0]["question"]["context"].splitlines()
    assert lines == ["note:", "  fine", "  command: ls", "command: rm x"]


class Desk:
    """What a decision about a call needs of an engine, without one."""

    def __init__(self, workspace: Path, rules: Given | None = None) -> None:
        self.workspace, self.approval_rules = workspace, rules or Given()
        self.settings, self.own, self.rule_book = OutsideCall(), Rule(), None

    def outside_call(self, tool: str) -> OutsideCall:
        return self.settings

    def outside_rule(self, tool: str, question: str) -> Rule:
        return self.own

    def wanted(self, tool: str = "Bash", *, writes: bool = True, named: bool = False, **input_: Any) -> Wanted:
        asked = c.PermitOutside(
            asker=ASKER, waiter=here(), program="claude-code", tool=tool, arguments=input_,
            covers=COVERS.get(tool, {}), writes=writes, named=named,
        )  # fmt: skip
        return wanted_permission(self, asked, SessionMemory({}, {}, frozenset()))  # type: ignore[arg-type]

    def says(self, tool: str = "Bash", **more: Any) -> tuple[str, object]:
        """Return who decides, and what."""
        wanted = self.wanted(tool, **more)
        state = State(client=True, calls={"c": Work(wanted.tool)}, ledger=wanted.ledger)
        raised = QuestionRaised("c", wanted.question, "outside", wanted.rule, ruled=wanted.ruled)
        for step in decide(state, raised)[1]:
            if isinstance(step, AskHuman | AskReviewer):
                return ("person" if isinstance(step, AskHuman) else "reviewer"), None
            if isinstance(step, Record) and isinstance(step.event, InquiryAnswered):
                assert step.event.responder is not None
                return step.event.responder.kind, step.event.answer
        raise AssertionError("nobody decides")


RULED: list[tuple[Given, str, bool]] = [
    (Given(rule("allow", "git", "log", tool=BASH)), "git log -1", True),
    (Given(rule("deny", "git", tool=BASH)), "git push", False),
    (Given(rule("deny", tool="claude-code.*")), "ls", False),
    (Given(policy=[rule("deny", tool="*")]), "ls", False),
]


@pytest.mark.parametrize(("rules", "line", "value"), RULED, ids=lambda one: None)
def test_n3_approval_rules_decide_first(tmp_path: Path, rules: Given, line: str, value: bool) -> None:
    desk = Desk(tmp_path, rules)
    assert desk.says(command=line) == ("remembered", value)
    ruled = desk.wanted(command=line).ruled
    assert ruled is not None and ruled.rules and (value or "Refused by a rule" in ruled.reason)


ASKING: list[tuple[Given, str]] = [
    (Given(rule("allow", tool=BASH)), "make"),  # AR5: a whole tool that runs commands, and no sandbox of ours
    (Given(rule("allow", "git", tool=BASH)), "git log | sh"),
    (Given(rule("allow", "git", tool=BASH)), "git $(date)"),
    (Given(rule("allow", "git", tool=BASH)), "git push --force"),  # AR9
    (Given(rule("allow", "git", tool="codex.Bash")), "git log"),
    (Given(rule("allow", "cat", tool=BASH)), "cat .env"),
    (Given(broken="rules.toml is no TOML"), "true"),
]


@pytest.mark.parametrize(("rules", "line"), ASKING, ids=lambda one: None)
def test_n3_what_rules_leave_open_is_asked(tmp_path: Path, rules: Given, line: str) -> None:
    assert Desk(tmp_path, rules).says(command=line) == ("person", None)


@pytest.mark.parametrize("path", [".env", ".git/config", "Makefile", "~/.ssh/id_rsa", "../elsewhere/.bashrc", "a\0b"])
def test_n3_guarded_files_need_a_person(tmp_path: Path, path: str) -> None:
    """R247: no rule, setting or reviewer decides about them, and a yes counts once."""
    desk = Desk(tmp_path, Given(rule("allow", tool=EDIT)))
    desk.settings = OutsideCall("unattended", "here")
    desk.own = Rule(target="assistant", has_answer=True, answer=True)
    assert desk.says("Edit", file_path="b.txt")[1] is True
    assert desk.says("Edit", file_path=path) == ("person", None)
    assert "covers" not in desk.wanted("Edit", file_path=path).about


def test_n3_reading_what_programs_obey_is_ordinary(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Given(rule("allow", tool=EDIT)))
    assert desk.says("Edit", file_path="Makefile", writes=False) == ("remembered", True)
    assert desk.says("Edit", file_path=".env", writes=False) == ("person", None)


def test_n3_a_rule_of_paths(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Given(rule("allow", tool=EDIT, path="src/**")))
    (tmp_path / "src").mkdir()
    (tmp_path / "src/out").symlink_to("/etc")
    assert desk.says("Edit", file_path=str(tmp_path / "src/a.py")) == ("remembered", True)
    for path in ("b.py", "src/../b.py", "src/out/hosts"):
        assert desk.says("Edit", file_path=path) == ("person", None)


def test_n3_run_is_a_setting_of_that_program(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.settings = OutsideCall("skip", "config.toml:3")
    assert desk.says(command="ls") == ("static", False)
    desk.settings = OutsideCall("unattended", "config.toml:3")
    assert desk.says(command="make all") == ("static", True)
    assert desk.says(command="for F in *; do x; done") == ("static", True), "as it is set for this program"
    assert desk.says(command="sudo make") == ("person", None)
    desk.approval_rules = Given(rule("deny", "curl", tool=BASH), rule("ask", "make", tool=BASH))
    assert desk.says(command="curl x") == ("remembered", False) and desk.says(command="make") == ("person", None)


def test_n3_a_no_of_a_rule_is_above_a_pinned_yes(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.own = Rule(has_answer=True, answer=True)
    assert desk.says(command="make") == ("static", True)
    desk.approval_rules = Given(rule("deny", "make", tool=BASH), rule("deny", "sudo", tool=BASH))
    assert desk.says(command="make") == ("remembered", False)
    assert desk.says(command="sudo make") == ("remembered", False), "nobody is asked about what is denied"


def test_n3_a_reviewer_is_asked_where_rules_leave_it_open(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Given(rule("ask", "make", tool=BASH)))
    desk.own = Rule(target="assistant")
    assert desk.says(command="ls") == ("reviewer", None)
    assert desk.says(command="make") == desk.says(command="sudo ls") == ("person", None)
    assert "approval rule" in str(desk.wanted(command="make").about["why"])


def test_n3_its_own_covers_are_those_of_the_settings(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Given(rule("allow", "git", tool="claude-code.Other")))
    assert desk.says("Other", cmd="git log") == ("person", None)
    desk.settings = OutsideCall(covers=Covers(command="cmd"))
    assert desk.says("Other", cmd="git log") == ("remembered", True)


# --- before a tool (N20)

NAMED: list[tuple[Given, OutsideCall, Rule, str, bool]] = [
    (Given(), OutsideCall(), Rule(), "make", False),
    (Given(), OutsideCall(), Rule(), "true", False),
    (Given(), OutsideCall(), Rule(), "sudo make", False),
    (Given(rule("allow", "git", tool=BASH)), OutsideCall(), Rule(), "make", False),
    (Given(), OutsideCall(), Rule(target="assistant"), "make", False),
    (Given(rule("allow", "make", tool=BASH)), OutsideCall(), Rule(), "make", True),
    (Given(rule("ask", "make", tool=BASH)), OutsideCall(), Rule(), "make", True),
    (Given(rule("deny", "make", tool=BASH)), OutsideCall(), Rule(), "make $(date)", True),
    (Given(), OutsideCall("ask", "config.toml:1"), Rule(), "make", True),
    (Given(), OutsideCall(), Rule(has_answer=True, answer=False), "make", True),
    (Given(broken="rules.toml is no TOML"), OutsideCall(), Rule(), "make", True),
]


@pytest.mark.parametrize(("rules", "settings", "own", "line", "named"), NAMED, ids=lambda one: None)
def test_n20_before_a_tool_only_what_is_named_is_decided(
    tmp_path: Path, rules: Given, settings: OutsideCall, own: Rule, line: str, named: bool
) -> None:
    desk = Desk(tmp_path, rules)
    desk.settings, desk.own = settings, own
    assert desk.wanted(command=line, named=True).named is named


def test_n20_nothing_is_recorded_of_what_is_left_to_the_program(asks: Asks) -> None:
    one = asks(command="make", named=True)
    assert said(one)[0] == "open"
    one.send(c.ListInquiries())
    assert one.until(e.InquiriesListed).inquiries == ()


# --- bad input


@pytest.mark.parametrize("name", ["a b", "x" * 65, "", "Bäsh", "a\nb"])
def test_n3_a_name_that_fits_no_rule_is_taken_for_no_other(tmp_path: Path, name: str) -> None:
    found = tool_name("claude-code", name)
    assert found.endswith("~") and len(found) < 80
    assert Desk(tmp_path, Given(rule("deny", tool="claude-code.*"))).says(name, a=1) == ("remembered", False)


@pytest.mark.parametrize("value", ["x" * 300_000, "\ud800", 10**400, float("nan")], ids=lambda one: None)
def test_n3_an_input_that_cannot_be_shown_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        Desk(tmp_path).wanted("Other", value=value)


# --- a session


def test_n3_what_is_remembered_lasts_for_the_session(asks: Asks, person: Bench) -> None:
    first = asks(command="make all", description="build").until(e.OutsideAsked)
    assert answer(person, first, remember=True).status == "accepted"
    assert said(asks(command="make all", description="again"))[:2] == ("answered", True)
    for other in ({"session": "s2"}, {"pid": 9}, {"command": "make all install"}, {"run_in_background": True}):
        asked = asks(**{"command": "make all", **other}).until(e.OutsideAsked)
        assert answer(person, asked, "no").status == "accepted"


def test_n3_all_questions_of_a_session_are_in_one_conversation(asks: Asks, person: Bench) -> None:
    first = asks(command="make a").until(e.OutsideAsked)
    second = asks(command="make b").until(e.OutsideAsked)
    third = asks(command="make c", session="s2").until(e.OutsideAsked)
    assert first.conversation == second.conversation != third.conversation and first.inquiry != second.inquiry
    assert answer(person, second).status == "accepted" and answer(person, first, "no").status == "accepted"
    person.send(c.ListInquiries(pending=True))
    assert len(person.until(e.InquiriesListed).inquiries) == 1


def test_n3_the_same_files_are_covered(asks: Asks, person: Bench) -> None:
    path = str(person.workspace / "a.txt")
    first = asks("Edit", file_path=path, new_string="1").until(e.OutsideAsked)
    answer(person, first, remember=True)
    assert said(asks("Edit", file_path=path, new_string="2"))[:2] == ("answered", True)
    asks("Edit", file_path=path + "2", new_string="2").until(e.OutsideAsked)


def test_n3_a_remembered_no_is_a_no(asks: Asks, person: Bench) -> None:
    path = str(person.workspace / "a.txt")
    answer(person, asks("Edit", file_path=path).until(e.OutsideAsked), "no", remember=True)
    assert said(asks("Edit", file_path=path))[:2] == ("answered", False)


def test_n3_what_was_refused_in_the_session_needs_a_person(bench: Bench, asks: Asks, person: Bench) -> None:
    """R247, by the paths and commands in the input: also by another tool or in a command line."""
    bench.approval_rules = Given(
        rule("allow", tool=EDIT), rule("allow", "cat", tool=BASH), rule("allow", "make", tool=BASH)
    )
    path = str(bench.workspace / "a.txt")
    assert said(asks(command="cat a.txt", session="s2"))[:2] == ("answered", True)
    answer(
        person, asks("Write", file_path=path, changes=(InputChange(path=path, after="x"),)).until(e.OutsideAsked), "no"
    )
    bench.outside_rule = Rule(has_answer=True, answer=True)
    for input_ in ({"tool": "Edit", "file_path": path}, {"command": "cat ./a.txt"}, {"tool": "Other", "on": "a.txt"}):
        answer(person, asks(**input_).until(e.OutsideAsked), "no")  # type: ignore[arg-type]
    assert said(asks(command="cat a.txt", session="s2"))[:2] == ("answered", True)
    bench.outside_rule = Rule()
    answer(person, asks(command="git fetch").until(e.OutsideAsked), "no")
    bench.outside_rule = Rule(has_answer=True, answer=True)
    asked = asks(command="git fetch").until(e.OutsideAsked)
    assert record(person, asked)[-1]["why"] == "git fetch was refused earlier in this session."


def test_n2_a_reviewer_sees_the_session_only(bench: Bench, asks: Asks, person: Bench) -> None:
    answer(person, asks(command="make a").until(e.OutsideAsked), "no", note="too early")
    answer(person, asks(command="make z", session="s2").until(e.OutsideAsked))
    bench.outside_rule, bench.reviewer = Rule(target="assistant"), (reviews := Reviews(False))
    one = asks(command="make b")
    ended = one.until(e.OutsideSettled)
    assert (ended.answer, ended.reason, ended.responder["kind"]) == (False, "as I see it", "assistant")
    (told,) = [part.text for message in reviews.asked[0].told for part in message.parts]  # type: ignore[union-attr]
    assert "make a" in told and "too early" in told and reviews.asked[0].tool == BASH


def test_n20_an_earlier_answer_names_it(asks: Asks, person: Bench) -> None:
    answer(person, asks(command="make").until(e.OutsideAsked), remember=True)
    assert said(asks(command="make", named=True))[:2] == ("answered", True)
    answer(person, asks(command="ls").until(e.OutsideAsked), "no")
    asks(command="ls", named=True).until(e.OutsideAsked)


def test_n21_a_yes_before_the_tool_counts_for_the_prompt_of_the_same_call_once(
    bench: Bench, asks: Asks, person: Bench
) -> None:
    """Codex takes no yes before a tool, and may then ask itself."""
    bench.approval_rules = Given(rule("ask", "make", tool=BASH))
    answer(person, asks(command="make", named=True).until(e.OutsideAsked))
    asks(command="make", timeout=5, carries=True).until(e.OutsideAsked)
    assert said(asks(command="make", description="said later", carries=True))[:2] == ("answered", True)
    answer(person, asks(command="make", carries=True).until(e.OutsideAsked), "no")
    answer(person, asks(command="make", named=True).until(e.OutsideAsked))
    asks(command="make").until(e.OutsideAsked)
    bench.approval_rules = Given(rule("deny", "make", tool=BASH))
    assert said(asks(command="make", carries=True))[:2] == ("answered", False)
