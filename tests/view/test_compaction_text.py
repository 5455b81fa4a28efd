"""What a compaction says in lines, in exports and in the transcript, live and reloaded (context.md K22, K23, K28)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as ev
from jp_tui.headless.transcript_printer import Printer
from jp_tui.view.export.document import Format, writer
from jp_tui.view.export.events import plain
from jp_tui.view.transcript.blocks import CompactionBlock
from jp_tui.view.transcript.reducer import TranscriptReducer, blocks_of
from tests.view.events_of import appended, log

ANSWERED = '{"seq":9,"kind":"answer","tool":"ask_user","question":"q","text":"Well?","answer":"no","by":"user"}'
DONE = ev.Compaction(
    trigger="window", method="summary", through=20, summary="Goal: tea.\x1b[2J", record=(ANSWERED,) * 7 + ("{}",),
    before=96_200, after=11_300, messages=84, model="demo/tour",
)  # fmt: skip
LINE = "Compacted: 84 messages, 96.2k → 11.3k tokens · 7 answers word for word"
FAILED = replace(DONE, method="trimmed", summary="", error="the summary was blank")
WORDS = "The summary failed (the summary was blank); older messages were left out instead. The log is whole."


def test_k22_the_line_and_its_details() -> None:
    assert plain(DONE).split("\n")[0] == LINE
    assert "Summary by demo/tour, not checked by anybody:" in plain(DONE) and ANSWERED in plain(DONE)
    assert WORDS in plain(FAILED)
    only = replace(DONE, method="trimmed", summary="", record=())
    assert plain(only) == "Compacted: long results shortened, 96.2k → 11.3k tokens"
    assert plain(replace(DONE, record=(), messages=1)).startswith("Compacted: 1 message, 96.2k → 11.3k tokens\n")
    assert plain(ev.CompactionUndone(compaction=4)).startswith("Compaction undone")


@pytest.mark.parametrize("event", [DONE, FAILED, ev.CompactionUndone(compaction=4)])
def test_k22_live_and_reloaded_are_one_block(event: ev.Event) -> None:
    (stored,) = log(event)
    live = TranscriptReducer()
    live.apply(appended(stored))
    (block,) = blocks_of([stored])
    assert isinstance(block, CompactionBlock) and [block] == list(live.of_event(stored.seq))


def test_k22_in_lines() -> None:
    said: list[str] = []
    printer = Printer(said.append)
    (stored,) = log(DONE)
    printer.fact(appended(stored))
    assert said[0] == LINE and not any("\x1b" in one for one in said)


@pytest.mark.parametrize("wanted", ["md", "html", "json"])
def test_k22_in_an_export(wanted: Format) -> None:
    made = writer(wanted).add(log(DONE, FAILED))
    assert "\x1b" not in made and ("Goal: tea." in made)
    if wanted != "json":
        assert LINE in made and WORDS in made
