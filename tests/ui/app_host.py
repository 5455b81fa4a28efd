"""The workspace on a scripted engine: a clock that tests step, keys in bursts, what the screen says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.settings.schema.notify import Notify
from jp_tui.settings.themes import themes
from jp_tui.ui.app import WorkspaceApp
from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.transcript.conversation_column import ConversationColumn
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.view.pages.first_screen import FirstScreenView
from tests.fakes.link import FakeLink
from tests.limits import LIMIT

STATE = Path("/nonexistent/jp-tui-tests")
SIZE = (120, 36)


async def until(pilot: Pilot[None], fact: Callable[[], bool]) -> None:
    """A fact, soon: what comes quickly is painted in portions, and the machine may be busy."""
    async with asyncio.timeout(LIMIT):
        while not fact():
            await pilot.pause(0.01)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Host(WorkspaceApp):
    """The workspace as it is, with short ways to its parts."""

    def __init__(
        self,
        link: FakeLink,
        *,
        theme: str = "jp-night",
        first_prompt: str = "",
        state: Path = STATE,
        notify: Notify | None = None,
        environment: Mapping[str, str] | None = None,
        sidebar: Literal["auto", "show", "hide"] = "auto",
        vi: bool = False,
        first: FirstScreenView | None = None,
    ) -> None:
        self.time = Clock()
        self.link = link
        super().__init__(
            link=link,
            open_command=cmd.OpenConversation(),
            workspace="/home/ada/code/acme",
            home="/home/ada",
            theme=theme,
            themes=themes.names("/nonexistent"),
            state_dir=state,
            clock=self.time,
            first_prompt=first_prompt,
            notify=notify,
            environment=environment,
            sidebar=sidebar,
            vi=vi,
            first=first,
        )
        if state is STATE:  # a folder that all tests share, where it exists
            self._main._uses = CommandUses(None)

    @property
    def composer(self) -> Composer:
        return self._main.query_one(Composer)

    @property
    def dock(self) -> SheetDock:
        return self._main.query_one(SheetDock)

    @property
    def column(self) -> ConversationColumn:
        return self._main.query_one(ConversationColumn)

    @property
    def footer(self) -> str:
        return self._main.query_one(KeyBar).render().plain

    async def says(self, pilot: Pilot[None], *reported: ev.Event) -> None:
        """The engine reports, and everything that follows has happened."""
        self.link.say(*reported)
        await pilot.pause()
        for _ in range(500):
            if self.heard:
                break
            await pilot.pause(0.01)
        await pilot.pause()

    @property
    def heard(self) -> bool:
        """Whether all that was reported is shown (on a busy machine it comes in portions), and what lies on top is laid
        out."""
        bridge = self._bridge
        waits = self.link.wait(0) or bridge._rest or bridge._later
        return not waits and self.screen._compositor.size == self.size

    async def passes(self, pilot: Pilot[None], seconds: float) -> None:
        """Let time pass for the dock's manners."""
        self.time.now += seconds
        self.dock.tick()
        await pilot.pause()
        await pilot.pause()

    async def still(self, pilot: Pilot[None]) -> None:
        """Wait until all is shown, painted and the same three times on the screen: what a picture may be taken of."""
        transcript, seen = self._main.query_one(Transcript), list[object]()
        await pilot.pause()
        self._main.query_one(Sidebar)._paint()  # its seconds are those of the clock now, whether its timer ran or not
        for _ in range(500):
            await pilot.pause()
            if not (transcript.is_idle and self.heard):
                await pilot.pause(0.01)
                continue
            seen = [*seen[-2:], self.screen._compositor.render_strips()]
            if len(seen) == 3 and seen[0] == seen[1] == seen[2]:
                return
        raise AssertionError("the screen was never still")

    def burst(self, *keys: str) -> None:
        """Keys that arrive in one read, as from a fast typist."""
        for key in keys:
            plain = len(key) == 1
            self.post_message(events.Key(_character_to_key(key) if plain else key, key if plain else None))

    def starts(self) -> list[str]:
        """What was said to the model."""
        return [command.text for command in self.link.of(cmd.StartTurn)]

    def screen_text(self) -> str:
        """What the screen shows, with what its timer has not painted yet on a busy machine."""
        if self.screen.is_running:
            self.screen._on_timer_update()
        rows = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


@asynccontextmanager
async def workspace(
    link: FakeLink | None = None,
    *,
    size: tuple[int, int] = SIZE,
    theme: str = "jp-night",
    first_prompt: str = "",
    first: FirstScreenView | None = None,
    say: Sequence[ev.Event] = (),
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """A workspace in which the conversation is open and `say` was reported."""
    app = Host(link or FakeLink(), theme=theme, first_prompt=first_prompt, first=first)
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot)
        if say:
            await app.says(pilot, *say)
        yield app, pilot


async def opened(app: Host, pilot: Pilot[None]) -> None:
    """Wait until the engine was started and its first words are shown."""
    for _ in range(200):
        await pilot.pause()
        if app.link.of(cmd.ReadHistory) and not app.link.wait():
            await pilot.pause()
            return
    raise AssertionError("the engine was never started")
