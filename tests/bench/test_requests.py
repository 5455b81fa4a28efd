"""Requests of a long, compacted conversation cost what those of a short one do (K22)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench import requests


async def test_k22_both_conversations_send_as_much(tmp_path: Path) -> None:
    await requests.filled(tmp_path / "long.db", 3_000)
    await requests.filled(tmp_path / "short.db", 1_000)
    ours, theirs = await requests.both(tmp_path, 2)
    assert len(ours) == len(theirs) == 2
    journal = requests.open_journal(tmp_path / "long.db")
    try:
        log = requests._log(journal)
        messages = json.loads(await requests.built(log))["messages"]
        assert log.overlay.seq == 3_010 and len(messages) == 2 * requests.SENT // 5
        assert messages[0]["content"].startswith("[The conversation was compacted")
    finally:
        journal.close()
