"""E1, E61: how the rows of a sheet are shared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jp_tui.ui.sheets.row_budget import LEAST_ANSWERS, LEAST_CONTEXT, LEAST_QUESTION, RowNeeds, room_of, share

WANTS = st.builds(
    RowNeeds,
    context=st.integers(0, 500), question=st.integers(1, 9), answers=st.integers(1, 1200), fixed=st.integers(3, 9),
)  # fmt: skip


@given(st.integers(1, 400))
def test_e1_the_conversation_keeps_at_least_a_third(column: int) -> None:
    assert column - room_of(column) >= column / 3


@given(st.integers(1, 200), WANTS)
def test_the_parts_fit_in_the_room_or_it_says_that_it_is_cramped(room: int, wants: RowNeeds) -> None:
    found = share(room, wants)
    used = found.context + found.question + found.answers + found.gaps + wants.fixed
    assert found.cramped or used <= room
    assert found.context >= min(wants.context, LEAST_CONTEXT)
    assert found.question >= 1
    assert found.answers >= min(wants.answers, LEAST_ANSWERS)


@given(st.integers(1, 200), WANTS)
def test_no_part_gets_more_than_it_wants(room: int, wants: RowNeeds) -> None:
    found = share(room, wants)
    assert found.context <= wants.context and found.question <= wants.question and found.answers <= wants.answers


@given(st.integers(12, 200), WANTS)
def test_nothing_is_left_over_while_a_part_wants_more(room: int, wants: RowNeeds) -> None:
    found = share(room, wants)
    short = found.context < wants.context or found.answers < wants.answers or found.question < wants.question
    used = found.context + found.question + found.answers + found.gaps + wants.fixed
    assert not short or found.cramped or used == room


def test_a_diff_at_80x24_leaves_room_for_the_answers_and_more_than_a_glimpse_of_the_diff() -> None:
    found = share(room_of(22), RowNeeds(context=200, question=1, answers=4, fixed=4))
    assert not found.cramped
    assert found.answers == 4 and found.context >= 5


@given(st.integers(3, 200), WANTS)
def test_a_notice_may_take_a_row_of_the_context_for_a_moment_and_never_all_of_it(room: int, wants: RowNeeds) -> None:
    found, before = share(room, wants, least_context=1), share(room, wants)
    assert found.context >= min(wants.context, 1) and found.answers >= min(wants.answers, LEAST_ANSWERS)
    assert before.cramped or not found.cramped


@given(st.integers(1, 200), WANTS, st.integers(1, 20), st.booleans())
def test_lines_that_must_be_in_sight_go_before_the_context_and_what_is_read_before_the_answers(
    room: int, wants: RowNeeds, lines: int, reads: bool
) -> None:
    lines = min(lines, wants.answers)
    found = share(room, wants, answers=lines) if not reads else share(room, wants, reads=True)
    used = found.context + found.question + found.answers + found.gaps + wants.fixed
    assert found.cramped or used <= room
    if not reads and not found.cramped:
        assert found.answers >= lines or found.context == 0 or found.question > LEAST_QUESTION
    plain = share(room, wants)
    assert not reads or found.context >= plain.context
