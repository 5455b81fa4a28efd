"""What can be wrong with a server, through the commands: the server's words, the page's exit codes, nothing half done
(store.md D4, D24)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.headless.running import jp, lines
from tests.sampling import whole

DATABASE = "refusals"
ASK = ("query", "--non-interactive", "--model", "demo/tour", "hello")


@pytest.fixture
def url(postgres_server: postgres.Server) -> str:
    return postgres.emptied(postgres_server, DATABASE)


def stored(server: postgres.Server, database: str = DATABASE) -> tuple[object, ...]:
    """How many conversations and events there are."""
    counts = "SELECT (SELECT count(*) FROM jp_tui.conversations), (SELECT count(*) FROM jp_tui.events)"
    return server.sql(counts, database)[0]


@pytest.mark.parametrize(
    ("url", "said"),
    [("postgresql:///jp?host=/nowhere/sockets", "/nowhere/sockets"),
     ("postgresql://127.0.0.1:1/jp", "127.0.0.1:1"),
     ("postgresql://no-such-host.invalid/jp", "no-such-host.invalid")],
)  # fmt: skip
@pytest.mark.parametrize("words", [("store", "check"), *([ASK] if whole() else [])])
def test_d4_no_server_there(tmp_path: Path, url: str, said: str, words: tuple[str, ...]) -> None:
    postgres.needed()
    ran = jp(tmp_path, "--store", url, "--cfg", "store.connect_secs=1", *words)
    assert ran.returncode == 1 and f"The store at {said}" in ran.stderr and "does not answer: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_d4_a_database_or_a_role_that_is_not_there(tmp_path: Path, postgres_server: postgres.Server) -> None:
    for url, said in (
        (postgres_server.url("no_such"), 'database "no_such" does not exist'),
        (postgres_server.url("postgres", "nobody_here"), 'role "nobody_here" does not exist'),
    ):
        ran = jp(tmp_path, "--store", url, "inquiries")
        assert ran.returncode == 1 and said in ran.stderr


def test_d4_too_many_connections(tmp_path: Path, url: str, postgres_server: postgres.Server) -> None:
    postgres_server.sql("DROP ROLE IF EXISTS crowded; CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    crowded = postgres_server.url(DATABASE, "crowded")
    for words in (("store", "check"), ASK):
        ran = jp(tmp_path, "--store", crowded, *words)
        assert ran.returncode == 1 and "too many connections" in ran.stderr
    assert stored(postgres_server) == (0, 0)


def test_d24_a_server_that_only_reads(tmp_path: Path, url: str, postgres_server: postgres.Server) -> None:
    """As a replica does: what is there is listed; a question is refused in the server's words."""
    assert jp(tmp_path, "--store", url, *ASK).returncode == 0
    before = stored(postgres_server)
    (name,) = [one["id"] for one in lines(jp(tmp_path, "--store", url, "conversations", "list", "--json").stdout)]
    postgres_server.sql(f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = on")
    try:
        for words in (("inquiries",), ("conversations", "list"), ("conversations", "show", name)):
            ran = jp(tmp_path, "--store", url, *words)
            assert ran.returncode == 0, ran.stderr
        for words in (ASK, (*ASK[:-1], "-r", name, "more"), ("conversations", "rm", name)):
            ran = jp(tmp_path, "--store", url, *words)
            assert ran.returncode == 1 and "read-only transaction" in ran.stderr, (words, ran.stderr)
        assert stored(postgres_server) == before
    finally:
        reset = f"ALTER DATABASE {DATABASE} RESET default_transaction_read_only"
        postgres_server.sql(f"SET default_transaction_read_only = off; {reset}")


def test_d24_a_full_disk(tmp_path: Path) -> None:
    """The server's words; what was recorded before is there, and with room again the conversation goes on. On a server
    of its own, which can't write a checkpoint afterwards; one that vacuums would make room in between."""
    with postgres.small_disk() as (server, fill, rest):
        store = ("--store", server.url(postgres.SMALL))
        assert jp(tmp_path, *store, *ASK).returncode == 0
        fill()
        before = stored(server, postgres.SMALL)
        large = os.urandom(60_000).hex()  # what can't be compressed into a page with room
        ran = jp(tmp_path, *store, *ASK[:-1], large)
        assert ran.returncode == 1 and "No space left on device" in ran.stderr, ran.stderr
        after = stored(server, postgres.SMALL)
        rest.unlink()
        events = "SELECT max(seq) - count(*) FROM jp_tui.events GROUP BY conversation"
        assert set(server.sql(events, postgres.SMALL)) == {(0,)}, (before, after)
        assert jp(tmp_path, *store, *ASK).returncode == 0


def test_d24_a_server_that_goes_away_in_the_middle(tmp_path: Path, url: str, postgres_server: postgres.Server) -> None:
    """Before its first reply: exit 1, as without an answer. A later one is asked for again, once; a write that it got
    is resolved by its id (test_cuts.py)."""
    proxy = Proxy(postgres_server)
    if not postgres_server.sql("SELECT 1 FROM pg_roles WHERE rolname = 'carrier'"):
        postgres_server.sql("CREATE ROLE carrier")
    looks = (
        ("store", "check"),
        ("store", "migrate"),
        ("store", "grant", "carrier", "--as", "worker"),
    )
    try:
        for words in (("inquiries",), ASK):
            proxy.plan(1)
            ran = jp(tmp_path, "--store", proxy.url(DATABASE), *words)
            assert ran.returncode == 1 and "does not answer: " in ran.stderr, (words, ran.stderr)
        for words in looks:
            for number in range(1, 13) if whole() else (2,):
                proxy.plan(number, "before" if number % 2 else "after")
                before = proxy.cuts
                ran = jp(tmp_path, "--store", proxy.url(DATABASE), *words)
                if proxy.cuts > before:
                    assert ran.returncode == 1 and "does not answer: " in ran.stderr, (words, number, ran.stderr)
        assert stored(postgres_server) == (0, 0)
        for number in (2, 3, 4, 5, 6) if whole() else (4,):
            proxy.plan(number)
            ran = jp(tmp_path, "--store", proxy.url(DATABASE), *ASK)
            assert ran.returncode in (0, 1) and "Traceback" not in ran.stderr
            assert ran.returncode == 0 or "does not answer: " in ran.stderr
        counts = "SELECT count(*) FILTER (WHERE kind = 'turn_start') - count(*) FILTER (WHERE kind = 'turn_outcome')"
        assert postgres_server.sql(f"{counts} FROM jp_tui.events", DATABASE) == [(0,)]
    finally:
        proxy.close()
