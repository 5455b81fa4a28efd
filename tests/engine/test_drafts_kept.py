"""A draft that the disk does not take: nothing ends, and the user is told once (E24, and nothing is lost silently)."""

from __future__ import annotations

from typing import Any

from jp_tui.engine.record.drafts import NOT_KEPT
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.fakes.journals import Refused
from tests.fakes.models import Script, end, text


def typed(bench: Bench, words: str) -> None:
    bench.send(c.SaveDraft(conversation=bench.conversation, key="composer", text=words))


def test_e24_a_draft_that_is_not_kept_is_told_once(bench: Bench) -> None:
    bench.script = Script([*text("Done."), *end()])
    bench.start()
    real: Any = bench.journal.save_draft
    bench.journal.save_draft = lambda *_: Refused()  # type: ignore[attr-defined]
    typed(bench, "half")
    told = bench.until(e.StorageFailed)
    assert "full" in told.message and told.advice == NOT_KEPT
    typed(bench, "half a")
    typed(bench, "half a thought")
    bench.say("hello")
    assert bench.turn().outcome == "done", "the conversation goes on"
    assert sum(isinstance(event, e.StorageFailed) for event in bench.events) == 1
    bench.journal.save_draft = real  # type: ignore[attr-defined]
    typed(bench, "well again")
    bench.stop()
    assert bench.start("latest").drafts["composer"] == "well again"
