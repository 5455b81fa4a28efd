"""Who reads and answers what in a store of several people, held by the server (store.md D13-D18).

Each test speaks as several roles over connections of their own; what is refused is refused to raw SQL, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jp_tui.journal.port import Journal, JournalError, NewEvent
from jp_tui.journal.postgres.store import PostgresJournal, open_store
from tests.fakes import postgres
from tests.journal.made import at, begin
from tests.limits import LIMIT

DATABASE = "rights"
As = Callable[..., PostgresJournal]


@pytest.fixture
def server(postgres_server: postgres.Server) -> postgres.Server:
    postgres.peopled(postgres_server, DATABASE)
    return postgres_server


@pytest.fixture
def as_(server: postgres.Server) -> Iterator[As]:
    """Opens the store as a role, once each."""
    made: dict[str, PostgresJournal] = {}

    def opened(role: str, **more: Any) -> PostgresJournal:
        if role not in made:
            url = server.url(DATABASE, role)
            made[role] = open_store(postgres.settings_of(url, machine=f"{role}s", poll_secs=60, **more))
        return made[role]

    yield opened
    for one in made.values():
        one.close()


def event(kind: str, inquiry: str | None = None, turn: int = 1, **body: Any) -> NewEvent:
    raw = {"timestamp": at(1), "type": kind, **body}
    return NewEvent(kind, turn, json.dumps(raw), at=at(1), inquiry=inquiry)


def request(inquiry: str = "q", turn: int = 1, **about: Any) -> NewEvent:
    """A yes-or-no question; `to`, `approvals` and `digest` in its metadata."""
    question = {"id": "q", "text": "Deploy?", "answer_type": {"type": "boolean"}}
    about = {"digest": "d1", **about}
    return event("inquiry_request", inquiry, turn, id=inquiry, question=question, metadata=about)


def answer(who: str | None, value: Any = True, inquiry: str = "q", **more: Any) -> NewEvent:
    by = {"kind": "user", **({"who": who} if who else {}), **{k: more.pop(k) for k in ("for", "offer") if k in more}}
    return event("inquiry_response", inquiry, id=inquiry, outcome="answered", answer=value, responder=by, **more)


def vote(who: str, inquiry: str = "q", digest: str = "d1", yes: object = True, **by: Any) -> NewEvent:
    by = {"kind": "user", "who": who, **by}
    return event("inquiry_vote", inquiry, id=inquiry, vote=yes, responder=by, metadata={"digest": digest})


def put(journal: Journal, *events: NewEvent, conversation: str = "c1") -> None:
    journal.append(conversation, events).result(LIMIT)


def settle(journal: Journal, one: NewEvent, conversation: str = "c1") -> bool:
    return journal.settle_outside(conversation, one.inquiry or "", [one]).result(LIMIT)


def refused(run: Callable[[], object]) -> str:
    with pytest.raises(JournalError) as caught:
        run()
    assert caught.value.kind in ("refused", "unknown", "held"), caught.value
    return f"{caught.value.kind}: {caught.value}"


def open_for(journal: Journal) -> list[tuple[str, str | None]]:
    return [(one.conversation, one.entry.inquiry) for one in journal.open_inquiries()]


def seen(server: postgres.Server, role: str) -> set[tuple[object, ...]]:
    """The events that a role reads with SQL of its own."""
    return set(server.sql("SELECT kind, inquiry FROM jp_tui.events", DATABASE, role))


def test_d18_a_conversation_is_its_owners(server: postgres.Server, as_: As) -> None:
    ada, lead = as_("ada"), as_("lead")
    begin(ada)
    put(ada, event("chat_request", content="secret plans"), request("own"))
    assert open_for(ada) == [("c1", "own")] and ada.conversation("c1") is not None
    assert open_for(lead) == [] and lead.conversation("c1") is None and lead.read("c1") == []
    assert lead.rows(["c1"]) == {} and lead.inquiry_events("c1", "own") == []
    assert seen(server, "lead") == set() and len(seen(server, "ada")) == 2
    for one in ("conversations", "spans", "waiting", "partials"):
        assert server.sql(f"SELECT 1 FROM jp_tui.{one}", DATABASE, "lead") == []
    assert "unknown" in refused(lambda: put(lead, event("chat_request", content="mine now")))
    assert "unknown" in refused(lambda: settle(lead, answer("lead", inquiry="own")))
    assert "unknown" in refused(lambda: lead.make_offer("c1", "own", "{}", at(1)).result(LIMIT))
    locks = lead.locks()
    assert "another's" in refused(lambda: locks.take("c1", "x", 1))
    put(ada, answer("ada", inquiry="own"))
    assert open_for(ada) == []


@pytest.mark.parametrize("to", ["lead", "role:ops"])
def test_d18_of_others_a_person_reads_what_asks_it(server: postgres.Server, as_: As, to: str) -> None:
    """With all that was shown, and nothing else; afterwards too. The title is the owner's."""
    ada, lead, third = as_("ada"), as_("lead"), as_("third")
    begin(ada, workspace="/srv")
    put(ada, event("chat_request", content="secret plans"), request("own"), request("q", to=to))
    assert open_for(lead) == [("c1", "q")] and open_for(third) == []
    assert [one.entry.kind for one in lead.inquiry_events("c1", "q")] == ["inquiry_request"]
    assert lead.open_inquiries("c1")[0].entry.payload == ada.open_inquiries("c1")[1].entry.payload
    row = lead.rows(["c1"])["c1"]
    assert (row.owner, row.workspace, row.machine, row.title, row.model) == ("ada", "/srv", "adas", "", "")
    assert seen(server, "lead") == {("inquiry_request", "q")} and seen(server, "third") == set()
    assert "other people" in refused(lambda: put(ada, answer("ada")))
    assert "unknown" in refused(lambda: settle(third, answer("third")))
    assert settle(lead, answer("lead")) and not settle(lead, answer("lead", value=False))
    assert open_for(lead) == open_for(ada)[:0] == [] and open_for(ada) == [("c1", "own")]
    assert seen(server, "lead") == {("inquiry_request", "q"), ("inquiry_response", "q")}
    last = ada.inquiry_events("c1", "q")[-1]
    assert json.loads(last.entry.payload)["responder"]["who"] == "lead" and last.seq == ada.last_seq("c1") == 4
    assert server.sql("SELECT who FROM jp_tui.events ORDER BY seq", DATABASE) == [("ada",)] * 3 + [("lead",)]


