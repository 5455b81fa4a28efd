"""The workspace and its engine: what is sent, what comes back, what stands still (issue 3, 7; T24)."""

from __future__ import annotations

import pytest
from textual.css.stylesheet import Stylesheet
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo
from jp_tui.ui.failures.app_failures import EngineBroke
from jp_tui.ui.notify.window_title import title_text
from jp_tui.ui.textual_patches.private import rendered
from jp_tui.ui.transcript.banner import Banner
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.view.activity.status import Status
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, FakeLink, opened
from tests.ui.app_host import Host, until, workspace
from tests.ui.app_host import opened as is_open


async def test_it_opens_the_conversation_and_asks_for_the_history() -> None:
    async with workspace() as (app, _):
        assert [command.type for command in app.link.sent] == [
            "open_conversation",
            "read_history",
            "watch_waiting",
            "list_conversations",
            "read_context",
            "read_queue",
        ]
        assert app.focused is app.composer
        assert "~/code/acme" in app.screen_text() and "demo/tour" in app.screen_text()


async def test_a_prompt_of_the_command_line_is_said_once_open() -> None:
    async with workspace(first_prompt="fix the build") as (app, _):
        assert app.starts() == ["fix the build"]


async def test_enter_sends_and_the_draft_is_forgotten() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app.starts() == ["hello"]
        assert app.composer.text == ""
        drafts = app.link.of(cmd.SaveDraft)
        assert not drafts or drafts[-1].text == ""


async def test_while_the_model_works_enter_queues_the_text_and_the_last_line_says_so() -> None:
    async with workspace(say=scenes.streaming()) as (app, pilot):
        assert "Enter send" not in app.footer and "Enter queue" in app.footer and "Esc interrupt" in app.footer
        await pilot.press(*"wait", "enter")
        await pilot.pause()
        assert app.starts() == [] and app.composer.text == ""
        assert [one.text for one in app.link.of(cmd.QueueTurn)] == ["wait"]
        await app.says(pilot, *scenes.done())
        assert "Enter send" in app.footer and "Enter queue" not in app.footer


async def test_a_second_message_in_the_same_burst_waits_for_the_first() -> None:
    """Between Enter and the engine's word nothing may be sent twice, nor lost."""
    async with workspace() as (app, pilot):
        app.burst(*"one", "enter", *"two", "enter")
        await pilot.pause()
        await pilot.pause()
        assert app.starts() == ["one"] and app.composer.text == ""
        assert [one.text for one in app.link.of(cmd.QueueTurn)] == ["two"]


async def test_a_failed_turn_gives_the_prompt_back_unless_something_is_written() -> None:
    async with workspace(say=scenes.failed()) as (app, pilot):
        assert app.composer.text == scenes.PROMPT
        await pilot.press("end", *"x")
        kept = app.composer.text
        await app.says(pilot, *scenes.failed())
        assert app.composer.text == kept


async def test_a_refused_message_comes_back_with_the_reason() -> None:
    async with workspace() as (app, pilot):
        app.link.answers[cmd.StartTurn] = lambda _: [
            ev.Refused(command="start_turn", message="No model.", advice="Set one.", conversation=CONVERSATION)
        ]
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert app.composer.text == "hello"
        assert "No model." in app.screen_text() and "Set one." in app.screen_text()
        await pilot.press("escape")
        assert "No model." not in app.screen_text()


async def test_trouble_with_the_log_is_said_until_it_is_over() -> None:
    async with workspace(say=[ev.StorageFailed(message="The disk is full.", advice="Make room.")]) as (app, pilot):
        assert "The disk is full." in app.screen_text()
        await pilot.press("escape")
        await pilot.click(Banner)
        assert "The disk is full." in app.screen_text()
        await app.says(pilot, *scenes.started())
        assert "The disk is full." not in app.screen_text()


async def test_what_happened_to_the_store_is_said_until_it_is_put_away() -> None:
    """(Z23, Z24) And no event puts it away."""
    notice = ev.UserNotice(message="The database was damaged.", advice="It is kept as x.damaged.")
    async with workspace(say=[notice]) as (app, pilot):
        assert "The database was damaged." in app.screen_text() and "x.damaged" in app.screen_text()
        await app.says(pilot, *scenes.started())
        assert "The database was damaged." in app.screen_text()
        await pilot.press("escape")
        assert "The database was damaged." not in app.screen_text()


