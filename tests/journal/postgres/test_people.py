"""Persons and groups as the server knows them (store.md D13)."""

from __future__ import annotations

from jp_tui.journal.postgres.store import open_store
from tests.fakes import postgres


def test_d13_groups_are_the_roles_that_a_person_is_a_member_of(postgres_server: postgres.Server) -> None:
    """Also through another group; the server's own roles are none."""
    url = postgres.emptied(postgres_server, "names")
    for statement in (
        "DROP ROLE IF EXISTS helper, guild, all_of_us",
        "CREATE ROLE helper LOGIN",
        "CREATE ROLE all_of_us",
        "CREATE ROLE guild IN ROLE all_of_us",
        "GRANT guild, pg_monitor TO helper",
        "INSERT INTO jp_tui.roles (role, kind) VALUES ('helper', 'person'), ('gone', 'person'), ('guild', 'worker')",
    ):
        postgres_server.sql(statement, "names")
    journal = open_store(postgres.settings_of(url))
    found = {one.name: one for one in journal.people()}
    journal.close()
    postgres_server.sql("DELETE FROM jp_tui.roles WHERE kind <> 'owner'", "names")
    assert list(found) == ["gone", "helper", postgres.OWNER]
    assert found["helper"].groups == ("all_of_us", "guild") and found["gone"].groups == ()
