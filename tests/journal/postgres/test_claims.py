"""Who looks at a question of a shared store, and handing it over (store.md D16): the server's functions, then engines
of two people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jp_tui.journal.postgres.store import PostgresJournal, open_store
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.fakes import postgres
from tests.fakes.models import Script, call, end, text
from tests.journal.made import begin
from tests.journal.postgres.test_row_security import answer, event, put, refused, request, settle, vote
from tests.limits import LIMIT

DATABASE = "claims"
ASKS = [*call("ask_user", {"question": "Sure?", "answer_type": "boolean"}), *end("tools")]
OVER = [*text("Done."), *end()]
As = Callable[[str], PostgresJournal]


@pytest.fixture
def server(postgres_server: postgres.Server) -> postgres.Server:
    postgres.peopled(postgres_server, DATABASE)
    return postgres_server


@pytest.fixture
def as_(server: postgres.Server) -> Iterator[As]:
    """Opens the store as a role, once each."""
    made: dict[str, PostgresJournal] = {}

    def opened(role: str) -> PostgresJournal:
        if role not in made:
            url = server.url(DATABASE, role)
            made[role] = open_store(postgres.settings_of(url, machine=f"{role}s", poll_secs=60))
        return made[role]

    yield opened
    for one in made.values():
        one.close()


def looks(journal: PostgresJournal, *, release: bool = False, inquiry: str = "q") -> str | None:
    return journal.claim("c1", inquiry, release=release).result(LIMIT)


def seen(journal: PostgresJournal) -> list[tuple[str, str]]:
    """The claims that a role reads, by inquiry."""
    return [(act.inquiry, act.payload) for act in journal.acts() if act.kind == "claim"]


def test_d16_one_person_looks_at_a_question_and_lets_go(as_: As) -> None:
    ada, lead, second, third = (as_(one) for one in ("ada", "lead", "second", "third"))
    begin(ada)
    put(ada, request("q", to="role:ops"), request("own"))
    assert looks(third) is None and looks(ada) is None, "only who is asked looks at it"
    assert looks(lead, inquiry="own") is None and looks(ada, inquiry="none") is None
    assert looks(as_("lead")) == "lead" == looks(lead), "again, which renews it"
    assert looks(second) == "lead" == looks(second, release=True), "nobody ends the claim of another"
    assert seen(lead) == seen(second) == seen(ada) == [("q", "lead")] and seen(third) == []
    assert looks(lead, release=True) == "" == looks(lead, release=True)
    assert looks(second) == "second" and seen(ada) == [("q", "second")]
    assert settle(second, answer("second")) and looks(second) is None and seen(ada) == []


def test_d16_it_lasts_ten_minutes_by_the_servers_clock(server: postgres.Server, as_: As) -> None:
    ada, lead, second = (as_(one) for one in ("ada", "lead", "second"))
    begin(ada)
    put(ada, request("q", to="role:ops"))
    looks(lead)
    left = "SELECT extract(epoch FROM until - clock_timestamp()) FROM jp_tui.claims"
    ((seconds,),) = server.sql(left, DATABASE)
    assert 540 < float(str(seconds)) <= 600
    server.sql("UPDATE jp_tui.claims SET until = clock_timestamp()", DATABASE)
    assert seen(ada) == [] and looks(second) == "second" and looks(lead) == "second"


def test_d16_what_is_answered_handed_over_or_approved_is_looked_at_no_more(as_: As) -> None:
    """So that the next question with the same id, which another turn may ask, is nobody's."""
    ada, lead, second = (as_(one) for one in ("ada", "lead", "second"))
    begin(ada)
    put(ada, request("q", to="lead"))
    looks(lead)
    settle(lead, answer("lead"))
    put(ada, request("q", turn=2, to="role:ops", approvals=2))
    assert seen(ada) == [] and looks(ada) is None, "who asks would only keep others from it"
    looks(lead)
    yes = event("inquiry_vote", "q", 2, **{**json.loads(vote("lead").payload), "type": "inquiry_vote"})
    assert settle(lead, yes) and seen(ada) == []
    looks(second)
    looks(lead)
    assert settle(lead, event("inquiry_assigned", "q", 2, **{"id": "q", "from": "role:ops", "to": "second"},
                              responder={"kind": "user", "who": "lead"})) and seen(ada) == []  # fmt: skip
    assert looks(lead) is None and looks(second) == "second"


