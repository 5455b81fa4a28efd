"""`python -m tests.faults --only rpc`, one child: whatever a client sends, each request has one answer and it ends."""

from __future__ import annotations

from pathlib import Path

from tests.faults import rpc

SEED = 4


def test_a_client_by_chance() -> None:
    assert rpc.conversed(SEED, 80) == []


def test_what_is_missing_is_found(tmp_path: Path) -> None:
    """The judge itself: an answer that never comes, an event that is not told."""
    client = rpc.Client(tmp_path, SEED)
    try:
        client.open()
        client.due["int 77"] += 1
        params = {"session_id": client.sessions[0], "prompt": "hi"}
        client.say({"jsonrpc": "2.0", "id": "p", "method": "session/prompt", "params": params})
        client.answer("p")
        client.came = [one for one in client.came if one.get("method") != "session/event"]
        wrong = client.end()
    finally:
        client.kill()
    assert len(wrong) == 2 and "0 answers to the id int 77" in wrong[0] and "4 events of" in wrong[1]