def test_d13_nobody_answers_in_another_name(server: postgres.Server, as_: As) -> None:
    ada, lead = as_("ada"), as_("lead")
    begin(ada)
    put(ada, request("q", to="lead"), request("own"))
    assert "another role" in refused(lambda: settle(lead, answer("second")))
    assert "another role" in refused(lambda: settle(lead, answer(None)))
    assert "another role" in refused(lambda: put(ada, answer("lead")))
    assert "never offered" in refused(lambda: put(ada, answer("lead", offer=12345)))
    assert "only a person" in refused(
        lambda: settle(
            lead, event("inquiry_response", "q", id="q", outcome="answered", answer=True, responder={"kind": "static"})
        )
    )
    for odd in ('{"responder":{"kind":"us\\u0065r","who":"second"},"answer":true}', '{"answer":"\\u0000"}', "{", "[]"):
        one = NewEvent("inquiry_response", 1, odd, at=at(1), inquiry="q")
        refused(lambda one=one: settle(lead, one))  # type: ignore[misc]
    put(ada, answer(None, inquiry="own"))  # her own name needs no mention
    assert settle(lead, answer("lead", value="\0\ud83d\ude00"))


def test_d18_an_offer_reaches_the_holder_and_keeps_its_maker(server: postgres.Server, as_: As) -> None:
    """While ada's process holds the conversation, only it appends; the answer has to be the one that was offered."""
    ada, lead = as_("ada"), as_("lead")
    begin(ada)
    lock = ada.locks().take("c1", "jp-tui", 7)
    assert not isinstance(lock, str)
    put(ada, request("q", to="lead"))
    assert lead.locks().holder("c1").startswith("ada on adas") and as_("third").locks().holder("c1") == ""
    assert "held" in refused(lambda: settle(lead, answer("lead")))
    number = lead.make_offer("c1", "q", json.dumps({"value": "no"}), at(1)).result(LIMIT)
    (offer,) = ada.offers("c1")
    assert (offer.id, offer.who, offer.machine) == (number, "lead", "leads")
    assert as_("third").offers("c1") == [] and as_("third").offer(number) is None
    done = lead.make_offer("c1", "q", json.dumps({"value": "yes"}), at(1)).result(LIMIT)
    ada.settle_offer(done, "invalid", "no").result(LIMIT)
    assert "never offered" in refused(lambda: put(ada, answer("lead", offer=done)))
    assert "never offered" in refused(lambda: put(ada, answer("lead", value=True, offer=number)))
    with pytest.raises(JournalError):
        ada.append("c1", [answer("lead", value=True, offer=number)], accepts=[number]).result(LIMIT)
    ada.append("c1", [answer("lead", value=False, offer=number)], accepts=[number]).result(LIMIT)
    assert server.sql("SELECT who FROM jp_tui.events WHERE kind = 'inquiry_response'", DATABASE) == [("lead",)]
    found = lead.offer(number)
    assert found is not None and found.state == "accepted"
    lock.release()