@pytest.mark.parametrize(("storage", "status"), [(False, 2), (True, 1)])
async def test_a_store_that_fails_at_the_opening_ends_with_1(storage: bool, status: int) -> None:
    """(Z20)"""
    link = FakeLink()
    refused = ev.Refused(command="open_conversation", message="No room.", storage=storage)
    link.answers[cmd.OpenConversation] = lambda _: [refused]
    app = Host(link)
    async with app.run_test() as pilot:
        for _ in range(50):
            await pilot.pause()
            if app.return_code is not None:
                break
    assert app.return_code == status


async def test_when_nothing_can_be_opened_it_ends_with_status_2_and_words() -> None:
    link = FakeLink()
    link.answers[cmd.OpenConversation] = lambda _: [
        ev.Refused(command="open_conversation", message="No conversation \x1b[31mx.", advice="`conversations list`.")
    ]
    app = Host(link)
    async with app.run_test() as pilot:
        for _ in range(50):
            await pilot.pause()
            if app.return_code is not None:
                break
    assert app.return_code == 2


async def test_a_bug_in_the_engine_ends_with_status_1_and_a_report(tmp_path: object) -> None:
    app = Host(FakeLink())
    with pytest.raises(EngineBroke, match="it broke"):
        async with app.run_test() as pilot:
            await is_open(app, pilot)
            await app.says(pilot, ev.EngineFailed(message="it broke", report="Traceback: …"))
    assert app.return_code == 1


async def test_a_question_of_another_conversation_is_shown_its_other_events_are_not() -> None:
    """E4."""
    async with workspace() as (app, pilot):
        other = ev.TurnStarted(conversation="c9", turn=1, model="other/model")
        await app.says(pilot, other)
        assert not app.composer.busy and "other/model" not in app.screen_text()
        asks = scenes.prompt("text").model_copy(update={"conversation": "c9"})
        await app.says(pilot, ev.QuestionAsked(conversation="c9", prompt=asks))
        assert "1 waiting for you" in app.screen_text() and app.dock.open


async def test_somebody_else_writes_this_conversation() -> None:
    """S12: looking on is enough; nothing can be written, and it says who holds it."""
    link = FakeLink(opened(held_by="jp-tui 4711 on ada's machine", drafts={"composer": "mine"}))
    async with workspace(link) as (app, pilot):
        assert "jp-tui 4711 on ada's machine" in app.screen_text() and "read-only" in app.screen_text()
        await pilot.press(*"hello", "enter")
        assert (app.composer.text, app.starts(), app.link.of(cmd.SaveDraft)) == ("", [], [])
        await app.says(pilot, *scenes.streaming())
        await pilot.press("escape", "ctrl+c")
        assert app.link.of(cmd.InterruptTurn) == [] and "Interrupted" not in app.screen_text()


async def test_a_word_that_was_clicked_is_said_but_not_while_the_model_works() -> None:
    async with workspace() as (app, pilot):
        app._main.query_one(Transcript).post_message(Transcript.WordPicked("change a file"))
        await pilot.pause()
        assert app.starts() == ["change a file"]
        app._main.query_one(Transcript).post_message(Transcript.WordPicked("again"))
        await pilot.pause()
        assert app.starts() == ["change a file"]


async def test_what_comes_near_is_asked_of_the_log() -> None:
    async with workspace() as (app, pilot):
        app._main.query_one(Transcript).post_message(Transcript.NeedEvents(512, 256))
        await pilot.pause()
        assert [(one.around, one.count) for one in app.link.of(cmd.ReadEvents)] == [(512, 256)]


async def test_an_idle_workspace_has_no_running_timer() -> None:
    """T24, designs.md C: nothing ticks at rest, no cursor blinks."""
    async with workspace(say=[*scenes.tools(), *scenes.answered(), *scenes.done()]) as (app, pilot):
        await pilot.press(*"text")
        for _ in range(100):  # a draft on its way is a timer, and soon over
            running = [timer for node in _nodes(app) for timer in _running(node)]
            if not running:
                break
            await pilot.pause(0.02)
        assert running == []
        assert not app.composer.cursor_blink


def _running(node: Widget) -> list[Timer]:
    """Timers that will wake the loop; a paused one (a cursor's that does not blink) sleeps."""
    return [one for one in node._timers if one._task and not one._task.done() and one._active.is_set()]


def _nodes(app: Host) -> list[Widget]:
    return [app, app.screen, *app.screen.query("*")]  # type: ignore[list-item]


