"""A form in the conversation as it looks: a row for each question, by key, by mouse, live and reloaded (issue 5, 9).

E23, E30, E42, E60; R173-R182b, R251.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.ui.painting.blocks import paint
from jp_tui.view.transcript.blocks import ToolBlock
from jp_tui.view.transcript.reducer import TranscriptReducer
from tests.ui.look_of import look_of, texts
from tests.ui.transcript_host import Host, screen, settled
from tests.view.events_of import DIFF, appended, asked, changed, log
from tests.view.test_forms import ANSWERED, BACK, NOTED, PARTS, QUESTIONS, aside, call, left, said, shown
from tests.view.test_story import blocks, stored_blocks

Compare = Callable[..., bool]
DONE = call(*ANSWERED, *NOTED, result='{"deploy": true, "env": "live", "note": ""}', ms=8000)
BRANCHED = call(*BACK, said("deploy", False, 2), shown("note", 2), said("note", "First\nsecond", 2), ms=8000)
REPLIED = call(
    shown("deploy"), said("deploy", True), shown("env"), left("env", "user_reply"),
    result='{"cancelled": true, "answered": {"deploy": true}, "reply": "Ask me later [/]"}',
)  # fmt: skip
ENDED = call(*ANSWERED, shown("note"), left("note", "user"), result="Turn ended by the user", end="cancelled")


def painted(events: list[Any], *unfolded: str, width: int = 80) -> list[str]:
    block = next(one for one in stored_blocks(log(*events)) if isinstance(one, ToolBlock))
    rows = paint(block, width, look_of(), unfolded=frozenset(unfolded))
    assert all(row.strip.cell_length == width for row in rows)
    return texts(rows)


def test_a_row_for_each_question_with_its_final_answer() -> None:
    assert painted(DONE) == [
        "   ✓ asked 3 questions · answered · 8.0 s ▸",
        "     1 Deploy?  ✓ yes ▸",
        "     2 Where?  ✓ live ▸",
        "     3 Note?  ✓ empty on purpose ▸",
    ]


def test_skipped_ones_stay_with_their_reason_and_earlier_showings_fold_out() -> None:
    """E23, R181."""
    assert painted(BRANCHED)[1:] == [
        "     1 Deploy?  ✗ no ▸",
        "     2 Where?  ↷ skipped: asked only if `deploy` is yes ▸",
        "     3 Note?  ✓ First ▸",
    ]
    row = painted(BRANCHED, "e1/1")
    assert row[3:6] == [
        "       Why you weren't asked: asked only if `deploy` is yes",
        "       earlier: ✓ live",
        "       earlier: ↶ went back",
    ]
    whole = "\n".join(painted(BRANCHED, "e1"))
    assert "second" in whole and "earlier: ✓ yes" in whole and "▾" in whole and "▸" not in whole


def test_what_was_gone_back_from_says_so() -> None:
    """R176: it was asked, whatever became of it."""
    events = call(*ANSWERED, shown("note"), left("note", "user_back", discards=["env"]), shown("env", 2), result=None)
    assert waiting(events)[3].strip() == "3 Note?  ↶ went back without an answer ▸"


def test_a_form_that_was_left_says_how() -> None:
    """R179, R180, E25."""
    assert painted(REPLIED) == [
        "   » asked 3 questions · 1 answered · replied with text ▸",
        "     1 Deploy?  ✓ yes ▸",
        "     2 Where?  » replied with text ▸",
        "     3 Note?  · not asked",
        "     “Ask me later [/]”",
    ]
    shown_ = painted(ENDED)
    assert shown_[0].startswith("   ⊘ asked 3 questions · 2 answered · ended early")
    assert shown_[3] == "     3 Note?  ⊘ ended here ▸"
    looked = call(*ANSWERED, *NOTED, result="Turn ended by the user", end="cancelled")
    assert painted(looked)[0].startswith("   ⊘ asked 3 questions · 3 answered · not submitted")


@pytest.mark.parametrize("width", [12, 24, 40, 60, 80, 200])
@pytest.mark.parametrize("events", [DONE, BRANCHED, REPLIED, ENDED], ids=["done", "branched", "replied", "ended"])
def test_it_fits_any_width(events: list[Any], width: int) -> None:
    rows = painted(events, width=width)
    assert painted(events, "e1", width=width)
    if width >= 40:
        assert "asked 3 questions" in rows[0] and any("Deploy?" in row for row in rows)


MANY: list[Any] = [{"id": f"q{n}", "text": f"Question {n}?", "answer_type": "text"} for n in range(50)]


def asked_of_many(number: int) -> stored.InquiryRequest:
    return stored.InquiryRequest(
        id=f"f.q{number}.1", source=stored.Source("assistant"), question={"text": f"Question {number}?"},
        metadata={"call": "f", "question": f"q{number}"},
    )  # fmt: skip


def answered_of_many(count: int) -> list[Any]:
    return [one for n in range(count) for one in (asked_of_many(n), said(f"q{n}", f"{n}"))]


def waiting(events: list[Any], *unfolded: str) -> list[str]:
    """While the human is asked."""
    story = TranscriptReducer()
    for event in log(*events):
        story.apply(appended(event))
    story.apply(changed("f", "awaiting_input", "any_name", hidden=True))
    block = next(one for one in blocks(story, len(events)) if isinstance(one, ToolBlock))
    return texts(paint(block, 80, look_of(), unfolded=frozenset(unfolded)))


def test_a_long_form_leaves_the_conversation_in_sight_while_it_is_asked() -> None:
    """E1, E28: what is before and after folds to a row each, which folds out; V18's limit, numbers below each other."""
    events = call(*answered_of_many(20), asked_of_many(20), questions=MANY, result=None)
    assert [row.strip() for row in waiting(events)[1:]] == [
        "1–17  17 answered ▸", "18 Question 17?  ✓ 17 ▸", "19 Question 18?  ✓ 18 ▸", "20 Question 19?  ✓ 19 ▸",
        "21 Question 20?  ◐ asked ▸", "22 Question 21?  · not asked yet", "23–50  28 not asked yet ▸",
    ]  # fmt: skip
    first = waiting(call(asked_of_many(0), questions=MANY, result=None))
    assert len(first) == 4 and first[3].strip() == "3–50  48 not asked yet ▸"
    assert len(waiting(call(*answered_of_many(50), questions=MANY, result=None))) == 5, "the last look has them all"
    whole = [row for row in waiting(events, "e1") if "Question" in row]
    assert len(whole) == 50 and whole[0].startswith("      1 Quest") and whole[49].startswith("     50 Quest")
    assert "Question 3?" in "\n".join(waiting(events, "e1/3")), "what was folded out by hand stays so"


