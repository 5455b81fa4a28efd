"""Pictures of the pages over the workspace: settings, conversations, models, usage, a question that another process
holds; in three themes at 80x24 and 120x36 (issue 8 and 7 "Done when").

After a change that is meant: `pytest tests/ui/test_page_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.library import Found, Hit
from jp_tui.protocol.models import MissingKey, ModelInfo, ServerProblem
from jp_tui.protocol.settings import SettingEntry
from jp_tui.protocol.usage import RequestUsage, TurnUsage
from jp_tui.protocol.values import ConversationInfo, StoredEvent, UsageTotals
from jp_tui.ui.screens import library
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken
from tests.ui.test_offered import HELD, elsewhere
from tests.ui.test_offered import taken as taken_up

FILE = "/home/ada/.config/jp-tui/config.toml"


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(library, "REST", 0.001)  # no pause of the keys to wait for


# -- settings


def setting(key: str, value: Any, help_: str, kind: str = "text", **more: Any) -> SettingEntry:
    given = {"key": key, "value": value, "help": help_, "kind": kind, "layer": "built-in", "place": "defaults.toml:40"}
    return SettingEntry.model_validate({**given, **more})


SETTINGS = (
    setting("assistant.name", "Assistant", "what the model is called"),
    setting("assistant.model.id", "anthropic/claude-haiku-4-5", "provider/model, or an alias of it", layer="workspace",
            place="/home/ada/code/acme/.jp-tui/config.toml:3"),
    setting("assistant.model.parameters.max_tokens", None, "the most that one response may have", "integer",
            low=1, high=1_000_000),
    setting("assistant.system_prompt", "You work in the user's folder.\nSay what you do.", "before all that is said"),
    setting("conversation.tools.*.run", "ask", "whether a call runs: ask, unattended or skip", "choice",
            choices=("ask", "unattended", "skip"), applies="turn"),
    setting("inquiry.max_attempts", 20, "how often one question may be asked", "integer", low=1, high=1000),
    setting("notify.bell", True, "ring when something waits", "boolean", applies="now"),
    setting("ui.sidebar", "hide", "the tool activity beside the conversation", "choice", layer="user",
            place=f"{FILE}:2", choices=("auto", "show", "hide"), default="auto", own=True),
    setting("ui.theme", "jp-night", "the name of a theme", "choice", choices=("jp-night", "jp-day", "jp-paper"),
            default="jp-night", applies="now"),
    setting("ui.width", 100, "columns of text at most", "integer", layer="user", place=f"{FILE}:3", default=110,
            own=True, hidden_by="JP_TUI_CFG_UI_WIDTH"),
)  # fmt: skip
SETTING_KEYS = {
    "list": "",
    "search": "slash s i d e",
    "choice": "G k k enter",
    "line": "j j j j j enter",
    "refused": "j j j j j enter ctrl+u 3 0 0 0 enter",
}


@looks
@pytest.mark.parametrize("scene", list(SETTING_KEYS))
def test_settings(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    app.link.answers[cmd.ReadSettings] = lambda _: [ev.SettingsRead(entries=SETTINGS, file=FILE)]
    app.link.answers[cmd.SetSetting] = lambda asked: [
        ev.Refused(command="set_setting", message=f"{asked.key}: expected a whole number from 1 to 1000")
    ]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("settings")
        await app.still(pilot)
        for key in SETTING_KEYS[scene].split():  # the details' height decides how far the list scrolls, so one by one
            await pilot.press(key)
            await app.still(pilot)
        assert bool(app.link.of(cmd.SetSetting)) == (scene == "refused")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=then))


# -- conversations


def kept(id_: str, title: str, updated: str, turns: int, **more: Any) -> ConversationInfo:
    return ConversationInfo(
        id=id_, title=Foreign(title), workspace="/home/ada/code/acme", model="anthropic/claude-haiku-4-5",
        created="2026-03-01 10:00:00", updated=updated, events=turns * 9, turns=turns, **more,
    )  # fmt: skip


KEPT = (
    kept(CONVERSATION, "rfd-links", "2026-03-05 21:20:00", 2),
    kept("b2", "Why the checker leaves out links into other workspaces, and what it would take to follow them all",
         "2026-03-05 18:02:00", 7),
    kept("b3", "Move the storage chapter", "2026-03-03 09:00:00", 3, forked_from="b2"),
    kept("b4", "", "2026-03-02 12:00:00", 1, imported_from="jp"),
)  # fmt: skip
SAID = (
    ("chat_request", "Why does the checker leave out links into other workspaces?"),
    ("chat_response", "It resolves **relative** paths:\n\n- with a scheme a link is skipped\n- the rest is looked up"),
    ("chat_request", "And what would it take to follow them?"),
    ("chat_response", "A table of the workspaces, which `links.toml` could hold. I would begin with two of them."),
)  # fmt: skip


def events() -> tuple[StoredEvent, ...]:
    at, found = "2026-03-05 18:02:00", []
    for seq, (kind, words) in enumerate(SAID, 1):
        said = {"content": words} if kind == "chat_request" else {"message": words}
        found.append(StoredEvent(seq=seq, turn=(seq + 1) // 2, event={"timestamp": at, "type": kind, **said}))
    return tuple(found)


def hits(revision: int) -> ev.ConversationsFound:
    def hit(turn: int, text: str) -> Hit:
        at = text.index("links")
        return Hit(seq=turn, turn=turn, kind="chat_request", text=Foreign(text), marks=((at, at + 5),))

    places = (hit(1, "…the checker leave out links into other workspaces?"), hit(2, "…which `links.toml` could hold…"))
    found = (Found(info=KEPT[1], hits=places), Found(info=KEPT[0], hits=()), Found(info=KEPT[2], hits=places[:1]))
    return ev.ConversationsFound(text="links", revision=revision, found=found, unindexed=12)


async def list_(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("j")


async def search(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("slash")
    app.burst(*"links")
    await reaches(app, pilot, cmd.SearchConversations)
    await app.still(pilot)
    await pilot.press("down", "k")


async def deleted(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("j", "x")


async def rename(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press("j", "n")
    await app.still(pilot)
    assert "to follow them all" in app.screen_text(), "the cursor is in sight"
    assert "Enter select" in app.screen_text()


async def reaches(app: Host, pilot: Pilot[None], kind: type[Any]) -> None:
    """Until such a command was sent."""
    for _ in range(500):
        await pilot.pause()
        if app.link.of(kind):
            return
    raise AssertionError(f"no {kind.__name__}")


CONVERSATIONS = {"list": list_, "search": search, "deleted": deleted, "rename": rename, "empty": None}


@looks
@pytest.mark.parametrize("scene", list(CONVERSATIONS))
def test_conversations(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    rows = {one.id: one for one in KEPT if scene != "empty"}
    app.link.answers[cmd.ListConversations] = lambda _: [ev.ConversationsListed(conversations=tuple(rows.values()))]
    app.link.answers[cmd.SearchConversations] = lambda asked: [hits(asked.revision)]
    app.link.answers[cmd.ReadConversation] = lambda asked: [
        ev.ConversationRead(info=rows[asked.conversation], events=events(), more=False)
    ]
    app.link.answers[cmd.DeleteConversation] = lambda asked: [
        ev.ConversationChanged(info=rows.pop(asked.conversation).model_copy(update={"deleted": "2026-03-05 21:24:00"}))
    ]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("conversations")
        await app.still(pilot)
        if (does := CONVERSATIONS[scene]) is not None:
            await does(app, pilot)
        if scene not in ("search", "empty"):
            await reads(app, pilot, "b3" if scene == "deleted" else "b2")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=then))


async def reads(app: Host, pilot: Pilot[None], conversation: str) -> None:
    """Until the highlighted one was read, for its end to be shown."""
    for _ in range(500):
        await pilot.pause()
        if (found := app.link.of(cmd.ReadConversation)) and found[-1].conversation == conversation:
            return
    raise AssertionError("it was not read")


# -- models and what they cost

MODELS = ev.ModelsListed(
    models=(
        ModelInfo(id="anthropic/claude-haiku-4-5", provider="anthropic", model="claude-haiku-4-5", window=200_000,
                  input=1.0, output=5.0, images=True, aliases=("haiku",)),
        ModelInfo(id="anthropic/claude-opus-4-5", provider="anthropic", model="claude-opus-4-5", window=200_000,
                  input=5.0, output=25.0, images=True, aliases=("opus", "large")),
        ModelInfo(id="demo/tour", provider="demo", model="tour", default=True),
        ModelInfo(id="local/qwen3-32b-instruct-q5_k_m-with-a-long-name-of-its-own-kind", provider="local",
                  model="qwen3-32b-instruct-q5_k_m-with-a-long-name-of-its-own-kind", window=32_768, input=0.0,
                  output=0.0),
    ),
    problems=(
        ServerProblem(provider="ollama", kind="unreachable", message="Nothing listens."),
        ServerProblem(provider="groq", kind="auth", message="The key was refused.", advice="Check GROQ_API_KEY."),
    ),
    missing=(MissingKey(provider="openai", variable="OPENAI_API_KEY"),),
)  # fmt: skip


@looks
def test_models(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    app.link.answers[cmd.ListModels] = lambda _: [MODELS]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("model")
        await app.still(pilot)
        await pilot.press("j")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=then))


def used(read: int, wrote: int, cost: float, **more: Any) -> UsageTotals:
    return UsageTotals(input=read, output=wrote, cost_usd=cost, **more)


def usage() -> ev.UsageRead:
    asked = (
        "Add a cross-reference to RFD 016 in the knowledge-base RFD, then tell me what else links there.",
        "Now the other way round",
        "",
    )
    parts = ((used(1200, 40, 0.0014), used(1800, 212, 0.005, cached=1000)), (used(4100, 96, 0.0046),), ())
    whats = ("fs_read_file", "fs_modify_file, and the answer")
    turns = []
    for number, (words, requests) in enumerate(zip(asked, parts, strict=True), 1):
        total = UsageTotals()
        for one in requests:
            total = total.plus(one)
        named = tuple(RequestUsage(what=Foreign(what), usage=one) for what, one in zip(whats, requests, strict=False))
        turns.append(TurnUsage(
            turn=number, asked=Foreign(words), model="anthropic/claude-haiku-4-5",
            outcome="done" if requests else "interrupted", ms=4200 * len(requests), usage=total,
            reviews=2 if number == 1 else 0, review_usage=used(900, 30, 0.0011) if number == 1 else UsageTotals(),
            requests=named,
        ))  # fmt: skip
    return ev.UsageRead(
        conversation=CONVERSATION, model="anthropic/claude-haiku-4-5", turns=tuple(turns), window=200_000,
        total=used(7100, 348, 0.011, cached=1000, context=50_000), review_total=used(900, 30, 0.0011),
    )  # fmt: skip


@looks
def test_usage(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    app.link.answers[cmd.ReadUsage] = lambda _: [usage()]

    async def then(app: Host, pilot: Pilot[None]) -> None:
        app.action_open("usage")
        await app.still(pilot)
        await pilot.press("G")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, then=then))


# -- a question that another process holds (S12)


@looks
@pytest.mark.parametrize("scene", ["asks", "no-reaction"])
def test_held_elsewhere(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host(theme, elsewhere(HELD))

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await taken_up(app, pilot)
        if scene == "no-reaction":
            await pilot.press("y", "enter")
            await pilot.pause()
            told = "jp-tui (process 7 on box) holds the conversation and did not react."
            await app.says(pilot, ev.OfferSettled(
                status="no_reaction", conversation=HELD.conversation, inquiry=HELD.inquiry, message=told,
            ))  # fmt: skip
        await app.still(pilot)
        app._main._end_notice()  # where it goes was said for some seconds: the keys have the last line again

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *scenes.tools(), then=then))
