"""Attacks on a store of several people through raw psycopg (store.md D18): the rights of each kind of role are written
down here, the attempts are made from the server's catalogue, and everything that isn't written down has to be refused.

A new table, view, column or function is tried without a change of this file, and fails where it has no entry.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql

from jp_tui.journal.port import NewEvent
from jp_tui.journal.postgres.driver import Connection, connect
from jp_tui.journal.postgres.store import open_store
from tests.fakes import postgres
from tests.journal.made import at
from tests.limits import LIMIT

DATABASE = "attacked"
SECRET = "s3cr3t-of-ada"
"""In everything that only ada may read."""
KINDS = {
    "lead": "a person whom one question asks", "third": "another person", "builder": "a worker",
    "inspector": "an auditor", "stranger": "never let in", "leaver": "revoked",
}  # fmt: skip
ALL = "*"
Rights = dict[str, dict[str, str]]

_WRITER: Rights = {
    "schema_version": {"SELECT": ALL},
    "roles": {"SELECT": ALL},
    "conversations": {"SELECT": ALL, "UPDATE": "title titled model"},
    "events": {"SELECT": ALL},
    "spans": {"SELECT": ALL},
    "partials": {"SELECT": ALL, "INSERT": "conversation part kind text"},
    "drafts": {"SELECT": ALL, "INSERT": "conversation key text", "UPDATE": "text"},
    "waiting": {"SELECT": ALL},
    "parties": {"SELECT": ALL},
    "offers": {"SELECT": ALL, "UPDATE": "state words"},
    "writes": {"SELECT": ALL, "INSERT": "id"},
    "leases": {},
    "claims": {},
    "search": {},
    "audit_inquiries": {},
    "audit_people": {},
}
_PERSON: Rights = {
    **_WRITER,
    "conversations": {"SELECT": ALL, "UPDATE": "title titled model archived hidden origin imported copied"},
}
_AUDITOR: Rights = {
    **{name: {} for name in _WRITER},
    "schema_version": {"SELECT": ALL},
    "audit_inquiries": {"SELECT": ALL},
    "audit_people": {"SELECT": ALL},
}
_NONE: Rights = {name: {} for name in _WRITER}
ALLOWED: dict[str, Rights] = {
    "lead": _PERSON, "third": _PERSON, "builder": _WRITER, "inspector": _AUDITOR, "stranger": _NONE, "leaver": _NONE,
}  # fmt: skip
"""Columns by role, relation and verb."""

_EVERYBODYS = "me inside my_kind names is_mine is_party key_of groups_of"
_WORKERS = f"""{_EVERYBODYS} create_conversation append_events index_events renew_index search_words make_offer
withdraw_offer clear_draft forget_writes take_lease look free_lease holders addressed conversations_of_others"""
CALLS: dict[str, frozenset[str]] = {
    "lead": frozenset(f"{_WORKERS} remove_events set_away claim acts".split()),
    "third": frozenset(f"{_WORKERS} remove_events set_away claim acts".split()),
    "builder": frozenset(_WORKERS.split()),
    "inspector": frozenset(f"{_EVERYBODYS} read_json".split()),
    "stranger": frozenset(),
    "leaver": frozenset(),
}
ROWS: dict[str, dict[str, int]] = {
    # of ada's conversation lead reads the question that asks it: its request, its row in `waiting`, its own party
    "lead": {"events": 2, "conversations": 1, "waiting": 1, "parties": 1, "drafts": 1, "spans": 1, "roles": 4},
    "third": {"roles": 4},
    "builder": {"conversations": 1, "events": 1, "spans": 1, "roles": 5},
    "inspector": {"audit_inquiries": 2, "audit_people": 7},
}
"""Rows that a role reads; none where nothing stands. `schema_version` has one for all."""


def event(kind: str, inquiry: str | None = None, **body: Any) -> NewEvent:
    return NewEvent(
        kind, 1, json.dumps({"type": kind, **body}), at=at(1), inquiry=inquiry, text=str(body.get("text", ""))
    )


@pytest.fixture(scope="module")
def server(postgres_server: postgres.Server) -> Iterator[postgres.Server]:
    """A store with ada's things, a question of hers for lead, one conversation of lead's, and one for the worker."""
    postgres.peopled(postgres_server, DATABASE)

    def opened(role: str, **more: Any) -> Any:
        return open_store(postgres.settings_of(postgres_server.url(DATABASE, role), poll_secs=60, **more))

    ada, lead, acting = opened("ada"), opened("lead"), opened("ada", may_act=True)
    begun = {"workspace": "/w", "model": SECRET, "at": at(0), "title": SECRET}
    ada.create("c-ada", **begun).result(LIMIT)
    lead.create("c-lead", **{**begun, "title": "t", "model": "m"}).result(LIMIT)
    acting.create("c-act", **{**begun, "title": "t", "model": "m"}).result(LIMIT)
    own = event("inquiry_request", "own", id="own", text=SECRET, metadata={"digest": "d", "why": "w"})
    asked = event("inquiry_request", "q", id="q", metadata={"to": "lead", "digest": "d"})
    ada.append("c-ada", [event("chat_request", text=SECRET), own, asked]).result(LIMIT)
    ada.partial("c-ada", "p", "k", SECRET, durable=True).result(LIMIT)
    ada.make_offer("c-ada", "own", json.dumps({"value": SECRET}), at(1)).result(LIMIT)
    lock = ada.locks().take("c-ada", "jp-tui", 1)
    assert not isinstance(lock, str)
    lead.append("c-lead", [event("chat_request", text="x")]).result(LIMIT)
    acting.append("c-act", [event("chat_request", text="x")]).result(LIMIT)
    for one, conversation in ((ada, "c-ada"), (lead, "c-ada")):
        one.save_draft(conversation, "q", SECRET if one is ada else "mine").result(LIMIT)
    while ada.index().result(LIMIT):
        pass
    for one in (ada, lead, acting):
        one.flush().result(LIMIT)
        one._health.close()  # its leases stay
    postgres_server.sql("DELETE FROM jp_tui.writes WHERE role <> 'ada'", DATABASE)
    yield postgres_server
    for one in (ada, lead, acting):
        one.close()


@pytest.fixture
def attacker(server: postgres.Server, request: pytest.FixtureRequest) -> Iterator[Connection]:
    made = connect(postgres.settings_of(server.url(DATABASE, request.param)))
    yield made
    made.close()


def relations(server: postgres.Server) -> dict[str, list[str]]:
    """The columns of every relation of the schema, in their order."""
    rows = server.sql(
        "SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class AS c JOIN pg_attribute AS a"
        " ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE c.relnamespace = 'jp_tui'::regnamespace"
        " AND c.relkind IN ('r', 'p', 'v', 'm', 'f') GROUP BY 1 ORDER BY 1",
        DATABASE,
    )
    return {str(name): list(columns) for name, columns in rows}  # type: ignore[call-overload]


def attempt(db: Connection, statement: str, **names: str) -> list[tuple[Any, ...]] | int | None:
    """What a statement returns or touches, None if the role may not run it; undone."""
    made = sql.SQL(statement).format(**{key: sql.Identifier(name) for key, name in names.items()})
    try:
        with db.transaction(force_rollback=True):
            found = db.execute(made)
            return found.fetchall() if found.description else found.rowcount
    except (errors.InsufficientPrivilege, errors.InvalidSchemaName):
        return None
    except (errors.DivisionByZero, errors.GeneratedAlways):
        return None  # no such privilege; a column that nobody writes
    except (errors.WrongObjectType, errors.ObjectNotInPrerequisiteState, errors.FeatureNotSupported):
        return None  # a view
    except errors.IntegrityError as error:
        return [(str(error),)]  # the role may run it


def test_every_table_is_under_row_security(server: postgres.Server) -> None:
    """Forced: it binds the owner of the tables, too. No role but the owner may create in the schema."""
    rows = server.sql(
        "SELECT relname, relrowsecurity AND relforcerowsecurity AND oid IN (SELECT polrelid FROM pg_policy)"
        " FROM pg_class WHERE relnamespace = 'jp_tui'::regnamespace AND relkind IN ('r', 'p')",
        DATABASE,
    )
    assert len(rows) == 14 and [name for name, bound in rows if not bound] == []
    assert set(relations(server)) == set(_WRITER), "write down who may do what with a new table"
    for role in KINDS:
        assert server.sql(f"SELECT has_schema_privilege('{role}', 'jp_tui', 'CREATE')", DATABASE) == [(False,)]
    loose = server.sql(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'jp_tui'::regnamespace AND proname NOT IN ('me', 'inside')"
        " AND NOT coalesce(array_to_string(proconfig, ',') LIKE 'search_path=pg_catalog, %', false)",
        DATABASE,
    )
    assert [name for (name,) in loose] == ["refusal"], (
        "each function has a search path; this one is called by them only"
    )


@pytest.mark.parametrize("attacker", KINDS, indirect=True)
def test_d18_each_verb_on_each_column(server: postgres.Server, attacker: Connection) -> None:
    role = attacker.info.user
    allowed = ALLOWED[role]
    through: list[str] = []
    for table, columns in relations(server).items():
        for verb, statement in (
            ("SELECT", "SELECT {column} FROM jp_tui.{table}"),
            ("INSERT", "INSERT INTO jp_tui.{table} ({column}) VALUES (NULL)"),
            ("UPDATE", "UPDATE jp_tui.{table} SET {column} = NULL"),
            ("DELETE", "DELETE FROM jp_tui.{table}"),
            ("TRUNCATE", "TRUNCATE jp_tui.{table} CASCADE"),
            ("LOCK", "LOCK TABLE jp_tui.{table} IN ACCESS EXCLUSIVE MODE"),
            ("REFERENCES", "SELECT 1 / has_table_privilege('jp_tui.{table}', 'REFERENCES')::int"),
            (
                "TRIGGER",
                "CREATE TRIGGER t AFTER INSERT ON jp_tui.{table} EXECUTE FUNCTION tsvector_update_trigger()",
            ),
            ("ALTER", "ALTER TABLE jp_tui.{table} DISABLE ROW LEVEL SECURITY"),
            ("POLICY", "CREATE POLICY p ON jp_tui.{table} USING (true)"),
        ):
            granted = allowed[table].get(verb, "")
            for column in columns if "{column}" in statement else columns[:1]:
                may = granted == ALL or column in granted.split()
                did = attempt(attacker, statement, table=table, column=column)
                if did is not None and not may:
                    through.append(f"{verb} {table}.{column} runs")
                if did is None and may and verb != "INSERT":  # a policy refuses these rows
                    through.append(f"{verb} {table}.{column} is refused")
                if SECRET in repr(did):
                    through.append(f"{verb} {table}.{column} says the secret")
    assert through == [], f"{len(through)} get through or are missing: {through}"


@pytest.mark.parametrize("attacker", KINDS, indirect=True)
def test_d18_which_rows_each_role_reads_and_changes(server: postgres.Server, attacker: Connection) -> None:
    """UPDATE reaches own rows only, whatever its condition says."""
    role = attacker.info.user
    for table, verbs in ALLOWED[role].items():
        if not verbs:
            continue
        expected = 1 if table == "schema_version" else ROWS.get(role, {}).get(table, 0)
        found = attempt(attacker, "SELECT * FROM jp_tui.{table}", table=table)
        assert isinstance(found, list) and len(found) == expected, (role, table, found)
        assert SECRET not in repr([row for row in found if role not in row]), table
        own = {"lead": {"conversations": 1, "drafts": 1}, "builder": {"conversations": 1}}.get(role, {}).get(table, 0)
        if verbs.get("UPDATE"):
            column = verbs["UPDATE"].split()[0]
            assert attempt(attacker, "UPDATE jp_tui.{table} SET {column} = {column}", table=table, column=column) == own


POOL: dict[str, list[object]] = {
    "text": ["c-ada", "c-act", "own", "q", "ada", "lead", "third", "", "jp_tui", "9999-01-01", "{}", None],
    "text[]": [["c-ada", "c-act"], ["inquiry_response"], ["q"], ["{}"], []],
    "bigint": [1, 2, 3, 0, None],
    "bigint[]": [[1], [1, 2], []],
    "integer": [0, 1, 100],
    "double precision": [0.0, 600.0],
    "boolean": [True, False],
    "jsonb": ['{"responder": {"kind": "user", "who": "ada"}, "answer": true}', "null"],
    "tsquery": ["x", "words"],
    "timestamp with time zone": ["2999-01-01", None],
}
MOST_CALLS = 40


def signatures(server: postgres.Server) -> list[tuple[str, list[str]]]:
    rows = server.sql(
        """
        SELECT p.proname::text,
          array(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n) ORDER BY n)
        FROM pg_proc AS p WHERE p.pronamespace = 'jp_tui'::regnamespace ORDER BY 1
        """,
        DATABASE,
    )
    return [(str(name), list(types)) for name, types in rows]  # type: ignore[call-overload]


def everything(server: postgres.Server, role: str) -> set[str]:
    """Each row of the store but those that carry this role's name, or belong to conversations that it writes."""
    found: set[str] = set()
    writes = f"owner = '{role}'" + (" OR id = 'c-act'" if role == "builder" else "")
    (keys,) = server.sql(f"SELECT array(SELECT key FROM jp_tui.conversations WHERE {writes})", DATABASE)[0]
    for table, columns in relations(server).items():
        if table.startswith("audit_"):
            continue
        mine = [f"{one} IS NOT DISTINCT FROM '{role}'" for one in columns if one in ("owner", "who", "role")]
        column = "key" if table == "conversations" else "conversation"
        if column in columns and table not in ("drafts", "offers"):
            listed = ", ".join(map(str, keys)) or "NULL"  # type: ignore[call-overload]
            mine.append(f"coalesce({column} IN ({listed}), false)")
        rows = server.sql(
            f"SELECT to_jsonb(t)::text FROM jp_tui.{table} AS t WHERE NOT ({' OR '.join(mine) or 'false'})", DATABASE
        )
        found |= {f"{table} {row}" for (row,) in rows}
    return found


