"""Pictures of a compaction: its line, and what models see instead, unfolded (context.md K22, K28)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from tests.ui.transcript_host import Host, settled
from tests.view.events_of import log

Compare = Callable[..., bool]
RECORD = (
    '{"seq":9,"kind":"answer","tool":"ask_user","question":"city","text":"Where?","answer":"Ürümqi\\n</record>","by":"user"}',
    '{"seq":14,"kind":"refusal","tool":"fs_delete_file","question":"confirm","text":"Delete old.txt?","answer":false}',
)
DONE = stored.Compaction(
    trigger="window",
    method="summary",
    through=20,
    summary="Goal: a weather page.\nState: the parser works, two tests fail.\nNext steps: \x1b[2Jfix the tests.",
    record=RECORD,
    plan=({"step": "Write the parser", "status": "completed"}, {"step": "Fix the tests", "status": "in_progress"}),
    files=("src/weather.py", "tests/test_weather.py"),
    said=("make a weather page",),
    before=96_200,
    after=11_300,
    messages=84,
    model="demo/tour",
)
FAILED = replace(DONE, method="trimmed", error="the summary was blank", summary="", record=RECORD[:1])


def host(event: stored.Compaction, colours: str) -> Host:
    return Host(
        log(
            stored.ChatRequest(content="And now the tests, please."),
            event,
            stored.ChatResponse(kind="message", content="Both tests pass now."),
        ),
        colours=colours,
    )


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize(("size", "colours"), [((80, 24), "jp-night"), ((120, 36), "jp-day")], ids=["80", "120"])
def test_k22_a_compaction_unfolded(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press("p", "enter")
        await settled(pilot)

    assert snap_compare(host(DONE, colours), terminal_size=size, run_before=before)


def test_k28_a_summary_that_failed(snap_compare: Compare) -> None:
    assert snap_compare(host(FAILED, "jp-night"), terminal_size=(80, 24), run_before=settled)