def test_d16_a_role_that_is_revoked_looks_at_nothing(server: postgres.Server, as_: As) -> None:
    ada, lead, second = (as_(one) for one in ("ada", "lead", "second"))
    begin(ada)
    put(ada, request("q", to="role:ops"))
    looks(lead)
    server.sql("SELECT jp_tui.set_role('lead', 'none')", DATABASE, "ada")
    try:
        assert seen(ada) == [] and looks(second) == "second"
        assert looks(lead) is None
        assert "unknown" in refused(lambda: settle(lead, answer("lead")))
    finally:
        server.sql("SELECT jp_tui.set_role('lead', 'person')", DATABASE, "ada")


Desk = Callable[[str], Bench]


@pytest.fixture
def desk(server: postgres.Server, tmp_path: Path) -> Iterator[Desk]:
    """A workspace of a person."""
    made: list[Bench] = []

    def opened(role: str) -> Bench:
        (tmp_path / role).mkdir()
        bench = Bench(tmp_path / role)
        bench.machine, bench.script, bench.prefix = f"{role}s", Script(ASKS, OVER), role
        url = server.url(DATABASE, role)
        bench.opens = lambda: open_store(postgres.settings_of(url, bench.machine, poll_secs=0.2), patience=None)
        made.append(bench)
        return bench

    yield opened
    for bench in made:
        bench.stop()


def claimed(bench: Bench, inquiry: str, **more: str | bool) -> e.ClaimSettled:
    bench.send(c.ClaimInquiry(inquiry=inquiry, **more))  # type: ignore[arg-type]
    return bench.until(e.ClaimSettled)


def answered(bench: Bench, inquiry: str, **more: bool) -> e.OfferSettled:
    bench.send(c.OfferAnswer(inquiry=inquiry, value="yes", **more))  # type: ignore[arg-type]
    return bench.until(e.OfferSettled)


def test_d16_who_holds_a_conversation_sees_who_looks_at_its_question(desk: Desk) -> None:
    ada, lead, second = desk("ada"), desk("lead"), desk("second")
    ada.start()
    ada.say("go")
    id_ = ada.prompt().inquiry
    lead.run()
    second.run()
    assert claimed(lead, id_).status == "unknown", "it doesn't ask lead"
    found = claimed(ada, id_, to="nobody")
    assert found.status == "invalid" and "nobody who answers" in found.message
    found = claimed(ada, id_, to="role:ops")
    assert (found.status, found.to, found.message) == ("assigned", "role:ops", "Handed over to role:ops.")
    (changed,) = (one for one in ada.events if isinstance(one, e.PromptChanged))
    assert (changed.to, changed.yours) == ("role:ops", False) and "handed it over to role:ops" in changed.why
    assert claimed(ada, id_).status == "not_yours"
    found = claimed(lead, id_)
    assert (found.status, found.claimed_by) == ("claimed", "lead"), found
    assert ada.until(e.PromptChanged, lambda event: event.claimed_by == "lead").to == "role:ops"
    assert answered(second, id_).by == "lead"
    found = claimed(second, id_)
    assert (found.status, found.claimed_by) == ("taken", "lead")
    assert claimed(second, id_, release=True).status == "taken"
    assert claimed(lead, id_, release=True).status == "released"
    ada.until(e.PromptChanged, lambda event: not event.claimed_by)
    assert claimed(lead, id_).status == "claimed"
    assert answered(second, id_).status == "claimed"
    assert answered(second, id_, anyway=True).status == "accepted"
    assert ada.turn().outcome == "done"
    assert claimed(lead, id_, conversation=ada.conversation).status == "answered"


def test_d16_what_no_process_holds_is_handed_over_and_back(desk: Desk) -> None:
    ada, lead = desk("ada"), desk("lead")
    ada.start()
    ada.say("go")
    id_ = ada.prompt().inquiry
    ada.stop()
    ada.run()
    lead.run()
    assert claimed(ada, id_, to="lead").status == "assigned"
    assert claimed(lead, id_).status == "claimed"
    assert claimed(lead, id_, to="second").status == "assigned"
    assert claimed(lead, id_).status == "unknown", "lead isn't asked any more"
    assert claimed(ada, id_, to="ada").status == "assigned"
    assert answered(ada, id_).status == "accepted"
    ada.send(c.ListPeople())
    listed = ada.until(e.PeopleListed)
    assert [one.name for one in listed.people if one.you] == ["ada"]
    assert "role:ops" in listed.groups


def test_d16_alone_nobody_else_looks_at_anything(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run()
    try:
        found = claimed(bench, "q")
        assert (found.status, found.message) == ("invalid", "Only you use this store.")
        bench.send(c.ListPeople())
        assert bench.until(e.PeopleListed) == e.PeopleListed()
    finally:
        bench.stop()
