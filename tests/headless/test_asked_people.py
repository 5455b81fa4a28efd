"""Questions for other people of a store, from outside: addressed, approved by several (store.md D14, D15)."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import postgres
from tests.headless.asking_tools import configure, question, results
from tests.headless.forked import Forked
from tests.headless.running import LIMIT, environment, jp, lines, on_terminal

DATABASE = "asked"


def until(found: Callable[[], Any]) -> Any:
    """What this returns once it returns something; each try runs a process."""
    end = time.monotonic() + LIMIT
    while not (one := found()):
        assert time.monotonic() < end
    return one


class Person:
    """A role of the store on a machine of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        folder.mkdir()
        self.home, self.name = folder, folder.name
        self.more = {"JP_TUI_STORE": url, "JP_TUI_STORE__MACHINE": f'"of {folder.name}"'}
        self.model = ""

    def has(self, **tool: Any) -> None:
        self.model = configure(self.home, {"deploy": {"ask": question(), "detached": "defer", **tool}})

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return jp(self.home, *words, **self.more)

    def pending(self) -> list[dict[str, Any]]:
        return lines(self.run("inquiries", "--pending", "--json").stdout)

    def answer(self, name: str, value: str = "yes", *words: str) -> tuple[int, dict[str, Any]]:
        ran = self.run("answer", name, value, "--json", *words)
        assert ran.stdout, ran.stderr
        return ran.returncode, lines(ran.stdout)[-1]

    def asks(self) -> str:
        """Run a turn that asks and is deferred; return CONVERSATION/ID."""
        ran = self.run("query", "--json", "--model", self.model, "go")
        assert ran.returncode == 3, ran.stderr
        (waits,) = lines(self.run("inquiries", "--pending", "--all", "--json").stdout)
        return f"{waits['conversation']}/{waits['id']}"

    def events(self, name: str) -> list[dict[str, Any]]:
        return lines(self.run("conversations", "show", name.split("/")[0], "--json").stdout)


Team = Callable[..., tuple[Person, ...]]


@pytest.fixture
def team(tmp_path: Path, postgres_server: postgres.Server) -> Team:
    postgres.peopled(postgres_server, DATABASE)
    return lambda *names: tuple(Person(tmp_path / one, postgres_server.url(DATABASE, one)) for one in names)


def test_d14_a_question_reaches_the_one_whom_it_is_for(team: Team) -> None:
    ada, lead, third = team("ada", "lead", "third")
    ada.has(to="lead")
    name = ada.asks()
    assert third.pending() == [] and ada.answer(name)[1]["status"] == "not_yours"
    assert third.run("answer", name, "yes").returncode == 2, "it isn't there for others"
    (waits,) = lead.pending()
    assert (waits["owner"], waits["to"], waits["machine"]) == ("ada", "lead", "of ada")
    status, said = lead.answer(name)
    assert (status, said["status"]) == (0, "accepted"), said
    again = lead.answer(name, "no")
    assert again[0] == 1 and again[1]["status"] == "answered"
    assert ada.run("query", "-r", name.split("/")[0]).returncode == 0
    events = ada.events(name)
    assert results(events)["deploy"] == "got true"
    (asked,) = (one for one in events if one["type"] == "inquiry_request")
    assert asked["metadata"]["to"] == "lead" and asked["metadata"]["asked_by"] == "ada"
    assert asked["metadata"]["why"].endswith("asks lead.") and "config.toml:" in asked["metadata"]["why"]
    (answer,) = (one for one in events if one["type"] == "inquiry_response")
    assert (answer["responder"]["who"], answer["responder"]["machine"]) == ("lead", "of lead"), "D13"


def test_d14_an_unknown_addressee_is_the_owner_and_the_owner_is_told_why(team: Team) -> None:
    (ada,) = team("ada")
    ada.has(to="role:cooks")
    name = ada.asks()
    (waits,) = ada.pending()
    assert waits["to"] == "" and "nobody in this store is a member of cooks" in ada.run("inquiries", "--pending").stdout
    assert ada.answer(name)[1]["status"] == "accepted"


def test_d15_two_people_agree_and_never_the_one_who_asks(team: Team) -> None:
    ada, lead, second, third = team("ada", "lead", "second", "third")
    ada.has(to="role:ops", approvals=2)
    name = ada.asks()
    status, said = ada.answer(name)
    assert (status, said["status"]) == (1, "not_yours") and "your own question" in said["message"]
    assert third.run("answer", name, "yes").returncode == 2
    for _ in range(2):
        assert lead.answer(name)[:1] == (0,)
        status, said = lead.answer(name)
        assert (status, said["status"], said["approvals"]) == (0, "counted", {"needed": 2, "by": ["lead"]})
    assert ada.run("query", "-r", name.split("/")[0]).returncode == 3, "a yes of one is no yes"
    assert second.pending()[0]["approvals"] == {"needed": 2, "by": ["lead"]}
    assert second.answer(name)[1]["status"] == "accepted"
    assert ada.run("query", "-r", name.split("/")[0]).returncode == 0
    events = ada.events(name)
    assert results(events)["deploy"] == "got true"
    votes = [one for one in events if one["type"] == "inquiry_vote"]
    assert [(one["vote"], one["responder"]["who"]) for one in votes] == [(True, "lead")]
    (answer,) = (one for one in events if one["type"] == "inquiry_response")
    assert answer["approved_by"] == ["lead", "second"]
    assert "approved by lead and second" in ada.run("inquiries", name.split("/")[0]).stdout


