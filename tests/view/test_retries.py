"""The line of a wait before a retry: who, why, for how long, how to end it (Z21)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.view.transcript.blocks import RetryBlock
from jp_tui.view.transcript.reducer import TranscriptReducer
from jp_tui.view.wording.retries import line, who
from tests.view.events_of import HERE, delta

CAUSE = "Rate limited by acme (429)."


def phase(name: str = "retrying", wait: float | None = 20.0) -> ev.TurnPhase:
    return ev.TurnPhase.model_validate(
        {"conversation": HERE, "turn": 1, "phase": name, "detail": CAUSE, "retry_in": wait}
    )


def retrying(id_: str = "q1", wait: float | None = 5.0, **more: object) -> ev.Retrying:
    given = {"conversation": HERE, "id": id_, "who": "reviewer", "name": "acme/small", "detail": CAUSE}
    return ev.Retrying.model_validate({**given, "retry_in": wait, **more})


def lines(story: TranscriptReducer) -> list[str]:
    return [block.text.raw for block in story.live if isinstance(block, RetryBlock)]


@pytest.mark.parametrize(
    ("left", "key", "said"),
    [
        (20.0, "Esc", f"{CAUSE} Retrying in 20 s · Esc stops"),
        (0.5, "Ctrl+C", f"{CAUSE} Retrying in 1 s · Ctrl+C stops"),
        (0.0, "Esc", f"{CAUSE} Retrying now · Esc stops"),
        (-3.0, "", f"{CAUSE} Retrying now"),
        (125.2, "Esc", f"{CAUSE} Retrying in 2 m 06 s · Esc stops"),
    ],
)
def test_the_line(left: float, key: str, said: str) -> None:
    assert line(CAUSE, left, key) == said


def test_who_waits() -> None:
    assert who(retrying()) == "Reviewer small: "
    assert who(retrying(who="agent", name="scout\nx")) == "Sub-agent scout: "
    assert who(retrying(who="aside", name=Foreign(""))) == "Side question: "


def test_it_stands_at_the_end_counts_down_and_goes_when_it_is_over() -> None:
    story = TranscriptReducer()
    story.apply(ev.TurnStarted(conversation=HERE, turn=1, model="m"))
    story.apply(delta("p", "half"))
    changes = story.apply(phase())
    assert lines(story) == [f"{CAUSE} Retrying in 20 s · Esc stops"] and isinstance(story.live[-1], RetryBlock)
    assert changes.changed == {story.live[-1].key}
    assert not story.retries.passed(0.0)
    assert story.retries.passed(3.2) == {story.live[-1].key}
    assert lines(story) == [f"{CAUSE} Retrying in 17 s · Esc stops"]
    key = story.live[-1].key
    assert story.apply(phase("waiting_for_model", None)).changed == {key} and lines(story) == []
    assert not story.retries.passed(1.0)


def test_several_wait_at_a_time_and_each_ends_by_itself() -> None:
    story = TranscriptReducer()
    for id_ in ("q1", "q2", "q3", "q4"):
        story.apply(retrying(id_))
    assert [said.partition(":")[0] for said in lines(story)] == ["Reviewer small"] * 4
    story.apply(retrying("q1", None))
    story.apply(ev.QuestionSettled(conversation=HERE, inquiry="q2", how="withdrawn"))
    story.apply(ev.AsideEnded(conversation=HERE, inquiry="q3"))
    assert len(lines(story)) == 1
    story.apply(retrying("q4", 9.0))
    assert lines(story) == [f"Reviewer small: {CAUSE} Retrying in 9 s · Esc stops"]
    story.apply(phase())
    story.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="interrupted"))
    assert lines(story) == []


def test_a_sub_agents_own_conversation_says_it_once() -> None:
    story = TranscriptReducer()
    story.apply(phase())
    story.apply(retrying(HERE, 20.0, who="agent"))
    assert len(lines(story)) == 1


def test_s53_a_model_that_is_silent_for_long_is_named_until_its_first_word() -> None:
    story = TranscriptReducer()
    story.apply(ev.TurnStarted(conversation=HERE, turn=1, model="acme/large"))
    story.apply(phase("waiting_for_model", None))
    assert lines(story) == [] and story.retries.counting
    assert not story.retries.passed(7.5), "most answers begin within seconds"
    assert story.retries.passed(0.6) and lines(story) == ["Waiting for large · 8 s · Esc stops"]
    assert story.retries.passed(4.0) and lines(story) == ["Waiting for large · 12 s · Esc stops"]
    story.apply(delta("p", "first"))
    assert lines(story) == [] and not story.retries.counting


def test_s53_it_gives_way_to_a_retry_and_ends_with_the_turn() -> None:
    story = TranscriptReducer()
    story.apply(phase("waiting_for_model", None))
    story.retries.passed(9.0)
    story.apply(phase())
    assert lines(story) == [f"{CAUSE} Retrying in 20 s · Esc stops"]
    story.apply(phase("waiting_for_model", None))
    story.apply(ev.TurnCompleted(conversation=HERE, turn=1, outcome="failed"))
    assert lines(story) == [] and not story.retries.counting
