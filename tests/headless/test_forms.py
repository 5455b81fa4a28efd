"""Forms as numbered lines, question by question (R175-R182b, R226, R238; asking.md E3, E14, E20, E22, E23, E60)."""

from __future__ import annotations

import io
from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Response
from jp_tui.protocol.values import Answered, Control, EndTurn, PromptRequest, Replied, Restored, Submitted, WentBack
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    FormView,
    MultiSelectAnswer,
    Option,
    Place,
    SchemaAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.headless.asked import ask, prompt

CONTROLS: frozenset[Control] = frozenset({"reply", "end_turn", "back"})
YES_NO, TEXT, JSON = BooleanAnswer(), TextAnswer(), SchemaAnswer({})
ONE = SelectAnswer((Option("red"), Option("blue"), Option("w")))
OTHER = SelectAnswer((Option("red"), Option("7")), allow_other=True)
SEVERAL = MultiSelectAnswer((Option("red"), Option("blue"), Option("b")))
SKIPPED = "asked only if `env` is “dev”"
FORM = FormView(
    (
        Place("env", "Where to?", "answered", "prod"),
        Place("pinned", "Pinned?", "answered", True, fixed=True),
        Place("sure", "Sure?", "skipped", because=SKIPPED),
        Place("now", "Now\x1b[2J?", "current"),
        Place("later", "Later?", "ahead"),
    )
)
DONE = FormView(
    (
        *FORM.places[:3],
        Place("now", "Now?", "answered", "one\n? paint asks:\x1b[2J"),
        Place("later", "Later?", "answered", []),
        Place("none", "None?", "answered", ""),
        Place("much", "Much?", "answered", "x" * 400),
    )
)


def place(answer: AnswerType, /, **more: Any) -> PromptRequest:
    """A question of a form, the fourth of five."""
    fields = {"source": "assistant", "controls": CONTROLS, "form": FORM, "progress": FORM.progress, "back": "env"}
    return prompt(answer, **{**fields, **more})


def review(**more: Any) -> PromptRequest:
    return place(YES_NO, kind="review", text="", form=DONE, progress=None, back="much", **more)


@pytest.mark.parametrize("kind", [YES_NO, ONE, SEVERAL, TEXT, JSON])
def test_a_question_says_where_it_stands_what_was_skipped_and_what_back_does(kind: AnswerType) -> None:
    """R175 to the letter, before the question; E23: the reason; R182, R187, M42: three ways out in sight. The title of
    the call is another question's, so it is not shown."""
    colon = ":" if kind is TEXT else ""
    said, shown = ask(place(kind, subject=Foreign("Where to?"), context="Because."), f"{colon}s")
    assert said == EndTurn()
    assert "? assistant asks: [4/5]\n" in shown and shown.index("[4/5]") < shown.index("Which?")
    assert shown.count("Where to?") == 0
    assert f"– pinned: yes  (set)\n– sure: skipped: {SKIPPED}\n| Because.\nWhich?\n" in shown
    assert f" · {colon}b Back to env, to change the answer · {colon}r TEXT Reply · {colon}s End Turn · " in shown
    assert f"{colon}u Restore" not in shown
    alone = place(kind, form=None, progress=None, back="", controls=frozenset({"reply", "end_turn"}))
    shown = ask(alone, ":b", f"{colon}s")[1]
    assert "[1/1]" not in shown and "Back to" not in shown and "Unknown command :b" in shown, "R170"


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        (YES_NO, ["b"], WentBack()),
        (YES_NO, [":b"], WentBack()),
        (YES_NO, ["u"], Restored()),
        (YES_NO, ["b 1"], WentBack(to="env")),
        (YES_NO, ["b 2", "b 3", "b 4", "b 5", "b 6", "b x", "y"], Answered(value=True)),
        (YES_NO, ["r", "rather not"], Replied(text="rather not")),
        (YES_NO, ["w", ":f", "Y", "y"], Answered(value=True)),
        (ONE, ["b"], WentBack()),
        (ONE, ["w", "=w"], Answered(value="w")),
        (ONE, ["3"], Answered(value="w")),
        (SEVERAL, ["u"], Restored()),
        (SEVERAL, ["b", ":b"], WentBack()),
        (SEVERAL, ["b", "=b"], Answered(value=["b"])),
        (SEVERAL, ["1,b"], Answered(value=["red", "b"])),
        (TEXT, ["b"], Answered(value="b")),
        (TEXT, ["? really"], Answered(value="? really")),
        (TEXT, [":b"], WentBack()),
        (TEXT, [":u"], Restored()),
        (TEXT, [":r", ""], Replied(text=None)),
        (JSON, [":b 1"], WentBack(to="env")),
        (JSON, ["s"], EndTurn()),
        (JSON, ["{", "b"], WentBack()),
    ],
)
def test_moving_about(kind: AnswerType, typed: list[str], said: Response) -> None:
    """E60, "Keys": letters where no text is typed, unless they are an answer themselves; a colon everywhere."""
    assert ask(place(kind, undo=("now",)), *typed)[0] == said


def test_what_cannot_be_gone_back_to_says_why() -> None:
    """R172, R182b, E23."""
    shown = ask(place(YES_NO), "b 2", "b 3", "b 4", "b 5", "u", "y")[1]
    told = [one for one in shown.split("\n> \n")[1:] if one][:5]
    assert told[0] == "A setting answers pinned."
    assert told[1] == f"sure: {SKIPPED}" and told[2] == "That is the current question."
    assert told[3].startswith("Answer this question first") and told[4] == "There is nothing to restore."
    first = place(YES_NO, back="", controls=frozenset({"reply", "end_turn"}))
    assert "No answered question before this one" in ask(first, "b", "y")[1], "R176: never on the first"


