"""A PostgreSQL server of the tests' own: a cluster in a temporary folder that listens on a socket there.

The programs are those of the distribution. Without any, tests are skipped with the words `no PostgreSQL here`; where
JP_TUI_POSTGRES is `required`, they fail.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.limits import LIMIT

NONE = "no PostgreSQL here"
FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=on", "max_connections=200", "shared_buffers=32MB")
OWNER = "owner"
"""The superuser of the cluster, who logs in without a password."""


@cache
def programs() -> Path | None:
    """The folder of `initdb` and `postgres`, where the driver is there too."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return None
    found = [Path(one).resolve().parent for one in (shutil.which("initdb"), shutil.which("postgres")) if one]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: float(one.parent.name), reverse=True)
    return next((one for one in found if (one / "initdb").exists() and (one / "postgres").exists()), None)


def needed() -> Path:
    """The same; skips the test, or fails it."""
    found = programs()
    if found is None:
        if os.environ.get("JP_TUI_POSTGRES") == "required":
            pytest.fail(NONE)
        pytest.skip(NONE)
    return found


def account() -> str | None:
    """The account that the server runs as: it refuses root's."""
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            pwd.getpwnam(name)
            return name
    pytest.skip(NONE)


def _ends_with_its_parent() -> None:
    """A run of tests that is killed leaves no server behind."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


class Server:
    """A running cluster. `url` names a database on it, `environment` what a client beside it needs."""

    def __init__(self, folder: Path, settings: tuple[str, ...] = FAST, admits: str = "") -> None:
        self.folder, self.settings, self.data = folder, settings, folder / "data"
        self._bin, self._account = needed(), account()
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 5432
        self.made: set[str] = set()
        folder.chmod(0o755)
        if self._account is not None:
            shutil.chown(folder, self._account)
        self._run("initdb", "-D", str(self.data), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        if admits:
            with open(self.data / "pg_hba.conf", "a") as file:
                file.write(f"{admits}\n")

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._bin / program, *words], cwd=self.folder, user=self._account, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = [one for setting in self.settings for one in ("-c", setting)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port), "-h", "", *words],
                cwd=self.folder, user=self._account, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=_ends_with_its_parent,
            )  # fmt: skip
        import psycopg

        for _ in range(600):
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            signal.sigtimedwait([], 0.05)
        raise AssertionError("the server doesn't answer")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT cuts its clients, SIGQUIT as a crash."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(LIMIT)
            self.process = None

    def url(self, database: str, role: str = OWNER) -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}&port={self.port}"

    def sql(self, statement: str, database: str = "postgres", role: str = OWNER) -> list[tuple[object, ...]]:
        """Run one statement; return its rows."""
        import psycopg

        with psycopg.connect(self.url(database, role), autocommit=True) as db:
            found = db.execute(statement.encode())
            return found.fetchall() if found.description else []


@contextlib.contextmanager
def running(settings: tuple[str, ...] = FAST, admits: str = "") -> Iterator[Server]:
    """A server for a block; `admits` is a line of its `pg_hba.conf`. Its folder is in a short path: a socket's name has
    107 bytes at most."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), settings, admits)
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGQUIT)


SMALL = "small_disk"
"""Name of the database on a small disk."""


@contextlib.contextmanager
def small_disk() -> Iterator[tuple[Server, Callable[[], None], Path]]:
    """A server with a migrated database SMALL on 48 MB, a function that fills them, and the file to delete for room.
    The server doesn't vacuum, which would make room in between."""
    runs_as = account()
    if os.geteuid() or runs_as is None or shutil.which("mount") is None:
        pytest.skip("no disk of its own without root")
    with tempfile.TemporaryDirectory(prefix="sd-", dir="/tmp") as name:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "small", name], capture_output=True).returncode:
            pytest.skip("nothing can be mounted here")
        try:
            folder, space = Path(name), Path(name) / "space"
            folder.chmod(0o700)
            space.mkdir(mode=0o700)
            for one in (folder, space):
                shutil.chown(one, runs_as)
            with running((*FAST, "autovacuum=off")) as server:
                server.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
                server.sql(f"CREATE DATABASE {SMALL} TABLESPACE small")
                migrated(server.url(SMALL))

                def fill() -> None:
                    made = "CREATE TABLE filler (x text); ALTER TABLE filler ALTER x SET STORAGE PLAIN"
                    server.sql(made, SMALL)
                    rows = "INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, 20000)"
                    with pytest.raises(Exception, match="No space left"):
                        server.sql(rows, SMALL)
                    (folder / "rest").write_bytes(b"x" * shutil.disk_usage(folder).free)

                yield server, fill, folder / "rest"
        finally:
            subprocess.run(["umount", "-l", name], check=False)


def settings_of(url: str, machine: str = "here", environment: Mapping[str, str] | None = None, **more: float):  # type: ignore[no-untyped-def]
    """The store's settings for a URL, whatever its TLS is."""
    from jp_tui.journal.postgres.driver import StoreSettings
    from jp_tui.settings.store_address import read_address

    there = dict(environment or {})
    return StoreSettings(read_address(url, "off", there), machine, there, **more)


TABLES = "search claims waiting parties partials spans events drafts offers leases conversations writes"


def emptied(server: Server, database: str) -> str:
    """The URL of a migrated database without content."""
    if database in server.made:
        server.sql("; ".join(f"DELETE FROM jp_tui.{one}" for one in TABLES.split()), database)
        return server.url(database)
    server.made.add(database)
    server.sql(f"CREATE DATABASE {database}")
    migrated(server.url(database))
    return server.url(database)


def migrated(url: str) -> None:
    """Make the schema as the role of this URL."""
    from jp_tui.journal.postgres.driver import connect
    from jp_tui.journal.postgres.migrate import migrate

    found = settings_of(url)
    db = connect(found)
    migrate(db, found.address)
    db.close()


PEOPLE = {"lead": "person", "second": "person", "third": "person", "builder": "worker", "inspector": "auditor"}
"""Roles of a store of several people, beside its owner ada, who is no superuser. Lead and second are members of ops;
stranger was never let in, and leaver not any more."""


def peopled(server: Server, database: str) -> None:
    """Make an empty store of several people."""
    from jp_tui.journal.postgres import migrate
    from jp_tui.journal.postgres.driver import connect

    for role in ("ada", "stranger", "leaver", *PEOPLE):
        if not server.sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            server.sql(f"CREATE ROLE {role} LOGIN")
    if not server.sql("SELECT 1 FROM pg_roles WHERE rolname = 'ops'"):
        server.sql("CREATE ROLE ops; GRANT ops TO lead, second")
    if database in server.made:
        emptied(server, database)
        server.sql("UPDATE jp_tui.roles SET away_until = NULL, deputy = NULL", database)
        return
    server.made.add(database)
    server.sql(f"CREATE DATABASE {database} OWNER ada")
    url = server.url(database, "ada")
    migrated(url)
    found = settings_of(url)
    db = connect(found)
    for role, kind in {**PEOPLE, "leaver": "person"}.items():
        migrate.grant(db, found.address, role, kind)
    migrate.revoke(db, found.address, "leaver")
    db.close()
