"""The page of trust: what the folder's file would do, and what the user decides (S10; issue 8, line 10)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.trust import ProposedSetting
from jp_tui.ui.screens.trust import TrustPage
from jp_tui.view.wording import trust as say
from tests.fakes.link import FakeLink, opened
from tests.sampling import partly
from tests.ui.app_host import Host, workspace
from tests.ui.app_host import opened as is_open
from tests.ui.test_app_pictures import SIZES

Compare = Callable[..., bool]
FILE = "/home/ada/code/acme/.jp-tui/config.toml"


def one(key: str, value: str, does: str, line: int = 3, **more: object) -> ProposedSetting:
    texts = {"key": key, "value": value, "does": does, "place": f"{FILE}:{line}" if line else ""}
    return ProposedSetting.model_validate({**{name: Foreign(text) for name, text in texts.items()}, **more})


SETTINGS = (
    one(
        "providers.llm.acme.base_url", '"https://llm.acme.example/v1"', "sends conversations with models of acme to "
        "https://llm.acme.example/v1", 4, counts="waits", acts=True, change="changed",
        before=Foreign('"http://127.0.0.1:8080/v1"'),
    ),
    one(
        "conversation.tools.lint.command", '"./lint.sh [b]--fix[/b]\x1b[31m\u202e"', "makes lint run ./lint.sh\u202e",
        9,
        counts="waits", acts=True,
    ),
    one("conversation.tools.shell_run.options.sandbox.mode", '"off"', "runs shell_run without a sandbox", 12,
        counts="never", acts=True, change="same"),
    one("ui.theme", '"jp-day"', "the name of a theme", 2, counts="always", change="same"),
    one("notify.bell", "", "is no longer set", 0, counts="always", change="gone", before=Foreign("true")),
)  # fmt: skip


def read(state: str = "untrusted", **more: object) -> ev.TrustRead:
    told = {"file": Foreign(FILE), "state": state, "digest": "d1", "settings": SETTINGS, **more}
    return ev.TrustRead.model_validate(told)


@asynccontextmanager
async def page(first: ev.TrustRead, size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    async with workspace(size=size) as (app, pilot):
        app.action_open("trust")
        await pilot.pause()
        assert isinstance(app.screen, TrustPage) and len(app.link.of(cmd.ReadTrust)) == 1
        await app.says(pilot, first)
        yield app, pilot


async def test_what_it_would_do_is_said_and_nothing_acts() -> None:
    """Each key in words with FILE:LINE; what the file says is never markup or control."""
    async with page(read()) as (app, _):
        shown = app.screen_text()
        assert say.UNTRUSTED in shown and FILE in shown
        assert "sends conversations with models of acme to https://llm.acme.example/v1" in shown
        assert "once trusted · config.toml:4 · providers.llm.acme.base_url" in shown
        assert "never: folders can't set this · config.toml:12" in shown
        assert "[b]--fix[/b]" in shown and "\x1b" not in shown and "\u202e" not in shown
        assert "changed " not in shown, "nothing was trusted before"


async def test_trusting_takes_two_presses_and_carries_the_digest_of_what_was_shown() -> None:
    async with page(read()) as (app, pilot):
        await pilot.press("t")
        await pilot.pause()
        assert "2 more settings would apply. Press t again" in app.screen_text()
        await pilot.press("j", "t")
        assert app.link.of(cmd.TrustWorkspace) == [], "another key is a change of mind"
        await pilot.press("t")
        assert [sent.digest for sent in app.link.of(cmd.TrustWorkspace)] == ["d1"]
        await app.says(pilot, read("trusted", done="trusted"))
        shown = app.screen_text()
        assert say.TRUSTED in shown and "after a restart" in shown and "revoke trust" in shown


async def test_a_file_that_changed_meanwhile_is_read_again() -> None:
    """Refused with words; a press that was begun for the old content does not count for the new one."""
    async with page(read()) as (app, pilot):
        await pilot.press("t", "t")
        await app.says(pilot, ev.Refused(command="trust_workspace", message="The file changed since it was shown"))
        assert "The file changed since it was shown" in app.screen_text() and len(app.link.of(cmd.ReadTrust)) == 2
        await pilot.press("t")
        await app.says(pilot, read(digest="d2"))
        await pilot.press("t")
        assert len(app.link.of(cmd.TrustWorkspace)) == 1


async def test_what_is_different_stands_first_with_what_it_was() -> None:
    async with page(read("changed", compared=True)) as (app, pilot):
        shown = app.screen_text()
        assert say.CHANGED[:40] in shown
        assert 'before: "http://127.0.0.1:8080/v1"' in shown
        assert shown.index("gone is no longer set") < shown.index("runs shell_run without a sandbox")
        await pilot.press("x", "x")
        assert len(app.link.of(cmd.DistrustWorkspace)) == 1


@pytest.mark.parametrize("state", ["none", "broken"])
async def test_where_there_is_nothing_to_trust_nothing_can_be(state: str) -> None:
    async with page(read(state, settings=(), problem=Foreign("line 3: is no TOML"))) as (app, pilot):
        await pilot.press("t", "t", "x", "x")
        assert (say.NONE if state == "none" else "line 3: is no TOML") in app.screen_text()
        assert not app.link.of(cmd.TrustWorkspace) and not app.link.of(cmd.DistrustWorkspace)


@partly(2)
@pytest.mark.parametrize("theme", ["jp-night", "jp-day", "jp-colourblind"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_picture(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = Host(FakeLink(opened(), stops=False), theme=theme)

    async def run(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        app.action_open("trust")
        await pilot.pause()
        await app.says(pilot, read("changed", compared=True))
        await pilot.press("t")
        await app.still(pilot)

    before: Callable[[Pilot[None]], Awaitable[None]] = run
    assert snap_compare(app, terminal_size=size, run_before=before)