@pytest.mark.parametrize("attacker", KINDS, indirect=True)
def test_d18_each_function_with_the_names_of_others(server: postgres.Server, attacker: Connection) -> None:
    """Only those of its kind can be called, and no call changes a row of others or says what they keep."""
    role = attacker.info.user
    chance, calls, through = random.Random(26), 0, list[str]()
    before = everything(server, role)
    for name, types in signatures(server):
        values = list(itertools.islice(itertools.product(*(POOL[one] for one in types)), 20_000))
        for given in chance.sample(values, min(MOST_CALLS, len(values))):
            calls += 1
            casts = sql.SQL(", ").join(
                sql.SQL("{}::" + one).format(value) for one, value in zip(types, given, strict=True)
            )
            statement = sql.SQL("SELECT jp_tui.{}({})::text").format(sql.Identifier(name), casts)
            try:
                said = repr(attacker.execute(statement).fetchall())
            except (errors.InsufficientPrivilege, errors.InvalidSchemaName):
                if name in CALLS[role]:
                    through.append(f"{name} is refused")
                    break
                continue
            except psycopg.Error as error:
                said = str(error)
            if name not in CALLS[role]:
                through.append(f"{name}{given} runs")
                break
            if SECRET in said:
                through.append(f"{name}{given} says the secret")
    assert through == [] and calls > 100
    after = everything(server, role)
    assert sorted(before - after) == [] and sorted(after - before) == []
    server.sql(
        f"UPDATE jp_tui.roles SET away_until = NULL, deputy = NULL; DELETE FROM jp_tui.leases WHERE role = '{role}'",
        DATABASE,
    )
    server.sql(f"DELETE FROM jp_tui.conversations WHERE owner = '{role}' AND id <> 'c-lead'", DATABASE)


