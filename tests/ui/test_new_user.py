"""As a new user, on an empty home, with the real engine: nothing, a local server, a key (issue 8 "Done when").

From the start of the workspace to the first answer, by what is on the screen alone.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.themes import themes
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, journal, opening, parts
from jp_tui.ui.app import WorkspaceApp
from tests.fakes.model_server import Answer, ModelServer, in_thread
from tests.limits import LIMIT

JSON = {"content-type": "application/json"}
KEY = "sk-very-secret-1234567890"
LIST = Answer([b'{"data":[{"id":"llama-3"}]}'], headers=JSON)
SAYS = Answer(
    [
        b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"At your service."}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ]
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith("JP_TUI"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL", "http://127.0.0.1:9/v1")
    (tmp_path / "work").mkdir()
    return tmp_path


class User:
    """Looks at the screen and presses keys."""

    def __init__(self, app: WorkspaceApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def sees(self) -> str:
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)

    async def until(self, fact: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT):
            while not fact():
                await self.pilot.pause(0.01)

    async def reads(self, words: str) -> None:
        try:
            await self.until(lambda: words in self.sees)
        except TimeoutError:
            raise AssertionError(f"no {words!r} in\n{self.sees}") from None

    async def does(self, *keys: str) -> None:
        await self.pilot.press(*keys)


@asynccontextmanager
async def started(home: Path) -> AsyncIterator[User]:
    arguments = CommandLine(workspace=str(home / "work"))
    place = RunLocation(arguments)
    made = parts(arguments, place.sources.load(), place)
    log = journal(made)
    app = WorkspaceApp(
        link=lambda: link(made, log, client=True, command="a test", greet=True),
        open_command=lambda: opening(arguments),
        workspace=str(place.workspace),
        theme="jp-night",
        themes=themes.names(str(place.paths.themes)),
        state_dir=place.paths.state,
        clock=time.monotonic,
    )
    async with app.run_test(size=(80, 24)) as pilot:
        yield User(app, pilot)
        app.action_leave()  # as a user does: the engine has said its last word before the screen goes
        async with asyncio.timeout(LIMIT):
            while not app._exit:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


def written(home: Path) -> str:
    file = home / "home" / "config" / "config.toml"
    return file.read_text() if file.exists() else ""


def requests(server: ModelServer) -> list[str]:
    return [f"{one.method} {one.path}" for one in server.received]


async def test_without_anything_the_tour_says_where_to_go(home: Path) -> None:
    async with started(home) as user:
        await user.reads("Welcome to jp-tui")
        await user.reads("/setup")
        await user.does(*"/setup", "enter")
        await user.reads("No API key or server found")
        await user.does("escape")
        await user.until(lambda: "No API key or server" not in user.sees)
    assert not written(home)


async def test_with_a_server_on_this_machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found when the workspace starts (S21), and chosen for good in five keys."""
    with in_thread(LIST, LIST, LIST, SAYS) as server:
        monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__LLAMACPP__BASE_URL", f"{server.url}/v1")
        async with started(home) as user:
            await user.reads("llamacpp/llama-3")
            assert requests(server) == ["GET /v1/models"], "nothing else is asked at the start"
            await user.does(*"/setup", "enter")
            await user.reads("running on this machine, 1 model")
            await user.does("enter")
            await user.reads("Which model from llamacpp?")
            await user.does("enter")
            await user.reads("Should a model review")
            await user.does("enter")
            await user.reads("This will be saved:")
            assert not written(home)
            await user.does("enter")
            await user.reads("Ready.")
            assert 'id = "llamacpp/llama-3"' in written(home)
            await user.does("enter")
            await user.until(lambda: "Ready." not in user.sees)
            assert "Ask anything" in user.sees and "llamacpp/llama-3" in user.sees


async def test_with_a_key_in_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of anybody before a choice; the answer comes from the model that was chosen."""
    with in_thread(LIST, SAYS) as server:
        monkeypatch.setenv("JP_TUI_PROVIDERS__LLM__MISTRAL__BASE_URL", server.url)
        monkeypatch.setenv("MISTRAL_API_KEY", KEY)
        async with started(home) as user:
            await user.reads("mistral/mistral-large-latest")
            assert not server.received
            await user.does(*"/setup", "enter")
            await user.reads("MISTRAL_API_KEY is set")
            await user.does("enter")
            await user.reads("llama-3")
            await user.does("slash", *"llama", "enter")
            await user.reads("Should a model review")
            await user.does("enter")
            await user.reads("This will be saved:")
            await user.does("enter")
            await user.reads("Ready.")
            await user.does("enter")
            await user.reads("mistral/llama-3")
            await user.does(*"hello", "enter")
            await user.reads("At your service.")
            assert server.received[-1].json["model"] == "llama-3"
            assert server.received[-1].headers["authorization"] == f"Bearer {KEY}"
            assert KEY not in user.sees
    text = written(home)
    assert 'id = "mistral/llama-3"' in text and KEY not in text