def test_a_long_form_that_was_left_lists_what_was_asked() -> None:
    done = painted(call(*answered_of_many(50), questions=MANY, result="{}"))
    assert len(done) == 51
    ended = call(
        *answered_of_many(6), asked_of_many(6), left("q6", "user"), questions=MANY, result="x", end="cancelled"
    )
    assert len(painted(ended)) == 9 and painted(ended)[8].strip() == "8–50  43 not asked ▸"


def test_what_was_taken_of_a_change_folds_out_part_by_part() -> None:
    """R251, E26."""
    parts = {"accepted": ["1", "3"], "comments": {"2": "Too wide."}}
    events = call(
        asked("f", "Apply?", parts=PARTS, context=DIFF),
        stored.InquiryAnswered(id="f.q.1", answer=True, extra={"parts": parts}, responder=stored.Responder("user")),
    )
    assert "✓ yes to 2 of 5 hunks, 1 comment · you" in painted(events)[1]
    out = [row.strip() for row in painted(events, "e1/0")]
    assert "✓ taken f.txt, line 1" in out
    assert out[out.index("✗ left out f.txt, line 2") + 1] == "“Too wide.”"


def test_what_was_said_instead_of_an_answer_stands_with_the_question() -> None:
    """R179: also of a single question."""
    result = '{"cancelled": true, "answered": {}, "reply": "Neither"}'
    events = call(shown("deploy"), left("deploy", "user_reply"), questions=QUESTIONS[:1], result=result)
    assert painted(events) == ["   ? Deploy?", "     » replied with text · you", "     “Neither”"]