def test_d15_two_distinct_people_and_never_the_owner(server: postgres.Server, as_: As) -> None:
    ada, lead, second = as_("ada"), as_("lead"), as_("second")
    begin(ada)
    put(ada, request("q", approvals=2))
    assert [open_for(as_(one)) for one in ("ada", "lead", "third", "builder")] == [[("c1", "q")]] * 3 + [[]]
    whole = {"approved_by": ["lead", "second"]}
    assert "2 approvals" in refused(lambda: settle(lead, answer("lead", **whole)))
    assert "your own question" in refused(lambda: put(ada, answer("ada")))
    assert "your own question" in refused(lambda: put(ada, vote("ada")))
    static = {"kind": "static"}
    one = event("inquiry_response", "q", id="q", outcome="answered", answer=True, responder=static)
    assert "only people" in refused(lambda: put(ada, one))
    for value in ("yes", 1, None):
        assert "a yes or a no" in refused(lambda value=value: settle(lead, answer("lead", value=value)))  # type: ignore[misc]
    assert "changed" in refused(lambda: settle(lead, vote("lead", digest="other")))
    assert "a yes or a no" in refused(lambda: settle(lead, vote("lead", yes=False)))
    assert settle(lead, vote("lead"))
    assert "already" in refused(lambda: settle(lead, vote("lead")))
    assert "already" in refused(lambda: settle(lead, answer("lead", **whole)))
    assert "approved_by" in refused(lambda: settle(second, answer("second", approved_by=["second", "third"])))
    # a request of the same id takes nothing back
    put(ada, request("q"))
    assert "your own question" in refused(lambda: put(ada, answer("ada")))
    assert settle(second, vote("second")), "votes count for their request"


def test_d15_the_last_approval_settles_it_and_the_first_no_too(as_: As) -> None:
    ada, lead, second = as_("ada"), as_("lead"), as_("second")
    begin(ada)
    put(ada, request("q", approvals=2), request("r", approvals=3, to="role:ops"))
    assert settle(lead, vote("lead")) and settle(second, answer("second", approved_by=["second", "lead"]))
    assert settle(lead, vote("lead", inquiry="r")) and settle(second, answer("second", value=False, inquiry="r"))
    assert open_for(ada) == open_for(as_("third")) == []


