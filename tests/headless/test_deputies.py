"""Two people on one store, from outside: one is away, and the deputy answers (store.md D13, D17, D18)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import postgres
from tests.headless.asking_tools import configure, results
from tests.headless.running import jp, lines, on_terminal
from tests.headless.test_shared_store import LATER, asked_on, waits_on
from tests.limits import LIMIT

DATABASE = "deputies"


class Person:
    """The home of a role of the store, on a machine of the same name."""

    def __init__(self, folder: Path, server: postgres.Server) -> None:
        folder.mkdir()
        self.home, self.name, self.model = folder, folder.name, configure(folder, LATER)
        self.more = {
            "JP_TUI_STORE": server.url(DATABASE, self.name), "JP_TUI_STORE__MACHINE": f'"{self.name}s"',
        }  # fmt: skip

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return jp(self.home, *words, **self.more)

    def waits(self) -> list[dict[str, Any]]:
        return lines(self.run("inquiries", "--pending", "--json").stdout)


@pytest.fixture
def people(tmp_path: Path, postgres_server: postgres.Server) -> tuple[Person, Person]:
    """Ada, who is away, and lead, her deputy."""
    postgres.peopled(postgres_server, DATABASE)
    postgres_server.sql("SELECT jp_tui.set_away(now() + interval '1 day', 'lead')", DATABASE, "ada")
    return Person(tmp_path / "ada", postgres_server), Person(tmp_path / "lead", postgres_server)


def answers(person: Person, conversation: str) -> list[dict[str, Any]]:
    events = lines(person.run("conversations", "show", conversation, "--json").stdout)
    return [one["responder"] for one in events if one["type"] == "inquiry_response"]


def test_d17_what_nobody_holds_is_answered_by_the_deputy(people: tuple[Person, Person]) -> None:
    ada, lead = people
    assert ada.run("query", "--model", ada.model, "go").returncode == 3
    (waits,) = lead.waits()
    assert lines(lead.run("conversations", "list", "--json").stdout) == [], "it is ada's"
    name = f"{waits['conversation']}/{waits['id']}"
    ran = lead.run("answer", name, "perhaps")
    assert ran.returncode == 2 and "isn't valid" in ran.stderr
    assert lead.run("answer", name, "yes").returncode == 0
    again = lead.run("answer", name, "no", "--json")
    assert again.returncode == 1 and lines(again.stdout)[0]["status"] == "answered"
    (by,) = answers(ada, waits["conversation"])
    assert (by["kind"], by["who"], by["machine"], by["for"]) == ("user", "lead", "leads", "ada")
    went = ada.run("query", "--json", "-r", waits["conversation"])
    assert went.returncode == 0, went.stderr
    events = lines(ada.run("conversations", "show", waits["conversation"], "--json").stdout)
    assert results(events)["later"] == "got true"
    assert lead.waits() == []


def test_d18_what_is_open_on_a_terminal_is_offered_to_it(people: tuple[Person, Person]) -> None:
    """And recorded as the deputy's, by the process of the owner."""
    ada, lead = people
    with on_terminal(ada.home, "query", "--model", ada.model, "go", **ada.more) as running:
        running.until("Sure?")
        (waits,) = lead.waits()
        answered = lead.run("answer", f"{waits['conversation']}/{waits['id']}", "yes", "--json")
        assert answered.returncode == 0, answered.stdout + answered.stderr
        rest = running.rest()
        assert running.wait() == 0, rest
    (by,) = answers(ada, waits["conversation"])
    assert (by["who"], by["machine"], by["for"], by["offer"] > 0) == ("lead", "leads", "ada", True)


def test_n10_a_script_of_another_is_answered_too(people: tuple[Person, Person]) -> None:
    ada, lead = people
    with asked_on(ada, "ask", "Deploy?") as asking:  # type: ignore[arg-type]
        waits = waits_on(lead)  # type: ignore[arg-type]
        assert lead.run("answer", f"{waits['conversation']}/{waits['id']}", "no").returncode == 0
        out, _ = asking.communicate(b"", timeout=LIMIT)
    assert (asking.wait(), out) == (5, b"no\n")
    (by,) = answers(ada, waits["conversation"])
    assert (by["who"], by["for"]) == ("lead", "ada")


def test_d18_a_role_that_is_revoked_meanwhile_is_told(
    people: tuple[Person, Person], postgres_server: postgres.Server
) -> None:
    ada, lead = people
    assert ada.run("query", "--model", ada.model, "go").returncode == 3
    (waits,) = lead.waits()
    assert ada.run("store", "revoke", "lead").returncode == 0
    ran = lead.run("answer", f"{waits['conversation']}/{waits['id']}", "yes")
    assert ran.returncode == 2 and "doesn't know the role lead" in ran.stderr
    assert ada.run("store", "grant", "lead", "--as", "person").returncode == 0
    ran = lead.run("answer", f"{waits['conversation']}/{waits['id']}", "yes")
    assert ran.returncode == 2 and "No open question" in ran.stderr, "nobody's deputy any more"
