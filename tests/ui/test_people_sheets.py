"""Sheets and inbox where several people are asked: who answers, withdrawing, overruling a claim, the inbox's filters
(store.md D14-D16, D19)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.people import Approvals, PeopleListed, PersonInfo
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest
from jp_tui.ui.screens.choosing import Choosing
from jp_tui.ui.screens.inbox import Inbox
from jp_tui.ui.sheets.messages import HandOverRequested
from jp_tui.ui.transcript.claim_controller import ClaimController
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host as App
from tests.ui.app_host import until, workspace
from tests.ui.sheet_host import Host, boolean, hunky, permission, select, text, text_of
from tests.ui.test_store_pictures import waits

TWO = Approvals(needed=2, by=("second",))


def asks(prompt: PromptRequest, **people: object) -> PromptRequest:
    return prompt.model_copy(update=people)


async def test_d14_who_is_not_asked_sees_the_question_and_cannot_answer_it() -> None:
    """Of any kind, and by no key; Enter says whom it waits for."""
    for prompt in (boolean(remember=False), select(), text(), hunky(), permission()):
        app = Host(asks(prompt, to="role:ops", yours=False))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.arm(pilot)
            assert "For ops (a group)" in text_of(app) and "You can withdraw it, not answer it." in text_of(app)
            await app.type(pilot, "y", "Y", "1", "space", "enter", gap=1.0)
            assert app.answers == []
            assert "It waits for ops (a group)." in text_of(app)


async def test_d14_the_owner_withdraws_it_by_key_and_by_mouse() -> None:
    for mouse in (False, True):
        app = Host(asks(boolean(remember=False), to="lead", yours=False))
        async with app.run_test(size=(80, 24)) as pilot:
            await app.arm(pilot)
            await app.type(pilot, "escape", gap=1.0)
            shown = text_of(app)
            assert "Keep waiting" in shown and "Withdraw" in shown and "Note" not in shown
            if mouse:
                app.now += 1.0
                await app.click_text(pilot, "Withdraw")
                await app.settled(pilot)
            else:
                await app.type(pilot, "down", "down", "enter", gap=1.0)
            assert app.answers == [Cancelled()]


async def test_d15_the_sheet_says_who_approved_and_which_approval_a_yes_is() -> None:
    app = Host(asks(boolean(remember=False), approvals=TWO))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "1 of 2 approvals: second · your yes is the 2nd of 2" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_d16_an_answer_overrules_a_claim_only_the_second_time() -> None:
    """Also a first yes that was not meant for what is asked now: another person needs a notice of their own."""
    claimed = asks(boolean(remember=False), to="role:ops", claimed_by="second")
    app = Host(claimed)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y", gap=1.0)
        assert app.answers == [] and "second looks at it. Answer again to overrule that." in text_of(app)
        app.dock.people_changed(asks(claimed, claimed_by="third"))
        await app.type(pilot, "y", gap=1.0)
        assert app.answers == [] and "third looks at it. Answer again" in text_of(app)
        await app.type(pilot, "y", gap=1.0)
        assert app.answers == [Answered(value=True)]


async def test_d16_leaving_a_claimed_question_needs_no_second_key() -> None:
    app = Host(asks(boolean(remember=False), to="role:ops", claimed_by="second"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "down", "down", "enter", gap=1.0)
        assert app.answers == [Cancelled()]


async def test_d15_an_open_sheet_follows_votes_claims_and_hand_overs() -> None:
    """In place while the user's own part stays; another sheet, which takes keys like a new one, where it changes."""
    first = asks(boolean(remember=False), to="role:ops", approvals=Approvals(needed=2), yours=False)
    app = Host(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        before = app.sheet
        app.dock.people_changed(asks(first, approvals=TWO, claimed_by="third"))
        await app.settled(pilot)
        assert app.sheet is before and app.sheet.armed
        assert "1 of 2 approvals: second · third looks at it" in text_of(app)
        await app.type(pilot, "w", gap=1.0)
        assert text_of(app).count("1 of 2 approvals: second · third looks at it") == 2
        app.dock.people_changed(asks(first, to="ada", approvals=TWO, yours=True))
        await app.settled(pilot)
        assert app.sheet is not before and not app.sheet.armed
        await app.type(pilot, "y")
        assert app.answers == []
        await app.arm(pilot)
        await app.type(pilot, "y", gap=1.0)
        assert app.answers == [Answered(value=True)]


async def test_d14_who_only_watched_reads_that_others_answered() -> None:
    """Not `by you, elsewhere`, which is what an answer of the own process is called."""
    first = asks(boolean(remember=False), to="lead", yours=False)
    app = Host(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.dock.remove_settled(app.dock.queue.current, "you")
        await app.settled(pilot)
        assert "question was answered by those it was for." in text_of(app) and "by you" not in text_of(app)


async def test_d15_a_vote_that_counted_reopens_the_sheet() -> None:
    voted = asks(boolean(remember=False), to="role:ops", approvals=Approvals(needed=2))
    app = Host(voted)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y")
        assert app.sheet.done
        app.dock.people_changed(asks(voted, approvals=Approvals(needed=2, by=("you",))))
        await app.settled(pilot)
        assert not app.sheet.done and "1 of 2 approvals: you" in text_of(app)


async def test_d14_names_of_people_are_untrusted() -> None:
    app = Host(asks(boolean(remember=False), to="lead\x1b[2J\u202e", claimed_by="se\ncond", yours=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "\x1b" not in text_of(app) and "\u202e" not in text_of(app) and "For lead" in text_of(app)


LISTED = (
    waits(1, "Deploy?", approvals=TWO, to="role:ops", share="roles", owner="lead"),
    waits(3, "Which branch?"),
    waits(4, "Delete 12 files?", to="lead", share="asked", yours=False, claimed_by="lead"),
)


def listing(*found: object) -> FakeLink:
    link = FakeLink()
    link.answers[cmd.WatchWaiting] = lambda one: [ev.WaitingListed.model_validate({"waiting": found})] if one.on else []
    return link


async def inbox(app: App, pilot: Pilot[None]) -> Inbox:
    await pilot.press("f4")
    await pilot.pause()
    assert isinstance(app.screen, Inbox)
    return app.screen


def shown(app: App) -> list[str]:
    """Return the questions of the list: the sidebar has them, too."""
    texts = app.screen_text()
    return [one for one in ("Deploy?", "Which branch?", "Delete 12 files?") if f"○ {one}" in texts]


def lists(app: App, questions: list[str]) -> bool:
    return shown(app) == questions


async def test_d19_the_inbox_filters_by_key_and_by_mouse() -> None:
    async with workspace(listing(*LISTED)) as (app, pilot):
        page = await inbox(app, pilot)
        seen = app.screen_text()
        assert "[all 3]" in seen and "mine 1" in seen and "my roles 1" in seen and "asked by me 1" in seen
        assert "from lead · for ops · 1 of 2: second" in seen and "for lead · lead looks at it" in seen
        every = ["Deploy?", "Which branch?", "Delete 12 files?"]
        for kept in (["Which branch?"], ["Deploy?"], ["Delete 12 files?"], every):
            await pilot.press("f")
            await until(pilot, partial(lists, app, kept))
        line = next(y for y, row in enumerate(app.screen_text().split("\n")) if "asked by me" in row)
        at = app.screen_text().split("\n")[line].index("asked by me")
        await pilot.click(offset=(at + 3, line))
        await until(pilot, partial(lists, app, ["Delete 12 files?"]))
        assert "[asked by me 1]" in app.screen_text()
        await app.says(pilot, ev.WaitingListed(waiting=LISTED[:2]))
        assert isinstance(app.screen, Inbox) and app.screen is page
        await until(pilot, partial(lists, app, []))
        assert "Press f for the other questions." in app.screen_text()


async def test_d19_in_a_store_of_one_person_there_is_no_filter() -> None:
    async with workspace(listing(LISTED[1])) as (app, pilot):
        await inbox(app, pilot)
        await pilot.press("f")
        await pilot.pause()
        assert "my roles" not in app.screen_text() and "filter" not in app.screen_text()
        assert shown(app) == ["Which branch?"]


async def test_d18_a_question_of_anothers_conversation_is_asked_here_and_resumes_nothing() -> None:
    """In the same folder, where nobody holds it: the answer is recorded, as for another folder."""
    async with workspace(listing(LISTED[0])) as (app, pilot):
        await inbox(app, pilot)
        await pilot.press("enter")
        await pilot.pause()
        for _ in range(2):
            await app.passes(pilot, 2.0)
        await pilot.press("y")
        await pilot.pause()
        assert [one.value for one in app.link.of(cmd.OfferAnswer)] == ["yes"] and not app.link.of(cmd.CarryOn)
        settled = {
            "status": "counted",
            "inquiry": "call_1.q.1",
            "conversation": "c1",
            "approvals": {"needed": 3, "by": ["second", "you"]},
        }
        await app.says(pilot, ev.OfferSettled.model_validate(settled))
        assert "Your answer counts: 2 of 3 approvals: second and you." in app.screen_text()
        assert app.dock.shown() is None


EVERYONE = PeopleListed(
    people=(
        PersonInfo(name="ada", you=True),
        PersonInfo(name="lead", groups=("ops", "dev"), away_until="2026-12-01T08:00:00Z"),
        PersonInfo(name="se\x1bcond"),
    ),
    groups=("role:ops",),
)
GROUP = asks(scenes.prompt("boolean"), to="role:ops")


async def handing(app: App, pilot: Pilot[None]) -> None:
    """A question of a group is open and takes keys."""
    await app.says(pilot, ev.QuestionAsked(conversation=GROUP.conversation, prompt=GROUP))
    for _ in range(2):
        await app.passes(pilot, 2.0)


def settled(status: str, message: str = "") -> ev.ClaimSettled:
    found = {"status": status, "inquiry": GROUP.inquiry, "conversation": GROUP.conversation, "message": message}
    return ev.ClaimSettled.model_validate(found)


async def test_d16_an_open_sheet_is_a_claim_that_ends_with_it() -> None:
    async with workspace() as (app, pilot):
        await handing(app, pilot)
        assert [one.release for one in app.link.of(cmd.ClaimInquiry)] == [False]
        await app.says(pilot, settled("claimed", "Others see that you look at it."))
        assert "Others see" not in app.screen_text()
        await pilot.press("ctrl+o")
        await until(pilot, lambda: [one.release for one in app.link.of(cmd.ClaimInquiry)] == [False, True])
        keys = {(one.conversation, one.inquiry) for one in app.link.of(cmd.ClaimInquiry)}
        assert keys == {(GROUP.conversation, GROUP.inquiry)}


async def test_d16_a_question_is_handed_over_by_key_and_by_mouse() -> None:
    """To one of the others, or to a group; names are untrusted. What came of it is said."""
    for mouse in (False, True):
        link = FakeLink()
        link.answers[cmd.ListPeople] = lambda _: [EVERYONE]
        async with workspace(link) as (app, pilot):
            await handing(app, pilot)
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, Choosing))
            seen = app.screen_text()
            assert "Hand over to" in seen and "lead · ops, dev · away until 2026-12-01 08:00" in seen
            assert "ops (a group)" in seen and "\x1b" not in seen and "  ada" not in seen
            if mouse:
                row = next(y for y, line in enumerate(seen.split("\n")) if "ops (a group)" in line and "❯" not in line)
                await pilot.click(offset=(seen.split("\n")[row].index("ops (a group)") + 2, row))
            else:
                await pilot.press("down", "down", "enter")
            await until(pilot, lambda: bool(app.link.of(cmd.ClaimInquiry)[-1].to))
            assert app.link.of(cmd.ClaimInquiry)[-1].to == "role:ops"
            await app.says(pilot, settled("assigned", "Handed over to role:ops."))
            assert "Handed over to role:ops." in app.screen_text()


async def test_d16_cancelling_hands_nothing_over() -> None:
    link = FakeLink()
    link.answers[cmd.ListPeople] = lambda _: [EVERYONE]
    async with workspace(link) as (app, pilot):
        await handing(app, pilot)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, Choosing))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, Choosing))
        assert all(not one.to for one in app.link.of(cmd.ClaimInquiry))