def test_d17_a_deputy_answers_for_who_is_away(server: postgres.Server, as_: As) -> None:
    """Recorded `for`; not for a group's other members, not for a deputy, and not after the return."""
    ada, lead, third = as_("ada"), as_("lead"), as_("third")
    begin(ada)
    put(ada, request("q", to="lead"), request("r", to="lead"), request("own"))
    assert open_for(third) == []
    server.sql("SELECT jp_tui.set_away(now() + interval '1 day', 'third')", DATABASE, "lead")
    away = {one.name: (one.deputy, bool(one.away_until)) for one in third.people()}
    assert away["lead"] == ("third", True) and away["third"] == ("", False)
    assert open_for(third) == [("c1", "q"), ("c1", "r")] and len(seen(server, "third")) == 2
    assert "other people" in refused(lambda: settle(third, answer("third")))
    assert "other people" in refused(lambda: settle(third, answer("third", **{"for": "second"})))
    assert settle(third, answer("third", **{"for": "lead"}))
    # ada's own questions reach her deputy as well
    server.sql("SELECT jp_tui.set_away(now() + interval '1 day', 'second')", DATABASE, "ada")
    assert open_for(as_("second")) == [("c1", "own")]
    for wrong, said in (
        ("third", "away, too"),
        ("second", "own deputy"),
        ("builder", "isn't a person"),
        ("x", "isn't"),
    ):
        if wrong == "third":
            server.sql("SELECT jp_tui.set_away(now() + interval '1 day', NULL)", DATABASE, "third")
        with pytest.raises(Exception, match=said):
            server.sql(f"SELECT jp_tui.set_away(now() + interval '1 day', '{wrong}')", DATABASE, "second")
    assert lead.people()
    server.sql("SELECT jp_tui.set_away(NULL, NULL)", DATABASE, "lead")
    assert open_for(third) == [] and "unknown" in refused(
        lambda: settle(third, answer("third", inquiry="r", **{"for": "lead"}))
    )
    assert ("inquiry_response", "q") in seen(server, "third"), "what it answered stays"


def test_d15_nobody_counts_twice_as_a_deputy(server: postgres.Server, as_: As) -> None:
    ada, lead, second, third = as_("ada"), as_("lead"), as_("second"), as_("third")
    begin(ada)
    put(ada, request("q", approvals=2))
    assert settle(lead, vote("lead"))
    for who in ("lead", "ada"):
        server.sql("SELECT jp_tui.set_away(now() + interval '1 day', 'third')", DATABASE, who)
    by = ["lead", "third"]
    assert "already" in refused(lambda: settle(third, answer("third", approved_by=by, **{"for": "lead"})))
    assert "other people" in refused(lambda: settle(third, answer("third", approved_by=by, **{"for": "ada"})))
    assert settle(third, vote("third"))
    assert "already" in refused(
        lambda: settle(third, answer("third", approved_by=["lead", "third", "third"], **{"for": "lead"}))
    )
    put(ada, request("r", approvals=3))
    assert settle(third, vote("third", inquiry="r", **{"for": "lead"}))
    assert "already" in refused(lambda: settle(third, vote("third", inquiry="r")))
    assert "already" in refused(lambda: settle(lead, vote("lead", inquiry="r")))
    assert settle(second, vote("second", inquiry="r"))


def test_d16_a_hand_over_changes_who_is_asked(server: postgres.Server, as_: As) -> None:
    ada, lead, second = as_("ada"), as_("lead"), as_("second")
    begin(ada)
    put(ada, request("q", to="lead"))

    def hand(who: str, to: str) -> NewEvent:
        by = {"kind": "user", "who": who}
        return event("inquiry_assigned", "q", id="q", to=to, responder=by, **{"from": "lead"})

    assert "unknown" in refused(lambda: settle(second, hand("second", "second")))
    assert "answers nothing" in refused(lambda: settle(lead, hand("lead", "builder")))
    assert settle(lead, hand("lead", "second"))
    assert open_for(second) == [("c1", "q")] and open_for(lead) == []
    assert "other people" in refused(lambda: settle(lead, answer("lead")))
    put(ada, hand("ada", ""))
    assert open_for(second) == []
    put(ada, answer("ada"))


def test_d14_the_owner_withdraws_what_waits_for_others(as_: As) -> None:
    ada = as_("ada")
    begin(ada)
    put(ada, request("q", to="lead", approvals=2))
    by = {"kind": "user", "who": "ada"}
    put(ada, event("inquiry_response", "q", id="q", outcome="cancelled", reason="user", responder=by))
    assert open_for(as_("lead")) == open_for(ada) == []


