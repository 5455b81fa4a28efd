"""The interrupt menus and what the settings do without them (R211, R233; M44)."""

from __future__ import annotations

import pytest

from jp_tui.view.questions.interrupt_menu import CONTINUE, STREAMING, TITLE, TOOLS, InterruptWishes, menu


def test_the_exact_labels() -> None:
    """M44."""
    assert TITLE == "Interrupted"
    assert [one.label for one in STREAMING] == [
        "Continue", "Reply (stop & respond)", "Stop (save & exit)", "Abort (discard & exit)",
    ]  # fmt: skip
    assert [one.label for one in TOOLS] == ["Continue", "Stop & respond", "Stop (cancel & exit)", "Restart"]


@pytest.mark.parametrize("phase", ["waiting_for_model", "streaming", "retrying", "resumed", "tools"])
def test_the_menu_fits_what_the_turn_does(phase: str) -> None:
    assert menu(phase) is (TOOLS if phase == "tools" else STREAMING)


@pytest.mark.parametrize("wish", ["continue", "stop", "abort", "reply"])
def test_a_wish_while_streaming_is_done_at_once(wish: str) -> None:
    """R233."""
    wishes = InterruptWishes(streaming=wish)  # type: ignore[arg-type]
    found = wishes.choice("streaming")
    assert found is not None and (found.action or "continue") == wish
    assert wishes.choice("tools") is None, "the other kind still asks"


@pytest.mark.parametrize("wish", ["continue", "restart", "respond", "stop"])
def test_a_wish_while_tools_run_is_done_at_once(wish: str) -> None:
    wishes = InterruptWishes(tool_call=wish)  # type: ignore[arg-type]
    found = wishes.choice("tools")
    assert found is not None and (found.action or "continue") == wish
    assert wishes.choice("streaming") is None


def test_continue_is_the_menus_own() -> None:
    assert InterruptWishes(streaming="continue").choice("streaming") is CONTINUE