def test_what_back_discards_is_said_before_it_is_typed_and_what_it_discarded_after() -> None:
    """E23: nothing is asked twice; R248: the menu says it too."""
    moved = FormView((*FORM.places[:3], Place("now", "Now?", "answered", "x"), Place("later", "Later?", "current")))
    asked = place(TEXT, form=moved, progress=moved.progress, undo=("a", "b\x1b[2J"))
    shown = ask(asked, ":s")[1]
    assert ":b Back to env; removes the answers to now (u restores them)" in shown
    assert ":u Restore the answers Back removed: a, b␛[2J" in shown


@pytest.mark.parametrize(
    ("kind", "before", "said"),
    [
        (YES_NO, False, Answered(value=False)),
        (ONE, "blue", Answered(value="blue")),
        (OTHER, "mauve", Answered(value="mauve")),
        (SEVERAL, ["b", "red"], Answered(value=["red", "b"])),
        (SEVERAL, [], Answered(value=[])),
        (TEXT, "two\nlines", Answered(value="two\nlines")),
        (TEXT, "", Answered(value="")),
        (JSON, {"a": [1]}, Answered(value={"a": [1]})),
        (JSON, None, Answered(value=None)),
    ],
)
def test_enter_takes_the_answer_from_before(kind: AnswerType, before: Any, said: Response) -> None:
    """R176: shown as such, and in place of the default; it is the human's own, so Enter takes it everywhere (R192)."""
    default: Any = {"boolean": True, "select": "red", "multi_select": ["blue"]}.get(kind.type, "default")
    found, shown = ask(place(kind, default=default, prefill=(before,), human_only=True), "")
    assert found == said
    assert "your earlier answer" in shown and "Enter keeps your earlier answer" in shown and "(default)" not in shown


def test_words_beside_the_choices_of_the_assistant_are_a_reply() -> None:
    """R238, E20: and the line says so before Enter; what looks like a slip is asked about, a tool's own has none."""
    for kind in (ONE, SEVERAL):
        said, shown = ask(place(kind), "9", "#9", "=mauve", "x", "RED", "rather a mauve one")
        assert said == Replied(text="rather a mauve one")
        assert "other text reply with text instead of choosing" in shown and "Did you mean red?" in shown
        assert ask(place(kind, source="tool"), "rather a mauve one", "1")[0] is not None
    assert ask(place(ONE, source="tool"), "rather a mauve one", "1")[0] == Answered(value="red")
    assert ask(place(SEVERAL), "red mauve", "1 9", "1")[0] == Answered(value=["red"]), "half a choice is a misfit"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["mauve"], "mauve"),
        (["a reddish one"], "a reddish one"),
        (["1"], "red"),
        (["=red"], "red"),
        (["7"], "7"),
        (["9", "#9", "=9"], "9"),
        (["", "=", "=b"], "b"),
    ],
)
def test_words_beside_the_choices_may_be_the_answer(typed: list[str], said: str) -> None:
    """R226: of Opal's shape, which is known by its mark."""
    options = SelectAnswer((Option("red"), Option("7"), Option("4")), allow_other=True)
    found, shown = ask(place(options), *typed)
    assert found == Answered(value=said) and "other text your text is the answer" in shown


def test_the_review_shows_all_and_only_a_word_submits() -> None:
    """R182b, E3, E14, E23: numbers go back, digits and Enter never submit; foreign text stays on its line."""
    said, shown = ask(review(), "", "y", "0", "9", "2", "3", ":p 4", ".", "submit")
    assert said == Submitted()
    assert "? assistant asks: review\nReview your answers, then submit\n  1  env: prod\n     Where to?\n" in shown
    assert "  2  pinned: yes  (set)\n" in shown and f"  3  sure: skipped: {SKIPPED}\n     Sure?\n" in shown
    assert "  4  now: one⏎? paint asks:␛[2J\n" in shown and "\n? paint asks:" not in shown
    assert "| one\n| ? paint asks:␛[2J\n" in shown, "`:p` shows an answer in full"
    assert "  5  later: none, on purpose\n" in shown and "  6  none: empty on purpose\n" in shown
    assert f"  7  much: {'x' * 300} … 100 more characters\n" in shown
    assert shown.count("Not sent yet. `submit` sends these answers") == 4
    assert "A setting answers pinned" in shown and shown.count("Review your answers") == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["SUBMIT"], Submitted()),
        ([" :submit "], Submitted()),
        (["4"], WentBack(to="now")),
        ([":b 1"], WentBack(to="env")),
        (["b"], WentBack()),
        (["r not so"], Replied(text="not so")),
        (["s"], EndTurn()),
        ([":c", ":e", "submit now", "submit"], Submitted()),
    ],
)
def test_ways_out_of_the_review(typed: list[str], said: Response) -> None:
    """R179, R180: those of every question."""
    assert ask(review(), *typed)[0] == said


def test_the_review_answers_nothing_at_the_end_of_input() -> None:
    assert ask(review())[0] is None


@pytest.mark.parametrize(("typed", "said"), [("2", WentBack()), ("3", Restored()), ("5", EndTurn())])
def test_the_menu_of_a_question_has_the_ways_of_its_form(typed: str, said: Response) -> None:
    """R248, M42: in this order; each says what it does, and what Back discards."""
    out, given = io.StringIO(), [typed]
    lines = Lines(out, lambda: given.pop(0))
    lines.show(place(TEXT, undo=("now",)))
    lines.menu()
    lines.source.fill()
    assert lines.take() == said
    shown = out.getvalue()
    assert "  1  Answer: back to the question\n  2  Back: to env, to change the answer\n" in shown
    assert "  3  Restore: the answers Back removed: now\n  4  Reply: " in shown and "\n  5  End Turn: " in shown