def test_d18_a_worker_carries_on_what_its_owner_lets_it(server: postgres.Server, as_: As) -> None:
    """The setting goes into the store with the conversation, and with each lease of the owner."""
    ada, bold, builder = as_("ada"), as_("lead", may_act=True), as_("builder")
    begin(ada, "hers")
    begin(bold, "his")
    put(bold, request("q"), conversation="his")
    put(ada, request("q"), conversation="hers")
    assert builder.conversation("hers") is None and "another's" in refused(lambda: builder.locks().take("hers", "x", 1))
    assert open_for(builder) == [("his", "q")]
    lock = builder.locks().take("his", "serve", 1)
    assert not isinstance(lock, str)
    put(builder, event("tool_call_request", id="c", name="x", arguments={}), conversation="his")
    assert "answers nothing" in refused(lambda: put(builder, answer("builder"), conversation="his"))
    assert "another role" in refused(lambda: put(builder, answer("lead"), conversation="his"))
    # a sub-agent's conversation is its parent's owner's
    builder.create("child", workspace="/w", model="m", at=at(2), parent="his").result(LIMIT)
    put(builder, event("chat_request", content="go"), conversation="child")
    child = bold.conversation("child")
    assert child is not None and child.owner == "lead" and ada.conversation("child") is None
    # an offer reaches the worker; it can't turn the answer round
    number = bold.make_offer("his", "q", json.dumps({"value": "yes"}), at(1)).result(LIMIT)
    assert "never offered" in refused(
        lambda: put(builder, answer("lead", value=False, offer=number), conversation="his")
    )
    builder.append("his", [answer("lead", offer=number)], accepts=[number]).result(LIMIT)
    with pytest.raises(Exception, match="permission denied"):
        server.sql("UPDATE jp_tui.conversations SET hidden = 'x'", DATABASE, "builder")
    lock.release()
    timid = open_store(postgres.settings_of(server.url(DATABASE, "lead"), poll_secs=60))
    taken = timid.locks().take("his", "jp-tui", 1)
    assert not isinstance(taken, str) and builder.conversation("his") is None
    timid.close()


def test_d13_a_sub_agent_repeats_what_was_answered_at_its_parents(as_: As) -> None:
    """Its own log names who answered, as long as the parent's says the same."""
    ada = as_("ada")
    begin(ada)
    ada.create("kid", workspace="/w", model="m", at=at(1), parent="c1").result(LIMIT)
    put(ada, request("k", to="lead"), conversation="kid")
    put(ada, request("q", to="lead", agent="kid", asks="k"))
    assert "another role" in refused(lambda: put(ada, answer("lead", inquiry="k"), conversation="kid"))
    assert settle(as_("lead"), answer("lead"))
    assert "another role" in refused(lambda: put(ada, answer("lead", value=False, inquiry="k"), conversation="kid"))
    put(ada, answer("lead", inquiry="k", offer=3), conversation="kid")
    assert open_for(ada) == []


def test_d18_a_copy_is_nobodys_word(server: postgres.Server, as_: As) -> None:
    """Copied events keep what they say, and count for nothing that others have to agree to."""
    ada, lead = as_("ada", may_act=True), as_("lead")
    begin(ada)
    ada.append("c1", [request("q", approvals=2), vote("lead")], copied=True).result(LIMIT)
    assert server.sql("SELECT DISTINCT who FROM jp_tui.events", DATABASE) == [(None,)]
    second = as_("second")
    assert "2 approvals" in refused(lambda: settle(second, answer("second", approved_by=["lead", "second"])))
    assert settle(second, vote("second"))
    ada.append("c1", [answer("lead", approved_by=["lead", "third"])], copied=True).result(LIMIT)
    assert as_("builder").conversation("c1") is None, "no worker acts on copied approvals"
    put(ada, event("turn_outcome", outcome="done"))
    assert as_("builder").conversation("c1") is not None
    put(ada, request("r", to="lead", turn=2))
    assert "asked here" in refused(lambda: ada.append("c1", [answer("lead", inquiry="r")], copied=True).result(LIMIT))
    assert "one's own" in refused(lambda: as_("builder").append("c1", [request("z")], copied=True).result(LIMIT))
    assert lead.me() == "lead"