def test_d15_the_first_no_settles_it(team: Team) -> None:
    ada, lead, second = team("ada", "lead", "second")
    ada.has(approvals=3)
    name = ada.asks()
    assert lead.answer(name)[1]["approvals"] == {"needed": 3, "by": ["lead"]}
    assert second.answer(name, "no", "--reason", "not today")[1]["status"] == "accepted"
    assert lead.answer(name)[1]["status"] == "answered"
    ada.run("query", "-r", name.split("/")[0])
    assert results(ada.events(name))["deploy"] == "got false\n\nThe user added: not today"


def test_d15_where_somebody_holds_the_conversation(team: Team) -> None:
    """S12: votes and answers reach the holder, who goes on with the last; the owner at its terminal can't answer."""
    ada, lead, second = team("ada", "lead", "second")
    ada.has(to="role:ops", approvals=2)
    with on_terminal(ada.home, "query", "--model", ada.model, "go", **ada.more) as running:
        running.until("Sure?")
        (waits,) = until(lead.pending)
        name = f"{waits['conversation']}/{waits['id']}"
        assert lead.answer(name)[1]["status"] == "counted"
        assert lead.answer(name)[1]["status"] == "counted"
        running.until("1 of 2 approvals")
        running.type("y\r")
        running.until("your own question")
        assert second.answer(name)[1]["status"] == "accepted"
        rest = running.rest()
        assert running.wait() == 0, rest
    events = ada.events(name)
    assert results(events)["deploy"] == "got true"
    assert [one["type"] for one in events].count("inquiry_vote") == 1
    (answer,) = (one for one in events if one["type"] == "inquiry_response")
    assert answer["approved_by"] == ["lead", "second"] and answer["responder"]["who"] == "second"


def test_d14_a_script_asks_somebody(team: Team) -> None:
    ada, lead, second = team("ada", "lead", "second")
    ada.has()
    (ada.home / "config" / "config.toml").write_text(
        '[conversation.tools."outside.*".questions.answer]\napprovals = 2\n'
    )
    with Forked(
        ["ask", "Deploy?", "--to", "role:ops", "--json"],
        env=environment(ada.home, **ada.more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as asking:  # fmt: skip
        (waits,) = until(lead.pending)
        name = f"{waits['conversation']}/{waits['id']}"
        assert ada.answer(name)[1]["status"] == "not_yours"
        assert lead.answer(name)[1]["status"] == "counted"
        assert second.answer(name)[1]["status"] == "accepted"
        out, err = asking.communicate(b"", timeout=LIMIT)
    assert asking.wait() == 0, err.decode()
    asked, ended = lines(out.decode())
    assert (asked["to"], asked["approvals"]) == ("role:ops", 2)
    assert ended["approved_by"] == ["lead", "second"] and ended["responder"]["who"] == "second"
    assert b"Waiting for 2 approvals of role:ops: jp-tui answer" in err


def test_d14_bad_addressees_on_the_command_line(tmp_path: Path) -> None:
    """Exit 2 before anything is asked; in a store of one person that person is asked."""
    for wrong in ("role:", ":x", "a\nb", " "):
        ran = jp(tmp_path, "ask", "Deploy?", "--to", wrong)
        assert ran.returncode == 2 and "--to: expected the name of a person" in ran.stderr, ran.stderr
    ran = jp(tmp_path, "ask", "Deploy?", "--to", "lead", "--timeout", "0.1")
    assert ran.returncode == 3 and "only you use this store, so you decide" in ran.stderr


def test_d15_approvals_of_a_text_question_are_a_mistake(tmp_path: Path) -> None:
    """A configuration error that names the line."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        '[conversation.tools."outside.*".questions.answer]\napprovals = 2\n'
    )
    ran = jp(tmp_path, "ask", "Notes?", "--type", "text")
    assert ran.returncode == 2 and "config.toml:2" in ran.stderr and "yes-or-no questions only" in ran.stderr
    (tmp_path / "config" / "config.toml").write_text("[conversation.inquiry]\napprovals = 21\n")
    ran = jp(tmp_path, "ask", "Go?")
    assert ran.returncode == 2 and "config.toml:2" in ran.stderr and "from 1 to 20" in ran.stderr


def test_d15_alone_it_stays_open_and_that_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[conversation.inquiry]\napprovals = 2\n")
    with Forked(
        ["ask", "Deploy?"], env=environment(tmp_path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:  # fmt: skip
        (waits,) = until(lambda: lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout))
        ran = jp(tmp_path, "answer", waits["id"], "yes", "--json")
        assert ran.returncode == 1 and lines(ran.stdout)[0]["status"] == "not_yours"
        assert jp(tmp_path, "answer", waits["id"], "--decline").returncode == 0, "who asks may withdraw it"
        _, err = asking.communicate(b"", timeout=LIMIT)
    assert asking.wait() == 4 and b"It needs 2 approvals, and nobody could give one. It stays open." in err
