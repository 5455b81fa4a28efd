"""What can be wrong with a server, through the commands: the server's words, the page's exit codes, nothing half done
(store.md D4, D24)."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
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


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A folder with 48 MB."""
    account = postgres.account()
    if os.geteuid() or account is None or shutil.which("mount") is None:
        pytest.skip("no disk of its own without root")
    with tempfile.TemporaryDirectory(prefix="sd-", dir="/tmp") as name:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "small", name], capture_output=True).returncode:
            pytest.skip("nothing can be mounted here")
        try:
            Path(name).chmod(0o700)
            shutil.chown(name, account)
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=False)


def test_d24_a_full_disk(tmp_path: Path) -> None:
    """The server's words; what was recorded before is there, and with room again the conversation goes on. On a server
    of its own, which can't write a checkpoint afterwards; one that vacuums would make room in between."""
    with small_disk() as folder, postgres.running((*postgres.FAST, "autovacuum=off")) as server:
        (folder / "space").mkdir(mode=0o700)
        shutil.chown(folder / "space", postgres.account() or "")
        server.sql(f"CREATE TABLESPACE small LOCATION '{folder}/space'")
        server.sql("CREATE DATABASE full_disk TABLESPACE small")
        store = ("--store", server.url("full_disk"))
        assert jp(tmp_path, *store, "store", "migrate").returncode == 0
        assert jp(tmp_path, *store, *ASK).returncode == 0
        server.sql("CREATE TABLE filler (x text); ALTER TABLE filler ALTER x SET STORAGE PLAIN", "full_disk")
        with pytest.raises(Exception, match="No space left"):
            server.sql("INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, 20000)", "full_disk")
        (folder / "rest").write_bytes(b"x" * shutil.disk_usage(folder).free)
        before = stored(server, "full_disk")
        ran = jp(
            tmp_path, *store, *ASK[:-1], os.urandom(60_000).hex()
        )  # what can't be compressed into a page with room
        assert ran.returncode == 1 and "No space left on device" in ran.stderr, ran.stderr
        after = stored(server, "full_disk")
        (folder / "rest").unlink()
        events = "SELECT max(seq) - count(*) FROM jp_tui.events GROUP BY conversation"
        assert set(server.sql(events, "full_disk")) == {(0,)}, (before, after)
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
