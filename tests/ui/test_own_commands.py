"""Own commands and skills on the screen: in `/`, sent as typed, and in the trust page (context.md K50-K52)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.own_commands import OwnCommand
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, workspace
from tests.ui.app_host import opened as is_open
from tests.ui.test_slash import listed
from tests.ui.test_trust_page import SETTINGS, one, read
from tests.ui.test_trust_page import opened as opened_again
from tests.ui.transcript_host import Host as TranscriptHost
from tests.ui.transcript_host import settled
from tests.view.events_of import log

Compare = Callable[..., bool]


def own(name: str, description: str, hint: str = "", **more: object) -> OwnCommand:
    path = f"/home/ada/.config/jp-tui/commands/{name}.md"
    texts = {"name": name, "path": path, "description": description, "hint": hint}
    return OwnCommand.model_validate({**{key: Foreign(text) for key, text in texts.items()}, "kind": "command", **more})


KNOWN = ev.OwnCommandsRead(
    commands=(
        own("Review", "Review a change", "FILE"),
        own("git:tidy-up", "Sort the commits[/]\x1b[31m\u202e"),
        own("release", "Write release notes", trusted=False, own=False),
        own("compact", "Another one"),
    )
)


async def test_they_are_listed_with_what_they_need() -> None:
    """K50: after the built-in ones, whose names they can't take; what a file says is never markup or control."""
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        await pilot.press("/")
        await pilot.pause()
        names = listed(app)
        assert names[-3:] == ["review", "git:tidy-up", "release"] and names.count("compact") == 1
        assert len(app.link.of(cmd.ReadOwnCommands)) == 1, "files that changed are known by then"
        await pilot.press(*"git:")
        await pilot.pause()
        shown = app.screen_text()
        assert listed(app) == ["*git:tidy-up"] and "Sort the commits[/]" in shown
        assert "\x1b" not in shown and "\u202e" not in shown
        await pilot.press(*["backspace"] * 4, *"rel")
        await pilot.pause()
        assert "Write release notes · needs your trust: /trust" in app.screen_text()


async def test_one_is_sent_as_it_was_typed() -> None:
    """K50: the engine puts the text in its place; `//` sends text."""
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        app.burst(*"/Review a b", "enter")
        await pilot.pause()
        await pilot.pause()
        (sent,) = app.link.of(cmd.StartTurn)
        assert (sent.text, sent.command) == ("/review a b", True)
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        app.burst(*"//review a", "enter")
        await pilot.pause()
        await pilot.pause()
        (sent,) = app.link.of(cmd.StartTurn)
        assert (sent.text, sent.command) == ("/review a", False)


async def test_one_is_queued_while_the_model_works() -> None:
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN, ev.TurnStarted(conversation="c1", turn=1, model="demo/tour"))
        app.burst(*"/review a", "enter")
        await pilot.pause()
        await pilot.pause()
        (queued,) = app.link.of(cmd.QueueTurn)
        assert (queued.text, queued.command) == ("/review a", True)


async def test_a_refused_one_comes_back_as_typed() -> None:
    """A text that isn't a command comes back with the second slash, a command without."""
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        app.burst(*"/release now", "enter")
        await pilot.pause()
        await pilot.pause()
        refused = ev.Refused(
            command="start_turn", conversation="c1", message="/release isn't trusted: …", code="command_refused"
        )
        await app.says(pilot, refused)
        assert app.composer.text == "/release now" and "/release isn't trusted" in app.screen_text()


async def test_a_whole_name_is_the_one_that_is_marked() -> None:
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        await pilot.press(*"/review")
        await pilot.pause()
        assert listed(app) == ["*review", "reviewers"]


async def test_help_lists_them() -> None:
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        await pilot.press("f1")
        await pilot.pause()
        await pilot.press(*"/tidy")
        await pilot.pause()
        assert "/git:tidy-up" in app.screen_text()


async def test_tab_and_a_click_write_one() -> None:
    """Its arguments follow."""
    async with workspace() as (app, pilot):
        await app.says(pilot, KNOWN)
        await pilot.press(*"/git", "tab")
        await pilot.pause()
        assert app.composer.text == "/git:tidy-up"
        app.composer.run_command(app.composer.own_commands[1])
        await pilot.pause()
        assert app.composer.text == "/git:tidy-up " and app.starts() == []


FILES = (
    *(setting for setting in SETTINGS[:1]),
    one("/release", "Write release notes for $1.\n\nRun !`git log` first. [b]\x1b[31m",
        "adds the command /release, which sends its text", 0,
        counts="waits", acts=True, kind="file", place=Foreign(".claude/commands/release.md")),
    one("skill pdf", "Fill forms.", "adds the skill pdf, which the model is told of and may load", 0, counts="always",
        acts=True, kind="file", change="same", place=Foreign(".agents/skills/pdf/SKILL.md")),
)  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80", "120"])
def test_k52_trust_shows_files(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = Host(FakeLink(opened_again(), stops=False), theme="jp-night")

    async def before(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        app.action_open("trust")
        await pilot.pause()
        await app.says(pilot, read("changed", compared=True, settings=FILES))
        await pilot.press("down", "t")
        await app.still(pilot)

    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80", "120"])
def test_k50_a_command_in_the_conversation(
    snap_compare: Compare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was typed stands above what was sent."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    host = TranscriptHost(
        log(
            stored.ChatRequest(
                content="Review src/a.py.\n\n" + "\n".join(f"{n}. Look at it." for n in range(30)),
                metadata={"command": "review", "arguments": "src/a.py"},
            ),
            stored.ChatResponse(kind="message", content="It is fine."),
        )
    )

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)

    assert snap_compare(host, terminal_size=size, run_before=before)