@pytest.mark.parametrize("attacker", KINDS, indirect=True)
def test_d16_only_who_is_asked_looks_at_a_question(server: postgres.Server, attacker: Connection) -> None:
    """Any other claim changes nothing, and says nothing of the question."""
    role, said = attacker.info.user, dict[tuple[str, bool], str | None]()
    for inquiry, release in itertools.product(("own", "q", "none"), (True, False)):
        try:
            ((found,),) = attacker.execute("SELECT jp_tui.claim('c-ada', %s, %s)", (inquiry, release)).fetchall()
        except errors.InsufficientPrivilege:
            found = None
        said[inquiry, release] = found
    rows = server.sql("SELECT inquiry, role FROM jp_tui.claims", DATABASE)
    server.sql("DELETE FROM jp_tui.claims", DATABASE)
    may = role == "lead"
    assert {key: one for key, one in said.items() if one is not None} == (
        {("q", True): "", ("q", False): "lead"} if may else {}
    )
    assert rows == ([("q", "lead")] if may else [])


QUERIES = """
SELECT id FROM jp_tui.conversations
SELECT jp_tui.key_of('c-ada'), jp_tui.search_words('words', 99, 99, 99), jp_tui.addressed('c-ada')
SELECT id FROM jp_tui.conversations WHERE pg_temp.leak(title)
SELECT payload FROM jp_tui.events WHERE pg_temp.leak(payload) AND kind = 'chat_request'
SELECT text FROM jp_tui.drafts WHERE pg_temp.leak(text)
SELECT payload FROM jp_tui.offers WHERE pg_temp.leak(payload)
SELECT jp_tui.append_events('c-ada', NULL, '', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', NULL, NULL, true)
""".strip().splitlines()
STATEMENTS = """
CREATE TABLE jp_tui.mine (x int)
CREATE FUNCTION jp_tui.me(int) RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE SCHEMA pg_jp_tui
DROP FUNCTION jp_tui.inside() CASCADE
DROP SCHEMA jp_tui CASCADE
ALTER FUNCTION jp_tui.me() OWNER TO CURRENT_USER
GRANT SELECT ON jp_tui.search TO PUBLIC
COPY jp_tui.search TO STDOUT
SELECT nextval('jp_tui.offers_id_seq')
SELECT setval('jp_tui.offers_id_seq', 1)
SELECT pg_read_file('/etc/passwd')
CREATE RULE r AS ON SELECT TO jp_tui.events DO INSTEAD SELECT 1
COMMENT ON TABLE jp_tui.events IS 'mine'
""".strip().splitlines()


