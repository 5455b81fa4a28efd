"""Pictures of forms, their review, changes by hunks and side talks, at 80x24 and 120x36 (R194, E3, E20, E21, E23, E26).

After a change that is meant: `pytest tests/ui/test_sheet_form_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import Place
from tests.sampling import partly, sampled
from tests.ui.sheet_host import DONE, HUNKS, Host, boolean, formed, hunky, multi, review, select, text
from tests.ui.test_sheet_hunks import MANY
from tests.ui.test_sheet_pictures import KINDS, LARGE, SMALL, Compare, look

SIZES = pytest.mark.parametrize(
    ("size", "theme"), [(SMALL, "jp-night"), (LARGE, "jp-day")], ids=["80x24-dark", "120x36-light"]
)
LONG = tuple(Place(f"question-{n}", f"Question {n}?", "current" if n == 20 else "ahead") for n in range(40))
ALL = tuple(Place(f"question-{n}", f"Question {n}?", "answered", f"answer {n}") for n in range(1, 41))


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


STATES: dict[str, tuple[PromptRequest, str]] = {
    "form": (formed(multi(context="The migration touches 3 tables.", has_default=True, default=["staging"])), "down"),
    "form-boolean": (formed(boolean(context=None, remember=False, preselect=True)), ""),
    "after-back": (formed(select(), undo=("envs", "note"), prefill=("staging",)), ""),
    "cannot-pass": (formed(multi()), "tab"),
    "long-form": (formed(text(), *LONG), ""),
    "menu": (formed(text(), undo=("envs",), prefill=("old",)), "escape escape"),
    "folded": (formed(multi()), "ctrl+o"),
    "review": (review(), ""),
    "review-back": (review(), "home enter"),
    "review-long": (review("r1", *ALL), ""),
    "hunks": (hunky(), "] space"),
    "hunks-comment": (hunky(), "] space c n o t space y e t"),
    "hunks-commented": (hunky(), "] space c n o enter"),
    "hunks-none": (hunky(), "a y"),
    "hunks-unseen": (hunky(parts=MANY), "y"),
    "hunks-columns": (hunky(), "t"),
    "hunks-full": (hunky(parts=MANY), "ctrl+f"),
    "ask-back": (boolean(), "? w h y"),
}


@partly(2)
@pytest.mark.parametrize(
    ("state", "size", "theme"),
    [pytest.param(state, SMALL, "jp-night", id=f"{state}-80x24-dark") for state in STATES]
    + [pytest.param(state, LARGE, "jp-day", id=f"{state}-120x36-light") for state in sampled(list(STATES), 3)],
)
def test_every_state_small_and_large(snap_compare: Compare, state: str, size: tuple[int, int], theme: str) -> None:
    prompt, keys = STATES[state]
    look(snap_compare, prompt, keys=keys, size=size, theme=theme)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "secret"])
def test_r170_r194_every_answer_type_in_a_form_and_alone_in_a_list(snap_compare: Compare, kind: str) -> None:
    """In a form; that a list of one looks like a question alone is compared in test_sheet_form.py."""
    prompt = KINDS[kind](
        label="Assistant", **({"remember": False, "context": None, "preselect": True} if kind == "boolean" else {})
    )
    look(snap_compare, formed(prompt))


def test_the_talk(snap_compare: Compare) -> None:
    def said(app: Host) -> None:
        app.dock.replies.received(("c1", "q1"), Foreign("It adds a **TIP**:\n\n- one\n- two"))
        app.dock.replies.ended(("c1", "q1"))

    look(snap_compare, boolean(), keys="? w h y enter", then=said)


def test_e12_another_waits_while_a_form_is_walked(snap_compare: Compare) -> None:
    look(snap_compare, formed(multi()), hunky("q9"), keys="b")


def test_deaf(snap_compare: Compare) -> None:
    look(snap_compare, formed(multi()), arm=False)


def test_deaf_review(snap_compare: Compare) -> None:
    look(snap_compare, review(), arm=False)


@pytest.mark.parametrize("what", ["form", "review", "hunks"])
def test_the_smallest_terminal(snap_compare: Compare, what: str) -> None:
    prompts: dict[str, Callable[[], PromptRequest]] = {
        "form": lambda: formed(multi()), "review": lambda: review("r1", *DONE), "hunks": lambda: hunky(parts=HUNKS),
    }  # fmt: skip
    look(snap_compare, prompts[what](), size=(60, 16))


def test_a_large_screen(snap_compare: Compare) -> None:
    look(snap_compare, hunky(), size=(200, 50))
