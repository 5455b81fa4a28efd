"""Who looks at a question of a shared store, and handing it over (store.md D16): the server's functions, then engines
of two people."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.journal.postgres import migrate
from jp_tui.journal.postgres.driver import connect
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


def test_d16_any_order_of_claims_hand_overs_and_answers(as_: As) -> None:
    """What the server says is what a few lines here expect, whoever does what."""
    people = ("ada", "lead", "second", "third")
    groups = {"role:ops": {"lead", "second"}, "*": {"lead", "second", "third"}}
    journals, chance = {one: as_(one) for one in people}, random.Random(16)
    begin(journals["ada"])
    turn, asks, needed, looker, refusals = 0, "", 1, "", 0

    def may(who: str) -> bool:
        return who in groups.get(asks, {asks}) and not (needed == 2 and who == "ada")

    for _ in range(300):
        if not asks:
            turn, needed, looker = turn + 1, chance.choice((1, 2)), ""
            asks = chance.choice(("ada", "lead", "role:ops") if needed == 1 else ("*", "lead", "role:ops"))
            about = {"to": asks} if asks not in ("ada", "*") else {}
            put(journals["ada"], request("q", turn, **about, **({"approvals": 2} if needed == 2 else {})))
        who, act = chance.choice(people), chance.choice(("look", "look", "let go", "hand over", "answer"))
        if act in ("look", "let go"):
            expected = None if not may(who) else looker if looker not in ("", who) else who if act == "look" else ""
            assert looks(journals[who], release=act == "let go") == expected, (act, who, asks, needed, looker)
            looker = looker if expected is None else expected
        elif act == "hand over":
            to = chance.choice((*people, "role:ops", "builder"))
            about = {"id": "q", "from": "x", "to": to, "responder": {"kind": "user", "who": who}}
            handed = event("inquiry_assigned", "q", turn, **about)
            if (who == "ada" or may(who)) and to != "builder" and not (needed == 2 and to == "ada"):
                assert settle(journals[who], handed)
                asks, looker = to, ""
            else:
                refused(functools.partial(settle, journals[who], handed))
                refusals += 1
        elif needed == 1 and may(who) and chance.random() < 0.5:
            raw = {**json.loads(answer(who).payload), "type": "inquiry_response"}
            assert settle(journals[who], event("inquiry_response", "q", turn, **raw))
            asks, looker = "", ""
        elif needed == 2 and chance.random() < 0.2:  # its owner withdraws it
            by = {"kind": "user", "who": "ada"}
            gone = {"id": "q", "outcome": "cancelled", "reason": "user", "responder": by}
            put(journals["ada"], event("inquiry_response", "q", turn, **gone))
            asks, looker = "", ""
        assert seen(journals["ada"]) == ([("q", looker)] if looker else [])
    assert turn > 5 and refusals > 5


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


@pytest.mark.parametrize("source", ["tool", "outside"])
def test_d15_others_approve_it_before_an_answer_is_recorded(desk: Desk, as_: As, source: str) -> None:
    """Who was asked with everyone else reads nothing of it then; the answer comes too late, in words."""
    ada, lead, second = as_("ada"), as_("lead"), as_("second")
    begin(ada)
    raw = json.loads(request("q", approvals=2).payload)
    put(ada, event("inquiry_request", "q", **{**raw, "type": "inquiry_request", "source": {"source": source}}))
    third = desk("third")
    opens, late = third.opens, list[bool]()
    assert opens is not None

    def slow() -> PostgresJournal:
        journal = opens()
        real = journal.inquiry_events

        def read(conversation: str, inquiry: str | None = None) -> Any:
            if not late:
                late.append(settle(lead, vote("lead")))
                late.append(settle(second, answer("second", approved_by=["lead", "second"])))
            return real(conversation, inquiry)

        journal.inquiry_events = read
        return journal

    third.opens = slow
    third.run()
    found = answered(third, "q")
    assert (found.status, found.message) == ("stale", "Not taken: no question with this ID is open."), found
    assert late == [True, True]


def test_d16_a_role_is_revoked_while_its_sheet_is_open(desk: Desk, server: postgres.Server) -> None:
    """Its answer is refused in words, nothing is recorded, and the others see that it looks no longer."""
    ada, lead = desk("ada"), desk("lead")
    ada.start()
    ada.say("go")
    id_ = ada.prompt().inquiry
    claimed(ada, id_, to="role:ops")
    lead.run()
    assert claimed(lead, id_).status == "claimed"
    ada.until(e.PromptChanged, lambda event: event.claimed_by == "lead")
    url = server.url(DATABASE, "ada")
    found = postgres.settings_of(url)
    db = connect(found)
    try:
        migrate.revoke(db, found.address, "lead")
        ada.until(e.PromptChanged, lambda event: not event.claimed_by)
        lead.send(c.OfferAnswer(inquiry=id_, value="yes"))
        said = lead.until(e.Refused).message
        assert said.endswith("this role may not do that, or not any more (permission denied for schema jp_tui)"), said
        refusal = claimed(lead, id_)
        assert refusal.status == "no_reaction" and refusal.message.endswith("denied for schema jp_tui)"), refusal
        assert claimed(ada, id_, to="second").status == "assigned", "what waits goes on"
    finally:
        migrate.grant(db, found.address, "lead", "person")
        db.close()
