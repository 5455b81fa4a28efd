"""`--store`, `JP_TUI_STORE`, `[store]` and `jp-tui store …` (store.md D1-D7, D24)."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from jp_tui.settings.store_address import HAS_PASSWORD, AddressError, read_address
from tests.fakes import postgres
from tests.headless.running import jp, lines

SECRET = "hunter2secret"


def config(home: Path, text: str) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text(text)


@pytest.mark.parametrize(
    "url",
    [f"postgresql://me:{SECRET}@/jp", f"postgresql:///jp?password={SECRET}", f"postgres://a,b:{SECRET}@h/jp?sslmode=x",
     f"postgresql:///jp?sslpassword={SECRET}", f"mysql://me:{SECRET}@h/jp"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["flag", "variable", "file", "cfg"])
def test_d2_a_password_in_a_url_is_refused_and_never_said(tmp_path: Path, url: str, way: str) -> None:
    words, more = {
        "flag": (["--store", url], {}), "variable": ([], {"JP_TUI_STORE": url}), "file": ([], {}),
        "cfg": (["--cfg", f"store.url={url}"], {}),
    }[way]  # fmt: skip
    if way == "file":
        config(tmp_path, f'[store]\nurl = "{url}"\n')
    ran = jp(tmp_path, *words, "inquiries", **more)
    assert ran.returncode == 2 and HAS_PASSWORD in ran.stderr and SECRET not in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("url", "said"),
    [("mysql://h/jp", "postgresql://"), ("jp.db", "postgresql://"), ("postgresql://h:0/jp", "postgresql://"),
     ("postgresql://h:99999/jp", "65535"), ("postgresql://db.example.org/jp?sslmode=require", "TLS"),
     ("postgresql://127.0.0.1,db.example.org/jp?sslmode=disable", "db.example.org")],
)  # fmt: skip
def test_d3_d24_what_is_refused_before_anything_connects(tmp_path: Path, url: str, said: str) -> None:
    ran = jp(tmp_path, "--store", url, "store", "check")
    assert ran.returncode == 2 and said in ran.stderr


def test_d3_what_is_asked_of_the_server() -> None:
    def mode(url: str, tls: str = "verify", **environment: str) -> tuple[str, bool]:
        found = read_address(url, tls, environment)  # type: ignore[arg-type]
        return found.sslmode, found.verified

    for near in ("/jp", "127.0.0.2/jp", "[::1]:5433/jp", "localhost/jp", "%2Ftmp/jp", "/jp?host=/tmp"):
        assert mode(f"postgresql://{near}") == ("prefer", True), near
    assert mode("postgresql://h/jp") == ("verify-full", True)
    assert mode("postgresql:///jp", PGHOST="h") == ("verify-full", True)
    assert mode("postgresql://h/jp", "require") == ("require", False)
    assert mode("postgresql://h/jp?sslmode=disable", "off") == ("disable", False)
    with pytest.raises(AddressError, match="TLS"):
        mode("postgresql://h/jp?sslmode=prefer", "require")
    with pytest.raises(AddressError, match="TLS"):
        mode("postgresql:///jp", PGHOST="h", PGSSLMODE="allow")
    assert read_address("postgresql://me@a:1,b/jp?x=1", "verify", {}).where == "a:1, b:5432"


def test_d3_a_service_names_its_host(tmp_path: Path) -> None:
    file = tmp_path / "services"
    file.write_text("[near]\nhost=/tmp\n[far]\nhost=db.example.org\npassword=x\n")
    there = {"PGSERVICEFILE": str(file)}
    assert read_address("postgresql:///jp?service=near", "verify", there).sslmode == "prefer"
    assert read_address("postgresql:///jp?service=far", "verify", there).where == "db.example.org:5432"
    with pytest.raises(AddressError, match=r"db\.example\.org"):
        read_address("postgresql:///jp?service=far&sslmode=disable", "verify", there)


def test_d1_a_folder_never_names_a_store(tmp_path: Path) -> None:
    """Trusted or not: the file of the workspace is left out, and that is said."""
    folder = tmp_path / "work"
    (folder / ".jp-tui").mkdir(parents=True)
    (folder / ".jp-tui" / "config.toml").write_text('[store]\nurl = "postgresql://127.0.0.1:1/jp"\n')
    ran = jp(tmp_path, "--workspace", str(folder), "conversations", "list")
    assert ran.returncode == 0 and "store.url" in ran.stderr
    jp(tmp_path, "--workspace", str(folder), "config", "trust", "--yes")
    assert jp(tmp_path, "--workspace", str(folder), "conversations", "list").returncode == 0


def test_d1_the_option_is_above_the_variable_and_that_above_the_file(tmp_path: Path) -> None:
    config(tmp_path, '[store]\nurl = "postgresql://127.0.0.1:1/file"\nconnect_secs = 1\n')
    variable, flag = {"JP_TUI_STORE": "postgresql://127.0.0.1:2/v"}, ["--store", "postgres://127.0.0.1:3"]
    for more, words, port in (({}, [], 1), (variable, [], 2), (variable, flag, 3)):
        ran = jp(tmp_path, *words, "inquiries", **more)
        assert f"127.0.0.1:{port} does not answer" in ran.stderr, ran.stderr
        assert ran.returncode == 1, "D4: no answer"


def test_d4_a_server_that_accepts_and_says_nothing(tmp_path: Path) -> None:
    postgres.needed()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"127.0.0.1:{silent.getsockname()[1]}"
        ran = jp(tmp_path, "--store", f"postgresql://{where}/jp", "--cfg", "store.connect_secs=1", "inquiries")
    assert ran.returncode == 1 and f"The store at {where} does not answer: " in ran.stderr


def test_d4_without_the_driver(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('no psycopg', name='psycopg')")
    more = {"PYTHONPATH": str(tmp_path)}
    ran = jp(tmp_path, "--store", "postgresql:///jp", "inquiries", **more)
    assert (ran.returncode, ran.stderr) == (2, 'jp-tui: The store needs `pip install "jp-tui[postgres]"`.\n')


def test_without_a_store_no_driver_is_loaded(tmp_path: Path) -> None:
    more = {"PYTHONPROFILEIMPORTTIME": "1"}
    ran = jp(tmp_path, "inquiries", **more)
    assert "sqlite3" in ran.stderr and "psycopg" not in ran.stderr and "journal.postgres" not in ran.stderr
    assert sys.version_info >= (3, 11)


def test_d5_a_file_of_this_machine(tmp_path: Path) -> None:
    ran = jp(tmp_path, "store", "check", "--json")
    (found,) = lines(ran.stdout)
    assert ran.returncode == 0 and found["engine"] == "sqlite" and found["ok"] and found["conversations"] == 0
    assert jp(tmp_path, "store", "migrate").returncode == 2


def test_d5_d6_an_empty_database_is_migrated_and_checked(tmp_path: Path, postgres_server: postgres.Server) -> None:
    server = postgres_server
    for name in ("looked_after", "theirs"):
        server.sql(f"DROP DATABASE IF EXISTS {name}")
        server.sql(f"CREATE DATABASE {name}")
    url = server.url("looked_after")
    store = ("--store", url)
    checked = jp(tmp_path, *store, "store", "check", "--json")
    (found,) = lines(checked.stdout)
    assert checked.returncode == 1 and found["schema"] == 0 and "store migrate" in found["problems"][0]
    for words in (["inquiries"], ["query", "x"], ["store", "grant", "x", "--as", "worker"]):
        ran = jp(tmp_path, *store, *words)
        assert ran.returncode == 2 and "jp-tui store migrate" in ran.stderr
    assert "Nothing was changed" in jp(tmp_path, *store, "store", "migrate", "--dry-run").stdout
    assert jp(tmp_path, *store, "store", "check").returncode == 1
    assert jp(tmp_path, *store, "store", "migrate").returncode == 0
    assert jp(tmp_path, *store, "store", "migrate").returncode == 0
    (found,) = lines(jp(tmp_path, *store, "store", "check", "--json").stdout)
    assert found["ok"] and found["listen"] and (found["role"], found["kind"]) == (postgres.OWNER, "owner")
    assert any("Row security" in one for one in found["warnings"]) and any("fsync" in one for one in found["warnings"])
    assert jp(tmp_path, *store, "inquiries").returncode == 0

    server.sql("CREATE SCHEMA jp_tui; CREATE TABLE jp_tui.cats (name text)", "theirs")
    for words in (["store", "migrate"], ["inquiries"]):
        ran = jp(tmp_path, "--store", server.url("theirs"), *words)
        assert ran.returncode == 2 and "another program" in ran.stderr
    assert server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'jp_tui'", "theirs") == [(1,)]


def test_d6_d7_roles_and_versions(tmp_path: Path, postgres_server: postgres.Server) -> None:
    server = postgres_server
    url = postgres.emptied(server, "roles")
    server.sql("DROP ROLE IF EXISTS mason")
    ran = jp(tmp_path, "--store", url, "store", "grant", "mason", "--as", "worker")
    assert ran.returncode == 1 and 'CREATE ROLE "mason"' in ran.stderr
    server.sql("CREATE ROLE mason LOGIN")
    mason = server.url("roles", "mason")
    ran = jp(tmp_path, "--store", mason, "inquiries")
    assert ran.returncode == 2 and "grant mason --as person" in ran.stderr
    assert jp(tmp_path, "--store", url, "store", "grant", "mason", "--as", "chief").returncode == 2
    assert jp(tmp_path, "--store", url, "store", "grant", "mason", "--as", "auditor").returncode == 0
    ran = jp(tmp_path, "--store", mason, "inquiries")
    assert ran.returncode == 2 and "jp_tui.audit_inquiries" in ran.stderr
    (found,) = lines(jp(tmp_path, "--store", mason, "store", "check", "--json").stdout)
    assert found["ok"] and found["kind"] == "auditor" and found["conversations"] is None
    assert jp(tmp_path, "--store", url, "store", "grant", "mason", "--as", "worker").returncode == 0
    (found,) = lines(jp(tmp_path, "--store", mason, "store", "check", "--json").stdout)
    assert (
        found["ok"]
        and found["kind"] == "worker"
        and found["warnings"] == [one for one in found["warnings"] if "Row" not in one]
    )
    assert jp(tmp_path, "--store", mason, "store", "grant", "mason", "--as", "worker").returncode == 2
    asked = jp(tmp_path, "--store", mason, "query", "--non-interactive", "--model", "demo/tour", "hello")
    assert asked.returncode == 0, asked.stderr
    with pytest.raises(Exception, match="permission denied"):
        server.sql("UPDATE jp_tui.events SET payload = ''", "roles", "mason")
    assert jp(tmp_path, "--store", url, "store", "revoke", "mason").returncode == 0
    assert jp(tmp_path, "--store", mason, "inquiries").returncode == 2
    # a newer schema that this client can still use, and one that it can't
    server.sql("UPDATE jp_tui.schema_version SET version = 7, oldest_client = 2", "roles")
    assert jp(tmp_path, "--store", url, "inquiries").returncode == 0
    server.sql("UPDATE jp_tui.schema_version SET oldest_client = 7", "roles")
    ran = jp(tmp_path, "--store", url, "inquiries")
    assert ran.returncode == 2 and "schema 7" in ran.stderr and "knows 2" in ran.stderr
    assert jp(tmp_path, "--store", url, "store", "migrate").returncode == 2
    server.sql("UPDATE jp_tui.schema_version SET version = 2, oldest_client = 2", "roles")
