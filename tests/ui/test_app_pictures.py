"""Pictures of every screen at 80x24, of a part of them (nightly of all) at 120x36, and of every theme once (R255).

The clock stands still, nothing is animated, the painter has finished: the same picture on any machine. After a
change that is meant: `pytest tests/ui/test_app_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import Escalation, PolicyChange, ReviewerFigures, StoredEvent, Verdict
from jp_tui.settings.themes import themes
from jp_tui.ui.sidebar.sidebar import Sidebar
from tests.fakes import scenes, waiting
from tests.fakes.link import CONVERSATION, FakeLink, opened
from tests.sampling import sampled
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open
from tests.view.test_ledger import entry, info

Compare = Callable[..., bool]
SIZES = SMALL, LARGE = (80, 24), (120, 36)
LOOKS = ("jp-night",)
TITLE = Foreign("rfd-links")

LEDGER = (
    entry(key="a", value=True, since=scenes.AT, uses=3, text=Foreign("Apply this change?")),
    entry(key="b", kind="permission", question="", tool="run_checks", value=False, since=scenes.AT, uses=1),
    entry(key="c", kind="pinned", scope="settings", question="branch", value="main",
          place="/home/ada/code/acme/.jp-tui/config.toml:12"),
    entry(key="d", kind="unattended", scope="settings", tool="fs_read_file", question="", revocable=False,
          place="built-in tools.toml:40"),
)  # fmt: skip
INQUIRIES = (
    info(id="a", turn=1, response={"outcome": "answered", "id": "a", "answer": False, "reason": "Too wide for me.",
                                   "responder": {"kind": "assistant", "model": "haiku-4-5", "ms": 1400}}),
    info(id="b", turn=1, response={"outcome": "answered", "id": "b", "answer": True,
                                   "responder": {"kind": "user", "escalated": True}}),
    info(id="c", source="assistant", source_name="", response={"outcome": "redacted", "id": "c"},
         question={"text": "Which token opens the registry?", "answer_type": {"type": "secret"}}),
    info(id="d", why="no setting answers `apply_changes` of fs_modify_file"),
)  # fmt: skip


def reviewed(*heard: str) -> list[ev.Event]:
    """A model decides (R139), and so much of its reason was heard (E40)."""
    inquiry = "call_2.apply_changes.1"
    deltas = [
        ev.ReviewDelta(conversation=CONVERSATION, inquiry=inquiry, kind="reason", text=Foreign(text)) for text in heard
    ]
    started = ev.ReviewStarted(
        conversation=CONVERSATION, turn=1, call="call_2", inquiry=inquiry, tool="fs_modify_file",
        model="anthropic/claude-haiku-4-5",
    )  # fmt: skip
    waits = scenes.call("fs_modify_file", "awaiting_assistant", id_="call_2")
    return [*scenes.tools(), scenes.asked()[0], waits, started, *deltas]


def rejected() -> list[ev.Event]:
    """The first no is on record and comes to the human, who sees both verdicts (R149, E41)."""
    fact, _, asks = scenes.asked(inquiry="call_2.apply_changes.2")
    assert isinstance(asks, ev.QuestionAsked) and isinstance(fact, ev.EventAppended)
    told = Escalation(
        model="anthropic/claude-haiku-4-5",
        reason=Foreign("The TIP references RFD 016, but the section discusses the knowledge base; it is tangential."),
        ms=1400,
        before=(Verdict(model="anthropic/claude-haiku-4-5", reason=Foreign("Looks unrelated."), ms=900),),
        saw="the whole change, 0.2 KB, and 3 messages before it",
    )
    usage: JsonObject = {"input": 1200, "output": 60, "cost_usd": 0.0015}
    by = stored.Responder("assistant", model="anthropic/claude-haiku-4-5", ms=1400, usage=usage)
    no = stored.InquiryAnswered(
        timestamp=scenes.AT, id="call_2.apply_changes.1", answer=False, explanation=told.reason.raw, responder=by
    )
    prompt = asks.prompt.model_copy(update={"escalation": told})
    over = ev.QuestionSettled(conversation=CONVERSATION, inquiry=no.id, how="answered", by="assistant")
    waits = scenes.call("fs_modify_file", "awaiting_input", id_="call_2")
    asked = ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt)
    again = fact.model_copy(update={"stored": fact.stored.model_copy(update={"seq": 9})})
    return [*reviewed(), scenes.appended(8, no), over, again, waits, asked]


FARED = (
    ReviewerFigures(
        tool="fs_modify_file", question="apply_changes", model="anthropic/claude-haiku-4-5", asked=48, approved=31,
        rejected=14, failed=2, taken_over=1, overturned=9, upheld=4, p50_ms=7100, p95_ms=38_400, input=812_000,
        output=9_400, cost_usd=0.86, first="2026-02-01 10:00:00", last=scenes.AT,
        outcomes="aaraaaroaaaaarafaaoaaoaaroaaataoaarofaaoaaaoaoaa",
        suggests=PolicyChange(
            key="conversation.tools.fs_modify_file.questions.apply_changes.target", value="user",
            words="You overturned 9 of 13 rejections: decide these yourself?",
        ),
    ),
    ReviewerFigures(
        tool="git_push", question="force", model="local/qwen3-32b", asked=3, approved=1, rejected=2, upheld=2,
        p50_ms=900, p95_ms=1200, first=scenes.AT, last=scenes.AT, outcomes="rar",
    ),
)  # fmt: skip


RESUMED: list[ev.Event] = [
    ev.TurnStarted(conversation=CONVERSATION, turn=1, model="demo/tour", resumed=True), *scenes.asked()[1:]
]  # fmt: skip
"""What follows a conversation that was cut off at a question (R207)."""


def cut_off() -> tuple[StoredEvent, ...]:
    """The page it opens with."""
    return tuple(event.stored for event in [*scenes.tools(), *scenes.asked()] if isinstance(event, ev.EventAppended))


SCENES: dict[str, tuple[list[ev.Event], str]] = {
    "idle": ([], ""),
    "streaming": (scenes.streaming(), ""),
    "tools": (scenes.tools(), ""),
    "boolean": ([*scenes.tools(), *scenes.asked("boolean")], "arm"),
    "select": ([*scenes.tools(), *scenes.asked("select")], "arm"),
    "text": ([*scenes.tools(), *scenes.asked("text")], "arm"),
    "queue": ([*scenes.tools(), *scenes.asked("boolean"), *scenes.asked("select", call_id="call_3")], "arm ctrl+o"),
    "done": ([*scenes.tools(), *scenes.asked()[:1], *scenes.answered(), *scenes.done()], ""),
    "failed": (scenes.failed(), ""),
    "interrupted-streaming": (scenes.streaming(), "escape"),
    "interrupted-tools": (scenes.tools(), "escape"),
    "interrupted-words": (scenes.tools(), "o k enter escape 2"),
    "still-working": (scenes.streaming(), "o k enter"),
    "trouble": ([*scenes.streaming(), ev.StorageFailed(message="The disk is full.", advice="Make room.")], ""),
    "read-only": (scenes.streaming(), ""),
    "reviewer": (reviewed("The TIP references RFD 016, but the surrounding section disc"), ""),
    "escalated": (rejected(), "arm"),
    "reviewers": (scenes.tools(), "f10"),
    "reviewers-sure": (scenes.tools(), "f10 c"),
    "resumed": (RESUMED, ""),
    "slash": (scenes.tools(), "/"),
    "slash-unknown": (scenes.tools(), "/ l e d g r enter"),
    "ledger": (scenes.tools(), "f7"),
    "ledger-sure": (scenes.tools(), "f7 down down d"),
    "ledger-empty": (scenes.tools(), "f7"),
    "inquiries": (scenes.tools(), "f8"),
    "inbox": (waiting.agents(), "f4"),
    "inbox-empty": (scenes.tools(), "f4"),
    "inbox-how-long": (waiting.agents(), "f4 down z"),
    "inbox-put-off": (waiting.agents(), "f4 down z 2"),
    "agents-ask": (waiting.agents(), "arm ctrl+t arm"),
    "agents-nested": (waiting.agents(), "arm ctrl+o sidebar"),
    "agents": (waiting.agents(), "arm ctrl+o f3"),
    "agent-view": ([*waiting.agents(), *waiting.view()], "arm ctrl+o"),
    "keys": (scenes.tools(), "f1"),
    "themes": ([*scenes.tools(), *scenes.asked()[:1], *scenes.answered(), *scenes.done()], "theme"),
    "leaving": (scenes.streaming(), "ctrl+q"),
    "outside-folded": ([*scenes.tools(), waiting.outside()], "arm"),
    "outside-open": ([*scenes.tools(), waiting.outside()], "ctrl+o arm arm"),
    "outside-inbox": ([*scenes.tools(), waiting.outside()], "f4"),
    "outside-permission": ([*scenes.tools(), waiting.permission_outside()], "ctrl+o arm arm"),
    "outside-claimed": ([*scenes.tools(), waiting.outside(claimed=True)], "ctrl+o arm arm"),
    "at-work": ([*waiting.agents(), waiting.outside(claimed=True)], "all"),
}


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def host(scene: str, theme: str) -> Host:
    greeting = scenes.GREETING if scene == "idle" else None
    held = "jp-tui 4711 on ada's machine writes it" if scene == "read-only" else ""
    page = cut_off() if scene == "resumed" else ()
    last = page[-1].seq if page else 0
    first = opened(title=TITLE, greeting=greeting, held_by=held, new=scene == "idle", page=page, last_seq=last)
    link = FakeLink(first, stops=False)
    entries = () if scene == "ledger-empty" else LEDGER
    recorded = (waiting.RECORDED,) if scene in ("inbox", "inbox-how-long", "inbox-put-off") else ()
    recorded = waiting.outside(claimed=True).waiting if scene == "outside-inbox" else recorded
    link.answers[cmd.ReadAgents] = lambda _: [waiting.at_work()]
    link.answers[cmd.WatchWaiting] = lambda one: [ev.WaitingListed(waiting=recorded)] if one.on else []
    link.answers[cmd.ReadReviewers] = lambda _: [ev.ReviewersRead(reviewers=FARED)]
    link.answers[cmd.ReadLedger] = lambda _: [ev.LedgerRead(conversation=CONVERSATION, entries=entries)]
    link.answers[cmd.ListInquiries] = lambda _: [ev.InquiriesListed(inquiries=INQUIRIES)]
    app = Host(link, theme=theme)
    app.wall = lambda: read_timestamp("2026-03-05 21:24:00").timestamp()  # type: ignore[method-assign]
    return app


def steps(app: Host, say: list[ev.Event], keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    """What happens before the picture is taken."""

    async def run(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        await app.says(pilot, *say)
        for key in keys.split():
            if key == "arm":
                await app.passes(pilot, 1.0)
            elif key == "theme":
                app.action_theme()
            elif key == "all":
                app.action_open("agents", "all")
            elif key == "sidebar":
                if not app._main.query_one(Sidebar).display:
                    app._main.action_sidebar()
            else:
                await pilot.press(key)
            await pilot.pause()
        await app.still(pilot)

    return run


@pytest.mark.parametrize("theme", LOOKS)
@pytest.mark.parametrize(
    ("scene", "size"),
    [(scene, SMALL) for scene in SCENES] + [(scene, LARGE) for scene in sampled(list(SCENES), 6)],
    ids=lambda value: value if isinstance(value, str) else f"{value[0]}x{value[1]}",
)
def test_screen(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = host(scene, theme)
    assert snap_compare(app, terminal_size=size, run_before=steps(app, *SCENES[scene]))


@pytest.mark.parametrize("theme", [name for name in sorted(themes.names("/nonexistent")) if name not in LOOKS])
def test_theme(snap_compare: Compare, theme: str) -> None:
    app = host("boolean", theme)
    assert snap_compare(app, terminal_size=(120, 36), run_before=steps(app, *SCENES["boolean"]))


@pytest.mark.parametrize("scene", ["outside-claimed", "at-work"])
def test_light(snap_compare: Compare, scene: str) -> None:
    app = host(scene, "jp-day")
    assert snap_compare(app, terminal_size=SMALL, run_before=steps(app, *SCENES[scene]))


@pytest.mark.parametrize("size", [(59, 15), (30, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_too_small(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = host("tools", "jp-night")
    assert snap_compare(app, terminal_size=size, run_before=steps(app, *SCENES["tools"]))


def test_the_activity_over_a_narrow_conversation(snap_compare: Compare) -> None:
    app = host("done", "jp-night")
    say = [*scenes.tools(), *scenes.asked()[:1], *scenes.answered(), *scenes.done()]
    assert snap_compare(app, terminal_size=(80, 24), run_before=steps(app, say, "ctrl+b"))
