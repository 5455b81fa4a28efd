"""Agents of other makers in pictures (N40-N44): a permission with its diff, plan and terminal, and `/model`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.models import ModelInfo
from jp_tui.protocol.values import WaitingInfo
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.startup.catalogue import _agent
from jp_tui.startup.parts import Parts
from jp_tui.tools.agents.offers import AgentOffers
from jp_tui.ui.sidebar.sidebar import Sidebar
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken

SHOWN = """\
opencode runs this itself, outside the sandbox.

```diff
--- a/src/brew.py
+++ b/src/brew.py
@@ -1,3 +1,3 @@
 def brew(tea):
-    water = boil(100)
+    water = boil(TABLE[tea])
     return steep(tea, water)
```"""
STEPS = (("Read the table", "completed"), ("Take the temperature from it", "in_progress"), ("Run the tests", "pending"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def working() -> list[ev.Event]:
    """An agent with a plan, a call that is done, and its terminal, which runs."""
    steps: list[Json] = [{"step": step, "status": status} for step, status in STEPS]
    runs = scenes.call("opencode.terminal", "running", id_="call_2")
    line = Foreign("tests/test_brew.py ...F.....   [ 62%]")
    return [
        *scenes.started("agent/opencode"),
        scenes.appended(3, stored.Unknown({"timestamp": scenes.AT, "type": "plan", "steps": steps})),
        scenes.call("opencode.read", "completed", id_="call_1", ms=40, end="ok"),
        runs.model_copy(update={"title": Foreign("pytest -q tests/test_brew.py"), "said": line}),
    ]


def waits(agent: str, conversation: str, text: str, kind: str) -> WaitingInfo:
    """The permission that another agent waits for, in a conversation of its own."""
    return WaitingInfo(
        conversation=conversation,
        title=Foreign(text),
        inquiry=f"{agent}-1.permission.1",
        tool=f"{agent}.{kind}",
        source="tool",
        text=Foreign(f"Run {agent}.{kind}?"),
        digest=conversation,
        since=scenes.AT,
        held_by="jp-tui (pid 4711)",
        question={"text": f"Run {agent}.{kind}?", "answer_type": {"type": "boolean"}, "context": "x"},
    )


async def sidebar(app: Host, pilot: Pilot[None]) -> None:
    """Open it, also where the terminal is narrow."""
    if not app._main.query_one(Sidebar).display:
        app._main.action_sidebar()
    await pilot.pause()


@looks
def test_n43_an_agents_plan_and_terminal(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme, model="agent/opencode")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *working(), then=sidebar))


@looks
def test_n40_three_agents_in_the_sidebar(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    """One works here; two wait in conversations of their own, in the same inbox."""
    app = host(theme, model="agent/opencode")
    others = (waits("claude", "c8", "Release notes", "execute"), waits("gemini", "c9", "Translate the page", "edit"))

    events = [*working(), ev.WaitingListed(waiting=others)]
    assert snap_compare(app, terminal_size=size, run_before=taken(app, *events, then=sidebar))


@looks
def test_n42_an_agent_asks(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme, model="agent/opencode")
    steps: list[Json] = [{"step": step, "status": status} for step, status in STEPS]
    asks = Question("permission", "Run opencode.edit?", BooleanAnswer(), SHOWN, persistence="none", acts=True)
    prompt = scenes.prompt("boolean").model_copy(
        update={
            "question": asks,
            "digest": digest(asks),
            "tool": "opencode.edit",
            "source_name": "opencode.edit",
            "subject": Foreign("src/brew.py"),
            "controls": frozenset({"reply", "end_turn", "cancel"}),
            "remember_covers": "",
            "preselect": False,
            "why": "",
        }
    )
    events = [
        *scenes.started("agent/opencode"),
        scenes.appended(3, stored.Unknown({"timestamp": scenes.AT, "type": "plan", "steps": steps})),
        scenes.call("opencode.read", "completed", id_="call_1"),
        scenes.call("opencode.edit", "awaiting_input", id_="call_2"),
        ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt),
    ]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *events, then=then))


OFFERED: dict[str, Any] = {
    "configOptions": [
        {
            "id": "model",
            "type": "select",
            "category": "model",
            "currentValue": "anthropic/claude-sonnet-4-5",
            "options": [
                {"value": "anthropic/claude-sonnet-4-5", "name": "Claude Sonnet 4.5"},
                {"value": "openai/gpt-5", "name": "GPT-5", "description": "For hard problems; slower and costlier"},
                {"value": "local/[b]llama\x1b[31m", "name": "Llama\x1b]0;x\x07\nsecond line"},
            ],
        },
    ],
    "modes": {
        "currentModeId": "build",
        "availableModes": [
            {"id": "build", "name": "Build", "description": "Changes files and runs commands"},
            {"id": "plan", "name": "Plan", "description": "Reads only"},
        ],
    },
}


def listed() -> ev.ModelsListed:
    """One agent runs and has said what it offers; another is set up."""
    offers = AgentOffers()
    offers.opened(OFFERED)
    runs = SimpleNamespace(program=SimpleNamespace(name="opencode"), alive=True, offers=offers)
    parts = cast(Parts, SimpleNamespace(agents={CONVERSATION: runs}))
    tour = ModelInfo(id="demo/tour", provider="demo", model="tour", default=True)
    return ev.ModelsListed(models=(tour, *_agent(parts, "gemini"), *_agent(parts, "opencode")))


@looks
def test_n44_models_and_modes_of_a_live_agent(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme, model="agent/opencode")
    app.link.answers[cmd.ListModels] = lambda _: [listed()]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("model")
        await app.still(pilot)
        await pilot.press("j", "j")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *working(), then=then))