def test_d18_removing_is_the_owners(server: postgres.Server, as_: As) -> None:
    ada, lead = as_("ada"), as_("lead")
    begin(ada)
    put(ada, request("q", to="lead"))
    assert settle(lead, answer("lead"))
    with pytest.raises(JournalError):
        lead.hide("c1", at(3)).result(LIMIT)
    assert lead.remove("c1").result(LIMIT) == 0
    ada.hide("c1", at(3)).result(LIMIT)
    assert ada.remove("c1").result(LIMIT) == 2 and ada.remove("c1").result(LIMIT) == 0
    assert server.sql("SELECT count(*) FROM jp_tui.events", DATABASE) == [(0,)]


def test_d13_the_role_that_a_pooler_takes_on_is_the_one_that_acts(server: postgres.Server, as_: As) -> None:
    """SET LOCAL ROLE, as poolers with one login do; in a function that runs as the owner it is known as well."""
    import psycopg

    begin(as_("lead"))
    server.sql("GRANT lead, third TO stranger")
    with psycopg.connect(server.url(DATABASE, "stranger")) as db:
        db.execute("SET LOCAL ROLE lead")
        assert db.execute("SELECT jp_tui.me(), jp_tui.my_kind(), count(*) FROM jp_tui.conversations").fetchall() == [
            ("lead", "person", 1)
        ]
        db.execute("SET LOCAL ROLE third")
        assert db.execute("SELECT jp_tui.me(), count(*) FROM jp_tui.conversations").fetchall() == [("third", 0)]
        db.execute("SELECT jp_tui.create_conversation('t', '/w', '', '', '', NULL, '', false)")
    server.sql("REVOKE lead, third FROM stranger")
    assert server.sql("SELECT owner FROM jp_tui.conversations WHERE id = 't'", DATABASE) == [("third",)]


def test_d18_an_auditor_reads_who_answered_and_nothing_of_what_was_said(server: postgres.Server, as_: As) -> None:
    ada, lead, second = as_("ada"), as_("lead"), as_("second")
    begin(ada)
    put(ada, event("chat_request", content="secret plans"), request("q", approvals=2, why="two must"), request("own"))
    assert settle(lead, vote("lead")) and settle(second, answer("second", approved_by=["lead", "second"]))
    text = {"kind": "user", "who": "ada", "machine": "desk"}
    put(ada, event("inquiry_response", "own", id="own", outcome="answered", answer="secret words", responder=text))
    rows = server.sql(
        "SELECT inquiry, owner, asked_by, approvals, digest, why, outcome, yes, answered_by, answered_on, votes, copied"
        " FROM jp_tui.audit_inquiries ORDER BY inquiry DESC",
        DATABASE,
        "inspector",
    )
    votes = [{"who": "lead", "for": None, "vote": True, "at": at(1)}]
    assert rows == [
        ("q", "ada", "ada", 2, "d1", "two must", "answered", True, "second", None, votes, False),
        ("own", "ada", "ada", 1, "d1", None, "answered", None, "ada", "desk", [], False),
    ]
    everything = server.sql("SELECT to_jsonb(a)::text FROM jp_tui.audit_inquiries AS a", DATABASE, "inspector")
    assert "secret" not in repr(everything)
    people = server.sql("SELECT role, kind, groups, until IS NULL FROM jp_tui.audit_people", DATABASE, "inspector")
    assert ("lead", "person", ["ops"], True) in people and ("leaver", "none", [], False) in people


def test_the_conversations_of_a_leaver_go_to_another_person(server: postgres.Server, as_: As) -> None:
    """With what waits in them; its answers keep its name. Only the owner gives them."""
    lead, second = as_("lead", may_act=True), as_("second")
    begin(lead)
    put(lead, request("q"), request("r", to="third"))
    with pytest.raises(Exception, match="permission denied"):
        server.sql("SELECT jp_tui.give_conversations('lead', 'second')", DATABASE, "second")
    for wrong in ("builder", "x", ""):
        with pytest.raises(Exception, match="to a person"):
            server.sql(f"SELECT jp_tui.give_conversations('lead', '{wrong}')", DATABASE, "ada")
    assert server.sql("SELECT jp_tui.give_conversations('lead', 'second')", DATABASE, "ada") == [(1,)]
    assert open_for(lead) == [] and sorted(open_for(second)) == [("c1", "q"), ("c1", "r")]
    assert as_("builder").conversation("c1") is None, "the new owner decides whether workers act"
    put(second, answer("second"))
    assert server.sql("SELECT who FROM jp_tui.events ORDER BY seq", DATABASE) == [("lead",), ("lead",), ("second",)]


