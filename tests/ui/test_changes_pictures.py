"""Pictures of `/diff`, `/undo` and the line under a turn, in three themes at 80x24 and 120x36 (issue 8, 7).

After a change that is meant: `pytest tests/ui/test_changes_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.changes import FileChange
from jp_tui.protocol.values import StoredEvent
from jp_tui.tools.files.difference import unified
from tests.fakes.link import CONVERSATION, FakeLink, opened
from tests.sampling import partly
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open

Compare = Callable[..., bool]
SIZES = ((80, 24), (120, 36))
BEFORE = "# Plan\n\nThe links are checked once a week.\nNobody reads the report.\n\n## Storage\nIn a file.\n"
AFTER = (
    BEFORE.replace("once a week", "twice a day").replace("Nobody reads the report", "The report goes to the team")
    + "- daily\n"
)


def file(path: str, **more: object) -> FileChange:
    return FileChange.model_validate({"key": path, "path": path, "how": "modified", **more})


FILES = (
    file("data/rfd-index.json", was="rfd-index.json", how="moved", turns=(2,)),
    file("docs/plan.md", added=3, removed=2, diff=unified("a/docs/plan.md", "b/docs/plan.md", BEFORE, AFTER)),
    file("docs/rfd/008-knowledge-base-and-where-it-lives.md", state="changed", added=4, digest="d"),
    file("scripts/old.sh", how="deleted", removed=12, why_not="its copy is not kept any more"),
    file("src/links/checker.py", how="none", state="taken_back"),
)
NOTES = ("what deploy changed is not known here and cannot be taken back: only the file tools keep copies",)


def host(theme: str) -> Host:
    link = FakeLink(opened(title=Foreign("rfd-links"), new=False), stops=False)
    found = ev.ChangesRead(conversation=CONVERSATION, scope="turn", turn=2, turns=(1, 2), files=FILES, notes=NOTES)
    link.answers[cmd.ReadChanges] = lambda _: [found]
    return Host(link, theme=theme)


def steps(app: Host, keys: str, say: tuple[ev.Event, ...] = ()) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        await app.says(pilot, *say)
        for key in keys.split():
            if key in ("diff", "undo"):
                app.action_open("diff") if key == "diff" else app.action_open("undo")
            else:
                await pilot.press(key)
            await pilot.pause()
        await app.still(pilot)

    return run


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@partly(3)
@pytest.mark.parametrize("theme", ["jp-night", "jp-day", "jp-dusk"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_diff(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    assert snap_compare(app, terminal_size=size, run_before=steps(app, "diff j"))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_undo(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = host("jp-night")
    assert snap_compare(app, terminal_size=size, run_before=steps(app, "undo"))


def test_side_by_side(snap_compare: Compare) -> None:
    app = host("jp-night")
    assert snap_compare(app, terminal_size=(120, 36), run_before=steps(app, "diff j t"))


@pytest.mark.parametrize("theme", ["jp-night", "jp-day"])
def test_the_end_of_a_turn(snap_compare: Compare, theme: str) -> None:
    did = {"calls": 5, "failed": 1, "files": 2, "added": 12, "removed": 3, "asked": {"user": 2, "assistant": 1}}
    facts: tuple[stored.Event, ...] = (
        stored.TurnStart(metadata={"model": "anthropic/claude-sonnet-4-5"}),
        stored.ChatRequest(content="Bring the plan up to date."),
        stored.ChatResponse(kind="message", content="The plan is up to date."),
        stored.TurnOutcome(
            outcome="done", ms=41_200, usage={"input": 12_400, "output": 803, "cost_usd": 0.049}, metadata={"did": did}
        ),
        stored.Unknown({"type": "changes_undone", "way": "back", "turn": 1, "files": ["docs/plan.md"], "told": "…"}),
    )
    say = tuple(
        ev.EventAppended(conversation=CONVERSATION, stored=StoredEvent(seq=seq, turn=1, event=one.wire()))
        for seq, one in enumerate(facts, 1)
    )
    app = host(theme)
    assert snap_compare(app, terminal_size=(80, 24), run_before=steps(app, "", say))
