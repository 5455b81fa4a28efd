"""Leave to run a call and leave to deliver its result: R86, R87, R90, R93, R192, R236, R248, M20, M34, M35, E15."""

from __future__ import annotations

import re

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Cancelled, Delivered, Edited, EndTurn, Permitted, PromptRequest, Response
from tests.ui.sheet_host import Host, boolean, delivery, permission, text_of

LONG = Foreign('{"path": "a.py", "content": "' + "".join(f"line {n}\\n" for n in range(60)) + '"}')


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        ("y", Permitted(run=True)),
        ("Y", Permitted(run=True, remember=True)),
        ("n", Permitted(run=False)),
        ("N", Permitted(run=False, remember=True)),
    ],
)
async def test_r86_each_key_is_its_choice(key: str, outcome: Response) -> None:
    app = Host(permission())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, key)
        assert app.answers == [outcome]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_m34_all_seven_choices_stand_there(size: tuple[int, int]) -> None:
    """Four in the row of answers, the others by their keys (Z14)."""
    app = Host(permission())
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "Run built-in fs_create_file tool?" in seen
        assert "y run   n skip   Y run, this turn   N skip, this turn" in seen
        assert all(words in seen for words in ("p as JSON", "r reply", "e edit"))
        assert "every call of fs_create_file" in seen and "whatever its arguments" in seen, "R236"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tool_kind": "local", "tool": "deploy"}, "Run local deploy tool?"),
        ({"tool_kind": "mcp", "tool": "search", "server": "github"}, "Run mcp search tool from github server?"),
    ],
)
async def test_m34_names_the_kind(more: dict[str, object], words: str) -> None:
    app = Host(permission(**more))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert words in text_of(app)
        await app.type(pilot, "ctrl+o")
        assert words[:14] in text_of(app), "also in the folded line"


async def test_r192_enter_runs_nothing_before_the_user_moved() -> None:
    app = Host(permission())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "space", "enter")
        assert app.answers == [] and "No answer selected" in text_of(app)
        await app.type(pilot, "down", "down", "enter")
        assert app.answers == [Permitted(run=False)]


async def test_r90_the_arguments_stand_there_readable_and_p_shows_the_json() -> None:
    app = Host(permission())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "│ # Release" in text_of(app) and 'path: "docs/release.md"' in text_of(app)
        await app.type(pilot, "p")
        assert '"content": "# Release\\n\\nTag it' in text_of(app) and "│ # Release" in text_of(app), "Z14"
        await app.type(pilot, "p")
        assert '"content"' not in text_of(app) and app.answers == []


async def test_r90_a_tool_s_own_rendering_is_what_is_decided_on() -> None:
    app = Host(permission(rendered=Foreign("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-old\n+new\n")))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "+1 −1" in text_of(app) and "Release" not in text_of(app)
        await app.type(pilot, "p")
        assert '"content": "# Release' in text_of(app)


async def test_t3_nothing_in_the_arguments_can_hide() -> None:
    app = Host(permission(arguments=Foreign('{"command": "ls \u202e txt.exe"}')))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "\\u{202E}" in text_of(app) and "found in this text: bidirectional controls" in text_of(app)
        await app.type(pilot, "e")
        assert "\\u202e txt" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Edited(arguments={"command": "ls \u202e txt.exe"})]


async def test_e15_leave_for_what_was_not_seen_wants_to_be_said_twice() -> None:
    app = Host(permission(arguments=LONG))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y")
        assert app.answers == [] and "lines weren't on the screen" in text_of(app)
        await app.type(pilot, "p", "y")
        assert app.answers == [], "another key in between takes the first one back"
        await app.type(pilot, "y")
        assert app.answers == [Permitted(run=True)]


async def test_e15_once_the_end_was_on_the_screen_one_yes_is_enough() -> None:
    app = Host(permission(arguments=LONG))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *["ctrl+d"] * 30)
        assert "line 59" in text_of(app) and "not seen" not in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Permitted(run=True)]


async def test_r86_skip_and_reply_wants_a_reason() -> None:
    app = Host(permission())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", "enter", "enter")
        assert app.answers == [] and "No reason yet" in text_of(app)
        await app.type(pilot, *"use docs/", "enter")
        assert app.answers == [Permitted(run=False, reason="use docs/")]


async def test_r248_the_menu_never_decides_and_ends_the_turn() -> None:
    app = Host(permission())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "y", "n", "p")
        seen = text_of(app)
        assert (
            app.answers == [] and "Cancel" not in seen and all(line in seen for line in ("Skip and reply", "End Turn"))
        )
        await app.type(pilot, "s", "s")
        assert app.answers == [EndTurn()]


async def test_r87_the_edited_arguments_run() -> None:
    app = Host(permission(arguments=Foreign('{"path": "a"}')))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e", "down", "end", "left", *"bc", "ctrl+s")
        assert app.answers == [Edited(arguments={"path": "abc"})]


