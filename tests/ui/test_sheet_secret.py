"""A secret is in no picture, draft, history, clipboard or repr, and goes out once: R193, R202, E24, E27."""

from __future__ import annotations

import gc

import pytest
from textual import events

from jp_tui.protocol.values import Answered, EndTurn, Replied
from jp_tui.ui.sheets.areas.secret import SecretArea
from jp_tui.ui.sheets.dock.dock import SheetDock
from tests.ui.sheet_host import Host, editable, secret, text_of

WORD = "hunter2-horse-9"


def area(app: Host) -> SecretArea:
    assert isinstance(app.sheet.area, SecretArea)
    return app.sheet.area


async def test_r193_what_is_typed_is_masked_answered_and_forgotten() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD)
        assert "•" * len(WORD) in text_of(app)
        for part in (WORD, WORD[:5], WORD[-6:]):
            assert part not in text_of(app) and part not in app.export_screenshot()
        field = area(app).field
        assert WORD not in field.text
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=WORD)]
        assert field.value == "" and field.text == "" and "•" not in text_of(app)


async def test_e24_e27_no_draft_is_made_of_it() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD, "escape", "r", *"no")
        await app.until(pilot, lambda: any("no" in draft for draft in app.drafts))
        assert app.drafts and not any("hunter" in draft or "•" in draft for draft in app.drafts)
        assert not any(WORD in repr(message) for message in app.posted)


async def test_e27_a_message_that_carries_it_does_not_say_it() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD, "enter")
        (settled,) = [one for one in app.posted if isinstance(one, SheetDock.Settled)]
        assert settled.response == Answered(value=WORD) and WORD not in repr(settled)


async def test_a_paste_is_one_sign_and_comes_out_whole() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "a")
        app.now += 1
        app.post_message(events.Paste("x" * 100_000))
        await pilot.pause()
        await app.type(pilot, "b", "left", "left", "c")
        assert "•••■•".replace("•••", "••") in text_of(app) and "pasted" not in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="ac" + "x" * 100_000 + "b")]


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("a b c backspace", "ab"),
        ("a b c left backspace", "ac"),
        ("a b c home delete", "bc"),
        ("a b c ctrl+w d", "d"),
        ("a b c ctrl+u d", "d"),
        ("a b c left left ctrl+k", "a"),
        ("a b c home shift+right shift+right d", "dc"),
        ("a b c backspace ctrl+underscore", "ab"),
        ("a b c backspace ctrl+y", "ab"),
        ("a ctrl+j b", "a\nb"),
    ],
)
async def test_it_is_edited_like_any_text_and_what_is_deleted_is_gone(keys: str, left: str) -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        field = area(app).field
        assert field.value == left and len(field.text) == len(left)


async def test_e27_nothing_of_it_reaches_the_clipboard() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD, "shift+home", "ctrl+x")
        assert app.clipboard == "" and area(app).field.value == ""


async def test_e27_no_editor_of_the_user_is_opened_for_it() -> None:
    opened: list[str] = []

    def editor(text: str) -> str:
        opened.append(text)
        return text

    app = Host(secret(), editor=editor)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD, "ctrl+g")
        assert opened == [] and "editor" not in text_of(app)


async def test_e14_nothing_is_sent_unless_it_is_chosen() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter", "enter")
        assert app.answers == []
        await app.type(pilot, "escape", "escape", "down", "enter")
        assert app.answers == [Answered(value="")]


async def test_a_default_of_a_secret_is_never_shown() -> None:
    app = Host(secret(has_default=True, default=WORD))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert WORD not in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == []


async def test_words_may_come_instead_but_no_note_beside_it() -> None:
    app = Host(editable(secret()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "c", "r", *"I have none", "enter")
        assert app.answers == [Replied(text="I have none")]


@pytest.mark.parametrize("end", ["settle", "answer", "end"])
async def test_r193_it_is_forgotten_when_the_question_goes(end: str) -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD)
        field = area(app).field
        if end == "end":
            await app.type(pilot, "escape", "s", "s")
            assert app.answers == [EndTurn()]
        elif end == "answer":
            await app.type(pilot, "enter")
        app.dock.remove_settled(("c1", "q5"))
        await app.until(pilot, lambda: not field.is_attached)
        assert field.value == ""
        gc.collect()


async def test_a_refused_secret_is_asked_again_empty() -> None:
    app = Host(secret())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *WORD, "enter")
        app.dock.refused(("c1", "q5"), "the disk is full", gone=False)
        await app.arm(pilot)
        assert "the disk is full" in text_of(app)
        await app.type(pilot, *"again", "enter")
        assert app.answers[-1] == Answered(value="again")
