"""The trail of a call in the conversation: one line each, folded out by key and mouse, and why (E42; issue 4, 8)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation import events as stored
from jp_tui.protocol import events as ev
from tests.ui.look_of import look_of, texts
from tests.ui.transcript_host import Host, screen, settled
from tests.view.events_of import DIFF, HERE, asked, changed, log
from tests.view.test_story import stored_blocks

REVIEWED = stored.InquiryAnswered(
    id="a.q.1", answer=False, explanation="Nobody asked for white tea.",
    responder=stored.Responder("assistant", model="haiku-4-5", ms=1400),
)  # fmt: skip


def call(*more: Any, **metadata: Any) -> list[Any]:
    request = stored.ToolCallRequest(id="a", name="fs_modify_file", arguments={"path": "brew.py"})
    return [request, *more, stored.ToolCallResponse(id="a", content="ok", metadata=metadata)]


def painted(events: list[Any], *unfolded: str, width: int = 80) -> list[str]:
    from jp_tui.ui.painting.blocks import paint

    (block,) = stored_blocks(log(*events))
    rows = paint(block, width, look_of(), unfolded=frozenset(unfolded))
    assert all(row.strip.cell_length == width for row in rows)
    return texts(rows)


def test_a_question_is_one_row_with_its_fate_and_its_reason_below() -> None:
    shown = painted(call(asked("a", "Apply this change?", context=DIFF), REVIEWED))
    assert shown[1:] == [
        "     └ Apply this change?  ✗ no · reviewer haiku-4-5 · 1.4 s ▸",
        "       “Nobody asked for white tea.”",
    ]


@pytest.mark.parametrize("width", [30, 48, 60, 80, 200])
def test_the_row_keeps_question_and_fate_at_any_width(width: int) -> None:
    question = "Shall this rather long question about a great many files be answered with yes?"
    shown = painted(call(asked("a", question), REVIEWED), width=width)
    assert any("✗ no" in row for row in shown[1:3]) and "Shall this" in shown[1]


def test_unfolded_it_tells_all_words_who_asked_why_and_the_context() -> None:
    question = stored.InquiryRequest(
        id="a.q.1", source=stored.Source("tool", "fs_modify_file"),
        question={"text": "Apply?\nAll of it.", "context": DIFF},
        metadata={"call": "a", "why": "your settings say so", "row": "5"},
    )  # fmt: skip
    shown = "\n".join(painted(call(question, REVIEWED), "e1/0"))
    assert "All of it." in shown and "asked by fs_modify_file" in shown
    assert "Why you weren't asked: your settings say so (rule 5)" in shown
    assert '+    Tea("White tea"' in shown or 'Tea("White tea"' in shown
    only = "\n".join(painted(call(question, REVIEWED), "e1/0?"))
    assert "Why you weren't asked" in only and 'White tea"' not in only


def test_somebody_else_than_the_call_is_named() -> None:
    other = stored.InquiryRequest(
        id="a.q.1", source=stored.Source("other", "linkfinder"), question={"text": "Which?"}, metadata={"call": "a"}
    )
    assert "└ linkfinder: Which?" in painted(call(other))[1]


def test_a_long_reason_is_cut_and_folds_out() -> None:
    long = stored.InquiryAnswered(id="a.q.1", answer=False, explanation="word " * 200)
    folded = painted(call(asked("a", "Sure?"), long))
    assert len(folded) == 6 and folded[-1].endswith("… 12 more lines fold out"), "it says how much (Z26)"
    assert len(painted(call(asked("a", "Sure?"), long), "e1/0")) > 12


def test_decisions_stand_with_the_call_and_what_ran_in_its_place() -> None:
    """R86, R87, R93."""
    shown = painted(
        call(
            permission={"choice": "edit", "by": "user"},
            edited_arguments={"path": "other.py"},
            delivery={"choice": "skip", "by": "user"},
        )
    )
    assert shown[1:] == [
        "     └ ✎ arguments edited by you ▸",
        "     └ ✎ ran with path: other.py",
        "     └ ↷ result withheld by you ▸",
    ]
    skipped = painted(call(permission={"choice": "skip", "by": "user", "reason": "too wide [/]"}))
    assert skipped[1:3] == ["     └ ↷ skipped by you ▸", "       “too wide [/]”"]
    opened = painted(call(permission={"choice": "run", "by": "remembered"}), "e1/permission")
    assert "Why you weren't asked: earlier in this turn" in "\n".join(opened)


def test_an_open_call_tells_both_the_arguments_of_the_model_and_those_that_ran() -> None:
    """R97b: the request stays as it was sent."""
    shown = "\n".join(painted(call(edited_arguments={"path": "other.py"}), "e1"))
    assert "path: brew.py" in shown and "ran with:" in shown and "path: other.py" in shown


def test_a_dialogue_has_its_reason_for_asking_too() -> None:
    events = call(asked("a", "Which branch?", assistant=True), stored.InquiryAnswered(id="a.q.1", answer="main"))
    assert painted(events)[:2] == ["   ? Which branch?", "     ✓ main"]
    assert "Why you were asked" in painted(events, "e1/0?")[2]


def test_a_turn_that_goes_on_says_so_quietly() -> None:
    from jp_tui.ui.painting.blocks import paint
    from jp_tui.view.transcript.blocks import Resumed

    rows = paint(Resumed(key="r1", place=(1, 9)), 60, look_of())
    assert texts(rows) == [" ↻ jp-tui ended here. The turn goes on below."]


LOG = log(
    stored.ChatRequest(content="go"),
    *call(asked("a", "Apply this change?", context=DIFF), REVIEWED, permission={"choice": "run", "by": "user"}),
    stored.ChatResponse(kind="message", content="Done."),
)


async def test_the_cursor_goes_over_calls_and_trail_lines_and_unfolds_them() -> None:
    """E60: n and p step, Enter folds; the mark is a sign, not a colour."""
    host = Host(LOG)
    async with host.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        host.transcript.focus()
        await pilot.press("n")
        assert list(host.transcript._folds.folds(0, 29)) == ["e2", "e2/permission", "e2/0"]
        await pilot.press("n", "n", "enter")
        await settled(pilot)
        assert "asked by fs_modify_file" in "\n".join(screen(host))
        marked = [row for row in _shown(host) if row.startswith("❯")]
        assert len(marked) == 1 and "Apply this change?" in marked[0]
        await pilot.press("enter", "p", "p", "enter")
        await settled(pilot)
        found = "\n".join(screen(host))
        assert "asked by" not in found and "path: brew.py" in found


def _shown(host: Host) -> list[str]:
    from textual.geometry import Region

    size = host.transcript.size
    return [strip.text for strip in host.transcript.render_lines(Region(0, 0, size.width, size.height))]


async def test_w_says_why_and_puts_it_away_again() -> None:
    """E42: on the marked line, on the marked call's first, else on the last in sight."""
    host = Host(LOG)
    async with host.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        host.transcript.focus()
        await pilot.press("w")
        await settled(pilot)
        assert "Why you weren't asked: Your settings send this" in "\n".join(screen(host))
        await pilot.press("w")
        await settled(pilot)
        assert "why you" not in "\n".join(screen(host))
        await pilot.press("p", "p", "w")
        await settled(pilot)
        assert "Why you were asked: your settings require" in "\n".join(screen(host)), "the call's first: leave to run"


