"""The administrator's page, docs/store.md, command by command on a real server (store.md D6)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes import postgres
from tests.headless.running import jp
from tests.headless.serving import Serving

PAGE = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
URL = "postgresql://ada@db.example.org/jp"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def there(server: postgres.Server, word: str) -> str:
    """A word of a command, with the test's server in it, and tomorrow in the place of a day."""
    if found := re.fullmatch(r"postgresql://(\w+)@db.example.org/jp", word):
        return server.url("jp", found[1])
    return f"{datetime.now() + timedelta(1):%Y-%m-%d}" if re.fullmatch(r"\d{4}-\d\d-\d\d", word) else word


def two_workers(home: Path, *words: str) -> None:
    """Both are ready, and SIGTERM ends each with 0 (D22)."""
    workers = [Serving(home, *words) for _ in range(2)]
    for one in workers:
        one.until("ready")
    assert [one.end() for one in workers] == [0, 0]


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """One of its own: the page makes roles, which are the server's."""
    with postgres.running() as found:
        yield found


def test_what_the_page_says_works(tmp_path: Path, server: postgres.Server) -> None:
    """Each command of the page, in its order, with a server on a socket in the place of db.example.org."""
    url = server.url("jp", "ada")
    for language, block in re.findall(r"```(sql|sh)\n(.*?)```", PAGE, re.S):
        for line in block.split(";") if language == "sql" else block.splitlines():
            if not line.strip():
                continue
            if language == "sql":
                server.sql(line)
                continue
            words = [there(server, one) for one in shlex.split(line)]
            if words[0] == "psql":
                found = re.search(r"//(\w+)@", words[1])
                assert found is not None and words[2] == "-c"
                rows = server.sql(words[3], "jp", found[1])
                assert rows or "audit_inquiries" in words[3]
                continue
            assert words[0] == "jp-tui"
            if "serve" in words:
                two_workers(tmp_path, *words[1:])
                continue
            ran = jp(tmp_path, *words[1:])
            assert ran.returncode == 0, (line, ran.stderr)
    assert jp(tmp_path, "query", "--non-interactive", "--model", "demo/tour", "hello").returncode == 0
    (config,) = blocks("toml")
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "config.toml").write_text(config.replace(URL, url))
    inline = [one for one in re.findall(r"`(jp-tui [^`]+)`", PAGE) if "ROLE" not in one and one != "jp-tui answer"]
    assert [one for one in inline if " revoke " in one] and [one for one in inline if " copy " in one]
    for line in inline:
        words = [there(server, one) for one in shlex.split(line)]
        ran = jp(tmp_path, *words[1:])
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
    kinds = dict(server.sql("SELECT role, kind FROM jp_tui.roles", "jp"))  # type: ignore[arg-type]
    assert kinds == {"ada": "owner", "lead": "none", "second": "person", "builder": "none", "eve": "auditor"}
    assert "schema=jp_tui jp" in PAGE and "pg_dump" in PAGE
