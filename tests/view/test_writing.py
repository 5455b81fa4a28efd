"""What the composer knows apart from keys: folded pastes and what was sent before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.view.composer.history import MOST, PromptHistory
from jp_tui.view.composer.pastes import LINE, LINES, ROOM, SIZE, Pastes, cleaned
from jp_tui.view.questions.interrupt_menu import STREAMING, TITLE, TOOLS, menu


def test_m44_word_for_word() -> None:
    """M44, exact; R211: Continue first, and it sends nothing."""
    assert TITLE == "Interrupted"
    assert [choice.label for choice in STREAMING] == [
        "Continue", "Reply (stop & respond)", "Stop (save & exit)", "Abort (discard & exit)",
    ]  # fmt: skip
    assert [choice.label for choice in TOOLS] == ["Continue", "Stop & respond", "Stop (cancel & exit)", "Restart"]
    assert [choice.action for choice in STREAMING] == [None, "reply", "stop", "abort"]
    assert [choice.action for choice in TOOLS] == [None, "respond", "stop", "restart"]
    assert all(choice.does for choice in (*STREAMING, *TOOLS))
    assert menu("tools") == TOOLS
    assert {menu(phase) for phase in ("streaming", "waiting_for_model", "retrying", "")} == {STREAMING}


@pytest.mark.parametrize(
    "text", ["x" * (LINE + 1), "ab\n" * (LINES + 1), "word " * (SIZE // 5 + 1), "x" * 3_000_000, "é\t" * 5_000]
)
def test_what_is_too_much_for_an_editor_becomes_a_short_mark_and_is_whole_again(text: str) -> None:
    """T4."""
    pastes = Pastes()
    mark = pastes.folded(text)
    assert len(mark) < 80 and "\n" not in mark
    assert pastes.whole(f"look at {mark}!") == f"look at {text}!"
    assert pastes.spans(f"a {mark}") == [(2, 2 + len(mark))]


def test_small_pastes_stay_what_they_are_until_the_room_is_used_up() -> None:
    pastes = Pastes()
    assert pastes.folded("a\nb") == "a\nb"
    assert pastes.folded("word " * 20, room=10).startswith("[pasted 1: 1 line, 100 characters")
    assert ROOM > SIZE


def test_a_mark_that_is_only_written_is_not_ours() -> None:
    pastes = Pastes()
    fake = "[pasted 1: 2 lines, 3 characters]"
    assert pastes.whole(fake) == fake and pastes.spans(fake) == []


def test_what_was_pasted_is_not_looked_at_again() -> None:
    pastes = Pastes()
    inner = pastes.folded("x" * 9_000)
    outer = pastes.folded(f"{inner}\n" * 200)
    assert pastes.whole(outer) == f"{inner}\n" * 200


@given(st.lists(st.text(alphabet=st.sampled_from("ab\n é[]"), max_size=40), max_size=4), st.text(max_size=20))
def test_any_mixture_comes_back_exactly(pasted: list[str], typed: str) -> None:
    pastes = Pastes()
    shown, whole = "", ""
    for text in pasted:
        long = text * 300
        shown, whole = shown + typed + pastes.folded(long), whole + typed + long
    assert pastes.whole(shown) == whole


@given(
    st.lists(st.tuples(st.booleans(), st.text(alphabet=st.sampled_from("ab\n é"), max_size=30)), max_size=5),
    st.lists(st.tuples(st.integers(-5, 99), st.integers(-5, 20_000)), max_size=3),
)
def test_e24_in_another_life_pastes_are_folded_where_they_were(
    pieces: list[tuple[bool, str]], odd: list[tuple[int, int]]
) -> None:
    """And any places at all lose no character."""
    pastes = Pastes()
    shown = "".join(pastes.folded(text * 300) if pasted else text for pasted, text in pieces)
    whole, places = pastes.whole(shown), pastes.places(shown)
    later = Pastes()
    again = later.again(whole, places)
    assert later.whole(again) == whole
    assert later.places(again) == places or (not places and len(whole) > 2 * LINE)
    other = Pastes()
    assert other.whole(other.again(whole, odd)) == whole


def test_e24_words_behind_a_paste_stay_in_sight_also_where_no_place_is_known() -> None:
    pastes, later = Pastes(), Pastes()
    shown = f"see {pastes.folded('log' * 9_000)} and more"
    again = later.again(pastes.whole(shown), pastes.places(shown))
    assert again.startswith("see [pasted 1: ") and again.endswith("] and more")
    text = "line\n" * 5_000 + "and more"
    assert later.again(text).endswith("]and more") and later.whole(later.again(text)) == text
    for typed in ("short\n", "word " * 600, "word\n" * 200):
        assert later.again(typed) == typed, "what may have been typed is no paste"


def test_controls_go_and_line_ends_are_one() -> None:
    assert cleaned("a\r\nb\rc\x1b[31md\x00\x9b\ud800\te\n") == "a\nb\nc[31md\te\n"


def test_walking_back_and_forth_keeps_what_was_being_written() -> None:
    recall = PromptHistory(("one", "two"))
    recall, text = recall.older("half a") or pytest.fail("there is something older")
    assert text == "two"
    recall, text = recall.older(text) or pytest.fail("and older")
    assert text == "one" and recall.older(text) is None
    recall, text = recall.newer() or pytest.fail("back")
    recall, text = recall.newer() or pytest.fail("and back")
    assert text == "half a" and recall.newer() is None


def test_what_was_sent_is_remembered_once_in_a_row_and_not_for_ever() -> None:
    assert PromptHistory(("a",)).remembered("a").texts == ("a",)
    assert PromptHistory(("a",)).remembered("  ").texts == ("a",)
    assert PromptHistory(tuple(map(str, range(MOST)))).remembered("new").texts[-1] == "new"
    assert len(PromptHistory(tuple(map(str, range(MOST)))).remembered("new").texts) == MOST
