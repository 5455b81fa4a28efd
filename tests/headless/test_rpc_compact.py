"""`session/compact` (context.md K23, surface.md S30)."""

from __future__ import annotations

from pathlib import Path

from tests.headless.rpc_peer import rpc
from tests.headless.test_rpc_sessions import say


def test_k23_a_session_is_compacted_and_that_undone(tmp_path: Path) -> None:
    with rpc(tmp_path, "--model", say(tmp_path, "one", "Said. " * 50)) as running:
        session = running.session()
        nothing = running.call("session/compact", session_id=session)
        assert nothing == {"message": "There is nothing to compact.", "waits": False}
        for _ in range(3):
            running.call("session/prompt", session_id=session, prompt="hello " * 50)
        done = running.call("session/compact", session_id=session, focus="the end")
        assert (done["event"]["type"], done["event"]["focus"], done["message"]) == ("compaction", "the end", "")
        assert running.events()[-1] == done["event"], "it was told before"
        undone = running.call("session/compact", session_id=session, undo=True)
        assert undone["event"] == {**undone["event"], "type": "compaction_undone", "compaction": done["event"]["seq"]}
        refused = running.refused("session/compact", session_id=session, undo=True, focus="x")
        assert refused["data"]["problems"][0]["where"] == "/focus"
        assert "unknown session" in running.refused("session/compact", session_id="nobody")["message"]
        assert running.call("session/prompt", session_id=session, prompt="on")["outcome"] == "done"
        assert running.ends() == 0
