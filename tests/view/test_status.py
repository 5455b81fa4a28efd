"""The status line as a pure reducer, and the words that fit (issue 3, 7; E50)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import UsageTotals
from jp_tui.view.activity.status import Status, phase_text, shortened, tokens
from jp_tui.view.activity.status_reducer import applied
from jp_tui.view.wording.amounts import count, duration, seconds
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, opened


def after(events: list[ev.Event], status: Status | None = None, now: float = 50.0) -> Status:
    found = status or Status(home="/home/ada")
    for event in events:
        found = applied(found, event, now)
    return found


def test_a_conversation_says_where_and_which_model() -> None:
    status = after([opened(title=Foreign("rfd-links"), usage=UsageTotals(input=10, output=5))])
    assert (status.workspace, status.title, status.model) == ("/home/ada/code/acme", Foreign("rfd-links"), "demo/tour")
    assert tokens(status) == "10 in · 5 out"


def test_phases_of_a_turn_in_words_and_silence_at_rest() -> None:
    status = after([opened()])
    assert (status.working, phase_text(status, 50.0)) == (False, "")
    status = after(scenes.started(), status)
    assert (status.working, phase_text(status, 50.0)) == (True, "waiting for the model")
    assert phase_text(after(scenes.streaming(), status), 50.0) == "model is writing"
    status = after(scenes.tools(), status)
    assert phase_text(status, 50.0) == "running tools"
    assert phase_text(after(scenes.done(), status), 50.0) == ""


def test_a_retry_counts_down_on_the_clock_it_is_given() -> None:
    waits_ = ev.TurnPhase(conversation=CONVERSATION, turn=1, phase="retrying", retry_in=8.0)
    status = after([opened(), waits_], now=100.0)
    assert phase_text(status, 100.0) == "retrying in 8 s"
    assert phase_text(status, 105.0) == "retrying in 3 s"
    assert phase_text(status, 200.0) == "retrying in 0 s"


def test_turns_add_up() -> None:
    status = after([opened(usage=UsageTotals(input=1, output=2)), *scenes.done()])
    assert (status.tokens_in, status.tokens_out) == (12_401, 814)


def test_a_reviewer_is_named_until_its_own_question_is_settled_not_one_of_the_same_id_elsewhere() -> None:
    started = ev.ReviewStarted(conversation=CONVERSATION, turn=1, call="c", inquiry="q", tool="t", model="a/haiku")
    status = after([opened(), started])
    elsewhere = ev.QuestionSettled(conversation="c2", inquiry="q", how="answered")
    assert after([elsewhere], status) is status
    assert after([elsewhere.model_copy(update={"conversation": CONVERSATION})], status).reviewed == ()


def test_trouble_with_the_log_stays_until_something_is_durable_again() -> None:
    status = after([opened(), ev.StorageFailed(message="The disk is full.", advice="Make room.")])
    assert status.trouble == "The disk is full."
    assert after([ev.HistoryRead(texts=())], status).trouble
    assert after(scenes.started(), status).trouble == ""


@pytest.mark.parametrize(
    ("path", "room", "shown"),
    [
        ("/home/ada", 40, "~"),
        ("/home/ada/code/acme", 40, "~/code/acme"),
        ("/home/adam/code", 40, "/home/adam/code"),
        ("/srv/deep/down/below/acme", 14, "…/below/acme"),
        ("/srv/deep/down/below/acme", 3, "…/acme"),
        ("acme", 2, "acme"),
        ("/", 1, "/"),
    ],
)
def test_folders_are_shortened_from_the_left(path: str, room: int, shown: str) -> None:
    assert shortened(path, "/home/ada", room) == shown


def test_amounts() -> None:
    assert [duration(ms) for ms in (-1, 0, 38, 999, 1000, 59_949, 59_950, 60_000, 125_000, 3_840_000)] == [
        "0 ms", "0 ms", "38 ms", "999 ms", "1.0 s", "59.9 s", "60 s", "1 m 00 s", "2 m 05 s", "1 h 04 m",
    ]  # fmt: skip
    assert [seconds(at) for at in (-1.0, 0.9, 59.9, 60.0, 3_840.0)] == ["0 s", "0 s", "59 s", "1 m 00 s", "1 h 04 m"]
    assert [count(n) for n in (0, 812, 1_000, 12_400, 99_950, 128_000, 999_500, 1_200_000)] == [
        "0", "812", "1.0k", "12.4k", "100k", "128k", "1.0M", "1.2M",
    ]  # fmt: skip


def test_e50_nothing_is_said_to_run_where_all_of_it_waits_for_the_human() -> None:
    """What was put off waits, too."""
    runs = Status(working=True, phase="tools")
    assert phase_text(runs, 0.0) == "running tools"
    assert phase_text(replace(runs, put_off=6), 0.0) == "" == phase_text(replace(runs, waiting=("c/a",)), 0.0)