def test_d6_a_store_of_version_1_becomes_its_owners(
    postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All conversations are the owner's, whoever began them, and its workers keep carrying them on, with their new
    rights and no others."""
    from jp_tui.journal.postgres import migrate, schema

    postgres.peopled(postgres_server, DATABASE)
    postgres_server.sql("DROP DATABASE IF EXISTS before")
    postgres_server.sql("CREATE DATABASE before OWNER ada")
    url = postgres_server.url("before", "ada")
    with monkeypatch.context() as then:
        then.setattr(migrate, "VERSION", 1)
        then.setattr(migrate, "OLDEST_CLIENT", 1)
        then.setattr(migrate, "STEPS", schema.STEPS[:1])
        postgres.migrated(url)
    for statement in (
        "INSERT INTO jp_tui.roles VALUES ('builder', 'worker'), ('dropped', 'worker')",
        "GRANT USAGE ON SCHEMA jp_tui TO builder",
        "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA jp_tui TO builder",
        "ALTER DEFAULT PRIVILEGES IN SCHEMA jp_tui GRANT SELECT ON TABLES TO builder",
        """INSERT INTO jp_tui.conversations (id, owner, workspace, title, model, created, updated)
        VALUES ('old', 'builder', '/w', '', '', '', '')""",
        "UPDATE jp_tui.conversations SET last_seq = 1, turns = 1, events = 1",
        "INSERT INTO jp_tui.events VALUES (1, 1, 1, 'inquiry_request', 'q', '', 0, 0, '{}', '', 0)",
        "INSERT INTO jp_tui.waiting VALUES (1, 'q', 1, 1)",
        "INSERT INTO jp_tui.drafts VALUES ('builder', 'old', 'k', 'words')",
    ):
        postgres_server.sql(statement, "before", "ada")
    found = postgres.settings_of(url)
    with pytest.raises(JournalError, match="store migrate"):
        open_store(found)
    postgres.migrated(url)
    ada, builder = open_store(found), open_store(postgres.settings_of(postgres_server.url("before", "builder")))
    assert open_for(ada) == open_for(builder) == [("old", "q")] and ada.drafts("old") == {"k": "words"}
    put(ada, answer("ada"), conversation="old")
    assert [one.name for one in ada.people()] == ["ada"]
    for refused_table in ("leases", "search"):
        with pytest.raises(Exception, match="permission denied"):
            postgres_server.sql(f"SELECT * FROM jp_tui.{refused_table}", "before", "builder")
    postgres_server.sql("CREATE TABLE jp_tui.later (x int)", "before", "ada")
    with pytest.raises(Exception, match="permission denied"):
        postgres_server.sql("SELECT * FROM jp_tui.later", "before", "builder")
    ada.close()
    builder.close()


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes", True), (" No", False), ("TRUE", True), ("plain words", "plain words"), ('["a","b"]', ["a", "b"]),
     ("1e2", 100),
     ('"quoted"', "quoted"), ("\0 \ud83d\ude00", "\0 \ud83d\ude00"), ('{"a": null}', {"a": None})],
)  # fmt: skip
def test_d13_an_offer_is_compared_with_what_comes_of_it(
    server: postgres.Server, as_: As, text: str, value: Any
) -> None:
    ada, lead = as_("ada"), as_("lead")
    begin(ada)
    put(ada, request("q", to="lead"))
    number = lead.make_offer("c1", "q", json.dumps({"value": text}), at(1)).result(LIMIT)
    for other in ("other", value is False, None, [], 7):
        refused(lambda other=other: put(ada, answer("lead", value=other, offer=number)))  # type: ignore[misc]
    put(ada, answer("lead", value=value, offer=number))