async def test_w_is_bound_only_where_somebody_was_asked() -> None:
    """E5."""
    host = Host(log(stored.ChatRequest(content="go"), *call()))
    async with host.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        host.transcript.focus()
        await pilot.pause()
        assert not host.transcript.check_action("why", ())
        await pilot.press("w")
        assert "why you" not in "\n".join(screen(host))


async def test_a_click_on_a_line_of_the_trail_folds_it_out() -> None:
    """E60."""
    host = Host(LOG)
    async with host.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        row = next(y for y, text in enumerate(screen(host)) if "Apply this change?" in text)
        await pilot.click("Transcript", offset=(10, row))
        await settled(pilot)
        assert "asked by fs_modify_file" in "\n".join(screen(host))
        await pilot.click("Transcript", offset=(10, row))
        await settled(pilot)
        assert "asked by" not in "\n".join(screen(host))


async def test_live_and_reloaded_look_the_same() -> None:
    """Issue 4, 8: one reducer."""
    live, again = Host([]), Host(LOG)
    async with live.run_test(size=(80, 30)) as pilot:
        live.transcript.apply(ev.TurnStarted(conversation=HERE, turn=1, model=""))
        for one in LOG:
            if one.event["type"] == "inquiry_request":
                live.transcript.apply(changed("a", "awaiting_assistant", "fs_modify_file"))
            live.transcript.apply(ev.EventAppended(conversation=HERE, stored=one))
        live.transcript.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="done"))
        await settled(pilot)
        shown = screen(live)
    async with again.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        assert screen(again) == shown and any("✗ no · reviewer haiku-4-5" in row for row in shown)