def test_side_questions_are_one_dim_row_that_folds_out() -> None:
    """E30."""
    events = call(*ANSWERED, aside("It **rings**."), aside("", error={"message": "The question was settled."}), *NOTED)
    assert painted(events)[-1] == "     └ ~ 2 side questions: What does it do? ▸"
    out = painted(events, "e1/aside")
    assert out[-5:] == [
        "       about: Deploy?",
        "       ┊ you: What does it do?",
        "       ┊ m/x: It **rings**.",
        "       ┊ you: What does it do?",
        "       ✂ incomplete: The question was settled.",
    ]


async def test_by_key_alone_to_a_question_of_the_form_and_its_reason() -> None:
    """E42, E60: as any line of the trail; `w` passes by what nobody was asked."""
    host = Host(log(*BRANCHED[:-1], aside(), BRANCHED[-1]))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        host.transcript.focus()
        await pilot.press("w")
        await settled(pilot)
        found = "\n".join(screen(host))
        assert found.count("Why you were asked") == 1
        await pilot.press("w", "p", "enter")
        await settled(pilot)
        found = "\n".join(screen(host))
        assert "earlier: ↶ went back" in found and "Why you weren't asked: asked only if" in found


async def test_a_click_on_a_question_folds_it_out() -> None:
    host = Host(log(*DONE))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        row = next(y for y, text in enumerate(screen(host)) if "Where?" in text)
        await pilot.click("Transcript", offset=(10, row))
        await settled(pilot)
        assert "Why you were asked" in "\n".join(screen(host))


HOSTILE: list[Any] = [
    {**QUESTIONS[0], "text": "Sure? \x1b[31m[red]\u202e"}, *QUESTIONS[1:],
]  # fmt: skip


def test_foreign_words_stay_words() -> None:
    """R195, R196, T1."""
    events = call(shown("deploy"), left("deploy", "of_\x1b[2Jtomorrow"), questions=HOSTILE)
    text = "\n".join(painted(events, "e1"))
    assert "\x1b" not in text and "\u202e" not in text and "[red]" in text


@pytest.fixture
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("_colours")
@pytest.mark.parametrize("colours", ["jp-night", "jp-day"])
@pytest.mark.parametrize("size", [(80, 48), (120, 48)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_forms_of_every_end(snap_compare: Compare, size: tuple[int, int], colours: str) -> None:
    """Done, another branch after Back with its history out, replied, ended, side questions out, parts of a change."""
    events: list[Any] = [*DONE]
    for number, one in enumerate((BRANCHED, REPLIED, ENDED)):
        events += [(number + 2, event) for event in one]
    change = call(
        asked("f", "Apply this change?", parts=PARTS, context=DIFF), aside("It changes **one** line."),
        stored.InquiryAnswered(
            id="f.q.1", answer=True, responder=stored.Responder("user"),
            extra={"parts": {"accepted": ["1", "3"], "comments": {"2": "Too wide."}}},
        ),
    )  # fmt: skip
    last = f"e{len(events) + 1}"
    events += [(9, event) for event in change]

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        host = pilot.app
        assert isinstance(host, Host)
        for key in ("e9/1", f"{last}/aside", f"{last}/0"):
            host.transcript.toggle(key)
        await settled(pilot)

    assert snap_compare(Host(log(*events), colours=colours), terminal_size=size, run_before=before)