async def test_r85_run_edit_opens_in_the_editor_and_emptied_leads_to_the_choices() -> None:
    app = Host(permission(edit_first=True, arguments=Foreign("{}")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert app.sheet.writing is app.sheet.reply_fields.edit
        await app.type(pilot, "delete", "delete", "enter")
        assert app.answers == [] and "The text is empty." in text_of(app) and "n skip" in text_of(app)
        await app.type(pilot, "n")
        assert app.answers == [Permitted(run=False)]


async def test_r87_cancelling_the_edit_is_a_skip_with_that_reason_and_esc_alone_is_not() -> None:
    app = Host(permission(edit_first=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "x", "escape", "escape")
        assert app.answers == [] and "Edit cancelled" in text_of(app)
        await app.type(pilot, "down", "enter")
        assert app.answers == [Permitted(run=False, reason="Edit cancelled")]


async def test_only_an_edit_that_comes_first_can_be_cancelled() -> None:
    app = Host(permission())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e", "escape", "escape")
        assert "Edit cancelled" not in text_of(app)


async def test_e60_every_choice_is_a_button() -> None:
    app = Host(permission())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "p as JSON")
        assert app.sheet.reading.shown_text == "arguments"
        await app.click_text(pilot, "r reply")
        assert app.sheet.writing is app.sheet.reply_fields.reply
        await app.type(pilot, "escape")
        app.now += 1
        await app.click_text(pilot, "N skip, this turn")
        assert app.answers == [Permitted(run=False, remember=True)]


# Delivery


async def test_z11_enter_alone_delivers_nothing() -> None:
    app = Host(delivery())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "enter")
        assert app.answers == [] and "No answer selected" in text_of(app)
        await app.type(pilot, "down", "enter")
        assert app.answers == [Delivered(deliver=True)]


@pytest.mark.parametrize(
    ("key", "outcome"),
    [("y", Delivered(deliver=True)), ("n", Delivered(deliver=False))],
)
async def test_r93_deliver_and_skip_have_a_key(key: str, outcome: Response) -> None:
    app = Host(delivery())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.step(pilot, 0.2)
        await app.type(pilot, key, gap=0.0)
        assert app.answers == [], "it is not armed yet"
        await app.arm(pilot)
        seen = text_of(app)
        assert "Deliver grep result to assistant?" in seen and "docs/b.md:14: TODO later" in seen
        assert all(words in seen for words in ("y Deliver result", "n Skip delivery", "e edit"))
        await app.type(pilot, key)
        assert app.answers == [outcome]


async def test_r93_an_edited_result_is_delivered() -> None:
    app = Host(delivery(result=Foreign("password: x")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e", "backspace", *"***", "enter")
        assert app.answers == [Delivered(deliver=True, text="password: ***")]


@pytest.mark.parametrize("keys", ["enter", "backspace backspace enter enter"])
async def test_r93_an_untouched_or_emptied_edit_delivers_the_original(keys: str) -> None:
    app = Host(delivery(edit_first=True, result=Foreign("ab")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        *most, last = keys.split()
        await app.type(pilot, *most)
        assert app.answers == []
        await app.type(pilot, last)
        assert app.answers == [Delivered(deliver=True)]


async def test_m20_the_menu_cancels_and_esc_alone_does_not() -> None:
    app = Host(delivery(edit_first=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "x", "escape", "escape")
        assert app.answers == [] and "delivery was cancelled" in " ".join(text_of(app).split())
        await app.type(pilot, "down", "enter")
        assert app.answers == [Cancelled()]


async def test_an_error_is_said_to_be_one_and_a_large_result_is_edited_as_a_whole() -> None:
    app = Host(delivery(is_error=True, result=Foreign("x" * 300_000)))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "The tool failed" in text_of(app)
        await app.type(pilot, "e", "!", "enter")
        assert app.answers == [Delivered(deliver=True, text="x" * 300_000 + "!")]


async def test_e24_an_edited_result_is_a_draft() -> None:
    app = Host(delivery())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "e", *"more")
        await app.until(pilot, lambda: bool(app.drafts) and "more" in app.drafts[-1])
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "call8"), app.drafts[-1])
        again.dock.ask(delivery())
        await again.arm(pilot)
        await again.type(pilot, "e", "enter")
        assert again.answers == [Delivered(deliver=True, text="docs/a.md:3: TODO\ndocs/b.md:14: TODO later\nmore")]


@pytest.mark.parametrize("prompt", [permission(controls=frozenset({"edit", "end_turn"})), boolean(remember=False)])
async def test_r236_what_may_not_be_remembered_offers_no_y_or_n_that_remembers(prompt: PromptRequest) -> None:
    """The floor (R78): not in the list, the last line, the menu or the full screen; and the keys do nothing."""
    app = Host(prompt)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        for keys in ((), ("escape",), ("escape", "ctrl+f"), ("ctrl+f", "w")):
            await app.type(pilot, *keys)
            assert not re.search(r"remember|\bcovers?\b|(^|[^\w])[YN]  ", text_of(app)), text_of(app)
        await app.type(pilot, "Y", "Y", "N", "N")
        assert app.answers == []
        await app.type(pilot, "n")
        assert len(app.answers) == 1
