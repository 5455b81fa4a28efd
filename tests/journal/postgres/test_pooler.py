"""Behind pgbouncer in transaction mode, which gives each transaction another connection (store.md D11)."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from jp_tui.journal.postgres.store import open_store
from tests.fakes import postgres
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


@pytest.fixture
def pooled(postgres_server: postgres.Server) -> Iterator[str]:
    """A URL through the pooler, which has two connections to the server."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("no pgbouncer here")
    postgres.emptied(postgres_server, "pooled")
    with tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder, account = Path(name), postgres.account()
        (folder / "users").write_text(f'"{postgres.OWNER}" ""\n')
        (folder / "ini").write_text(
            f"[databases]\npooled = host={postgres_server.folder} port={postgres_server.port}\n"
            f"[pgbouncer]\nlisten_addr =\nunix_socket_dir = {folder}\nlisten_port = 6432\nauth_type = trust\n"
            f"auth_file = {folder}/users\npool_mode = transaction\ndefault_pool_size = 2\n"
        )
        if account is not None:
            for one in (folder, *folder.iterdir()):
                shutil.chown(one, account)
        child = subprocess.Popen(
            [program, str(folder / "ini")], user=account, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            url = f"postgresql://{postgres.OWNER}@/pooled?host={folder}&port=6432"
            import psycopg

            until = time.monotonic() + 30
            while True:
                with contextlib.suppress(psycopg.OperationalError):
                    psycopg.connect(url).close()
                    break
                assert child.poll() is None and time.monotonic() < until
                time.sleep(0.02)
            yield url
        finally:
            child.terminate()
            child.wait(LIMIT)


def test_d11_everything_works_by_polling(pooled: str) -> None:
    """No notification arrives, none counts as heard, and the poll finds what waits."""
    here, there = (open_store(postgres.settings_of(pooled, name, poll_secs=0.2)) for name in ("laptop", "desk"))
    begin(here)
    lease = here.locks().take("c1", "test", os.getpid())
    assert not isinstance(lease, str) and isinstance(there.locks().take("c1", "test", 1), str)
    there.changed()
    for number in range(1, 6):
        while there.changed():
            pass
        here.append("c1", [entry(number, kind="inquiry_request", inquiry=f"a.q.{number}")]).result(LIMIT)
        until = time.monotonic() + 10
        while not there.changed():
            assert time.monotonic() < until
            time.sleep(0.01)
        assert len(there.open_inquiries()) == number
    offer = there.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT)
    assert [one.id for one in here.offers("c1")] == [offer]
    assert not there.health.listening
    lease.release()
    here.flush().result(LIMIT)
    assert not isinstance(there.locks().take("c1", "test", 1), str)
    here.close()
    there.close()


def test_d11_on_a_plain_connection_a_notification_wakes(postgres_server: postgres.Server) -> None:
    url = postgres.emptied(postgres_server, "pooled")
    here, there = (open_store(postgres.settings_of(url, name, poll_secs=60)) for name in ("laptop", "desk"))
    begin(here)
    there.changed()
    number, until = 0, time.monotonic() + 30
    while not there.health.listening:  # its thread may still be connecting
        number += 1
        here.append("c1", [entry(1, kind="inquiry_request", inquiry=f"a.q.{number}")]).result(LIMIT)
        assert time.monotonic() < until
    here.close()
    there.close()


def test_an_idle_client_asks_once_each_poll(postgres_server: postgres.Server) -> None:
    """Also one that holds a lease and looks for changes several times a second."""
    server = postgres_server
    url = postgres.emptied(server, "pooled")
    journal = open_store(postgres.settings_of(url, "laptop", poll_secs=0.25, lease_secs=2))
    begin(journal)
    journal.locks().take("c1", "test", 1)
    asked: list[float] = []
    poll = journal.health.poll

    def counted(db, renews):  # type: ignore[no-untyped-def]
        asked.append(time.monotonic())
        return poll(db, renews)

    journal.health.poll = counted
    found = server.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'pooled'")
    assert found
    news = 0
    while len(asked) < 12:
        news += journal.changed()
        time.sleep(0.01)
    assert news <= 2, "renewing a lease is no news"
    between = [after - before for before, after in pairwise(asked)]
    assert min(between) >= 0.24
    journal.close()
