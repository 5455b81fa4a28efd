"""A change by hunk, in lines (inquiries.md R251, R236, R192; asking.md E14, E15, E26)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from jp_tui.headless.forms.steps import Response
from jp_tui.protocol.values import Answered, PartsTaken, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Part
from tests.headless.asked import ask, prompt

PARTS = tuple(
    Part(str(n), f"d{n}", f"a\x1b[2J.py, line {n}", f"@@ -{n} +{n},2 @@\n-old {n}\n+new {n}\n+more\n")
    for n in (1, 2, 3)
)
DIFF = "```diff\n--- a/a.py\n+++ b/a.py\n" + "".join(part.diff for part in PARTS) + "```"


def change(context: str = DIFF, **more: Any) -> PromptRequest:
    asked = prompt(BooleanAnswer(), default=True, text="Apply this change?", context=context, **more)
    return asked.model_copy(update={"question": dataclasses.replace(asked.question, parts=PARTS)})


def some(*accepted: str, value: bool = True, **comments: str) -> Answered:
    said = {name.removeprefix("k"): words for name, words in comments.items()}
    return Answered(value=value, parts=PartsTaken(accepted=accepted, comments=said))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["y"], Answered(value=True)),
        ([""], Answered(value=True)),
        (["Y"], Answered(value=True, remember=True)),
        (["n"], Answered(value=False)),
        (["N"], Answered(value=False, remember=True)),
        (["2", "y"], some("1", "3")),
        (["2", "2", "y"], Answered(value=True)),
        (["1 3", "y"], some("2")),
        (["1,3", "y"], some("2")),
        (["1-2", "y"], some("3")),
        (["none", "2", "y"], some("2")),
        (["a", "2", "y"], some("2")),
        (["none", "a", "y"], Answered(value=True)),
        (["2", "i", "y"], some("2")),
        (["2", "all", "y"], Answered(value=True)),
        (["2", "Y", "", "y"], some("1", "3")),
        (["none", "y", "", "n"], Answered(value=False)),
        (["4", "0", "3-1", "1 x", "y"], Answered(value=True)),
        (["2", ":k 2 not so", "y"], some("1", "3", k2="not so")),
        ([":k 1 why", ":k 1", "y"], Answered(value=True)),
        ([":k 1 fine", "Y"], some("1", "2", "3", k1="fine").model_copy(update={"remember": True})),
        ([":k 1 wrong", "n"], some(value=False, k1="wrong")),
        ([":n mind", "2", "y"], some("1", "3").model_copy(update={"note": "mind"})),
        ([":k", ":k 9 x", ":p 0", "maybe", "y"], Answered(value=True)),
    ],
)
def test_what_is_taken(typed: list[str], said: Response) -> None:
    """Numbers take and leave; a yes to a part is never remembered, and never an accident: no number answers, and Enter
    only as long as nothing was left."""
    assert ask(change(), *typed)[0] == said


def test_what_a_yes_applies_is_said_before_it() -> None:
    """E26: after every change; the hunks stand by number below the whole diff, each with its state in a word (E60)."""
    said, shown = ask(change(), "2", ":k 2 not \u202eso", ".", "1 3", "all", "y")
    assert said == some("1", "2", "3", k2="not \u202eso")
    assert "\x1b" not in shown and "\u202e" not in shown
    assert shown.index("| +new 3") < shown.index("Apply this change?") < shown.index("3 hunks:\n")
    assert "  1  taken  a␛[2J.py, line 1  +2 −1\n  2  taken  a␛[2J.py, line 2" in shown
    for line in (
        "y applies all 3 hunks.\n",
        "2 of 3 hunks selected: y applies 1, 3 and nothing else.\n",
        "  2  left  a␛[2J.py, line 2  +2 −1\n     comment: not \\u{202E}so\n",
        "0 of 3 hunks selected; y applies nothing.\n",
    ):
        assert line in shown
    shown = ask(change(), "2", "", ":p 2", "y")[1]
    assert "Enter y or n." in shown and "  2  left  a␛[2J.py, line 2  +2 −1\n| @@ -2 +2,2 @@\n| -old 2\n" in shown


def test_a_hunk_that_the_context_does_not_show_is_shown() -> None:
    """E15: nothing is approved that was not on the screen."""
    shown = ask(change(DIFF.replace("new 2", "something else")), "n")[1]
    assert "| -old 2\n| +new 2\n" in shown and "| +new 3\n" in shown and shown.count("| +new 3") == 1


def test_a_decision_of_ones_own_is_not_enters() -> None:
    """R192."""
    assert ask(change(human_only=True), "", "n")[0] == Answered(value=False)


def test_white_space_alone_is_marked_and_said() -> None:
    """Z26: with the context, with each hunk, and when one is shown again; an answer goes on as ever."""
    parts = (
        Part("1", "d1", "a.py, line 1", "@@ -1 +1 @@\n-\tx\n+    x \n"),
        Part("2", "d2", "a.py, line 9", "@@ -9 +9 @@\n-y\n+z\n"),
    )
    whole = "--- a/a.py\n+++ b/a.py\n" + "".join(part.diff for part in parts)
    asked = change(whole)
    asked = asked.model_copy(update={"question": dataclasses.replace(asked.question, parts=parts)})
    found, said = ask(asked, ":p 1", "y")
    assert "| -→x\n| +····x·\n" in said
    assert "2 of 4 changed lines: only white space (· space, → tab, ␍ CR)." in said.replace("\n", " ")
    assert "a.py, line 1  +1 −1  only white space changed (· space, → tab, ␍ CR)" in said.replace("\n", " ")
    assert "a.py, line 9  +1 −1\n" in said and found == Answered(value=True)