@pytest.mark.parametrize("attacker", KINDS, indirect=True)
def test_d18_ways_around(server: postgres.Server, attacker: Connection) -> None:
    """Other roles, the marks of the store's own functions, leaky functions, switched-off row security."""
    role = attacker.info.user
    own = {"lead": {("c-lead",)}, "builder": {("c-act",)}}.get(role, set())
    for words in ("SET ROLE ada", "SET SESSION AUTHORIZATION ada", "SET ROLE ops", "SET LOCAL ROLE lead"):
        if (role, words) in (("lead", "SET ROLE ops"), ("lead", "SET LOCAL ROLE lead")):
            continue  # it is, or is a member
        with pytest.raises(errors.InsufficientPrivilege):
            attacker.execute(words.encode())
    said: list[str] = []
    attacker.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    attacker.execute(
        "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
        " $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    for words in (
        "SELECT 1", "SET row_security = off", "SET search_path = pg_catalog, pg_jp_tui, pg_temp",
        "SET jp_tui.inside = 'on'", "SET application_name = 'jp-tui'",
    ):  # fmt: skip
        attacker.execute(words.encode())
        for query in QUERIES:
            try:
                found = attacker.execute(query.encode()).fetchall()
            except psycopg.Error:
                continue
            if "SELECT id" in query:
                assert set(found) <= own
            assert SECRET not in repr(found)
        attacker.execute("RESET ALL")
    for words in STATEMENTS:
        before = attempt(attacker, "SELECT 1")
        assert before == [(1,)]
        try:
            with attacker.transaction(force_rollback=True):
                attacker.execute(words.encode())
        except psycopg.Error:
            continue
        assert words.startswith("GRANT"), f"{words} runs"  # a warning that nothing was granted
        assert server.sql("SELECT has_table_privilege('stranger', 'jp_tui.search', 'SELECT')", DATABASE) == [(False,)]
    assert [one for one in said if SECRET in one] == []


def test_the_owner_of_the_tables_is_bound_too(server: postgres.Server) -> None:
    """Ada reads nothing of lead's, and changes no event of her own."""
    with psycopg.connect(server.url(DATABASE, "ada"), autocommit=True) as db:
        assert db.execute("SELECT DISTINCT owner FROM jp_tui.conversations").fetchall() == [("ada",)]
        assert db.execute("SELECT count(*) FROM jp_tui.drafts WHERE owner <> 'ada'").fetchall() == [(0,)]
        assert db.execute("UPDATE jp_tui.events SET payload = ''").rowcount == 0
        assert db.execute("DELETE FROM jp_tui.events").rowcount == 0
        with pytest.raises(errors.InsufficientPrivilege):
            db.execute(
                "INSERT INTO jp_tui.events (conversation, seq, turn, kind, at, lines, characters, payload, text)"
                " VALUES (1, 99, 1, 'x', '', 0, 0, '', '')"
            )
