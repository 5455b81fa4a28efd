"""Taking a question over from a reviewer, and the screen of how reviewers fared (R156, E40; issue "trust figures")."""

from __future__ import annotations

from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.screens.reviewers import Reviewers
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, until, workspace
from tests.ui.test_app_pictures import FARED, rejected, reviewed

INQUIRY = "call_2.apply_changes.1"


def taken(app: Host) -> list[str]:
    return [one.inquiry for one in app.link.of(cmd.TakeOver)]


async def test_the_reason_is_read_while_it_is_written() -> None:
    """E40: in the sidebar, with the model and the seconds; the key that takes it over is shown."""
    async with workspace() as (app, pilot):
        await app.says(pilot, *reviewed("The TIP ", "is tangential"))
        shown = app.screen_text()
        assert "“The TIP is tangential”" in shown and "claude-haiku-4-5" in shown and "F9 decide yourself" in shown
        fresh = ev.ReviewDelta(
            conversation=CONVERSATION, inquiry=INQUIRY, kind="reason", text=Foreign("[red]\x1b[2J"), fresh=True
        )
        await app.says(pilot, fresh)
        await until(pilot, lambda: "tangential" not in app.screen_text() and "[red]" in app.screen_text())


async def test_one_key_takes_it_over() -> None:
    """R156: also from the composer with words in it, which stay there; nothing to take over is nothing to press."""
    async with workspace() as (app, pilot):
        await pilot.press("f9")
        assert taken(app) == [] and "F9" not in app.footer
        await app.says(pilot, *reviewed("Hm"))
        await pilot.press("h", "i", "f9")
        assert taken(app) == [INQUIRY] and app.composer.text == "hi" and "F9" in app.footer
        await app.says(
            pilot, ev.QuestionSettled(conversation=CONVERSATION, inquiry=INQUIRY, how="cancelled", by="user")
        )
        assert "F9" not in app.footer and "4-5 decides" not in app.screen_text()


async def test_a_click_takes_it_over() -> None:
    """E60."""
    async with workspace() as (app, pilot):
        await app.says(pilot, *reviewed("Hm"))
        text = app.screen_text().splitlines()
        row = next(at for at, line in enumerate(text) if "F9 decide yourself" in line and at < len(text) - 2)
        await pilot.click(offset=(text[row].index("F9 decide"), row))
        assert taken(app) == [INQUIRY]


async def test_both_verdicts_are_read_above_the_question() -> None:
    """E41, R154: M12, the reason, what it said before it knew the intent, what it was shown."""
    async with workspace() as (app, pilot):
        await app.says(pilot, *rejected())
        await app.passes(pilot, 1.0)
        await pilot.pause()
        shown = app.screen_text()
        for words in (
            "The assistant recommended rejecting this change:",
            "claude-haiku-4-5 · 1.4 s",
            '"Looks unrelated."',
            "It read the whole change",
        ):
            assert words in shown, words


async def fared(app: Host, pilot: Pilot[None]) -> Reviewers:
    app.link.answers[cmd.ReadReviewers] = lambda _: [ev.ReviewersRead(reviewers=FARED)]
    await pilot.press("f10")
    await pilot.pause()
    await pilot.pause()
    assert isinstance(app.screen, Reviewers)
    return app.screen


async def test_the_figures_and_the_change_they_suggest() -> None:
    """Written only when it is pressed twice; a row without a suggestion has no such key."""
    async with workspace() as (app, pilot):
        await fared(app, pilot)
        shown = app.screen_text()
        assert "48 asked" in shown and "69 % overturned" in shown and "9 of 13" in shown and "$0.86" in shown
        await pilot.press("c")
        assert app.link.of(cmd.SetSetting) == [] and "Set conversation" in app.screen_text()
        await pilot.press("down")
        assert "Set conversation" not in app.screen_text() and "change the setting" not in app.screen_text()
        await pilot.press("c", "up", "c", "c")
        (set_,) = app.link.of(cmd.SetSetting)
        assert (set_.key, set_.value) == ("conversation.tools.fs_modify_file.questions.apply_changes.target", "user")
        await app.says(pilot, ev.SettingChanged(key=set_.key, value=set_.value, file="/home/ada/config.toml"))
        assert "Saved to /home/ada/config.toml" in app.screen_text()
        await pilot.press("escape")
        assert app.focused is app.composer


async def test_what_cannot_be_written_is_said_in_the_list() -> None:
    async with workspace() as (app, pilot):
        await fared(app, pilot)
        await pilot.press("c", "c")
        await app.says(pilot, ev.Refused(command="set_setting", message="The file is read-only."))
        assert "The file is read-only." in app.screen_text()


async def test_nothing_was_reviewed_yet() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/reviewers", "enter")
        await app.says(pilot, *scenes.started()[:0], ev.ReviewersRead(reviewers=()))
        assert "No reviewer decisions yet" in app.screen_text()


async def small(app: Host, pilot: Pilot[None], why: str) -> None:
    """The escalated question at 80x24, before it listens."""
    events = rejected()
    asked = events[-1]
    assert isinstance(asked, ev.QuestionAsked)
    prompt = asked.prompt.model_copy(update={"why": why})
    await app.says(pilot, *events[:-1], asked.model_copy(update={"prompt": prompt}))


async def test_why_is_read_in_the_contexts_place_where_there_is_little_room() -> None:
    """E42: at 80x24 a long reason for having been asked had no row."""
    why = "claude-haiku-4-5 said no, and conversation.tools.fs_modify_file.questions.apply_changes.target asks you then"
    async with workspace(size=(80, 24)) as (app, pilot):
        await small(app, pilot, why)
        await app.passes(pilot, 1.0)
        await pilot.pause()
        await pilot.press("w")
        await pilot.pause()
        assert "claude-haiku-4-5 said no" in app.screen_text()
        await pilot.press("w")
        await pilot.pause()
        assert "shows why you are asked" not in app.screen_text() and "[!TIP]" in app.screen_text()


async def test_what_only_the_keys_hide_was_never_seen() -> None:
    """E15: the rows of the keys are kept free from the start, so that nothing moves when it begins to listen."""
    async with workspace(size=(80, 24)) as (app, pilot):
        await small(app, pilot, "w")
        before = app.screen_text()
        await app.passes(pilot, 1.0)
        await pilot.pause()
        after = app.screen_text()
        shown = [
            [line for line in seen.splitlines() if line.startswith("│  ") or "│ +4" in line] for seen in (before, after)
        ]
        assert shown[0] and shown[0][:4] == shown[1][:4] and "not seen" not in after


async def test_what_was_begun_beside_a_banner_never_makes_a_sheet_unanswerable() -> None:
    """E61: a reply and a note, both begun and kept, at 80x24; they survive a restart, and so would the trap."""
    async with workspace(size=(80, 24)) as (app, pilot):
        await small(app, pilot, "w")
        await app.passes(pilot, 1.0)
        for key in ("r", *"words", "escape", "c", *"note", "enter"):
            await pilot.press(key)
            await app.passes(pilot, 0.3)
        await pilot.pause()
        shown = app.screen_text()
        assert "too small" not in shown and "says no" in shown
        await pilot.press("n")
        await pilot.pause()
        (sent,) = app.link.of(cmd.AnswerQuestion)
        assert sent.response.value is False and sent.response.note == "note"  # type: ignore[union-attr]