async def test_d16_only_what_others_could_answer_is_handed_over() -> None:
    app = Host(boolean(remember=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "h", gap=1.0)
        assert "hand over" not in text_of(app)
        assert not [one for one in app.posted if isinstance(one, HandOverRequested)]


class Clock:
    """Timers of a claim that run when the test says so."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self.posted: list[object] = []

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Clock:
        assert delay < 600 / 2
        self.due = [callback]
        return self

    def stop(self) -> None:
        self.due = []

    def post_message(self, message: object) -> bool:
        self.posted.append(message)
        return True


def test_d16_a_claim_is_renewed_and_only_made_where_it_means_something() -> None:
    clock, sent, said = Clock(), list[Any](), list[Any]()
    claims = ClaimController(clock, send=sent.append, notify=said.append, handed_over=said.append)  # type: ignore[arg-type]
    for other in (
        asks(GROUP, to=""), asks(GROUP, yours=False), asks(GROUP, claimed_by="second"), asks(GROUP, kind="permission"),
    ):  # fmt: skip
        claims.shown(other)
    assert sent == []
    claims.shown(GROUP)
    clock.due[0]()
    assert [one.release for one in sent] == [False, False]
    claims.turned(GROUP)
    assert len(sent) == 2
    claims.turned(asks(GROUP, yours=False))
    assert [one.release for one in sent] == [False, False, True] and clock.due == []
    claims.apply(ev.Refused(command="claim_inquiry", message="The store is busy."))
    assert said == []
    claims.hand_over(("c", "q"))
    claims.apply(PeopleListed(people=(PersonInfo(name="ada", you=True),)))
    assert [one.plain for one in said] == ["You are alone in this store."]
