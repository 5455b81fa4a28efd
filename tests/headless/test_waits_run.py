"""Waits before a retry as the whole program reports them, against a real server (Z21)."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model_server import Answer, in_thread
from tests.headless.running import jp
from tests.hostile.wired import says

BUSY = Answer([b'{"error":{"message":"slow down"}}'], 429, {"content-type": "application/json", "retry-after": "0"})
INSIDE = Answer([b'data: {"error":{"code":429,"message":"slow down"}}\n\n'])
LATER = Answer([b"{}"], 429, {"content-type": "application/json", "retry-after": "3600"})
LINE = "Rate limited by acme (429). Retrying in 1 s · Ctrl+C stops"


def query(home: Path, *answers: Answer) -> tuple[int, str, str, int]:
    """Status, what was said on both streams, and how often the server was asked."""
    (home / "config").mkdir(parents=True)
    with in_thread(*answers) as server:
        (home / "config" / "config.toml").write_text(
            f'[providers.llm.acme]\nwire = "openai-chat"\nbase_url = "{server.url}"\n'
            "[assistant.request]\nbase_backoff_ms = 0\n"
        )
        ran = jp(home, "query", "--model", "acme/m", "hello")
        return ran.returncode, ran.stdout, ran.stderr, len(server.received)


def test_query_reports_a_wait_its_cause_and_what_ends_it(tmp_path: Path) -> None:
    """By its status, and by an error inside a 200 (Z21)."""
    status, out, err, asked = query(tmp_path, BUSY, INSIDE, Answer([says("openai_chat", "There.")]))
    assert (status, out, asked) == (0, "There.\n", 3), err
    assert err.count("Rate limited by acme (429). Retrying in ") == 2 and LINE in err


def test_a_server_that_wants_too_long_a_wait_is_reported_and_not_waited_for(tmp_path: Path) -> None:
    """(Z21)"""
    status, _, err, asked = query(tmp_path, LATER)
    assert (status, asked) == (1, 1) and "Retry after 60 min." in err and "Retrying" not in err