async def test_a_running_tool_ticks_once_a_second_and_stops() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        sidebar = app._main.query_one("#sidebar")
        assert [timer._interval for timer in _running(sidebar)] == [1.0]
        await app.says(pilot, *scenes.asked()[1:2])
        await pilot.pause()
        assert _running(sidebar) == []


def test_the_windows_title_has_no_control_characters() -> None:
    """R197, E50."""
    status = Status(workspace="/srv/ac\x07me", title=Foreign("a\x1b]0;evil\x07b\u202e\x9dc\n"), waiting=("one", "two"))
    title = title_text(status)
    assert title.isprintable() and title.startswith("(2) ") and title.endswith("me - jp")


async def test_a_retry_counts_down_once_a_second_while_it_waits() -> None:
    again = ev.TurnPhase(conversation=CONVERSATION, turn=1, phase="retrying", retry_in=9.0)
    async with workspace(say=[*scenes.started(), again]) as (app, pilot):
        status = app._main.query_one(StatusLine)
        assert "retrying in 9 s" in app.screen_text()
        assert [timer._interval for timer in _running(status)] == [1.0]
        app.time.now += 4
        status.refresh()
        await pilot.pause()
        assert "retrying in 5 s" in app.screen_text()
        await app.says(pilot, *scenes.streaming()[-2:])
        assert _running(status) == []


async def test_a_sub_agents_wait_stands_in_the_conversation_that_started_it() -> None:
    """Z21: nobody may have opened the sub-agent's own."""
    info = {"conversation": "child", "parent": CONVERSATION, "call": "call_2", "turn": 1, "name": "scout", "task": "t"}
    spawned = scenes.call("spawn_agent", "running", id_="call_2").model_copy(
        update={"agent": AgentInfo.model_validate({**info, "model": "m"})}
    )
    wait = ev.Retrying(conversation="child", id="child", who="agent", name=Foreign("scout"), detail="Busy.", retry_in=9)
    async with workspace(say=[*scenes.started(), spawned, wait]) as (app, pilot):
        await until(pilot, lambda: "Sub-agent scout: Busy. Retrying in 9 s · Esc stops" in app.screen_text())
        await app.says(pilot, wait.model_copy(update={"conversation": "stranger", "detail": "No."}))
        await app.still(pilot)
        assert "No. Retrying" not in app.screen_text()
        await app.says(pilot, wait.model_copy(update={"retry_in": None}))
        assert "Retrying" not in app.screen_text()


async def test_what_is_sent_before_the_engine_is_there_is_said_when_it_is() -> None:
    app = Host(FakeLink())
    async with app.run_test() as pilot:
        app.burst(*"early bird", "enter")
        for _ in range(50):
            await pilot.pause()
            if app.starts():
                break
        assert app.starts() == ["early bird"] and app.composer.text == ""


async def test_text_that_streams_in_paints_neither_status_nor_activity() -> None:
    """designs.md B: in a stream only the rows that changed are painted."""
    async with workspace(say=scenes.streaming()) as (app, pilot):
        painted: list[str] = []
        for kind in (StatusLine, KeyBar):
            widget = app._main.query_one(kind)
            widget.refresh = lambda *_, name=kind.__name__, **__: painted.append(name)  # type: ignore[method-assign]
        delta = scenes.streaming()[-1]
        for _ in range(5):
            await app.says(pilot, delta)
        assert painted == []


async def test_the_styles_are_parsed_once_for_the_theme_of_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second time would change nothing and cost a tenth of the way to the first frame."""
    again: list[bool] = []
    parse = Stylesheet.reparse

    def reparse(styles: Stylesheet) -> None:
        again.append(True)
        parse(styles)

    monkeypatch.setattr(Stylesheet, "reparse", reparse)
    async with workspace(theme="jp-day") as (app, pilot):
        before = [list(strip) for strip in rendered(app._main)]
        assert before and not again
        app.refresh_css(animate=False)
        app._main.refresh(layout=True)
        await pilot.pause()
        assert again and [list(strip) for strip in rendered(app._main)] == before
        app.action_theme("jp-night")
        await pilot.pause()
        assert len(again) == 2 and [list(strip) for strip in rendered(app._main)] != before


async def test_f2_opens_the_conversations() -> None:
    """asking.md: F2."""
    async with workspace() as (app, pilot):
        await pilot.press("f2")
        await pilot.pause()
        assert app.screen is not app._main and "Conversations" in app.screen_text()
