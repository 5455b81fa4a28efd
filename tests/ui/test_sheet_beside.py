"""What stands beside a plain answer: edited arguments, notes, a reviewer's no, a deadline, a burst of keys.

R87, R97b, R150, R154, R182, R243, R248, M12; E11, E13, E24, E31, E41.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Answered, Edited
from jp_tui.ui.sheets.dock.dock import SheetDock
from tests.ui.sheet_host import Host, boolean, editable, escalated, permission, select, text, text_of

SMALL = '{"path": "a"}'


@pytest.mark.parametrize("prompt", [boolean(), select(tool=True), text(tool=True)], ids=["boolean", "select", "text"])
async def test_r97b_e_edits_the_arguments_of_any_tool_s_question(prompt: object) -> None:
    app = Host(editable(prompt, SMALL))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        if app.sheet.writing:
            await app.type(pilot, "escape")
        await app.type(pilot, "e")
        seen = " ".join(text_of(app).replace("│", "").split())
        assert "closes this question and restarts" in seen
        await app.type(pilot, "down", "end", "left", *"yn", "enter")
        assert app.answers == [Edited(arguments={"path": "ayn"})]


async def test_without_leave_nothing_is_edited() -> None:
    app = Host(boolean())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e")
        assert app.sheet.writing is None


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('{"a": 1,}', "line 1, column 9:"),
        ('{"a": NaN}', "line 1, column 7: NaN isn't JSON"),
        ('{"a": 1, "a": 2}', "line 1, column 10: the key 'a' appears twice"),
        ("[1]", "expected a JSON object"),
    ],
)
async def test_r87_what_is_no_object_stays_with_its_place(typed: str, words: str) -> None:
    app = Host(editable(boolean(), SMALL))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e")
        app.sheet.reply_fields.edit.put(typed)
        await app.type(pilot, "enter")
        assert app.answers == [] and words in text_of(app) and app.sheet.reply_fields.edit.text == typed


async def test_r248_esc_leaves_the_editor_and_its_text_is_kept_folded_and_stored() -> None:
    app = Host(editable(boolean(), SMALL))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e", "end", "space", "escape", "ctrl+o", "ctrl+o")
        await app.arm(pilot)
        assert app.answers == [] and "Apply this change?" in text_of(app)
        await app.until(pilot, lambda: bool(app.drafts) and '"edit"' in app.drafts[-1])
        await app.type(pilot, "e")
        assert app.sheet.reply_fields.edit.text == '{ \n  "path": "a"\n}'
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "q1"), app.drafts[-1])
        again.dock.ask(editable(boolean(), SMALL))
        await again.arm(pilot)
        await again.type(pilot, "e")
        assert again.sheet.reply_fields.edit.text == '{ \n  "path": "a"\n}'


async def test_arguments_of_a_megabyte_are_edited_in_the_user_s_editor() -> None:
    large = '{"content": "' + "x" * 1_048_576 + '"}'
    app = Host(editable(boolean(), large), editor=lambda given: given.replace("x" * 1_048_576, "short"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e")
        assert "characters]" in text_of(app)
        await app.type(pilot, "ctrl+g", "enter")
        assert app.answers == [Edited(arguments={"content": "short"})]


# Notes


@pytest.mark.parametrize(("key", "value"), [("y", True), ("n", False)])
async def test_r182_e31_a_note_goes_along_with_a_yes_as_well_as_a_no(key: str, value: bool) -> None:
    app = Host(boolean(context=None))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "c", *"yYn but tidy", "enter")
        assert app.answers == [] and "yYn but tidy" in text_of(app)
        await app.type(pilot, key)
        assert app.answers == [Answered(value=value, note="yYn but tidy")]


async def test_a_model_s_question_takes_no_note() -> None:
    app = Host(select())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "c")
        assert app.sheet.writing is None and "c note" not in text_of(app)


async def test_e24_a_note_is_a_draft_too() -> None:
    app = Host(boolean(context=None))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "c", *"tidy")
        await app.until(pilot, lambda: bool(app.drafts) and "tidy" in app.drafts[-1])
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "q1"), app.drafts[-1])
        again.dock.ask(boolean(context=None))
        await again.arm(pilot)
        await again.type(pilot, "y")
        assert again.answers == [Answered(value=True, note="tidy")]


# A reviewer's word


async def test_r150_m12_the_banner_quotes_the_reviewer_above_the_context() -> None:
    app = Host(escalated())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        lines = [line.strip("│▌ ") for line in text_of(app).split("\n")]
        at = next(at for at, line in enumerate(lines) if line.startswith("The assistant recommended"))
        assert lines[at - 1].startswith("Reviewer: haiku-4-5 · 1.4 s")
        assert lines[at].startswith("The assistant recommended rejecting this change:")
        assert lines[at + 1].startswith('"The TIP admonition')
        assert at < next(number for number, line in enumerate(lines) if "## Storage" in line and number > at)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_m12_without_a_reason() -> None:
    app = Host(escalated(reason="  \n"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert '"(no reason given)"' in text_of(app)


async def test_r154_a_reviewer_that_could_not_decide_is_said_to_and_why() -> None:
    app = Host(escalated(reason="HTTP 529 overloaded", failed=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "The reviewer could not decide" in seen and "HTTP 529 overloaded" in seen and "recommended" not in seen


async def test_a_reason_longer_than_its_room_is_shown_whole_on_a_key() -> None:
    app = Host(escalated(reason="It goes on. " * 80 + "And here it ends."))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "v all" in text_of(app) and "And here it ends." not in text_of(app)
        await app.type(pilot, "v", *["ctrl+d"] * 30)
        assert "And here it ends." in text_of(app)
        await app.type(pilot, "v")
        assert "> [!TIP]" in text_of(app)


async def test_t2_a_reviewer_s_words_are_only_words() -> None:
    app = Host(escalated(reason="[/] [@click=app.quit]x[/] \u202egnp"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "[/] [@click=app.quit]x[/] \\u{202E}gnp" in text_of(app)


# Deadlines


async def test_e13_r243_the_time_is_counted_and_its_end_answers_nothing() -> None:
    prompt = boolean().model_copy(
        update={"deadline_secs": 65, "asked_at": timestamp(datetime.fromtimestamp(1000, UTC))}
    )
    app = Host(prompt, wall=lambda: 1001.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "1:04 left." in text_of(app)
        await app.step(pilot, 1)
        assert "1:03 left." in text_of(app)
        await app.type(pilot, "ctrl+o")
        app.now += 30
        await app.type(pilot, "ctrl+o")
        assert "0:3" in text_of(app)
        await app.step(pilot, 60)
        assert "The time to answer is over." in text_of(app) and app.answers == []


async def test_e13_without_a_deadline_nothing_counts() -> None:
    app = Host(boolean())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "left to answer" not in text_of(app) and app.dock._timer is None


# Who was first; bursts


async def test_e53_who_answered_first_is_said() -> None:
    app = Host(boolean(), permission(), select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "n")
        app.dock.refused(("c1", "q1"), "it was answered", gone=True, by="another process")
        await pilot.pause()
        assert "already answered by another process" in text_of(app)
        await app.arm(pilot)
        app.dock.remove_settled(("c1", "call7"), by="assistant")
        await pilot.pause()
        assert "fs_create_file's question was already answered by assistant" in text_of(app)


@pytest.mark.parametrize("keys", ["yes", "y\r", "no, wait", "key", "r\r", "1\r", "e\r", "\ry"])
async def test_e11_a_paste_without_its_marks_answers_nothing(keys: str) -> None:
    app = Host(editable(boolean(has_default=False, default=None), SMALL), real_clock=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst(*("enter" if key == "\r" else key for key in keys))
        await pilot.pause()
        await app.until(pilot, lambda: app.dock.held.empty)
        await pilot.pause(0.05)
        assert app.answers == []
        heard = "".join(one.text for one in app.posted if isinstance(one, SheetDock.Overheard))
        if app.sheet.writing is None:
            assert heard == keys.replace("\r", ""), "and nothing of it is lost"


async def test_e11_keys_that_are_no_text_may_come_together() -> None:
    """A slow line brings at once what was pressed one after the other."""
    app = Host(boolean(), real_clock=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst("down", "down", "enter")
        await app.until(pilot, lambda: app.answers == [Answered(value=False)])


async def test_e11_one_key_alone_answers_after_a_moment() -> None:
    app = Host(boolean(), real_clock=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst("y")
        await app.until(pilot, lambda: app.answers == [Answered(value=True)])


async def test_an_editor_for_arguments_that_are_no_object_says_why() -> None:
    app = Host(permission(arguments=Foreign("[1]")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e")
        assert "can't be edited here" in text_of(app) and app.sheet.writing is None


async def test_e41_a_reason_that_is_shown_whole_has_no_key_for_the_rest() -> None:
    app = Host(escalated(failed=True, reason="HTTP 529 overloaded, three times"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert '"HTTP 529 overloaded, three times"' in seen and "whole reason" not in seen
