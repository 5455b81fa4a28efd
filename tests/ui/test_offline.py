"""The workspace without its store: the status line, messages and answers that aren't sent (store.md D12)."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.widgets.status import line
from jp_tui.view.activity.status import Status
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, FakeLink
from tests.ui.app_host import workspace

PROBLEM = "The store at db.example.org:5432 does not answer: connection refused"
LOST = ev.StoreState(name="db.example.org/jp", problem=PROBLEM)
BACK = ev.StoreState(name="db.example.org/jp", back=True)
ASKED = scenes.prompt("boolean")
QUESTION = ev.QuestionAsked(conversation=ASKED.conversation, prompt=ASKED)


def held(is_held: bool) -> ev.AnswerHeld:
    return ev.AnswerHeld(conversation=ASKED.conversation, inquiry=ASKED.inquiry, held=is_held)


def test_d12_the_status_line_names_the_store_and_says_offline_at_every_width() -> None:
    status = Status(
        workspace="/srv/service",
        model="demo/tour",
        store="db.example.org/jp",
        waiting=("a/b",),
        title=Foreign("A title"),
    )
    assert " · db.example.org/jp · " in line(status, 0.0, 120).plain
    lost = replace(status, offline=True)
    for width in range(36, 160):
        shown = line(lost, 0.0, width)
        assert "offline · 1 waiting for you" in shown.plain and shown.cell_length <= width
    weak = Status(workspace="/srv/x", store="db/jp", weak="TLS not verified")
    assert line(weak, 0.0, 80).plain == "jp  /srv/x · db/jp, TLS not verified"


async def test_d12_a_message_without_the_store_is_queued_and_says_that_it_was_not_sent() -> None:
    async with workspace(say=[LOST]) as (app, pilot):
        shown = " ".join(app.screen_text().split())
        assert "offline" in shown and "does not answer: connection refused" in shown
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app.starts() == [] and [one.text for one in app.link.of(cmd.QueueTurn)] == ["hello"]
        waits = {"conversation": CONVERSATION, "messages": [{"id": 1, "text": "hello"}]}
        held_back = "not sent, the store doesn't answer"
        await app.says(pilot, ev.QueueChanged.model_validate({**waits, "held": held_back, "unsent": True}))
        shown = app.screen_text()
        assert "⧗ next   hello" in shown and "not sent, the store doesn't answer · Alt+↑ edit" in shown
        assert "held:" not in shown and not app.composer.busy
        await app.says(pilot, BACK)
        assert "offline" not in app.screen_text() and "answers again" in app.screen_text()


async def test_d7_a_store_that_is_newer_than_the_program() -> None:
    """The status line and the notice say so, also after Esc; a message is queued, with the reason."""
    newer = "The store at db.example.org:5432 has a newer schema now. Nothing more is recorded here."
    state = ev.StoreState(name="db.example.org/jp", problem=newer, newer=True)
    async with workspace(size=(80, 24), say=[state]) as (app, pilot):
        shown = " ".join(app.screen_text().replace("▌", " ").split())
        status = app.screen_text().splitlines()[0]
        assert "outdated" in status and "offline" not in status and "Nothing more is recorded here." in shown
        assert "kept on this machine, also when you quit" in shown and "when it answers" not in shown
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app.starts() == [] and [one.text for one in app.link.of(cmd.QueueTurn)] == ["hello"]


async def test_d12_the_notice_goes_when_the_store_is_back() -> None:
    async with workspace(say=[LOST]) as (app, pilot):
        await app.says(pilot, BACK)
        assert "does not answer" not in app.screen_text()
        await app.says(pilot, LOST)
        await pilot.press("escape")
        await pilot.pause()
        assert "does not answer" not in app.screen_text() and "offline" in app.screen_text()


async def test_d12_a_long_message_of_the_server_is_cut() -> None:
    long = ev.StoreState(name="db.example.org/jp", problem=f"{PROBLEM} {'and so on ' * 40}")
    async with workspace(size=(80, 24), say=[long]) as (app, _):
        assert "sent when it answers." in " ".join(app.screen_text().split())


async def test_d12_a_key_tries_the_store_again() -> None:
    async with workspace(say=[LOST]) as (app, pilot):
        app._bridge.hurry()
        app._bridge.hurry()
        assert len(app.link.of(cmd.RetryStore)) == 1
        await app.says(pilot, BACK)
        app._bridge._retried = -100.0
        app._bridge.hurry()
        assert len(app.link.of(cmd.RetryStore)) == 1


async def test_d12_an_answer_that_waits_is_marked_and_esc_takes_it_back() -> None:
    async with workspace(say=[LOST, *scenes.tools(), QUESTION]) as (app, pilot):
        for _ in range(2):
            await app.passes(pilot, 2.0)
        await pilot.press("y", "enter")
        await pilot.pause()
        sent = len(app.link.of(cmd.AnswerQuestion))
        assert sent == 1
        await app.says(pilot, held(True))
        shown = " ".join(app.screen_text().split())
        assert "Not sent, the store doesn't answer" in shown and "Esc takes your answer back." in shown
        await pilot.press("f4")
        await pilot.pause()
        assert "not sent" in app.screen_text()
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert [one.inquiry for one in app.link.of(cmd.TakeBackAnswer)] == [ASKED.inquiry]
        await app.says(pilot, held(False))
        assert "Not sent" not in app.screen_text()
        for _ in range(2):
            await app.passes(pilot, 2.0)
        await pilot.press("n", "enter")
        await pilot.pause()
        assert len(app.link.of(cmd.AnswerQuestion)) == sent + 1


async def test_d4_without_a_conversation_a_message_stays_in_the_composer() -> None:
    link = FakeLink()
    link.answers[cmd.OpenConversation] = lambda _: [LOST]
    async with workspace(link) as (app, pilot):
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app.composer.text == "hello" and "Not sent" in app.screen_text() and app.starts() == []
