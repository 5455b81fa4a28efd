"""The recorded group `markup`, each case on every face: T2, R196, R197. Shown letter by letter; nothing acts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.neutral import clean_url
from jp_tui.ui.app import WorkspaceApp
from tests.hostile.recorded import ours
from tests.hostile.seen import Seen, acting, flat, in_lines, on_sheets, on_transcript, reached, screen, texts
from tests.ui.transcript_host import Host, settled, spans
from tests.view.events_of import log, opened

TEXTS = [f"MARK-{n:03}" for n in (2, 3, 4, 6, 7, 8, 13, 15, 16, 18, 22, 23, 24, 25, 26, 33, 34)]
CLICKED = ["MARK-037"]
ADDRESSES = [f"MARK-{n:03}" for n in (42, 43, 44, 45, 48, 50)]
MARKDOWN = {"MARK-018": "[bold]not bold", "MARK-022": "[/]"}
"""What Markdown itself, which a model may write, makes of a text: an escape, a fence."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    return ours("markup")


@pytest.fixture(scope="module")
def sheets(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    return on_sheets(texts(found), "choose")


@pytest.fixture(scope="module")
def talked(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    return on_transcript(texts(found))


def test_no_case_is_left_out(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted([*TEXTS, *CLICKED, *ADDRESSES])


@pytest.mark.parametrize("id", TEXTS)
def test_in_every_sheet(found: dict[str, dict[str, Any]], sheets: dict[str, Seen], id: str) -> None:
    """As question, context, option, description, preview, and name of who asks."""
    seen, text = sheets[id], found[id]["payload"]["utf8"]
    assert seen.faults == [] and seen.answers == 0
    lines = [line for line in text.split("\n") if line]
    assert all(seen.screens["choose"].count(line[:14]) >= 4 for line in lines)
    assert reached(text, seen.evidence["choose"])


@pytest.mark.parametrize("id", TEXTS)
def test_in_the_conversation(found: dict[str, dict[str, Any]], talked: dict[str, Seen], id: str) -> None:
    """As the user's words, reasoning, reply, tool name, title, output and error."""
    seen, text = talked[id], found[id]["payload"]["utf8"]
    assert seen.faults == []
    whole = flat(seen.screens["top"] + seen.screens["bottom"])
    for said in {text, MARKDOWN.get(id, text)}:
        assert flat(said)[:60] in whole
    assert whole.count(flat(text)[:20]) >= 3


@pytest.mark.parametrize("id", TEXTS)
def test_in_lines(found: dict[str, dict[str, Any]], id: str) -> None:
    """Asked in lines, heard in lines, and read in the record afterwards."""
    text = found[id]["payload"]["utf8"]
    for where, printed in in_lines(text).items():
        assert not list(acting(printed)), where
        for line in text.split("\n"):
            assert line[:200] in printed, where


@pytest.mark.parametrize("id", CLICKED)
async def test_a_click_on_it_does_nothing(found: dict[str, dict[str, Any]], id: str) -> None:
    text = found[id]["payload"]["text"]
    events = log(ev.ChatRequest(content="go"), ev.ChatResponse(kind="message", content=text))
    host = Host(events)
    async with host.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        rows = screen(host, seen := Seen()).split("\n")
        y = next(y for y, row in enumerate(rows) if "here" in row)
        assert text in rows[y] and seen.faults == []
        for x in range(rows[y].index("[@click"), len(rows[y])):
            await pilot.click(offset=(x, y))
        await pilot.pause()
        assert host.is_running and host.heard == [], "nothing was opened, picked or ended"
    assert "quit" in dir(WorkspaceApp) or hasattr(WorkspaceApp, "action_quit"), "the action that was not run exists"


@pytest.fixture(scope="module")
def offered(found: dict[str, dict[str, Any]]) -> dict[str, Seen]:
    """Each address as a link of Markdown and as it is."""
    urls = {id_: found[id_]["payload"]["url"] for id_ in ADDRESSES}
    made = {id_: Seen() for id_ in urls}

    async def walk() -> None:
        host = Host([])
        async with host.run_test(size=(100, 20)) as pilot:
            for id_, url in urls.items():
                host.log_events = log(ev.ChatResponse(kind="message", content=f"[words]({url}) and {url} or <{url}>"))
                host.transcript.open(opened(host.log_events, spans(host.log_events)))
                await settled(pilot)
                made[id_].screens["talk"] = screen(host, made[id_])

    asyncio.run(walk())
    return made


@pytest.mark.parametrize("id", ADDRESSES)
def test_an_address_is_offered_only_when_it_is_clean(
    found: dict[str, dict[str, Any]], offered: dict[str, Seen], id: str
) -> None:
    """R197: http(s) with a host in ASCII, written out where it goes; nothing else can be clicked."""
    url, seen = found[id]["payload"]["url"], offered[id]
    clean = clean_url(url)
    assert "words" in seen.screens["talk"]
    if found[id]["expect"]["outcome"] == "denied":
        assert clean is None and seen.faults == []
    else:
        assert clean is not None and clean.isascii() and clean.startswith("https://evil.example/")
        links = [fault.rpartition(" ")[2] for fault in seen.faults]
        assert len(links) == 2 and all(clean_url(one) == one and one.isascii() for one in links)
        assert all(one.startswith("https://evil.example/%5Cu") for one in links), "it leads where it is shown to lead"
