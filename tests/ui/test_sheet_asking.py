"""Asking back: E30, E24."""

from __future__ import annotations

import pytest
from textual import on

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Answered, PromptRequest, StoredEvent
from jp_tui.ui.sheets.messages import SideQuestionAsked, SideQuestionForwarded
from jp_tui.view.questions.drafts import restored
from jp_tui.view.questions.queue import key_of
from tests.ui.sheet_host import (
    Host,
    boolean,
    delivery,
    escalated,
    formed,
    permission,
    review,
    secret,
    select,
    text,
    text_of,
)

LARGE = (100, 36)


class Talks(Host):
    """Remembers what was asked aside."""

    def __init__(self, *prompts: PromptRequest) -> None:
        super().__init__(*prompts)
        self.asked: list[tuple[str, str, str]] = []
        self.sent: list[bool] = []

    @on(SideQuestionAsked)
    def _aside_asked(self, event: SideQuestionAsked) -> None:
        self.asked.append((*key_of(event.prompt), event.text))

    @on(SideQuestionForwarded)
    def _aside_sent(self, event: SideQuestionForwarded) -> None:
        self.sent.append(event.send)


@pytest.mark.parametrize("prompt", [boolean(), select(), formed(select()), permission(), escalated(), review()])
async def test_e30_a_side_question_leaves_the_question_open(prompt: PromptRequest) -> None:
    app = Talks(prompt)
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        assert "ask" in {row.id for row in app.sheet.side_question.rows()}
        await app.type(pilot, "?", *"what for?", "enter")
        assert app.asked == [("c1", prompt.inquiry, "what for?")] and app.answers == []
        seen = text_of(app)
        assert "what for?" in seen and "…" in seen and "the question stays open" in seen
        app.dock.replies.received(key_of(prompt), Foreign("Because **it** "))
        app.dock.replies.received(key_of(prompt), Foreign("was asked."))
        app.dock.replies.ended(key_of(prompt))
        await app.settled(pilot)
        assert "Because it was asked." in text_of(app)
        await app.type(pilot, "escape")
        assert "Because" not in text_of(app) and app.sheet.writing is None
        await app.type(pilot, "?")
        assert "Because it was asked." in text_of(app), "the talk is there again"


async def test_a_text_question_asks_back_outside_its_field() -> None:
    app = Talks(text())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?", "escape", "?", "w", "enter")
        assert app.asked == [("c1", "q3", "w")] and app.sheet.draft.answer == "?"


async def test_one_at_a_time_and_never_nothing() -> None:
    app = Talks(select())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?", "enter")
        assert "No question yet" in text_of(app)
        await app.type(pilot, "a", "enter", "b", "enter")
        assert len(app.asked) == 1 and "Wait for the answer" in text_of(app)
        app.dock.replies.ended(broken="the model is not reachable")
        await app.settled(pilot)
        assert "The reply is incomplete: the model is not reachable" in text_of(app)
        await app.type(pilot, "enter")
        assert [one[2] for one in app.asked] == ["a", "b"]


async def test_the_question_is_answered_after_the_talk() -> None:
    app = Talks(boolean())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?", "y", "enter", "y", "escape", "y")
        assert app.answers == [Answered(value=True)] and len(app.asked) == 1


async def test_what_was_said_goes_along_when_the_user_says_so() -> None:
    app = Talks(boolean())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape")
        assert "Include side question" not in text_of(app)
        await app.type(pilot, "escape", "?", "y", "enter")
        app.dock.replies.received(("c1", "q1"), Foreign("ok"))
        app.dock.replies.ended(("c1", "q1"))
        await app.type(pilot, "escape", "escape")
        app.now += 1
        await app.click_text(pilot, "Include side question")
        assert app.sent == [True] and "is sent with the results" in text_of(app)
        await app.type(pilot, "escape")
        await app.click_text(pilot, "Leave side question out")
        assert app.sent == [True, False] and app.answers == []


async def test_a_result_that_is_not_delivered_is_told_to_nobody() -> None:
    app = Talks(delivery())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?")
        assert app.sheet.writing is None and "ask back" not in text_of(app)


async def test_what_is_said_stays_in_its_box() -> None:
    app = Talks(boolean())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?", "y", "enter")
        app.dock.replies.received(("c1", "q1"), Foreign("[red]x[/] \x1b[2J\u202e end"))
        await app.settled(pilot)
        seen = text_of(app)
        assert "[red]x[/]" in seen and "\x1b" not in seen and "\u202e" not in seen


async def test_e24_what_was_to_be_asked_is_kept() -> None:
    app = Talks(boolean())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "?", *"why")
        await app.until(pilot, lambda: bool(app.drafts) and restored(app.drafts[-1]).ask == "why")
        kept = app.drafts[-1]
    fresh = Talks(boolean())
    async with fresh.run_test(size=LARGE) as pilot:
        fresh.dock.restore_draft(("c1", "q1"), kept)
        await fresh.arm(pilot)
        await fresh.type(pilot, "?", "enter")
        assert fresh.asked == [("c1", "q1", "why")]


def logged(seq: int, **more: object) -> StoredEvent:
    """An `inquiry_aside` as the log holds it."""
    return StoredEvent(seq=seq, turn=1, event={"type": "inquiry_aside", "id": "q1", **more})  # type: ignore[dict-item]


ONCE = logged(7, question="what for?", answer="Because **it** was asked.", model="m", metadata={"call": "call1"})
BROKEN = logged(8, question="whose?", answer="", model="m", error={"kind": "other", "message": "the model hung up"})


@pytest.mark.parametrize("first", ["log", "question"])
async def test_e30_what_was_said_before_a_restart_is_shown_again(first: str) -> None:
    """Whichever comes first, and in any order; what is asked now follows it."""
    app = Talks(boolean()) if first == "question" else Talks()
    async with app.run_test(size=LARGE) as pilot:
        if first == "question":
            await app.arm(pilot)
        app.dock.replies.read("c1", [BROKEN, logged(9, send=True)])
        app.dock.replies.read("c1", [ONCE])
        if first == "log":
            app.dock.ask(boolean())
            await app.arm(pilot)
        await app.type(pilot, "?")
        seen = text_of(app)
        assert "Because it was asked." in seen and "The reply is incomplete: the model hung up" in seen
        await app.type(pilot, "m", "enter")
        app.dock.replies.read("c1", [ONCE, BROKEN])
        assert [one.asked for one in app.sheet.side_question.exchanges] == ["what for?", "whose?", "m"]
        await app.type(pilot, "escape", "escape")
        assert "Leave side question out" in text_of(app) and app.answers == []


async def test_e27_a_side_question_about_a_secret_takes_nothing_of_it_along() -> None:
    app = Talks(secret())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"hunter2", "escape", "?", *"which", "escape", "?", *" one")
        await app.until(pilot, lambda: bool(app.drafts))
        await app.type(pilot, "enter")
        assert app.asked == [("c1", "q5", "which one")]
        assert not any("hunter2" in one for one in (*app.drafts, text_of(app), repr(app.sheet.draft)))
        await app.type(pilot, "escape", "enter", "enter")
        assert app.answers == [Answered(value="hunter2")]
