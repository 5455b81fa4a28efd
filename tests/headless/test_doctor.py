"""`jp-tui doctor` from outside: it works where settings are broken, ends with 1 when something is bad, shows no key."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from tests.headless.running import jp, lines, on_terminal
from tests.system.sandboxing import or_skip

KEY = "sk-very-secret-1234567890"
QUIET = {"JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL": "http://127.0.0.1:9/v1", "LANG": "C.UTF-8"}


def rows(home: Path, *words: str, **more: str) -> tuple[int, dict[str, dict[str, str]]]:
    ran = jp(home, "doctor", "--json", *words, **{**QUIET, **more})
    found = lines(ran.stdout)
    assert all(set(one) == {"check", "state", "detail", "mend"} for one in found)
    assert all(one["mend"] for one in found if one["state"] != "ok"), "each has its mend"
    return ran.returncode, {one["check"]: one for one in found}


def test_an_empty_home_without_credentials(tmp_path: Path) -> None:
    status, found = rows(tmp_path)
    assert status == 0 and not [one for one in found.values() if one["state"] == "bad"]
    assert found["credentials"]["state"] == "warn" and "ANTHROPIC_API_KEY" in found["credentials"]["mend"]
    assert found["server ollama"]["detail"].startswith("not running at 127.0.0.1:9")
    for check in ("terminal", "colours", "unicode", "clipboard", "sandbox", "database", "git", "editor", "textual"):
        assert found[check]["detail"], check
    assert not list(tmp_path.iterdir()), "looking leaves nothing behind"


def test_what_commands_see_of_a_home_is_listed(tmp_path: Path) -> None:
    """Z18: the effective list, and what of it stays hidden, with the reason."""
    or_skip()
    for name in ("user/.cargo/bin", "user/.ssh", "user/own", "jp/config"):
        (tmp_path / name).mkdir(parents=True)
    visible = "conversation.tools.shell_run.options.sandbox.visible = ['default', '~/own', '~/.ssh']"
    (tmp_path / "jp" / "config" / "config.toml").write_text(visible)
    ran = jp(tmp_path / "jp", "doctor", "--json", **{**QUIET, "HOME": str(tmp_path / "user")})
    found = [one for one in lines(ran.stdout) if one["check"] == "sandbox visible"]
    assert [one["detail"] for one in found if one["state"] == "ok"] == ["~/.cargo/bin, ~/own"]
    (refused,) = [one for one in found if one["state"] == "warn"]
    assert refused["detail"] == "~/.ssh stays hidden: ~/.ssh may hold secrets" and "visible" in refused["mend"]


def test_a_broken_home_is_told_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[ui]\nthem = 1\n")
    (tmp_path / "data").mkdir(mode=0o700)
    with sqlite3.connect(tmp_path / "data" / "conversations.db") as made:
        made.execute("CREATE TABLE a (b)")
        made.executemany("INSERT INTO a VALUES (?)", [("x" * 500,)] * 200)
    made.close()
    database = bytearray((tmp_path / "data" / "conversations.db").read_bytes())
    database[4096:60000] = b"\xff" * (60000 - 4096)
    (tmp_path / "data" / "conversations.db").write_bytes(database)
    status, found = rows(tmp_path, OPENAI_API_KEY=KEY)
    assert status == 1
    assert found["settings"]["state"] == "bad" and "config.toml:2" in found["settings"]["detail"]
    assert found["database"]["state"] == "bad" and "damaged" in found["database"]["detail"]
    assert found["configuration folder"]["state"] == "warn" and "chmod 700" in found["configuration folder"]["mend"]
    assert found["credentials"]["detail"] == "openai (OPENAI_API_KEY)" and KEY not in json.dumps(found)


def test_for_people_it_is_a_table_of_80_columns(tmp_path: Path) -> None:
    ran = jp(tmp_path, "doctor", **QUIET)
    shown = ran.stdout.splitlines()
    assert ran.returncode == 0 and "warnings." in shown[-1]
    assert [line for line in shown if line.startswith("warn  credentials")]
    long = [line for line in shown if len(line) > 80 and str(tmp_path) not in line]
    assert not long, long


def test_on_a_terminal_it_asks_it_and_does_not_wait_for_ever(tmp_path: Path) -> None:
    """The query goes out; where no answer comes the report says so."""
    with on_terminal(tmp_path, "doctor", "--json") as running:
        running.until("\x1b[?u\x1b[?1004$p\x1b[?2026$p\x1b[c")
        shown = running.rest()
        running.wait()
    found = {one["check"]: one for one in map(json.loads, shown.replace("\r\n", "\n").strip().split("\n"))}
    assert found["key protocol"]["state"] == "warn" and "didn't answer" in found["key protocol"]["detail"]
    assert "size" in found and "whole frames" not in found


def test_what_is_kept_aside_and_what_is_gone_is_told(tmp_path: Path) -> None:
    """(Z24)"""
    jp(tmp_path, "query", "--model", "demo/tour", "hi")
    database = tmp_path / "data" / "conversations.db"
    database.write_bytes(b"")
    status, found = rows(tmp_path)
    assert (
        status == 1 and "1 conversation" in found["database"]["detail"] and "Start jp-tui" in found["database"]["mend"]
    )
    assert "was damaged" in jp(tmp_path, "conversations", "list").stderr
    (kept,) = database.parent.glob("conversations.db.damaged-*")
    ran = jp(tmp_path, "doctor", "--json", **QUIET)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["detail"] for one in told if one["check"] == "database" and one["state"] == "warn"] == [
        f"a damaged or replaced file is kept: {kept}"
    ]
