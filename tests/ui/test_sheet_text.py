"""A text in the user's own words: R192, E14, E24, T4, T5, Ctrl+G, R187."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events

from jp_tui.protocol.values import Answered, EndTurn, Replied
from jp_tui.system import editor
from jp_tui.ui.sheets.areas.text import FreeTextArea
from tests.ui.sheet_host import Host, text, text_of


def field(app: Host) -> FreeTextArea:
    assert isinstance(app.sheet.area, FreeTextArea)
    return app.sheet.area


async def test_what_is_typed_is_answered() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"yes, fix r s w", "enter")
        assert app.answers == [Answered(value="yes, fix r s w")]


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_new_lines(key: str) -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "a", key, "b", "enter")
        assert app.answers == [Answered(value="a\nb")]


async def test_e14_nothing_written_is_no_answer_unless_it_is_chosen() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "space", "enter", "enter")
        assert app.answers == [] and "Empty on purpose" in text_of(app)
        await app.type(pilot, "escape", "escape", "down", "enter")
        assert app.answers == [Answered(value="")]


async def test_r192_the_default_is_filled_in_and_not_selected() -> None:
    """T5: what stands there must not vanish with the next key."""
    app = Host(text(has_default=True, default="fix: typo"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "Enter accept the default" in text_of(app)
        await app.type(pilot, "!", "enter")
        assert app.answers == [Answered(value="fix: typo!")]


async def test_t5_leaving_and_coming_back_selects_nothing() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "escape", "enter", "x")
        assert field(app).field.text == "halfx"


async def test_r187_esc_leaves_the_field_and_the_letters_act() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "escape", "r", *"no idea", "enter")
        assert app.answers == [Replied(text="no idea")]


async def test_r248_ctrl_c_twice_ends_the_turn_from_the_field_too() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "ctrl+c")
        assert field(app).field.text == "half"
        await app.type(pilot, "ctrl+c")
        assert app.answers == [EndTurn()]


async def test_a_paste_of_a_megabyte_comes_out_whole() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        large = "x" * 1_048_576
        await app.type(pilot, *"see: ")
        app.now += 1
        app.post_message(events.Paste(large))
        await pilot.pause()
        assert "1,048,576 characters" in text_of(app)
        await app.type(pilot, "left", "z", "end", "!", "enter")
        assert app.answers == [Answered(value=f"see: {large}z!")] or app.answers == [Answered(value=f"see: z{large}!")]


async def test_a_large_paste_is_removed_as_one_and_comes_back_as_one() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.post_message(events.Paste("y" * 20_000))
        await pilot.pause()
        await app.type(pilot, "backspace")
        assert field(app).field.text == ""
        await app.type(pilot, "ctrl+underscore")
        assert field(app).field.value == "y" * 20_000


async def test_e11_a_paste_with_a_line_end_never_submits() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.now += 1
        app.post_message(events.Paste("a\r\nb\n"))
        await pilot.pause()
        await app.type(pilot, "enter", gap=0.03)
        assert app.answers == [] and field(app).field.value == "a\nb\n"
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="a\nb\n")]


async def test_e24_every_change_becomes_a_draft_and_a_draft_comes_back() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half")
        await app.until(pilot, lambda: bool(app.drafts) and "half" in app.drafts[-1])
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "q3"), app.drafts[-1])
        again.dock.ask(text())
        await again.arm(pilot)
        await again.type(pilot, "!", "enter")
        assert again.answers == [Answered(value="half!")]


async def test_e24_a_draft_that_arrives_late_is_put_in() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.dock.restore_draft(("c1", "q3"), json.dumps({"answer": "from before", "reply": "or this"}))
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="from before")]


async def test_e24_a_draft_that_arrives_too_late_loses_nothing() -> None:
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"new")
        app.dock.restore_draft(("c1", "q3"), json.dumps({"answer": "old", "reply": ""}))
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="new")]


async def test_ctrl_g_writes_in_another_editor() -> None:
    app = Host(text(), editor=lambda given: given.upper() + "\nmore")
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "ctrl+g", "enter")
        assert app.answers == [Answered(value="HALF\nmore")]


async def test_an_editor_that_fails_loses_nothing() -> None:
    def fails(_: str) -> str:
        raise OSError("vi ended with status 1")

    app = Host(text(), editor=fails)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "ctrl+g")
        assert "vi ended with status 1" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="half")]


def test_the_editor_gets_a_private_file_and_it_is_gone_afterwards(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "editor"
    script.write_text(f'#!/bin/sh\nstat -c "%a %n" "$2" > {seen}\nprintf "%s more\\n" "$(cat "$2")" > "$2"\n')
    script.chmod(0o700)
    assert editor.edited("half", {"EDITOR": f"{script} --wait", "PATH": "/usr/bin:/bin"}) == "half more"
    mode, name = seen.read_text().split()
    assert mode == "600"
    assert not Path(name).exists() and not Path(name).parent.exists()


def test_an_editor_s_failure_is_an_error_with_words(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="status 3"):
        editor.edited("x", {"EDITOR": "sh -c 'exit 3'"})
    with pytest.raises(OSError, match="no editor found"):
        editor.edited("x", {"PATH": str(tmp_path)})
    with pytest.raises(OSError, match="isn't a valid command"):
        editor.edited("x", {"VISUAL": "vi 'x"})
    with pytest.raises(OSError, match="UTF-8"):
        editor.edited("x", {"EDITOR": 'sh -c \'printf "\\377" > "$0"\''})


async def test_a_default_that_would_deceive_is_shown_spelled_out_and_accepted_as_it_is() -> None:
    app = Host(text(has_default=True, default="x\u202egnp.exe"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "x\\u{202E}gnp.exe" in text_of(app) and "Enter accept the default" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="x\u202egnp.exe")]


@pytest.mark.parametrize(("size", "least"), [((80, 24), 9), ((120, 36), 15), ((200, 50), 25)])
async def test_e1_the_field_grows_to_what_is_free(size: tuple[int, int], least: int) -> None:
    """The conversation keeps a third, what is asked about stays in sight, and little text takes few rows."""
    app = Host(text(context="\n".join(f"line {n}" for n in range(3))))
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        written, talk = field(app).field, app.query_one("#talk")
        heights = [written.size.height]
        for _ in range(2):
            await app.type(pilot, "x", "ctrl+j")
            heights.append(written.size.height)
        assert heights == [1, 2, 3]
        written.insert_text("x\n" * 40)
        await app.settled(pilot)
        assert written.size.height >= least and talk.size.height >= size[1] // 3 - 1
        assert "What should the commit message say?" in text_of(app) and "line 0" in text_of(app)
        assert "Enter submit" in text_of(app)


async def test_e24_words_behind_a_paste_are_in_sight_again_after_a_restart() -> None:
    paste = "a line of a log\n" * 2_000
    app = Host(text())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"see ")
        app.now += 1
        app.post_message(events.Paste(paste))
        await pilot.pause()
        await app.type(pilot, *" and more")
        await app.until(pilot, lambda: bool(app.drafts) and "and more" in app.drafts[-1])
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "q3"), app.drafts[-1])
        again.dock.ask(text())
        await again.arm(pilot)
        assert "see [pasted 1: 2,001 lines" in text_of(again) and "] and more" in text_of(again)
        await again.type(pilot, *["backspace"] * 10, "enter")
        assert again.answers == [Answered(value="see ")], "the mark goes as one, and nothing else"
